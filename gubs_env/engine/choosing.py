"""Choosing among legal actions, and what `advance` understands in place of an action."""

from __future__ import annotations

import numpy as np

from gubs_env.engine.compilation import entry, inlined
from gubs_env.engine.rng import next_word, random_below

LOOK = -1
"""Play nothing, only write what is seen and legal."""
CHOOSE = -2
"""Choose uniformly among the legal actions."""


@inlined
def count_legal(mask):
    count = 0
    for action in range(len(mask)):
        count += int(mask[action])
    return count


@inlined
def nth_legal(mask, n):
    """The legal action that has n legal ones before it; there must be so many."""
    action = -1
    while n >= 0:
        action += 1
        n -= int(mask[action])
    return action


@inlined
def choose(rng, mask):
    """A uniformly random legal action of a mask; LOOK where none is legal."""
    count = count_legal(mask)
    return nth_legal(mask, random_below(rng, count)) if count > 0 else LOOK


@inlined
def choose_best(rng, mask, score, seen, known):
    """The legal action with the highest `score(seen, action, known)`; ties at random.

    Args:
        rng: int64[4], the generator that breaks ties.
        mask: int8[num_actions], at least one of them legal.
        seen, known: whatever `score` reads: what is seen, and what was made of it.
    """
    best, best_score, tied = -1, -np.inf, 0
    for action in range(len(mask)):
        if mask[action]:
            value = score(seen, action, known)
            if value > best_score:
                best, best_score, tied = action, value, 1
            elif value == best_score:
                tied += 1
                if random_below(rng, tied) == 0:
                    best = action
    return best


@entry
def choose_all(rngs, masks, actions):
    """Choose in every mask: reads int64[count, 4] generators, writes int64[count]."""
    for index in range(len(masks)):
        actions[index] = choose(rngs[index], masks[index])


@entry
def sample_all(rngs, weights, actions):
    """Draw in proportion to float64[count, num_actions] weights, one int64 action a row."""
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
