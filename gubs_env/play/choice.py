"""The choice of one move among many, by number or in words, narrowed step by step."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import NamedTuple

from gubs_env.engine.moves import Move

MOST_ALONE = 12
"""Largest number of moves that are listed one by one; more are grouped by their next pick."""
LEAST_PART = 3
"""Least length of typed text that may match inside a move's text, not only at its beginning."""
PickTexts = Callable[[tuple[int, ...], Sequence[int]], list[str]]
"""(picks before, picks) → the text of each of these picks."""


class MoveGroup(NamedTuple):
    """A line of the list: a move, or a group of moves that begin with the same picks."""

    text: str
    moves: tuple[Move, ...]


def begun_by(picks: tuple[int, ...], moves: Sequence[Move]) -> list[Move]:
    """Return the moves that begin with these picks."""
    return [move for move in moves if move.picks[: len(picks)] == picks]


def shared_picks(moves: Sequence[Move]) -> tuple[int, ...]:
    """Return the picks with which all of these moves begin."""
    every = [move.picks for move in moves]
    pairs = zip(min(every), max(every), strict=False)
    return tuple(pick for pick, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def grouped(
    moves: Sequence[Move], prefix: tuple[int, ...], pick_texts: PickTexts
) -> list[MoveGroup]:
    """Return moves that begin with the picks of `prefix`, in groups by their next pick.

    A group of one bears the text of its move; inside a move, where others bear those of their
    picks, that of its pick.
    """
    groups: dict[tuple[int, ...], list[Move]] = {}
    for move in moves:
        groups.setdefault(move.picks[: len(prefix) + 1], []).append(move)
    several = [picks for picks, group in groups.items() if len(group) > 1]
    named = [*groups] if prefix and several else several
    texts = dict(zip(named, pick_texts(prefix, [picks[-1] for picks in named]), strict=True))
    return [
        MoveGroup(texts.get(picks, group[0].text), tuple(group)) for picks, group in groups.items()
    ]


class Choice:
    """The choice of a move at one decision.

    Args:
        moves: the legal moves.
        pick_texts: the texts that name groups.

    Attributes:
        all: all legal moves.
        entries: the list to choose from: the remaining moves, or groups of them.
    """

    def __init__(self, moves: Sequence[Move], pick_texts: PickTexts) -> None:
        self.all = tuple(moves)
        self._pick_texts = pick_texts
        self._narrowed: list[tuple[Move, ...]] = []
        self.entries = self._list()

    @property
    def left(self) -> tuple[Move, ...]:
        """The moves that can still be chosen."""
        return self._narrowed[-1] if self._narrowed else self.all

    @property
    def is_begun(self) -> bool:
        """Whether the choice has been narrowed, and can be taken back."""
        return bool(self._narrowed)

    def take_back(self) -> None:
        """Undo the last narrowing, if there is one."""
        if self._narrowed:
            self._narrowed.pop()
            self.entries = self._list()

    def take(self, typed: str) -> Move | None:
        """Narrow the choice to the moves that a text names; return the move if one is left.

        Args:
            typed: the number of an entry from 1 on; or the text of an entry or a move, its
                beginning, a part of it, or several of its words in their order, in any case.

        Raises:
            ValueError: for a number or a text that fits no move.
        """
        text = " ".join(typed.split()).casefold()
        matches = self._numbered(text) if text.isdecimal() else self._matching(text)
        if matches != self.left:
            self._narrowed.append(matches)
            self.entries = self._list()
        return matches[0] if len(matches) == 1 else None

    def _numbered(self, text: str) -> tuple[Move, ...]:
        number, most = int(text) if len(text) < 9 else 0, len(self.entries)
        if not 1 <= number <= most:
            raise ValueError(f"no move has the number {text[:20]}: allowed are 1 to {most}")
        return self.entries[number - 1].moves

    def _matching(self, text: str) -> tuple[Move, ...]:
        """Return the moves that a text fits best: whole, as a beginning, as a part, or as words."""
        entries = [(entry.text.casefold(), entry.moves) for entry in self.entries]
        moves = [(move.text.casefold(), (move,)) for move in self.left]
        tests: list[Callable[[str], bool]] = [lambda name: name == text]
        if text:
            tests.append(lambda name: name.startswith(text))
        if len(text) >= LEAST_PART:
            tests += [lambda name: text in name, lambda name: holds_words(name, text)]
        for fits in tests:
            for named in (entries, moves):
                if matches := [each for name, each in named if fits(name)]:
                    return tuple(dict.fromkeys(move for each in matches for move in each))
        raise ValueError(f"no move fits {text[:40]!r}")

    def _list(self) -> list[MoveGroup]:
        """Return the remaining moves one by one, or in groups if there are many."""
        moves = self.left
        alone = [MoveGroup(move.text, (move,)) for move in moves]
        if len(moves) <= MOST_ALONE:
            return alone
        groups = grouped(moves, shared_picks(moves), self._pick_texts)
        return alone if len(groups) in (1, len(moves)) else groups


def holds_words(name: str, text: str) -> bool:
    """Return whether a name holds the words of a text in order; words may be cut, numbers not."""
    words, typed = iter(re.findall(r"\w+", name)), re.findall(r"\w+", text)
    return bool(typed) and all(
        any(word == wanted if wanted.isdecimal() else word.startswith(wanted) for word in words)
        for wanted in typed
    )
