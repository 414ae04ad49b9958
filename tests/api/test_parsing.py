"""Agents and rules written as text: what a command line and `gymnasium.make` accept."""

from __future__ import annotations

import pytest

import gubs_agents
from gubs_env import find_game, find_table
from gubs_env.agents.parsing import parse_rules
from gubs_env.agents.registry import Named, parse_agent
from gubs_env.engine.option_texts import parse_options
from gubs_env.gubs_v0 import Card, Rules

GUBS = find_game("gubs")


class Cautious:
    """An agent that is registered nowhere: it plays the first legal action."""

    def __init__(self, table, seed=None, margin=0):
        self.margin = margin

    def act(self, observations, masks, rngs=None):
        return masks.argmax(1)


class Plain:
    """The shortest agent of the pages: it knows only its table and its seed."""

    def __init__(self, table, seed):
        self.num_players = table.num_players

    def act(self, observations, masks, rngs=None):
        return masks.argmax(1)


@pytest.mark.parametrize("separator", ["+", ","])
def test_a_deck_is_a_list_of_counted_cards(separator):
    text = "deck=Gub:6+Lure:20+Mushroom:6+Letter G:1+Letter U:1+Letter B:1"
    rules = parse_rules(text.replace("+", separator), GUBS)
    assert rules.composition()[Card.LURE] == 20
    assert rules.composition()[Card.SPEAR] == 0


@pytest.mark.parametrize("value", ["true", "True", "TRUE"])
def test_bools_are_read_in_any_case(value):
    assert parse_rules(f"ask_everyone={value}+letters=anywhere", GUBS) == Rules(
        ask_everyone=True, letters="anywhere"
    )


def test_a_mapping_is_as_good_as_a_text():
    assert parse_rules({"flood_to": "deck"}, GUBS) == parse_rules("flood_to=deck", GUBS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("letter=anywhere", "the rules of gubs_v0 have no option letter: there are letters"),
        ("letters", "'letters' is not an option: write option=value"),
        ("letters=nowhere", r"letters='nowhere': allowed are \('thirds', 'anywhere'\)"),
        ("deck=Gub", "deck='Gub': a mapping of cards to counts is wanted"),
        ("deck=Gub:6,Gub:2", "Gub is counted twice"),
        ("ask_everyone=1", "ask_everyone=1: allowed are True and False"),
        ("letters=thirds+letters=anywhere", "option letters is given twice"),
    ],
)
def test_rules_that_cannot_be_are_named(text, said):
    with pytest.raises(ValueError, match=said):
        parse_rules(text, GUBS)


def test_rules_of_another_game_are_refused():
    with pytest.raises(TypeError, match="rules of fubnub_v0 are its Rules"):
        find_game("fubnub").make_rules(Rules())


def test_values_are_lists_numbers_and_words():
    text = "one=1+part=0.5+seats=3,1+only=2,+where=a/b.safetensors"
    assert parse_options(text) == {
        "one": 1, "part": 0.5, "seats": [3, 1], "only": [2], "where": "a/b.safetensors",
    }  # fmt: skip


def test_a_class_is_an_agent_by_its_place():
    named = parse_agent(f"{__name__}:Cautious:margin=3")
    agent = gubs_agents.make(named.name, **named.options)
    assert agent.margin == 3
    assert type(agent).__name__ == "Cautious"


def test_a_module_needs_no_package_and_a_class_no_game():
    assert parse_agent("bots:Bold:margin=1") == Named("bots:Bold", {"margin": 1})
    assert parse_agent("bots:Bold").options == {}
    agent = gubs_agents.make(f"{__name__}:Plain", find_table("gubs", 3))
    assert agent.num_players == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no.such.module:Bot", "agent 'no.such.module:Bot': No module named 'no'"),
        (f"{__name__}:Bot", "has no attribute 'Bot'"),
        (f"{__name__}:GUBS", "this is no class with a method act, search or choose"),
        ("os:kill", "agent 'os:kill': this is no class with a method act, search or choose"),
        (f"{__name__}:Cautious:patience=1", "has no option patience: its options are margin"),
        ("heuristics", r"no agent is called 'heuristics' in gubs_v0: there are greedy"),
        ("ismcts:playouts", "agent 'ismcts:playouts': No module named 'ismcts'; write package"),
        ("my.bots:", "names no agent"),
    ],
)
def test_agents_that_cannot_be_are_named(text, said):
    def build():
        named = parse_agent(text)
        gubs_agents.make(named.name, **named.options)

    with pytest.raises(ValueError, match=said):
        build()
