"""One network for all tables of a game, fitted to the shipped ones: is it as strong as each?

    python experiments/one_network.py --game fubnub
    python experiments/one_network.py --game gubs --alone

It reads the observation of the game's largest table, in which smaller tables leave entries 0, and
which table it is. It is fitted to the probabilities with which each shipped network chooses, in
games of that network against itself. Then it plays each of them. With --alone, a network is also
fitted to each table on its own, for its share of the minibatches.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import torch
import tyro
from tqdm import tqdm

from gubs_agents.arena import Duel
from gubs_agents.arena.gate import read_candidate
from gubs_agents.common.symmetry import show
from gubs_agents.deals import REPORT_DEALS
from gubs_agents.networks.descent import descend, falling
from gubs_agents.networks.inputs import TRANSFORMED
from gubs_agents.networks.layers import Weights
from gubs_agents.networks.network import SHIPPED, policy, save
from gubs_agents.scripted.by_game import symmetry_of
from gubs_agents.training.supervised.decisions import decisions, joined, minibatches
from gubs_agents.training.torch_network import new_network, positions_of
from gubs_env import Table
from gubs_env.api.vector import VectorEnv
from gubs_env.support.markdown import table as markdown_table
from gubs_env.support.output import print_everywhere

GAMES = 1024
BATCH = 1024
RATES = 1e-3, 2e-5
"""Learning rates at the start and at the end."""
FLAG = 127
"""The value of the input that says which table it is."""


@dataclass(frozen=True)
class Options:
    """One network for all tables of a game."""

    game: str = "fubnub"
    """The game."""
    decisions: int = 200_000
    """Least number of decisions of each table to learn from."""
    epochs: int = 10
    """Number of passes over them."""
    width: int = 256
    """Units of each of the two hidden layers."""
    deals: int = 6000
    """Number of deals against each shipped network, each played from every seat."""
    alone: bool = False
    """Fit a network to each table on its own too."""


class Examples(NamedTuple):
    """Decisions as the one network reads them."""

    observations: np.ndarray
    """int8[count, inputs]"""
    masks: np.ndarray
    """int8[count, actions]"""
    probabilities: np.ndarray
    """float32[count, actions], those of the shipped network."""


class Part(NamedTuple):
    """A table, and where its observation and its actions lie in those of the largest one."""

    table: Table
    entries: np.ndarray
    """int64[observation_size]"""
    flag: int
    """The input that says that it is this table."""
    actions: np.ndarray
    """int64[num_actions]"""


def parts_of(tables: list[Table]) -> tuple[list[Part], int, int]:
    """Return the tables as parts, and how many inputs and actions the one network has."""
    largest = max(tables, key=lambda each: each.observation_size)
    pieces, names = largest.observation_slices, list(largest.action_names)
    size = largest.observation_size

    def entries(table: Table) -> np.ndarray:
        lying = []
        for name, piece in table.observation_slices.items():
            if piece.shape[1:] != pieces[name].shape[1:]:
                raise ValueError(f"{name} of {table.name} is no part of that of {largest.name}")
            lying.append(pieces[name].start + np.arange(prod(piece.shape)))  # seats come first
        return np.concatenate(lying)

    parts = [
        Part(table, entries(table), size + k, np.array([*map(names.index, table.action_names)]))
        for k, table in enumerate(tables)
    ]
    return parts, size + len(tables), len(names)


def played(part: Part, least: int, inputs: int, actions: int) -> Examples:
    """Return half of the decisions of the shipped network in games against itself."""
    table, parts, found = part.table, list[Examples](), 0
    network, rng = policy(table), np.random.default_rng(0)
    while found < least:
        env = VectorEnv(table, GAMES, found, autoreset=False, skip_forced=True)
        for rows, _ in decisions(env, network, rng):
            rows = rows[rng.random(len(rows)) < 0.5]
            if not len(rows):
                continue
            shown = show(symmetry_of(table.game), env.observations[rows], env.masks[rows])
            scores = np.where(shown.masks != 0, network.scores(shown.observations), -np.inf)
            weights = np.exp(scores - scores.max(1, keepdims=True))
            count = len(rows)
            one = Examples(
                np.zeros((count, inputs), np.int8),
                np.zeros((count, actions), np.int8),
                np.zeros((count, actions), np.float32),
            )
            one.observations[:, part.entries] = shown.observations
            one.observations[:, part.flag] = FLAG
            one.masks[:, part.actions] = shown.masks
            one.probabilities[:, part.actions] = weights / weights.sum(1, keepdims=True)
            parts.append(one)
            found += count
    return Examples(*joined(parts))


def fitted(examples: Examples, options: Options) -> Weights:
    """Return a network that chooses as in the examples."""
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    network = new_network(examples.observations.shape[1], options.width, 2, examples.masks.shape[1])
    batches = (batch for _ in range(options.epochs) for batch in minibatches(examples, rng, BATCH))

    def loss(batch: Examples) -> torch.Tensor:
        log_probs, _ = network(*positions_of(batch.observations, batch.masks, torch.device("cpu")))
        return -(torch.from_numpy(batch.probabilities) * log_probs).sum(1).mean()

    count = options.epochs * len(examples.masks)
    descend(torch.optim.Adam(network.parameters()), batches, loss, partial(falling, *RATES), count)
    return network.weights()


def part_of(weights: Weights, part: Part) -> Weights:
    """Return the network of one table: it plays as the one network does there."""
    (matrix, biases), *hidden, (scores, thresholds) = weights.policy
    first = matrix[:, part.entries], biases + TRANSFORMED[FLAG] * matrix[:, part.flag]
    layers = [first, *hidden, (scores[part.actions], thresholds[part.actions])]
    return Weights([(np.ascontiguousarray(a), np.ascontiguousarray(b)) for a, b in layers])


def against(weights: Weights, part: Part, deals: int) -> str:
    """Return how much more a network wins than the shipped one in its place."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "network.safetensors"
        save(path, part_of(weights, part), part.table)
        players = policy(part.table, weights=path), policy(part.table)
        return str(Duel(*players, part.table, deals, REPORT_DEALS.start).difference())


def main() -> None:
    options = tyro.cli(Options)
    paths = sorted(SHIPPED.glob(f"{options.game}_v0_*.safetensors"))
    parts, inputs, actions = parts_of([read_candidate(path).table for path in paths])
    examples = [
        played(part, options.decisions, inputs, actions) for part in tqdm(parts, unit="table")
    ]
    one = fitted(Examples(*joined(examples)), options)
    rows = []
    for part, own in zip(tqdm(parts, unit="table"), examples, strict=True):
        row = [part.table.name, against(one, part, options.deals)]
        row += [against(fitted(own, options), part, options.deals)] if options.alone else []
        rows.append(row)
    head = ["table", "one network for all", "a network fitted to the table"]
    print(markdown_table(head[: len(rows[0])], rows))


if __name__ == "__main__":
    print_everywhere()
    main()
