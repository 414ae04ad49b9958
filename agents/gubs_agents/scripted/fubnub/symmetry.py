"""The symmetry of FUBNUB: a network sees number cards by their ranks (see `common.symmetry`)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gubs_agents.common.symmetry import Symmetry
from gubs_agents.scripted.fubnub.facts import point_of_hand
from gubs_env.engine.slices import Slice, size_of
from gubs_env.games.fubnub.actions import NUM_ACTIONS
from gubs_env.games.fubnub.cards import NUM_CARDS, RANK
from gubs_env.games.fubnub.observation import SLICES


def make_symmetry(slices: Mapping[str, Slice]) -> Symmetry:
    """Return the symmetry with one way for each row of RANK.

    Each card is shown in the place of its rank, so that card 23 is always the highest.

    Args:
        slices: the slices of the observation. Those whose last axis has NUM_CARDS entries hold
            number cards.
    """
    by_rank = np.argsort(RANK, axis=1)
    places = np.tile(np.arange(size_of(slices)), (len(RANK), 1))
    for piece in (piece for piece in slices.values() if piece.shape[-1] == NUM_CARDS):
        for start in range(piece.start, piece.start + piece.size, NUM_CARDS):
            places[:, start : start + NUM_CARDS] = start + by_rank
    actions = np.tile(np.arange(NUM_ACTIONS), (len(RANK), 1))
    actions[:, :NUM_CARDS] = by_rank
    return Symmetry(point_of_hand, places, actions)


SYMMETRY = make_symmetry(SLICES)
