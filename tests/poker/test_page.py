"""The page of a game, and the words for its fields."""

from __future__ import annotations

import pytest

from gubs_env import GAMES, Field, find_table
from gubs_env.commands.describe import page_of
from gubs_env.engine.table import Table
from tests.commands import gubs
from tests.poker.high_side import GAME


@pytest.mark.parametrize("name", [*GAMES, "kuhn_poker"])
def test_it_names_every_action_slice_event_field_and_option(name):
    table = find_table(name)
    page = page_of(table)
    names = [*table.game.action_names(table.num_players), *table.observation_slices]
    names += [*table.game.event_slices(), *table.rules.as_dict()]
    names += [field.name for field in table.game.state_fields]
    assert [each for each in names if f"| `{each}` |" not in page] == []


def test_it_tells_who_sees_what_and_who_plays_with_whom():
    page = page_of(Table(GAME))
    assert (
        "high_side_v0 with 4 players, player_0 and player_2 against player_1 and player_3;" in page
    )
    assert (
        "| `card` | 4 | 0 … 3: hidden, low, none, high | the player of the entry | the card of each"
        in page
    )


def test_the_command_writes_it(tmp_path, capsys):
    path = tmp_path / "page.md"
    gubs("describe", "--game", "fubnub", "--players", 4, "--out", path)
    assert path.read_text("utf-8") == page_of(find_table("fubnub", 4))
    assert capsys.readouterr().out == f"{path}: FUBNUB\n"


def test_entries_have_names():
    flags = Field("shown", (2, 3), "", entries=("Duke", "Captain", "Lady"))
    assert flags.words([1, 0, 1], state=None) == "Duke, Lady"
    assert flags.words([0, 0, 0], state=None) == "none"
    coins = Field("coins", (3,), "", 0, 9, entries=("gold", "silver", "copper"))
    assert coins.words([0, 3, 1], state=None) == "silver 3, copper 1"
