"""Comparisons: what each legal action of a decision is worth, by the playouts of a search."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gubs_agents.common.decisions import SOUND, first_fault, refuse
from gubs_agents.common.symmetry import show
from gubs_agents.networks.network import form_of
from gubs_agents.scripted.by_game import symmetry_of
from gubs_agents.training.supervised.decisions import decisions, joined
from gubs_env.agents.registry import Agent, EstimatingAgent
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.rng import spawn_rngs
from gubs_env.engine.table import Table
from gubs_env.support.checks import check_array
from gubs_env.support.files import read_arrays

GAMES_AT_ONCE = 1024
SAMPLED = 0.25
"""Share of the decisions that are compared: those of one game are much alike."""
ENDS = 1.2
"""The numerator of the chance that a decision is compared with `ends`. The denominator is the
number of decisions that its player still makes in the game, this one included. The largest chance
is MOST_OF_ENDS."""
MOST_OF_ENDS = 0.6


class Comparisons(NamedTuple):
    """Decisions with the worth of their actions, as a network sees them."""

    observations: np.ndarray
    """int8[count, observation_size]: what the players to decide see."""
    masks: np.ndarray
    """int8[count, num_actions]: the legal actions, at least two of them."""
    actions: np.ndarray
    """int64[count]: what the agent played."""
    worths: np.ndarray
    """float32[count, num_actions]: the worth of each legal action to the player to decide; 0 for
    the others, and for all actions of a decision that was not compared."""


def compare(
    agent: Agent,
    search: EstimatingAgent,
    tables: Sequence[Table],
    rng: np.random.Generator,
    ends: bool = False,
) -> Comparisons:
    """Play games of an agent against itself, and compare the actions of some decisions.

    Args:
        agent: the agent in all seats.
        search: the search that estimates the worth of all legal actions.
        tables: the table, or a list with that of each of GAMES_AT_ONCE games.
        rng: the RNG of the games and of the search, advanced.
        ends: compare more of the last decisions of games than of the first, and return as many
            decisions that are not compared.

    Raises:
        ValueError: if the search does not estimate a legal action.
    """
    seed = int(rng.integers(2**62))
    env = VectorEnv(tables, GAMES_AT_ONCE, seed, autoreset=False, skip_forced=True)
    parts = []
    for rows, actions in decisions(env, agent, rng):
        some = np.ones(len(rows), bool) if ends else rng.random(len(rows)) < SAMPLED
        if some.any():
            at = rows[some]
            seats = at * env.num_players + env.actors[at]
            parts.append((seats, env.views(at), env.observations[at], env.masks[at], actions[some]))
    seats, *found = joined(parts)
    compared = np.ones(len(seats), bool)
    if ends:
        compared = rng.random(len(seats)) < np.minimum(ENDS / decisions_left(seats), MOST_OF_ENDS)
        kept = compared | (rng.random(len(seats)) < compared.mean())
        compared, *found = (column[kept] for column in (compared, *found))
    views, observations, masks, played = found
    worths = np.zeros(masks.shape)
    _, worths[compared] = search.estimate(views[compared], spawn_rngs(rng, int(compared.sum())))
    if np.isnan(worths[masks != 0]).any():
        raise ValueError("the search does not estimate every legal action")
    worths = np.where(masks != 0, worths, 0).astype(np.float32)
    shown = show(symmetry_of(env.game), observations, masks)
    if shown.actions is not None:
        worths = np.take_along_axis(worths, shown.actions, 1)
    return Comparisons(shown.observations, shown.masks, shown.chosen(played), worths)


def decisions_left(seats: np.ndarray) -> np.ndarray:
    """Return how many decisions of a seat are left, each one included, int64[count].

    Args:
        seats: int64[count], a number for each seat of each game, in the order of the decisions.
    """
    order = np.argsort(seats, kind="stable")
    _, counts = np.unique(seats, return_counts=True)
    left = np.empty(len(seats), np.int64)
    left[order] = np.concatenate([np.arange(count, 0, -1) for count in counts])
    return left


def read_comparisons(path: Path, table: Table) -> Comparisons:
    """Read comparisons that were written with `np.savez_compressed`, and check every number.

    Raises:
        OSError, ValueError: as for `read_arrays`.
    """
    what = "comparisons of this table"
    return read_arrays(path, what, lambda arrays: check_comparisons(Comparisons(**arrays), table))


def check_comparisons(part: Comparisons, table: Table) -> Comparisons:
    """Return comparisons; raise ValueError if anything is out of its range, for compiled functions
    will read it."""
    form = form_of(table)
    positions = observations, legal, rngs = form.read(part.observations, part.masks, None, None)
    if (row := first_fault(observations, legal, rngs, form.highs)) != SOUND:
        refuse(row, positions, form)
    any_action = np.empty(len(legal), np.int64)
    check_array("actions", part.actions, any_action, 0, table.num_actions - 1)
    check_array("worths", part.worths, np.empty(legal.shape, np.float32))
    if not legal[np.arange(len(legal)), part.actions].all():
        raise ValueError("an action is not legal")
    return part
