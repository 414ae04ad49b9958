"""FUBNUB through the interfaces of all games: modes, ghosts, and who reads what in the log."""

from __future__ import annotations

import re
from itertools import islice

import gymnasium
import numpy as np
import pytest

from gubs_env.fubnub_v0 import GAME, Phase, Rules, position, raw_env, single_agent_env, vector_env
from gubs_env.games.fubnub.cards import NUMBER_TITLES
from gubs_env.games.fubnub.position import number_card
from tests.api.tables import play, play_to_the_end, random_action


def started(num_players, mode, seed=7, **rules):
    environment = raw_env(num_players, Rules(mode=mode, **rules))
    environment.reset(seed=seed)
    return environment


@pytest.mark.parametrize(
    ("num_players", "mode", "allowed"),
    [(3, "team", "for 4"), (4, "ghost", "1 or 2 or 3"), (1, "royal", "2 or 3 or 4"),
     (4, "ghost_royal", "1 or 2 or 3"), (2, "full", "for 4"), (True, "ghost", "1 or 2 or 3")],
)  # fmt: skip
def test_a_number_of_players_that_a_mode_is_not_for_is_an_error(num_players, mode, allowed):
    with pytest.raises(ValueError, match=f"num_players=.*mode '{mode}' is .*{allowed}"):
        raw_env(num_players, Rules(mode=mode))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "solo"}, "mode='solo': allowed are .*'ghost_royal'"),
        ({"final_tie": "coin"}, "final_tie='coin': allowed are"),
        ({"move_points": 1}, "move_points=1: allowed are True and False"),
        ({"max_cycles": 0}, "max_cycles=0: allowed are whole numbers from 1 to"),
        ({"point_cards": ["Red", "red", "Ones"]}, "given twice"),
        ({"point_cards": ["Red", "Blue", "Ones"]}, "no point card is called 'Blue'"),
        ({"point_cards": ["Red"], "num_points": 3}, "contradict each other"),
        ({"point_cards": ["Red", "Ones"]}, "num_points=2"),
        ({"ghost_seats": [4]}, "ghost_seats=.*from 0 to 3"),
        ({"ghost_seats": [1, 1]}, "different seats"),
    ],
)
def test_options_that_cannot_be_are_errors(options, message):
    with pytest.raises(ValueError, match=message):
        Rules(**options)


def test_ghosts_must_fill_the_table():
    with pytest.raises(ValueError, match=r"ghost_seats=\(1,\).*has 2 ghosts"):
        raw_env(2, Rules(mode="ghost", ghost_seats=[1]))


def test_what_decided_is_told_at_the_end():
    for mode in ("team", "royal", "full"):
        environment = play_to_the_end(started(4, mode))
        assert environment.outcome().decided_by.value in ("point cards", "drawing cards")


def test_ghosts_may_sit_anywhere():
    environment = started(2, "ghost", ghost_seats=[0, 2])
    assert environment.possible_agents == ["player_0", "player_1"]
    assert environment.state()["seat_of"][:2].tolist() == [1, 3]
    play(environment)
    assert environment.rewards == {}


def test_the_log_tells_secrets_to_nobody_else():
    environment = started(4, "full", seed=1)
    assert environment.state()["phase"] == Phase.SWAP_OFFER
    dealer = environment.agent_selection
    environment.step(environment.action_index("ACCEPT"))
    environment.step(random_action(environment, np.random.default_rng(0)))
    for agent in environment.possible_agents:
        named = [title for title in NUMBER_TITLES for line in environment.log(agent)
                 if title in line]  # fmt: skip
        assert len(named) == (2 if agent == dealer else 0)
    assert len(environment.log()) == 3


def test_cards_that_change_hands_are_named_to_those_who_saw_them():
    assert sum(cards_named_in_secret(seed) for seed in range(6)) > 50


def cards_named_in_secret(seed):
    environment = play(started(4, "full", seed=seed))
    logs = [environment.log(), *(environment.log(a) for a in environment.possible_agents)]
    secret = (" draws ", " returns ", " keeps ", "the dealer's hand", " for it")
    named = 0
    for lines in zip(*logs, strict=True):
        if " reveals " in lines[0] or not any(words in lines[0] for words in secret):
            assert len(set(lines)) == 1
            continue
        who = environment.possible_agents.index(lines[0].split()[0])
        tells = [any(title in line for title in NUMBER_TITLES) for line in lines]
        with_dealer = "the dealer's hand" in lines[0] or " for it" in lines[0]
        assert not tells[0]
        assert tells[1 + who]
        assert sum(tells) == (2 if with_dealer else 1)
        named += 1
    return named


