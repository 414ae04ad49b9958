"""A network learns from the worths of actions, and says in its model card what that brought."""

from __future__ import annotations

import copy
import shutil
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("torch", reason="the train extra is not installed")

import torch

import gubs_agents
from gubs_agents.arena.gate import read_candidate
from gubs_agents.networks.layers import Weights
from gubs_agents.networks.network import SHIPPED, load, save
from gubs_agents.training.supervised import comparisons, improve
from gubs_agents.training.supervised.comparisons import Comparisons, compare, read_comparisons
from gubs_agents.training.supervised.improve import ImproveOptions
from gubs_agents.training.supervised.improve import improve as improved
from gubs_agents.training.torch_network import improvement_loss, network_from, positions_of
from gubs_env import find_table
from tests.commands import ends_with, gubs

TABLE = find_table("bad_bad_turtle", 2)
CARD = (
    "# a table\n\nThe weights are in `start.safetensors`.\n\nIt was drawn.\n\n## Gate\n\nPassed.\n"
)
QUICK = {
    "search": "montecarlo:playouts=8+policy=heuristic+horizon=0+margin=0",
    "decisions": 1500, "epochs": 8, "learning_rate": 3e-3, "deals": 40,
}  # fmt: skip


class FirstLegal:
    """An agent that plays the first legal action."""

    def act(self, observations, masks, rngs=None):
        return masks.argmax(1)


class ByNumber:
    """A search that says that an action is worth its number."""

    def estimate(self, views, rngs=None):
        numbers = np.arange(float(self.num_actions))
        return np.zeros(len(views), np.int64), np.tile(numbers, (len(views), 1))


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """The path of an untrained network of two players, with few games in each part."""
    rng, path = np.random.default_rng(0), tmp_path_factory.mktemp("start") / "start.safetensors"
    sizes = [TABLE.observation_size, 16, TABLE.num_actions]
    layers = [
        ((0.1 * rng.standard_normal((outputs, inputs))).astype(np.float32),
         np.zeros(outputs, np.float32))
        for inputs, outputs in pairwise(sizes)
    ]  # fmt: skip
    save(path, Weights(layers), TABLE)
    path.with_suffix(".md").write_text(CARD)
    with pytest.MonkeyPatch.context() as patch:
        for module in (comparisons, improve):
            patch.setattr(module, "GAMES_AT_ONCE", 128)
        yield path


@pytest.fixture(scope="module")
def unfitted(start, tmp_path_factory):
    """The folder of a run that compared, and fitted nothing."""
    out = tmp_path_factory.mktemp("unfitted")
    improved(ImproveOptions(start, out=out, **QUICK | {"epochs": 0}))
    return out


def test_it_learns_to_choose_what_is_worth_more(start, tmp_path, monkeypatch):
    options = ImproveOptions(start, out=tmp_path / "out", **QUICK)
    result = improved(options)
    assert result.learnt > 1000
    assert result.held_out > 100
    assert result.gains["before"].mean < -0.1  # untrained: far worse than the heuristic
    assert result.gains["after"].mean > result.gains["before"].mean / 2
    assert result.played.games == 40 * 3  # from both seats, and once without it
    found = read_candidate(tmp_path / "out/best.safetensors")
    card = found.path.with_suffix(".md").read_text()
    assert card.startswith("# a table\n\nThe weights are in `best.safetensors`.\n\nIt started from")
    assert "| before | −" in card
    assert f"from {result.learnt:,} decisions in games" in " ".join(card.split())
    assert card.endswith("## The network that it started from\n\nIt was drawn.\n")

    def never(*given):
        raise AssertionError("compared again")

    monkeypatch.setattr(improve, "compare", never)
    network = found.path.read_bytes()
    assert improved(options) == result  # from the comparisons that are kept
    assert found.path.read_bytes() == network


