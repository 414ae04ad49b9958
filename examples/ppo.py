"""Self-play PPO with action masks in one file: from random weights to beating `greedy`.

    pip install -e ".[train]"
    python examples/ppo.py --seed 0                      # ten minutes on one core
    python examples/ppo.py --plot docs/images/ppo.png    # draw the curves of all seeds trained

Read it from top to bottom: options, network, rollout, advantages, update, evaluation, main. One
network plays all seats of every game, so every decision is training data. Advantages are estimated
per seat, because seats do not simply alternate: cards are answered out of turn.
"""

from __future__ import annotations

import csv
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import tyro
from torch import nn
from tqdm import tqdm

from gubs_env import find_table, gubs_v0
from gubs_env.api.vector import VectorEnv
from gubs_env.support.output import print_everywhere

START = time.perf_counter()
COLUMNS = ("opponent", "decisions", "cpu_minutes", "wall_minutes", "rate", "low", "high")


@dataclass
class Args:
    """Train self-play PPO on Gubs; the docstring of this file has examples."""

    players: int = 2  # players at the table
    seed: int = 0  # seed of the deals, the initial weights and the sampled actions
    decisions: int = 9_000_000  # decisions to train on, of all seats together
    games: int = 512  # number of games played side by side
    rollout: int = 64  # decisions taken in each game between two updates
    width: int = 128  # units in each of the two hidden layers
    minibatch: int = 2048  # decisions in a minibatch
    epochs: int = 3  # passes over the decisions of an update
    learning_rate: float = 1e-3  # initial learning rate of Adam; falls linearly to 0
    entropy: float = 0.01  # initial weight of the entropy bonus; falls linearly to 0
    discount: float = 1.0  # discount from one decision of a seat to its next
    gae_lambda: float = 0.95  # lambda of generalised advantage estimation
    clip: float = 0.2  # clip range of the probability ratio
    value_weight: float = 0.5  # weight of the value loss
    max_grad_norm: float = 0.5  # norm to which gradients are clipped
    evaluations: int = 15  # number of evaluations against greedy, the final one included
    deals: int = 500  # deals of such an evaluation, each played from every seat
    final_deals: int = 2000  # deals of the final evaluation against each agent
    out: str = "runs/ppo"  # folder for the network and the learning curve of each seed
    plot: str = ""  # draw the curves of all seeds in the folder to this PNG; do not train


