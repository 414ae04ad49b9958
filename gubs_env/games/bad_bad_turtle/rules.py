"""The rule options and their checks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from gubs_env.engine.options import RuleOptions, check_flag, check_whole
from gubs_env.engine.table import Table
from gubs_env.games.bad_bad_turtle.cards import PRINTED_DECK, Card, CardType

MAX_PLAYERS = 8
player_counts = range(2, MAX_PLAYERS + 1)
MAX_CYCLES = 1_000_000_000
varied_options = ("removed",)
"""The options that change how to play (`Game.varied_options`); younger players have no choices."""


@dataclass(frozen=True)
class Rules(RuleOptions):
    """The rule options of Bad, Bad, Turtle (docs/rules/bad_bad_turtle.md, section 14).

    The defaults are the rules of the sheet. Raises ValueError for a value that is not allowed, and
    TypeError for an option that does not exist.
    """

    titles: ClassVar = {"younger=True": "younger players"}
    """The rulebook's name of a mode, by the option that chooses it."""

    younger: bool = False
    """Whether action cards are ignored, as with younger players (section 9)."""
    removed: Collection[Card | str] = ()
    """Action cards left out of the deck, as `Card` or by title; never the Turtle (T2)."""
    max_cycles: int = 1000
    """Number of decisions, of all players together, after which a game is cut off (T33)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "younger", check_flag("younger", self.younger))
        object.__setattr__(self, "removed", _titles(self.removed))
        max_cycles = check_whole("max_cycles", self.max_cycles, 1, MAX_CYCLES)
        object.__setattr__(self, "max_cycles", max_cycles)

    def composition(self) -> np.ndarray:
        """Return how many cards of each kind the full deck has, int8[32]."""
        counts = PRINTED_DECK.copy()
        counts[[Card.named(title) for title in self.removed]] = 0
        return counts


def _titles(removed: Collection[Card | str]) -> tuple[str, ...]:
    """Return the titles of the cards left out, each once, in the order of `Card`."""
    if isinstance(removed, str) or not isinstance(removed, Collection):
        raise ValueError(f"rules option removed={removed!r}: allowed is a collection of cards")
    cards = sorted({Card.named(kind) for kind in removed})
    for card in cards:
        if card in (Card.TURTLE, Card.BLANK):
            raise ValueError(
                f"rules option removed: {card.title} cannot be left out; allowed are all action "
                "cards but the Turtle"
            )
    return tuple(card.title for card in cards)


def max_decisions(table: Table) -> int:
    """Return an upper bound on the number of decisions in a game."""
    return int(table.rules.max_cycles)


def sample_table(rng: np.random.Generator) -> tuple[int, Rules]:
    """Return a random number of players and rules that allow it; `vary_rules` varies the rest."""
    num_players = int(rng.integers(player_counts.start, player_counts.stop))
    rules = Rules(younger=bool(rng.random() < 0.1), max_cycles=int(rng.choice((50, 1000))))
    return num_players, rules


def vary_rules(rng: np.random.Generator, table: Table) -> Rules:
    """Return rules with random values of varied_options.

    One social card always stays, so that there is something to choose.
    """
    stays = rng.choice([card for card in Card if card.kind.type is CardType.SOCIAL])
    may_go = [card for card in Card if card not in (Card.TURTLE, Card.BLANK, stays)]
    share = rng.choice((0, 0, 0.2, 0.8))
    return replace(table.rules, removed=[card for card in may_go if rng.random() < share])
