"""A table for tests: lay the cards, play moves by name, look where cards lie then.

table = Table(hands=["Lure", "Feather"], colonies=["Gub", "Gub; Gub + Mushroom"])
table.play("CARD[Lure]")            # one target only: no pick is asked
assert table.actor == 1             # Feather's holder is asked
table.play("CARD[Feather]")
assert table.discarded == "Lure, Feather"
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from gubs_env.engine.position import cards_named
from gubs_env.games.gubs.cards import LETTERS, NUM_COLONY_KINDS, Card
from gubs_env.games.gubs.state import Phase
from gubs_env.games.gubs.words import counted
from gubs_env.gubs_v0 import GAME, Rules, position
from tests.gubs.case import cards_everywhere
from tests.set_table import SetTable

RULE_OPTIONS = {option.name for option in fields(Rules)} - {"deck"}


def cards(text: str) -> list[Card]:
    """Return a text like `Lure, Mushroom ×2` as a list of kinds."""
    return [Card(kind) for kind in cards_named(text, "cards", Card.named)]


def place_words(place: np.ndarray) -> str:
    return " + ".join(
        Card(kind).title for kind in range(NUM_COLONY_KINDS) for _ in range(place[kind])
    )


class Table(SetTable):
    """A position of `gubs_v0.position`, whose arguments it takes; options are those of `Rules`.

    `composition` is the rule option `deck`: the cards that there are at all.

    With `rest=False` the Letters that are not named are left out too, which the builder forbids:
    such a game cannot go on to a draw from the empty deck.
    """

    GAME = GAME

    def __init__(
        self,
        hands: Sequence[str],
        colonies: Sequence[str] = (),
        deck: str = "",
        letters: str = "",
        rest: bool = True,
        seed: int = 0,
        composition: Mapping[str, int] | None = None,
        **setting: Any,
    ) -> None:
        options = {name: setting.pop(name) for name in RULE_OPTIONS & set(setting)}
        left_out = [
            card.title
            for card, name in zip(LETTERS, "GUB", strict=True)
            if not (rest or name in letters or card.title in deck)
        ]
        state = position(
            hands, colonies, ", ".join([deck, *left_out]), letters=letters, rest=rest, seed=seed,
            rules=Rules(deck=composition, **options), **setting,
        )  # fmt: skip
        for title in left_out:
            self._remove_lowest(state, Card.named(title))
        self.put(state)
        self.look()

    @staticmethod
    def _remove_lowest(state: Any, letter: Card) -> None:
        state.deck_size -= 1
        state.deck[: state.deck_size] = state.deck[1 : state.deck_size + 1]
        state.composition[letter] -= 1
        state.letter_loose[LETTERS.index(letter)] = 0

    # ------------------------------------------------------------------------------ what lies where

    def everything(self) -> np.ndarray:
        """Return the cards of each kind wherever they lie, int[32]."""
        return cards_everywhere(np.atleast_1d(np.asarray(self.game)))[0]

    def hand(self, seat: int) -> str:
        return counted(self.game.hand[seat])

    def colony(self, seat: int) -> str:
        game = self.game
        return "; ".join(place_words(game.colony[seat, s]) for s in range(game.colony_size[seat]))

    @property
    def discarded(self) -> str:
        return counted(self.game.discard_pile)

    @property
    def deck(self) -> list[Card]:
        """Return the deck, top first."""
        return [Card(kind) for kind in self.game.deck[: self.game.deck_size][::-1]]

    @property
    def letters(self) -> str:
        return "".join(name for name, out in zip("GUB", self.game.letters, strict=True) if out)

    @property
    def phase(self) -> Phase:
        return Phase(self.game.phase)

    @property
    def actor(self) -> int:
        return int(self.game.actor)

    def knows(self, viewer: int, holder: int) -> str:
        """Return what a seat remembers about another hand."""
        return counted(self.game.known[viewer, holder])

    seen = SetTable.observed

    # ---------------------------------------------------------------------------------------- moves

    def check(self) -> None:
        assert (self.everything() == self.game.composition).all(), "cards got lost or doubled"

    def action_of(self, name: str) -> int:
        """Return an action by name; `Lure` means `CARD[Lure]`."""
        is_whole = re.match(r"PASS|DECK|CARD|SEAT|PLACE", name)
        return super().action_of(name if is_whole else f"CARD[{name}]")

    def can_play(self, title: str) -> bool:
        return f"CARD[{title}]" in self.legal