def test_the_log_names_a_fub_and_a_sweep_and_what_the_next_dealer_may_do():
    seen = set()
    for seed in range(4):
        callers, special = "", ""
        for line in play(started(4, "team", seed=seed)).log():
            if line.startswith("Hand "):
                assert bool(special) == (" deals and may swap twice; " in line), line
                special = ""
            if caller := re.match("(.*) puts the point card in play", line):
                callers = "player_0" if caller[1] in ("player_0", "player_2") else "player_1"
            if won := re.match(r"(player_.) and .* win (.) tricks to . and earn (.*)", line):
                special = won[3].partition(": ")[2]
                wanted = "a fub" if won[1] != callers else "a sweep" if won[2] == "5" else ""
                assert special == wanted, line
                seen.add(special)
    assert seen == {"", "a fub", "a sweep"}


@pytest.mark.parametrize("num_players", [1, 3])
@pytest.mark.parametrize("mode", ["ghost", "ghost_royal"])
def test_the_log_tells_every_card_of_every_trick(num_players, mode):
    environment = play(started(num_players, mode, seed=num_players))
    tricks, cards = [], []
    for line in environment.log():
        if " plays " in line:
            cards.append(line.split(" plays ")[1])
        if " takes the trick with " in line:
            tricks.append(cards)
            cards = []
        if line.startswith("Hand"):
            played = [card for trick in tricks for card in trick]
            assert len(played) == len(set(played))
            assert len(played) in (0, 20)  # none before a misdeal
            tricks = []
    assert all(len(trick) == 4 for trick in tricks)


def test_one_agent_is_paid_its_share_of_a_battle_royal():
    environment = gymnasium.make(
        "gubs_env/Fubnub-v0", rules=Rules(mode="royal"), disable_env_checker=True
    )
    assert isinstance(environment.unwrapped, single_agent_env)
    _, info = environment.reset(seed=4)
    rng = np.random.default_rng(0)
    done = False
    while not done:
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        _, reward, terminated, truncated, info = environment.step(action)
        done = terminated or truncated
    assert terminated
    assert reward in (1.0, pytest.approx(-1 / 3))


def test_a_game_of_one_agent_is_cut_off():
    environment = single_agent_env(1, rules=Rules(mode="ghost", max_cycles=3))
    environment.reset(seed=1)
    for last in (False, False, True):
        action = int(np.flatnonzero(environment.action_masks())[0])
        _, reward, terminated, truncated, _ = environment.step(action)
        assert (reward, terminated, truncated) == (0.0, False, last)


def test_batches_take_forced_cards_by_themselves():
    games = vector_env(50, rules=Rules(mode="royal"), seed=1, skip_forced=True)
    for _ in range(40):
        assert (games.masks.sum(1) > 1).all()
        games.play_randomly(1)


def test_lead_counts_point_cards_of_sides():
    games = vector_env(200, rules=Rules(), seed=1, autoreset=False)
    games.play_randomly(200, seed=1)
    rows = games.states[games.actors >= 0]
    own = rows["asked"] & 1
    piles = rows["owned"].sum(-1)
    expected = piles[np.arange(len(rows)), own] - piles[np.arange(len(rows)), 1 - own]
    assert expected.any()
    assert (GAME.lead(games.observations[games.actors >= 0], 4) == expected).all()
    games = vector_env(100, rules=Rules(mode="full"), seed=1, autoreset=False)
    games.play_randomly(120, seed=1)
    leads = GAME.lead(games.observations, 4)
    for row, actor, margin in zip(games.states, games.actors, leads, strict=True):
        piles = row["owned"].sum(-1)
        if actor >= 0:
            assert margin == piles[actor] - np.delete(piles, actor).max()


@pytest.mark.parametrize(
    ("point", "played", "told"),
    [
        ("Twos", "R5 N5 P6 R2", "player_3 takes the trick with Red 2, the only card that the point "
         "card favours"),
        ("Twos", "R2 N2 P6 G6", "player_1 takes the trick with Green 2, the stronger colour of two "
         "equal values among the favoured cards"),
        ("Odds", "R5 N1 P3 G6", "player_0 takes the trick with Red 5, the highest value among the "
         "favoured cards"),
        ("Ones", "R5 N5 P3 G4", "player_1 takes the trick with Green 5, the stronger colour of two "
         "equal values"),
        ("Ones", "R5 N6 P3 G4", "player_1 takes the trick with Green 6, the highest value"),
    ],
)  # fmt: skip
def test_the_log_tells_which_rule_decided_a_trick(point, played, told):
    rules, laid = Rules(mode="royal"), [NUMBER_TITLES[number_card(text)] for text in played.split()]
    others = iter([title for title in NUMBER_TITLES if title not in laid])
    hands = [", ".join([card, *islice(others, 4)]) for card in laid]
    environment = raw_env(4, rules)
    environment.set_state(position(hands, point, dealer=3, rules=rules))
    for card in laid:
        environment.play(f"Play {card}")
    assert told in environment.log()
