"""Choosing among legal actions: what every game's `advance` understands in place of an action."""

from __future__ import annotations

from gubs_env.games.compilation import entry, rule
from gubs_env.games.generator import random_below

LOOK = -1
"""Play nothing, only write what is seen and legal."""
CHOOSE = -2
"""Choose uniformly among the legal actions."""


@rule
def choose(chooser, mask):
    """A uniformly random legal action of a mask; LOOK where none is legal."""
    legal = mask.sum()
    if legal == 0:
        return LOOK
    skip = random_below(chooser, legal)
    for action in range(len(mask)):
        if mask[action]:
            if skip == 0:
                return action
            skip -= 1
    return LOOK


@entry
def choose_all(choosers, masks, actions):
    """Choose in every mask: reads int64[count, 4] generators, writes int64[count]."""
    for index in range(len(masks)):
        actions[index] = choose(choosers[index], masks[index])
