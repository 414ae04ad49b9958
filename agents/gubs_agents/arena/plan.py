"""The plan of a tournament: who plays, and at which table each game is played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import gubs_env
from gubs_agents.arena.field import AnyField, description, entrants_of, is_timed
from gubs_agents.arena.likelihood import Hypotheses
from gubs_agents.arena.measures import Measure
from gubs_agents.arena.options import DEALS, MOST_DEALS, PlayOptions
from gubs_agents.arena.records import RUN_FORMAT, is_finished, read_header
from gubs_agents.arena.seatings import duel, matches_of_deal, seatings_of_deal
from gubs_agents.deals import warn_of_fits
from gubs_env import find_table
from gubs_env.agents.registry import Factory
from gubs_env.engine.table import AnyTable, Table
from gubs_env.records import running
from gubs_env.records.running import PlannedGames
from gubs_env.support.checks import LARGEST, check_number
from gubs_env.support.limits import Limit


@dataclass(frozen=True)
class Plan(running.Plan):
    """The games to play: every deal in turn, in its matches (`arena.seatings`)."""

    kind = "a results file of the arena"

    table: Table
    field: dict[str, Factory]
    seed: int
    deals: int
    matches: int | None
    """Number of matches of each deal; None: all."""
    limit: Limit
    """The time that an agent may take for one call."""

    @property
    def labels(self) -> list[str]:
        return list(self.field)

    @cached_property
    def measure(self) -> Measure:
        """The measure of results: wins, or payoffs."""
        return Measure(self.table)

    @property
    def repeatable(self) -> bool:
        """Whether the same command gives the same games: no agent has a budget in milliseconds."""
        return not any(map(is_timed, self.field.values()))

    @cached_property
    def ends(self) -> np.ndarray:
        """Number of games up to and including each deal, int64[deals]."""
        entrants = len(self.field), self.table.num_sides
        deals = range(self.seed, self.seed + self.deals)
        matches = (matches_of_deal(*entrants, deal, self.matches) for deal in deals)
        return np.cumsum([sum(map(len, each)) for each in matches])

    def seatings(self, deal_seed: int) -> np.ndarray:
        """Return the agents in the games of a deal, int64[games, num_players]."""
        return seatings_of_deal(len(self.field), self.table.sides, deal_seed, self.matches)

    @property
    def num_games(self) -> int:
        return int(self.ends[-1])

    @property
    def timed(self) -> list[str]:
        return self.labels

    def games_of(self, first: int, stop: int) -> PlannedGames:
        first_deal, last_deal = np.searchsorted(self.ends, (first, stop - 1), side="right")
        deals = range(first_deal, last_deal + 1)
        seatings = [self.seatings(self.seed + deal) for deal in deals]
        deal_seeds = np.repeat(self.seed + np.array(deals), [len(each) for each in seatings])
        start = first - (self.ends[first_deal] - len(seatings[0]))
        part = slice(start, start + stop - first)
        return PlannedGames(
            self.table, deal_seeds[part], np.concatenate(seatings)[part], limit=self.limit,
            field=self.field,
        )  # fmt: skip

    def header(self) -> dict[str, Any]:
        return {
            "format": RUN_FORMAT,
            "version": gubs_env.__version__,
            "game": self.table.game.name,
            "players": self.table.num_players,
            "rules": self.table.rules.as_dict(),
            "agents": {label: description(factory) for label, factory in self.field.items()},
            "first_deal": self.seed,
            "deals": self.deals,
            "matches": self.matches,
            "games": self.num_games,
        }

    def check_replaceable(self, path: Path, lines: Sequence[tuple[int, bytes]]) -> None:
        """Raise ValueError for the results of an unfinished run, or for a file without results."""
        if not lines:
            return
        header = read_header(path)
        ended = "sprt" in header and is_finished(path.parent)
        if len(lines) - 1 < (total := header["games"]) and not ended:
            raise ValueError(
                f"{path} holds an unfinished run, {len(lines) - 1:,} of {total:,} games: resume "
                "it, delete it or write elsewhere"
            )


@dataclass(frozen=True)
class Trial(Plan):
    """The games of a sequential test of one agent, the challenger, against another, the champion.

    The challenger plays each deal alone on each side in turn; at a table with one side, each of the
    two agents plays it by itself.
    """

    challenger: str
    """The label of the challenger."""
    hypotheses: Hypotheses

    @property
    def champion(self) -> str:
        """The label of the other agent."""
        return next(label for label in self.field if label != self.challenger)

    @property
    def games_of_deal(self) -> int:
        """Number of games of a deal."""
        return max(2, self.table.num_sides)

    @cached_property
    def ends(self) -> np.ndarray:
        """Number of games up to and including each deal, int64[deals]."""
        return self.games_of_deal * np.arange(1, self.deals + 1)

    def seatings(self, deal_seed: int) -> np.ndarray:
        """Return the agents in the games of a deal, int64[games, num_players]."""
        alone, num_sides = self.labels.index(self.challenger), self.table.num_sides
        by_itself = [(alone,), (1 - alone,)]
        match = duel(alone, 1 - alone, num_sides) if num_sides > 1 else by_itself
        return np.array(match)[:, self.table.sides]

    @property
    def bounds(self) -> dict[str, Any]:
        """The challenger and the hypotheses, as files hold them."""
        return {"challenger": self.challenger, **self.hypotheses._asdict()}

    def header(self) -> dict[str, Any]:
        return super().header() | {"sprt": self.bounds}


def make_plan(
    agents: AnyField, table: AnyTable, options: PlayOptions, hypotheses: Hypotheses | None = None
) -> Plan:
    """Return the plan of a tournament, or the `Trial` of the first agent against the second.

    Raises:
        ValueError: for an unknown game, agent or option, or a number that is not allowed.
    """
    table = find_table(table)
    if table.num_sides == 1 and not (hypotheses and table.pays_wins):
        raise ValueError(f"{table}: all are on one side, but a match needs two")
    deals = check_number("deals", options.deals or (MOST_DEALS if hypotheses else DEALS), 2)
    seed = check_number("seed", options.seed, 0, LARGEST - deals)
    warn_of_fits(seed, deals)
    field = entrants_of(agents, table.game)
    if hypotheses and len(field) != 2:
        raise ValueError(f"{len(field)} agents: a test is between 2, a challenger and a champion")
    if hypotheses and options.matches:
        raise ValueError("a test plays one match of each deal: leave out --matches")
    # In alphabetical order, so that no result depends on the order in which they are given.
    in_order, limit = dict(sorted(field.items())), Limit(options.timeout)
    parts = table, in_order, seed, deals, options.matches or None, limit
    return Trial(*parts, next(iter(field)), hypotheses) if hypotheses else Plan(*parts)
