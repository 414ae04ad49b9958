"""The example with a memory: what it learns from is what its seats remembered and saw."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import gubs_agents
from gubs_agents import arena
from gubs_env import Memories, VectorEnv, find_table

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def recurrent():
    spec = importlib.util.spec_from_file_location("recurrent", EXAMPLES / "recurrent.py")
    module = sys.modules["recurrent"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["recurrent"]


def rollout_of(recurrent, game_name, num_players, steps=160, games=6):
    table = find_table(game_name, num_players)
    network = recurrent.Network(table, 16, 12)
    player = recurrent.Player(table, network=network)
    env = VectorEnv(table, games, seed=3, skip_forced=True, history=12)
    memories = Memories(games, num_players, [player])
    for _ in range(2):  # the second one begins in mid-game
        rollout = recurrent.collect(env, player, memories, steps)
    return network, rollout


@pytest.mark.parametrize(("game", "num_players"), [("gubs", 3), ("fubnub", 4)])
def test_chunks_are_the_decisions_of_one_seat_in_one_game(recurrent, game, num_players):
    _, rollout = rollout_of(recurrent, game, num_players)
    assert rollout.dones.any()
    chunks = recurrent.chunks_of(rollout, 5).numpy()
    assert sorted(chunks[chunks >= 0].tolist()) == list(range(rollout.actors.numel()))
    games = rollout.actors.shape[1]
    for chunk in chunks:
        rows = chunk[chunk >= 0]
        steps, index = rows // games, rows % games
        assert (chunk[len(rows) :] == -1).all()
        assert (np.diff(steps) > 0).all()
        assert (index == index[0]).all()
        assert len({*rollout.actors[steps, index[0]].tolist()}) == 1
        assert not rollout.dones[steps[0] : steps[-1], index[0]].any()


@pytest.mark.parametrize(("game", "num_players"), [("gubs", 3), ("fubnub", 4)])
def test_it_learns_from_the_memories_that_it_played_with(recurrent, game, num_players):
    """Played through chunk by chunk, the network says again what it said when it played."""
    network, rollout = rollout_of(recurrent, game, num_players)
    chunks = recurrent.chunks_of(rollout, 5)
    flat = recurrent.Rollout(*(part.flatten(0, 1) for part in rollout))
    rows = chunks.clamp(min=0)
    parts = flat.observations[rows], flat.masks[rows], flat.events[rows]
    log_probs, values, _ = network(*parts, flat.memories[rows[:, 0]])
    chosen = log_probs.gather(2, flat.actions[rows][..., None])[..., 0]
    there = chunks >= 0
    assert there.sum() == rollout.actors.numel()
    for again, then in ((values, flat.values[rows]), (chosen, flat.log_probs[rows])):
        assert (again - then)[there].abs().max() < 1e-4


def test_advantages_lead_from_one_decision_of_a_seat_to_its_next(recurrent):
    _, rollout = rollout_of(recurrent, "gubs", 3)
    advantages, known = recurrent.estimate_advantages(rollout, 0.9)
    for index in range(rollout.actors.shape[1]):
        for seat in range(3):
            own = [step for step in range(len(known)) if rollout.actors[step, index] == seat]
            for step, following in zip(own, [*own[1:], None], strict=True):
                ends = np.flatnonzero(rollout.dones[step:following, index]) + step
                if not len(ends) and following is None:
                    assert not known[step, index]
                    continue
                reward = rollout.rewards[ends[0], index, seat] if len(ends) else 0.0
                after = 0.0 if len(ends) else rollout.values[following, index]
                later = 0.0 if len(ends) else advantages[following, index]
                expected = reward + after - rollout.values[step, index] + 0.9 * later
                assert known[step, index]
                assert float(advantages[step, index]) == pytest.approx(float(expected), abs=1e-5)


def test_it_imitates_a_teacher(recurrent):
    table = find_table("gubs")
    args = recurrent.Args(games=32, rollout=32, imitate=16 * 1024, decisions=0, width=64)
    torch.manual_seed(0)
    teacher = gubs_agents.make("heuristic", seed=0)
    network = recurrent.train(table, args, teacher)
    player = recurrent.Player(table, network=network)
    env = VectorEnv(table, 64, seed=7, skip_forced=True, history=player.num_events)
    memories = Memories(64, 2, [player])
    taught = recurrent.collect(env, player, memories, 60, teacher)
    chances = taught.log_probs.exp()
    assert chances.mean() > 0.5, "by chance it is 0.29"


def test_a_minibatch_of_unknown_advantages_does_no_harm(recurrent):
    network, rollout = rollout_of(recurrent, "gubs", 3)
    optimizer = torch.optim.Adam(network.parameters())
    recurrent.update(network, optimizer, rollout, 0.01, recurrent.Args(minibatch=1))
    assert all(part.isfinite().all() for part in network.parameters())


def test_it_trains_and_the_arena_loads_it(recurrent, tmp_path, monkeypatch, capsys):
    words = ["--decisions", "2048", "--games", "16", "--width", "16", "--deals", "2",
             "--opponents", "random", "--out", str(tmp_path)]  # fmt: skip
    monkeypatch.setattr(sys, "argv", ["recurrent.py", *words])
    recurrent.main()
    assert "random: " in capsys.readouterr().out
    agent = f"recurrent:Player:weights={tmp_path / 'gubs_2_seed_0.safetensors'}"
    result = arena.tournament([agent, "random"], deals=2, resamples=2)
    assert agent in result.labels
