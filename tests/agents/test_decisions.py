"""Agents check the decisions that they are asked for before compiled code reads them.

GUBS_ENV_FUZZ=1300 pytest tests/agents/test_decisions.py asks each agent 1,300 times at each table.
"""

from __future__ import annotations

import os
import re

import numpy as np
import pytest

import gubs_agents
from gubs_agents.networks.network import Network, Weights
from gubs_agents.scripted.gubs.heuristic import WEIGHTS, Heuristic
from gubs_env import find_table
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.rng import spawn_rngs
from gubs_env.gubs_v0 import GAME
from tests.agents.test_network import random_layers
from tests.commands import python

NAMES = ("random", "heuristic", "network")
DECISIONS = os.environ.get("GUBS_ENV_FUZZ", "50")
named = pytest.mark.parametrize("name", NAMES)


def make(name, num_players=4):
    if name == "network":
        return Network(Weights(random_layers(num_players)), 0, draw=True)
    return gubs_agents.make(name, find_table("gubs", num_players), seed=0)


@pytest.fixture(scope="module")
def asked():
    env = VectorEnv(find_table(GAME, 4), 6, seed=0)
    env.play_randomly(20)
    return env.observations, env.masks, spawn_rngs(np.random.default_rng(0), 6)


def changed(array, at, value):
    copy = array.copy()
    copy[at] = value
    return copy


FAULTS = {
    "floats": (lambda o, m, r: (o.astype(np.float32), m, r), r"observations are float32\[6, 970\]"),
    "one observation": (lambda o, m, r: (o[0], m, r), r"observations are int8\[970\], expected"),
    "no mask": (lambda o, m, r: (o, None, r), r"masks are object\[\], expected are int8\[6, "),
    "fewer masks": (lambda o, m, r: (o, m[:5], r), r"masks are int8\[5, 94\], .* int8\[6, "),
    "nothing legal": (lambda o, m, r: (o, changed(m, 3, 0), r), "row 3 of masks has no legal"),
    "counts": (lambda o, m, r: (o, changed(m, 2, 3), r), "row 2 of masks holds 3: allowed are 0 "),
    "a list of rngs": (lambda o, m, r: (o, m, r.tolist()), r"rngs are object\[6, 4\], expected"),
    "fewer rngs": (lambda o, m, r: (o, m, r[:2]), r"rngs are int64\[2, 4\], .* int64\[6, 4\]"),
    "bad words": (lambda o, m, r: (o, m, changed(r, 1, -1)), "row 1 of rngs holds -1: allowed"),
}
OF_READERS = {
    "other table": (lambda o, m, r: (o[:, :626], m, r), r"int8\[6, 626\], expected .* 970\]"),
    "too many actions": (lambda o, m, r: (o, m.repeat(2, 1), r), r"int8\[6, 188\], .*\[6, 94\]"),
    "negative": (lambda o, m, r: (changed(o, 4, -1), m, r), "row 4 of .*: entry 0 .*is -1"),
}


@named
@pytest.mark.parametrize("fault", [*FAULTS, *OF_READERS])
def test_what_an_agent_cannot_read_is_refused(name, fault, asked):
    change, message = (FAULTS | OF_READERS)[fault]
    if name == "random" and fault in OF_READERS:
        pytest.skip("it reads no observation and plays at every table")
    with pytest.raises(ValueError, match=message):
        make(name).act(*change(*(part.copy() for part in asked)))


@pytest.mark.parametrize("name", ["heuristic", "policy"])
def test_a_value_out_of_its_range_is_named_by_its_slice(name, asked):
    observations, masks, _ = asked
    piece = GAME.observation_slices(4)["known_hands"]
    for entry, value, place in [(0, 71, "hand[0]"), (piece.start + 25, -5, "known_hands[1, 1]")]:
        wrong = changed(observations, (0, entry), value)
        with pytest.raises(ValueError, match=re.escape(f"entry {entry} ({place}) is {value}, all")):
            gubs_agents.make(name, find_table("gubs", 4), seed=0).act(wrong, masks)


def test_an_agent_is_not_made_for_another_game():
    with pytest.raises(ValueError, match="Heuristic plays gubs_v0, not fubnub_v0"):
        Heuristic(find_table("fubnub"))


def test_read_only_rngs_are_refused(asked):
    observations, masks, rngs = asked
    fixed = rngs.copy()
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="rngs are read-only"):
        make("random").act(observations, masks, fixed)


@named
def test_arrays_of_any_layout_are_read_and_compile_nothing(name, asked):
    observations, masks, rngs = asked
    agent = make(name)
    again = rngs.copy()
    expected = agent.act(observations, masks, again)
    spaced = np.zeros((6, 8), np.int64)
    spaced[:, ::2] = rngs
    others = np.asfortranarray(observations), masks.astype(bool)
    for array in others:
        array.flags.writeable = False
    assert (agent.act(*others, spaced[:, ::2]) == expected).all()
    assert (spaced[:, ::2] == again).all()


@named
def test_no_decisions_have_no_answers(name, asked):
    observations, masks, _ = asked
    assert make(name).act(observations[:0], masks[:0]).shape == (0,)


@pytest.mark.parametrize("weights", [WEIGHTS[:2], np.full_like(WEIGHTS, np.nan), 3.0])
def test_weights_of_another_shape_or_not_finite_are_refused(weights):
    with pytest.raises(ValueError, match=r"expected are finite numbers, float64\[5, 32\]"):
        Heuristic(find_table(GAME), weights=weights)


def test_an_answer_that_is_not_legal_is_refused(asked):
    agent = make("heuristic")
    agent.weights = (np.full_like(WEIGHTS, np.nan),)
    with pytest.raises(ValueError, match="Heuristic chose action -1, which is not legal"):
        agent.act(*asked[:2])


FUZZ = """
import sys
import numpy as np
import gubs_agents
from gubs_env import find_table
from gubs_env.engine.rng import spawn_rngs
count, rng = int(sys.argv[1]), np.random.default_rng(0)
def seen(slices, highs):
    kind = rng.integers(4)
    if kind == 0:
        return np.zeros_like(highs)
    numbers = rng.integers(0, highs.astype(int) + 1)
    if kind == 1:
        numbers *= rng.random(len(highs)) < 0.05
    if kind == 2:
        numbers[:] = 0
        for piece in slices.values():
            numbers[piece.start + rng.integers(piece.size)] = rng.integers(piece.high + 1)
    decision = slices["decision"].of(numbers)
    decision[:] = np.arange(decision.size) == rng.integers(decision.size + 1)
    return numbers.astype(np.int8)
for name, players in (("gubs", (2, 6)), ("fubnub", (1, 4)), ("bad_bad_turtle", (2, 8))):
    for num_players in players:
        table = find_table(name, num_players, {"mode": "ghost"} if num_players == 1 else None)
        slices, highs = table.observation_slices, table.observation_highs
        observations = np.array([seen(slices, highs) for _ in range(count)])
        masks = rng.random((count, table.num_actions)) < rng.random((count, 1))
        masks[range(count), rng.integers(masks.shape[1], size=count)] = True
        for agent in ("greedy", "heuristic"):
            made = gubs_agents.make(agent, table, seed=0)
            actions = made.act(observations, masks, spawn_rngs(rng, count))
            assert masks[range(count), actions].all()
"""


def test_scripted_agents_answer_every_observation_within_its_range():
    """Uncompiled, an index out of range raises."""
    python(FUZZ, DECISIONS, options=["-W", "error"], NUMBA_DISABLE_JIT="1")
