"""What people read names everybody as people do, and calls the reader "you"."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gubs_env.play.naming import addressed, names_at
from tests.play.tables import dealt, every_game, play_to_the_end

SEATS = [f"player_{seat}" for seat in range(4)]
NAMES = names_at(SEATS, ["player_0"])


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("player_0 plays Lure at player_1's Gub", "You play Lure at Ada's Gub"),
        ("player_1 plays Lure at player_0's Gub", "Ada plays Lure at your Gub"),
        ("player_0 ends their play", "You end your play"),
        ("player_1 ends their play", "Ada ends their play"),
        ("player_0 passes", "You pass"),
        ("player_0 is eliminated", "You are eliminated"),
        ("player_3 sees player_0's hand: Gub", "Cleo sees your hand: Gub"),
        ("points: player_0 1 → 2, player_2 1 → 0", "points: You 1 → 2, Bo 1 → 0"),
        ("The game is over: player_0 reveals the Turtle and wins",
         "The game is over: You reveal the Turtle and win"),
        ("The game is over: player_0 and player_2 win", "The game is over: You and Bo win"),
        ("Double Dip lies on the turn of player_0", "Double Dip lies on your turn"),
        ("Discard the hand of player_1", "Discard the hand of Ada"),
    ],
)  # fmt: skip
def test_a_sentence_names_the_others_and_addresses_the_reader(text, read):
    assert addressed(text, NAMES, "player_0") == read


def test_who_has_no_seat_reads_names_only():
    text = "player_0 plays Lure at player_1's Gub"
    assert addressed(text, NAMES, None) == "Player 1 plays Lure at Ada's Gub"


@every_game
def test_no_line_of_a_game_keeps_the_name_of_a_seat_or_a_verb_of_another(game):
    env = dealt(game, seed=4)
    play_to_the_end(env, np.random.default_rng(2))
    for seat in env.possible_agents:
        for line in env.log(seat):
            said = addressed(line, names_at(env.possible_agents, [seat]), seat)
            assert "player_" not in said
            verb = re.search(r"^You (\w+)", said)
            assert not verb or not verb[1].endswith("s") or verb[1] in ("pass", "discuss")
