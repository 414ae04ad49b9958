"""Positions set by hand: possible and impossible ones, and play that goes on from them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gubs_env import fubnub_v0
from gubs_env.fubnub_v0 import ActionCard, Phase, Rules, position
from gubs_env.games.fubnub.cards import NUM_CARDS, NUMBER_TITLES, POINT_TITLES
from gubs_env.games.fubnub.position import number_card
from gubs_env.games.fubnub.state import UNDEALT
from tests.fubnub.table import short, words
from tests.fubnub.test_scenarios import HANDS
from tests.set_table import (
    check_goes_on_alike,
    check_resumes,
    differing_fields,
    play_named,
    reached,
)

FULL = Rules(mode="full")
ROYAL = Rules(mode="royal")
LAST = ["R5 R6", "P5 P6", "N5 N6", "G5 G6"]
TRICKS = ["G1 P1 N1 R1", "R2 P2 N2 G2", "R3 P3 N3 G3"]
"""By Evens seat 0 wins the first, seat 3 the others."""
EVEN = ["Ones, Twos, Threes, Fours, Fives, Sixes, Odds", "Red, Purple, Green, Gold, Gold and Green,"
        " Gold and Purple, Green and Purple"]  # fmt: skip


def test_number_cards_have_a_title_and_a_short_name():
    assert [number_card(title) for title in NUMBER_TITLES] == list(range(NUM_CARDS))
    assert [number_card(short(card)) for card in range(NUM_CARDS)] == list(range(NUM_CARDS))
    one = position(["Gold 2, Red 1", "n3"], "Twos", seed=0)
    assert {"G2", "R1"} <= set(words(one.hand[0]).split())
    assert "N3" in words(one.hand[1])


def test_a_last_trick_but_one_is_played_through_the_environment():
    state = position(LAST, "Evens", EVEN, tricks=TRICKS, caller=0, rest=False, seed=1)
    assert state.tricks_won.tolist() == [1, 0, 0, 2]
    assert (state.actor, state.leader, state.undealt.sum()) == (3, 3, 4)
    environment = fubnub_v0.env(4)
    environment.set_state(state)
    assert environment.agent_selection == "player_3"
    play_named(environment, "CARD[Gold 5]", "CARD[Red 5]")
    check_goes_on_alike(environment)
    environment.set_state(state)
    play_named(environment, *(f"CARD[{c} 6]" for c in ("Gold", "Red", "Purple", "Green")))
    play_named(environment, *(f"CARD[{c} 5]" for c in ("Gold", "Red", "Purple", "Green")))
    assert environment.outcome().winners == (1, 3)
    assert environment.rewards["player_3"] == 1


def test_many_games_start_from_one_position():
    games = fubnub_v0.vector_env(3, 4, rules=ROYAL)
    state = position(HANDS, "Twos", rules=ROYAL, seed=0)
    assert games.set_states(state, seed=1).actors.tolist() == [0, 0, 0]
    assert games.masks.sum(1).tolist() == [5, 5, 5]
    games.play_randomly(1000, seed=0)
    with pytest.raises(ValueError, match="its teams is 1, that of the environment 0"):
        games.set_states(position(HANDS, "Twos"))
    lost = position(HANDS, "Twos", rules=ROYAL)
    lost.hand[0, 23] = 1
    with pytest.raises(ValueError, match="number cards are lost or doubled"):
        games.set_states(lost)


def test_short_hands_are_filled_up_and_the_seed_repeats_it():
    one, again, other = (position(["G6"], "Sixes", seed=seed) for seed in (1, 1, 2))
    assert one.tobytes() == again.tobytes()
    assert one.hand.tobytes() != other.hand.tobytes()
    assert one.hand_size.tolist() == [5] * 4
    assert one.undealt.sum() == 4


def test_the_winner_of_the_hand_before_reveals_the_card_on_the_stack():
    environment = fubnub_v0.raw_env(4, FULL)
    environment.set_state(
        position(HANDS, "Twos", ["", "Evens"], action_stack="Skip", phase=Phase.SWAP_OFFER,
                 rules=FULL)
    )  # fmt: skip
    play_named(environment, "DECLINE")
    state = environment.state()
    assert (state.action_card, state.last_winner) == (ActionCard.SKIP, 1)
    assert state.owned.sum() == 0
    assert POINT_TITLES[int(np.flatnonzero(state.limbo)[0])] == "Evens"


def test_a_reversed_game_has_lost_the_card_that_reversed_it():
    state = position(
        HANDS, "Twos", ["Ones"], direction=-1, phase=Phase.SWAP_OFFER, rules=FULL, seed=0
    )
    assert np.flatnonzero(state.action_gone).tolist() == [ActionCard.REVERSE_DIRECTION]


@pytest.mark.parametrize("seed", range(4))
def test_ghosts_play_until_a_player_is_to_play(seed):
    rules = Rules(mode="ghost_royal")
    state = position(["R1"], "Red", num_players=1, rules=rules, seed=seed)
    assert (state.actor, state.asked, state.leader, state.trick_size) == (0, 0, 1, 3)
    environment = fubnub_v0.raw_env(1, rules)
    environment.set_state(state)
    play_named(environment, "CARD[Red 1]")


@pytest.mark.parametrize("mode", ["team", "royal", "full"])
@pytest.mark.parametrize("move_points", [False, True])
def test_every_state_of_a_game_can_be_set(mode, move_points):
    check_resumes(fubnub_v0, 4, Rules(mode=mode, move_points=move_points))


def in_words(state):
    """Return the arguments of `position` that build this state."""
    tricks = state.tricks_won.sum()
    titles = [
        ", ".join(POINT_TITLES[p] for p in np.flatnonzero(f))
        for f in (*state.owned, state.point_deck)
    ]
    called = state.phase != Phase.DECIDE and state.teams
    return {
        "hands": [words(state.hand[seat]) for seat in range(state.num_seats)],
        "point_card": POINT_TITLES[state.point_card],
        "piles": titles[: 2 if state.teams else state.num_seats],
        "point_deck": titles[-1],
        "tricks": [] if tricks == 0 else None,
        "dealer": int(state.dealer),
        "caller": int(state.caller) if called else None,
        "swaps": int(max(1, state.entitled.max())),
        "last_winner": None if state.last_winner < 0 else int(state.last_winner),
        "last_award": ", ".join(POINT_TITLES[p] for p in np.flatnonzero(state.last_award)),
        "phase": Phase(state.phase),
        "num_players": int(state.num_players),
        "rest": False,
    }


PAST = {"rng", "decisions", "showdown", "hands", "turns", "next_entitled", "passed"}
"""What happened before: draws for the deal, misdeals, the end of the decision cycle."""


@pytest.mark.parametrize(
    ("num_players", "rules"), [(4, Rules()), (4, ROYAL), (2, ROYAL), (3, Rules(mode="ghost"))]
)
def test_what_was_reached_in_play_can_be_set_by_hand(num_players, rules):
    """Test the beginnings of tricks, swaps and decisions before the first trick."""

    def at_a_beginning(state):
        first = state.turns == 1 or state.phase != Phase.DECIDE
        untouched = not (state.under.any() or state.known[:, UNDEALT].any() or state.cycle)
        open_trick = state.tricks_won.any() or state.trick_size
        phases = (Phase.PLAY, Phase.SWAP_OFFER, Phase.DECIDE)
        return state.phase in phases and first and untouched and not open_trick

    states = reached(fubnub_v0, num_players, 3, rules, at_a_beginning)
    assert len(states) > 10
    for state in states:
        built = position(**in_words(state), rules=rules)
        assert differing_fields(state, built) <= PAST


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"hands": ["B2"]}, "hands[0]: no number card is called 'B2'"),
        ({"hands": ["R1 R1"]}, "Red 1 ×2: the deck has 1; they were named in hands[0] (×2)"),
        ({"hands": ["R1", "Red 1"]}, "they were named in hands[0], hands[1]"),
        ({"hands": HANDS, "tricks": ["R1 P6 N6 G6"]}, "Red 1 ×2: the deck has 1; they were named"),
        ({"hands": ["R1 R2 R3 R4 R5 R6"]}, "hands[0]: 6 cards, but after 0 tricks each seat holds"),
        ({"hands": LAST, "rest": False}, "hands[0]: 2 cards, but after 0 tricks each seat holds 5"),
        ({"hands": HANDS, "tricks": ["R6 P6 N6 G6"]}, "5 cards, but after 1 trick each seat holds"),
        ({"tricks": ["R1 R2 R3"]}, "tricks[0]: 3 cards; a trick has one of each seat"),
        ({"tricks": ["R1 R2 R3 R4"] * 5}, "give a list of at most 4 texts"),
        ({"tricks": TRICKS, "phase": Phase.SWAP_OFFER}, "no trick has been played at this point"),
        ({"hands": [""] * 5}, "hands has 5 entries: there are 4 seats"),
        ({"point_card": "Sevens"}, "point_card: no point card is called 'Sevens'"),
        ({"point_card": "Ones, Twos"}, "one point card is in play"),
        ({"point_card": ""}, "one point card is in play"),
        ({"piles": ["Twos"]}, "Twos ×2: the deck has 1; they were named in point_card, piles[0]"),
        ({"piles": ["Ones", "Ones"]}, "they were named in piles[0], piles[1]"),
        ({"piles": ["", "", "Ones"]}, "piles has 3 entries: there are 2 seats"),
        ({"piles": [EVEN[0] + ", Red"], "point_card": "Evens"}, "piles[0]: with 8 point cards the"),
        ({"point_deck": "Ones"}, "2 point cards are named, but 15 are in the game"),
        ({"piles": ["Ones", "Red"], "point_deck": "Odds, Evens, Sixes",
          "rules": Rules(num_points=5)}, "6 point cards are named, but 5 are in the game"),
        ({"point_card": "Twos", "rules": Rules(point_cards=["Ones", "Red", "Gold"])},
         "Twos ×1: the deck has 0"),
        ({"dealer": 4}, "dealer=4: allowed are the seats [0, 1, 2, 3]"),
        ({"dealer": 3, "num_players": 2, "rules": Rules(mode="ghost")},
         "dealer=3: allowed are the seats [0, 1], no ghost deals"),
        ({"caller": 2, "num_players": 2, "rules": Rules(mode="ghost")}, "caller=2: allowed are th"),
        ({"caller": 2, "rules": ROYAL, "num_players": 4}, "nobody has called in this mode or phas"),
        ({"caller": 2, "phase": Phase.DECIDE}, "nobody has called in this mode or phase"),
        ({"num_players": 2}, "num_players=2: mode 'team' is for 4"),
        ({"rules": Rules(mode="ghost")}, "say how many living players mode 'ghost' has"),
        ({"hands": HANDS, "rules": ROYAL, "phase": Phase.DECIDE}, "only with two sides"),
        ({"hands": HANDS, "rules": ROYAL, "phase": Phase.SWAP_OFFER}, "the dealer has no advantag"),
        ({"phase": Phase.STEAL}, "allowed is PLAY or SWAP_OFFER or DECIDE; play on from there"),
        ({"swaps": 3}, "swaps=3: allowed are 1 and, with two sides before the tricks, 2"),
        ({"swaps": 2, "piles": ["Ones"], "dealer": 0}, "swaps=2: allowed are 1 and, with two"),
        ({"swaps": 2, "phase": Phase.DECIDE}, "seat 3 cannot have a right to these swaps"),
        ({"swaps": 2, "phase": Phase.DECIDE, "piles": ["Ones"], "dealer": 1},
         "seat 1 cannot have a right to these swaps"),
        ({"hands": HANDS, "rules": FULL, "direction": -1}, "play goes counter-clockwise, but Rev"),
        ({"hands": HANDS, "rules": FULL, "direction": -1, "piles": ["Ones"],
          "phase": Phase.SWAP_OFFER, "action_stack": "Reverse Direction"}, "play goes counter-cl"),
        ({"piles": ["Ones, Red"], "last_award": "Ones, Red"},
         "the point cards of the hand before are not where its winner has them"),
        ({"direction": -1}, "direction=-1: allowed is 1; play on"),
        ({"last_award": "Ones"}, "last_award='Ones': name the seat that won it"),
        ({"last_winner": 1}, "all of them in the pile of seat 1, which won the hand before"),
        ({"piles": ["Ones"], "last_award": "Red"}, "all of them in the pile of seat 0, which won"),
        ({"action_stack": "Skip"}, "only mode 'full' is played with action cards"),
        ({"hands": HANDS, "rules": FULL, "action_stack": "Hop"}, "no card is called 'Hop'"),
        ({"hands": HANDS, "rules": FULL, "action_stack": "Skip ×2"}, "Skip ×2: the deck has 1"),
        ({"hands": HANDS, "rules": FULL, "piles": ["Ones"]},
         "in Full Deck an action card is revealed before the tricks begin"),
    ],
)  # fmt: skip
def test_positions_that_cannot_be(change, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        position(**{"hands": [], "point_card": "Twos", **change})
