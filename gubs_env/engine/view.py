"""Views: states with everything hidden from one player removed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class View(NamedTuple):
    """A state with everything hidden from one player removed.

    Anything that reads a view (text, rendering, search, a person) cannot learn more than the player
    knows. The observation of a view is the same as that of the state it was made from.
    """

    seat: int
    """The viewer: the index of a player; NOBODY in `Game.spectator_view`."""
    state: np.record
    """A state of the game; the game's module `view` documents the values in place of secrets."""
