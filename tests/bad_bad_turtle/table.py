"""A table for tests: lay the cards, play moves by name, look where cards lie then.

table = Table({1: "blank, blank, Turtle"}, aside={"No Way": 2})
table.play("TAKE_TURN")             # 1 discards two blanks and reveals the turtle
assert table.actor == 2             # the holder of No Way is asked
table.play("NO_WAY")
assert table.discard(1) == "Turtle, blank, blank"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gubs_env.bad_bad_turtle_v0 import GAME, Rules, position
from gubs_env.engine.position import cards_named
from gubs_env.games.bad_bad_turtle.cards import FIRST_REACTION, NO_CARD, NUM_KINDS, Card
from gubs_env.games.bad_bad_turtle.position import number_or_action
from gubs_env.games.bad_bad_turtle.state import Phase
from tests.set_table import SetTable, unchecked


def cards(text: str) -> list[int]:
    """Return a text like `Skip, blank ×2` as a list of kinds."""
    return cards_named(text, "cards", number_or_action)


def titles(kinds: Sequence[int]) -> str:
    """Return kinds as a text like `Skip, blank, blank`."""
    return ", ".join("blank" if kind == Card.BLANK else Card(kind).title for kind in kinds)


def cards_everywhere(rows: np.ndarray) -> np.ndarray:
    """Return the cards of each kind in piles, set aside, pending or played: int[states, 32]."""
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
    """A position of `bad_bad_turtle_v0.position` that holds only the cards named.

    Args:
        stacks: by seat, top first; every other living player has four blanks, or as many as there
            are.
        discards, revealed: piles by seat.
        aside: holders of set-aside cards, by title.
        modifier: the card that lies on the turn, put there by hand: it is in no reveal pile.
        out: eliminated seats.
        rules: options of `Rules`.
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
        stacks = {seat: text for seat, text in (stacks or {}).items() if seat < num_players}
        named = [stacks, discards or {}, revealed or {}]
        others = [s for s in range(num_players) if s not in out and s not in stacks]
        blanks = sum(cards(text).count(Card.BLANK) for pile in named for text in pile.values())
        each = min(4, (Card.BLANK.kind.copies - blanks) // max(1, len(others)))
        state = unchecked(
            position, stacks | dict.fromkeys(others, f"blank ×{each}"), discards or {},
            revealed or {}, aside, turn, None, out, (), direction, dealer, num_players, False,
            Rules(**rules), seed,
        )  # fmt: skip
        state.modifier = NO_CARD if modifier is None else Card.named(modifier)
        self.put(state)
        self.look()

    # ------------------------------------------------------------------------------ what lies where

    def stack(self, seat: int) -> str:
        """Return a stack, top first."""
        return titles(self.game.stack[seat, : self.game.stack_size[seat]][::-1])

    def discard(self, seat: int) -> str:
        """Return a discard pile, top first."""
        return titles(self.game.discard_pile[seat, : self.game.discard_size[seat]][::-1])

    def revealed(self, seat: int) -> str:
        """Return a reveal pile, in order of arrival."""
        return titles(self.game.reveal_pile[seat, : self.game.reveal_size[seat]])

    def sizes(self, seat: int) -> tuple[int, int, int]:
        """Return the sizes of the stack, the discard pile and the reveal pile of a seat."""
        game = self.game
        return int(game.stack_size[seat]), int(game.discard_size[seat]), int(game.reveal_size[seat])

    @property
    def stack_sizes(self) -> list[int]:
        return self.game.stack_size[: self.num_players].tolist()

    def aside(self, title: str) -> int:
        """Return who has a card set aside; −1 if nobody."""
        return int(self.game.aside[Card.named(title) - FIRST_REACTION])

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
        """Return whose turn it is, and the phase."""
        return int(self.game.turn), self.phase

    @property
    def winner(self) -> int:
        assert self.phase is Phase.OVER
        return int(self.game.winner)

    seen = SetTable.observed

    def check(self) -> None:
        assert (cards_everywhere(self.games)[0] == self.game.composition).all(), "cards got lost"
