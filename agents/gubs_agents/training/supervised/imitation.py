"""Imitation: before self-play, policy and value are fitted to the games of a teacher.

This is behavioural cloning (Pomerleau, "ALVINN", 1988). A minute of imitation reaches a strength
for which self-play needs hours; self-play then goes beyond the teacher.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from gubs_agents.common.symmetry import show
from gubs_agents.scripted.by_game import symmetry_of
from gubs_agents.training.distributed import rank, size
from gubs_agents.training.options import Options
from gubs_agents.training.supervised.decisions import decisions, endless_minibatches, joined
from gubs_env.agents.registry import Agent
from gubs_env.api.vector import VectorEnv

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
    tables = options.tables(GAMES_AT_ONCE, seed)
    env = VectorEnv(tables, GAMES_AT_ONCE, seed, autoreset=False, skip_forced=True)
    payoffs, rounds, games, seats = np.zeros_like(env.rewards), [], [], []
    for rows, actions in decisions(env, teacher, np.random.default_rng(seed)):
        payoffs += env.rewards
        rounds.append((env.observations[rows], env.masks[rows], actions))
        games.append(rows)
        seats.append(env.actors[rows])
    observations, masks, actions = joined(rounds)
    leads, ends = env.game.lead(observations, env.num_players), payoffs + env.rewards
    standings = np.float32(options.shaping if options.shaping_until else 0) * leads
    if options.reward == "lead":
        standings, ends = standings + leads, final_leads(env)
    returns = discounted_gains(standings, ends, games, seats, options.discount)
    shown = show(symmetry_of(env.game), observations, masks)
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
    for rows, players in zip(reversed(games), reversed(seats), strict=True):
        here = slice(stop - len(rows), stop)
        gained = following[rows, players] - standings[here]
        returns[here] = gained + discount * to_come[rows, players]
        following[rows, players], to_come[rows, players] = standings[here], returns[here]
        stop = here.start
    return returns


def minibatches(
    teacher: Agent, options: Options, progress: Callable[[int], object] = lambda count: None
) -> Iterator[Examples]:
    """Yield `options.imitate` decisions of the teacher in minibatches, each decision once.

    All workers play the same games, and each is given its share of every minibatch.

    Args:
        teacher: the agent that plays all seats.
        options: options of the run.
        progress: function that is called with the number of decisions after each minibatch.
    """
    done = 0
    for batch in endless_minibatches(partial(play, teacher, options), options.seed, BATCH):
        count = len(batch.actions)
        share = slice(rank(), count - count % size(), size())
        if share.start < share.stop:
            yield Examples(*(part[share] for part in batch))
        done += count
        progress(count)
        if done >= options.imitate:
            return
