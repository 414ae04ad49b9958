"""Views: states with everything hidden from one player removed."""

from __future__ import annotations

import copy
from importlib import import_module
from typing import NamedTuple

import numpy as np


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
    drawing: str = ""
    """The module that draws the view (`Game.drawing`); "" if the game has no pictures."""

    def __copy__(self) -> View:
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        game = f" of {self.drawing.split('.')[-2]}" if self.drawing else ""
        return f"<View{game} by player_{self.seat}, {self.state.num_players} players>"

    def _repr_svg_(self) -> str | None:
        """Return the picture of the view, as notebooks show it; None without one."""
        return import_module(self.drawing).draw(self) if self.drawing else None
