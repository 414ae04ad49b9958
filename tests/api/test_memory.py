"""Agents with memory: every way to play a game tells them the same, and keeps it exactly."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import gubs_agents
from gubs_agents import arena
from gubs_env import (
    Memories,
    bad_bad_turtle_v0,
    find_table,
    fubnub_v0,
    gubs_v0,
    read_records,
    record,
)
from gubs_env.agents.registry import MemoryAgent
from gubs_env.play.session import Player, Session
from gubs_env.records.playing import Games, play_games
from tests.api.tables import at, every_module
from tests.commands import ends_with, gubs
from tests.remembering import Forgetful, Remembering

NAME = "tests.remembering:Remembering"
pytestmark = pytest.mark.usefixtures("quick_processes")
PLAYED = {
    "gubs, 2 players": (gubs_v0, 2, {}),
    "gubs, 4 players": (gubs_v0, 4, {}),
    "fubnub, teams": (fubnub_v0, 4, {"mode": "team", "num_points": 3}),
    "turtle, 3 players": (bad_bad_turtle_v0, 3, {}),
}


def games_of(module, num_players, options, count, agents, first=0):
    """Return what happens when agents sit at tables in turn."""
    deals = np.arange(first, first + count)
    seats = np.arange(num_players)
    seatings = (seats[None] + deals[:, None]) % len(agents)
    games = Games(find_table(module.GAME, num_players, options), deals, seatings)
    return play_games(games, agents, games.rngs([0] * len(agents)))[0]


@at(PLAYED)
def test_many_games_side_by_side_are_as_one_after_the_other(module, num_players, options):
    agents = [
        Remembering(num_players),
        gubs_agents.make("random", find_table(module.GAME, num_players), seed=0),
    ]
    together = games_of(module, num_players, options, 70, agents)
    for index in (0, 1, 69):
        alone = games_of(module, num_players, options, 1, agents, first=index)
        assert alone.actions[0] == together.actions[index]


@at(PLAYED)
def test_gymnasium_tells_it_what_many_games_tell_it(module, num_players, options):
    one = module.single_agent_env(num_players, Remembering(num_players), rules=options)
    many = module.single_agent_vector_env(2, num_players, Remembering(num_players), rules=options,
                                          autoreset_mode="Disabled")  # fmt: skip
    seen, _ = one.reset(seed=5)
    seen_many, infos = many.reset(seed=5)
    is_over = False
    while not is_over:
        assert seen.tobytes() == seen_many[0].tobytes()
        legal = infos["action_mask"].argmax(1)
        seen, reward, *ends, _ = one.step(int(legal[0]))
        is_over = any(ends)
        if many.resting[1]:
            many.resting[1] = False  # only the first game is compared
            many.reset(options={"reset_mask": np.array([False, True])})
            legal[1] = many.action_masks()[1].argmax()
        seen_many, rewards, _, _, infos = many.step(legal)
    assert rewards[0] == reward


def self_play(module, num_envs=40):
    sb3 = pytest.importorskip("gubs_env.api.sb3")
    opponents = {"a": Remembering(2), "b": Forgetful()}
    table = find_table(module.GAME, 2)
    opponents["c"] = gubs_agents.make("random", table, seed=0)
    env = sb3.SelfPlayVecEnv(table, num_envs, sb3.Pool(opponents), seed=2)
    env.reset()
    return env


@every_module
def test_self_play_goes_on_exactly_from_its_state(module):
    if 2 not in module.GAME.player_counts or module is fubnub_v0:
        pytest.skip("these games need other rules for two")
    one, other = self_play(module), self_play(module)
    for _ in range(12):
        one.step(one.action_masks().argmax(1))
    arrays, told = one.state()
    other.restore(arrays, told)
    twins = [other, copy.deepcopy(one), pickle.loads(pickle.dumps(one))]
    for _ in range(30):
        seen, rewards, *_ = one.step(one.action_masks().argmax(1))
        for twin in twins:
            again, paid, *_ = twin.step(twin.action_masks().argmax(1))
            assert again.tobytes() == seen.tobytes()
            assert paid.tobytes() == rewards.tobytes()
    for name in ("memories", "heard", "events", "counts"):
        with pytest.raises(ValueError, match=name):
            other.restore({k: v for k, v in arrays.items() if k != name}, told)
        with pytest.raises(ValueError, match=f"{name} must be"):
            other.restore(arrays | {name: arrays[name][:1]}, told)
    pool = type(one.pool)({"c": one.agents["c"]})
    one.set_pool(pool)
    for _ in range(200):
        one.step(one.action_masks().argmax(1))
    assert one.seated == {"c"}
    one.set_pool(pool)
    assert "memories" not in one.state()[0]


def test_a_tournament_needs_no_other_words(tmp_path):
    for processes in (1, 2):
        folder = tmp_path / str(processes)
        table = find_table("gubs", 3)
        arena.tournament([NAME, "heuristic"], table, deals=4, processes=processes, out=folder)
    one, two = (tmp_path / name / "games.jsonl" for name in "12")
    assert one.read_bytes() == two.read_bytes()


def test_a_recording_and_its_continuation_are_the_same_games(tmp_path):
    whole = tmp_path / "whole.jsonl"
    record(whole, [NAME, "random"], games=6, seed=1)
    lines = whole.read_text().splitlines(keepends=True)
    part = tmp_path / "part.jsonl"
    part.write_text("".join(lines[:3]))
    record(part, [NAME, "random"], games=6, seed=1, resume=True, batch=1)
    assert part.read_text() == whole.read_text()
    assert len(list(read_records(whole))) == 6


def test_the_benchmark_plays_it_and_verifies_its_games(tmp_path, capsys):
    folder = tmp_path / "result"
    gubs("benchmark", NAME, "--protocol", "tiny", "--out", str(folder))
    gubs("benchmark", NAME, "--verify", str(folder))
    assert "the agent made its own again" in capsys.readouterr().out


@at(PLAYED)
def test_it_plays_with_people_and_advises_them(module, num_players, options):
    env = module.raw_env(num_players, options)
    env.reset(seed=3)
    player = Player(NAME, Remembering(num_players))
    session = Session(env, dict.fromkeys(env.possible_agents[1:], player), player, seed=0)
    for _ in range(40):
        if session.is_over:
            break
        if session.person:
            hint = session.hint(session.person)
            session.play(session.person, hint.move)
        else:
            session.play_opponent()
    assert env.state()["decisions"] > 20 or session.is_over


def test_whoever_steps_the_games_keeps_the_memories():
    agent = Remembering(2)
    assert isinstance(agent, MemoryAgent)
    games = gubs_v0.vector_env(3, 2, seed=0, history=agent.num_events, autoreset=False)
    memories, rngs = Memories(3, 2, [agent]), np.ones((3, 4), np.int64)
    for count in range(1, 6):
        games.step(games.ask(agent, np.arange(3), rngs, memories))
        assert (memories.values[..., 0].sum(1) == count).all()
    with pytest.raises(TypeError, match="is asked with the memories of these games"):
        games.ask(agent, np.arange(3), rngs)
    few = gubs_v0.vector_env(3, 2, seed=0, history=7)
    with pytest.raises(ValueError, match=r"shown 24 events, and the games keep 7: .*history=24"):
        few.ask(agent, np.arange(3), rngs, memories)
    few.keep_history(24)
    memories.clear()
    few.ask(agent, np.arange(3), rngs, memories)


def test_a_longer_history_keeps_what_was_kept():
    games = gubs_v0.vector_env(3, 2, seed=0, history=4, autoreset=False)
    for _ in range(12):
        games.step(games.masks.argmax(1))
    before, counts = games.recent.events.copy(), games.recent.counts.copy()
    games.keep_history(9)
    assert games.recent.events.shape[2] == 9
    assert games.recent.events[:, :, -4:].tobytes() == before.tobytes()
    assert (games.recent.counts == counts).all()
    games.keep_history(2)
    assert games.recent.events.shape[2] == 9
    for wrong in (-1, 2.5, 10**15):
        with pytest.raises((ValueError, TypeError), match=r"history|bytes are needed"):
            games.keep_history(wrong)


class Sizeless(Forgetful):
    num_events = None


class Empty(Forgetful):
    memory_size = 0


@pytest.mark.parametrize(("agent", "named"), [(Sizeless(), "num_events"), (Empty(), "memory_size")])
def test_sizes_that_cannot_be_are_named(agent, named):
    with pytest.raises(ValueError, match=f"agent '0', which has a memory: {named}="):
        games_of(gubs_v0, 2, {}, 1, [agent])
    with pytest.raises(ValueError, match=f"which has a memory: {named}="):
        gubs_v0.single_agent_env(2, agent)


def test_what_needs_observations_alone_refuses_it(capsys, tmp_path):
    out = str(tmp_path / "b.safetensors")
    for command in (["beliefs", "--agent", NAME, "--out", out], ["train", "--teacher", NAME]):
        with ends_with(capsys, "on observations alone"):
            gubs(*command)
