"""Setting a FUBNUB table for a test: hands, point cards, moves by name, what lies where.

table = Table(hands=["R2", "G6", "N2", "G1"], point="Twos").play("R2", "G6", "N2", "G1")
assert table.tricks == [0, 0, 1, 0]

Number cards are written as colour and value: R1 is Red 1, P purple, N green, G gold.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gubs_env.fubnub_v0 import GAME
from gubs_env.games.fubnub.actions import NAMES
from gubs_env.games.fubnub.cards import (
    NUM_CARDS,
    NUM_POINTS,
    POINT_TITLES,
    RANK,
    VALUES,
    ActionCard,
    point_named,
)
from gubs_env.games.fubnub.state import UNDEALT, Phase, pile_of
from tests.set_table import SetTable

COLOURS = "RPNG"


def card(text: str) -> int:
    return VALUES * COLOURS.index(text[0]) + int(text[1]) - 1


def cards(text: str) -> list[int]:
    """`R1 G2` as a list of card numbers."""
    return [card(word) for word in text.split()]


def short(card: int) -> str:
    return f"{COLOURS[card // VALUES]}{card % VALUES + 1}"


def words(flags: np.ndarray) -> str:
    """Flags of cards as `R1 G2`."""
    return " ".join(short(card) for card in np.flatnonzero(flags))


def points(flags: np.ndarray) -> set[str]:
    return {POINT_TITLES[point] for point in np.flatnonzero(flags)}


class Table(SetTable):
    """A game set by hand. It stands at the lead to the first trick, or at the given phase.

    Args:
        hands: cards of each seat; what is in none is undealt, but for `played`.
        point: the point card in play; all that no pile holds are in the point deck.
        piles: titles of the point cards earned, by seat, or by the first seat of a side.
        left: titles of the point cards in the point deck; those in no pile by default.
        dealer, caller: seats.
        winner: the seat that won the hand before, `award` what it won: their pile has it.
        reveals: the action card on the stack alone, so that it is revealed next.
        tricks: won in this hand so far, by seat; `best` their highest winning cards.
        entitled: swaps the dealer may make.
        phase: `Phase.PLAY`, `Phase.SWAP_OFFER` (the dealer is asked) or `Phase.DECIDE`.
    """

    GAME = GAME

    def __init__(
        self,
        hands: Sequence[str] = (),
        point: str = "Twos",
        piles: Sequence[str] = (),
        left: str | None = None,
        dealer: int = 3,
        caller: int | None = None,
        winner: int | None = None,
        award: str = "",
        reveals: str | None = None,
        tricks: Sequence[int] = (),
        best: Sequence[str] = (),
        entitled: int = 1,
        phase: Phase = Phase.PLAY,
        num_players: int = 4,
        seed: int = 0,
        **rules: object,
    ) -> None:
        self.make(num_players, seed, 0, **rules)  # blank fields as a new game has them
        game = self.game
        game.dealer = dealer
        if hands:
            self._lay_hands(hands)
        self._lay_points(point, piles, left)
        self._stand_at(phase)
        game.caller = -1 if caller is None else caller
        game.entitled[:] = 0
        game.entitled[dealer] = 0 if phase == Phase.PLAY else entitled
        if winner is not None:
            game.hands = 2
            game.last_winner = winner
            game.last_award[:] = self._flags(award)
        if reveals:
            self.stack(reveals)
        for seat, won in enumerate(tricks):
            game.tricks_won[seat] = won
        for seat, text in enumerate(best):
            if text:
                game.best_won[seat] = RANK[game.point_card, card(text)]
        self.look()

    def _stand_at(self, phase: Phase) -> None:
        """The seat that this decision begins with is asked."""
        game = self.game
        left = (game.dealer + game.direction) % game.num_seats
        game.phase = phase
        game.turns = 1
        game.asked = game.dealer if phase == Phase.SWAP_OFFER else left
        game.leader = game.to_play = left if phase == Phase.PLAY else -1
        game.actor = game.player_at[game.asked]
        assert game.actor >= 0, "a ghost decides nothing"

    def _lay_hands(self, hands: Sequence[str]) -> None:
        game = self.game
        game.hand[:], game.known[:], game.undealt[:] = 0, 0, 1
        for seat, text in enumerate(hands):
            held = cards(text)
            game.hand[seat, held] = 1
            game.hand_size[seat] = len(held)
            game.undealt[held] = 0

    def _lay_points(self, point: str, piles: Sequence[str], left: str | None) -> None:
        game = self.game
        game.owned[:] = 0
        game.point_card = point_named(point)
        for seat, titles in enumerate(piles):
            game.owned[seat] = self._flags(titles)
        game.point_deck[:] = 1 - game.owned.sum(0) - game.absent
        game.point_deck[game.point_card] = 0
        if left is not None:
            game.point_deck[:] = self._flags(left)
            game.absent[:] = 1 - game.owned.sum(0) - game.point_deck
            game.absent[game.point_card] = 0

    @staticmethod
    def _flags(titles: str) -> np.ndarray:
        flags = np.zeros(NUM_POINTS, np.int8)
        for title in filter(None, (t.strip() for t in titles.split(","))):
            flags[point_named(title)] = 1
        return flags

    def stack(self, title: str) -> Table:
        """Leave one action card in the stack."""
        self.game.action_gone[:] = [action.title != title for action in ActionCard]
        assert not self.game.action_gone.all(), f"no action card is called {title}"
        return self

    # ------------------------------------------------------------------------------ what lies where

    def hand(self, seat: int) -> str:
        return words(self.game.hand[seat])

    @property
    def undealt(self) -> str:
        """All undealt cards, those returned beneath them too."""
        return words(self.game.undealt | self.game.under)

    def pile(self, seat: int) -> set[str]:
        return points(self.game.owned[pile_of(self.game, seat)])

    @property
    def limbo(self) -> set[str]:
        return points(self.game.limbo)

    @property
    def tricks(self) -> list[int]:
        return self.game.tricks_won.tolist()

    @property
    def phase(self) -> Phase:
        return Phase(self.game.phase)

    @property
    def asked(self) -> int:
        """The seat to decide."""
        return int(self.game.asked)

    def seen(self, seat: int, name: str) -> np.ndarray:
        """One slice of what a seat observes."""
        return self.observed(int(self.game.player_at[seat]), name)

    def knows(self, viewer: int, holder: int = UNDEALT) -> str:
        return words(self.game.known[viewer, holder])

    # ---------------------------------------------------------------------------------------- moves

    def name_of(self, action: int) -> str:
        """Cards as `G2`."""
        return short(action) if action < NUM_CARDS else NAMES[action]

    def action_of(self, name: str) -> int:
        """`G2` means `CARD[Gold 2]`."""
        is_card = len(name) == 2 and name[0] in COLOURS
        return card(name) if is_card else super().action_of(name)

    def play_out(self) -> Table:
        """Play the hand out, each the card of the lowest number."""
        hand = self.game.hands
        while self.game.phase == Phase.PLAY and self.game.hands == hand:
            self.look(int(np.flatnonzero(self.mask)[0]))
        return self
