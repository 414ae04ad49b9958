"""The chance events of Kuhn poker: the first card, and the second one."""

from __future__ import annotations

import numpy as np

from gubs_env import compiled
from gubs_env.engine.chance import ChanceEvents

CARDS = 3


def num_features(num_players):
    return CARDS


def new_tracks(games):
    return np.zeros((games, 0), np.int8)


@compiled
def deal(state, after, track, starting_player, events, at):
    """Write one event for each card; the features say which card the first player has."""
    first, second = after.card[0] - 1, after.card[1] - 1
    for number in range(2):
        events.seats[at + number] = 0
        events.features[at + number] = 0
        events.weights[at + number] = 1 / CARDS
    events.outcomes[at] = first
    events.outcomes[at + 1] = second
    events.features[at + 1, first] = 1
    events.weights[at + 1] = 1 / (CARDS - 1)
    events.weights[at + 1, first] = 0
    return at + 2


@compiled
def follow(state, after, track, action, events, at):
    """Write nothing: all chance is in the deal."""
    return at


CHANCE_EVENTS = ChanceEvents(num_features, CARDS, 2, new_tracks, deal, follow)
