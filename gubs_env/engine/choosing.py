"""Choice among legal actions, and the three values that `advance` takes in place of an action."""

from __future__ import annotations

import numpy as np

from gubs_env.engine.compiling import entry, inlined
from gubs_env.engine.rng import next_word, random_below

LOOK = -1
"""The value that plays no action: `advance` only writes the observation and the mask."""
CHOOSE = -2
"""The value that plays a legal action, chosen uniformly at random."""
WAIT = -3
"""The value that leaves a game and all that is written for it as they are, which is fastest."""


@inlined
def count_legal(mask):
    count = 0
    for action in range(len(mask)):
        count += int(mask[action])
    return count


@inlined
def nth_legal(mask, n):
    """Return legal action number n, counted from 0; more than n actions must be legal."""
    action = -1
    while n >= 0:
        action += 1
        n -= int(mask[action])
    return action


@inlined
def choose(rng, mask):
    """Return a legal action of a mask, uniformly at random; LOOK if none is legal."""
    count = count_legal(mask)
    return nth_legal(mask, random_below(rng, count)) if count > 0 else LOOK


@inlined
def choose_best(rng, mask, score, sight, known):
    """Return the legal action with the highest `score(seen, action, known)`; ties at random.

    Args:
        rng: int64[4], the RNG that breaks ties.
        mask: int8[num_actions] with at least one legal action.
        sight, known: passed to `score`: the observation, and what was computed from it.
    """
    best, best_score, tied = -1, -np.inf, 0
    for action in range(len(mask)):
        if mask[action]:
            value = score(sight, action, known)
            if value > best_score:
                best, best_score, tied = action, value, 1
            elif value == best_score:
                tied += 1
                if random_below(rng, tied) == 0:
                    best = action
    return best


@entry
def choose_all(rngs, masks, actions):
    """Choose a legal action in every mask, uniformly at random.

    Args:
        rngs: int64[count, 4], advanced.
        masks: int8[count, num_actions].
        actions: int64[count], written; LOOK where none is legal.
    """
    for index in range(len(masks)):
        actions[index] = choose(rngs[index], masks[index])


@entry
def sample_all(rngs, weights, actions):
    """Draw an action for every row of weights, in proportion to them.

    Args:
        rngs: int64[count, 4], advanced.
        weights: float64[count, num_actions], not negative and not all zero in a row.
        actions: int64[count], written.
    """
    for index in range(len(weights)):
        left = next_word(rngs[index]) / (1 << 32) * weights[index].sum()
        last = -1
        for action in range(weights.shape[1]):
            if weights[index, action] > 0:
                last = action
                left -= weights[index, action]
                if left < 0:
                    break
        actions[index] = last