def test_worths_are_those_of_the_actions_as_a_network_sees_them(monkeypatch):
    monkeypatch.setattr(comparisons, "GAMES_AT_ONCE", 8)
    table, search = find_table("fubnub", 4), ByNumber()
    search.num_actions = table.num_actions
    made = compare(FirstLegal(), search, [table], np.random.default_rng(0))
    legal, rows = made.masks != 0, np.arange(len(made.actions))
    assert legal.sum(1).min() > 1
    assert not made.worths[~legal].any()
    # The first legal action of the game has the lowest number, wherever it is shown.
    lowest = np.where(legal, made.worths, np.inf).min(1)
    np.testing.assert_array_equal(made.worths[rows, made.actions], lowest)
    assert (made.actions != lowest).any()  # cards are renamed


def test_a_temperature_makes_an_action_that_gains_it_e_times_as_likely(start, compared):
    before = network_from(load(start, TABLE), TABLE.observation_size)
    positions = positions_of(compared.observations[:1], compared.masks[:1], torch.device("cpu"))
    first, second = np.flatnonzero(compared.masks[0])[:2]
    worths = torch.zeros(1, TABLE.num_actions)
    network = copy.deepcopy(before)
    loss = partial(improvement_loss, before, 0.2, network, positions, None)
    loss(worths).backward()
    assert all(abs(p.grad).max() < 1e-6 for p in network.parameters())  # nothing was compared
    worths[0, first] = 0.2
    optimizer = torch.optim.Adam(network.parameters(), 0.01)
    for _ in range(300):
        optimizer.zero_grad()
        loss(worths).backward()
        optimizer.step()
    scores, old = (each(*positions)[0][0].detach() for each in (network, before))
    gained = (scores - old)[first] - (scores - old)[second]
    assert gained.item() == pytest.approx(1, abs=0.05)


def test_ends_and_a_temperature_are_learnt_with(start, tmp_path):
    changes = {"ends": True, "temperature": 0.05, "decisions": 600}
    result = improved(ImproveOptions(start, out=tmp_path, **QUICK | changes))
    assert result.gains["after"].mean > result.gains["before"].mean
    part = read_comparisons(tmp_path / "comparisons/00000.npz", TABLE)
    assert result.held_out == part.worths.any(1).sum()  # the part that is held out


def test_most_comparisons_are_of_the_ends_of_games(monkeypatch):
    monkeypatch.setattr(comparisons, "GAMES_AT_ONCE", 64)
    table, search = find_table("gubs", 2), ByNumber()
    search.num_actions = table.num_actions
    made = compare(FirstLegal(), search, [table], np.random.default_rng(0), ends=True)
    letters = table.observation_slices["letters"].of(made.observations).sum(1)
    compared = made.worths.any(1)
    assert 0.8 < compared.sum() / (~compared).sum() < 1.25
    assert letters[compared].mean() > letters[~compared].mean() + 0.5


def test_decisions_left_are_those_of_the_seat():
    np.testing.assert_array_equal(
        comparisons.decisions_left(np.array([7, 3, 7, 7, 3, 5])), [3, 2, 2, 1, 1, 1]
    )


def test_a_network_without_a_value_gets_none(start, unfitted):
    before, after = (load(path, TABLE) for path in (start, unfitted / "best.safetensors"))
    assert after.value is None
    for old, new in zip(before.policy, after.policy, strict=True):
        np.testing.assert_array_equal(old[0], new[0])


