"""Comparisons: what each legal action of a decision is worth, by the playouts of a search."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gubs_agents.by_game import symmetry_of
from gubs_agents.common.symmetry import show
from gubs_env.api.agents import Agent, EstimatingAgent
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.choosing import WAIT
from gubs_env.engine.game import Game
from gubs_env.engine.rng import spawn_rngs

GAMES_AT_ONCE = 1024
SAMPLED = 0.25
"""Share of the decisions that are compared: those of one game are much alike."""


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
    the others."""


def compare(
    game: Game,
    agent: Agent,
    search: EstimatingAgent,
    num_players: int,
    rules: Any,
    rng: np.random.Generator,
) -> Comparisons:
    """Play games of an agent against itself, and compare the actions of some decisions.

    Args:
        game, num_players: the table.
        agent: the agent in all seats.
        search: the search that estimates the worth of all legal actions.
        rules: the rules, or a list with those of each of GAMES_AT_ONCE games.
        rng: the RNG of the games and of the search, advanced.

    Raises:
        ValueError: if the search does not estimate a legal action.
    """
    env = VectorEnv(
        game, GAMES_AT_ONCE, num_players, rules, int(rng.integers(2**62)), autoreset=False,
        skip_forced=True,
    )  # fmt: skip
    rngs, kept = spawn_rngs(rng, GAMES_AT_ONCE), []
    while (rows := np.flatnonzero(env.actors >= 0)).size:
        actions, own = np.full(GAMES_AT_ONCE, WAIT), rngs[rows]
        actions[rows] = agent.act(env.observations[rows], env.masks[rows], own)
        rngs[rows] = own
        some = rows[rng.random(len(rows)) < SAMPLED]
        if some.size:
            kept.append((env.views(some), env.observations[some], env.masks[some], actions[some]))
        env.step(actions)
    views, observations, masks, played = (np.concatenate(part) for part in zip(*kept, strict=True))
    _, worths = search.estimate(views, spawn_rngs(rng, len(views)))
    if np.isnan(worths[masks != 0]).any():
        raise ValueError("the search does not estimate every legal action")
    worths = np.where(masks != 0, worths, 0).astype(np.float32)
    shown = show(symmetry_of(game), observations, masks)
    if shown.actions is not None:
        worths = np.take_along_axis(worths, shown.actions, 1)
    return Comparisons(shown.observations, shown.masks, shown.chosen(played), worths)
