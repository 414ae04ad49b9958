"""Corrections of recorded games: unbiased whatever the values say, and they take luck out."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import gubs_env
from gubs_agents import arena, luck
from gubs_agents.arena.likelihood import ratio_of_scores
from gubs_agents.arena.ratings import FinishedGames
from gubs_agents.luck import walking
from gubs_agents.luck.comparison import scaled
from gubs_agents.luck.values import LARGEST_FEATURE, Values, save
from gubs_agents.luck.walking import followers
from gubs_agents.networks.architecture import WeightsError
from gubs_agents.networks.layers import Weights
from gubs_env import find_table, fubnub_v0
from gubs_env.records.record import Record
from tests.commands import ends_with, gubs
from tests.network_files import edit

NAMES = [("gubs", 2), ("gubs", 4), ("fubnub", 4), ("bad_bad_turtle", 2), ("bad_bad_turtle", 4)]
TABLES = [find_table(name, players) for name, players in NAMES]
TURTLES = find_table("bad_bad_turtle", 2)


def absurd_values(table, size=8, seed=0):
    """Return values drawn at random, which say nothing about the game."""
    chance, rng = table.game.chance_events(), np.random.default_rng(seed)
    outputs = chance.num_outcomes * table.num_sides
    first = rng.normal(size=(size, chance.num_features(table.num_players))) / 10
    last = rng.normal(size=(outputs, size)) / 10
    layers = [(first, np.zeros(size)), (last, np.zeros(outputs))]
    layers = [tuple(part.astype(np.float32) for part in layer) for layer in layers]
    return Values(Weights(layers, largest_input=LARGEST_FEATURE), 1, 1)


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """Return a function that records games at a table, once for each."""

    @cache
    def recorded(table):
        path = tmp_path_factory.mktemp("records") / "games.jsonl"
        gubs_env.record(path, "greedy", table, games=300, seed=50)
        return list(gubs_env.read_records(path))

    return recorded


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_corrections_have_mean_zero_for_absurd_values_and_sum_to_zero(records, table):
    found = luck.corrections(records(table), absurd_values(table))
    assert found.shape == (300, table.num_sides)
    np.testing.assert_allclose(found.sum(axis=1), 0, atol=1e-4)
    assert (found.std(axis=0) > 0).all()
    deviations = found.mean(axis=0) / (found.std(axis=0) / np.sqrt(len(found)))
    assert np.abs(deviations).max() < 4


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_corrections_need_no_compiler(records, table, monkeypatch):
    few, values = records(table)[:2], absurd_values(table)
    compiled = luck.corrections(few, values)
    loops = followers(table.game.name, table.game.chance_events())
    monkeypatch.setattr(walking, "followers", lambda *_: [loop.function for loop in loops])
    np.testing.assert_allclose(luck.corrections(few, values), compiled, atol=1e-6)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_shipped_values_leave_less_variance(records, table):
    played = records(table)
    found = luck.corrections(played, luck.values_for(table))
    first = np.unique(table.sides, return_index=True)[1]
    payoffs = np.array([record.outcome.payoffs for record in played])[:, first]
    plain = payoffs.var(axis=0).sum()
    assert (payoffs + found).var(axis=0).sum() < 0.95 * plain


def test_a_results_file_is_reported_with_luck_taken_out(tmp_path, capsys):
    arena.tournament("random,greedy", TURTLES, deals=40, out=tmp_path)
    gubs("luck", tmp_path / "games.jsonl")
    text = (tmp_path / "luck.md").read_text()
    assert text.strip() in capsys.readouterr().out
    assert "| greedy | random |" in text
    found = luck.compare(luck.adjust(tmp_path / "games.jsonl"))
    np.testing.assert_allclose(found.adjusted.value[0, 1], -found.adjusted.value[1, 0], atol=1e-6)
    plain = arena.tournament("random,greedy", TURTLES, deals=40).numbers.matrix
    np.testing.assert_allclose(found.plain.value, plain.value)
    assert found.fewer[0, 1] > 1


@pytest.fixture(scope="module")
def duel(tmp_path_factory):
    """Return the path of 200 deals of two agents."""
    folder = tmp_path_factory.mktemp("duel")
    arena.tournament("greedy,heuristic", deals=200, out=folder)
    return folder / "games.jsonl"


def test_a_test_reads_the_deals_up_to_the_first_that_decides(duel):
    verdict = luck.sprt(luck.adjust(duel), "heuristic", (0, 40))
    assert (verdict.accepted, verdict.champion) == ("H1", "greedy")
    assert str(verdict).startswith("H1 is accepted: heuristic is at least 40 Elo points stronger")
    before = ratio_of_scores(verdict.scores[:-1], verdict.hypotheses, 2)
    lower, upper = verdict.hypotheses.boundaries
    assert lower < before < upper <= verdict.ratio
    opposite = luck.sprt(luck.adjust(duel), "greedy", "0,40")
    assert opposite.accepted == "H0"
    count = min(len(opposite.scores), len(verdict.scores))
    np.testing.assert_allclose(opposite.scores[:count], 1 - verdict.scores[:count], atol=1e-6)


def test_a_test_without_luck_takes_fewer_deals(duel):
    adjusted = luck.adjust(duel)
    plain = adjusted._replace(corrections=np.zeros_like(adjusted.corrections))
    without, before = (luck.sprt(games, "heuristic", (0, 40)) for games in (adjusted, plain))
    assert len(without.scores) < len(before.scores)
    assert set(np.unique(4 * before.scores)) <= {0, 1, 2, 3, 4}, "two games, some of them shared"
    tested = arena.sprt("heuristic,greedy", (0, 40), deals=200)
    assert len(before.scores) == tested.state.deals
    assert before.ratio == pytest.approx(tested.state.ratio, abs=0.01)


def test_scores_are_those_of_the_report(duel):
    adjusted = luck.adjust(duel)
    verdict = luck.sprt(adjusted, "heuristic", (100, 101))
    share = (1 + luck.compare(adjusted).adjusted.value[1, 0]) / 2
    assert (verdict.accepted, verdict.scores.mean()) == (None, pytest.approx(share))


def test_the_command_prints_the_test_or_says_what_is_missing(duel, capsys):
    gubs("luck", duel, "--sprt", "0,40", "--challenger", "heuristic")
    said = capsys.readouterr().out
    assert "H1 is accepted: heuristic" in said
    assert said.strip() == duel.with_name("luck.md").read_text().strip()
    with ends_with(capsys, "--sprt and --challenger: give both or neither"):
        gubs("luck", duel, "--sprt", "0,40")


def test_what_no_test_can_read_is_refused(duel, tmp_path):
    adjusted = luck.adjust(duel)
    with pytest.raises(ValueError, match="challenger='random': allowed are greedy, heuristic"):
        luck.sprt(adjusted, "random")
    with pytest.raises(ValueError, match="sprt='10': write two bounds in Elo points"):
        luck.sprt(adjusted, "greedy", "10")
    few = adjusted._replace(records=adjusted.records[:3], corrections=adjusted.corrections[:3])
    with pytest.raises(ValueError, match="a test takes two complete deals, and there are 1"):
        luck.sprt(few, "greedy")
    arena.tournament("greedy,heuristic,random", deals=2, out=tmp_path)
    with pytest.raises(ValueError, match="two agents, and these are of 3: greedy, heuristic"):
        luck.sprt(luck.adjust(tmp_path / "games.jsonl"), "greedy")


def test_corrections_that_say_nothing_are_scaled_away_and_good_ones_are_kept():
    rng = np.random.default_rng(0)
    lucky = np.repeat(rng.normal(size=(2000, 1)), 2, axis=1) * [1, -1]
    skill = np.repeat(rng.normal(size=(2000, 1)), 2, axis=1) * [1, -1]
    seatings, zeros = np.tile([0, 1], (2000, 1)), np.zeros((2000, 2))
    games = FinishedGames(
        ("a", "b"), np.arange(2000), seatings, lucky + skill, zeros, zeros, zeros, (-9, 9)
    )
    np.testing.assert_allclose(scaled(games, -lucky), -lucky, atol=0.4)
    noise = np.repeat(rng.normal(size=(2000, 1)), 2, axis=1) * [1, -1]
    assert np.abs(scaled(games, noise)).max() < 0.3


def test_games_on_which_the_values_were_fitted_are_refused(tmp_path):
    first = luck.values_for(TURTLES).first_deal
    arena.tournament("random,greedy", TURTLES, deals=2, seed=first, out=tmp_path)
    with pytest.raises(ValueError, match="fitted on deals"):
        luck.adjust(tmp_path / "games.jsonl")


def test_tables_without_values_are_refused():
    with pytest.raises(ValueError, match=r"no values are shipped for gubs_v0 with 5 .*gubs_v0_2"):
        luck.values_for(find_table("gubs", 5))


def test_modes_whose_luck_is_unknown_are_refused():
    env = fubnub_v0.env(rules=fubnub_v0.Rules(mode="royal"))
    env.reset(seed=1)
    record = Record.of(env, ["a"] * env.unwrapped.num_players, 1)
    with pytest.raises(ValueError, match="mode='royal'"):
        luck.corrections([record], absurd_values(find_table("fubnub")))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"players": 3}, "players is 3, expected is 2"),
        ({"more": 1}, "has an unknown key, 'more'"),
        ({"sha256": "0" * 64}, "sha256"),
        ({"scale": 0.1}, "scale must be 0"),
        ({"format": "gubs_env luck 0"}, "format"),
    ],
)
def test_edited_values_are_refused(tmp_path, fields, message):
    table, path = find_table(), tmp_path / "fitted.safetensors"
    save(path, absurd_values(table), table)
    assert luck.values_for(table, path).games == 1
    edit(path, **fields)
    with pytest.raises(WeightsError, match=message):
        luck.values_for(table, path)
