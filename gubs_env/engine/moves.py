"""Whole moves: the sequences of picks that the player to decide can make, found without chance.

A move is one pick or more. It ends where chance, hidden cards or another player decide what comes
next. So all moves follow from the view of the player to decide, and finding them plays nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from gubs_env.engine.choosing import count_legal
from gubs_env.engine.compiling import Compiled, Templates
from gubs_env.engine.mechanics import Next, next_pick, write_mask

MOST_PICKS = 8
"""The largest number of picks in a move, of any game."""
SUGGESTIONS = 5
"""Number of legal moves that an error names."""
FIRST_CAPACITY = 256
"""Number of moves that the arrays of `find_moves` hold at first."""


class Move(NamedTuple):
    """A whole move of the player to decide."""

    text: str
    """The move in words; no other legal move at the same decision has the same text."""
    picks: tuple[int, ...]
    """The actions to play, one after another."""


templates = Templates()


@templates.entry_template
def list_moves(states, masks, tried, picks, asked, lengths):
    """Write all moves at the decision of `states[0]`, depth first in the order of the actions.

    Args:
        states: STATE[MOST_PICKS]; the first is a view of the player to decide, the others are
            overwritten.
        masks: int8[MOST_PICKS, num_actions], overwritten.
        tried: int64[MOST_PICKS], overwritten.
        picks: int64[capacity, MOST_PICKS], written: all picks of each move.
        asked: bool[capacity, MOST_PICKS], written: whether each pick is an action to play; the
            others are the only legal ones and follow by themselves.
        lengths: int64[capacity], written: the number of picks of each move.

    Returns:
        The number of moves, which can be larger than the capacity.
    """
    count, depth = 0, 0
    tried[0] = -1
    alone = np.zeros(len(states), np.bool_)
    write_mask(states[0], masks[0])
    while depth >= 0:
        tried[depth] += 1
        if tried[depth] == masks.shape[1]:
            depth -= 1
            continue
        if not masks[depth, tried[depth]]:
            continue
        below = min(depth + 1, len(states) - 1)
        follows = Next.MOVE_ENDS
        if depth < below:
            states[below] = states[depth]
            follows = next_pick(states[below], tried[depth])
        if follows == Next.MOVE_ENDS:
            if count < len(picks):
                picks[count, : depth + 1] = tried[: depth + 1]
                for pick in range(depth + 1):
                    asked[count, pick] = not alone[pick]
                lengths[count] = depth + 1
            count += 1
            continue
        depth = below
        tried[depth] = -1
        write_mask(states[depth], masks[depth])
        alone[depth] = follows == Next.ASKED_IF_OPEN and count_legal(masks[depth]) == 1
    return count


def make_lister(name: str, rules: Compiled, mask_writer: Compiled) -> Compiled:
    """Compile `list_moves` for a game.

    Args:
        name: the name of the game, which keeps its machine code apart in the cache.
        rules: `Mechanics.next_pick` of the game.
        mask_writer: `Mechanics.write_mask` of the game.
    """
    names = {"next_pick": rules, "write_mask": mask_writer}
    return templates.specialise(name, names)["list_moves"]


def find_moves(
    lister: Compiled, view_state: Any, num_actions: int
) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Return (all picks of each move, those of them that are actions to play).

    Args:
        lister: `list_moves`, compiled for the game.
        view_state: the state in a view of the player to decide.
        num_actions: size of the action space.
    """
    states = np.empty(MOST_PICKS, view_state.dtype)
    masks = np.zeros((MOST_PICKS, num_actions), np.int8)
    tried = np.zeros(MOST_PICKS, np.int64)
    capacity, count = 0, FIRST_CAPACITY
    while count > capacity:
        capacity = count
        states[0] = view_state
        picks = np.zeros((capacity, MOST_PICKS), np.int64)
        asked, lengths = np.zeros(picks.shape, np.bool_), np.zeros(capacity, np.int64)
        count = int(lister(states, masks, tried, picks, asked, lengths))
    sizes = lengths[:count].tolist()
    moves = [tuple(row[:size]) for row, size in zip(picks[:count].tolist(), sizes, strict=True)]
    flags = asked[:count].tolist()
    return moves, [tuple(compress(row, flag)) for row, flag in zip(moves, flags, strict=True)]


# ------------------------------------------------------------------------------ moves from outside


def move_named(text: str, moves: Sequence[Move]) -> Move:
    """Return the move with a text; raise ValueError, naming the nearest ones, if there is none."""
    if not isinstance(text, str):
        raise TypeError(f"a move is a text or its picks, not {text!r}")
    named = {_plain(move.text): move for move in moves}
    if move := named.get(_plain(text)):
        return move
    raise ValueError(f"no legal move is called {text!r}; {_listed(nearest_moves(text, moves))}")


def nearest_moves(text: str, moves: Sequence[Move]) -> list[Move]:
    """Return at most SUGGESTIONS moves whose texts are nearest to a text, the nearest first."""
    named = {_plain(move.text): move for move in moves}
    near = get_close_matches(_plain(text), named, n=SUGGESTIONS, cutoff=0)
    return [named[key] for key in near or named]


def picks_of(move: str | Move | Sequence[int], moves: Sequence[Move]) -> tuple[int, ...]:
    """Return the picks of a legal move, given as its text, a `Move` or its picks.

    Raises:
        TypeError: for anything else.
        ValueError: if there is no such move.
    """
    if isinstance(move, str):
        return move_named(move, moves).picks
    try:
        given: Any = tuple(move.picks if isinstance(move, Move) else move)
        if any(isinstance(pick, bool) for pick in given):
            raise TypeError
        wanted = tuple(operator.index(pick) for pick in given)
    except TypeError:
        raise TypeError(f"a move is a text or its picks, not {move!r}") from None
    if all(wanted != legal.picks for legal in moves):
        raise ValueError(
            f"no legal move has the picks {list(wanted)}; {_listed(moves[:SUGGESTIONS])}"
        )
    return wanted


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _listed(moves: Sequence[Move]) -> str:
    if not moves:
        return "the game is over, or it is not this player who decides"
    return "such moves are " + "; ".join(f"{move.text!r} {list(move.picks)}" for move in moves)
