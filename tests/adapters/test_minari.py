"""Recorded games as data sets of Minari: what the environment for one agent shows, with masks."""

from __future__ import annotations

import numpy as np
import pytest

import gubs_env
from tests.commands import ends_with, gubs

minari = pytest.importorskip("minari", reason="the extra minari is not installed")
to_minari = pytest.importorskip("gubs_env.adapters.minari").to_minari


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Let Minari keep its data in a new folder."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "games.jsonl"
    table = gubs_env.find_table("fubnub", 2, {"mode": "royal"})
    return gubs_env.record(path, "greedy,random", table, games=3, seed=7)


def test_each_seat_is_an_episode_with_masks_and_its_payoff(records):
    data = to_minari(records, "gubs/fubnub-v0")
    played = [record for record in gubs_env.read_records(records)]
    assert data.total_episodes == 6
    assert data.total_steps == sum(len(record.actions) for record in played)
    table = played[0].table
    for number, episode in enumerate(data.iterate_episodes()):
        record, seat = played[number // 2], number % 2
        seen, masks = episode.observations["observation"], episode.observations["action_mask"]
        assert seen.shape == (len(episode.actions) + 1, table.observation_size)
        assert masks[np.arange(len(episode.actions)), episode.actions].all()
        assert not masks[-1].any()
        assert episode.rewards.sum() == record.outcome.payoffs[seat]
        assert not episode.rewards[:-1].any()
        assert episode.terminations.tolist() == [False] * (len(episode.actions) - 1) + [True]


def test_only_the_seats_of_some_agents(records):
    data = to_minari(records, "gubs/greedy-v0", ["greedy"])
    assert data.total_episodes == 3
    with pytest.raises(ValueError, match="no finished game has a decision of nobody"):
        to_minari(records, "gubs/nobody-v0", ["nobody"])


def test_its_environment_is_the_table_that_was_recorded(records):
    env = to_minari(records, "gubs/fubnub-v1").recover_environment()
    assert env.observation_space == minari.load_dataset("gubs/fubnub-v1").spec.observation_space
    assert env.unwrapped.table == next(gubs_env.read_records(records)).table


def test_many_episodes_are_written_in_parts(records, monkeypatch):
    told = []
    monkeypatch.setattr("gubs_env.adapters.minari.AT_ONCE", 4)
    whole = to_minari(records, "gubs/parts-v0", progress=told.append)
    assert told == [4, 6]
    assert [episode.id for episode in whole.iterate_episodes()] == list(range(6))


def test_the_command_writes_it(records, capsys):
    gubs("minari", records, "--id", "gubs/typed-v0", "--agents", "random")
    assert capsys.readouterr().out.startswith("3 episodes, ")
    assert minari.load_dataset("gubs/typed-v0").total_episodes == 3
    with ends_with(capsys, "already exist"):
        gubs("minari", records, "--id", "gubs/typed-v0")
