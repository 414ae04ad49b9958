"""What a network learned: its moves and the heuristic's, in the same positions.

    python experiments/habits.py --plot docs/images/habits.png
    python experiments/habits.py --game fubnub

Prints the tables of docs/research/habits.md, and draws its picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tyro

import gubs_agents
from gubs_agents.deals import REPORT_DEALS
from gubs_env import Table, find_game, find_table
from gubs_env.agents.parsing import parse_rules
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.rng import seed_rng
from gubs_env.games.gubs.cards import Card
from gubs_env.support.markdown import table
from gubs_env.support.output import print_everywhere


@dataclass(frozen=True)
class Options:
    """The network plays against itself; where it has a choice, the heuristic is asked too. A row is
    a kind of move: how often each of them makes it, of the decisions in which it is legal."""

    game: str = "gubs"
    """The game."""
    players: int = 2
    """Number of players."""
    rules: str = ""
    """Options of the rules."""
    weights: str = ""
    """File of the network; by default the shipped one."""
    deals: int = 1000
    """Number of games."""
    least: int = 500
    """Kinds of moves that are legal more rarely are left out."""
    rows: int = 20
    """Number of kinds of moves that are listed, those that changed most."""
    plot: Path | None = None
    """File of the picture."""


class Habit(NamedTuple):
    """A kind of move at a kind of decision, and how often each agent makes it."""

    decision: str
    move: str
    legal: int
    """Number of decisions in which such a move is legal."""
    heuristic: int
    """Number of those in which the heuristic makes it."""
    network: int
    """Number of those in which the network makes it."""

    @property
    def change(self) -> float:
        """How much more often the network makes it, −1 … 1."""
        return (self.network - self.heuristic) / self.legal


def kinds_of_moves(names: Sequence[str]) -> list[str]:
    """Return the kind of each action: its name, with all places of a colony alike."""
    return [re.sub(r"^(SEAT|PLACE|PICK|SHIELD)\[(\d+).*", whose, name) for name in names]


def whose(found: re.Match[str]) -> str:
    return f"{found[1]}, {'own' if found[2] == '0' else 'of another'}"


def habits(options: Options) -> tuple[list[Habit], float]:
    """Return the habits, and the fraction of decisions in which both agents move alike."""
    game = find_game(options.game)
    table = find_table(game, options.players, parse_rules(options.rules, game))
    agents = (
        gubs_agents.make("heuristic", table, seed=0),
        gubs_agents.make("policy", table, seed=0, weights=options.weights or None),
    )
    kinds, kind_of = np.unique(kinds_of_moves(table.action_names), return_inverse=True)
    is_kind = np.eye(len(kinds), dtype=np.int64)[kind_of]
    phase_of = table.observation_slices["decision"]
    counts = np.zeros((3, phase_of.size, len(kinds)), np.int64)  # legal, heuristic, network
    alike = decisions = 0
    for observations, masks, rngs in positions(table, options.deals, agents[1]):
        asked = masks.sum(axis=1) > 1
        seen, legal = observations[asked], masks[asked]
        moves = [agent.act(seen, legal, rngs[asked].copy()) for agent in agents]
        phases = phase_of.of(seen).argmax(axis=1)
        np.add.at(counts[0], phases, (legal.astype(np.int64) @ is_kind > 0).astype(np.int64))
        for count, chosen in zip(counts[1:], moves, strict=True):
            np.add.at(count, (phases, kind_of[chosen]), 1)
        alike += int((moves[0] == moves[1]).sum())
        decisions += len(seen)
    found = [
        Habit(phase.name, kinds[kind], *(int(count[phase, kind]) for count in counts))
        for phase in game.mechanics.Phase
        if phase < phase_of.size
        for kind in range(len(kinds))
        if counts[0, phase, kind] >= options.least
    ]
    return sorted(found, key=lambda habit: -abs(habit.change)), alike / decisions


def positions(
    table: Table, deals: int, agent: Any
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield observations, masks and RNGs of games of an agent against itself, to their ends."""
    games = dealt(table, deals)
    rngs = np.stack([seed_rng([REPORT_DEALS.start, index]) for index in range(deals)])
    while (going := np.flatnonzero(games.actors >= 0)).size:
        observations, masks = games.observations[going], games.masks[going]
        yield observations, masks, rngs[going]
        actions = np.full(deals, LOOK)
        drawn = rngs[going]
        actions[going] = agent.act(observations, masks, drawn)
        rngs[going] = drawn
        games.step(actions)


