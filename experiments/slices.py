"""Which slices of the observation decide a move? Each is permuted between decisions in turn.

    python experiments/slices.py --plot docs/images/slices.png
    python experiments/slices.py --game fubnub --players 4

Prints the tables of docs/research/slices.md, and draws its picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tyro
from habits import dealt
from skipping import half_interval
from tqdm import tqdm

import gubs_agents
from gubs_env import Table, find_game, find_table
from gubs_env.agents.parsing import parse_rules
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.rng import seed_rng
from gubs_env.support.markdown import table
from gubs_env.support.output import print_everywhere

LEAST = 0.001
"""Slices that change a smaller fraction of the moves are only named."""


@dataclass(frozen=True)
class Options:
    """An agent plays against itself. Then each slice of what it saw is exchanged between decisions
    at random, and it is asked again: how often does it make another move?"""

    game: str = "gubs"
    """The game."""
    players: int = 2
    """Number of players."""
    rules: str = ""
    """Options of the rules."""
    agent: str = "policy"
    """The agent, in the words of `gubs_agents.make`."""
    deals: int = 500
    """Number of games."""
    seed: int = 0
    """Seed of the permutations."""
    plot: Path | None = None
    """File of the picture."""


class Decisions(NamedTuple):
    """All decisions of some games in which more than one action was legal."""

    observations: np.ndarray
    """int8[count, observation_size]"""
    masks: np.ndarray
    """int8[count, num_actions]"""
    rngs: np.ndarray
    """int64[count, 4]: the agent's RNG before each."""
    moves: np.ndarray
    """int64[count]: what the agent chose."""
    deals: np.ndarray
    """int64[count]: the game of each."""


class Weight(NamedTuple):
    """How much of the play of an agent hangs on a slice."""

    name: str
    changed: float
    """Fraction of the moves that changed."""
    half: float
    """Half of its 95 % interval over games."""


def decisions_of(place: Table, agent: Any, deals: int) -> Decisions:
    """Return the decisions of an agent in games against itself, of the deals of reports."""
    games, parts = dealt(place, deals), []
    rngs = np.stack([seed_rng([0, index]) for index in range(deals)])
    while (going := np.flatnonzero(games.actors >= 0)).size:
        observations, masks = games.observations[going].copy(), games.masks[going].copy()
        before, drawn = rngs[going], rngs[going]
        moves = agent.act(observations, masks, drawn)
        rngs[going] = drawn
        asked = masks.sum(axis=1) > 1
        every = (observations, masks, before, moves, going)
        parts.append([array[asked] for array in every])
        actions = np.full(deals, LOOK)
        actions[going] = moves
        games.step(actions)
    return Decisions(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def weights(place: Table, agent: Any, seen: Decisions, rng: np.random.Generator) -> list[Weight]:
    """Return the weight of each slice, the largest first.

    A slice is exchanged between all decisions, as in Fisher, Rudin and Dominici (2019), so some
    observations are of positions that no game leads to. The mask stays.
    """
    found = []
    for name, piece in tqdm(place.observation_slices.items(), unit="slice"):
        span = slice(piece.start, piece.start + piece.size)
        observations = seen.observations.copy()
        observations[:, span] = observations[rng.permutation(len(observations)), span]
        moves = agent.act(observations, seen.masks, seen.rngs.copy())
        changed = (moves != seen.moves).astype(float)
        found.append(Weight(name, changed.mean(), half_interval(changed, seen.deals)))
    return sorted(found, key=lambda weight: -weight.changed)


def main() -> None:
    options = tyro.cli(Options)
    game = find_game(options.game)
    place = find_table(game, options.players, parse_rules(options.rules, game))
    agent = gubs_agents.make(options.agent, place, seed=options.seed)
    seen = decisions_of(place, agent, options.deals)
    found = weights(place, agent, seen, np.random.default_rng(options.seed))
    print(f"{place}: {len(seen.moves):,} decisions of {options.agent} in {options.deals:,} games")
    shown = [each for each in found if each.changed >= LEAST]
    rows = [(f"`{each.name}`", f"{each.changed:.1%} ± {each.half:.1%}") for each in shown]
    print(table(("slice", "moves that change"), rows))
    rest = ", ".join(f"`{each.name}`" for each in found if each not in shown)
    print(f"\nless than {LEAST:.1%}: {rest or 'none'}")
    if options.plot:
        draw(shown, f"{options.agent}, {place}", options.plot)


def draw(shown: Sequence[Weight], title: str, path: Path) -> None:
    """Draw a bar for each slice."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 1.2 + 0.26 * len(shown)), layout="constrained")
    axes = figure.subplots()
    rows, widths = range(len(shown)), [100 * each.changed for each in shown]
    halves = [100 * each.half for each in shown]
    axes.barh(rows, widths, xerr=halves, color="#1b6ca8", ecolor="#404040", height=0.7)
    axes.set_yticks(rows, [each.name for each in shown], family="monospace", fontsize=8)
    axes.invert_yaxis()
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xlabel("% of the moves that change if the slice is exchanged between decisions")
    axes.set_title(title, fontsize=10, loc="left")
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    figure.savefig(path, dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    print_everywhere()
    main()
