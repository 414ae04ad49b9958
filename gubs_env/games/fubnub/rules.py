"""The modes, the rule options, their checks, and the bound on the length of a game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gubs_env.engine.options import RuleOptions, check_choice, check_flag, check_whole, is_whole
from gubs_env.engine.table import Table
from gubs_env.games.fubnub.cards import HAND_CARDS, NUM_POINTS, POINT_TITLES, point_named

MAX_SEATS = 4
player_counts = range(1, MAX_SEATS + 1)
MAX_CYCLES = 1_000_000_000


class Mode(NamedTuple):
    """One mode of play, a row of the table below."""

    players: tuple[int, ...]
    """The numbers of living players that it allows."""
    teams: bool = False
    """Whether partners share a pile, and players decide whether to play for a point card."""
    ghosts: bool = False
    """Whether ghosts fill the table up to four seats."""
    action_deck: bool = False
    """Whether the mode uses action cards."""


MODES = {
    "team": Mode((4,), teams=True),
    "ghost": Mode((1, 2, 3), teams=True, ghosts=True),
    "royal": Mode((2, 3, 4)),
    "ghost_royal": Mode((1, 2, 3), ghosts=True),
    "full": Mode((4,), action_deck=True),
}
FINAL_TIES = ("draw", "share")
varied_options = ("num_points", "point_cards", "final_tie", "move_points")
table_options = ("mode", "ghost_seats")
"""The kinds of options that agents are trained for (`Game`)."""
DECISIONS_OF_A_FULL_HAND = 28
"""The bound for Full Deck: two for the dealer's swap, six after an action card, twenty cards."""


