"""Self-play PPO with a memory, in one file: a GRU that reads the events of the game.

    pip install -e ".[train]"
    python examples/recurrent.py --seed 0                  # some minutes on one core
    python examples/recurrent.py --game fubnub --players 4 --no-memory
    PYTHONPATH=examples gubs arena \\
        --agents recurrent:Player:weights=runs/recurrent/gubs_2_seed_0.safetensors,heuristic

One network holds all seats of every game. Each seat has a memory of its own: it begins with zeros,
is carried from one decision of the seat to its next one, whoever decided in between, and is shown
the events since then. `Memories` keeps it, in training as in any other game.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import tyro
from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn
from tqdm import tqdm

from gubs_env import Memories, Table, VectorEnv, find_table
from gubs_env.support.output import print_everywhere


@dataclass
class Args:
    """Train a network with a memory by self-play; the docstring of this file has examples."""

    game: str = "gubs"  # the game
    players: int = 2  # players at the table
    memory: bool = True  # without it, each decision begins with zeros, and no events are shown
    seed: int = 0  # seed of the deals, the initial weights and the sampled actions
    imitate: int = 0  # decisions of the heuristic to imitate before self-play
    decisions: int = 1_000_000  # decisions to train on by self-play, of all seats together
    games: int = 256  # number of games played side by side
    rollout: int = 64  # decisions taken in each game between two updates
    width: int = 128  # units of the memory, and of the layer before it
    events: int = 12  # most events shown at a decision
    chunk: int = 8  # decisions of a seat through which gradients flow back
    minibatch: int = 256  # chunks in a minibatch
    epochs: int = 3  # passes over the decisions of an update
    learning_rate: float = 1e-3  # initial learning rate of Adam; falls linearly to 0
    entropy: float = 0.01  # initial weight of the entropy bonus; falls linearly to 0
    gae_lambda: float = (
        0.95  # lambda of generalised advantage estimation, from decision to decision
    )
    clip: float = 0.2  # clip range of the probability ratio
    opponents: str = "random,greedy,heuristic"  # agents that the network is measured against
    deals: int = 1000  # deals of such a measurement, each played from every seat
    out: str = "runs/recurrent"  # folder for networks and results


class Network(nn.Module):
    """A GRU from one decision of a seat to its next, with policy and value heads.

    Args:
        game: the game.
        num_players: players at the table.
        width: units of the memory.
        num_events: events shown at a decision; 0 for a network without a memory.
    """

    starts: torch.Tensor
    """The number of the value 0 of each column of an event."""

    def __init__(self, table: Table, width: int, num_events: int) -> None:
        super().__init__()
        highs = [
            piece.high for piece in table.game.event_slices().values() for _ in range(piece.size)
        ]
        starts = np.cumsum([0] + [high + 2 for high in highs])  # −1 … high in each column
        self.register_buffer("starts", torch.tensor(starts[:-1] + 1), persistent=False)
        self.event = nn.EmbeddingBag(int(starts[-1]), 64, mode="sum")
        self.told = nn.Linear(64, width)
        self.seen = nn.Linear(table.observation_size, width)
        self.memory = nn.GRU(width, width, batch_first=True)
        self.policy = nn.Linear(2 * width, table.num_actions)
        self.value = nn.Linear(2 * width, 1)
        self.num_events = num_events
        nn.init.normal_(self.event.weight, std=0.1)
        nn.init.orthogonal_(self.policy.weight, 0.01)
        nn.init.zeros_(self.policy.bias)

    def forward(
        self, seen: torch.Tensor, masks: torch.Tensor, told: torch.Tensor, memories: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        """Return log probabilities, values, and the memories after the last decision.

        Args:
            seen: int8[batch, length, observation_size], consecutive decisions of one seat each.
            masks: int8[batch, length, num_actions].
            told: int8[batch, length, num_events, event_size].
            memories: float32[batch, width] before the first decision.
        """
        features = self.seen(torch.log1p(seen.float()))
        if self.num_events:
            columns = told.long() + self.starts
            events = torch.relu(self.event(columns.flatten(0, 2))).view(*told.shape[:3], -1)
            is_event = (told >= 0).any(3, keepdim=True)
            features = features + self.told((events * is_event).sum(2))
        features = torch.relu(features)
        recalled, after = self.memory(features, memories[None].contiguous())
        both = torch.cat([features, recalled], dim=2)
        logits = self.policy(both).masked_fill(masks == 0, -1e9)
        return torch.log_softmax(logits, dim=2), self.value(both)[:, :, 0], after[0]


class Player:
    """A trained network as an agent, which plays its likeliest actions.

    Args:
        table: the table.
        seed: not used.
        weights: a file that this program saved.
        network: the network itself, in place of a file.
    """

    def __init__(
        self, table: Table, seed: int | None = None, weights: str = "",
        network: Network | None = None,
    ) -> None:  # fmt: skip
        if network is None:
            with safe_open(weights, "pt") as file:
                made_with = json.loads(file.metadata()["args"])
                network = Network(table, made_with["width"], made_with["events"])
                network.load_state_dict({name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
        self.network, self.num_events = network, network.num_events
        self.memory_size = network.memory.hidden_size

    @torch.no_grad()
    def decide(
        self, observations: Any, masks: Any, memories: np.ndarray, events: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return log probabilities [batch, num_actions] and values; write the memories anew."""
        if not self.num_events:
            memories[:] = 0
        seen = (torch.as_tensor(each)[:, None] for each in (observations, masks, events))
        log_probs, values, after = self.network(*seen, torch.as_tensor(memories))
        memories[:] = after.numpy()
        return log_probs[:, 0], values[:, 0]

    def act(
        self, observations: Any, masks: Any, rngs: Any, memories: np.ndarray, events: Any
    ) -> np.ndarray:
        """Return the likeliest legal action of each row."""
        return self.decide(observations, masks, memories, events)[0].argmax(1).numpy()


