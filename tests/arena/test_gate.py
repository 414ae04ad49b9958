"""The gate: who is shipped, who is not, and what the model cards say."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from functools import partial

import numpy as np
import pytest

pytest.importorskip("choix", reason="the arena extra is not installed")

from gubs_agents.arena import commands
from gubs_agents.arena import gate as gating
from gubs_agents.arena.gate import GateOptions, gate
from gubs_agents.arena.ledger import LEDGER, Ledger
from gubs_agents.arena.likelihood import H0, H1
from gubs_agents.networks.architecture import WeightsError
from gubs_agents.networks.network import SHIPPED, load, save
from gubs_env import find_table
from tests.commands import ends_with, gubs
from tests.network_files import describe, edit, told_of

TWO = find_table("gubs")
CARD = "# gubs, 2 players\n\nThe weights are in `best.safetensors`.\n\n| option | value |\n"
SHIPPED_NAME = "gubs_v0_2.safetensors"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of the shipped networks, of a gate with tests that are quick."""
    monkeypatch.setattr(gating, "BOUNDS", {"gubs_v0": (0.0, 300.0)})
    monkeypatch.setattr(gating, "MOST_DEALS", 60)
    (tmp_path / "shipped").mkdir()
    return tmp_path / "shipped"


def passed(path, folder, **options):
    """Let a network pass the gate, or not; return its tests."""
    options = GateOptions(path, out=folder.parent / "runs", **options)
    return gate(options, folder, folder.parent / "first")


def network(path, scale=1.0, noise=0.0):
    """Write the shipped network with its scores multiplied: −1 plays what it likes least.

    Noise on the last weights, in parts of their spread, makes it weaker.
    """
    weights = load(SHIPPED / "gubs_v0_2.safetensors", TWO)
    matrix, biases = weights.policy[-1]
    matrix = matrix + np.random.default_rng(0).normal(0, noise * matrix.std(), matrix.shape)
    head = (np.ascontiguousarray(scale * matrix, np.float32), (scale * biases).astype(np.float32))
    save(path, replace(weights, policy=[*weights.policy[:-1], head]), TWO)
    path.with_suffix(".md").write_text(CARD)
    return path


def test_a_stronger_network_is_shipped_with_its_card(folder):
    worst = network(folder / SHIPPED_NAME, -1).read_bytes()
    best = network(folder.parent / "best.safetensors")
    [test] = passed(best, folder)
    assert test.verdict.accepted == H1
    assert {path.name for path in folder.iterdir()} == {
        "gubs_v0_2.md", SHIPPED_NAME, LEDGER
    }  # fmt: skip
    assert (folder / SHIPPED_NAME).read_bytes() == best.read_bytes()
    assert (folder.parent / "first" / SHIPPED_NAME).read_bytes() == worst
    card = (folder / "gubs_v0_2.md").read_text()
    assert card.startswith(f"# gubs, 2 players\n\nThe weights are in `{SHIPPED_NAME}`.")
    assert f"| network | sha256 {told_of(best)['sha256']} |" in card
    assert "| α, β | 0.025, 0.05 |" in card
    assert f"| deals | {test.verdict.state.deals} from 3,000," in card
    assert "| test in the ledger | 1 |" in card


def test_a_refused_network_is_in_the_ledger_too(folder, capsys, monkeypatch):
    network(folder / SHIPPED_NAME)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    worst = network(folder.parent / "worst.safetensors", -1)
    monkeypatch.setattr(commands, "pass_gate", partial(gate, folder=folder, first=folder))
    with pytest.raises(SystemExit) as raised:
        gubs("gate", worst, "--out", folder.parent / "runs")
    assert raised.value.code == 1
    assert "The network is refused: nothing was copied." in capsys.readouterr().out
    [entry] = Ledger(folder).entries
    assert all((folder / name).read_bytes() == content for name, content in before.items())
    begun, ended = entry
    assert (begun["table"], begun["candidate"]) == ("gubs_v0_2", told_of(worst)["sha256"])
    assert begun["opponent"] == f"policy, sha256 {told_of(folder / SHIPPED_NAME)['sha256']}"
    assert (begun["elo0"], begun["elo1"], begun["alpha"], begun["beta"]) == (0, 300, 0.025, 0.05)
    assert ended["accepted"] == H0
    assert sum(ended["deals_by_score"].values()) == ended["deals"]


