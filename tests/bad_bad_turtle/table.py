"""Setting the table for a test: what lies where, moves by name, what must lie where then.

table = Table({1: "blank, blank, Turtle"}, aside={"No Way": 2})
table.play("TAKE_TURN")             # 1 discards two blanks and reveals the turtle
assert table.actor == 2             # the holder of No Way is asked
table.play("NO_WAY")
assert table.discard(1) == "Turtle, blank, blank"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gubs_env.bad_bad_turtle_v0 import GAME
from gubs_env.games.bad_bad_turtle.cards import FIRST_REACTION, NO_CARD, NUM_KINDS, Card
from gubs_env.games.bad_bad_turtle.rules import card_named
from gubs_env.games.bad_bad_turtle.state import Phase
from tests.set_table import SetTable


def cards(text: str) -> list[Card]:
    """`Skip, blank ×2` as a list of kinds."""
    kinds: list[Card] = []
    for word in filter(None, (w.strip() for w in text.split(","))):
        title, _, times = word.partition(" ×")
        kinds += [Card.BLANK if title == "blank" else card_named(title)] * int(times or 1)
    return kinds


def titles(kinds: Sequence[int]) -> str:
    """Kinds as `Skip, blank, blank`."""
    return ", ".join("blank" if kind == Card.BLANK else Card(kind).title for kind in kinds)


def cards_everywhere(rows: np.ndarray) -> np.ndarray:
    """Cards of each kind in piles, set aside, pending or played: int[rows, 32]."""
    count = np.zeros((len(rows), NUM_KINDS), int)
    places = np.arange(rows["stack"].shape[2])
    for pile in ("stack", "discard", "reveal"):
        array = rows["stack" if pile == "stack" else f"{pile}_pile"]
        lying = places < rows[f"{pile}_size"][:, :, None]
        for kind in range(NUM_KINDS):
            count[:, kind] += ((array == kind) & lying).sum((1, 2))
    for kind in range(NUM_KINDS):
        count[:, kind] += rows["pending"] == kind
        count[:, kind] += (rows["reaction"] == kind).sum(1)
    count[:, FIRST_REACTION : FIRST_REACTION + 3] += rows["aside"] >= 0
    return count


class Table(SetTable):
    """A game set by hand; it stands at the start of a turn. The game holds the cards named, only.

    Args:
        stacks: by seat, top first; every other living player has four blanks.
        discards: discard piles by seat, top first.
        revealed: reveal piles by seat, in the order of arrival.
        aside: holders of set-aside cards, by title.
        modifier: the card that lies on the turn.
        out: eliminated seats.
    """

    GAME = GAME
    STARTS = 1

    def __init__(
        self,
        stacks: Mapping[int, str] | None = None,
        discards: Mapping[int, str] | None = None,
        revealed: Mapping[int, str] | None = None,
        aside: Mapping[str, int] | None = None,
        turn: int = 1,
        modifier: str | None = None,
        out: Sequence[int] = (),
        direction: int = 1,
        dealer: int = 0,
        num_players: int = 4,
        seed: int = 0,
        **rules: object,
    ) -> None:
        self.make(num_players, seed, (dealer + 1) % num_players, **rules)
        game = self.game
        game.stack_size[:] = 0
        for seat in range(num_players):
            game.living[seat] = seat not in out
            text = "" if seat in out else (stacks or {}).get(seat, "blank ×4")
            self._lay("stack", game.stack, seat, cards(text)[::-1])
        for seat, text in (discards or {}).items():
            self._lay("discard", game.discard_pile, seat, cards(text)[::-1])
        for seat, text in (revealed or {}).items():
            self._lay("reveal", game.reveal_pile, seat, cards(text))
        for title, seat in (aside or {}).items():
            game.aside[card_named(title) - FIRST_REACTION] = seat
        game.direction = direction
        game.next_turn = turn
        game.turn = game.actor = turn
        game.next_turn = self._next(turn)
        game.modifier = NO_CARD if modifier is None else card_named(modifier)
        game.composition[:] = cards_everywhere(self.games)[0]
        self.look()

    def _lay(self, pile: str, array: np.ndarray, seat: int, kinds: list[Card]) -> None:
        array[seat, : len(kinds)] = kinds
        self.games[f"{pile}_size"][0, seat] = len(kinds)

    def _next(self, seat: int) -> int:
        step = int(self.game.direction)
        seats = [(seat + step * k) % self.num_players for k in range(1, self.num_players)]
        return next(s for s in seats if self.game.living[s])

    # ------------------------------------------------------------------------------ what lies where

    def stack(self, seat: int) -> str:
        """A stack, top first."""
        return titles(self.game.stack[seat, : self.game.stack_size[seat]][::-1])

    def discard(self, seat: int) -> str:
        """A discard pile, top first."""
        return titles(self.game.discard_pile[seat, : self.game.discard_size[seat]][::-1])

    def revealed(self, seat: int) -> str:
        """A reveal pile, in the order of arrival."""
        return titles(self.game.reveal_pile[seat, : self.game.reveal_size[seat]])

    def sizes(self, seat: int) -> tuple[int, int, int]:
        """Cards in the stack, the discard pile and the reveal pile of a seat."""
        game = self.game
        return int(game.stack_size[seat]), int(game.discard_size[seat]), int(game.reveal_size[seat])

    @property
    def stack_sizes(self) -> list[int]:
        return self.game.stack_size[: self.num_players].tolist()

    def aside(self, title: str) -> int:
        """Who has a card set aside; −1 if nobody."""
        return int(self.game.aside[card_named(title) - FIRST_REACTION])

    @property
    def living(self) -> list[int]:
        return np.flatnonzero(self.game.living).tolist()

    @property
    def phase(self) -> Phase:
        return Phase(self.game.phase)

    @property
    def actor(self) -> int:
        return int(self.game.actor)

    @property
    def turn(self) -> tuple[int, Phase]:
        """Whose turn it is, and what is to be decided."""
        return int(self.game.turn), self.phase

    @property
    def winner(self) -> int:
        assert self.phase is Phase.OVER
        return int(self.game.winner)

    seen = SetTable.observed

    def check(self) -> None:
        assert (cards_everywhere(self.games)[0] == self.game.composition).all(), "cards got lost"