class Rollout(NamedTuple):
    """Consecutive decisions of all games, tensors [rollout, games, …]."""

    observations: torch.Tensor
    masks: torch.Tensor
    events: torch.Tensor
    memories: torch.Tensor
    """The memory of the acting seat before the decision."""
    actors: torch.Tensor
    actions: torch.Tensor
    log_probs: torch.Tensor
    values: torch.Tensor
    rewards: torch.Tensor
    dones: torch.Tensor


def collect(
    env: VectorEnv, player: Player, memories: Memories, steps: int, teacher: Any = None
) -> Rollout:
    """Play `steps` decisions in every game, those of a teacher if there is one."""
    steps_taken, rows = [], np.arange(env.num_envs)
    for _ in range(steps):
        actors = env.actors.copy()
        before, events = memories.recall(player, rows, actors, env.recent)
        after = before.copy()
        seen = env.observations.copy(), env.masks.copy(), events
        log_probs, values = player.decide(*seen[:2], after, events)
        memories.keep(rows, actors, after, env.recent)
        actions = log_probs.exp().multinomial(1)
        if teacher is not None:
            actions = torch.as_tensor(teacher.act(*seen[:2]))[:, None]
        env.step(actions[:, 0].numpy())
        memories.clear(env.dones)
        told = *seen, before, actors
        paid = torch.tensor(env.rewards), torch.tensor(env.dones)
        chosen = actions[:, 0], log_probs.gather(1, actions)[:, 0], values
        steps_taken.append((*map(torch.as_tensor, told), *chosen, *paid))
    return Rollout(*map(torch.stack, zip(*steps_taken, strict=True)))


