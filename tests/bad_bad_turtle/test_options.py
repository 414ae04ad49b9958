"""Rule options, numbers of players and names of actions: what is allowed and what is not."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_env.bad_bad_turtle_v0 import GAME, Card, Rules, raw_env
from gubs_env.engine.table import Table
from gubs_env.games.bad_bad_turtle.actions import NAMES
from gubs_env.games.bad_bad_turtle.cards import CardType


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"younger": 1}, "younger=1: allowed are True and False"),
        ({"removed": "Dance"}, "removed='Dance': allowed is a collection"),
        ({"removed": ["Gecko"]}, "no card is called 'Gecko'"),
        ({"removed": ["Turtle"]}, "Turtle cannot be left out"),
        ({"max_cycles": 0}, "max_cycles=0: allowed are whole numbers from 1"),
        ({"max_cycles": True}, "max_cycles=True"),
        ({"max_cycles": 10.0}, "max_cycles=10.0"),
    ],
)
def test_rules_that_cannot_be(options, said):
    with pytest.raises(ValueError, match=said):
        Rules(**options)


def test_rules_as_plain_values():
    rules = Rules(younger=np.True_, removed={Card.SKIP, "dance"}, max_cycles=np.int64(50))
    assert rules.as_dict() == {"younger": True, "removed": ["Dance", "Skip"], "max_cycles": 50}
    assert Rules(**rules.as_dict()) == rules
    assert hash(rules) == hash(Rules(**rules.as_dict()))


@pytest.mark.parametrize("num_players", [1, 9, True, 2.0])
def test_numbers_of_players_that_cannot_be(num_players):
    with pytest.raises(ValueError, match="is for 2 to 8 players"):
        raw_env(num_players)


def test_names_of_actions():
    assert GAME.action_names(2) == GAME.action_names(8)
    table = Table(GAME, 4)
    assert table.num_actions == 24
    for action, name in enumerate(NAMES):
        assert table.action_name(action) == name
        assert table.action_index(name) == action
    with pytest.raises(ValueError, match="allowed are 0 to 23"):
        table.action_name(24)
    with pytest.raises(ValueError, match="no action is called 'SHIELD"):
        table.action_index("SHIELD[8]")


def test_varied_rules_leave_something_to_choose():
    social = {card.title for card in Card if card.kind.type is CardType.SOCIAL}
    for seed in range(200):
        varied = Table(GAME, 2).varied(np.random.default_rng(seed)).rules
        assert social - set(varied.removed)
        assert not varied.younger, "younger players choose nothing"
