"""Held-out opponents: what a seed draws, who sits where, and what the interval is over."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from gubs_agents import arena
from gubs_agents.arena import commands
from gubs_agents.arena.held_out import anchors_of
from gubs_agents.arena.measures import Measure
from gubs_env import find_table
from gubs_env.agents.registry import build
from tests.commands import ends_with, gubs
from tests.poker import low_card

TEAMS = find_table("fubnub")
HERE = "tests.arena.test_held_out"
asked: Counter[str] = Counter()
"""How many decisions each of the agents below made."""


class First:
    """Plays the first legal action."""

    def __init__(self, table=None, seed=None):
        pass

    def act(self, observations, masks, rngs=None):
        asked[type(self).__name__] += len(masks)
        return masks.argmax(1)


class Second(First):
    """Plays the same under another name."""


def test_a_seed_draws_the_same_opponents_anywhere():
    """If these change, so does `held_out.VERSION`."""
    assert arena.held_out("gubs", seed=0, count=3) == [
        ("policy:draw=true+temperature=2.32",),
        ("policy:draw=true+temperature=3.71",),
        (
            "montecarlo:playouts=16+weights=shipped+policy=heuristic+opponents=network+horizon=1"
            "+caution=0",
            "montecarlo:playouts=16+weights=shipped+policy=heuristic+opponents=network+horizon=1"
            "+caution=0",
            "heuristic",
        ),
    ]
    many = arena.held_out("gubs", seed=0, count=100)
    assert many[:3] == arena.held_out("gubs", seed=0, count=3)
    assert many[:9] != arena.held_out("gubs", seed=1, count=9)
    kinds = Counter(len(each) > 1 or each[0].partition(":")[0] for each in many)
    assert min(kinds["policy"], kinds["montecarlo"], kinds[True]) > 20
    assert not any(set(each) <= set(anchors_of(find_table("gubs"))) for each in many)


@pytest.mark.parametrize("game", ["fubnub", low_card.GAME])
def test_all_opponents_play_at_the_table(game):
    table = find_table(game)
    texts = {text for each in arena.held_out(table, seed=0, count=40) for text in each}
    for text in texts:
        build(text, table)
    assert any("network" in text or "policy:" in text for text in texts) == (game == "fubnub")


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="count=1: must be at least 2"):
        arena.held_out("gubs", 0, 1)
    with pytest.raises(ValueError, match="so there are no opponents"):
        arena.against_held_out(First(), ["random"] * 2, find_table("fubnub", 1, {"mode": "ghost"}))


def test_a_mixture_plays_what_it_says():
    table = find_table("gubs", 4)
    found = []
    for names, least, most in ((["First"], 1, 1), (["First", "Second"], 0.3, 0.7)):
        for _ in range(2):
            asked.clear()
            opponent = tuple(f"{HERE}:{name}" for name in names)
            found.append(arena.against_held_out("random", [opponent] * 2, table, deals=4))
            assert least <= asked["First"] / asked.total() <= most
    one, same, mixed, again = (each.by_opponent.tolist() for each in found)
    assert one == same
    assert mixed == again


def test_partners_are_drawn_too(monkeypatch):
    seatings = []

    def played_shares(measure, games, agents):
        seatings.extend(games.seatings.tolist())
        return np.zeros((len(games.deals), 2))

    monkeypatch.setattr("gubs_agents.arena.playing.played_shares", played_shares)
    arena.against_held_out(First(), [("random", "greedy")] * 2, TEAMS, deals=5)
    drawn = np.array(seatings[:40])
    assert (np.argwhere(drawn == 0)[:, 1] == np.tile(range(4), 10)).all()
    assert set(drawn[drawn > 0]) == {1, 2}


def test_among_copies_of_itself_an_agent_wins_its_fair_share():
    for table in (TEAMS, find_table("gubs", 4)):
        found = arena.against_held_out(First(), [f"{HERE}:First"] * 3, table, deals=2)
        assert found.by_opponent.tolist() == [1 / table.num_sides] * 3


def test_the_interval_is_over_opponents():
    weak_and_strong = ["random", "heuristic"]
    few = arena.against_held_out("greedy", weak_and_strong, deals=32)
    many = arena.against_held_out("greedy", weak_and_strong * 16, deals=2)
    assert few.result.games == many.result.games == 128
    assert few.result.high - few.result.low > 3 * (many.result.high - many.result.low)
    assert few.by_opponent[0] > few.by_opponent[1]
    assert many.result[:3] == Measure(find_table("gubs")).summary(many.by_opponent[:, None])[:3]
    assert many.anchors.high - many.anchors.low < 0.2


def test_the_command_prints_held_out_beside_anchors_and_the_seed(capsys, monkeypatch):
    monkeypatch.setattr(commands, "randbelow", lambda bound: 5)
    options = ["--agents", "greedy", "--deals", 1, "--held-out"]
    gubs("arena", *options, 3)
    said = capsys.readouterr().out
    assert "Held-out opponents 1: 3 by seed 5, 1 deals each (--held-out 3,5 " in said
    assert "| win rate of (fair share 50 %) | held-out, over opponents and deals |" in said
    gubs("arena", *options, "3,5")
    assert capsys.readouterr().out == said
    with ends_with(capsys, "gubs arena: --held-out three: write COUNT, or COUNT,SEED"):
        gubs("arena", *options, "three")
    with ends_with(capsys, "gubs arena: --seats and --held-out were given: choose one of them"):
        gubs("arena", *options, 3, "--seats")
