"""The moves of a person as the page shows them before one is played: as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gubs_env.drawing.pieces import changes, named_by
from gubs_env.engine.view import View
from gubs_env.play.previews import Begun, Pick, Previews

MOST_AHEAD = 100
"""The most choices that come with a page; further ones are asked for when somebody gets there."""


def key_of(picks: Sequence[int]) -> str:
    """Return picks as the key of a preview, as JavaScript writes them: `7,35`."""
    return ",".join(map(str, picks))


class Ahead:
    """The moves of a person to decide, on a page of one size.

    Args:
        previews: the moves.
        draw: (view) → the picture.
    """

    def __init__(self, previews: Previews, draw: Callable[[View], str]) -> None:
        self._previews, self._draw = previews, draw
        self._pictures: dict[tuple[int | None, ...], str] = {}

    def all(self) -> dict[str, dict[str, Any]]:
        """Return what can be chosen, by `key_of` the picks, the next choices first."""
        every = self._previews.ahead(MOST_AHEAD)
        return {key_of(picks): self._json(begun) for picks, begun in every}

    def begun(self, picks: tuple[int, ...]) -> dict[str, Any]:
        """Return a move as far as it is chosen; raise ValueError for picks that begin none.

        Returns:
            The `picks` with those that follow by themselves, the `pieces` that each of them and of
            those that the rules add names (`named_by`), the `changes` of the picture of the page
            (`changes`), the `question` there, the `answers` as (text, picks) and, of a complete
            move, its text as `move`, and what it would change as `forecast`.
        """
        return self._json(self._previews.begun(picks))

    def _json(self, begun: Begun) -> dict[str, Any]:
        made, move = begun.made, begun.move
        pieces = [
            named_by(self._picture(made, at), pick.action)
            for at, pick in enumerate(made)
            if pick.action is not None
        ]
        return {
            "picks": list(begun.picks),
            "pieces": pieces,
            "changes": changes(self._picture(made, 0), self._picture(made, begun.shown)),
            "question": begun.question,
            "answers": [[answer.text, list(answer.picks)] for answer in begun.answers],
            "move": move.text if move else None,
            "forecast": self._previews.forecast(move) if move else "",
        }

    def _picture(self, made: Sequence[Pick], at: int) -> str:
        """Return the picture before a pick of a move."""
        actions = tuple(pick.action for pick in made[:at])
        if actions not in self._pictures:
            self._pictures[actions] = self._draw(made[at].view)
        return self._pictures[actions]
