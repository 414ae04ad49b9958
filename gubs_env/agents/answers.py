"""Answers of text agents: from JSON or a line of text to a legal move."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from reprlib import Repr
from typing import Any

from gubs_env.engine.moves import Move, move_named, nearest_moves

LONGEST_ANSWER = 20_000
"""Number of characters at the end of an answer that are read."""
_repr = Repr()
_repr.maxstring = 120
shortened = _repr.repr
"""Text → the text in quotation marks, with its middle left out if it is long."""
BRACKETED = re.compile(r"\[([^\[\]]+)\]")
"""A text in square brackets, in which TextArena's agents write their moves."""
BLANK = re.compile(r"[\s*_`\"'.]*")
AROUND = "*_`\"'“”‘’[] \t"
"""Characters around a move that do not matter."""


class UnparsableAnswer(ValueError):
    """An answer in which no move can be found."""


class IllegalMove(ValueError):
    """An answer that names a move which is not legal, or which nobody knows."""


def parse_answer(answer: str, moves: Sequence[Move]) -> Move:
    """Return the legal move that an answer names.

    The last JSON object with a key "move" counts; without one, the last line that is not empty; if
    that is no move, the last text in square brackets. Case, spaces, quotation marks, list marks and
    a final full stop do not matter.

    Args:
        answer: the text.
        moves: the legal moves.

    Raises:
        TypeError: for an answer that is not a text.
        UnparsableAnswer: for an answer without a move: an empty one, or JSON of another form.
        IllegalMove: for any other move; the message names the nearest legal ones.
    """
    if not isinstance(answer, str):
        raise TypeError(f"the answer of a text agent must be a text, not {answer!r}")
    answer = answer[-LONGEST_ANSWER:]
    named = named_move(answer)
    bracketed = BRACKETED.findall(answer)[-1:] if "{" not in answer else []
    for text in (named, trimmed(named), *map(trimmed, bracketed)):
        with suppress(ValueError):
            return move_named(text, moves)
    near = "; ".join(move.text for move in nearest_moves(trimmed(named), moves))
    raise IllegalMove(f"{shortened(named)} is not a legal move; legal moves near it are: {near}")


def named_move(answer: str) -> str:
    """Return the text in an answer that should name a move; raise UnparsableAnswer without one."""
    objects = list(json_objects(answer))
    if objects:
        named = objects[-1].get("move")
        if not isinstance(named, str) or not named.strip():
            raise UnparsableAnswer(
                'the JSON object has no text under "move": answer with {"move": "…"}'
            )
        return named.strip()
    if "{" in answer:
        raise UnparsableAnswer('this is not valid JSON: answer with {"move": "…"}')
    lines = [line.strip() for line in answer.splitlines() if not BLANK.fullmatch(line)]
    if not lines:
        raise UnparsableAnswer('the answer is empty: answer with {"move": "…"}')
    return lines[-1]


def json_objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in a text, those inside others left out."""
    decoder, place = json.JSONDecoder(), text.find("{")
    while place >= 0:
        try:
            value, end = decoder.raw_decode(text, place)
            yield value
        except ValueError:
            end = place + 1
        except RecursionError:  # no answer; each level would be tried anew
            return
        place = text.find("{", end)


def trimmed(line: str) -> str:
    """Return a line without what surrounds a move: `2. "Draw a card".` → `Draw a card`."""
    line = re.sub(r"^\s*(?:[-*>]|\d+[.)])\s+", "", line)
    line = re.sub(r"^\W*(?:my\s+)?(?:move|answer|action)\W*:\s*", "", line, flags=re.IGNORECASE)
    return line.strip(AROUND).removesuffix(".").strip(AROUND)
