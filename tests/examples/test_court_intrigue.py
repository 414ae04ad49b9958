"""Court intrigue: claims, challenges and blocks out of turn, players who are out, payoffs that do
not sum to zero; and all that is supplied for a game of one's own."""

from __future__ import annotations

import re

import court_intrigue
import gymnasium
import numpy as np
import pytest
from court_intrigue import ACTIONS, COPIES, FIGURES, GAME, KINDS, PRIZE, TURNS
from pettingzoo.test import api_test, parallel_api_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

import gubs_agents
import gubs_env
from gubs_agents.arena import play
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.table import Table
from tests import poker
from tests.packages import ROOT, install, run

TABLE = Table(GAME)
HANDS = ("Steward Guard", "Thief Physician", "Poisoner Poisoner")


@pytest.fixture(autouse=True, scope="module")
def registered():
    """Let the game be found by its name, and interpret its rules: that is quicker here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GUBS_ENV_COMPILE", "never")
        patch.setattr(gubs_env.games, "_brought", gubs_env.games._brought)
        poker.register(modules={GAME.name: "court_intrigue"})
        yield


def started(*said, hands=HANDS, past_turns=0, **fields):
    """Return a game with these hands, after some actions; other fields are those given."""
    env = court_intrigue.raw_env(num_players=len(hands))
    env.reset(seed=0)
    state = env.state().copy()
    for player, hand in enumerate(hands):
        state["hand"][player] = [hand.split().count(figure) for figure in FIGURES]
        state["cards"][player] = len(hand.split())
    state["past_turns"] = past_turns
    for name, values in fields.items():
        state[name][: len(values)] = values
    env.set_state(state)
    for action in said:
        env.step(ACTIONS.index(action.upper().replace(" ", "_")))
    return env


def choices(env):
    legal = GAME.legal_actions(env.view(env.agent_selection))
    return {ACTIONS[action].lower().replace("_", " ") for action in legal}


def coins(env):
    return env.state()["coins"][: env.num_players].tolist()


def gone(env):
    return {figure: int(n) for figure, n in zip(FIGURES, env.state()["gone"], strict=True) if n}


# ------------------------------------------------------------------------------------------- rules


def test_the_others_are_asked_about_a_claim_in_turn_and_then_the_deed_is_done():
    env = started("tax")
    assert env.agent_selection == "player_1"
    assert choices(env) == {"allow", "challenge"}
    env = started("tax", "allow")
    assert (env.agent_selection, coins(env)) == ("player_2", [2, 2, 2])
    env = started("tax", "allow", "allow")
    assert (env.agent_selection, coins(env)) == ("player_1", [5, 2, 2])


def test_who_lied_loses_a_card_of_their_choice_and_the_deed_is_off():
    env = started("rob next", "allow", "challenge")
    assert env.agent_selection == "player_0"
    assert choices(env) == {"lose steward", "lose guard"}
    env = started("rob next", "allow", "challenge", "lose guard")
    assert (gone(env), coins(env)) == ({"Guard": 1}, [2, 2, 2])
    assert env.state()["lacks"][0].tolist() == [0, 1, 0, 0, 0]
    assert (env.agent_selection, env.state()["deed"]) == ("player_1", 0)


def test_who_challenges_the_truth_loses_a_card_and_the_proof_is_replaced():
    env = started("tax", "allow", "challenge")
    assert env.agent_selection == "player_2"
    assert (gone(env), env.state()["hand"][0].sum()) == ({"Steward": 1}, 2)
    env = started("tax", "allow", "challenge", "lose poisoner")
    assert gone(env) == {"Steward": 1, "Poisoner": 1}
    assert (env.agent_selection, coins(env)) == ("player_1", [5, 2, 2])


def test_only_the_victim_blocks_and_the_block_stands_if_nobody_challenges_it():
    robbed = ("income", "rob second")
    assert choices(started(*robbed)) == {"allow", "challenge"}
    assert choices(started(*robbed, "allow")) == {"allow", "challenge", "block"}
    env = started(*robbed, "allow", "block")
    assert (env.agent_selection, choices(env)) == ("player_1", {"allow", "challenge"})
    env = started(*robbed, "allow", "block", "allow", "allow")
    assert (env.agent_selection, coins(env)) == ("player_2", [3, 2, 2])


@pytest.mark.parametrize(
    ("hands", "loser", "coins_after"),
    [(HANDS, "player_1", [3, 2, 2]), (("Thief Thief", *HANDS[1:]), "player_0", [1, 4, 2])],
    ids=["true", "lie"],
)
def test_a_challenged_block_stands_if_it_was_true_or_else_the_deed_is_done(
    hands, loser, coins_after
):
    env = started("income", "rob second", "allow", "block", "challenge", hands=hands)
    assert env.agent_selection == loser
    env.step(min(GAME.legal_actions(env.view(loser))))
    assert (env.agent_selection, coins(env)) == ("player_2", coins_after)


def test_a_lie_against_poison_costs_both_cards():
    said = ("poison next", "block", "allow", "challenge", "lose thief", "lose thief")
    env = started(*said, hands=("Poisoner Guard", "Thief Thief", "Guard Guard"), coins=[3, 2, 2])
    assert env.state()["cards"].tolist() == [2, 0, 2, 0]
    assert (env.agent_selection, coins(env)) == ("player_2", [0, 2, 2])
    assert "rob next" in choices(env)
    assert "rob second" not in choices(env)  # player_1 is out


def test_deeds_cost_coins_and_with_ten_coins_a_player_must_denounce():
    free = {"income", "tax", "rob next", "rob second"}
    poison, denounce = {"poison next", "poison second"}, {"denounce next", "denounce second"}
    assert choices(started(coins=[2])) == free
    assert choices(started(coins=[3])) == free | poison
    assert choices(started(coins=[7])) == free | poison | denounce
    assert choices(started(coins=[10])) == denounce
    assert started("denounce second", coins=[10]).agent_selection == "player_2"


def test_those_who_are_left_share_the_prize_and_keep_their_coins():
    last = {"hands": ("Thief", "Guard", "Guard"), "gone": [3, 0, 0, 0, 0], "coins": [9, 5, 4]}
    ended = started("income", past_turns=TURNS - 1, **last)
    assert list(ended.rewards.values()) == [PRIZE // 3 + 10, PRIZE // 3 + 5, PRIZE // 3 + 4]
    alone = ("denounce next", "lose guard", "rob next", "challenge", "lose guard")
    ended = started(*alone, **last)
    assert list(ended.rewards.values()) == [PRIZE + 2, 0, 0]


def hands_drawn(env, draws):
    """Return the cards of each player, summed over states drawn for the player to decide."""
    view, total, rng = env.view(env.agent_selection).state, np.zeros((4, KINDS)), seed_rng(1)
    for _ in range(draws):
        drawn = view.copy().reshape(1)
        GAME.kernel.determinize(drawn, 0, rng)
        assert (drawn["hand"][0].sum(axis=1) == view["cards"]).all()
        total += drawn["hand"][0]
    return total


@pytest.mark.parametrize(
    ("said", "liar"),
    [
        ((), None),
        (("tax", "challenge", "lose physician", "income"), None),
        (("rob next", "challenge", "lose guard"), 0),
    ],
    ids=["at the start", "after a proof", "after a lie"],
)
def test_hidden_cards_are_drawn_as_often_as_they_are_in_the_deck(said, liar):
    env = started(*said, hands=(*HANDS, "Thief Guard"))
    state = env.state()
    viewer, draws = int(state["actor"]), 1000
    unseen = COPIES - state["gone"] - state["hand"][viewer]
    of_liar = unseen * (1 - state["lacks"][liar or 0])  # one card is left to them
    share = of_liar / of_liar.sum()
    total = hands_drawn(env, draws)
    for seat in set(range(4)) - {viewer}:
        others = (unseen - share) / (unseen.sum() - 1)
        expected = draws * state["cards"][seat] * (share if seat == liar else others)
        assert (abs(total[seat] - expected) < 5 * np.sqrt(expected + 1)).all()
    if liar is not None:
        assert total[liar, FIGURES.index("Thief")] == 0


# ------------------------------------------------------------------------------- what is supplied


@pytest.mark.filterwarnings("ignore:Observation")
def test_it_is_an_environment_of_pettingzoo_and_gymnasium():
    api_test(court_intrigue.env(num_players=4), num_cycles=100)
    parallel_api_test(turn_based_aec_to_parallel(court_intrigue.env()), num_cycles=50)
    single = gymnasium.make("gubs_env/CourtIntrigue-v0", opponents="random")
    assert single.reset(seed=0)[1]["action_mask"].shape == (len(ACTIONS),)
    many = gymnasium.make_vec("gubs_env/CourtIntrigue-v0", num_envs=4, opponents="random")
    assert many.reset(seed=0)[0].shape == (4, TABLE.observation_size)


def test_many_games_are_played_as_one_is():
    games, env = court_intrigue.vector_env(4, seed=5), court_intrigue.raw_env()
    env.reset(seed=0)
    env.set_state(games.states[0].copy())
    while not env.terminations["player_0"]:
        env.step(int(games.masks[0].argmax()))
        payoffs = games.step(games.masks.argmax(1))[2]
    assert payoffs[0].tolist() == list(env.rewards.values())


def test_a_game_is_recorded_and_replayed(tmp_path):
    path = gubs_env.record(tmp_path / "games.jsonl", "random", TABLE, games=6)
    games = list(gubs_env.read_records(path))
    assert len({sum(game.outcome.payoffs) for game in games}) > 1
    assert "Court intrigue: Ada, Bo, Cleo, beginner" in gubs_env.replay(games[0]).html


def test_table_and_question_are_told_without_the_cards_of_the_others():
    told = GAME.describe(started("rob next", "allow").view("player_0"))
    for words in ("Steward 1, Guard 1", "deed: rob   victim: 1   stage: claim", "Waiting for"):
        assert words in told
    assert not any(figure in told for figure in ("Thief", "Physician", "Poisoner"))
    assert "You: allow or challenge or block" in GAME.describe(started("rob next").view("player_1"))


def test_search_plays_it():
    search = gubs_agents.make("ismcts", TABLE, seed=0, playouts=20)
    uniform = gubs_agents.make("random", TABLE, seed=0)
    payoffs = play([search, uniform, uniform], TABLE, deals=2)
    assert (payoffs >= 0).all()
    assert (payoffs.sum(axis=1) >= PRIZE).all()  # the prize, and the coins of those who are left


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder in which the package is installed."""
    return install(ROOT / "examples" / "court_intrigue", tmp_path_factory.mktemp("site"))


def test_openspiel_takes_it_as_a_game_of_general_sum(site, tmp_path):
    pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")
    script = """
import gubs_env.adapters.openspiel
import pyspiel
print(pyspiel.load_game("gubs_env_court_intrigue").get_type().utility)
"""
    assert run(site, tmp_path, script) == "Utility.GENERAL_SUM\n"


def test_the_page_says_what_its_code_does():
    page = (ROOT / "docs" / "examples" / "court_intrigue.md").read_text("utf-8")
    source = (ROOT / "examples" / "court_intrigue" / "court_intrigue.py").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 2
    code = " ".join(source.split())
    assert all(" ".join(block.split()) in code for block in blocks)
