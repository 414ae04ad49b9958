"""Sessions and screens for the tests of playing."""

from __future__ import annotations

import os

import numpy as np
import pytest

from gubs_env import GAMES, find_table
from gubs_env.api.aec import environment_of
from gubs_env.play.opponents import make_player
from gubs_env.play.screen import Screen
from gubs_env.play.session import Session

every_game = pytest.mark.parametrize("game", GAMES)


class Typist(Screen):
    """A screen whose lines come from a list; what is printed goes to standard output."""

    def __init__(self, lines=(), width=81, height=24):
        super().__init__()
        self.lines, self.asked = iter(lines), []
        self.size = os.terminal_size((width, height))

    def _size(self):
        return self.size

    def ask(self, prompt):
        self.asked.append(prompt)
        return next(self.lines)


def dealt(game="gubs", num_players=None, seed=1, rules=None):
    """Return a game that is dealt."""
    env = environment_of(find_table(game, num_players, rules))
    env.reset(seed)
    return env


def seated(env, people=("player_0",), opponent="random", adviser=None, path=None):
    """Return a session of these people against agents."""
    player = make_player(opponent, env.table, 0.1)
    others = {seat: player for seat in env.possible_agents if seat not in people}
    return Session(env, others, adviser, seed=3, path=path)


def play_to_the_end(env, rng):
    """Play random actions until the game is over."""
    while not env.is_done(env.agent_selection):
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        env.step(int(rng.choice(legal)))


def rng_of(seed):
    return np.random.default_rng(seed)
