"""Trick Bids: following suit, trumps, contracts, deals that fit the play, and what is supplied."""

from __future__ import annotations

import itertools
from collections import Counter

import gymnasium
import numpy as np
import pytest
import trick_bids
from pettingzoo.test import api_test, parallel_api_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from trick_bids import ACTIONS, CARDS, GAME

import gubs_agents
from gubs_agents.arena import play
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.table import Table

TABLE = Table(GAME)
HANDS = ("10♣ J♣ Q♣ 10♥ 10♠", "K♣ A♣ 10♦ J♥ J♠", "J♦ Q♦ K♦ A♦ Q♥", "K♥ A♥ Q♠ K♠ A♠")
TRICKS = ("10♣ A♣ J♦ Q♠", "A♠ 10♠ J♠ Q♦", "K♠ J♣ 10♦ K♦", "A♥ 10♥ J♥ Q♥", "K♥ Q♣ K♣ A♦")


@pytest.fixture(autouse=True, scope="module")
def interpreted():
    """Interpret the rules: compiling them takes longer than all games of this file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GUBS_ENV_COMPILE", "never")
        yield


def started(bids="1 1 nil 2", hands=HANDS):
    """Return a game with these hands, after the bids."""
    env = trick_bids.raw_env()
    env.reset(seed=0)
    state = env.state().copy()
    for player, hand in enumerate(hands):
        state["hand"][player] = [card in hand.split() for card in CARDS]
    env.set_state(state)
    for bid in bids.split():
        env.step(ACTIONS.index(f"Bid {bid}"))
    return env


def play_cards(env, *tricks):
    for card in " ".join(tricks).split():
        env.step(ACTIONS.index(f"Play {card}"))
    return env


def playable(env):
    legal = GAME.legal_actions(env.view(env.agent_selection))
    return " ".join(ACTIONS[action].removeprefix("Play ") for action in legal)


def test_suit_is_followed_and_without_it_any_card_is_played():
    env = play_cards(started(), "10♣")
    assert playable(env) == "K♣ A♣"
    assert playable(play_cards(env, "A♣")) == HANDS[2]


def test_nobody_leads_a_spade_before_the_first_is_played_unless_they_have_nothing_else():
    env = started()
    assert playable(env) == "10♣ J♣ Q♣ 10♥"
    assert "A♠" in playable(play_cards(env, TRICKS[0]))
    assert playable(started(hands=(HANDS[3], *HANDS[:3]))) == "K♥ A♥"
    spades = started(
        hands=("10♠ J♠ Q♠ K♠ A♠", "10♣ J♣ Q♣ K♣ A♣", "10♦ J♦ Q♦ K♦ A♦", "10♥ J♥ Q♥ K♥ A♥")
    )
    assert playable(spades) == "10♠ J♠ Q♠ K♠ A♠"
    assert play_cards(spades, "10♠").state()["void"][0].tolist() == [1, 1, 1, 0]


def test_the_highest_spade_takes_the_trick_or_else_the_highest_card_of_the_suit_led():
    env = play_cards(started(), "10♣ K♣ A♦ A♥")
    assert env.agent_selection == "player_1"
    env = play_cards(started(), TRICKS[0])
    assert env.agent_selection == "player_3"
    assert env.state()["tricks"].tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("bids", "first", "second"),
    [
        ("1 1 1 2", -20, 32),  # the tricks are 0, 0, 0 and 5
        ("nil 1 1 5", 50 - 10, -60),
        ("nil 1 nil 4", 100, 50),
        ("1 nil 5 5", -60, 50 + 50),  # nil of player_1, and five tricks of the partner
        ("1 1 1 nil", -20, 10 + 4 - 50),
    ],
)
def test_a_side_is_paid_the_difference_of_the_scores(bids, first, second):
    env = play_cards(started(bids), *TRICKS)
    assert env.state()["tricks"].tolist() == [0, 0, 0, 5]
    difference = first - second
    assert list(env.rewards.values()) == [difference, -difference, difference, -difference]


def drawn(env, draws):
    """Return how often each deal is drawn for the player to decide: the owners of all cards."""
    state, rng = env.state().copy(), seed_rng(1)
    deals = Counter()
    for _ in range(draws):
        trick_bids.redeal(state, rng)
        deals[tuple(state["hand"].argmax(axis=0) * state["hand"].any(axis=0))] += 1
    return deals


def test_all_deals_that_fit_the_play_are_drawn_equally_often():
    env = play_cards(started(), *TRICKS[:2], "K♠ J♣ 10♦ K♦", "A♥")
    viewer = int(env.agent_selection[-1])
    state = env.state()
    unseen = np.flatnonzero(~state["played"].any(axis=0) & (state["hand"][viewer] == 0))
    room = 5 - state["played"].sum(axis=1)
    others = [player for player in range(4) if player != viewer]
    fitting = [
        owners
        for owners in itertools.product(others, repeat=len(unseen))
        if all(owners.count(player) == room[player] for player in others)
        and not any(
            state["void"][owner, card // 5] for owner, card in zip(owners, unseen, strict=True)
        )
    ]
    deals = drawn(env, 400 * len(fitting))
    assert len(deals) == len(fitting) > 3
    assert max(abs(count - 400) for count in deals.values()) < 5 * np.sqrt(400)


def test_a_player_who_did_not_follow_suit_is_dealt_none_of_it():
    env = play_cards(started(), TRICKS[0])
    state, rng = env.state().copy(), seed_rng(0)
    for _ in range(200):
        trick_bids.redeal(state, rng)
        assert not state["hand"][2, :5].any()  # player_2 had no club
        assert state["hand"].sum(axis=1).tolist() == [4, 4, 4, 4]


@pytest.mark.filterwarnings("ignore:Observation")
def test_it_is_an_environment_of_pettingzoo_and_gymnasium():
    api_test(trick_bids.env(), num_cycles=100)
    parallel_api_test(turn_based_aec_to_parallel(trick_bids.env()), num_cycles=50)
    single = gymnasium.make("gubs_env/TrickBids-v0", opponents="random")
    assert single.reset(seed=0)[1]["action_mask"].sum() == 6
    many = gymnasium.make_vec("gubs_env/TrickBids-v0", num_envs=4, opponents="random")
    assert many.reset(seed=0)[0].shape == (4, 228)


def test_many_games_are_played_as_one_is():
    games, env = trick_bids.vector_env(4, seed=5), trick_bids.raw_env()
    first = games.states[0].copy()
    env.set_state(first)
    while not env.terminations["player_0"]:
        env.step(int(games.masks[0].argmax()))
        payoffs = games.step(games.masks.argmax(1))[2]
    assert payoffs[0].tolist() == list(env.rewards.values())


def test_a_table_tells_bids_cards_and_partners():
    env = play_cards(started(), "10♣ A♣")
    view = env.view("player_2")
    seats = GAME.table_words(view).seats
    assert [seat.marks for seat in seats] == [["partner"], [], ["you"], []]
    told = GAME.describe(view)
    for words in ("bid: nil", "table: A♣", "hand: J♦, Q♦, K♦, A♦, Q♥", "led: clubs"):
        assert words in told
    assert not any(card in told for card in ("K♣", "J♠", "A♠"))  # the hands of others
    assert [move.text.lower() for move in GAME.legal_moves(view)][:2] == ["play j♦", "play q♦"]


def test_a_search_and_its_partner_win_and_lose_together():
    search = gubs_agents.make("ismcts", TABLE, seed=0, playouts=20)
    uniform = gubs_agents.make("random", TABLE, seed=0)
    payoffs = play([search, uniform, search, uniform], TABLE, deals=3)
    assert payoffs.tolist() == [[first, -first, first, -first] for first in payoffs[:, 0]]
