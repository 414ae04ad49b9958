"""Public facts that observations once did not show, scene by scene."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0
from gubs_env.bad_bad_turtle_v0 import position as turtle_position
from gubs_env.fubnub_v0 import position as fubnub_position
from gubs_env.games.fubnub.cards import POINT_TITLES
from gubs_env.gubs_v0 import position as gubs_position


def seen(env, agent, name):
    """Return a slice of what an agent observes."""
    return env.observation_slices()[name].of(env.observe(agent)["observation"])


def at(env, state):
    env.set_state(state)
    return env


def play(env, *names):
    for name in names:
        env.step(env.action_index(name))


# -------------------------------------------------------------------------------------------- Gubs


def struck_by_plague():
    """Return a game in which Gargok Plague was drawn and a Letter turned up in the redraw."""
    env = gubs_v0.raw_env(2)
    for seed in range(50):
        deck = "Gargok Plague, Letter G, Letter U, Letter B"
        env.set_state(
            gubs_position(
                ["Lure ×2", "Lure"], ["Gub", "Gub"], deck, phase=gubs_v0.Phase.DRAW, rest=False,
                seed=seed,
            )
        )  # fmt: skip
        play(env, "DECK")
        if env.state().returned.any():
            return env
    raise AssertionError("no Letter turned up")


def test_a_letter_that_turns_up_in_a_redraw_is_shown_to_all():
    env = struck_by_plague()
    letters = [card.title for card in gubs_v0.Card if card.title.startswith("Letter")]
    returned = env.state().returned[-3:].tolist()
    shown = [title for title, count in zip(letters, returned, strict=True) if count]
    assert shown
    for agent in env.possible_agents:
        assert seen(env, agent, "returned")[-3:].tolist() == returned
        assert all(title in env.log(agent)[-1] for title in shown)
        assert "went back into the deck" in env.describe(agent)


def test_the_observation_says_where_the_letters_can_be():
    env = gubs_v0.raw_env(2)
    env.reset(seed=4)
    size = int(env.state().deck_size)
    lowest, middle, highest = seen(env, "player_1", "letter_range").tolist()
    assert lowest[1] == size
    assert highest[0] == 1
    assert highest[1] < middle[1] < lowest[1]
    assert f"{highest[0]} to {highest[1]}" in env.describe("player_1")
    anywhere = gubs_v0.raw_env(2, {"letters": "anywhere"})
    anywhere.reset(seed=4)
    assert not seen(anywhere, "player_0", "letter_range").any()
    assert seen(anywhere, "player_0", "letter_loose").all()


@pytest.mark.parametrize(
    "options",
    [
        *({"letters": "anywhere"}, {"flood_to": "deck"}, {"plague_redraw": False}),
        *({"stacked_barricades": False}, {"ask_everyone": True}, {"reward": "margin"}),
        {"deck": {"Gub": 10, "Lure": 20, "Letter G": 1, "Letter U": 1, "Letter B": 1}},
    ],
    ids=lambda options: next(iter(options)),
)
def test_the_observation_says_which_rules_hold(options):
    usual, other = gubs_v0.raw_env(2), gubs_v0.raw_env(2, options)
    usual.reset(seed=1)
    other.reset(seed=1)
    name = "deck" if "deck" in options else "rules"
    for agent in usual.possible_agents:
        assert (seen(usual, agent, name) != seen(other, agent, name)).any()


# ------------------------------------------------------------------------------------------ FUBNUB

ONE_COURSE = ["G6 P6 N1 R1", "R2 P2 N2 G2"]
"""By Evens seat 0 wins the first trick, seat 3 the second."""
ANOTHER = ["G6 P2 N1 R1", "R2 P6 N2 G2"]
"""The same cards of every seat; seat 1 wins the second."""


def test_who_won_which_trick_shows():
    hands = ["R3 R4 R5", "P3 P4 P5", "N3 N4 N5", "G3 G4 G5"]
    courses = []
    for tricks in (ONE_COURSE, ANOTHER):
        env = fubnub_v0.raw_env(4)
        state = fubnub_position(hands, "Evens", tricks=tricks, caller=0, rest=False, seed=1)
        courses.append(at(env, state))
    one, other = courses
    assert (one.state().played == other.state().played).all()
    for agent in one.possible_agents:
        assert (seen(one, agent, "trick_winners") != seen(other, agent, "trick_winners")).any()
        assert (seen(one, agent, "tricks") != seen(other, agent, "tricks")).any()
        assert one.describe(agent) != other.describe(agent)
    assert "Won by player_0: player_0 Gold 6, player_1 Purple 6" in one.describe("player_2")
    stack = seen(one, "player_3", "tricks")[0]
    assert sorted(np.flatnonzero(stack)) == sorted(np.flatnonzero(one.state().tricks[0]))


FULL = {"mode": "full"}
HANDS = ["R1 R2 R3 R4 R5", "P1 P2 P3 P4 P5", "N1 N2 N3 N4 N5", "G1 G2 G3 G4 G5"]


def test_the_winner_of_the_hand_before_shows_while_the_dealer_swaps():
    env = fubnub_v0.raw_env(4, FULL)
    state = fubnub_position(
        HANDS, "Twos", piles={1: "Odds, Red", 2: "Evens"}, dealer=0, last_winner=1,
        last_award="Odds", phase=fubnub_v0.Phase.SWAP_OFFER, rules=env.rules, seed=0,
    )  # fmt: skip
    env.set_state(state)
    assert seen(env, "player_0", "last_winner").tolist() == [0, 1, 0, 0]
    assert seen(env, "player_3", "last_winner").tolist() == [0, 0, 1, 0]
    assert seen(env, "player_3", "last_award").sum() == 1
    assert "The hand before: player_1 won Odds" in env.describe("player_2")


def test_the_log_names_the_point_card_that_restart_game_reveals():
    rules = fubnub_v0.Rules(mode="full", move_points=True)
    env = fubnub_v0.raw_env(4, rules)
    state = fubnub_position(
        HANDS, "Twos", piles={1: "Odds"}, dealer=0, last_winner=1, action_stack="Restart Game",
        phase=fubnub_v0.Phase.SWAP_OFFER, rules=rules, seed=3,
    )  # fmt: skip
    env.set_state(state)
    play(env, "DECLINE")
    point = POINT_TITLES[env.state().point_card]
    assert f"The point card is {point}" in env.log()


# -------------------------------------------------------------------------------- Bad, Bad, Turtle


def test_the_order_of_a_reveal_pile_shows():
    pile = "number card, Skip, number card, Peek"
    other_order = "Skip, number card, number card, Peek"
    envs = []
    for revealed in (pile, other_order):
        env = bad_bad_turtle_v0.raw_env(2)
        state = turtle_position(["Turtle", "Shield"], revealed=[revealed, ""], seed=1)
        envs.append(at(env, state))
    one, other = envs
    for agent in one.possible_agents:
        assert (seen(one, agent, "revealed") != seen(other, agent, "revealed")).any()
        assert one.describe(agent) != other.describe(agent)
    assert "from the top: Peek, number card, Skip, number card" in one.describe("player_1")


def test_a_number_card_that_all_saw_go_face_down_shows():
    env = bad_bad_turtle_v0.raw_env(2)
    state = turtle_position(
        ["number card ×2, Clean Up, number card", "Shield, number card ×3, Turtle"],
        revealed=["number card, Skip", ""], turn=0, seed=1,
    )  # fmt: skip
    env.set_state(state)
    play(env, "TAKE_TURN")
    assert env.state().discard_size[0] == 4
    assert seen(env, "player_0", "discards_known")[0, :4].tolist() == [1, 1, 0, 0]
