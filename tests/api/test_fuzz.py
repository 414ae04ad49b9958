"""Every public entry, given anything, works or raises a clear error of the expected kind.

`GUBS_ENV_FUZZ=20000` sets how many examples are tried at each entry (`./run fuzz`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import gubs_agents
from gubs_env import bad_bad_turtle_v0, find_game, find_table, fubnub_v0, gubs_v0
from gubs_env.agents.parsing import parse_rules
from gubs_env.agents.registry import parse_agent
from gubs_env.engine.option_texts import parse_options, parse_value
from gubs_env.records.record import Record, read_line

EXAMPLES = int(os.environ.get("GUBS_ENV_FUZZ", "20"))
EXPECTED = (ValueError, TypeError, AssertionError, RuntimeError, gymnasium.error.Error)
MODULES = (gubs_v0, fubnub_v0, bad_bad_turtle_v0)

small = st.integers(-3, 12)
plain = st.one_of(
    st.none(), st.booleans(), small, st.integers(), st.floats(), st.text(max_size=20),
    st.sampled_from(["player_0", "Lure", "PASS", "heuristic", "random:seed=1", "Gub ×2", "a=1+b="]),
)  # fmt: skip
nested = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=4,
)
shapes = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
kinds = st.sampled_from([np.int64, np.int8, np.uint8, np.float32, np.bool_, np.complex64, object])
ndarrays = kinds.flatmap(
    lambda kind: arrays.arrays(kind, shapes, elements=st.integers(0, 12).map(kind))
)
numpys = st.sampled_from(
    [np.int32(2), np.uint64(2**63), np.True_, np.float32(1), np.str_("thirds"), np.array(["team"]),
     np.array(["thirds"]), np.array(True), np.array(1), np.array([None])]
)  # fmt: skip
huge = st.sampled_from([10**30, -(10**30), 2**63, 2**63 - 1, 2**64, -(2**63) - 1])
anything = st.one_of(nested, ndarrays, numpys, huge, st.builds(object))
LARGEST = 2**63 - 1
few = anything.filter(lambda value: not isinstance(value, int) or not 50 <= value <= LARGEST)
"""Anything but a number that only asks for much time."""
many = anything.filter(lambda value: not isinstance(value, int) or not 50 <= value <= 10**15)
"""Anything but a number of things that fit into memory, and only take time."""
options = st.dictionaries(st.text(max_size=6), nested, max_size=3)


@cache
def dealt(module: ModuleType, kind: str) -> Any:
    """Return an environment with a game under way."""
    if kind == "batch":
        return module.vector_env(3, seed=1)
    if kind == "gym":
        env = module.single_agent_env()
        env.reset(seed=1)
        return env
    env = (module.env if kind == "env" else module.raw_env)()
    env.reset(seed=1)
    return env


def revived(module: ModuleType, kind: str) -> Any:
    """Return such an environment, dealt anew if its game is over."""
    env = dealt(module, kind)
    if kind in ("raw", "env") and not env.agents:
        env.reset()
    return env


def rules_from(module: ModuleType, data: Any) -> None:
    names = sorted(module.Rules().as_dict())
    rules = module.Rules(**{data.draw(st.sampled_from(names)): data.draw(anything)})
    assert module.Rules(**json.loads(json.dumps(rules.as_dict()))) == rules


def position_from(module: ModuleType, data: Any) -> None:
    texts = st.lists(st.sampled_from(["", "Lure", "Gub", "Gold 2", "R1 R2", "Turtle", "Peek"]))
    names = sorted(module.position.__annotations__.keys() - {"return"})
    given = {"hands": data.draw(texts | anything)} if "hands" in names else {}
    given |= {data.draw(st.sampled_from(names)): data.draw(anything | texts) for _ in range(2)}
    module.position(**given)


def step_anything(kind: str) -> Callable[[ModuleType, Any], None]:
    return lambda module, data: revived(module, kind).step(data.draw(anything))


def call(kind: str, name: str, *drawn: Any) -> Callable[[ModuleType, Any], None]:
    """Return an entry: a method of an environment, with drawn arguments."""

    def entry(module: ModuleType, data: Any) -> None:
        method = getattr(revived(module, kind), name)
        method(*(data.draw(strategy) for strategy in drawn))

    return entry


def act_from(module: ModuleType, data: Any) -> None:
    agent = gubs_agents.make("random", find_table(module.GAME, 2), seed=0)
    agent.act(data.draw(anything), data.draw(anything), data.draw(anything))


ENTRIES: dict[str, Callable[[ModuleType, Any], Any]] = {
    "Rules": rules_from,
    "Rules, other names": lambda m, data: m.Rules(**data.draw(options)),
    "position": position_from,
    "env": lambda m, data: m.env(data.draw(anything), data.draw(anything), data.draw(anything)),
    "vector_env": lambda m, data: m.vector_env(
        data.draw(many), data.draw(anything), rules=data.draw(anything), seed=data.draw(anything),
        autoreset=data.draw(anything), threads=data.draw(few), history=data.draw(many),
    ).close(),
    "single_agent_env": lambda m, data: m.single_agent_env(
        data.draw(anything), opponents=data.draw(anything), seat=data.draw(anything)
    ),
    "single_agent_vector_env": lambda m, data: m.single_agent_vector_env(
        data.draw(many), data.draw(anything), render_mode=data.draw(anything),
        dtype=data.draw(anything), dict_observations=data.draw(anything),
    ),
    "make an agent": lambda m, data: gubs_agents.make(
        data.draw(st.sampled_from(["random", "greedy", "heuristic"])),
        find_table(m.GAME, data.draw(anything), data.draw(anything)),
        seed=data.draw(anything),
    ),
    "from_json": lambda m, data: m.raw_env.from_json(data.draw(anything)),
    "reset": call("raw", "reset", anything, st.none() | anything),
    "step of raw_env": step_anything("raw"),
    "step of env": step_anything("env"),
    "step of gym": step_anything("gym"),
    "reset of gym": lambda m, data: revived(m, "gym").reset(seed=data.draw(anything)),
    "set_state": call("raw", "set_state", anything),
    "observe": call("raw", "observe", anything),
    "observation_space": call("raw", "observation_space", anything),
    "action_space of env": call("env", "action_space", anything),
    "view": call("raw", "view", anything),
    "describe": call("raw", "describe", anything),
    "log": call("raw", "log", anything, st.just(0) | anything),
    "play": call("raw", "play", anything),
    "parse_move": call("raw", "parse_move", anything),
    "action_text": call("raw", "action_text", anything),
    "history": call("raw", "history", anything),
    "action_name": call("raw", "action_name", anything),
    "action_index": call("raw", "action_index", anything),
    "batch step": call("batch", "step", anything),
    "batch deal": call("batch", "deal", anything, anything),
    "batch observe": call("batch", "observe", anything, anything),
    "batch views": call("batch", "views", anything),
    "batch outcome": call("batch", "outcome", anything),
    "batch legal_moves": call("batch", "legal_moves", anything),
    "batch play": call("batch", "play", few, anything),
    "batch action_text": call("batch", "action_text", few, anything),
    "batch reset": call("batch", "reset", anything | st.lists(small | huge, max_size=3)),
    "batch look": call("batch", "look", anything),
    "batch set_rules": call("batch", "set_rules", anything),
    "batch set_states": call("batch", "set_states", anything, anything),
    "batch determinize": call("batch", "determinize", anything, anything),
    "batch play_randomly": call("batch", "play_randomly", few, anything),
    "act": act_from,
    "record of": lambda m, data: Record.of(
        revived(m, "env"), data.draw(anything), data.draw(anything)
    ),
    "record line": lambda m, data: read_line(data.draw(anything), "line 1", m.GAME),
    "parse_rules": lambda m, data: parse_rules(data.draw(anything), m.GAME),
}  # fmt: skip
TEXTS: dict[str, Callable[[str], Any]] = {
    "find_game": find_game,
    "parse_agent": parse_agent,
    "parse_options": parse_options,
    "parse_value": parse_value,
    "make": lambda text: gubs_agents.make(text),
}
budget = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    database=None,
)


def check_error(error: Exception) -> None:
    assert not isinstance(error, RecursionError)
    assert str(error).strip(), f"{error!r} says nothing"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.GAME.name)
def test_an_entry_takes_anything_or_says_what_is_wrong(module, entry):
    @budget
    @given(st.data())
    def try_anything(data):
        try:
            ENTRIES[entry](module, data)
        except EXPECTED as error:
            check_error(error)

    try_anything()


@pytest.mark.parametrize("entry", TEXTS)
def test_a_text_is_read_or_says_what_is_wrong(entry):
    @budget
    @given(st.text(max_size=40) | st.text(alphabet="ab:=+;,.1 ", max_size=20))
    def try_text(text):
        try:
            TEXTS[entry](text)
        except EXPECTED as error:
            check_error(error)

    try_text()
