"""The gate: who is shipped, who is not, and what the model cards say."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("choix", reason="the arena extra is not installed")

from gubs_agents.arena.gate import GateOptions, gate
from gubs_agents.arena.likelihood import H0, H1
from gubs_agents.networks.architecture import WeightsError
from gubs_agents.networks.network import SHIPPED, load, save
from gubs_env import find_table
from gubs_env.agents.registry import Named
from tests.commands import ends_with, gubs
from tests.network_files import describe, edit, told_of

TWO = find_table("gubs")
QUICK = {"sprt": "0,300", "alpha": 0.2, "beta": 0.2, "deals": 60}
CARD = "# gubs, 2 players\n\nThe weights are in `best.safetensors`.\n\n| option | value |\n"


def network(path, scale=1.0):
    """Write the shipped network with its scores multiplied: −1 plays what it likes least."""
    weights = load(SHIPPED / "gubs_v0_2.safetensors", TWO)
    matrix, biases = weights.policy[-1]
    head = (np.ascontiguousarray(scale * matrix, np.float32), (scale * biases).astype(np.float32))
    save(path, replace(weights, policy=[*weights.policy[:-1], head]), TWO)
    path.with_suffix(".md").write_text(CARD)
    return path


def test_a_stronger_network_is_shipped_with_its_card(tmp_path):
    best, folder = network(tmp_path / "best.safetensors"), tmp_path / "shipped"
    folder.mkdir()
    options = GateOptions(best, champion="random", out=tmp_path / "runs", **QUICK)
    verdict = gate(options, folder)
    assert verdict.accepted == H1
    assert sorted(path.name for path in folder.iterdir()) == [
        "gubs_v0_2.md",
        "gubs_v0_2.safetensors",
    ]
    assert (folder / "gubs_v0_2.safetensors").read_bytes() == best.read_bytes()
    card = (folder / "gubs_v0_2.md").read_text()
    assert card.startswith("# gubs, 2 players\n\nThe weights are in `gubs_v0_2.safetensors`.")
    assert f"| network | sha256 {told_of(best)['sha256']} |" in card
    assert "| champion | random of gubs_env " in card
    assert f"| deals | {verdict.state.deals} from 3,0" in card
    assert "--champion random --sprt 0,300 --alpha 0.2 --beta 0.2 --deals 60" in card
    gate(GateOptions(best, champion="random", out=tmp_path / "runs", resume=True, **QUICK), folder)
    assert (folder / "gubs_v0_2.md").read_text() == card


def test_a_network_that_does_not_beat_the_shipped_one_is_refused(tmp_path, capsys):
    folder = tmp_path / "shipped"
    folder.mkdir()
    network(folder / "gubs_v0_2.safetensors")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    worst = network(tmp_path / "worst.safetensors", -1)
    verdict = gate(GateOptions(worst, out=tmp_path / "runs", **QUICK), folder)
    assert verdict.accepted == H0
    header = verdict.plan.header()["agents"]
    shipped = folder / "gubs_v0_2.safetensors"
    assert header["champion"] == Named("policy", {"weights": str(shipped)}).identity
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    options = ["--out", str(tmp_path / "other"), "--sprt", "0,300", "--deals", "60"]
    with pytest.raises(SystemExit) as raised:
        gubs("gate", str(worst), *options)
    assert raised.value.code == 1
    assert "The network is refused: nothing was copied." in capsys.readouterr().out


def test_a_network_without_its_card_or_of_another_game_is_refused(tmp_path, capsys):
    path = network(tmp_path / "best.safetensors")
    path.with_suffix(".md").unlink()
    with ends_with(capsys, r"gubs gate: no such file: .*best.md; a network is shipped with its"):
        gubs("gate", str(path))
    path.with_suffix(".md").write_text(CARD)
    describe(path, "{}")
    with ends_with(capsys, r"gubs gate: .*best.safetensors does not fit: "):
        gubs("gate", str(path))


@pytest.mark.parametrize("name", ["players", "rules"])
def test_null_is_no_number_of_players_and_no_rules(tmp_path, name):
    path = network(tmp_path / "best.safetensors")
    edit(path, **{name: None})
    with pytest.raises(WeightsError, match=f"its description: {name} must be a"):
        gate(GateOptions(path, out=tmp_path / "runs", **QUICK), tmp_path)


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.safetensors")), ids=lambda p: p.stem)
def test_every_shipped_network_passed_the_gate(path):
    section = path.with_suffix(".md").read_text(encoding="utf-8").split("\n## Gate\n")[1]
    assert f"| network | sha256 {told_of(path)['sha256']} |" in section
    assert "| accepted | H1 |" in section
    for name in ("champion", "H0, H1", "α, β", "log-likelihood ratio", "deals", "deals by wins"):
        assert re.search(rf"^\| {name} \| .+ \|$", section, re.M), name
    assert "gubs gate " in section
