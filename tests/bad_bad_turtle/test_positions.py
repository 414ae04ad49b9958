"""Positions set by hand: possible and impossible ones, and play that goes on from them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gubs_env import bad_bad_turtle_v0
from gubs_env.bad_bad_turtle_v0 import Card, Phase, Rules, position
from gubs_env.games.bad_bad_turtle.cards import PRINTED_DECK, REACTIONS
from tests.bad_bad_turtle.table import Table, cards_everywhere
from tests.set_table import (
    check_goes_on_alike,
    check_resumes,
    differing_fields,
    play_named,
    reached,
)

STACKS = ["Skip", "blank ×2, Turtle", "blank"]


def test_a_puzzle_is_played_through_the_environment():
    environment = bad_bad_turtle_v0.env(3)
    state = position(STACKS, set_aside={"No Way": 0}, rest=False, seed=1)
    environment.set_state(state)
    assert environment.agents == ["player_0", "player_1", "player_2"]
    play_named(environment, "TAKE_TURN")
    assert environment.agent_selection == "player_0"
    check_goes_on_alike(environment)
    environment.set_state(state)
    play_named(environment, "TAKE_TURN", "PASS")
    assert environment.rewards == {"player_0": -0.5, "player_1": 1.0, "player_2": -0.5}
    environment.reset(seed=0)
    assert environment.state().composition.sum() == 55


def test_many_games_start_from_one_position():
    games = bad_bad_turtle_v0.vector_env(3, 3)
    assert games.set_states(position(STACKS, seed=0), seed=1).actors.tolist() == [1, 1, 1]
    assert len(np.unique(games.states["rng"], axis=0)) == 3
    with pytest.raises(ValueError, match="autoreset=False"):
        games.set_states(position(STACKS, rest=False))
    with pytest.raises(ValueError, match="of 2 players, not of 3"):
        games.set_states(position(["blank", "blank"]))
    with pytest.raises(ValueError, match="its max_cycles is 9, that of the environment 1000"):
        games.set_states(position(STACKS, rules=Rules(max_cycles=9)))


def test_the_rest_of_the_deck_is_dealt_beneath_the_stacks():
    state = position(["", "Skip", "Turtle, blank", "blank"], revealed={2: "Dance"},
                     eliminated=[0], seed=3)  # fmt: skip
    assert (cards_everywhere(np.atleast_1d(np.asarray(state)))[0] == PRINTED_DECK).all()
    assert state.stack_size[:4].tolist() == [0, 18, 19, 17]
    assert state.stack[2, 17:19].tolist() == [Card.BLANK, Card.TURTLE]
    assert state.next_turn == 2
    again = position(["", "Skip", "Turtle, blank", "blank"], revealed={2: "Dance"},
                     eliminated=[0], seed=3)  # fmt: skip
    assert state.tobytes() == again.tobytes()


def test_the_card_on_the_turn_lies_on_a_reveal_pile():
    state = position(STACKS, modifier="Dance", rest=False)
    assert state.reveal_pile[0, 0] == Card.DANCE
    reversed_by = {"revealed": {2: "Reverse Direction"}, "direction": -1}
    state = position(STACKS, modifier="Dance", rest=False, **reversed_by)
    assert state.reveal_pile[2, :2].tolist() == [Card.REVERSE_DIRECTION, Card.DANCE]
    state = position(STACKS, modifier="Dance", revealed=["Peek, Dance"], rest=False)
    assert state.reveal_size[:3].tolist() == [2, 0, 0]
    forced = position(STACKS, modifier="Dance", revealed={1: "Shield, Dance"}, rest=False)
    assert forced.reveal_size[:3].tolist() == [0, 2, 0]


def test_peek_lies_on_the_reveal_pile_of_the_seat_that_looks():
    state = position(STACKS, revealed={2: "Dance"}, peeking=[2], rest=False)
    assert state.reveal_pile[2, :2].tolist() == [Card.PEEK, Card.DANCE]
    named = position(STACKS, revealed={2: "Dance, Peek"}, peeking=[2], rest=False)
    assert named.reveal_pile[2, :2].tolist() == [Card.DANCE, Card.PEEK]


@pytest.mark.parametrize(("num_players", "seed"), [(2, 0), (2, 1), (4, 0), (4, 1), (8, 0)])
def test_every_state_of_a_game_can_be_set(num_players, seed):
    check_resumes(bad_bad_turtle_v0, num_players, None, seed)


def in_words(state):
    """Return the arguments of `position` that build this state."""
    row = object.__new__(Table)
    row.put(state)
    players = range(state.num_players)
    return {
        "stacks": [row.stack(seat) for seat in players],
        "discards": [row.discard(seat) for seat in players],
        "revealed": [row.revealed(seat) for seat in players],
        "set_aside": {c.title: row.aside(c.title) for c in REACTIONS if row.aside(c.title) >= 0},
        "turn": int(state.turn),
        "modifier": None if state.modifier < 0 else Card(state.modifier).title,
        "eliminated": [seat for seat in players if not state.living[seat]],
        "peeking": np.flatnonzero(state.peeking).tolist(),
        "direction": int(state.direction),
        "dealer": int(state.dealer),
    }


PAST = {"rng", "decisions", "deals", "discard_seen", "shown", "shown_by", "polled"}
"""What is remembered, and what happened in the decision before."""


@pytest.mark.parametrize("num_players", [2, 5])
def test_what_was_reached_in_play_can_be_set_by_hand(num_players):
    states = reached(
        bad_bad_turtle_v0, num_players, 6, None, lambda state: state.phase == Phase.TURN
    )
    for state in states[::3]:
        for pile, size in (
            ("stack", "stack"),
            ("discard_pile", "discard"),
            ("reveal_pile", "reveal"),
        ):
            beyond = np.arange(state[pile].shape[1]) >= state[f"{size}_size"][:, None]
            state[pile][beyond] = 0
        assert differing_fields(state, position(**in_words(state))) <= PAST


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"stacks": ["Skip", "Gecko"]}, "stacks[1]: no card is called 'Gecko'"),
        ({"stacks": ["Skip", "Skip"]}, "Skip ×2: the deck has 1; they were named in stacks[0]"),
        ({"stacks": ["blank ×20", "blank ×5"]}, "number card ×25: the deck has 24"),
        ({"stacks": ["blank"]}, "num_players=1: Bad, Bad, Turtle is for 2 to 8 players"),
        ({"stacks": {0: "blank"}}, "give one text for each seat, or num_players too"),
        ({"stacks": ["Turtle", ""], "rest": False}, "seat 1 has no stack; all that lies face"),
        ({"stacks": ["Turtle, blank", "", "blank"], "turn": 0, "rest": False},
         "seat 1 has no stack; all that lies face down would have been dealt anew"),
        ({"stacks": ["Turtle", "", "blank"], "turn": 0, "rest": False}, "seat 1 has no stack"),
        ({"stacks": ["blank", "blank ×2"], "rest": False}, "its deck cannot have Turtle this oft"),
        ({"revealed": ["Turtle"]}, "Turtle cannot lie revealed like this while the game goes on"),
        ({"stacks": ["blank", "blank, blank, Eliminated"], "revealed": ["Turtle"], "rest": False,
          "turn": 1}, "Turtle cannot lie revealed"),
        ({"revealed": ["Eliminated"], "rules": Rules(removed=["Never Happened"])},
         "Eliminated cannot lie revealed"),
        ({"direction": -1, "rules": Rules(younger=True)}, "play goes counter-clockwise, but Rev"),
        ({"direction": -1, "rules": Rules(removed=["Reverse Direction"])}, "play goes counter-cl"),
        ({"stacks": ["Turtle", "Skip"], "direction": -1, "rest": False}, "play goes counter-cloc"),
        ({"direction": -1, "stacks": ["Reverse Direction", "Skip"],
          "rules": Rules(removed=["Clean Up", "Do Over", "Slow Down"])}, "play goes counter-cloc"),
        ({"peeking": [0], "rules": Rules(removed=["Peek"])}, "Peek ×1: the deck has 0"),
        ({"peeking": [0], "revealed": ["", "Peek"]}, "seat 0 cannot be looking through their st"),
        ({"peeking": [0, 1]}, "seat 0 cannot be looking through their stack: Peek is not on thei"),
        ({"peeking": [0], "rules": Rules(younger=True)}, "with younger=True cards have no effect"),
        ({"modifier": "Dance", "revealed": ["Dance, Skip"]}, "Dance does not lie on this turn: it"),
        ({"modifier": "Dance", "revealed": ["", "Dance"], "turn": 1}, "Dance does not lie on th"),
        ({"set_aside": {"Skip": 0}}, "Skip is never set aside; allowed are Never Happened"),
        ({"set_aside": {"Shield": 2}}, "set_aside['Shield']=2: allowed are the seats [0, 1]"),
        ({"set_aside": {"Shield": 0}, "discards": ["Shield"]},
         "Shield ×2: the deck has 1; they were named in discards[0], set_aside"),
        ({"modifier": "Skip"}, "modifier: Skip does not lie on a turn; allowed are Dance"),
        ({"modifier": "Dance", "discards": ["Dance"]}, "Dance ×2: the deck has 1"),
        ({"eliminated": [0]}, "with one player left the game is over"),
        ({"stacks": ["blank"] * 3, "eliminated": [0]}, "stacks[0], discards[0]: the player is eli"),
        ({"stacks": ["", "blank", "blank"], "eliminated": [0], "discards": ["Skip"]},
         "stacks[0], discards[0]: the player is eliminated"),
        ({"stacks": ["blank", "", "blank"], "eliminated": [1]}, "turn=1: allowed are the seats [0"),
        ({"stacks": ["blank", "blank", ""], "eliminated": [2], "set_aside": {"No Way": 2}},
         "set_aside['No Way']=2: allowed are the seats [0, 1], not eliminated"),
        ({"stacks": ["blank", "blank", ""], "eliminated": [2], "peeking": [2]}, "peeking=2"),
        ({"stacks": ["blank", "blank", ""], "eliminated": [2], "rules": Rules(younger=True)},
         "no card eliminates anybody"),
        ({"stacks": ["blank", "blank", ""], "eliminated": [2],
          "rules": Rules(removed=["Eliminated"])}, "no card eliminates anybody"),
        ({"stacks": ["Skip", "blank"], "rules": Rules(removed=["Skip"])}, "Skip ×1: the deck has"),
        ({"modifier": "Dance", "rules": Rules(younger=True)}, "with younger=True cards have no ef"),
        ({"direction": 0}, "direction=0: allowed is 1 or -1"),
        ({"dealer": 2}, "dealer=2: allowed are the seats [0, 1]"),
        ({"turn": -1}, "turn=-1: allowed are the seats [0, 1]"),
        ({"revealed": ["", "", "Skip"]}, "revealed has 3 entries: there are 2 seats"),
    ],
)  # fmt: skip
def test_positions_that_cannot_be(change, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        position(**{"stacks": ["blank", "blank"], **change})


def test_a_state_that_has_lost_a_card_is_refused():
    state = position(["blank", "blank"])
    state.reveal_size[0] += 1
    environment = bad_bad_turtle_v0.raw_env(2)
    with pytest.raises(ValueError, match="cards are lost or doubled in this state: Dance"):
        environment.set_state(state)
    with pytest.raises(RuntimeError, match="no game is under way"):
        environment.step(0)
