"""Every public object is copied whole by copy.copy, copy.deepcopy and pickle, or refuses."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest

import gubs_agents
import gubs_env
from gubs_env import find_table, fubnub_v0
from gubs_env.agents.text_game import TextGame
from gubs_env.api.texts import TextVectorEnv
from gubs_env.records.playing import Replay
from tests.api.tables import every_module, play

WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
}
by_every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


class Kind(NamedTuple):
    """One kind of object, how it is used, and all that can be seen of it."""

    make: Callable[[Any], Any]
    """(module) → an object."""
    use: Callable[[Any, np.random.Generator], Any]
    """(object, rng) → what one use of it returns."""
    see: Callable[[Any], Any] = lambda thing: None


def plain(value):
    """Return a value in a form that `==` compares, arrays by their dtypes and bytes."""
    if isinstance(value, np.ndarray | np.generic) and value.dtype != object:
        return value.dtype, value.shape, value.tobytes()
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def chosen(masks, rng):
    return np.where(masks, rng.random(masks.shape), -1).argmax(-1)


# ----------------------------------------------------------------------------- environments


def dealt(env):
    env.reset(seed=1)
    return env


def step_aec(env, rng):
    if not env.agents:
        env.reset()
    seen, *rest = env.last()
    legal = seen["action_mask"]
    env.step(int(chosen(legal, rng)) if legal.any() else None)
    return rest


def see_aec(env):
    env = env.unwrapped
    return env.to_json(), env.state(), env.rewards, env.log(), env.view("player_0").state


def step_gym(env, rng):
    found = env.step(int(chosen(env.unwrapped.action_masks(), rng)))
    if found[2] or found[3]:
        env.reset()
    return found


def see_gym(env):
    env = env.unwrapped
    return env.describe(), env.log(), env.action_masks(), env.aec_env.state()


def see_batch(games):
    parts = (games.states, games.observations, games.masks, games.rewards, games.dones)
    recent = games.recent and (games.recent.events, games.recent.counts)
    return *parts, games.actors, games.views(np.flatnonzero(games.actors >= 0)), recent


def batch(**options):
    return Kind(
        lambda module: module.vector_env(3, seed=1, **options),
        lambda games, rng: games.step(chosen(games.masks, rng)),
        see_batch,
    )


def seated(module):
    sb3 = pytest.importorskip("gubs_env.api.sb3")
    rules = {"mode": "royal"} if module is fubnub_v0 else None
    table = gubs_env.find_table(module.GAME, 2, rules)
    opponents = {name: gubs_agents.make(name, table, seed=0) for name in ("random", "greedy")}
    env = sb3.SelfPlayVecEnv(table, 3, sb3.Pool(opponents), seed=2)
    env.reset()
    return env


def self_play(env, rng):
    return plain(env.step(chosen(env.action_masks(), rng))[:3])


def see_self_play(env):
    return env.state(), env.action_masks(), env.games.states


def rllib_env(module):
    rllib = pytest.importorskip("gubs_env.adapters.rllib")
    return dealt(rllib.RLlibEnv({"game": module.GAME.name}))


def step_rllib(env, rng):
    if not env.agents:
        return env.reset()
    return env.step({env.game.agent_selection: int(chosen(env.actions.legal, rng))})


def play_text(text, rng):
    if text.is_over:
        return None
    moves = text.moves()
    text.play(moves[int(rng.integers(len(moves)))])
    return text.seat


def see_text(text):
    last = text.table("player_0"), text.question("player_0"), text.env.log()
    return last, text.env.state(), None if text.is_over else str(text.prompt())


def recorded(module):
    env = play(dealt(module.raw_env()), 20)
    return Replay(env.table, [1], [env.actions], ["a game"])


def replay_one(replay, rng):
    played = int(replay.env.states["decisions"][0])
    if played < replay.lengths[0]:
        replay._step(np.array([0]), replay.actions[played : played + 1])


GYM_IDS = {"gubs_v0": "Gubs", "fubnub_v0": "Fubnub", "bad_bad_turtle_v0": "BadBadTurtle"}


def gym_id(module):
    return f"gubs_env/{GYM_IDS[module.GAME.name]}-v0"


ENVIRONMENTS = {
    "raw_env": Kind(lambda module: dealt(module.raw_env()), step_aec, see_aec),
    "env": Kind(lambda module: dealt(module.env()), step_aec, see_aec),
    "vector_env": batch(),
    "vector_env, threads": batch(threads=2),
    "vector_env, history": batch(history=2),
    "vector_env, skip_forced": batch(skip_forced=True, copy=True),
    "vector_env, no autoreset": Kind(
        lambda module: module.vector_env(2, seed=1, autoreset=False),
        lambda games, rng: games.play_randomly(3, seed=int(rng.integers(99))),
        see_batch,
    ),
    "single_agent_env": Kind(
        lambda module: dealt(module.single_agent_env(opponents="greedy")), step_gym, see_gym
    ),
    "single_agent_vector_env": Kind(
        lambda module: dealt(module.single_agent_vector_env(2, render_mode="ansi")),
        lambda env, rng: env.step(chosen(env.action_masks(), rng)),
        lambda env: (env.render(), env.games.states, env.action_masks()),
    ),
    "SelfPlayVecEnv": Kind(seated, self_play, see_self_play),
    "RLlibEnv": Kind(rllib_env, step_rllib, lambda env: see_aec(env.game)),
    "TextGame": Kind(lambda module: TextGame(dealt(module.raw_env())), play_text, see_text),
    "Replay": Kind(
        recorded,
        replay_one,
        lambda replay: (replay.payoffs, replay.decisions, replay.env.states, replay.actions),
    ),
}


def check_copy(kind, original, way):
    """Check that a copy is the same, goes on alike, and changes nothing of the original."""
    rng = np.random.default_rng(0)
    for _ in range(12):
        kind.use(original, rng)
    before = plain(kind.see(original))
    twin = way(original)
    assert plain(kind.see(twin)) == before
    for _ in range(25):
        kind.use(twin, rng)
    assert plain(kind.see(original)) == before, "the original changes with its copy"
    other, rngs = way(original), [np.random.default_rng(5), np.random.default_rng(5)]
    for _ in range(25):
        found = [plain(kind.use(*each)) for each in zip((original, other), rngs, strict=True)]
        assert found[0] == found[1]
        assert plain(kind.see(other)) == plain(kind.see(original))


@every_module
@by_every_way
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_environment_is_copied_whole(name, way, module):
    kind = ENVIRONMENTS[name]
    check_copy(kind, kind.make(module), way)


@pytest.mark.parametrize("way", [WAYS["deepcopy"], WAYS["pickle"]], ids=["deepcopy", "pickle"])
@every_module
def test_gymnasiums_wrappers_are_copied_with_what_they_hold(way, module):
    env = gymnasium.make(gym_id(module))
    check_copy(Kind(dealt, step_gym, see_gym), dealt(env), way)


@by_every_way
def test_rules_of_each_game_are_copied_with_a_batch(way):
    rules = [{"mode": "full"}, {"mode": "team"}]
    check_copy(batch(), fubnub_v0.vector_env(2, 4, rules=rules, seed=1), way)


def test_games_followed_in_words_are_copied_with_a_batch():
    games = TextVectorEnv(find_table("gubs"), 2, seed=1)
    games.follow(0)
    twin = copy.deepcopy(games)
    twin.step(twin.masks.argmax(1))
    assert len(twin.text_game(0).env.actions) == 1
    assert len(games.text_game(0).env.actions) == 0


# ----------------------------------------------------------------------------------- agents


def ask(agent, games):
    rows = np.arange(games.num_envs)
    if hasattr(agent, "search"):
        return agent.search(games.views(rows))
    return agent.act(games.observations, games.masks)


NAMES = ("random", "greedy", "heuristic", "policy", "montecarlo", "ismcts")
OPTIONS = {"policy": {"draw": True}, "montecarlo": {"playouts": 16}, "ismcts": {"playouts": 16}}


@every_module
@by_every_way
@pytest.mark.parametrize("name", NAMES)
def test_an_agent_is_copied_with_its_rng(name, way, module):
    rules = {"mode": "royal"} if module is fubnub_v0 else None
    games = module.vector_env(4, 2, rules=rules, seed=3)
    agent = gubs_agents.make(
        name, gubs_env.find_table(module.GAME, 2, rules), seed=7, **OPTIONS.get(name, {})
    )
    ask(agent, games)
    twins = [way(agent), way(agent)]
    ask(twins[0], games)
    assert ask(agent, games).tolist() == ask(twins[1], games).tolist()
    assert len(pickle.dumps(agent)) < 3_000_000, "it holds compiled functions"


@by_every_way
def test_a_language_model_refuses_to_be_copied(way):
    pytest.importorskip("httpx")
    model = gubs_agents.make("llm", base_url="http://127.0.0.1:9/v1", model="m")
    with pytest.raises(TypeError, match="a language model cannot be copied or pickled"):
        way(model)


# ----------------------------------------------------------------------------------- values


@every_module
@by_every_way
def test_a_value_is_equal_to_its_copy(way, module):
    env = play(dealt(module.raw_env()), 15)
    values = [
        env.rules, env.legal_moves(), env.outcome(), env.observation_slices(), env.actions,
        module.vector_env(2, seed=1).step(np.full(2, -1)),
    ]  # fmt: skip
    for value in values:
        assert plain(way(value)) == plain(value)
    assert way(module.GAME) is module.GAME
    view, state = env.view("player_0"), env.state()
    assert way(state).tobytes() == state.tobytes()
    twin = way(view)
    assert (twin.seat, twin.state.tobytes()) == (view.seat, view.state.tobytes())
    assert module.GAME.describe(twin) == module.GAME.describe(view)
    twin.state["decisions"] = 77
    assert view.state["decisions"] != 77
    record = gubs_env.Record.of(env, ["a"] * env.num_players)
    assert way(record).line() == record.line()


@by_every_way
def test_a_data_set_is_equal_to_its_copy(way, tmp_path):
    pytest.importorskip("pyarrow")
    gubs_env.record(tmp_path / "games.jsonl", "random", games=4)
    gubs_env.to_parquet(tmp_path / "games.jsonl", tmp_path / "data")
    found = gubs_env.load_dataset(tmp_path / "data")
    columns = ["action", "observation"]
    assert plain(way(found).arrays(columns)) == plain(found.arrays(columns))