def dealt(table: Table, deals: int) -> VectorEnv:
    """Return new games of the deals of reports."""
    games = VectorEnv(table, deals, seed=0, autoreset=False)
    for index in range(deals):
        games.deal(index, REPORT_DEALS.start + index)
    games.look()
    return games


def held_back(options: Options) -> float:
    """Return in how many of the games that the network loses to the heuristic it held the win back.

    That is a game of Gubs for two that ends while the Gubs in its hand would have won.
    """
    table = find_table("gubs", rules=parse_rules(options.rules, find_game("gubs")))
    slices = table.observation_slices
    weights = options.weights or None
    agents = (
        gubs_agents.make("policy", table, seed=0, weights=weights),
        gubs_agents.make("heuristic", seed=0),
    )
    lost = held = 0
    for own in (0, 1):
        games = dealt(table, options.deals)
        rngs = np.stack(
            [seed_rng([REPORT_DEALS.start, index, own]) for index in range(options.deals)]
        )
        while (going := np.flatnonzero(games.actors >= 0)).size:
            actions = np.full(options.deals, LOOK)
            for is_own, agent in zip((True, False), agents, strict=True):
                rows = going[(games.actors[going] == own) == is_own]
                drawn = rngs[rows]
                actions[rows] = agent.act(games.observations[rows], games.masks[rows], drawn)
                rngs[rows] = drawn
            games.step(actions)
        last = np.stack([games.observe(index, own) for index in range(options.deals)])
        mine, other = slices["points"].of(last).astype(int).T
        gubs = slices["hand"].of(last)[:, Card.GUB].astype(int)
        lost += int((mine < other).sum())
        held += int(((mine < other) & (mine + gubs > other)).sum())
    return held / lost


def main() -> None:
    options = tyro.cli(Options)
    found, alike = habits(options)
    print(f"{alike:.1%} of the moves are those of the heuristic")
    rows = [
        (habit.decision, habit.move, f"{habit.legal:,}", f"{habit.heuristic / habit.legal:.1%}",
         f"{habit.network / habit.legal:.1%}")
        for habit in found[: options.rows]
    ]  # fmt: skip
    print(table(("decision", "move", "legal", "heuristic", "network"), rows))
    if (options.game, options.players) == ("gubs", 2):
        print(f"\nThe win held back: {held_back(options):.1%} of the games lost to the heuristic")
    if options.plot:
        draw(found[: options.rows], options, options.plot)


def draw(found: Sequence[Habit], options: Options, path: Path) -> None:
    """Draw each habit as a line from the heuristic to the network."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 1.2 + 0.3 * len(found)), layout="constrained")
    axes = figure.subplots()
    rows = range(len(found))
    before = [100 * habit.heuristic / habit.legal for habit in found]
    after = [100 * habit.network / habit.legal for habit in found]
    axes.hlines(rows, before, after, color="#b0b0b0", linewidth=2, zorder=1)
    axes.scatter(before, rows, color="#d95f02", label="heuristic", zorder=2)
    axes.scatter(after, rows, color="#1b6ca8", label="network", zorder=3)
    axes.set_yticks(rows, [f"{habit.decision}: {habit.move}" for habit in found])
    axes.invert_yaxis()
    axes.set_xlim(-2, 102)
    axes.set_xlabel("% of the decisions in which the move is legal")
    axes.grid(axis="x", alpha=0.3)
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    figure.savefig(path, dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    print_everywhere()
    main()