@dataclass(frozen=True)
class Rules(RuleOptions):
    """The rule options of FUBNUB (docs/rules/fubnub.md, section 12).

    The defaults are the traditional game. Raises ValueError for a value that is not allowed, and
    TypeError for an option that does not exist.
    """

    titles: ClassVar = {
        "mode=ghost": "Lucky Ghost",
        "mode=royal": "Battle Royal",
        "mode=ghost_royal": "Battle Royal with ghosts",
        "mode=full": "Full Deck",
    }
    """The rulebook's name of a mode, by the option that chooses it."""

    mode: str = "team"
    """"team", "ghost" (Lucky Ghost), "royal" (Battle Royal), "ghost_royal", "full" (Full Deck)."""
    num_points: int | None = None
    """Number of point cards, odd, 1 to 15; None means as many as in `point_cards`, or 15."""
    point_cards: Sequence[str | int] | None = None
    """Which point cards, by title or number; None draws them at random for each game (F4)."""
    ghost_seats: Sequence[int] | None = None
    """The seats of the ghosts; None puts them after the players (F5)."""
    final_tie: str = "draw"
    """"draw": those who tie draw number cards (F18); "share": they share the win."""
    move_points: bool = False
    """Whether hand swaps and reshuffles move earned point cards too (F30)."""
    max_cycles: int = 2000
    """Number of decisions after which a game is cut off, without payoffs (F19)."""

    def __post_init__(self) -> None:
        checked = {
            "mode": check_choice("mode", self.mode, MODES),
            "final_tie": check_choice("final_tie", self.final_tie, FINAL_TIES),
            "move_points": check_flag("move_points", self.move_points),
            "max_cycles": check_whole("max_cycles", self.max_cycles, 1, MAX_CYCLES),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if self.point_cards is not None:
            if isinstance(self.point_cards, str) or not isinstance(self.point_cards, Sequence):
                raise ValueError(
                    f"rules option point_cards={self.point_cards!r}: give a list of cards"
                )
            titles = tuple(POINT_TITLES[point_named(card)] for card in self.point_cards)
            if len(set(titles)) < len(titles):
                raise ValueError(f"rules option point_cards={titles}: a card is given twice")
            object.__setattr__(self, "point_cards", titles)
        self._check_num_points()
        if self.ghost_seats is not None:
            self._check_ghost_seats()

    def _check_num_points(self) -> None:
        given = None if self.point_cards is None else len(self.point_cards)
        if self.num_points is None:
            object.__setattr__(self, "num_points", NUM_POINTS if given is None else given)
        number: Any = self.num_points
        if not is_whole(number) or number not in range(1, NUM_POINTS + 1, 2):
            raise ValueError(
                f"rules option num_points={number!r}: allowed are odd numbers from 1 to "
                f"{NUM_POINTS}"
            )
        if given not in (None, number):
            raise ValueError(
                f"rules options num_points={number} and point_cards of {given} cards contradict "
                "each other"
            )
        object.__setattr__(self, "num_points", int(number))

    def _check_ghost_seats(self) -> None:
        if isinstance(self.ghost_seats, str) or not isinstance(self.ghost_seats, Sequence):
            raise ValueError(f"rules option ghost_seats={self.ghost_seats!r}: give a list of seats")
        seats = tuple(self.ghost_seats)
        whole = all(is_whole(seat) and 0 <= seat < MAX_SEATS for seat in seats)
        if not whole or len(set(seats)) < len(seats):
            raise ValueError(
                f"rules option ghost_seats={self.ghost_seats!r}: allowed are different seats from "
                f"0 to {MAX_SEATS - 1}"
            )
        object.__setattr__(self, "ghost_seats", tuple(sorted(int(seat) for seat in seats)))


def check_players(num_players: int, rules: Rules) -> None:
    """Raise ValueError unless these rules allow this number of players."""
    mode = MODES[rules.mode]
    if not is_whole(num_players) or num_players not in mode.players:
        allowed = " or ".join(str(number) for number in mode.players)
        raise ValueError(f"num_players={num_players!r}: mode {rules.mode!r} is for {allowed}")
    ghosts = MAX_SEATS - num_players if mode.ghosts else 0
    if rules.ghost_seats is not None and len(rules.ghost_seats) != ghosts:
        raise ValueError(
            f"ghost_seats={tuple(rules.ghost_seats)}: mode {rules.mode!r} with {num_players} "
            f"players has {ghosts} ghosts"
        )


def living_seats(table: Table) -> list[int]:
    """Return the seat of each player, in order (F5, F6)."""
    ghosts = table.rules.ghost_seats or ()
    return [seat for seat in range(MAX_SEATS) if seat not in ghosts][: table.num_players]


def sides(table: Table) -> np.ndarray:
    """Return the side of each player, int64[num_players]: their team, or themselves alone."""
    seats = np.array(living_seats(table))
    piles = seats % 2 if MODES[table.rules.mode].teams else seats
    return np.unique(piles, return_inverse=True)[1]


def is_zero_sum(table: Table) -> bool:
    """Return whether the payoffs of a finished game sum to zero: not if ghosts can win."""
    return not MODES[table.rules.mode].ghosts


def sample_table(rng: np.random.Generator) -> tuple[int, Rules]:
    """Return a random number of players and rules that allow it; `vary_rules` varies the rest."""
    mode = str(rng.choice(list(MODES)))
    num_players = int(rng.choice(MODES[mode].players))
    ghosts = MAX_SEATS - num_players if MODES[mode].ghosts else 0
    rules = Rules(
        mode=mode,
        ghost_seats=rng.permutation(MAX_SEATS)[:ghosts].tolist() if rng.random() < 0.5 else None,
        max_cycles=int(rng.choice((50, 2000))),
    )
    return num_players, rules


def vary_rules(rng: np.random.Generator, table: Table) -> Rules:
    """Return rules with random values of varied_options."""
    num_points = int(rng.choice(range(1, NUM_POINTS + 1, 2)))
    chosen = rng.permutation(NUM_POINTS)[:num_points].tolist()
    return replace(
        table.rules,
        num_points=num_points,
        point_cards=chosen if rng.random() < 0.25 else None,
        final_tie=str(rng.choice(FINAL_TIES)),
        move_points=bool(rng.random() < 0.5),
    )


def max_decisions(table: Table) -> int:
    """Return an upper bound on the number of decisions in a game (section 6).

    In Battle Royal every hand awards a point card after five cards of each player. In Full Deck
    every hand does so too, with at most eight further decisions, unless a restart may return
    awarded cards to their deck (`move_points`). Teams may pass for ever; then `max_cycles` is the
    bound.
    """
    rules = table.rules
    mode = MODES[rules.mode]
    if mode.teams or (mode.action_deck and rules.move_points):
        return int(rules.max_cycles)
    hand = DECISIONS_OF_A_FULL_HAND if mode.action_deck else HAND_CARDS * table.num_players
    return int(min(rules.max_cycles, rules.num_points * hand))
