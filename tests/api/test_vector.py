"""The vectorised environment: the same games as one by one, with any threads, and errors."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_env import bad_bad_turtle_v0, fubnub_v0
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.choosing import LOOK, WAIT
from gubs_env.engine.table import Table
from gubs_env.gubs_v0 import Rules, raw_env, vector_env

RULES = [
    Rules(),
    Rules(letters="anywhere", flood_to="deck", plague_redraw=False),
    Rules(stacked_barricades=False, ask_everyone=True),
    Rules(reward="margin"),
]
sizes = pytest.mark.parametrize("num_players", range(2, 7))


def random_actions(masks, rng):
    return np.where(masks, rng.random(masks.shape), -1).argmax(1)


@sizes
@pytest.mark.parametrize(
    "rules", [*RULES, RULES * 2], ids=["proper", "deck", "asked", "margin", "each its own"]
)
def test_every_game_is_that_of_the_single_environment(num_players, rules):
    """The games agree action for action, across the end of a game into the next."""
    games = vector_env(8, num_players=num_players, rules=rules, seed=40)
    singles = [
        raw_env(num_players, one) for one in (rules if isinstance(rules, list) else [rules] * 8)
    ]
    for index, single in enumerate(singles):
        single.reset(seed=40 + index)
    rng = np.random.default_rng(0)
    for _ in range(400):
        for index, single in enumerate(singles):
            assert single.possible_agents[games.actors[index]] == single.agent_selection
            seen = single.observe(single.agent_selection)
            assert (seen["observation"] == games.observations[index]).all()
            assert (seen["action_mask"] == games.masks[index]).all()
        actions = random_actions(games.masks, rng)
        games.step(actions)
        for index, single in enumerate(singles):
            single.step(actions[index])
            ended = any(single.terminations.values())
            assert ended == games.dones[index]
            assert list(single.rewards.values()) == games.rewards[index].tolist()
            if ended:
                single.reset()


def test_games_with_rules_of_their_own_keep_them_through_states_and_deals():
    """A state goes back only into a game with its rules, and a new deal has the whole deck."""
    small = Rules(deck={"Gub": 6, "Lure": 6, "Letter G": 1, "Letter U": 1, "Letter B": 1})
    games = vector_env(2, rules=[Rules(), small], seed=3, autoreset=False)
    before = games.states.copy()
    games.play_randomly(3, seed=0)
    games.set_states(before)
    assert (games.states == before).all()
    with pytest.raises(ValueError, match="the state was made with other rules"):
        games.set_states(before[::-1])
    games.play_out(seed=0)
    games.reset(seed=5)
    assert games.states["composition"].sum(1).tolist() == [70, 15]


def test_changed_rules_deal_anew_the_games_that_had_others():
    small = Rules(deck={"Gub": 6, "Lure": 6, "Letter G": 1, "Letter U": 1, "Letter B": 1})
    games = vector_env(3, rules=[Rules(), small, Rules()], seed=3)
    games.play_randomly(3, seed=0)
    before = games.states.copy()
    assert games.set_rules([Rules(), Rules(), small]).tolist() == [False, True, True]
    assert games.states[0] == before[0]
    assert games.states["composition"].sum(1).tolist() == [70, 70, 15]
    games.play_randomly(2000, seed=1)
    assert games.states["composition"].sum(1).tolist() == [70, 70, 15]
    assert games.set_rules(small).tolist() == [True, True, False]
    with pytest.raises(ValueError, match="rules for 2 games: give one for all, or 3 in a list"):
        games.set_rules([small, small])
    assert games.set_rules(small).tolist() == [False, False, False]


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ([Rules()], "rules for 1 games: give one for all, or 2 in a list"),
        ([Rules(), {"ask": 1}], "no option ask"),
    ],
)
def test_wrong_lists_of_rules_are_refused(rules, said):
    with pytest.raises(ValueError, match=said):
        vector_env(2, rules=rules)


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_threads_change_nothing(threads):
    one, many = (vector_env(50, num_players=3, seed=1, threads=t) for t in (1, threads))
    rng = np.random.default_rng(0)
    for _ in range(300):
        actions = random_actions(one.masks, rng)
        for ours, theirs in zip(one.step(actions), many.step(actions), strict=True):
            assert (ours == theirs).all()
    one.play_randomly(200, seed=3)
    many.play_randomly(200, seed=3)
    assert (one.states == many.states).all()
    many.close()


def test_in_a_game_that_waits_nothing_ends():
    games = vector_env(2, seed=5, autoreset=False)
    while not games.dones[0]:
        games.step(np.where(games.masks.any(1), games.masks.argmax(1), LOOK))
    games.rewards[0] = 1, -1  # as if somebody had won
    games.step(np.array([WAIT, LOOK]))
    assert not games.dones[0]
    assert not games.rewards[0].any()


def test_a_game_that_waits_keeps_its_arrays_while_the_others_go_on():
    waiting, alone, fresh = (vector_env(3, seed=5) for _ in range(3))
    waiting.observations[1] = 77
    for _ in range(20):
        actions = alone.masks.argmax(1)
        waiting.step(np.where([True, False, True], actions, WAIT))
        alone.step(actions)
        assert (waiting.observations[1] == 77).all()
        for row in (0, 2):
            assert (waiting.observations[row] == alone.observations[row]).all()
            assert (waiting.masks[row] == alone.masks[row]).all()
    waiting.look([1])
    assert (waiting.observations[1] == fresh.observations[1]).all()
    assert (waiting.masks[1] == fresh.masks[1]).all()
    waiting.deal(0, seed=5)
    waiting.look([1])
    assert (waiting.masks[0] == vector_env(3, seed=5).masks[0]).all(), "a dealt game is shown too"
    with pytest.raises(ValueError, match=r"indices: .* allowed are 0 to 2"):
        waiting.look([3])


@sizes
def test_skipping_forced_decisions_plays_the_same_games(num_players):
    """Answering forced decisions at once gives the same games as skipping them."""
    asked = vector_env(30, num_players=num_players, seed=2)
    skipping = vector_env(30, num_players=num_players, seed=2, skip_forced=True)
    rng = np.random.default_rng(0)
    for _ in range(300):
        forced = asked.masks.sum(1) == 1
        while forced.any():
            asked.step(np.where(forced, asked.masks.argmax(1), LOOK))
            forced = asked.masks.sum(1) == 1
        assert (asked.masks == skipping.masks).all()
        assert (asked.observations == skipping.observations).all()
        assert (asked.actors == skipping.actors).all()
        assert (skipping.masks.sum(1) > 1).all()
        actions = random_actions(asked.masks, rng)
        asked.step(actions)
        skipping.step(actions)


def test_without_autoreset_a_game_stays_as_it_ended():
    games = vector_env(20, seed=3, autoreset=False)
    rng = np.random.default_rng(0)
    paid = np.zeros(20, int)
    while (games.actors >= 0).any():
        over = games.actors < 0
        games.step(np.where(over, LOOK, random_actions(games.masks, rng)))
        paid += games.dones
        assert not games.dones[over].any()
        assert not games.rewards[~games.dones].any()
    assert (paid == 1).all()
    assert not games.masks.any()
    games.deal(4)
    games.look()
    assert games.masks[4].any()
    assert games.actors[4] == 0


def test_the_arrays_are_reused_unless_copies_are_asked_for():
    reused, copied = vector_env(4, seed=0), vector_env(4, seed=0, copy=True)
    first = reused.step(np.ones(4, int))[0]
    assert reused.step(reused.masks.argmax(1))[0] is first
    first = copied.step(np.ones(4, int))[0]
    kept = first.copy()
    copied.step(copied.masks.argmax(1))
    assert (first == kept).all()


def test_a_reset_with_a_seed_deals_the_same_games_again():
    games = vector_env(10, seed=5, copy=True)
    first = games.reset(seed=9)[0]
    games.play_randomly(50)
    assert (games.reset()[0] != first).any()
    assert (games.reset(seed=9)[0] == first).all()


def test_random_play_follows_its_seed():
    runs = [vector_env(10, seed=5, copy=True).play_randomly(100, seed=s)[0] for s in (1, 1, 2)]
    assert (runs[0] == runs[1]).all()
    assert (runs[0] != runs[2]).any()


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        (np.ones(3, int), r"shape \(4,\), not int64 of shape \(3,\)"),
        (np.ones((4, 1), int), r"of shape \(4, 1\)"),
        (np.ones(4), "not float64"),
        (np.ones(4, bool), "not bool"),
        (
            np.array([1, 1, 40, 40]),
            r"game 2: action 40 is not legal; .* PASS, DECK; so it is in 1 more",
        ),
        (np.array([1, 64, 1, 1]), "game 1: action 64 is not legal"),
        (np.array([1, 1, 1, -2]), "game 3: action -2 is not legal"),
    ],
)
def test_bad_actions_are_refused_and_no_game_changes(actions, said):
    games = vector_env(4, seed=0)
    before = games.states.copy()
    with pytest.raises(ValueError, match=said):
        games.step(actions)
    assert (games.states == before).all()


def test_an_action_for_a_game_that_is_over_is_refused():
    games = vector_env(1, seed=0, autoreset=False)
    while games.actors[0] >= 0:
        games.step(games.masks.argmax(1) if not games.masks[0, 1] else np.array([1]))
    with pytest.raises(ValueError, match="none, the game is over"):
        games.step(np.array([0]))


def test_bad_sizes_and_steps_after_close_are_errors():
    for options in ({"num_envs": 0}, {"num_envs": 4, "threads": 0}):
        with pytest.raises(ValueError, match="must be at least 1"):
            vector_env(**options)
    with pytest.raises(ValueError, match="2 to 6 players"):
        vector_env(4, num_players=9)
    games = vector_env(4, seed=0)
    games.close()
    with pytest.raises(RuntimeError, match="closed"):
        games.step(np.ones(4, int))


@pytest.mark.parametrize(
    "game", [fubnub_v0.GAME, bad_bad_turtle_v0.GAME], ids=lambda game: game.name
)
def test_a_batch_shows_which_games_were_cut_off(game):
    env = VectorEnv(Table(game, rules={"max_cycles": 60}), 200, seed=1)
    ended, cut_off = 0, 0
    for _ in range(90):
        _, _, rewards, dones, truncations, _ = env.play_randomly(1)
        assert dones is env.dones
        assert truncations is env.truncations
        assert rewards is env.rewards
        assert (env.dones >= env.truncations).all()
        assert (env.rewards[env.truncations] == 0).all()
        assert (env.rewards[env.dones & ~env.truncations] != 0).all()
        ended, cut_off = ended + env.dones.sum(), cut_off + env.truncations.sum()
    assert ended >= cut_off > 0
