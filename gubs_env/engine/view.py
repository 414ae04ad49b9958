"""Views: states with everything hidden from one player removed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class View(NamedTuple):
    """A state with everything hidden from one player removed.

    Whatever reads a view (words, drawings, search, a person) cannot learn more than the player
    knows. The observation of a view is the observation of the game.
    """

    seat: int
    """The viewer: the index of a player."""
    state: np.record
    """A state of the game; its module `view` says what stands in place of secrets."""
