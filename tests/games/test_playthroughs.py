"""Recorded games in words, compared line by line, so that no change of the rules goes unnoticed.

`python -m tests.games.test_playthroughs` writes the files again after an intended change.
"""

from __future__ import annotations

import pytest

from tests.bad_bad_turtle.recordings import RECORDINGS as BAD_BAD_TURTLE
from tests.fubnub.recordings import RECORDINGS as FUBNUB
from tests.gubs.recordings import RECORDINGS as GUBS

EVERY = [
    (recordings, name) for recordings in (GUBS, FUBNUB, BAD_BAD_TURTLE) for name in recordings.games
]


@pytest.mark.parametrize(
    ("recordings", "name"), EVERY, ids=[f"{each.module.GAME.name}-{name}" for each, name in EVERY]
)
def test_a_recorded_game_is_played_as_it_was(recordings, name):
    assert recordings.record(name).splitlines() == recordings.path(name).read_text().splitlines()


if __name__ == "__main__":
    for recordings, name in EVERY:
        recordings.path(name).write_text(recordings.record(name))
