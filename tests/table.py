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

from gubs_env.games.choosing import LOOK
from gubs_env.games.generator import seed_words
from gubs_env.games.gubs import kernel
from gubs_env.games.gubs.actions import action_index, action_name, num_actions
from gubs_env.games.gubs.cards import (
    LETTERS,
    NUM_COLONY_KINDS,
    NUM_HAND_KINDS,
    NUM_KINDS,
    PLACES,
    PRINTED_DECK,
    Card,
)
from gubs_env.games.gubs.observation import observation_size, observation_slices
from gubs_env.games.gubs.rules import Rules, card_named
from gubs_env.games.gubs.score import payoffs
from gubs_env.games.gubs.state import Phase, new_games
from gubs_env.gubs_v0 import GAME as GUBS
from gubs_env.render.gubs import counted, describe


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


class Table:
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
        self.num_players = len(hands)
        self.games = new_games(1, self.num_players, Rules(**rules))
        game = self.game
        kernel.deal(self.games, 0, turn)  # blank fields as a new game has them
        for name in ("hand", "hand_size", "colony", "colony_size", "discard_pile"):
            self.games[name] = 0
        game.rng[:] = seed_words(seed)
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
        self._look()

    @classmethod
    def dealt(cls, num_players: int, seed: int = 0, start: int = 0, **rules: object) -> Table:
        """A new game, dealt and not begun."""
        table = object.__new__(cls)
        table.num_players = num_players
        table.games = new_games(1, num_players, Rules(**rules))
        table.game.rng[:] = seed_words(seed)
        kernel.deal(table.games, 0, start)
        table._look()
        return table

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

    @property
    def game(self) -> np.record:
        return self.games[0]

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

    @property
    def payoffs(self) -> list[float]:
        return payoffs(self.game).tolist()

    def knows(self, viewer: int, holder: int) -> str:
        """What a seat remembers of another's hand."""
        return counted(self.game.known[viewer, holder])

    def seen(self, seat: int, name: str) -> np.ndarray:
        """One slice of what a seat observes."""
        observation = np.zeros(observation_size(self.num_players), np.int8)
        kernel.observe(self.games, 0, seat, observation)
        return observation_slices(self.num_players)[name].of(observation)

    def words(self, seat: int) -> str:
        """The table as a seat sees it."""
        return describe(GUBS.view(self.games, 0, seat))

    # ---------------------------------------------------------------------------------------- moves

    def _look(self, action: int = LOOK) -> None:
        self.mask = np.zeros(num_actions(self.num_players), np.int8)
        observation = np.zeros((1, observation_size(self.num_players)), np.int8)
        choosers, actor = np.zeros((1, 4), np.int64), np.zeros(1, np.int64)
        rewards = np.zeros((1, self.num_players), np.float32)
        done, cut_off = np.zeros((2, 1), np.bool_)
        kernel.advance(
            self.games, np.array([action]), 1, choosers, False, False,
            observation, self.mask[None], rewards, done, cut_off, actor,
        )  # fmt: skip
        assert (self.everything() == self.game.composition).all(), "cards got lost or doubled"

    @property
    def legal(self) -> set[str]:
        """Names of the legal actions."""
        return {action_name(int(a), self.num_players) for a in np.flatnonzero(self.mask)}

    def play(self, *names: str) -> Table:
        """Play actions by name, `Lure` meaning `CARD[Lure]`; each must be legal."""
        for name in names:
            if not re.match(r"PASS|DECK|CARD|SEAT|PLACE", name):
                name = f"CARD[{name}]"
            action = action_index(name, self.num_players)
            assert self.mask[action], f"{name} is not legal; legal are {sorted(self.legal)}"
            self._look(action)
        return self

    def play_at_random(self, rng: np.random.Generator) -> Table:
        """Play any legal action."""
        self._look(int(rng.choice(np.flatnonzero(self.mask))))
        return self

    def can_play(self, title: str) -> bool:
        return f"CARD[{title}]" in self.legal

    def copy(self) -> Table:
        twin = object.__new__(Table)
        twin.num_players, twin.games, twin.mask = (
            self.num_players,
            self.games.copy(),
            self.mask.copy(),
        )
        return twin
