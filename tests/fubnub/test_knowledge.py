"""The memory of a seat, and what it is shown (section 9)."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_env import find_table
from gubs_env.engine.choosing import CHOOSE, LOOK
from gubs_env.engine.rng import seed_rng
from gubs_env.fubnub_v0 import GAME, Rules, raw_env
from gubs_env.games.fubnub.score import Decided, outcome
from gubs_env.games.fubnub.state import UNDEALT, Phase
from tests.fubnub.table import Table, card, words
from tests.fubnub.test_scenarios import HANDS, LAST, full


def determinized(table, seed=0):
    """Return a state drawn at random from the view of the seat to decide."""
    rows = table.games.copy()
    GAME.kernel.hide(rows, 0, int(rows[0].actor))
    GAME.kernel.determinize(rows, 0, seed_rng(seed))
    return rows[0]


def test_a_returned_card_is_known_to_lie_beneath():
    table = Table(HANDS, phase=Phase.SWAP_OFFER, entitled=2).play("ACCEPT", "G3")
    assert table.knows(3) == "G3"
    assert all(table.knows(seat) == "" for seat in range(3))
    for seed in range(5):
        assert words(determinized(table, seed).under) == "G3"


def test_others_know_how_many_lie_beneath_and_not_which():
    table = full("Double Dip", 1).play("ACCEPT", "G3")
    beneath = {words(determinized(table, seed).under) for seed in range(40)}
    assert len(beneath) > 5
    assert all(len(text.split()) == 1 for text in beneath)
    assert not any(own in beneath for own in HANDS[1].split())


def test_a_drawn_card_is_shown_to_its_seat_alone():
    table = Table(HANDS, phase=Phase.SWAP_OFFER).play("ACCEPT")
    assert table.seen(3, "drawn").sum() == 1
    for seat in range(3):
        assert table.seen(seat, "drawn").sum() == 0
        view = GAME.view(table.games, 0, seat).state
        assert (view.drawn, view.undealt.sum(), view.hand[3].sum()) == (-1, 0, 0)
    own = GAME.view(table.games, 0, 3).state
    assert own.drawn == table.game.drawn


def test_a_played_card_is_remembered_no_more():
    table = full("Peek", 1).play("DECLINE", "R1")
    assert table.knows(1, 0) == "R2 R3 R4 R5"
    assert table.seen(1, "trick")[3, card("R1")] == 1


def test_second_chance_tells_which_old_cards_are_undealt():
    table = full("Second Chance", 1).play("ACCEPT", "G3")
    kept = set(table.hand(1).split()) & set(HANDS[1].split())
    assert set(table.knows(1).split()) == set(HANDS[1].split()) - kept
    assert table.knows(3) == ""  # its card may be in the new hand


def test_a_dealer_knows_its_cards_among_all_nine():
    table = full("Second Chance", 3).play("ACCEPT", "G3")
    seen = set(HANDS[3].split())
    assert seen - set(table.hand(3).split()) <= set(table.knows(3).split())


def test_a_stack_swap_passes_knowledge_on():
    table = full("Stack Swap Left", 1).play("ACCEPT", "G3")
    assert table.knows(3) == "G3"
    assert "G3" not in table.knows(3, 0)
    assert len(table.knows(3, 0).split()) == 5
    assert words(determinized(table).hand[1]) == HANDS[0]


@pytest.mark.parametrize("seed", range(4))
def test_what_was_taken_from_the_dealer_is_known_to_both(seed):
    table = full("Eliminated", 1, seed=seed).play("DECLINE", "ACCEPT", "R1")
    row = determinized(table)
    assert row.hand_size.tolist() == [5, 5, 5, 5]
    assert words(table.game.known[0, 3]) == "R1"
    taken = table.knows(3, 0)
    table.play("ACCEPT")
    assert "R1" not in table.knows(0, 3)
    assert table.knows(3, 0) == taken


def test_a_blind_hand_is_hidden_from_its_own_seat():
    table = full("No Reveal", 1).play("DECLINE")
    assert GAME.view(table.games, 0, 1).state.hand.sum() == 0
    assert determinized(table).hand[1].sum() == 5


def test_a_dealer_that_plays_unseen_is_not_shown_what_it_drew():
    table = full("No Reveal", 3).play("ACCEPT", "G3")
    own = GAME.view(table.games, 0, 3).state
    assert (own.swap_drawn, own.hand[3].sum()) == (-1, 0)
    assert words(own.under) == "G3"


def test_nobody_is_asked_for_an_action_card_when_the_stack_is_empty():
    table = full(winner=1)
    table.game.action_gone[:] = 1
    assert table.play("DECLINE").phase is Phase.PLAY


def test_the_outcome_of_a_game_under_way_is_as_if_it_ended():
    table = Table(HANDS, mode="royal", piles=["Ones", "Fives", "", ""])
    assert outcome(table.game) == ((1, 1, 0, 0), (0, 1), Decided.SHARED)


def test_a_ghost_that_wins_costs_every_player_one():
    environment = raw_env(2, Rules(mode="ghost_royal", num_points=1))
    seen = set()
    for seed in range(40):
        environment.reset(seed=seed)
        while not any(environment.terminations.values()):
            mask = environment.observe(environment.agent_selection)["action_mask"]
            environment.step(int(np.flatnonzero(mask)[0]))
        winners = environment.outcome().winners
        rewards = tuple(round(r, 3) for r in environment.rewards.values())
        seen.add((winners, rewards))
    assert seen == {((), (-1, -1)), ((0,), (1, -0.333)), ((1,), (-0.333, 1))}


def test_all_may_share_a_win():
    table = full(
        "Turtle", 1, piles=["Odds", "Ones", "Twos", "Red"], point="Gold", final_tie="share"
    )
    table.play("DECLINE")
    assert table.payoffs == [0, 0, 0, 0]


def test_a_batch_deals_finished_games_anew_and_plays_forced_cards():
    piles = ["Ones", "Odds"]
    table = Table(LAST, piles=piles, left="Red, Gold", mode="royal", num_points=5, tricks=[4])
    batch = GAME.new_batch(table.games)
    table.GAME.kernel.advance(*batch, np.array([LOOK]), 1, False, False)
    batch.rngs[0] = seed_rng(3)
    dealt = False
    while not dealt:
        GAME.kernel.advance(*batch, np.array([CHOOSE]), 1, True, True)
        dealt = bool(batch.dones[0])
    assert batch.masks.sum() > 1
    assert batch.states["phase"][0] == Phase.PLAY
    assert batch.states["owned"].sum() == 0


def test_the_known_never_counts_the_own_hand():
    table = full("Stack Swap Right", 2).play("DECLINE")
    for seat in range(4):
        assert not table.game.known[seat, seat].any()
        assert table.knows(seat, UNDEALT) == ""


@pytest.mark.parametrize(
    ("num_players", "options", "bound"),
    [(4, {}, 2000), (2, {"mode": "royal"}, 150), (1, {"mode": "ghost_royal"}, 75),
     (4, {"mode": "full"}, 420), (4, {"mode": "full", "max_cycles": 99}, 99),
     (4, {"mode": "full", "move_points": True}, 2000)],
)  # fmt: skip
def test_the_length_of_a_game_is_bounded(num_players, options, bound):
    assert find_table("fubnub", num_players, options).max_decisions == bound
