"""How much the hidden cards tell about the end of a game.

    python experiments/hidden.py --players 2
    python experiments/hidden.py --game fubnub --players 4

A network predicts what the player to decide will be paid, from positions of games of the shipped
network against itself: once from the observation, once from the observations of all seats, which
show all hands. Prints how much of the variance each explains on games that it was not fitted to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
import tyro
from torch import nn
from tqdm import tqdm

import gubs_agents
from gubs_agents.common.symmetry import Symmetry, show
from gubs_agents.deals import HIDDEN_DEALS
from gubs_agents.scripted.by_game import symmetry_of
from gubs_env import find_game, find_table
from gubs_env.agents.parsing import parse_rules
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.rng import seed_rng
from gubs_env.support.output import print_everywhere

BATCH, ROWS, RESAMPLES = 2000, 512, 1000


@dataclass(frozen=True)
class Options:
    """How much the hidden cards tell about the end of a game."""

    game: str = "gubs"
    """The game."""
    players: int = 2
    """Number of players."""
    rules: str = ""
    """Options of the rules."""
    games: int = 40_000
    """Number of games; a quarter of them only tests."""
    kept: float = 0.1
    """Probability that a position with a choice is kept."""
    passes: int = 8
    """The most passes over the positions; the best on an eighth of the games is taken."""


def main() -> None:
    options = tyro.cli(Options)
    torch.manual_seed(0)
    parts = [np.concatenate(part) for part in zip(*positions(options), strict=True)]
    deals, payoffs, own, others = parts
    test, chosen = deals % 4 == 0, deals % 8 == 1
    explained = {}
    for name, inputs in (("observation", own), ("all hands", np.hstack([own, others]))):
        predicted = fitted(inputs, payoffs, ~test & ~chosen, chosen, options.passes)[test]
        explained[name] = (payoffs[test] - predicted) ** 2
    spread = (payoffs[test] - payoffs[test].mean()) ** 2
    rng = np.random.default_rng(0)
    games, where = np.unique(deals[test], return_inverse=True)
    sums = {k: np.bincount(where, v) for k, v in (explained | {"spread": spread}).items()}
    picks = rng.integers(len(games), size=(RESAMPLES, len(games)))
    share = {k: 1 - sums[k][picks].sum(1) / sums["spread"][picks].sum(1) for k in explained}
    share["difference"] = share["all hands"] - share["observation"]
    print(f"{options.game}, {options.players} players {options.rules}: {len(payoffs):,} positions")
    for name, values in share.items():
        low, high = np.percentile(values, (2.5, 97.5))
        print(f"{name}: {values.mean():.1%} ({low:.1%} – {high:.1%})")


def positions(
    options: Options,
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Yield the deal, the payoff, the observation and those of the other seats, of positions."""
    game = find_game(options.game)
    table = find_table(game, options.players, parse_rules(options.rules, game))
    symmetry, agent = symmetry_of(game), gubs_agents.make("policy", table, seed=0)
    for first in range(0, options.games, BATCH):
        games = VectorEnv(table, BATCH, seed=0, autoreset=False)
        for index in range(BATCH):
            games.deal(index, HIDDEN_DEALS.start + first + index)
        games.look()
        rngs = np.stack([seed_rng([HIDDEN_DEALS.start, first + index]) for index in range(BATCH)])
        rng = np.random.default_rng(first)
        where, seats, own, others = [], [], [], []
        while (going := np.flatnonzero(games.actors >= 0)).size:
            asked = games.masks[going].sum(axis=1) > 1
            kept = going[asked & (rng.random(len(going)) < options.kept)]
            actors = games.actors[kept].astype(np.int64)
            where.append(kept)
            seats.append(actors)
            own.append(renamed(symmetry, games.observations[kept], table.num_actions))
            others.append(seen_by_others(games, kept, actors, symmetry))
            actions, drawn = np.full(BATCH, LOOK), rngs[going]
            actions[going] = agent.act(games.observations[going], games.masks[going], drawn)
            rngs[going] = drawn
            games.step(actions)
        deal, seat = np.concatenate(where), np.concatenate(seats)
        paid = np.stack([game.payoffs(state) for state in games.states.view(np.recarray)])
        yield first + deal, paid[deal, seat], np.concatenate(own), np.concatenate(others)


def renamed(symmetry: Symmetry | None, seen: np.ndarray, num_actions: int) -> np.ndarray:
    """Return observations as networks see them."""
    return show(symmetry, seen, np.ones((len(seen), num_actions), np.int8)).observations


def seen_by_others(
    games: VectorEnv, indices: np.ndarray, actors: np.ndarray, symmetry: Symmetry | None
) -> np.ndarray:
    """Return the observations of the other seats, in turn order, int8[len(indices), …]."""
    n, size = games.num_players, games.observations.shape[1]
    seen = [
        games.observe(index, (seat + steps) % n)
        for index, seat in zip(indices.tolist(), actors.tolist(), strict=True)
        for steps in range(1, n)
    ]
    rows = np.array(seen, np.int8).reshape(-1, size)
    rows = renamed(symmetry, rows, games.masks.shape[1])
    return rows.reshape(len(indices), (n - 1) * size)


def fitted(
    inputs: np.ndarray, payoffs: np.ndarray, fit: np.ndarray, chosen: np.ndarray, passes: int
) -> np.ndarray:
    """Fit a network to the payoffs of some rows; return what it predicts for all, float32[rows].

    Args:
        inputs: int8[rows, …].
        payoffs: float32[rows].
        fit: the rows to fit to.
        chosen: the rows by which the best pass is chosen.
        passes: number of passes.
    """
    table, used = np.log1p(np.arange(128)).astype(np.float32), inputs[fit].any(axis=0)
    inputs = np.ascontiguousarray(inputs[:, used])
    network = nn.Sequential(
        nn.Linear(inputs.shape[1], 128),
        nn.ReLU(),
        nn.Linear(128, 128),
        nn.ReLU(),
        nn.Linear(128, 1),
    )
    adam = torch.optim.AdamW(network.parameters(), 5e-4, weight_decay=0.01)
    rows, best, found = np.flatnonzero(fit), np.inf, np.zeros_like(payoffs)

    def read(rows: np.ndarray) -> torch.Tensor:
        outputs: torch.Tensor = network(torch.from_numpy(table[inputs[rows]]))[:, 0]
        return outputs

    for _ in tqdm(range(passes), unit=" passes", leave=False):
        order = np.random.default_rng(len(rows)).permutation(rows)
        for part in np.array_split(order, -(-len(rows) // ROWS)):
            loss = ((read(part) - torch.from_numpy(payoffs[part])) ** 2).mean()
            adam.zero_grad()
            loss.backward()
            adam.step()
        with torch.no_grad():
            parts = np.array_split(np.arange(len(payoffs)), -(-len(payoffs) // 10_000))
            predicted = torch.cat([read(part) for part in parts]).numpy()
        error = float(((predicted - payoffs)[chosen] ** 2).mean())
        if error < best:
            best, found = error, predicted
    return found


if __name__ == "__main__":
    print_everywhere()
    main()
