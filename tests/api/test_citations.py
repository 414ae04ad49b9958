"""A table as a text that papers cite: the same everywhere, and read back by Python and `gubs`."""

from __future__ import annotations

import pytest

from gubs_env import find_table
from gubs_env.commands.main import unfolded
from tests.commands import ends_with, gubs, python

DECK = {"Lure": 4, "Gub": 2, "Lightning": 2, "Letter G": 1, "Letter U": 1, "Letter B": 1}
STORM = find_table("gubs", 2, {"letters": "anywhere", "deck": DECK})
CITED = (
    "gubs_v0:players=2+deck=Gub:2,Letter B:1,Letter G:1,Letter U:1,Lightning:2,Lure:4"
    "+letters=anywhere#1c3be7fa012b"
)


def test_the_citation_of_a_table_does_not_change():
    """Papers hold it: not by process, machine or version, nor by the order of a deck."""
    assert STORM.citation == CITED
    turned = find_table("gubs", 2, {"deck": dict(reversed(DECK.items())), "letters": "anywhere"})
    assert turned.citation == CITED
    code = "import sys, gubs_env; print(gubs_env.find_table(sys.argv[1]).citation)"
    assert python(code, CITED, PYTHONHASHSEED="7") == CITED


@pytest.mark.parametrize(
    "table",
    [
        STORM,
        find_table("gubs", 6),
        find_table("fubnub", 2, {"mode": "ghost_royal", "num_points": 3}),
        find_table("gubs", 3, {"reward": "margin", "plague_redraw": False}),
    ],
    ids=str,
)
def test_a_citation_is_read_back(table):
    assert find_table(table.citation) == table
    assert find_table(table.citation.partition("#")[0]) == table  # the hash only checks


def test_other_rules_have_another_hash():
    cited = [find_table("gubs", players).citation for players in (2, 3)] + [CITED]
    assert len({text.partition("#")[2] for text in cited}) == 3


def test_a_citation_that_was_changed_is_refused():
    with pytest.raises(ValueError, match=r"the hash .*, not 1c3be7fa012b: its text was changed"):
        find_table(CITED.replace("Lure:4", "Lure:5"))
    with pytest.raises(TypeError, match="is a table: it has its number of players"):
        find_table(CITED, 2)


def test_commands_take_it_in_place_of_three_options(capsys):
    gubs("describe", "--game", CITED)
    assert f"to be cited as `{CITED}`" in capsys.readouterr().out
    plain = ["--game", "gubs", "--players", "3", "--rules", "", "--deals", "5"]
    assert unfolded(["--game=gubs_v0:players=3", "--deals", "5"]) == plain
    assert unfolded(plain) == plain
    with ends_with(capsys, "gubs describe: --players beside --game gubs_v0:players=3: this text"):
        gubs("describe", "--players", "2", "--game", "gubs_v0:players=3")
