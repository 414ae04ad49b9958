"""The recorded games of Bad, Bad, Turtle."""

from __future__ import annotations

from pathlib import Path

from gubs_env import bad_bad_turtle_v0
from gubs_env.games.bad_bad_turtle.state import Phase
from gubs_env.games.bad_bad_turtle.words import state_words
from tests.games.recordings import Recordings

GAMES = {
    "two_players": {"num_players": 2, "seed": 7},
    "four_players": {"num_players": 4, "seed": 14},
    "five_players_cut_off": {"num_players": 5, "seed": 12, "rules": {"max_cycles": 40}},
    "six_players_without_restart": {
        "num_players": 6, "seed": 2, "rules": {"removed": ["Restart Game"]}},
    "eight_players_younger": {"num_players": 8, "seed": 6, "rules": {"younger": True}},
}  # fmt: skip
RECORDINGS = Recordings(
    bad_bad_turtle_v0,
    Path(__file__).parent / "playthroughs",
    GAMES,
    state_words,
    begins_section=lambda state, section: state.phase == Phase.TURN,
)
