"""The tables on which the interfaces are tested, and random play at them."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0

MODULES = (gubs_v0, fubnub_v0, bad_bad_turtle_v0)
every_module = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.GAME.name)
TABLES = {
    **{f"gubs, {n} players": (gubs_v0, n, {}) for n in range(2, 7)},
    "gubs, everyone asked": (gubs_v0, 3, {"ask_everyone": True}),
    **{
        f"fubnub, {mode} for {n}": (fubnub_v0, n, {"mode": mode})
        for mode, n in (
            ("team", 4), ("ghost", 1), ("ghost", 3), ("royal", 2), ("royal", 4),
            ("ghost_royal", 1), ("full", 4),
        )
    },
    "fubnub, cut off": (fubnub_v0, 4, {"mode": "full", "max_cycles": 100}),
    **{f"turtle, {n} players": (bad_bad_turtle_v0, n, {}) for n in (2, 4, 8)},
    "turtle, cut off": (bad_bad_turtle_v0, 3, {"max_cycles": 25}),
}  # fmt: skip


def at(tables):
    """Run a test for `module`, `num_players` and `options` of each of these tables."""
    names = ("module", "num_players", "options")
    return pytest.mark.parametrize(names, tables.values(), ids=tables.keys())


tables = at(TABLES)


def random_action(environment, rng):
    observation, _, terminated, truncated, _ = environment.last()
    if terminated or truncated:
        return None
    return int(rng.choice(np.flatnonzero(observation["action_mask"])))


def play(environment, decisions=10**6, seed=0):
    """Play a number of random decisions, or to the end, when all agents have left."""
    rng = np.random.default_rng(seed)
    for _ in range(decisions):
        if not environment.agents:
            break
        environment.step(random_action(environment, rng))
    return environment


def play_to_the_end(environment, seed=0):
    """Play random decisions until the game is over; no agent has left yet."""
    rng = np.random.default_rng(seed)
    while not environment.unwrapped.is_done(environment.agent_selection):
        environment.step(random_action(environment, rng))
    return environment


def started(module, num_players, options, seed=7, decisions=0):
    environment = module.raw_env(num_players, module.Rules(**options))
    environment.reset(seed=seed)
    return play(environment, decisions)
