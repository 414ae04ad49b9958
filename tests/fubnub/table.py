"""A FUBNUB table for tests: lay hands and point cards, play moves by name, look at the result.

table = Table(hands=["R2", "G6", "N2", "G1"], point="Twos").play("R2", "G6", "N2", "G1")
assert table.tricks == [0, 0, 1, 0]

Number cards are written as colour and value: R1 is Red 1, P purple, N green, G gold.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gubs_env.engine.position import cards_named
from gubs_env.fubnub_v0 import GAME, Rules, position
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
from gubs_env.games.fubnub.position import COLOUR_LETTERS, number_card
from gubs_env.games.fubnub.state import UNDEALT, Phase, pile_of
from tests.set_table import SetTable, unchecked


def card(text: str) -> int:
    return number_card(text)


def cards(text: str) -> list[int]:
    """Return a text like `R1 G2` as a list of card numbers."""
    return [card(word) for word in text.split()]


def short(card: int) -> str:
    return f"{COLOUR_LETTERS[card // VALUES]}{card % VALUES + 1}"


def words(flags: np.ndarray) -> str:
    """Return flags of cards as a text like `R1 G2`."""
    return " ".join(short(card) for card in np.flatnonzero(flags))


def points(flags: np.ndarray) -> set[str]:
    return {POINT_TITLES[point] for point in np.flatnonzero(flags)}


def tricks_won_so(
    state, hands: Sequence[str], won: Sequence[int], best: Sequence[str]
) -> list[str]:
    """Return tricks that the seats win so often, made of the lowest cards in no hand.

    Args:
        state: who deals, and the point card.
        hands: the cards that are still held.
        won: the tricks of each seat.
        best: the highest card each won a trick with, or "".
    """
    seats, rank = int(state.num_seats), RANK[state.point_card]
    last_first = [(state.dealer + steps) % seats for steps in range(1, seats + 1)]
    winners = [seat for seat in last_first[::-1] for _ in range([*won, 0, 0, 0, 0][seat])]
    named = [cards(text)[0] if text else None for text in [*best, "", "", "", ""][:seats]]
    taken = {c for text in hands for c in cards(text)} | set(named)
    pool = sorted(set(range(NUM_CARDS)) - taken, key=lambda c: rank[c])
    tricks: dict[int, str] = {}
    ends = [n for n, seat in enumerate(winners) if seat not in winners[n + 1 :]]
    best_first = sorted(range(len(winners)), key=lambda n: n not in ends)
    for number in best_first:
        winner = winners[number]
        losing = [pool.pop(0) for _ in range(seats - 1)]
        winning = named[winner] if number in ends else None
        winning = pool.pop(0) if winning is None else winning
        assert rank[winning] > max(rank[losing]), f"{short(winning)} wins no trick"
        losing.insert(winner, winning)
        tricks[number] = " ".join(short(c) for c in losing)
    return [tricks[number] for number in range(len(winners))]


class Table(SetTable):
    """A position of `fubnub_v0.position`; options are those of `Rules`.

    Args:
        hands: cards of each seat; those that are too short are filled up.
        point: the point card in play.
        piles: titles of the point cards earned, by seat, or by the first seat of a side.
        left: titles of the point cards in the point deck; those in no pile by default.
        dealer, caller: seats; by default the last living seat deals.
        winner: the seat that won the hand before, `award` what it won: their pile has it.
        reveals: the action card on the stack alone, so that it is revealed next.
        tricks: won in this hand so far, by seat; `best` their highest winning cards. The last was
            won by the seat to the left of the dealer, or the first there that has any.
        entitled: swaps the dealer may make.
    """

    GAME = GAME

    def __init__(
        self,
        hands: Sequence[str],
        point: str = "Twos",
        piles: Sequence[str] = (),
        left: str | None = None,
        dealer: int | None = None,
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
        setting = {
            "piles": piles, "point_deck": left, "dealer": dealer, "caller": caller,
            "swaps": entitled, "last_winner": winner, "last_award": award, "action_stack": reveals,
            "phase": phase, "num_players": num_players, "rules": Rules(**rules), "seed": seed,
        }  # fmt: skip
        bare = unchecked(position, [], point, **setting)
        won = [] if phase is not Phase.PLAY else tricks_won_so(bare, hands, tricks, best)
        self.put(unchecked(position, hands, point, tricks=won, **setting))
        if tricks and not won:
            self._cut_short(hands, tricks)
        self.look()

    def _cut_short(self, hands: Sequence[str], tricks: Sequence[int]) -> None:
        """Give the seats only these cards, before the first trick; no real game reaches this."""
        game = self.game
        game.undealt[:] |= game.hand.sum(0).astype(np.int8)
        for seat, text in enumerate(hands):
            game.hand[seat] = 0
            game.hand[seat, cards(text)] = 1
            game.hand_size[seat] = len(cards(text))
            game.undealt[cards(text)] = 0
        game.tricks_won[:] = tricks

    @staticmethod
    def _flags(titles: str) -> np.ndarray:
        flags = np.zeros(NUM_POINTS, np.int8)
        flags[cards_named(titles, "titles", point_named)] = 1
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
        """Return all undealt cards, including those returned beneath them."""
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
        """Return the seat to decide."""
        return int(self.game.asked)

    def seen(self, seat: int, name: str) -> np.ndarray:
        """Return one slice of the observation of a seat."""
        return self.observed(int(self.game.player_at[seat]), name)

    def knows(self, viewer: int, holder: int = UNDEALT) -> str:
        return words(self.game.known[viewer, holder])

    # ---------------------------------------------------------------------------------------- moves

    def name_of(self, action: int) -> str:
        """Return the short name of a card, as `G2`."""
        return short(action) if action < NUM_CARDS else NAMES[action]

    def action_of(self, name: str) -> int:
        """Return an action by name; `G2` means `CARD[Gold 2]`."""
        is_card = len(name) == 2 and name[0] in COLOUR_LETTERS
        return card(name) if is_card else super().action_of(name)

    def play_out(self) -> Table:
        """Play the hand out; everybody plays their card of the lowest number."""
        hand = self.game.hands
        while self.game.phase == Phase.PLAY and self.game.hands == hand:
            self.look(int(np.flatnonzero(self.mask)[0]))
        return self
