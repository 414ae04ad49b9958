"""The course of a game: one pass over its decisions, which logs, histories and replays read.

A game is stored as its start and its actions. Playing these again gives every state; the words of
each decision, the events, the whole moves and the pictures are read from the states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gubs_env.engine.choosing import LOOK
from gubs_env.engine.game import Game
from gubs_env.engine.kernel import Batch
from gubs_env.engine.moves import MOST_PICKS, Move
from gubs_env.engine.view import View


@dataclass(frozen=True)
class PlayedMove:
    """A whole move of a game, and what else could have been played."""

    number: int
    """The number of its first action in the game, from 0."""
    view: View
    """The view of the player who decides."""
    legal: list[Move]
    """The legal moves."""
    move: Move
    """The move that was played. One that was never completed is its first pick."""
    index: int | None
    """Its index in `legal`; None for a move that was never completed."""


@dataclass(frozen=True)
class Course:
    """A game that was played again, action for action."""

    game: Game
    actions: Sequence[int]
    """All actions, in order."""
    batch: Batch
    """The game before each action and, in the last row, after all of them. `dones` and `rewards`
    are those of the action before."""

    @classmethod
    def of(cls, game: Game, start: np.ndarray, actions: Sequence[int]) -> Course:
        """Play a game from a state.

        Args:
            game: the game.
            start: STATE[1], the state.
            actions: what was played from there on.

        Raises:
            ValueError: for an action that is not legal.
        """
        batch = game.new_batch(np.repeat(start, len(actions) + 1))
        chosen = np.array([LOOK, *actions], np.int64)
        for number in range(len(chosen)):
            row = Batch(*(array[number : number + 1] for array in batch))
            if number:
                check_legal(batch.masks[number - 1], actions[number - 1], number - 1)
                row.states[0] = batch.states[number - 1]
            game.kernel.advance(*row, chosen[number : number + 1], 1, False, False)
        return cls(game, actions, batch)

    def transitions(self) -> Iterator[tuple[Any, int, Any]]:
        """Return (state before, action, state after) of every decision, with all secrets."""
        states = self.batch.states
        return zip(states[:-1], self.actions, states[1:], strict=True)

    def lines(self, viewer: int) -> Iterator[list[str]]:
        """Yield every decision in words, as a player saw it; NOBODY: as everybody saw it."""
        for step in self.transitions():
            yield self.game.narrate(*step, viewer)

    def choices(self) -> tuple[int, ...]:
        """Return the number of decisions with more than one legal action, by player."""
        actors, masks = self.batch.actors[:-1], self.batch.masks[:-1]
        several = actors[np.count_nonzero(masks, axis=1) > 1]
        return tuple(np.bincount(several, minlength=self.batch.rewards.shape[1]).tolist())

    def moves(self) -> Iterator[PlayedMove]:
        """Return the whole moves, in order."""
        return played_moves(self.game, self.batch.states, self.batch.actors, self.actions)


def check_legal(mask: np.ndarray, action: int, number: int, name: str = "") -> None:
    """Raise ValueError unless an action is legal in a game that is not over.

    Args:
        mask: int8[num_actions], the legal actions.
        action: the action.
        number: its number in the game, from 0, for the error.
        name: the name of the game, for the error.
    """
    if 0 <= action < len(mask) and mask[action]:
        return
    where = f"{name}: " if name else ""
    if not mask.any():
        raise ValueError(f"{where}the actions go on after the end of the game")
    raise ValueError(
        f"{where}action {action}, number {number} of the game, is not legal; the legal actions are "
        f"{mask.nonzero()[0].tolist()}"
    )


def played_moves(
    game: Game, states: np.ndarray, seats: np.ndarray, actions: Sequence[int]
) -> Iterator[PlayedMove]:
    """Yield the whole moves of a game, in order.

    Args:
        game: the game.
        states: STATE[…], the state before each action; further rows are not read.
        seats: int64[…], who decides in each.
        actions: all actions.
    """
    number = 0
    while number < len(actions):
        view = game.view(states, number, int(seats[number]))
        legal, rest = game.legal_moves(view), tuple(actions[number : number + MOST_PICKS])
        index = next((k for k, m in enumerate(legal) if rest[: len(m.picks)] == m.picks), None)
        move = Move(game.pick_text(view, rest[0]), rest[:1]) if index is None else legal[index]
        yield PlayedMove(number, view, legal, move, index)
        number += len(move.picks)
