"""Bad, Bad, Turtle through the interfaces of all games: starting player, cut-off, words."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gubs_env import find_table
from gubs_env.bad_bad_turtle_v0 import GAME, Phase, Rules, env, raw_env, vector_env
from gubs_env.engine.seats import ANY_PLAYER
from tests.bad_bad_turtle.table import Table


def test_who_starts():
    environment = raw_env(5)
    for seat in range(5):
        environment.reset(seed=1, options={"starting_player": seat})
        assert environment.agent_selection == f"player_{seat}"
    starters = set()
    for seed in range(60):
        environment.reset(seed=seed)
        starters.add(environment.agent_selection)
    assert starters == set(environment.possible_agents)
    with pytest.raises(ValueError, match="starting_player=-1"):
        environment.reset(options={"starting_player": ANY_PLAYER})


def test_no_lead_is_seen():
    games = vector_env(3, seed=0)
    assert GAME.lead(games.observations, 4).tolist() == [0, 0, 0]


# -------------------------------------------------------------------------------- being cut off


def test_a_batch_cut_off_pays_nothing():
    games = vector_env(200, seed=0, rules=Rules(max_cycles=5))
    assert games.num_players == 4
    for _ in range(4):
        games.play_randomly(1)
    _, _, rewards, dones, _, _ = games.play_randomly(1)
    assert dones.any()
    assert (rewards[dones] == 0).all(1).sum() > 50


def test_an_agent_that_was_cut_off_steps_out():
    environment = env(4, Rules(max_cycles=1, younger=True, removed=["Dance"]))
    environment.reset(seed=2)
    environment.step(0)
    assert all(environment.truncations.values())
    _, reward, terminated, truncated, _ = environment.last()
    assert (reward, terminated, truncated) == (0, False, True)
    assert not environment.observe("player_0")["action_mask"].any()
    with pytest.raises(ValueError, match="None"):
        environment.step(0)
    for _ in range(4):
        environment.step(None)
    assert not environment.agents


def test_an_agent_of_self_play_learns_that_it_was_cut_off():
    sb3 = pytest.importorskip("gubs_env.api.sb3")
    gubs_agents = pytest.importorskip("gubs_agents")
    pool = sb3.Pool({"random": gubs_agents.make("random")})
    games = sb3.SelfPlayVecEnv(find_table(GAME, 3, Rules(max_cycles=20)), 50, pool)
    games.reset()
    rng, cut_off = np.random.default_rng(0), set()
    for _ in range(10):
        masks = games.action_masks()
        games.step_async(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
        _, rewards, dones, infos = games.step_wait()
        for index in np.flatnonzero(dones):
            cut = infos[index]["TimeLimit.truncated"]
            assert cut == (rewards[index] == 0)
            cut_off.add(cut)
    assert cut_off == {True, False}


# --------------------------------------------------------------------------------------- words


def test_what_the_eliminated_revealed_stays_open_to_all():
    table = Table(revealed={2: "Dance"}, out=[2])
    assert "player_2: eliminated\n   revealed, from the top: Dance" in table.words(1)
    assert "You are out. Waiting for player_1" in table.words(2)


def test_the_table_in_words():
    stacks = {1: "blank, blank, Peek, Turtle", 2: "blank, blank, Skip, blank"}
    table = Table(stacks, aside={"No Way": 3, "Never Happened": 0}, revealed={0: "blank ×2, Dance"})
    table.play("TAKE_TURN", "PASS", "PASS")
    assert table.phase is Phase.TURN
    words = table.words(1)
    assert "Your stack, from the top: Turtle" in words
    assert "Turtle" not in table.words(2).replace("Bad, Bad, Turtle", "")
    assert "revealed, from the top: Dance, number card ×2" in words
    assert "set aside: No Way" in words
    table.play("TAKE_TURN", "NO_WAY")
    words = table.words(0)
    assert "Revealed: player_2's Skip" in words
    assert "player_3 answers: No Way on player_2's Skip" in words
    assert "You: answer No Way, or let it stand" in words
    table.play("PASS")
    assert "discard pile, from the top: Skip, ?, ?" in table.words(0)


def told(table, *names):
    """Return the log of these actions."""
    environment = raw_env(table.num_players)
    environment.reset(seed=0)
    environment.set_state(table.game)
    for name in names:
        environment.step(environment.action_index(name))
    return environment.log()


def test_the_log_tells_what_lies_on_a_turn_of_the_same_player():
    table = Table({1: "blank, blank, Dance, Turtle"}, aside={"Shield": 0})
    assert told(table, "TAKE_TURN", "SHIELD[1]")[-1] == "Dance lies on the turn of player_1"


def test_the_log_tells_where_a_set_aside_card_goes():
    aside = {"No Way": 0, "Never Happened": 2}
    table = Table({1: "blank, blank, Skip, Turtle"}, aside=aside)
    log = told(table, "TAKE_TURN", "PASS", "NO_WAY[Never Happened]", "PASS")
    assert "Never Happened goes to the discard pile of player_2" in log


def test_the_log_of_a_window():
    table = Table({1: "blank, blank, Skip, Turtle"}, aside={"Shield": 0}, num_players=2)
    assert told(table, "TAKE_TURN", "SHIELD[1]") == [
        "player_1 takes the turn and discards 2 cards unseen",
        'player_1 reveals Skip: "The player of the next turn is passed over."',
        "player_0 plays Shield and forces Skip on player_1",
        "Skip goes to the reveal pile of player_1: it takes effect",
        "Shield goes to the reveal pile of player_1",
    ]


def test_the_log_tells_who_can_do_nothing_and_who_gives_up_the_turn():
    stacks = {1: "blank, blank, Skip, Turtle"}
    assert told(Table(stacks, modifier="No Trash", revealed={0: "No Trash"}), "TAKE_TURN") == [
        "player_1 takes the turn under No Trash and reveals nothing: the discard pile is empty"
    ]
    declined = "player_1 declines: Dance, and gives up the turn"
    assert told(Table(stacks, modifier="Dance", revealed={0: "Dance"}), "DECLINE") == [declined]


def test_the_log_tells_why_a_card_that_takes_effect_does_nothing():
    aside, stacks = {"Never Happened": 0}, {1: "blank, blank, Double Dip", 3: "blank, Turtle"}
    assert told(Table(stacks, aside=aside), "TAKE_TURN", "PASS")[-2:] == [
        "player_0 lets Double Dip stand: it takes effect, but its owner's stack is empty",
        "A stack is empty: all that lies face down is shuffled and dealt anew",
    ]
    lacking = {
        "Recycle Bonus": "its owner's discard pile is empty",
        "Refund": "its owner's discard pile is empty",
        "Clean Up": "its owner has revealed no other card",
        "Do Over": "its owner has revealed no other card",
    }
    for card, pile in itertools.product(lacking, ("", "blank")):
        revealed = {0: "Rapid Fire", 1: pile}
        table = Table({1: f"{card}, Turtle"}, {1: pile}, revealed, modifier="Rapid Fire")
        said = told(table, "TAKE_TURN")[1]
        assert said.endswith(f'", but {lacking[card]}') == (not pile)


def test_the_log_tells_which_cards_take_effect_and_why_cards_are_dealt_anew():
    dealt, aside = "ll that lies face down is shuffled and dealt anew", {"Never Happened": 0}

    def table(card, aside):
        stacks = {1: f"blank, blank, {card}", 3: "blank, Turtle"}
        return Table(stacks, revealed={0: "Dance"}, aside=aside)

    assert told(table("Restart Game", aside), "TAKE_TURN", "NEVER_HAPPENED")[-3:] == [
        "Restart Game goes to the reveal pile of player_1: it has no effect",
        "Never Happened goes to the reveal pile of player_1",
        f"A stack is empty: a{dealt}",
    ]
    assert told(table("Restart Game", aside), "TAKE_TURN", "PASS")[-2:] == [
        "player_0 lets Restart Game stand: it takes effect",
        "All cards are shuffled and dealt anew",
    ]
    aside = {**aside, "No Way": 2}
    assert told(table("Shuffle", aside), "TAKE_TURN", "NO_WAY", "NEVER_HAPPENED")[-4:] == [
        "Shuffle goes to the reveal pile of player_1: it takes effect",
        "No Way goes to the reveal pile of player_1",
        "Never Happened goes to the reveal pile of player_2",
        f"A{dealt}",
    ]
    assert told(table("Shuffle", {}), "TAKE_TURN")[-1] == f"A{dealt}"
    assert told(table("Eliminated", {}), "TAKE_TURN")[-2:] == [
        "player_1 is eliminated",
        f"A{dealt}",
    ]


def test_the_log_tells_how_many_cards_a_turn_discards_under_a_card():
    table = Table({1: "blank, blank, Partial Play, Turtle"})
    assert "player_2 takes the turn under Partial Play and discards 1 card unseen" in told(
        table, "TAKE_TURN", "TAKE_TURN"
    )
    slow = Table({1: "Turtle"}, revealed={0: "Slow Down", 1: "Skip, blank"}, modifier="Slow Down")
    shuffled = ", shuffling 2 revealed cards into the stack, and discards 2 cards unseen"
    assert told(slow, "TAKE_TURN")[0] == f"player_1 takes the turn under Slow Down{shuffled}"
