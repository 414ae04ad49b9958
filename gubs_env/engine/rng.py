"""The RNG of a game: one xoshiro128** generator in each state.

Blackman and Vigna, "Scrambled linear pseudorandom number generators" (2018). The four words hold 32
bits each and are kept as int64, so that the arithmetic never overflows and is the same compiled,
uncompiled and on every platform.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gubs_env.engine.compiling import compiled, inlined

WORD = 0xFFFFFFFF


def seed_rng(seed: int | Sequence[int] | None) -> np.ndarray:
    """Return the state of a new RNG, int64[4] in 0 … 2³² − 1; None takes fresh entropy."""
    return np.random.SeedSequence(seed).generate_state(4, np.uint32).astype(np.int64)


def spawn_rngs(rng: np.random.Generator, count: int) -> np.ndarray:
    """Return the states of `count` new RNGs, int64[count, 4], drawn from a generator of NumPy."""
    return rng.integers(1 << 32, size=(count, 4))


@inlined
def rotate(word: int, bits: int) -> int:
    return ((word << bits) & WORD) | (word >> (32 - bits))


@inlined
def next_word(rng: Any) -> int:
    """Return the next 32 random bits."""
    result = (rotate((rng[1] * 5) & WORD, 7) * 9) & WORD
    shifted = (rng[1] << 9) & WORD
    rng[2] ^= rng[0]
    rng[3] ^= rng[1]
    rng[1] ^= rng[2]
    rng[0] ^= rng[3]
    rng[2] ^= shifted
    rng[3] = rotate(rng[3], 11)
    return result


@inlined
def spawn_into(rng: Any, new: Any) -> None:
    """Draw the state of a new RNG from another one; write it into `new`, int64[4]."""
    for word in range(4):
        new[word] = next_word(rng)


@inlined
def random_below(rng: Any, bound: int) -> int:
    """Return a number in 0 … bound − 1, uniformly at random.

    Words past the last multiple of `bound` are drawn again.
    """
    limit = (1 << 32) - (1 << 32) % bound
    word = next_word(rng)
    while word >= limit:
        word = next_word(rng)
    return word % bound


@compiled
def shuffle(rng: Any, cards: np.ndarray, count: int) -> None:
    """Put the first `count` cards in a uniformly random order (Fisher and Yates)."""
    for place in range(count - 1, 0, -1):
        other = random_below(rng, place + 1)
        cards[place], cards[other] = cards[other], cards[place]


@compiled
def random_choice(rng: Any, weights: np.ndarray) -> int:
    """Return an index of `weights`, drawn with a probability in proportion to its entry.

    Args:
        rng: int64[4], which is drawn from.
        weights: whole numbers of at least 0, of which one is more; their sum is below 2³².

    Raises:
        ValueError: for other weights.
    """
    total = 0
    for weight in weights:
        if weight < 0 or weight != int(weight):
            raise ValueError("random_choice: weights are whole numbers of at least 0")
        total += weight
    if total < 1 or total > WORD:
        raise ValueError("random_choice: the weights sum to 0, or to more than 32 bits")
    left = random_below(rng, total)
    for index in range(len(weights)):
        left -= weights[index]
        if left < 0:
            return index
    return len(weights) - 1
