"""One seat in text: what the words of somebody else may choose."""

from __future__ import annotations

import pytest

from gubs_env.adapters.solo import SoloGame
from gubs_env.agents.registry import allow_list, chosen, harmless_agents, is_harmless
from gubs_env.play.dealing import DealOptions
from tests.strangers import reaching


def names_of(game):
    return [name for name in game._session.names if name != "person"]


def test_a_stranger_names_no_modules_servers_options_or_files(tmp_path, monkeypatch):
    with reaching(tmp_path, monkeypatch) as texts:
        for text in (*texts, "random:seed=1", "ismcts:playouts=5", "random,llm", "Random"):
            with pytest.raises(ValueError, match="is not allowed here: allowed are greedy, heur"):
                SoloGame(DealOptions(seed=1), text)


def test_a_stranger_chooses_by_label_from_the_list_of_the_person():
    allowed = allow_list("strong=ismcts:playouts=2,random,evil_mod:X")
    assert list(allowed) == ["strong", "random", "evil_mod:X"]
    table = DealOptions(players=3, seed=1)
    assert names_of(SoloGame(table, "strong, random", allowed=allowed)) == [
        "ismcts:playouts=2",
        "random",
    ]
    assert names_of(SoloGame(table, "", allowed=allowed)) == ["ismcts:playouts=2"] * 2
    for text in ("heuristic", "ismcts", "strong:playouts=9", "ismcts:playouts=2"):
        with pytest.raises(ValueError, match="allowed are strong, random, evil_mod:X, by name"):
            SoloGame(table, text, allowed=allowed)


def test_a_list_is_refused_when_it_is_wrong():
    for text, message in [("a=random,a=greedy", "named twice: a"), ("x=random:", "no agent")]:
        with pytest.raises(ValueError, match=message):
            allow_list(text)
    harmless = ("greedy", "heuristic", "ismcts", "montecarlo", "policy", "random")
    assert tuple(allow_list()) == harmless_agents() == harmless
    assert chosen(" , ", {}) == []


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("heuristic", True),
        ("ismcts:weights=shipped+ms=300", True),
        ("policy:draw=true", True),
        ("ismcts:policy=heuristic+exploration=0.5", True),
        ("llm", False),
        ("policy:weights=w.safetensors", False),
        ("policy:weights=~", False),
        (r"policy:weights=\\server\share", False),
        ("ismcts:weights=/dev/stdin", False),
        ("ismcts:weights=a,b", False),
        ("evil_mod:X", False),
        ("strong", False),
    ],
)
def test_a_file_names_agents_that_reach_nothing(text, harmless):
    assert is_harmless(text) == harmless


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 10**9}, "is for 2 to 6 players"),
        ({"players": -1}, "is for 2 to 6 players"),
        ({"rules": "deck=Gub:1000000"}, "at most 70"),
        ({"rules": "deck=Gub:" + "9" * 5000}, "4300 digits"),
        ({"rules": "luck=much"}, "no option luck"),
        ({"rules": "max_cycles=1e400", "game": "fubnub"}, "from 1 to 1000000000"),
        ({"game": "../gubs"}, "no game is called"),
    ],
)
def test_a_table_that_is_too_large_or_unknown_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        SoloGame(DealOptions(seed=1, **options), "random")