def test_rules_vary_if_the_network_was_trained_under_random_ones(start, tmp_path):
    shipped = read_candidate(SHIPPED / "gubs_v0_2.safetensors")
    assert improve.Comparing(ImproveOptions(shipped.path, out=tmp_path / "a"), shipped).varied
    drawn = read_candidate(start)
    assert not improve.Comparing(ImproveOptions(start, out=tmp_path / "b"), drawn).varied


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agent", "montecarlo"], "allowed are agents that act on observations"),
        (["--search", "heuristic"], "allowed are agents that estimate the worth of actions"),
        (["--decisions", "0"], "decisions=0: must be at least 1"),
        (["--variety", "2"], "variety=2.0: must be 0 to 1"),
        (["--learning-rate", "nan"], "learning_rate=nan: must be a finite number"),
        (["--search", "montecarlo:playouts=0"], "playouts=0.0: must be above 0"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(arguments, message, start, tmp_path, capsys):
    with ends_with(capsys, message):
        gubs("improve", start, "--out", tmp_path, *arguments)


def test_other_comparisons_in_the_folder_are_refused(start, tmp_path, capsys):
    improve.Comparing(ImproveOptions(start, out=tmp_path), read_candidate(start))
    with ends_with(capsys, "holds comparisons of another run, made with .*'seed': 0"):
        gubs("improve", start, "--out", tmp_path, "--seed", 1)


def test_a_search_must_estimate_every_legal_action():
    class Silent(ByNumber):
        def estimate(self, views, rngs=None):
            return np.zeros(len(views), np.int64), np.full((len(views), 24), np.nan)

    agent = gubs_agents.make("heuristic", TABLE, seed=0)
    with pytest.raises(ValueError, match="does not estimate every legal action"):
        compare(agent, Silent(), [TABLE], np.random.default_rng(0))


# ------------------------------------------------------------------------- files from outside


@pytest.fixture(scope="module")
def compared():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparisons, "GAMES_AT_ONCE", 16)
        agent = gubs_agents.make("heuristic", TABLE, seed=0)
        search = gubs_agents.make("montecarlo", TABLE, seed=0, playouts=4, horizon=0)
        return compare(agent, search, [TABLE], np.random.default_rng(0))


def test_comparisons_are_read_as_they_were_written(compared, tmp_path):
    path = tmp_path / "part.npz"
    np.savez_compressed(path, **compared._asdict())
    for kept, made in zip(read_comparisons(path, TABLE), compared, strict=True):
        np.testing.assert_array_equal(kept, made)


@pytest.mark.parametrize(
    ("name", "edited", "message"),
    [
        ("observations", lambda array: array - 1, "observation"),
        ("observations", lambda array: array[:, 1:], "observation"),
        ("masks", lambda array: 0 * array, "mask"),
        ("actions", lambda array: array - 1000, "actions holds a number .*: allowed are 0 to "),
        ("actions", lambda array: array.astype(np.int32), "actions must be int64 .*, not int32"),
        ("actions", lambda array: array[1:], "actions must be int64 of the shape"),
        ("worths", lambda array: array * np.nan, "worths holds a number .*: allowed are finite"),
        ("worths", lambda array: array.astype(object), "allow_pickle=False"),
        ("masks", None, "masks"),
    ],
)
def test_edited_comparisons_are_refused(name, edited, message, compared, tmp_path):
    path, arrays = tmp_path / "part.npz", compared._asdict()
    arrays |= {name: edited(arrays[name])} if edited else {}
    np.savez(path, **{key: arrays[key] for key in Comparisons._fields if edited or key != name})
    with pytest.raises(ValueError, match=f"holds no comparisons of this table .*{message}"):
        read_comparisons(path, TABLE)


def test_an_action_that_is_not_legal_is_refused(compared, tmp_path):
    path = tmp_path / "part.npz"
    others = compared.masks.argmin(1)  # the first that is not legal
    np.savez(path, **compared._replace(actions=others)._asdict())
    with pytest.raises(ValueError, match="an action is not legal"):
        read_comparisons(path, TABLE)


@pytest.mark.parametrize(
    "damage", [lambda data: b"", lambda data: data[:-100], lambda data: b"x" * 99]
)
def test_damaged_comparisons_are_refused_in_one_line(damage, start, unfitted, tmp_path, capsys):
    out = shutil.copytree(unfitted, tmp_path / "out")
    path = out / "comparisons/00001.npz"
    path.write_bytes(damage(path.read_bytes()))
    with ends_with(capsys, "00001.npz holds no comparisons of this table .* delete it"):
        gubs("improve", start, "--out", out, "--search", QUICK["search"])
