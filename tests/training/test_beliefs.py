"""Beliefs fitted to games of an agent know more about its hands than uniform determinization."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="the train extra is not installed")

import gubs_agents
from gubs_agents.search.beliefs import load
from gubs_agents.training.supervised import beliefs
from gubs_agents.training.supervised.beliefs import OTHERS, play, surprise
from gubs_env import find_table
from tests.commands import ends_with, gubs


@pytest.mark.parametrize(("name", "players"), [("gubs", 2), ("fubnub", 4)])
def test_they_find_the_true_hands_of_other_games(name, players, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(beliefs, "GAMES_AT_ONCE", 64)
    table, path = find_table(name, players), tmp_path / "beliefs.safetensors"
    arguments = ["--game", name, "--agent", "heuristic", "--decisions", "12000", "--out", str(path)]
    gubs("beliefs", *arguments)
    said = capsys.readouterr().out
    assert f"beliefs: {path}" in said
    assert "without beliefs by 2.77" in said
    heuristic = gubs_agents.make("heuristic", table, seed=0)
    examples = play(heuristic, table, seed=10**6)
    found = load(path, table)
    assert (found.agent, found.decisions) == ("heuristic", 12000)
    assert surprise(found, examples) < np.log(1 + OTHERS) - 0.2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "bad_bad_turtle"], "nobody has a hand there"),
        (["--agent", "ismcts"], "allowed are agents that act on observations"),
        (["--players", "7"], "7"),
        (["--decisions", "0"], "decisions=0: must be at least 1"),
        (["--out", "beliefs.json"], "out='beliefs.json': the name must end in .safetensors"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(arguments, message, capsys):
    with ends_with(capsys, message):
        gubs("beliefs", *arguments)