def estimate_advantages(rollout: Rollout, gae_lambda: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Return generalised advantage estimates and whether each is known, both [rollout, games].

    A step goes from one decision of a seat to the next of the same seat, or to the end of the game.
    The last decision of a seat in a rollout has neither: it only says what the one before led to.
    """
    advantages = torch.zeros_like(rollout.values)
    known = torch.zeros(rollout.values.shape, dtype=torch.bool)
    every, shape = torch.arange(rollout.values.shape[1]), rollout.rewards.shape[1:]
    reward, next_value, next_advantage = (torch.zeros(shape) for _ in range(3))
    is_known = torch.zeros(shape, dtype=torch.bool)
    for step in reversed(range(len(advantages))):
        done, own = rollout.dones[step], (every, rollout.actors[step])
        reward[done], is_known[done] = rollout.rewards[step][done], True
        next_value[done], next_advantage[done] = 0.0, 0.0
        error = reward[own] + next_value[own] - rollout.values[step]
        known[step] = is_known[own]
        advantages[step] = torch.where(known[step], error + gae_lambda * next_advantage[own], 0.0)
        reward[own], next_value[own], is_known[own] = 0.0, rollout.values[step], True
        next_advantage[own] = advantages[step]
    return advantages, known


def chunks_of(rollout: Rollout, length: int) -> torch.Tensor:
    """Return the decisions of each seat in each game, int64[chunks, length], as flat indices.

    A chunk holds consecutive decisions of one seat in one game; −1 fills up those at its end.
    """
    steps, games = rollout.actors.shape
    dones, step = rollout.dones.numpy(), np.arange(steps)[:, None]
    game_number = np.cumsum(dones, axis=0) - dones  # games that ended before, in the same place
    seats = rollout.actors.numpy()
    key = ((game_number * games + np.arange(games)) * rollout.rewards.shape[2] + seats).ravel()
    order = np.lexsort((np.broadcast_to(step, dones.shape).ravel(), key))
    sorted_keys = key[order]
    begins = np.flatnonzero(np.diff(sorted_keys, prepend=-1))
    rank = np.arange(len(order)) - np.repeat(begins, np.diff([*begins, len(order)]))
    chunk = np.cumsum(rank % length == 0) - 1
    found = np.full((chunk[-1] + 1, length), -1)
    found[chunk, rank % length] = order
    return torch.as_tensor(found)


def update(
    network: Network, optimizer: torch.optim.Adam, rollout: Rollout, entropy: float, args: Args,
    imitating: bool = False,
) -> None:  # fmt: skip
    """Improve policy and value on one rollout with the clipped objective of PPO, or imitate it."""
    advantages, known = estimate_advantages(rollout, args.gae_lambda)
    returns = (advantages + rollout.values).flatten()
    spread = advantages[known]
    advantages = ((advantages - spread.mean()) / (spread.std() + 1e-8)).flatten()
    chunks = chunks_of(rollout, args.chunk if args.memory else 1)
    old = Rollout(*(array.flatten(0, 1) for array in rollout))
    size = args.minibatch * (1 if args.memory else args.chunk)
    for _ in range(args.epochs):
        for rows in chunks[torch.randperm(len(chunks))].split(size):
            weight = (rows >= 0) & known.flatten()[rows]
            rows = rows.clamp(min=0)
            log_probs, values, _ = network(
                old.observations[rows], old.masks[rows], old.events[rows], old.memories[rows[:, 0]]
            )
            chosen = log_probs.gather(2, old.actions[rows][..., None])[..., 0]
            ratio = torch.exp(chosen - old.log_probs[rows])
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            gain = torch.min(ratio * advantages[rows], clipped * advantages[rows])
            if imitating:
                gain = chosen
            bonus = -(log_probs.exp() * log_probs).sum(2)
            error = (values - returns[rows]).square()
            loss = ((0.5 * error - gain - entropy * bonus) * weight).sum()
            loss = loss / weight.sum().clamp(min=1)  # none may be known in the last minibatch
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def train(table: Table, args: Args, teacher: Any = None) -> Network:
    """Train a network by self-play, after a teacher's games if there is one to imitate."""
    network = Network(table, args.width, args.events if args.memory else 0)
    player = Player(table, network=network)
    env = VectorEnv(
        table, args.games, seed=args.seed * args.games, skip_forced=True,
        history=player.num_events,
    )  # fmt: skip
    memories = Memories(args.games, args.players, [player])
    optimizer = torch.optim.Adam(network.parameters(), eps=1e-5)
    per_update = args.games * args.rollout
    imitated, updates = args.imitate // per_update, args.decisions // per_update
    with tqdm(total=(imitated + updates) * per_update, unit=" decisions", unit_scale=True) as bar:
        for _ in range(imitated):
            optimizer.param_groups[0]["lr"] = args.learning_rate
            rollout = collect(env, player, memories, args.rollout, teacher)
            update(network, optimizer, rollout, 0.0, args, imitating=True)
            bar.update(per_update)
        for number in range(updates):
            left = 1 - number / updates  # fraction of the training still to come
            optimizer.param_groups[0]["lr"] = args.learning_rate * left
            rollout = collect(env, player, memories, args.rollout)
            update(network, optimizer, rollout, args.entropy * left, args)
            bar.update(per_update)
    return network


def main() -> None:
    """Train one seed, measure it, and save it."""
    args = tyro.cli(Args)
    if args.decisions < args.games * args.rollout:
        sys.exit(f"--decisions {args.decisions}: an update takes --games × --rollout = "
                 f"{args.games * args.rollout}, and at least one is needed")  # fmt: skip
    import gubs_agents
    from gubs_agents import arena

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    table, start = find_table(args.game, args.players), time.process_time()
    teacher = gubs_agents.make("heuristic", table, seed=0) if args.imitate else None
    network = train(table, args, teacher)
    print(f"{(time.process_time() - start) / 60:.1f} minutes of processor time")
    out = Path(args.out, f"{args.game}_{args.players}_seed_{args.seed}.safetensors")
    out.parent.mkdir(parents=True, exist_ok=True)
    told = asdict(args) | {"events": network.num_events}
    save_file(network.state_dict(), out, {"args": json.dumps(told)})
    player = Player(table, network=network)
    for name in args.opponents.split(","):
        other = gubs_agents.make(name, table, seed=0)
        result = arena.Duel(player, other, table, args.deals).result()
        print(f"{name}: {result}", flush=True)


if __name__ == "__main__":
    print_everywhere()
    main()
