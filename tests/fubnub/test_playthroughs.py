"""The recorded games of FUBNUB together show every sort of action and most action cards."""

from __future__ import annotations

from gubs_env.fubnub_v0 import ActionCard
from tests.fubnub.recordings import RECORDINGS


def test_together_they_show_every_sort_of_action_and_most_action_cards():
    text = "".join(RECORDINGS.path(name).read_text() for name in RECORDINGS.games)
    assert [name for name in ("PASS", "PLAY", "ACCEPT", "DECLINE", "SEAT[", "STEAL[")
            if name not in text] == []  # fmt: skip
    revealed = [card for card in ActionCard if f"reveals {card.title}:" in text]
    assert len(revealed) >= 20
