"""Setting the table for a test: who has what, what comes next, moves by name, what lies where.

table = Table(hands=["Lure", "Feather"], colonies=["Gub", "Gub; Gub + Mushroom"])
table.play("CARD[Lure]")            # one target only: no pick is asked
assert table.actor == 1             # Feather's holder is asked
table.play("CARD[Feather]")
assert table.discarded == "Lure, Feather"
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from gubs_env.engine.rng import seed_rng
from gubs_env.games.gubs.cards import (
    LETTERS,
    NUM_COLONY_KINDS,
    NUM_HAND_KINDS,
    NUM_KINDS,
    PLACES,
    PRINTED_DECK,
    Card,
)
from gubs_env.games.gubs.rules import card_named
from gubs_env.games.gubs.state import Phase
from gubs_env.games.gubs.words import counted
from gubs_env.gubs_v0 import GAME
from tests.set_table import SetTable


def cards(text: str) -> list[Card]:
    """`Lure, Mushroom ×2` as a list of kinds."""
    kinds: list[Card] = []
    for word in filter(None, (w.strip() for w in text.split(","))):
        title, _, times = word.partition(" ×")
        kinds += [card_named(title)] * int(times or 1)
    return kinds


def place_words(place: np.ndarray) -> str:
    return " + ".join(
        Card(kind).title for kind in range(NUM_COLONY_KINDS) for _ in range(place[kind])
    )


class Table(SetTable):
    """A game set by hand. It stands at the play of `turn`, or at the given phase.

    Args:
        hands: one text of cards a seat, as "Lure, Mushroom ×2"; the number of seats.
        colonies: one text a seat, places apart by ";" and cards at a place by "+".
        deck: the next cards, top first. The cards of the printed deck that lie nowhere else are
            beneath them (Letters lowest), or left out of the game with `rest=False`.
        discard: the discard pile.
        letters: those laid open, as "GU".
        phase: `Phase.DRAW` or `Phase.PLAY`.
    """

    GAME = GAME

    def __init__(
        self,
        hands: Sequence[str],
        colonies: Sequence[str] = (),
        deck: str = "",
        discard: str = "",
        letters: str = "",
        turn: int = 0,
        phase: Phase = Phase.PLAY,
        rest: bool = True,
        seed: int = 0,
        **rules: object,
    ) -> None:
        self.make(len(hands), 0, turn, **rules)  # blank fields as a new game has them
        game = self.game
        for name in ("hand", "hand_size", "colony", "colony_size", "discard_pile"):
            self.games[name] = 0
        game.rng[:] = seed_rng(seed)
        for seat, text in enumerate(hands):
            for kind in cards(text):
                game.hand[seat, kind] += 1
                game.hand_size[seat] += 1
        for seat, text in enumerate(colonies):
            for place in filter(None, (p.strip() for p in text.split(";"))):
                slot = game.colony_size[seat]
                game.colony_size[seat] += 1
                for title in place.split("+"):
                    game.colony[seat, slot, card_named(title.strip())] += 1
        for kind in cards(discard):
            game.discard_pile[kind] += 1
        for letter in letters:
            game.letters["GUB".index(letter)] = 1
        self._stack_deck(cards(deck), rest)
        game.turn = game.actor = turn
        game.phase = phase
        self.look()

    def _stack_deck(self, next_cards: list[Card], rest: bool) -> None:
        game = self.game
        placed = self.placed()
        for kind in next_cards:
            placed[kind] += 1
        left = PRINTED_DECK - placed
        assert not rest or (left >= 0).all(), f"more cards than the deck has: {counted(-left)}"
        game.composition[:] = PRINTED_DECK if rest else placed
        beneath = [Card(k) for k in range(NUM_KINDS) for _ in range(left[k] if rest else 0)]
        np.random.default_rng(0).shuffle(beneath)
        beneath.sort(key=lambda kind: kind not in LETTERS)  # bottom first
        stack = beneath + next_cards[::-1]
        game.deck[: len(stack)] = stack
        game.deck_size = len(stack)
        game.third_end[:] = 0
        game.letter_loose[:] = [letter in stack for letter in LETTERS]

    # ------------------------------------------------------------------------------ what lies where

    def placed(self) -> np.ndarray:
        """Cards of each kind that lie anywhere but in the deck, Rings counted once: int[32]."""
        game = self.game
        count = game.discard_pile.astype(int)
        count[:NUM_HAND_KINDS] += game.hand.sum(0)
        count[:NUM_COLONY_KINDS] += game.colony.sum((0, 1)) // PLACES[:NUM_COLONY_KINDS]
        count[list(LETTERS)] += game.letters
        if game.announced:
            count[game.played] += 1
        return count

    def everything(self) -> np.ndarray:
        """Cards of each kind wherever they lie: int[32]."""
        game = self.game
        return self.placed() + np.bincount(game.deck[: game.deck_size], minlength=NUM_KINDS)

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
        """The deck, top first."""
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
        """What a seat remembers of another's hand."""
        return counted(self.game.known[viewer, holder])

    seen = SetTable.observed

    # ---------------------------------------------------------------------------------------- moves

    def check(self) -> None:
        assert (self.everything() == self.game.composition).all(), "cards got lost or doubled"

    def action_of(self, name: str) -> int:
        """`Lure` means `CARD[Lure]`."""
        is_whole = re.match(r"PASS|DECK|CARD|SEAT|PLACE", name)
        return super().action_of(name if is_whole else f"CARD[{name}]")

    def can_play(self, title: str) -> bool:
        return f"CARD[{title}]" in self.legal
