"""What holds for every game: search, arena and self-play know none of them by name."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("choix", reason="the arena extra is not installed")
pytest.importorskip("stable_baselines3", reason="the train extra is not installed")

import gubs_agents
from gubs_agents import arena, search
from gubs_agents.arena import play, report, win_rate
from gubs_agents.arena.__main__ import main
from gubs_agents.arena.playing import win_shares
from gubs_agents.arena.seatings import seatings_of_deal
from gubs_agents.fubnub import HORIZON
from gubs_agents.network import Weights, save
from gubs_agents.parsing import parse_rules
from gubs_agents.perceptron import NO_PERCEPTRON, make_perceptron
from gubs_agents.search import ISMCTS, MonteCarlo
from gubs_env import GAMES, bad_bad_turtle_v0, find_game, fubnub_v0
from gubs_env.api.sb3 import LEARNER, SelfPlayVecEnv, win_share
from gubs_env.api.vector import VectorEnv
from gubs_env.games.fubnub.rules import MODES
from tests.agents.secrets import answers_as_secrets_change

FUBNUB, TURTLE = fubnub_v0.GAME, bad_bad_turtle_v0.GAME
every_game = pytest.mark.parametrize("game", list(map(find_game, GAMES)), ids=GAMES)
# Of Gubs this is tested at length elsewhere.
other_games = pytest.mark.parametrize("game", [FUBNUB, TURTLE], ids=lambda game: game.name)
both_kinds = pytest.mark.parametrize("kind", [MonteCarlo, ISMCTS])


def zero_network(game, num_players, value):
    """A network that likes all actions alike and values every position so."""
    sizes = [len(game.observation_highs(num_players)), 8, game.num_actions(num_players)]
    layers = [(np.zeros((b, a), np.float32), np.zeros(b, np.float32)) for a, b in pairwise(sizes)]
    return Weights(layers, (np.zeros((1, 8), np.float32), np.full(1, value, np.float32)))


def games_under_way(game, rules=None, count=24):
    env = VectorEnv(game, count, game.players, rules, seed=6)
    env.play_randomly(25, seed=6)
    return env


class Steady:
    """Plays the first legal action."""

    def __init__(self, num_players=0, seed=0):
        pass

    def act(self, observations, masks, rngs=None):
        return masks.argmax(axis=1)


# ------------------------------------------------------------------------------------------ search


@other_games
@both_kinds
def test_a_search_plays_legal_actions_to_the_end(game, kind):
    """`play` refuses every other."""
    searching = kind(game.players, 0, playouts=8, game=game)
    seating = [searching] + [gubs_agents.make("random", game.players, 1)] * (game.players - 1)
    assert play(game, seating, deals=2, seed=1).shape == (2, game.players)


@other_games
@both_kinds
def test_a_search_does_the_same_whatever_it_cannot_know(game, kind):
    """Every secret is drawn anew; with the same chance of its own the search answers the same."""
    env = games_under_way(game)
    searching = kind(game.players, 0, playouts=40, game=game)
    answers = answers_as_secrets_change(env, searching)
    assert answers[0] == answers[1] == answers[2]


@other_games
def test_a_search_with_a_network_stops_at_its_horizon(game, tmp_path):
    path = tmp_path / "network.safetensors"
    save(path, zero_network(game, game.players, 0.5), game, game.players)
    views = games_under_way(game, count=4).views(np.arange(4))
    runs = [
        ISMCTS(game.players, 3, playouts=20, weights=str(path), game=game).search(views)
        for _ in range(2)
    ]
    assert (runs[0] == runs[1]).all()


def test_with_a_network_that_has_no_value_a_search_counts_the_lead(tmp_path):
    path = tmp_path / "network.safetensors"
    policy = zero_network(FUBNUB, 4, 0.0).policy
    save(path, Weights(policy), FUBNUB, 4)
    searching = MonteCarlo(4, 3, playouts=40, weights=str(path), game="fubnub")
    assert (searching.settings.horizon, searching.settings.margin) == (HORIZON, 0.25)
    assert len(searching.search(games_under_way(FUBNUB, count=4).views(np.arange(4)))) == 4


@pytest.fixture(scope="module")
def write_guess():
    return search.templates.specialise(FUBNUB.name, search.placeholders_of(FUBNUB))["write_guess"]


@pytest.mark.parametrize(
    ("mode", "num_players", "expected"),
    [
        ("team", 4, [-0.6, 0.6, -0.6, 0.6]),
        ("royal", 4, [-0.2, 0.6, -0.2, -0.2]),
        ("royal", 2, [-0.6, 0.6]),
        ("ghost", 3, [-0.6, 0.6, -0.6]),
        ("ghost_royal", 2, [-0.2, 0.6]),
        ("ghost", 1, [0.6]),
    ],
)
def test_partners_share_what_a_network_expects_and_the_others_pay(
    mode, num_players, expected, write_guess
):
    """Ghosts pay their part, as they do in the game."""
    env = VectorEnv(FUBNUB, 1, num_players, fubnub_v0.Rules(mode=mode), seed=0)
    network = make_perceptron(zero_network(FUBNUB, num_players, 0.6))
    player, worth = min(1, num_players - 1), np.zeros((2, num_players), np.float32)
    observation = env.observations[0].copy()
    write_guess(env.states[0], player, env.masks[0], observation, network, 0.25, worth)
    assert worth[0].tolist() == pytest.approx(expected)


def test_without_a_network_a_game_under_way_is_worth_its_lead(write_guess):
    env = VectorEnv(FUBNUB, 1, 4, seed=0)
    env.states["owned"][0, 0, :3] = 1  # the pile of seats 0 and 2
    worth, observation = np.zeros((2, 4), np.float32), env.observations[0].copy()
    write_guess(env.states[0], 1, env.masks[0], observation, NO_PERCEPTRON, 0.25, worth)
    assert worth[0].tolist() == [0.75, -0.75, 0.75, -0.75]


def test_views_of_another_table_are_refused():
    views = games_under_way(FUBNUB, count=2).views(np.arange(2))
    with pytest.raises(ValueError, match=r"views of \[4\] players; this searches for 2"):
        MonteCarlo(2, game="fubnub").search(views)


def test_a_playout_policy_that_a_game_lacks_is_an_error():
    with pytest.raises(ValueError, match=r"policy='best': allowed for fubnub_v0 are \["):
        MonteCarlo(4, policy="best", game="fubnub")


def test_searching_is_the_same_compiled_and_not():
    script = (
        "import numpy as np, agents\n"
        "from gubs_env import fubnub_v0\n"
        "rules = fubnub_v0.Rules(mode='royal', num_points=1)\n"
        "env = fubnub_v0.vector_env(2, num_players=2, rules=rules, seed=3)\n"
        "env.play_randomly(2, seed=0)\n"
        "search = gubs_agents.make('ismcts', 2, 0, 'fubnub', playouts=9, policy='random')\n"
        "print(search.search(env.views(np.arange(2))))"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert said[0] == said[1] != ""


# ------------------------------------------------------------------------------ agents by the game


@every_game
def test_each_game_names_its_agents(game):
    names = gubs_agents.names(game)
    assert {"random", "montecarlo", "ismcts", "policy"} <= set(names)
    assert all(names.values())
    with pytest.raises(ValueError, match=f"called 'genius' in {game.name}: there are"):
        gubs_agents.make("genius", game=game)


def test_a_game_that_there_is_not_is_an_error():
    with pytest.raises(ValueError, match="no game is called 'chess': there are"):
        gubs_agents.make("random", game="chess")


# ----------------------------------------------------------------------------------------- partners


@pytest.mark.parametrize("mode", MODES)
def test_sides_are_said_alike_before_the_game_and_in_it(mode):
    rules = fubnub_v0.Rules(mode=mode)
    for num_players in MODES[mode].players:
        row = FUBNUB.new_states(1, num_players, rules)[0]
        in_game = [int(FUBNUB.mechanics.side_of(row, p)) for p in range(num_players)]
        sides = FUBNUB.sides(num_players, rules)
        assert (np.equal.outer(in_game, in_game) == np.equal.outer(sides, sides)).all()
        assert set(sides) == set(range(sides.max() + 1))
        assert len(set(in_game)) <= FUBNUB.mechanics.num_sides(row) >= 2


def test_an_entrant_plays_a_whole_team():
    sides = FUBNUB.sides(4, fubnub_v0.Rules())
    seatings = seatings_of_deal(3, sides, 0)
    assert sorted(seatings.tolist()) == [
        [0, 1, 0, 1], [0, 2, 0, 2], [1, 0, 1, 0], [1, 2, 1, 2], [2, 0, 2, 0], [2, 1, 2, 1],
    ]  # fmt: skip


def test_a_win_is_shared_by_sides_and_not_by_partners():
    teams, alone = np.array([0, 1, 0, 1]), np.arange(4)
    assert win_shares([(0, 2), ()], teams).tolist() == [[1, 0], [0, 0]]
    assert win_shares([(0, 2), (3,)], alone).tolist() == [[0.5, 0, 0.5, 0], [0, 0, 0, 1]]


@pytest.mark.parametrize(
    ("payoffs", "sides", "expected"),
    [
        ([1, -1, 1, -1], [0, 1, 0, 1], [1, 0]),
        ([0, 0, 0, 0], [0, 1, 0, 1], [0.5, 0.5]),
        ([-1, 1, -1], [0, 1, 2], [0, 1, 0]),
        ([0.25, 0.25, -0.5], [0, 1, 2], [0.5, 0.5, 0]),
        ([-1, -1], [0, 1], [0, 0]),
    ],
)
def test_payoffs_tell_the_shares_of_the_win(payoffs, sides, expected):
    shares = [win_share(np.array(payoffs), np.array(sides), side) for side in range(len(expected))]
    assert shares == expected


@pytest.fixture(scope="module")
def team_tournament():
    return arena.tournament({"steady": Steady, "random": "random"}, "fubnub", deals=40)


def test_a_tournament_of_teams_counts_a_team_as_one_player(team_tournament):
    games, numbers = team_tournament.games, team_tournament.numbers
    assert games.seatings.shape == (80, 2)
    assert np.isin(games.shares.sum(1), (0, 1)).all()
    assert (games.payoffs.sum(1) == 0).all()
    decided = games.shares.sum(1) == 1
    assert ((games.shares == 1) == (games.payoffs == 1))[decided].all()
    assert (numbers.win.value == numbers.share.value).all()
    assert (numbers.margin.value == -numbers.margin.value[::-1]).all()


def test_the_report_of_a_tournament_of_teams_names_them(team_tournament):
    text = report.markdown(team_tournament)
    assert "fubnub_v0, 4 players in 2 teams" in text
    assert "each played in 1 match, every two agents in both seatings" in text
    assert "| payoff of | seat 0 + 2 | seat 1 + 3 |" in text


def test_win_rates_of_teams_are_over_both_sides_of_each_deal():
    result = win_rate(FUBNUB, Steady(), Steady(), 4, deals=30)
    assert result.games == 60
    assert result.rate == result.low == result.high == 0.5


def test_alone_against_ghosts_there_is_a_win_rate_but_no_tournament():
    rules = fubnub_v0.Rules(mode="ghost", num_points=5)
    uniform = gubs_agents.make("random", 1, 0)
    assert 0 < win_rate(FUBNUB, uniform, uniform, 1, deals=50, rules=rules).rate < 1
    with pytest.raises(ValueError, match="num_players=1: a tournament needs two sides"):
        arena.tournament("random,policy", "fubnub", 1, deals=2, rules=rules)


def test_rules_are_named_on_the_command_line(tmp_path, capsys):
    command = ["--game", "fubnub", "--agents", "random,montecarlo:playouts=2", "--deals", "2"]
    main([*command, "--rules", "mode=royal+num_points=1", "--out", str(tmp_path)])
    header, records = arena.load(tmp_path / "games.jsonl")
    assert (header["players"], header["rules"]["mode"]) == (4, "royal")
    assert all(arena.replay(header, r).payoffs == r["payoffs"] for r in records)
    for rules, message in (
        ("mood=royal", "the rules of fubnub_v0 have no option mood: there are mode, "),
        ("mode=chess", "rules option mode='chess': allowed are"),
        ("royal", "'royal' is not an option, write option=value"),
    ):
        with pytest.raises(SystemExit, match=message):
            main([*command, "--rules", rules, "--out", str(tmp_path / "none")])


def test_rules_from_text_have_the_types_they_need():
    rules = parse_rules("younger=True+removed=Skip,Peek+max_cycles=50", TURTLE)
    assert (rules.younger, sorted(rules.removed), rules.max_cycles) == (True, ["Peek", "Skip"], 50)


# ------------------------------------------------------------------------------ batches, self-play


@other_games
def test_a_batch_shows_which_games_were_cut_off(game):
    env = VectorEnv(game, 200, game.players, game.rules(max_cycles=60), seed=1)
    ended, cut_off = 0, 0
    for _ in range(90):
        env.play_randomly(1)
        assert (env.dones >= env.truncations).all()
        assert (env.rewards[env.truncations] == 0).all()
        assert (env.rewards[env.dones & ~env.truncations] != 0).all()
        ended, cut_off = ended + env.dones.sum(), cut_off + env.truncations.sum()
    assert ended >= cut_off > 0


def test_the_learner_holds_one_seat_its_partner_the_other_of_the_team():
    opponents = {name: gubs_agents.make("random", 4, 0) for name in ("one", "two", "partner")}
    chances = {"one": 0.5, "two": 0.5, "partner": 0.0}
    rules = fubnub_v0.Rules(num_points=1, max_cycles=150)
    env = SelfPlayVecEnv(
        FUBNUB, 20, opponents, chances, "partner", num_players=4, rules=rules, seed=2
    )
    env.reset()
    finished, rng = [], np.random.default_rng(0)
    for _ in range(400):
        assert ((env.seating == LEARNER).sum(1) == 1).all()
        for seats in env.seating.tolist():
            own = seats.index(LEARNER)
            assert env.labels[seats[own - 2]] == "partner"
            assert seats[own - 1] == seats[own - 3]
        masks = env.action_masks()
        _, rewards, dones, infos = env.step(np.where(masks, rng.random(masks.shape), -1).argmax(1))
        finished += [(rewards[index], infos[index]) for index in np.flatnonzero(dones)]
    for reward, info in finished:
        assert info["opponents"] in (["one"] * 2, ["two"] * 2)
        assert info["win_share"] == (reward + 1) / 2
        assert not info["TimeLimit.truncated"] or reward == 0
    assert {info["win_share"] for _, info in finished} >= {0, 1}
