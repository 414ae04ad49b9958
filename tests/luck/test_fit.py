"""Fitting values: the command plays, fits, and goes on with the games that it finds."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="the train extra is not installed")

import numpy as np

import gubs_env
from gubs_agents import luck
from gubs_agents.deals import LUCK_DEALS
from gubs_agents.luck import games
from gubs_env import find_table
from tests.commands import ends_with, gubs
from tests.network_files import told_of

TABLE = find_table("bad_bad_turtle", 2)


def test_fitted_values_leave_less_variance_and_games_are_played_once(tmp_path, monkeypatch):
    monkeypatch.setattr(games, "TOGETHER", 256)
    options = ["--game", "bad_bad_turtle", "--players", "2", "--epochs", "8"]
    options += ["--out", str(tmp_path / "fit"), "--games"]
    gubs("luck", "fit", *options, "300")
    path = tmp_path / "fit" / "bad_bad_turtle_v0_2.safetensors"
    values = luck.values_for(TABLE, path)
    fitted = told_of(path)["sha256"]
    assert (values.first_deal, values.games) == (LUCK_DEALS.start, 512)
    gubs_env.record(tmp_path / "games.jsonl", "greedy", TABLE, games=300, seed=50)
    records = list(gubs_env.read_records(tmp_path / "games.jsonl"))
    payoffs = np.array([record.outcome.payoffs for record in records])
    left = payoffs + luck.corrections(records, values)
    assert left.var(axis=0).sum() < 0.9 * payoffs.var(axis=0).sum()
    monkeypatch.setattr(games, "play", lambda *_: pytest.fail("these games are there already"))
    gubs("luck", "fit", *options, "512")
    assert told_of(path)["sha256"] == fitted


@pytest.mark.parametrize("option", ["--epochs", "--game-epochs", "--games"])
def test_numbers_below_one_are_refused_before_a_game_is_played(tmp_path, capsys, option):
    for number in ("-1", "0"):
        name = option[2:].replace("-", "_")
        with ends_with(capsys, rf"^gubs luck fit: {name}={number}: must be at least 1$"):
            gubs("luck", "fit", option, number, "--out", str(tmp_path / "fit"))
    assert not (tmp_path / "fit").exists()


EDITS = {
    "a picture": lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n" * 40),
    "empty": lambda path: path.write_bytes(b""),
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "damaged": lambda path: path.write_bytes(path.read_bytes().replace(b"\1\0\0", b"\2\0\0")),
    "one array less": lambda path: edited(path, seats=None),
    "one array more": lambda path: edited(path, more=np.zeros(1)),
    "payoffs": lambda path: edited(path, payoffs=lambda array: array * np.float32(3e38)),
    "no numbers": lambda path: edited(path, weights=lambda array: array * np.nan),
    "seats": lambda path: edited(path, seats=lambda array: array + 2**40),
    "outcomes": lambda path: edited(path, outcomes=lambda array: array - 1000),
    "order": lambda path: edited(path, games=lambda array: array[::-1].copy()),
    "half of it": lambda path: edited(path, picks=lambda array: array[:100]),
}


def edited(path, **changes):
    """Write a part of the games again with other arrays."""
    arrays = dict(np.load(path))
    for name, change in changes.items():
        if change is None:
            del arrays[name]
        else:
            arrays[name] = change(arrays[name]) if callable(change) else change
    np.savez(path, **arrays)


@pytest.fixture(scope="module")
def part(tmp_path_factory):
    """A part of the games of a fit."""
    path = tmp_path_factory.mktemp("fit") / "part.npz"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(games, "TOGETHER", 256)
        games.load_or_play(path, TABLE, 0)
    return path


@pytest.mark.parametrize("name", EDITS)
def test_a_part_of_the_games_that_was_edited_is_refused(tmp_path, monkeypatch, part, name):
    monkeypatch.setattr(games, "TOGETHER", 256)
    path = tmp_path / "part.npz"
    path.write_bytes(part.read_bytes())
    games.load_or_play(path, TABLE, 0)
    EDITS[name](path)
    with pytest.raises(ValueError, match=r"part\.npz holds no games of bad_bad_turtl"):
        games.load_or_play(path, TABLE, 0)
