"""An algorithm of one's own with a memory, in a hundred lines: policy gradients over event counts.

    python examples/counting.py --seed 0 --out runs/counting/0.safetensors
    PYTHONPATH=examples gubs arena --agents \\
        counting:Counting:weights=runs/counting/0.safetensors,greedy,random

The agent remembers how often each event was seen. When a game ends, each of its decisions is paid
what its seat is paid (REINFORCE with a baseline: Williams 1992).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import tyro
from safetensors.torch import load_file, save_file
from torch import nn

from gubs_env import Memories, VectorEnv, find_table, sample_actions


class Counting(nn.Module):
    """Policy and value of what is seen and of the counts of all events so far."""

    def __init__(self, table, seed=None, weights="", memory=True, width=128):
        super().__init__()
        self.num_events = 32 if memory else 0  # without events, it counts nothing
        highs = [
            piece.high for piece in table.game.event_slices().values() for _ in range(piece.size)
        ]
        self.starts = np.cumsum([0] + [high + 1 for high in highs])
        self.memory_size = int(self.starts[-1])
        size = table.observation_size + self.memory_size
        self.hidden = nn.Sequential(nn.Linear(size, width), nn.ReLU())
        self.policy = nn.Linear(width, table.num_actions)
        self.value = nn.Linear(width, 1)
        nn.init.zeros_(self.policy.weight)
        if weights:
            self.load_state_dict(load_file(weights))

    def forward(self, inputs, masks):
        """Return the log probabilities of all actions, and values."""
        hidden = self.hidden(inputs)
        logits = self.policy(hidden).masked_fill(masks == 0, -1e9)
        return torch.log_softmax(logits, 1), self.value(hidden)[:, 0]

    def inputs(self, observations, memories, events):
        """Count the new events in the memories, and return what the network reads."""
        rows, _, columns = places = np.nonzero(events >= 0)
        np.add.at(memories, (rows, self.starts[columns] + events[places]), 1)
        return torch.as_tensor(np.log1p(np.hstack([observations, memories]), dtype=np.float32))

    @torch.no_grad()
    def probabilities(self, observations, masks, memories, events):
        """Return the probabilities of all actions; exact best responses ask for them."""
        log_probs, _ = self(self.inputs(observations, memories, events), torch.as_tensor(masks))
        return log_probs.exp().double().numpy()

    def act(self, observations, masks, rngs, memories, events):
        """Draw an action in every row."""
        return sample_actions(self.probabilities(observations, masks, memories, events), rngs)


@dataclass
class Args:
    """Options; the docstring of this file has examples."""

    game: str = "gubs"  # the game
    players: int = 2  # players at the table
    seed: int = 0  # seed of deals, weights and draws
    memory: bool = True  # whether it counts events
    decisions: int = 1_000_000  # decisions of all seats together
    out: Path = Path("runs/counting/0.safetensors")  # file of the network


def train(args: Args, rules=None) -> Counting:
    """Train an agent by self-play."""
    torch.manual_seed(args.seed)
    table, count = find_table(args.game, args.players, rules), 256
    agent = Counting(table, memory=args.memory)
    optimizer = torch.optim.Adam(agent.parameters(), 1e-3)
    games = VectorEnv(table, count, args.seed * count, skip_forced=True,
                      history=agent.num_events)  # fmt: skip
    memories, rows = Memories(count, args.players, [agent]), np.arange(count)
    under_way: list[list] = [[] for _ in rows]
    batch: list[tuple] = []
    for _ in range(args.decisions // count):
        actors = games.actors.copy()
        own, events = memories.recall(agent, rows, actors, games.recent)
        inputs, masks = agent.inputs(games.observations, own, events), torch.tensor(games.masks)
        memories.keep(rows, actors, own, games.recent)
        with torch.no_grad():
            actions = agent(inputs, masks)[0].exp().multinomial(1)[:, 0]
        games.step(actions.numpy())
        for row, decision in enumerate(zip(inputs, masks, actions, actors, strict=True)):
            under_way[row].append(decision)
        for row in np.flatnonzero(games.dones).tolist():
            paid = games.rewards[row]
            batch += [(*told, float(paid[seat])) for *told, seat in under_way[row]]
            under_way[row] = []
        memories.clear(games.dones)
        if len(batch) >= 4096:
            learn(agent, optimizer, batch)
            batch = []
    return agent


def learn(agent: Counting, optimizer: torch.optim.Optimizer, batch: list) -> None:
    """Take one step along the gradient of all decisions of finished games."""
    inputs, masks, actions, paid = map(list, zip(*batch, strict=True))
    log_probs, values = agent(torch.stack(inputs), torch.stack(masks))
    chosen = log_probs.gather(1, torch.stack(actions)[:, None])[:, 0]
    gained = torch.tensor(paid) - values
    entropy = -(log_probs.exp() * log_probs).sum(1).mean()
    loss = 0.5 * gained.square().mean() - (gained.detach() * chosen).mean() - 0.01 * entropy
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


if __name__ == "__main__":
    args = tyro.cli(Args)
    torch.set_num_threads(1)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    save_file(train(args).state_dict(), args.out)
