"""Beliefs fitted to games of an agent know more about its hands than uniform determinization."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="the train extra is not installed")

import gubs_agents
from gubs_agents.beliefs import load
from gubs_agents.training import beliefs as fitting
from gubs_agents.training.beliefs import OTHERS, main, play
from gubs_env import find_game
from tests.commands import ends_with


def nats(beliefs, examples):
    """Return the mean of −log P(true hands) among the hands of each example."""
    values = np.log1p(examples.observations.astype(np.float32))
    for matrix, biases in beliefs.layers[:-1]:
        values = np.maximum(values @ matrix.T + biases, 0)
    matrix, biases = beliefs.layers[-1]
    weights = 6 * np.tanh((values @ matrix.T + biases) / 6)
    hands = examples.hands.reshape(*examples.hands.shape[:2], -1)
    scores = (hands * weights[:, None]).sum(2)
    return float((np.log(np.exp(scores).sum(1)) - scores[:, 0]).mean())


@pytest.mark.parametrize(("name", "players"), [("gubs", 2), ("fubnub", 4)])
def test_they_find_the_true_hands_of_other_games(name, players, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(fitting, "GAMES_AT_ONCE", 128)
    game, path = find_game(name), tmp_path / "beliefs.safetensors"
    arguments = ["--game", name, "--agent", "heuristic", "--decisions", "12000", "--out", str(path)]
    monkeypatch.setattr("sys.argv", ["beliefs", *arguments])
    main()
    assert f"beliefs: {path}" in capsys.readouterr().out
    heuristic = gubs_agents.make("heuristic", players, 0, game=name)
    examples = play(game, heuristic, players, None, seed=10**6)
    found = load(path, game, players)
    assert (found.agent, found.decisions) == ("heuristic", 12000)
    assert nats(found, examples) < np.log(1 + OTHERS) - 0.2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "bad_bad_turtle"], "nobody has a hand there"),
        (["--agent", "ismcts"], "allowed are agents that act on observations"),
        (["--players", "7"], "7"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(arguments, message, tmp_path, monkeypatch, capsys):
    out = str(tmp_path / "beliefs.safetensors")
    monkeypatch.setattr("sys.argv", ["beliefs", *arguments, "--out", out])
    with ends_with(capsys, message):
        main()