class Network(nn.Module):
    """Policy and value heads over two shared hidden layers."""

    def __init__(self, observation_size: int, num_actions: int, width: int) -> None:
        super().__init__()
        first, second = nn.Linear(observation_size, width), nn.Linear(width, width)
        self.hidden = nn.Sequential(first, nn.ReLU(), second, nn.ReLU())
        self.policy, self.value = nn.Linear(width, num_actions), nn.Linear(width, 1)
        gains = {first: 2**0.5, second: 2**0.5, self.policy: 0.01, self.value: 1.0}
        for layer, gain in gains.items():
            nn.init.orthogonal_(layer.weight, gain)
            nn.init.zeros_(layer.bias)

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return log probabilities [batch, num_actions], about −1e9 if illegal, and values."""
        hidden = self.hidden(torch.log1p(observations.float()))
        logits = self.policy(hidden).masked_fill(masks == 0, -1e9)
        return torch.log_softmax(logits, dim=1), self.value(hidden)[:, 0]

    @torch.no_grad()
    def act(self, observations: Any, masks: Any, rngs: Any = None) -> np.ndarray:
        """Return the likeliest legal action of each row; this makes the network an `Agent`."""
        return self(torch.as_tensor(observations), torch.as_tensor(masks))[0].argmax(1).numpy()


class Rollout(NamedTuple):
    """Consecutive decisions of all games, arrays [rollout, games, …]."""

    observations: torch.Tensor
    masks: torch.Tensor
    actors: torch.Tensor
    actions: torch.Tensor
    log_probs: torch.Tensor
    values: torch.Tensor
    rewards: torch.Tensor
    dones: torch.Tensor


@torch.no_grad()
def collect(env: VectorEnv, network: Network, steps: int) -> tuple[Rollout, torch.Tensor]:
    """Play `steps` decisions in every game; return them and the values [games, players] after."""
    rows = []
    for _ in range(steps):
        # The environment reuses its arrays, so keep copies.
        seen = [torch.tensor(array) for array in (env.observations, env.masks, env.actors)]
        log_probs, values = network(*seen[:2])
        actions = log_probs.exp().multinomial(1)
        env.step(actions[:, 0].numpy())
        paid = torch.tensor(env.rewards), torch.tensor(env.dones)
        rows.append((*seen, actions[:, 0], log_probs.gather(1, actions)[:, 0], values, *paid))
    # Only the seat to decide has an observation. The game is zero-sum, so the other seats share
    # minus the value for that one.
    value = network(torch.tensor(env.observations), torch.tensor(env.masks))[1][:, None]
    is_actor = torch.tensor(env.actors)[:, None] == torch.arange(env.num_players)
    next_values = torch.where(is_actor, value, -value / (env.num_players - 1))
    return Rollout(*map(torch.stack, zip(*rows, strict=True))), next_values


def estimate_advantages(rollout: Rollout, next_values: torch.Tensor, args: Args) -> torch.Tensor:
    """Return the generalised advantage estimate of every decision, [rollout, games].

    A step of GAE goes from one decision of a seat to the next decision of the same seat. Its reward
    is the payoff of that seat in between. The loop goes backwards; three arrays [games, players]
    hold for each seat this reward, and the value and the advantage of the seat's next decision.
    """
    advantages, every = torch.zeros_like(rollout.values), torch.arange(len(next_values))
    next_value, (reward, next_advantage) = next_values.clone(), torch.zeros(2, *next_values.shape)
    for step in reversed(range(len(advantages))):
        # The end of a game pays all seats; later decisions belong to a new game.
        done, own = rollout.dones[step], (every, rollout.actors[step])
        reward[done], next_value[done], next_advantage[done] = rollout.rewards[step][done], 0.0, 0.0
        error = reward[own] + args.discount * next_value[own] - rollout.values[step]
        advantages[step] = error + args.discount * args.gae_lambda * next_advantage[own]
        reward[own], next_value[own] = 0.0, rollout.values[step]
        next_advantage[own] = advantages[step]
    return advantages


def update(
    network: Network, optimizer: torch.optim.Adam, rollout: Rollout, advantages: torch.Tensor,
    entropy: float, args: Args,
) -> None:  # fmt: skip
    """Improve policy and value on one rollout with the clipped objective of PPO."""
    returns = (advantages + rollout.values).flatten()
    advantages = ((advantages - advantages.mean()) / (advantages.std() + 1e-8)).flatten()
    old = Rollout(*(array.flatten(0, 1) for array in rollout))
    for _ in range(args.epochs):
        for rows in torch.randperm(len(returns)).split(args.minibatch):
            log_probs, values = network(old.observations[rows], old.masks[rows])
            chosen = log_probs.gather(1, old.actions[rows, None])[:, 0]
            ratio = torch.exp(chosen - old.log_probs[rows])
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            gain = torch.min(ratio * advantages[rows], clipped * advantages[rows]).mean()
            bonus = -(log_probs.exp() * log_probs).sum(1).mean()
            value_loss = (values - returns[rows]).square().mean()
            loss = args.value_weight * value_loss - gain - entropy * bonus
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), args.max_grad_norm)
            optimizer.step()


def evaluate(
    network: Network, opponent: str, players: int, deals: int, decisions: int, path: Path
) -> str:
    """Return the win rate against an agent on deals that training never sees; add a CSV row."""
    import gubs_agents
    from gubs_agents.arena import win_rate

    table = find_table("gubs", players)
    other = gubs_agents.make(opponent, table, seed=0)
    result = win_rate(network, other, table, deals)
    minutes = time.process_time() / 60, (time.perf_counter() - START) / 60
    numbers = ",".join(f"{number:.4f}" for number in (*minutes, *result[:3]))
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{opponent},{decisions},{numbers}\n")
    return f"{opponent} {result}"


def train(network: Network, env: VectorEnv, path: Path, args: Args) -> None:
    """Train the network by self-play; evaluate it during training and longer at the end."""
    path.write_text(",".join(COLUMNS) + "\n", "utf-8")
    optimizer = torch.optim.Adam(network.parameters(), eps=1e-5)
    per_update = args.games * args.rollout
    updates = args.decisions // per_update
    due = {updates * part // args.evaluations for part in range(1, args.evaluations)}
    last = evaluate(network, "greedy", args.players, args.deals, 0, path)
    with tqdm(total=updates * per_update, unit=" decisions", unit_scale=True) as bar:
        for number in range(updates):
            left = 1 - number / updates  # fraction of the training still to come
            optimizer.param_groups[0]["lr"] = args.learning_rate * left
            rollout, next_values = collect(env, network, args.rollout)
            advantages = estimate_advantages(rollout, next_values, args)
            update(network, optimizer, rollout, advantages, args.entropy * left, args)
            bar.update(per_update)
            if number + 1 in due:
                last = evaluate(network, "greedy", args.players, args.deals, bar.n, path)
            bar.set_postfix_str(last)
    for opponent in ("greedy", "random", "heuristic"):
        print(evaluate(network, opponent, args.players, args.final_deals, bar.n, path))


def plot(folder: Path, path: Path) -> None:
    """Draw the win rate against greedy of every seed in a folder, with its 95 % interval."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.5), layout="constrained")
    axes, paces = figure.subplots(), []
    for file in sorted(folder.glob("seed_*.csv")):
        lines = csv.DictReader(file.read_text("utf-8").splitlines())
        rows = [row for row in lines if row["opponent"] == "greedy"]
        if not rows:
            continue
        values = np.array([[float(row[name]) for name in COLUMNS[1:]] for row in rows])
        decisions, minutes, _, rate, low, high = values.T
        axes.plot(minutes, 100 * rate, marker=".", label=file.stem.replace("_", " "))
        axes.fill_between(minutes, 100 * low, 100 * high, alpha=0.15, linewidth=0)
        paces.append(decisions[-1] / minutes[-1] / 1e6)
    if not paces:
        sys.exit(f"{folder} has no evaluations to draw (seed_*.csv); train first, or name --out")
    axes.axhline(50, color="grey", linestyle=":", label="equal to greedy")
    axes.set(xlabel="CPU minutes on one core", ylabel="win rate against greedy, %", ylim=(0, 80))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    if pace := np.mean(paces):  # 0 as long as only the untrained network is evaluated
        scales = (lambda minutes: minutes * pace, lambda millions: millions / pace)
        label = "decisions, millions (mean of seeds)"
        axes.secondary_xaxis("top", functions=scales).set_xlabel(label)
    figure.savefig(path, dpi=130, metadata={"Software": None})


