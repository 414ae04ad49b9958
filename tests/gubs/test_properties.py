"""The properties of Gubs alone; the properties of all games are in tests/games."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_env.engine.choosing import LOOK, choose_all
from gubs_env.engine.seats import NOBODY
from gubs_env.games.gubs.rules import HAND_LIMIT
from gubs_env.games.gubs.state import Phase
from gubs_env.gubs_v0 import GAME
from tests.games.case import at_tables
from tests.gubs.case import CASE, PROPER, SIZES, TABLES

sizes = pytest.mark.parametrize("num_players", SIZES)
UNDER_WAY = [Phase.NAME, Phase.TARGET, Phase.MEANT]
"""Phases of a move whose picks are not complete."""


@at_tables(TABLES)
def test_turns_end_with_at_most_eight_cards_and_nobody_skips_twice(num_players, options):
    games = CASE.games(60, num_players, options, seed=77)
    index = np.arange(games.num_envs)
    while games.under_way.any():
        before = games.states[["turn", "phase", "skipped"]].copy()
        games.random_step()
        after = games.states
        new_turn = after["turn"] != before["turn"]
        assert (after["hand_size"][index, before["turn"]] <= HAND_LIMIT)[new_turn].all()
        skipping = (before["phase"] == Phase.DRAW) & (games.actions == 0)
        assert not before["skipped"][index, before["turn"]][skipping].any()


@sizes
def test_every_offered_action_can_be_played_and_completed(num_players):
    """Check that a move that has begun can be completed, whatever is picked."""
    games = CASE.games(3, num_players, {}, seed=5)
    twins = CASE.games(150, num_players, {})
    while games.under_way.any():
        index, legal = np.nonzero(games.masks)
        assert len(index) <= twins.num_envs
        twins._states[: len(index)] = games.states[index]
        twins.look()
        actions = np.full(twins.num_envs, LOOK)
        actions[: len(index)] = legal
        twins.step(actions)
        CASE.check(twins)
        moving = np.isin(twins.states["phase"], UNDER_WAY)
        while moving.any():
            choose_all(twins.rngs, twins.masks, twins.actions)
            twins.step(np.where(moving, twins.actions, LOOK))
            moving = np.isin(twins.states["phase"], UNDER_WAY)
        CASE.check(twins)
        games.random_step()


@at_tables(PROPER)
def test_a_view_shows_no_hand_of_another_and_nobody_who_is_asked_in_secret(num_players, options):
    games = CASE.games(5, num_players, options, seed=33)
    for _ in range(150):
        for index in np.flatnonzero(games.under_way):
            viewer = index % num_players
            state = GAME.view(games.states, index, viewer).state
            assert not np.delete(state.hand, viewer, axis=0).any()
            assert state.actor in (NOBODY, games.states["actor"][index])
        games.random_step()
