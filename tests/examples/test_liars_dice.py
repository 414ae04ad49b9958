"""Liar's Dice: bids, calls and the wild face; the known answers; and what is supplied."""

from __future__ import annotations

import re
from typing import Any

import gymnasium
import liars_dice
import numpy as np
import pytest
from liars_dice import GAME
from pettingzoo.test import api_test, parallel_api_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

import gubs_agents
import gubs_env
from gubs_agents.arena import play
from gubs_agents.exploit import WholeGame
from gubs_agents.search.search import ISMCTS
from gubs_env.adapters.solo import SoloGame
from gubs_env.checking.soak import play_chunk
from gubs_env.engine.table import Table
from gubs_env.exact.tree import Tree
from gubs_env.play.dealing import DealOptions
from tests import poker
from tests.language.agents import Reader
from tests.packages import ROOT
from tests.poker.strategies import Uniform

TABLE = Table(GAME)
ACTIONS = TABLE.action_names
LIAR = ACTIONS.index("liar")
FOUR = Table(GAME, rules={"sides": 4})


@pytest.fixture(autouse=True, scope="module")
def registered():
    """Let the game be found by its name, and interpret its rules: that is quicker here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GUBS_ENV_COMPILE", "never")
        patch.setattr(gubs_env.games, "_brought", gubs_env.games._brought)
        poker.register(modules={GAME.name: "liars_dice"})
        yield


def played(dice, *bids):
    """Return a game with these dice, after these bids."""
    env = liars_dice.raw_env()
    env.reset(seed=0)
    state = env.state().copy()
    state["die"] = dice
    state["actor"] = 0
    env.set_state(state)
    for bid in bids:
        env.step(ACTIONS.index(bid))
    return env


def legal(env):
    return [ACTIONS[action] for action in GAME.legal_actions(env.view(env.agent_selection))]


def test_somebody_bids_first_and_the_last_word_is_liar():
    assert legal(played((1, 2))) == list(ACTIONS[:LIAR])
    assert legal(played((1, 2), "2 x 6")) == ["liar"]


def test_a_bid_has_more_dice_or_a_higher_face():
    assert legal(played((1, 2), "1 x 5")) == ["1 x 6", *ACTIONS[6:LIAR], "liar"]
    assert legal(played((1, 2), "1 x 2", "2 x 4")) == ["2 x 5", "2 x 6", "liar"]


@pytest.mark.parametrize(
    ("dice", "bids", "payoffs"),
    [
        ((3, 5), ["1 x 3"], [1, -1]),  # the bidder has it
        ((3, 5), ["1 x 5"], [1, -1]),  # the caller has it
        ((3, 5), ["1 x 4"], [-1, 1]),
        ((3, 5), ["2 x 3"], [-1, 1]),
        ((3, 6), ["2 x 3"], [1, -1]),  # a six is wild
        ((6, 6), ["1 x 1", "2 x 1"], [-1, 1]),
        ((6, 5), ["1 x 6", "2 x 6"], [1, -1]),  # and nothing stands for a six
    ],
)
def test_the_bidder_wins_if_the_dice_show_the_last_bid(dice, bids, payoffs):
    env = played(dice, *bids, "liar")
    assert list(env.rewards.values()) == payoffs


def test_nobody_sees_the_die_of_the_other():
    env = played((3, 5), "1 x 2")
    assert env.view("player_1").state["die"].tolist() == [0, 5]
    assert env.observe("player_1")["observation"][:6].tolist() == [0, 0, 0, 0, 1, 0]


@pytest.fixture(scope="module")
def four():
    return WholeGame(FOUR)


def test_dice_with_four_sides_make_the_tree_that_openspiel_lists(four):
    deals = Tree(FOUR, explicit=True).deals
    assert len(deals) == 16
    # OpenSpiel rolls the dice one after the other: it has 4 more nodes of chance.
    assert (four.nodes, four.information_states) == (8181 - 4, 1024)


def test_uniform_play_is_worth_and_as_exploitable_as_known(four):
    exact = four.best_responses(Uniform())
    assert exact.self_play == pytest.approx((-1 / 64, 1 / 64), abs=1e-12)
    assert exact.nash_conv == pytest.approx(1.3101190476190476, abs=1e-12)


def test_an_equilibrium_is_worth_what_is_known(four):
    found = four.solve(500)
    assert found.value == pytest.approx(0.06241383449283, abs=1e-12)
    assert 0 <= found.gain < 2e-4
    assert abs(found.value - 1 / 16) < found.gain


@pytest.mark.parametrize("sides", [4, 6])
def test_openspiel_has_the_same_game(sides):
    """Both play the same games: the same legal actions, and the same payoffs."""
    pyspiel = pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")
    theirs = pyspiel.load_game(f"liars_dice(players=2,numdice=1,dice_sides={sides})")
    table, rng = Table(GAME, rules={"sides": sides}), np.random.default_rng(sides)
    for _ in range(100):
        dice = rng.integers(1, sides + 1, 2)
        state, node = theirs.new_initial_state(), Tree(table, explicit=True).root()
        for die in dice:
            state.apply_action(int(die) - 1)
        ours = [node.after(number) for number in range(len(node.outcomes))]
        ours = next(each for each in ours if each.states["die"][0].tolist() == dice.tolist())
        while not state.is_terminal():
            assert ours.seat == state.current_player()
            assert ours.legal == state.legal_actions()
            action = int(rng.choice(ours.legal))
            state.apply_action(action)
            ours = ours.after(action)
        assert ours.returns == state.returns()


def test_openspiel_knows_it():
    pyspiel = pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")
    pytest.importorskip("gubs_env.adapters.openspiel").register(GAME)
    game = pyspiel.load_game("gubs_env_liars_dice(chance=explicit,sides=5)")
    assert len(game.new_initial_state().chance_outcomes()) == 25
    assert game.num_distinct_actions() == 11


@pytest.mark.parametrize("number", range(3))
def test_a_soak_finds_nothing(number):
    assert play_chunk(GAME, number, True, 64).violations == []


def test_a_soak_draws_the_sides_too():
    drawn = {
        Table(GAME, *GAME.sample_table(np.random.default_rng(n))).rules.sides for n in range(9)
    }
    assert len(drawn) > 3


def test_an_option_decides_how_many_actions_and_entries_there_are():
    env = liars_dice.env(rules={"sides": 4})
    assert env.action_space("player_0").n == 9
    env.reset(seed=0)
    assert env.observe("player_0")["observation"].shape == (4 + 8 + 1,)
    assert (FOUR.name, TABLE.name) == ("liars_dice_v0_2_4", "liars_dice_v0_2")
    with pytest.raises(ValueError, match=r"sides=13: Liar's Dice takes 2 to 12"):
        Table(GAME, rules={"sides": 13})


def test_states_of_other_sides_are_refused():
    """Their arrays would be too short."""
    six = played((1, 2), "2 x 6").state()
    env = liars_dice.raw_env(rules={"sides": 4})
    with pytest.raises(ValueError, match="its sides is 6, that of the environment 4"):
        env.set_state(six)
    games = liars_dice.vector_env(2, rules={"sides": 4}, seed=0)
    with pytest.raises(ValueError, match="its sides is 6, that of the environment 4"):
        games.determinize(np.array([played((1, 2)).view("player_0").state]), seed=0)
    with pytest.raises(ValueError, match="options sides of 4, 6 in one environment"):
        games.set_rules({"sides": 6})
    assert games.masks.shape == (2, 9)
    with pytest.raises(ValueError, match="options sides of 4, 6 in one environment"):
        gubs_env.VectorEnv([FOUR, TABLE], 2)


@pytest.mark.filterwarnings("ignore:Observation")
def test_it_is_an_environment_of_pettingzoo_and_gymnasium():
    api_test(liars_dice.env(), num_cycles=100)
    parallel_api_test(turn_based_aec_to_parallel(liars_dice.env()), num_cycles=50)
    single = gymnasium.make("gubs_env/LiarsDice-v0", opponents="random")
    assert single.reset(seed=0)[1]["action_mask"].shape == (13,)
    many = gymnasium.make_vec("gubs_env/LiarsDice-v0", num_envs=4, opponents="random")
    assert many.reset(seed=0)[0].shape == (4, 19)


def test_many_games_are_played_as_one_is():
    games, env = liars_dice.vector_env(4, seed=5), liars_dice.raw_env()
    env.set_state(games.states[0].copy())
    while not env.terminations["player_0"]:
        env.step(int(games.masks[0].nonzero()[0][-1]))
        payoffs = games.step(12 - games.masks[:, ::-1].argmax(axis=1))[2]
    assert payoffs[0].tolist() == list(env.rewards.values())


def test_a_game_is_recorded_and_replayed(tmp_path):
    path = gubs_env.record(tmp_path / "games.jsonl", "random", TABLE, games=3, seed=5)
    records = list(gubs_env.read_records(path))
    assert [record.actions[-1] for record in records] == [LIAR] * 3
    assert "Liar&#x27;s Dice: Ada, Bo, beginner" in gubs_env.replay(records[0]).html


def test_a_table_tells_the_bids_and_the_own_die():
    view = played((3, 5), "1 x 2", "1 x 6").view("player_0")
    told = GAME.describe(view)
    assert "die: 3" in told
    assert "die: hidden" in told
    assert "said: 1 x 2, 1 x 6" in told
    texts = GAME.move_texts(view, [[action] for action in GAME.legal_actions(view)])
    assert [text.lower() for text in texts][-2:] == ["2 x 6", "liar"]


def test_it_is_played_in_words(tmp_path):
    reader = Reader()
    path = gubs_env.record(tmp_path / "games.jsonl", [reader, "random"], TABLE, games=5, seed=1)
    assert all(record.outcome and not record.forfeits for record in gubs_env.read_records(path))
    assert "- player_0: 1 x " in "".join(map(str, reader.prompts))
    game = SoloGame(DealOptions(game="liars_dice", seed=3), "random")
    while not game.is_over:
        assert "die: hidden" in game.situation()
        game.play(game.moves()[-1])
    assert game.payoff in (-1, 1)


def test_search_plays_it():
    agents = [ISMCTS(TABLE, seed=0, playouts=20), gubs_agents.make("random", TABLE, seed=0)]
    payoffs = play(agents, TABLE, deals=20)
    assert payoffs.sum() == 0
    assert payoffs[:, 0].mean() > 0


def test_the_page_says_what_its_code_does():
    page = (ROOT / "docs" / "examples" / "liars_dice.md").read_text("utf-8")
    making, legal, solving = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    source = (ROOT / "examples" / "liars_dice" / "liars_dice.py").read_text("utf-8")
    assert legal in source
    assert making in source
    values: dict[str, Any] = {}
    exec(solving, values)
    assert values["whole"].information_states == 1024
    assert f"uniform.nash_conv  # {values['uniform'].nash_conv:.6f}" in page
