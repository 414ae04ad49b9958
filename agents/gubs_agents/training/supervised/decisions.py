"""The decisions of an agent that plays against itself, and minibatches of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np

from gubs_env.agents.registry import Agent, MemoryAgent, SearchAgent, TextAgent, build
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.choosing import WAIT
from gubs_env.engine.rng import spawn_rngs
from gubs_env.engine.table import Table

Rows = TypeVar("Rows", bound=tuple[Any, ...])
"""Decisions to learn from: a named tuple of arrays, each with a row for every decision."""


def build_player(text: str, table: Table, seed: int) -> Agent:
    """Build an agent that can play thousands of games side by side.

    Raises:
        ValueError, OSError: as for `build`; ValueError also for an agent that does not act on
            observations alone.
    """
    agent = build(text, table, seed)
    if isinstance(agent, SearchAgent | TextAgent | MemoryAgent):
        raise ValueError(
            f"agent={text!r}: allowed are agents that act on observations alone, because thousands "
            "of games are played"
        )
    return agent


def decisions(
    env: VectorEnv, agent: Agent, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Let an agent play all seats to the end of every game, and yield each round of decisions.

    Args:
        env: the games; their arrays are those of the decisions until the next round is asked for.
        agent: the agent.
        rng: the RNG from which those of the agent are drawn first of all.

    Yields:
        The games that are decided in, and the actions there: int64[count] each.

    Raises:
        ValueError: for an action that is not legal.
    """
    rngs = spawn_rngs(rng, env.num_envs)
    while (rows := np.flatnonzero(env.actors >= 0)).size:
        words = rngs[rows]
        answers = agent.act(env.observations[rows], env.masks[rows], words)
        if (answers < 0).any():  # the game would stay as it is, for ever
            raise ValueError(f"the agent answered {answers.min()}, which is not legal")
        rngs[rows] = words
        yield rows, answers
        actions = np.full(env.num_envs, WAIT)
        actions[rows] = answers
        env.step(actions)


def joined(parts: Iterable[Iterable[np.ndarray]]) -> list[np.ndarray]:
    """Return the columns of several parts, each column in one array."""
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


def minibatches(examples: Rows, rng: np.random.Generator, size: int) -> Iterator[Rows]:
    """Yield all examples in minibatches, in a random order; the last one may be smaller."""
    order = rng.permutation(len(examples[0]))
    for start in range(0, len(order), size):
        yield type(examples)(*(part[order[start : start + size]] for part in examples))


def endless_minibatches(play: Callable[[int], Rows], seed: int, size: int) -> Iterator[Rows]:
    """Yield minibatches of ever new games, which are played when they are needed.

    Args:
        play: returns the examples of games with a seed.
        seed: seed of the seeds and of the order.
        size: the most examples of a minibatch.
    """
    rng = np.random.default_rng(seed)
    while True:
        yield from minibatches(play(int(rng.integers(2**62))), rng, size)