def test_a_second_try_is_the_same_test_and_other_networks_pay_for_theirs(folder):
    """One changed bit of the weights gives fresh deals, at a price."""
    network(folder / SHIPPED_NAME)
    for scale, number, alpha in ((-1, 1, 0.05 / 2), (-1, 1, 0.05 / 2), (-1.5, 2, 0.05 / 6)):
        worst = network(folder.parent / f"worst{scale}.safetensors", scale)
        [test] = passed(worst, folder)
        assert test.number == number
        assert test.verdict.plan.hypotheses.alpha == pytest.approx(alpha)
    assert Ledger(folder).alpha("gubs_v0_2") == pytest.approx(0.05 / 12)
    assert Ledger(folder).alpha("gubs_v0_3") == pytest.approx(0.05 / 2)


def test_a_champion_that_drifted_down_is_no_way_past_the_first(folder):
    """A candidate beats the network in its place, which is weak, and not the first one."""
    network(folder / SHIPPED_NAME, -1)
    first = folder.parent / "first"
    first.mkdir()
    network(first / SHIPPED_NAME)
    tests = passed(network(folder.parent / "best.safetensors", noise=3), folder)
    assert tests[0].verdict.accepted == H1
    assert tests[1].verdict.accepted != H1
    assert tests[1].verdict.plan.hypotheses[:2] == (-5, 0)
    assert told_of(folder / SHIPPED_NAME) != told_of(folder.parent / "best.safetensors")
    assert [entry.begun["against"] for entry in Ledger(folder).entries] == ["champion", "first"]
    assert Ledger(folder).alpha("gubs_v0_2") == pytest.approx(0.05 / 6)  # the first costs nothing


def test_the_bounds_and_the_champion_are_no_options():
    assert {field.name for field in fields(GateOptions)} == {
        "network", "out", "resume", "processes"
    }  # fmt: skip


def test_in_a_series_of_any_length_the_error_stays_bounded(tmp_path):
    ledger, spent = Ledger(tmp_path), []
    for number in range(50):
        spent.append(ledger.alpha("it"))
        ledger.begin(
            table="it", rules="it", candidate=str(number), against="champion", opponent="x",
            elo0=0, elo1=10, alpha=spent[-1], beta=0.05, first_deal=0, most_deals=9, version="0",
        )  # fmt: skip
    assert 0.04 < sum(spent) < 0.05
    assert Ledger(tmp_path).alpha("it") == ledger.alpha("it") < min(spent)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda lines: lines[2:], "line 1: a line before it was changed, removed or moved"),
        (lambda lines: [lines[0].replace(b'"elo1":1.0', b'"elo1":0.5'), *lines[1:]], "line 2: a l"),
        (lambda lines: [lines[0], *lines[2:]], "line 2: a line before it was changed"),
        (lambda lines: [*lines[:3], lines[3][:-5]], "its last line is cut off"),
        (lambda lines: [*lines, b"[]\n"], "line 5: a line before it"),
        (lambda lines: [*lines, b"no\n"], "line 5: this is not a line of the ledger: "),
    ],
)
def test_a_ledger_that_was_edited_is_refused(tmp_path, edit, said):
    lines = (SHIPPED / LEDGER).read_bytes().splitlines(keepends=True)[:4]
    (tmp_path / LEDGER).write_bytes(b"".join(edit(lines)))
    with pytest.raises(ValueError, match=said):
        Ledger(tmp_path)


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
        gate(GateOptions(path, out=tmp_path / "runs"), tmp_path)


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.safetensors")), ids=lambda p: p.stem)
def test_every_shipped_network_passed_the_gate(path):
    section = path.with_suffix(".md").read_text(encoding="utf-8").split("\n## Gate\n")[1]
    assert f"| network | sha256 {told_of(path)['sha256']} |" in section
    assert "| accepted | H1 |" in section
    for name in ("champion", "H0, H1", "α, β", "log-likelihood ratio", "deals", "deals by wins"):
        assert re.search(rf"^\| {name} \| .+ \|$", section, re.M), name
    assert "gubs gate " in section
    tests = [each for each in Ledger(SHIPPED).entries if each.begun["table"] == path.stem]
    accepted = [each for each in tests if each.ended["accepted"] == H1]
    assert accepted[-1].begun["candidate"] == told_of(path)["sha256"], "others were refused since"
