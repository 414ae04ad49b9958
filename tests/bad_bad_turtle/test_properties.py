"""Random games of Bad, Bad, Turtle; the properties of all games are in tests/games."""

from __future__ import annotations

import numpy as np

from gubs_env.bad_bad_turtle_v0 import Rules, raw_env
from tests.bad_bad_turtle.case import CASE


def test_the_length_of_games_is_that_of_the_rules():
    """Check for a mean of 26 to 45 decisions of random play, as found with the rules."""
    games = CASE.games(2000, 4, {}, seed=3)
    while games.under_way.any():
        games.random_step()
    assert 26 <= games.states["decisions"].mean() <= 45


def test_every_word_is_said():
    """Tell games in words, until everything that can be told was told."""
    said = set()
    for seed in range(60):
        environment, rng = raw_env(4, Rules()), np.random.default_rng(seed)
        environment.reset(seed=seed)
        while not environment.is_done(environment.agent_selection):
            mask = environment.observe(environment.agent_selection)["action_mask"]
            environment.step(int(rng.choice(np.flatnonzero(mask))))
        said |= {word for line in environment.log() for word in line.split()}
        environment.describe("player_0")
    wanted = "takes under performs: declines: picks lets plays forces reveals eliminated back anew"
    assert set(wanted.split()) <= said
