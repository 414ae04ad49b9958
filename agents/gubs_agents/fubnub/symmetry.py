"""The symmetry of FUBNUB: a network sees number cards by their ranks (see `common.symmetry`)."""

from __future__ import annotations

import numpy as np

from gubs_agents.common.symmetry import Symmetry
from gubs_agents.fubnub.seen import point_of_hand
from gubs_env.games.fubnub.actions import NUM_ACTIONS
from gubs_env.games.fubnub.cards import NUM_CARDS, RANK
from gubs_env.games.fubnub.observation import OBSERVATION_SIZE, SLICES

BY_CARD = ("hand", "drawn", "trick", "played", "known", "favoured")
"""The slices that hold number cards."""


def make_symmetry() -> Symmetry:
    """Return the symmetry with one way for each row of RANK.

    Each card is shown in the place of its rank, so that card 23 is always the highest.
    """
    by_rank = np.argsort(RANK, axis=1)
    places = np.tile(np.arange(OBSERVATION_SIZE), (len(RANK), 1))
    for piece in (SLICES[name] for name in BY_CARD):
        for start in range(piece.start, piece.start + piece.size, NUM_CARDS):
            places[:, start : start + NUM_CARDS] = start + by_rank
    actions = np.tile(np.arange(NUM_ACTIONS), (len(RANK), 1))
    actions[:, :NUM_CARDS] = by_rank
    return Symmetry(point_of_hand, places, actions)


SYMMETRY = make_symmetry()
