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

from gubs_env.bad_bad_turtle_v0 import GAME, Rules
from gubs_env.games.bad_bad_turtle import kernel
from gubs_env.games.bad_bad_turtle.cards import FIRST_REACTION, NO_CARD, NUM_KINDS, Card
from gubs_env.games.bad_bad_turtle.rules import card_named
from gubs_env.games.bad_bad_turtle.score import payoffs
from gubs_env.games.bad_bad_turtle.state import Phase
from gubs_env.games.choosing import LOOK
from gubs_env.games.generator import seed_words


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


class Table:
    """A game set by hand; it stands at the start of a turn. The game holds the cards named, only.

    Args:
        stacks: by seat, top first; every other living player has four blanks.
        discards: discard piles by seat, top first.
        revealed: reveal piles by seat, in the order of arrival.
        aside: holders of set-aside cards, by title.
        modifier: the card that lies on the turn.
        out: eliminated seats.
    """

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
        self.num_players = num_players
        self.games = GAME.new_games(1, num_players, Rules(**rules))
        game = self.game
        game.rng[:] = seed_words(seed)
        kernel.deal(self.games, 0, (dealer + 1) % num_players)
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

    @classmethod
    def dealt(cls, num_players: int = 4, seed: int = 0, start: int = 1, **rules: object) -> Table:
        """A new game, dealt and not begun; `start` is −1 for a random first seat."""
        table = object.__new__(cls)
        table.num_players = num_players
        table.games = GAME.new_games(1, num_players, Rules(**rules))
        table.game.rng[:] = seed_words(seed)
        kernel.deal(table.games, 0, start)
        table.look()
        return table

    def _lay(self, pile: str, array: np.ndarray, seat: int, kinds: list[Card]) -> None:
        array[seat, : len(kinds)] = kinds
        self.games[f"{pile}_size"][0, seat] = len(kinds)

    def _next(self, seat: int) -> int:
        step = int(self.game.direction)
        seats = [(seat + step * k) % self.num_players for k in range(1, self.num_players)]
        return next(s for s in seats if self.game.living[s])

    # ------------------------------------------------------------------------------ what lies where

    @property
    def game(self) -> np.record:
        return self.games[0]

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

    @property
    def payoffs(self) -> list[float]:
        return payoffs(self.game).tolist()

    def seen(self, seat: int, name: str) -> np.ndarray:
        """One slice of what a seat observes."""
        observation = np.zeros(len(GAME.observation_highs(self.num_players)), np.int8)
        kernel.observe(self.games, 0, seat, observation)
        return GAME.observation_slices(self.num_players)[name].of(observation)

    def words(self, seat: int) -> str:
        """The table as a seat sees it."""
        return GAME.describe(GAME.view(self.games, 0, seat), False)

    # ---------------------------------------------------------------------------------------- moves

    def look(self, action: int = LOOK) -> None:
        self.mask = np.zeros(GAME.num_actions(self.num_players), np.int8)
        observation = np.zeros((1, len(GAME.observation_highs(self.num_players))), np.int8)
        choosers, actor = np.zeros((1, 4), np.int64), np.zeros(1, np.int64)
        rewards = np.zeros((1, self.num_players), np.float32)
        done, cut_off = np.zeros((2, 1), np.bool_)
        kernel.advance(
            self.games, np.array([action]), 1, choosers, False, False,
            observation, self.mask[None], rewards, done, cut_off, actor,
        )  # fmt: skip
        assert (cards_everywhere(self.games)[0] == self.game.composition).all(), "cards got lost"

    @property
    def legal(self) -> set[str]:
        """Names of the legal actions."""
        return {GAME.action_name(int(a), self.num_players) for a in np.flatnonzero(self.mask)}

    def play(self, *names: str) -> Table:
        """Play actions by name; each must be legal."""
        for name in names:
            action = GAME.action_index(name, self.num_players)
            assert self.mask[action], f"{name} is not legal; legal are {sorted(self.legal)}"
            self.look(action)
        return self
