"""The recorded games of Bad, Bad, Turtle together show every card and every decision."""

from __future__ import annotations

from collections import Counter

from gubs_env.bad_bad_turtle_v0 import GAME, Card
from tests.bad_bad_turtle.recordings import RECORDINGS


def test_together_they_show_every_card_and_every_decision():
    shown: Counter = Counter()
    for name, game in RECORDINGS.games.items():
        for _, action, after in RECORDINGS.replay(name):
            shown[GAME.action_names(game["num_players"])[action].split("[")[0]] += 1
            shown.update(after["shown"].tolist())
    assert [card.title for card in Card if not shown[card]] == []
    decisions = "TAKE_TURN PERFORM DECLINE PASS NEVER_HAPPENED NO_WAY SHIELD PICK"
    assert [name for name in decisions.split() if not shown[name]] == []
