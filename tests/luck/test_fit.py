"""Fitting values: the command plays, fits, and goes on with the games that it finds."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="the train extra is not installed")

import numpy as np

import gubs_env
from gubs_agents import luck
from gubs_agents.luck import fit
from gubs_env import find_game


def test_fitted_values_leave_less_variance_and_games_are_played_once(tmp_path, monkeypatch):
    monkeypatch.setattr(fit, "TOGETHER", 256)
    options = ["--game", "bad_bad_turtle", "--players", "2", "--epochs", "8"]
    options += ["--out", str(tmp_path / "fit"), "--games"]
    fit.main([*options, "300"])
    game, path = find_game("bad_bad_turtle"), tmp_path / "fit" / "bad_bad_turtle_v0_2.safetensors"
    values = luck.values_for(game, 2, path)
    assert (values.first_deal, values.games) == (fit.TRAINING_DEAL, 512)
    gubs_env.record(tmp_path / "games.jsonl", "greedy", 300, "bad_bad_turtle", 2, seed=50)
    records = list(gubs_env.read_records(tmp_path / "games.jsonl"))
    payoffs = np.array([record.outcome.payoffs for record in records])
    left = payoffs + luck.corrections(records, values)
    assert left.var(axis=0).sum() < 0.9 * payoffs.var(axis=0).sum()
    monkeypatch.setattr(fit, "play", lambda *_: pytest.fail("these games are there already"))
    fit.main([*options, "512"])
    assert luck.values_for(game, 2, path).layers[0][0].tolist() == values.layers[0][0].tolist()
