"""The example of behaviour cloning, in small, and the benchmark of guessing hidden hands."""

from __future__ import annotations

import importlib.util
import itertools
import math
import re
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import gubs_agents
import gubs_env
from gubs_env import gubs_v0

pytest.importorskip("pyarrow", reason="the data extra is not installed")
pytest.importorskip("choix", reason="the arena extra is not installed")
torch = pytest.importorskip("torch", reason="the train extra is not installed")

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def belief():
    """Import the benchmark: Numba's cache finds its compiled function by the name of its module."""
    spec = importlib.util.spec_from_file_location("belief", ROOT / "experiments" / "belief.py")
    module = sys.modules["belief"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield vars(module)
    del sys.modules["belief"]


def test_a_clone_plays_in_the_arena(tmp_path, monkeypatch, capsys):
    options = (
        "--teacher heuristic --games 12 --epochs 2 --width 16 --deals 4 "
        f"--opponent random --out {tmp_path}"
    )
    monkeypatch.setattr(sys, "argv", ["clone.py", *options.split()])
    example = runpy.run_path(str(ROOT / "examples" / "clone.py"))
    example["main"]()
    said = capsys.readouterr().out
    assert "epoch 2: on validation games, policy loss " in said
    assert "against random, 95 % interval over deals" in said
    again = gubs_agents.make("policy", weights=str(tmp_path / "clone.safetensors"))
    env = gubs_v0.vector_env(4, 2)
    network = example["Network"](env.observations.shape[1], 64, example["Args"](width=16))
    state = dict(zip(network.state_dict(), parameters(again), strict=True))
    network.load_state_dict(state)
    seen, masks = torch.tensor(env.observations), torch.tensor(env.masks)
    with torch.no_grad():
        assert (network.eval()(seen, masks)[0].argmax(1).numpy() == again.act(seen, masks)).all()
    last = said.split("epoch 2: ")[1].splitlines()[0]
    more = ["--weights", str(tmp_path / "clone.safetensors"), "--epochs", "0"]
    monkeypatch.setattr(sys, "argv", ["clone.py", *options.split(), *more])
    example["main"]()
    assert f"before learning: {last}" in capsys.readouterr().out


def parameters(agent):
    layers = agent.weights.layers
    return [torch.tensor(array) for layer in layers for array in layer]


def every_hand(unseen, size):
    """Return all hands of a size, as counts of each kind."""
    counts = itertools.product(*(range(count + 1) for count in unseen))
    return [hand for hand in counts if sum(hand) == size]


def test_beliefs_are_probabilities_of_all_hands_that_fit(belief):
    unseen, size = [2, 0, 3, 1], 3
    hands = every_hand(unseen, size)
    logits = torch.tensor([0.4, 1.0, -0.7, 0.1], dtype=torch.float64)
    count = len(hands)
    rows = belief["Hands"](
        None, None, None, torch.tensor(hands).double(),
        torch.tensor([unseen] * count).double(), None,
    )  # fmt: skip
    every = torch.arange(count)
    for theta in (torch.zeros(4, dtype=torch.float64), logits):
        chances = belief["log_likelihood"](rows, every, theta.expand(count, -1)).exp().numpy()
        assert np.isclose(chances.sum(), 1)
        ways = np.array([math.prod(map(math.comb, unseen, hand)) for hand in hands])
        weights = ways * np.exp(np.array(hands) @ theta.numpy())
        assert np.allclose(chances, weights / weights.sum())
        held = belief["holds"](rows, every[:1], theta.expand(1, -1)).numpy()[0]
        expected = [chances[[hand[kind] > 0 for hand in hands]].sum() for kind in range(4)]
        assert np.allclose(held, expected)


def test_uniform_beliefs_are_those_of_determinization(belief, tmp_path):
    gubs_env.record(tmp_path / "data", "heuristic", gubs_env.find_table("gubs", 3), games=2)
    data = gubs_env.load_dataset(tmp_path / "data")
    hands = belief["read_hands"](data)
    rows = data.arrays(["states", "action_mask"])
    states = rows["states"][rows["action_mask"].sum(1) > 1]
    env = gubs_v0.vector_env(4000, 3, autoreset=False)
    for row in (40, 200):
        decision = int(hands.decision[row])
        state, actor = states[decision], int(states["actor"][decision])
        other = (actor + 1 + int(hands.opponent[row])) % 3
        env.determinize(np.array([gubs_v0.GAME.view(states, decision, actor).state]), 0)
        known = state["known"][actor, other]
        found = ((env.states["hand"][:, other] - known) > 0).mean(0)
        index = torch.tensor([row])
        expected = belief["holds"](hands, index, belief["Uniform"]()(hands, index)).numpy()[0]
        assert np.abs(found - expected).max() < 0.04
        assert expected.max() > 0.1


@pytest.mark.parametrize("prunes", [False, True])
def test_a_pruned_trial_of_the_page_ends_as_pruned(monkeypatch, prunes):
    """The example with Optuna, on a run that evaluates at steps 0 and 4096 only."""
    optuna = SimpleNamespace(TrialPruned=type("TrialPruned", (Exception,), {}))
    reported = []

    class Run:
        def __init__(self, options, on_row):
            self.on_row, self.stopping = on_row, False
            self.latest = {"heuristic": SimpleNamespace(rate=0.4)}

        def train(self):
            for steps in (0, 4096):
                row = {"opponent": "heuristic", "timesteps": steps, "rate": steps / 10240}
                self.stopping = bool(self.on_row("evaluations.csv", row))

    monkeypatch.setitem(sys.modules, "optuna", optuna)
    monkeypatch.setattr("gubs_agents.training.Run", Run)
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(import optuna\n.*?)```", page, re.S)
    exec(code, names := {})
    trial = SimpleNamespace(
        number=0,
        suggest_float=lambda name, low, high, log: low,
        report=lambda value, step: reported.append((value, step)),
        should_prune=lambda: prunes,
    )
    if prunes:
        with pytest.raises(optuna.TrialPruned):
            names["objective"](trial)
    else:
        assert names["objective"](trial) == 0.4
    assert reported == [(0.4, 4096)]
