"""The rules page of FUBNUB agrees with the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gubs_env import find_table
from gubs_env.engine.card_texts import card_texts
from gubs_env.fubnub_v0 import GAME, ActionCard, Rules
from gubs_env.games.fubnub.cards import POINT_TITLES
from gubs_env.games.fubnub.rules import MODES
from gubs_env.games.fubnub.state import Phase

RULES = (Path(__file__).parents[2] / "docs" / "rules" / "fubnub.md").read_text()


@pytest.mark.parametrize("action", ActionCard)
def test_every_action_card_is_in_the_rules_page(action):
    assert f"\n| {int(action)} | {action.title} | " in RULES


def test_every_point_card_is_in_the_rules_page():
    for number, title in enumerate(POINT_TITLES):
        assert f"| {number} | {title} | " in RULES


def test_every_mode_decision_and_option_is_explained():
    for word in [*MODES, *Rules().as_dict()]:
        assert re.search(rf"`{word}`", RULES), word
    for phase in list(Phase)[: Phase.OVER]:
        assert f"\n| `{phase.name}` | " in RULES


def test_every_ruling_is_told_once():
    told = [int(number) for number in re.findall(r"^\| F(\d+) \| ", RULES, re.MULTILINE)]
    assert told == list(range(1, 40))


def test_the_bounds_on_the_length_of_a_game_are_as_documented():
    royal, full = (find_table("fubnub", 4, {"mode": mode}) for mode in ("royal", "full"))
    assert f"{royal.max_decisions} for four and fifteen" in RULES
    assert f"at most 28·N, {full.max_decisions}" in " ".join(RULES.split())


def test_a_point_card_says_what_it_favours():
    told = card_texts(GAME)
    assert told["Red"] == "In play, every Red card beats all other cards."
    assert told["Odds"] == "In play, every 1, 3 or 5 beats all other cards."
    assert told["Gold and Green"] == "In play, every Gold or Green card beats all other cards."
