"""The recorded games of Gubs together show every card and every decision."""

from __future__ import annotations

from collections import Counter

from gubs_env.games.gubs.actions import PASS
from gubs_env.games.gubs.cards import Card, CardType
from gubs_env.games.gubs.history import took_effect
from gubs_env.games.gubs.state import Phase
from tests.gubs.recordings import RECORDINGS


def has_moved(before, action, after):
    """Return whether a card was played that nobody could answer."""
    moving = before.phase in (Phase.PLAY, Phase.NAME, Phase.TARGET, Phase.MEANT)
    return moving and action != PASS and after.phase == Phase.PLAY


def shown():
    """Count how often the recorded games show each kind of card in use, and each decision."""
    kinds, phases = Counter(), Counter()
    for name in RECORDINGS.games:
        for before, action, after in RECORDINGS.replay(name):
            phases[Phase(before.phase)] += 1
            if before.phase == Phase.ANSWER and action:
                window = "Event" if Card(before.played).kind.type is CardType.EVENT else "card"
                phases[f"answered {window}"] += 1
                kinds[Card(action - 2)] += 1
            elif took_effect(before, action, after) or has_moved(before, action, after):
                kinds[Card(after.played)] += 1
            if before.phase == Phase.CURE and action:
                phases["cured"] += 1
    return kinds, phases


def test_together_they_play_every_kind_of_card_and_show_every_window():
    kinds, phases = shown()
    assert [card.title for card in Card if not kinds[card]] == []
    windows = ["answered Event", "answered card", "cured"]
    decisions = [phase for phase in Phase if phase < Phase.OVER]
    assert [str(show) for show in [*decisions, *windows] if not phases[show]] == []
