"""Self-play training: it runs, learns what can be learnt at once, and survives an interruption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the train extra is not installed")

import agents
import train
from gubs_env.api.sb3 import LEARNER, SelfPlayVecEnv
from gubs_env.gubs_v0 import GAME, Rules

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
TINY = {"games": 8, "rollout": 32, "batch": 64, "width": 32, "deals": 20}


def make_env(num_envs=6, num_players=3, **options):
    opponents = [agents.make(name, num_players, 0) for name in ("random", "heuristic")]
    return SelfPlayVecEnv(GAME, num_envs, opponents, num_players=num_players, seed=3, **options)


def play_at_random(env, steps):
    rng = np.random.default_rng(0)
    env.reset()
    for _ in range(steps):
        masks = np.stack(env.env_method("action_masks"))
        yield env.step(np.where(masks, rng.random(masks.shape), -1).argmax(1))


@pytest.mark.parametrize("num_players", [2, 4, 6])
def test_the_learner_decides_in_its_own_seat_and_is_paid_for_it(num_players):
    env = make_env(num_players=num_players)
    finished = 0
    for observations, rewards, dones, infos in play_at_random(env, 300):
        assert (env._players() == LEARNER).all()
        assert env.action_masks().any(1).all()
        assert all(env.observation_space.contains(row) for row in observations)
        assert (rewards[~dones] == 0).all()
        for index in np.flatnonzero(dones):
            assert infos[index]["episode"]["r"] == rewards[index]
            assert infos[index]["episode"]["l"] > 0
            assert infos[index]["episode"]["t"] > 0
            assert len(infos[index]["opponents"]) == num_players - 1
            last = infos[index]["terminal_observation"]
            assert GAME.observation_slices(num_players)["letters"].of(last).sum() == 3
            finished += 1
    assert finished > 5


def test_reward_follows_the_rules_of_the_game():
    env = make_env(rules=Rules(reward="margin"))
    rewards = np.concatenate([r[d] for _, r, d, _ in play_at_random(env, 300)])
    assert set(rewards) - {-1.0, 1.0, 0.0, -0.5}


@pytest.mark.parametrize("seat", [None, 0, 2])
def test_the_learner_plays_every_seat_or_the_given_one(seat):
    env = make_env(num_envs=60, seat=seat)
    env.reset()
    seats = {int(np.flatnonzero(row == LEARNER)[0]) for row in env.seating}
    assert seats == ({0, 1, 2} if seat is None else {seat})
    with pytest.raises(ValueError, match="allowed are None and 0 to 2"):
        make_env(seat=3)


def test_a_short_run_writes_its_results_and_can_be_resumed(tmp_path):
    folder = str(tmp_path / "run")
    options = train.Options(steps=512, out=folder, **TINY)
    model = train.train(options)
    assert model.num_timesteps == 512
    train.report(train.measure(model, options), options, minutes=0.1)
    assert "| random |" in (tmp_path / "run" / "results.md").read_text()
    assert json.loads((tmp_path / "run" / "options.json").read_text())["steps"] == 512
    assert (tmp_path / "run" / "progress.csv").exists()
    again, resumed = train.parse(["--resume", folder, "--steps", "768"])
    assert resumed
    assert again.width == TINY["width"]
    assert train.train(again, resume=True).num_timesteps == 768


def test_options_are_those_of_the_dataclass(capsys):
    options, resumed = train.parse(["--players", "4", "--learning-rate", "0.001"])
    assert (options.players, options.learning_rate, resumed) == (4, 0.001, False)
    with pytest.raises(SystemExit):
        train.parse(["--resume", "nowhere"])
    assert "there is no saved run" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        train.parse(["--help"])
    assert "seats at the table, 2 to 6 (default 2)" in capsys.readouterr().out


def test_an_interrupted_run_saves_and_says_where(tmp_path):
    folder = tmp_path / "run"
    small = [f"--{name}={value}" for name, value in TINY.items()]
    command = [sys.executable, "train.py", "--steps", "10000000", "--out", str(folder), *small]
    process = subprocess.Popen(
        command, cwd=Path(train.__file__).parent, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    deadline = time.monotonic() + 120
    log = folder / "progress.csv"
    while not (log.exists() and log.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"go on with: ./run train --resume {folder}" in said
    assert (folder / "model.zip").exists()