def save(network: Network, path: Path, players: int = 2) -> None:
    """Save the network for the agent `policy`: gubs arena --agents policy:weights=PATH,greedy."""
    from gubs_agents.networks import network as networks

    parts = *network.hidden, network.policy, network.value
    linears = [part for part in parts if isinstance(part, nn.Linear)]
    *layers, value = [(one.weight.detach().numpy(), one.bias.detach().numpy()) for one in linears]
    networks.save(path, networks.Weights(layers, value), find_table("gubs", players))


def main() -> None:
    """Train one seed, or draw the curves of those trained."""
    args = tyro.cli(Args)
    out = Path(args.out)
    if args.plot:
        return plot(out, Path(args.plot))
    if args.decisions < args.games * args.rollout:
        sys.exit(f"--decisions {args.decisions}: an update takes --games × --rollout = "
                 f"{args.games * args.rollout}, and at least one is needed")  # fmt: skip
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    env = gubs_v0.vector_env(
        args.games, args.players, seed=args.seed * args.games, skip_forced=True
    )
    network = Network(env.observations.shape[1], env.masks.shape[1], args.width)
    try:
        train(network, env, out / f"seed_{args.seed}.csv", args)
    except KeyboardInterrupt:
        print("Stopped early; the network is saved without a final evaluation.")
    save(network, out / f"seed_{args.seed}.safetensors", args.players)


if __name__ == "__main__":
    print_everywhere()
    main()
