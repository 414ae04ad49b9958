"""One thread uses an object at a time; different objects share nothing that changes."""

from __future__ import annotations

import copy
import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest

import gubs_agents
from gubs_env import bad_bad_turtle_v0, find_table, fubnub_v0, gubs_v0
from gubs_env.engine.rng import seed_rng
from gubs_env.support.exclusive import Exclusive
from tests.amounts import MORE
from tests.api.tables import MODULES, every_module
from tests.api.test_copies import ENVIRONMENTS, plain
from tests.commands import python

IN_USE = "is in use by another thread: give each thread one of its own"
FREE = {
    "action_index", "action_name", "action_space", "agent_iter", "close", "counts_of",
    "env_is_wrapped", "env_method", "event_slices", "from_json", "from_saved", "get_attr",
    "is_done", "is_over", "observation_slices", "observation_space", "set_attr", "set_options",
    "steps", "table_of",
}  # fmt: skip
"""Methods that touch no array of the object themselves."""


@contextmanager
def used_elsewhere(thing):
    """Let another thread use an object meanwhile."""
    begun, over = threading.Event(), threading.Event()

    def use():
        with thing._lock:
            begun.set()
            over.wait()

    user = threading.Thread(target=use)
    user.start()
    begun.wait()
    try:
        yield
    finally:
        over.set()
        user.join()


def methods_of(thing):
    for name in dir(type(thing)):
        found = getattr(type(thing), name)
        is_ours = callable(found) and str(getattr(found, "__module__", "")).startswith("gubs_env")
        if is_ours and not isinstance(found, type) and not name.startswith("_"):
            yield name


@every_module
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_object_in_use_by_another_thread_says_so(name, module):
    thing = ENVIRONMENTS[name].make(module)
    assert isinstance(thing, Exclusive)
    before = plain(ENVIRONMENTS[name].see(thing))
    with used_elsewhere(thing):
        for method in set(methods_of(thing)) - FREE:
            arguments = (None,) if method in ("step", "observe") else ()
            with pytest.raises(RuntimeError, match=IN_USE):
                getattr(thing, method)(*arguments)
        for way in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(RuntimeError, match=IN_USE):
                way(thing)
    assert plain(ENVIRONMENTS[name].see(thing)) == before
    ENVIRONMENTS[name].use(thing, np.random.default_rng(0))


SHARED_BATCH = """
games = bad_bad_turtle_v0.vector_env(64, num_players=4, seed=1)
agent = gubs_agents.make("random", games.table)

def random_play():
    games.play_randomly(3)

def steps():
    games.step(games.masks.argmax(1))

def asks_an_agent():
    games.step(agent.act(games.observations, games.masks))

hammer(random_play, steps, asks_an_agent, copies=lambda: copy.deepcopy(games))
check_states(games.tables, games.states)
assert (games.look().masks == copy.deepcopy(games).masks).all()
"""
SHARED_GAME = """
env = bad_bad_turtle_v0.env()
env.reset(seed=1)

def plays():
    if not env.agents:
        env.reset()
    seen = env.last()[0]["action_mask"]
    env.step(int(seen.argmax()) if seen.any() else None)

def reads():
    env.observe("player_0")
    env.view("player_0")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # a step that came too late is illegal, and ends the game
    hammer(plays, plays, reads, copies=env.clone)
env.reset()
check_states((env.table,), env.state())
"""
HAMMER = """
import copy, sys, threading, time, warnings
import gubs_agents
from gubs_env import bad_bad_turtle_v0
from gubs_env.engine.border import check_states

sys.setswitchinterval(1e-5)
EXPECTED = (ValueError, RuntimeError, AssertionError, AttributeError)
SECONDS = int(sys.argv[1])

def hammer(*uses, copies):
    for use in (*uses, copies):  # everything is compiled before the threads meet
        use()
    said, unexpected, over = set(), [], time.monotonic() + SECONDS

    def repeat(use):
        while time.monotonic() < over:
            try:
                use()
            except EXPECTED as error:
                said.add(str(error))
            except BaseException as error:
                unexpected.append(error)

    threads = [threading.Thread(target=repeat, args=(use,)) for use in (*uses, copies)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not unexpected, unexpected
    assert any("is in use by another thread" in text for text in said), said
"""


@pytest.mark.parametrize("mode", ["never", *["wait"] * (MORE > 1)])
def test_threads_that_share_an_object_never_reach_past_an_array(mode):
    """They ended in a segmentation fault, or in states that no game has."""
    shared = HAMMER + SHARED_BATCH + SHARED_GAME
    python(shared, MORE, GUBS_ENV_COMPILE=mode, NUMBA_BOUNDSCHECK="1")


# ------------------------------------------------------------------------- different objects


def played(module, seed):
    """Play one game with each interface; return all that came of it."""
    rng = np.random.default_rng(seed)
    env = module.raw_env()
    env.reset(seed=seed)
    while env.agents and len(env.actions) < 40:
        mask = env.last()[0]["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))) if mask.any() else None)
    games = module.vector_env(4, seed=seed, threads=2)
    for _ in range(40):
        games.step(np.where(games.masks, rng.random(games.masks.shape), -1).argmax(1))
    many = module.single_agent_vector_env(3)
    many.reset(seed=seed)
    for _ in range(10):
        many.step(
            np.where(many.action_masks(), rng.random(many.action_masks().shape), -1).argmax(1)
        )
    return env.to_json(), env.log(), games.states.tobytes(), many.games.states.tobytes()


def test_different_objects_in_different_threads_play_as_alone():
    tasks = [(MODULES[k % 3], k) for k in range(12)]
    alone = [played(*task) for task in tasks]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda task: played(*task), tasks)) == alone


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("random", {}),
        ("heuristic", {}),
        ("policy", {"draw": True}),
        ("montecarlo", {"playouts": 8}),
    ],
)
@pytest.mark.parametrize("module", [gubs_v0, bad_bad_turtle_v0], ids=lambda m: m.GAME.name)
def test_threads_may_share_an_agent_that_is_given_rngs(module, name, options):
    agent = gubs_agents.make(name, find_table(module.GAME, 2), seed=0, **options)

    def answered(seed):
        games = module.vector_env(4, 2, seed=seed)
        games.play_randomly(11, seed=seed)
        rngs = np.stack([seed_rng([seed, index]) for index in range(4)])
        return games.ask(agent, np.arange(4), rngs).tolist(), rngs.tolist()

    alone = [answered(seed) for seed in range(12)]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(answered, range(12))) == alone


# ------------------------------------------------------------------------------ processes


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork")
def test_a_forked_child_does_not_use_what_a_thread_was_changing_at_the_fork():
    idle, busy = fubnub_v0.raw_env(), fubnub_v0.raw_env()
    for env in (idle, busy):
        env.reset(seed=1)
    with used_elsewhere(busy):
        child = os.fork()
        if child == 0:
            try:
                idle.step(int(idle.last()[0]["action_mask"].argmax()))
                busy.last()
            except RuntimeError as error:
                os._exit(7 if IN_USE in str(error) else 1)
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_an_error_leaves_the_object_free():
    env = gubs_v0.raw_env()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="is not legal"):
        env.step(63)
    with pytest.raises(ValueError, match="no agent is called"):
        env.view("nobody")
    with ThreadPoolExecutor(1) as other:
        assert other.submit(lambda: env.last()[0]["observation"].any()).result()
