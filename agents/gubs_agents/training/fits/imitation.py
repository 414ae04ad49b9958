"""Imitation: before self-play, policy and value are fitted to the games of a teacher.

This is behavioural cloning (Pomerleau, "ALVINN", 1988). A minute of imitation reaches a strength
for which self-play needs hours; self-play then goes beyond the teacher.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from gubs_agents.common.symmetry import show
from gubs_agents.scripted.by_game import symmetry_of
from gubs_agents.training.distributed import rank, size
from gubs_agents.training.options import Options
from gubs_env.agents.registry import Agent
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.rng import spawn_rngs

GAMES_AT_ONCE = 1024
BATCH = 1024


class Examples(NamedTuple):
    """A batch of a teacher's decisions, as the network sees them."""

    observations: np.ndarray
    """int8[count, observation_size]: observations of the teacher."""
    masks: np.ndarray
    """int8[count, num_actions]: the legal actions, at least two of them."""
    actions: np.ndarray
    """int64[count]: actions that the teacher chose."""
    returns: np.ndarray
    """float32[count]: discounted future rewards of the seat that decided."""


def play(teacher: Agent, options: Options, seed: int) -> Examples:
    """Play games of the teacher against itself; return all decisions with several legal actions.

    The rewards are those of a learner with these options, with the initial weight of shaping.
    """
    game, tables = options.table.game, options.tables(GAMES_AT_ONCE, seed)
    env = VectorEnv(tables, GAMES_AT_ONCE, seed, autoreset=False, skip_forced=True)
    rngs = spawn_rngs(np.random.default_rng(seed), GAMES_AT_ONCE)
    payoffs = np.zeros_like(env.rewards)
    seen, games, seats = [], [], []
    while (rows := np.flatnonzero(env.actors >= 0)).size:
        own = rngs[rows]
        actions = np.full(GAMES_AT_ONCE, LOOK)
        actions[rows] = teacher.act(env.observations[rows], env.masks[rows], own)
        if (actions[rows] < 0).any():  # LOOK would leave the game as it is, for ever
            raise ValueError(f"the teacher answered {actions[rows].min()}, which is not legal")
        rngs[rows] = own
        seen.append((env.observations[rows], env.masks[rows], actions[rows]))
        games.append(rows)
        seats.append(env.actors[rows])
        env.step(actions)
        payoffs += env.rewards
    observations, masks, actions = (np.concatenate(part) for part in zip(*seen, strict=True))
    leads, ends = game.lead(observations, env.num_players), payoffs
    standings = np.float32(options.shaping if options.shaping_until else 0) * leads
    if options.reward == "lead":
        standings, ends = standings + leads, final_leads(env)
    returns = discounted_gains(standings, ends, games, seats, options.discount)
    shown = show(symmetry_of(game), observations, masks)
    return Examples(shown.observations, shown.masks, shown.chosen(actions), returns)


def final_leads(env: VectorEnv) -> np.ndarray:
    """Return the lead of every seat in finished games, float32[games, num_players]."""
    seats = range(env.num_players)
    last = np.array([[env.observe(game, seat) for seat in seats] for game in range(env.num_envs)])
    return env.game.lead(last.reshape(-1, last.shape[-1]), env.num_players).reshape(last.shape[:2])


def discounted_gains(
    standings: np.ndarray,
    ends: np.ndarray,
    games: list[np.ndarray],
    seats: list[np.ndarray],
    discount: float,
) -> np.ndarray:
    """Return the discounted gains in standing after each decision, float32[count].

    For example, a seat with standings 0 and 2 at its two decisions and 5 at the end has the gains 2
    and 3; with a discount of 0.9 the returns are 2 + 0.9 × 3 = 4.7 and 3.

    Args:
        standings: float32[count]: the standing of the deciding seat at each decision.
        ends: float32[games, num_players]: the final standing of every seat.
        games: indices of the games that were decided in, one array for each round, in the order of
            `standings`.
        seats: the seats that decided, in the same form.
        discount: discount factor between two decisions of the same seat.
    """
    following, to_come = ends.copy(), np.zeros_like(ends)
    returns, stop = np.zeros_like(standings), len(standings)
    for rows, own in zip(reversed(games), reversed(seats), strict=True):
        here = slice(stop - len(rows), stop)
        gained = following[rows, own] - standings[here]
        returns[here] = gained + discount * to_come[rows, own]
        following[rows, own], to_come[rows, own] = standings[here], returns[here]
        stop = here.start
    return returns


def minibatches(
    teacher: Agent,
    options: Options,
    progress: Callable[[int], object] = lambda count: None,
) -> Iterator[Examples]:
    """Yield `options.imitate` decisions of the teacher in minibatches, each decision once.

    All workers play the same games, and each is given its share of every minibatch.

    Args:
        teacher: the agent that plays all seats.
        options: options of the run.
        progress: function that is called with the number of decisions after each minibatch.
    """
    rng, done = np.random.default_rng(options.seed), 0
    while done < options.imitate:
        examples = play(teacher, options, seed=int(rng.integers(2**62)))
        order = rng.permutation(len(examples.actions))
        for start in range(0, len(order), BATCH):
            if done >= options.imitate:
                break
            rows = order[start : start + BATCH]
            share = rows[rank() : len(rows) - len(rows) % size() : size()]
            if len(share):
                yield Examples(*(part[share] for part in examples))
            done += len(rows)
            progress(len(rows))
