"""Views: states with everything hidden from one player removed."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np

Size = tuple[float, float]
"""The width and height of a picture, in pixels."""


class Picture(str):
    """A picture as SVG, which notebooks show."""

    def _repr_svg_(self) -> str:
        return str(self)


class View(NamedTuple):
    """A state with everything hidden from one player removed.

    Anything that reads a view (text, rendering, search, a person) cannot learn more than the player
    knows. The observation of a view is the same as that of the state it was made from.
    """

    seat: int
    """The viewer: the index of a player; NOBODY in `Game.spectator_view`."""
    state: np.record
    """A state of the game; the game's module `view` documents the values in place of secrets."""
    game: Any = None
    """The `Game`; None for a view that somebody made by hand."""

    def __copy__(self) -> View:
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        game = f" of {self.game.title}" if self.game else ""
        return f"<View{game} by player_{self.seat}, {self.state.num_players} players>"

    def _repr_svg_(self) -> str | None:
        """Return the picture of the view, as notebooks show it; None without one."""
        return self.game.draw(self) if self.game and self.game.drawing else None
