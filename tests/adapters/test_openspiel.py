"""The games in OpenSpiel: its own tests, the trees of small decks, and a best response."""

from __future__ import annotations

import contextlib
import copy
import pickle
import random
import sys
import unittest
import warnings
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gubs_env import bad_bad_turtle_v0, find_table, fubnub_v0, gubs_v0
from gubs_env.gubs_v0 import Rules, all_deals

pytest.importorskip("pyspiel", reason="the openspiel extra is not installed")

import pyspiel
from open_spiel.python import policy
from open_spiel.python.algorithms import (
    best_response,
    cfr,
    expected_game_score,
    exploitability,
    external_sampling_mccfr,
    get_all_states,
    ismcts,
    mcts,
)

from gubs_env.adapters.openspiel import RECENT_EVENTS
from gubs_env.engine.history import NONE
from gubs_env.exact.tree import Decision
from tests.adapters.recipes import run_recipe

TINY = (
    "gubs_env_gubs(chance=explicit,letters=anywhere,"
    "deck=Gub:2+{lures}+Letter G:1+Letter U:1+Letter B:1)"
)
ONE_LURE, ONE_SONG = "Lure:1+Feather:5", "Cricket Song:1+Lure:1+Feather:4"
NO_LURE = "Feather:6"
SAMPLED = {
    "gubs_env_gubs(rng_seed=1,deck=Gub:6+Lure:4+Feather:4+Letter G:1+Letter U:1+Letter B:1)": 2,
    "gubs_env_gubs(rng_seed=2,players=3,reward=margin,deck=Gub:6+Spear:6+"
    "Letter G:1+Letter U:1+Letter B:1)": 3,
    "gubs_env_fubnub(rng_seed=3,players=2,mode=royal)": 2,
    "gubs_env_bad_bad_turtle(rng_seed=4,players=4,max_cycles=40)": 4,
}


@pytest.fixture(scope="module")
def tiny():
    return pyspiel.load_game(TINY.format(lures=ONE_LURE))


# ------------------------------------------------------------------------------ OpenSpiel's tests


@pytest.mark.parametrize("text", SAMPLED)
def test_sampled_games_pass_openspiels_simulation(text):
    game = pyspiel.load_game(text)
    assert game.num_players() == SAMPLED[text]
    # `serialize_game_and_state` refuses a game in Python whose chance is sampled.
    pyspiel.random_sim_test(game, num_sims=1, serialize=False, verbose=False)


@pytest.mark.parametrize("lures", [ONE_LURE, ONE_SONG])
def test_explicit_games_pass_openspiels_simulation(lures):
    game = pyspiel.load_game(TINY.format(lures=lures))
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)
    assert str(pyspiel.load_game(str(game))) == str(game)


@pytest.mark.parametrize("text", [TINY.format(lures=ONE_LURE), *list(SAMPLED)[2:]])
def test_openspiels_tests_of_its_python_interface_pass(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that its other games import
        api_test = pytest.importorskip("open_spiel.integration_tests.api_test")
    kept = {"game_name": "ours", "game": pyspiel.load_game(text)}
    case = type("Ours", (api_test.EnforceAPIOnPartialTreeBase,), kept)
    monkey = pytest.MonkeyPatch()
    some = api_test.sample_some_states.sample_some_states
    with monkey.context() as patch:
        patch.setattr(
            api_test.sample_some_states,
            "sample_some_states",
            lambda game, max_states: some(game, max_states=60),
        )
        result = unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun >= 5
    assert not result.errors + result.failures


# ------------------------------------------------------------------------- the same games as ours


@pytest.mark.parametrize(
    ("text", "module"),
    [*zip(list(SAMPLED)[1:], (gubs_v0, fubnub_v0, bad_bad_turtle_v0), strict=True)],
    ids=("gubs", "fubnub", "turtle"),
)
def test_a_sampled_game_is_the_game_that_its_seed_deals(text, module):
    game = pyspiel.load_game(text)
    state, rng = game.new_initial_state(), random.Random(5)
    assert state.chance_outcomes() == [(0, 1.0)]
    env = module.raw_env(game.num_players(), state.node.tree.table.rules)
    env.reset(seed=state.node.seed)
    state.apply_action(0)
    while not state.is_terminal():
        agent = env.agent_selection
        assert agent == f"player_{state.current_player()}"
        seen = env.observe(agent)
        assert state.legal_actions() == np.flatnonzero(seen["action_mask"]).tolist()
        assert state.observation_tensor() == seen["observation"].tolist()
        assert state.observation_string() == env.describe(agent) + "\n"
        tensor = np.array(state.information_state_tensor(), np.int8)
        assert tensor[: len(seen["observation"])].tolist() == seen["observation"].tolist()
        events = tensor[len(seen["observation"]) :].reshape(RECENT_EVENTS, -1)
        recorded = env.history(agent)[-RECENT_EVENTS:]
        assert events[RECENT_EVENTS - len(recorded) :].tolist() == recorded.tolist()
        assert (events[: RECENT_EVENTS - len(recorded)] == NONE).all()
        action = rng.choice(state.legal_actions())
        assert state.action_to_string(action) == env.action_name(action)
        state.apply_action(action)
        env.step(action)
    assert state.returns() == pytest.approx(list(env.rewards.values()))
    assert game.min_utility() <= min(state.returns())
    assert max(state.returns()) <= game.max_utility()


def test_copies_of_a_sampled_game_go_on_alike():
    state = pyspiel.load_game(next(iter(SAMPLED))).new_initial_state()
    twin = state.clone()
    for each in (state, twin):
        each.apply_action(0)
    assert state.observation_tensor() == twin.observation_tensor()


def test_another_seed_deals_another_game():
    def first(seed):
        state = pyspiel.load_game("gubs_env_gubs", {"rng_seed": seed}).new_initial_state()
        state.apply_action(0)
        return state.observation_string(0)

    assert first(1) == first(1)
    assert first(1) != first(2)


def test_states_that_are_not_played_take_no_seed():
    """Tensors and clones make states inside OpenSpiel."""
    texts = []
    for looks in (False, True):
        game = pyspiel.load_game(next(iter(SAMPLED)))
        for _ in range(2):
            state = game.new_initial_state()
            state.apply_action(0)
            if looks:
                state.clone().observation_tensor(0)
        texts.append(state.observation_string(0))
    assert texts[0] == texts[1]


# ----------------------------------------------------------------------------------------- threads

ALL = [*list(SAMPLED)[1:], TINY.format(lures=ONE_SONG)]
every_game = pytest.mark.parametrize("text", ALL, ids=("gubs", "fubnub", "turtle", "explicit"))


def random_states(game, seed, steps=60):
    """Yield the states of a random game, each before the next action."""
    rng, state = random.Random(seed), game.new_initial_state()
    for _ in range(steps):
        yield state
        if state.is_terminal():
            return
        state.apply_action(rng.choice(state.legal_actions()))


def told(state):
    seats = range(state.num_players() if state.history() else 0)
    return (
        state.legal_actions(),
        state.returns(),
        [state.information_state_string(seat) for seat in seats],
        [state.observation_tensor(seat) for seat in seats],
        [state.information_state_tensor(seat) for seat in seats],
    )


@every_game
def test_games_in_several_threads_are_the_games_played_alone(text):
    def play(seed):
        game = pyspiel.load_game(text)
        return [list(map(told, random_states(game, seed, 12))) for _ in range(3)]

    assert in_threads(play) == list(map(play, range(4)))


@every_game
def test_threads_may_share_a_game(text):
    game = pyspiel.load_game(text)
    root = game.new_initial_state()

    def play(seed):
        rng, state = random.Random(seed), root.clone()
        seen = []
        while not state.is_terminal() and len(seen) < 15:
            state.apply_action(rng.choice(state.legal_actions()))
            seen.append(told(state))
        return seen

    alone = list(map(play, range(4)))
    assert in_threads(play) == alone


def test_an_action_that_another_thread_forestalled_is_not_played(monkeypatch):
    root = pyspiel.load_game(ALL[0]).new_initial_state()
    root.apply_action(0)
    state, usual = root.clone(), Decision.after

    def meanwhile(node, action):
        """Play 0 as another thread does at this moment, and then go on."""
        monkeypatch.undo()
        state.apply_action(0)
        return usual(node, action)

    monkeypatch.setattr(Decision, "after", meanwhile)
    with pytest.raises(RuntimeError, match=r"another thread .* give each thread a clone\(\)"):
        state.apply_action(1)
    root.apply_action(0)
    assert (state.history(), told(state)) == (root.history(), told(root))


def in_threads(play):
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as threads:
            return list(threads.map(play, range(4)))
    finally:
        sys.setswitchinterval(usual)


# ----------------------------------------------------------------------------------------- copies

COPIED = [copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))]
every_copy = pytest.mark.parametrize("copied", COPIED, ids=("copy", "deepcopy", "pickle"))


@every_game
@every_copy
def test_a_copied_game_deals_on_alike(text, copied):
    game = pyspiel.load_game(text)
    next(random_states(game, 1)).clone()
    twin = copied(game)
    assert twin == game
    for _ in range(2):
        first, second = (list(random_states(each, 2, 5))[-1] for each in (game, twin))
        assert told(first) == told(second)


@every_game
@pytest.mark.parametrize(
    "copied",
    [
        *COPIED,
        lambda state: state.clone(),
        lambda state: state.get_game().deserialize_state(state.serialize()),
    ],
    ids=("copy", "deepcopy", "pickle", "clone", "serialize"),
)
def test_a_copied_state_goes_on_with_the_same_chance(text, copied):
    rng = random.Random(3)
    *_, state = random_states(pyspiel.load_game(text), 3, 30)
    for each in (state.get_game().new_initial_state(), state):
        twin = copied(each)
        assert (twin.history(), told(twin)) == (each.history(), told(each))
        while not each.is_terminal() and len(each.history()) < 50:
            action = rng.choice(each.legal_actions())
            each.apply_action(action)
            twin.apply_action(action)
            assert told(twin) == told(each)


def test_only_explicit_games_are_saved_together_with_a_state():
    explicit, sampled = (pyspiel.load_game(text) for text in (TINY.format(lures=ONE_LURE), ALL[0]))
    *_, state = random_states(explicit, 1)
    saved = pyspiel.serialize_game_and_state(explicit, state)
    game, again = pyspiel.deserialize_game_and_state(saved)
    assert (game, told(again)) == (explicit, told(state))
    with pytest.raises(pyspiel.SpielError, match="GetRNGState"):
        pyspiel.serialize_game_and_state(sampled, sampled.new_initial_state())


@every_copy
def test_policies_are_copied(copied):
    game = pyspiel.load_game(TINY.format(lures=NO_LURE))
    solver, sampler = cfr.CFRSolver(game), external_sampling_mccfr.ExternalSamplingSolver(game)
    solver.evaluate_and_update_policy()
    sampler.iteration()
    best = best_response.BestResponsePolicy(game, 0, policy.UniformRandomPolicy(game))
    for each in (
        policy.TabularPolicy(game),
        solver.average_policy(),
        sampler.average_policy(),
        best,
    ):
        twin = copied(each)
        for state in random_states(game, 1):
            if state.current_player() == 0:
                assert twin.action_probabilities(state) == each.action_probabilities(state)

    game = pyspiel.load_game(ALL[0])
    *_, state = random_states(game, 1, 5)
    uniform = policy.UniformRandomPolicy(game)
    assert copied(uniform).action_probabilities(state) == uniform.action_probabilities(state)


# -------------------------------------------------------------------------------------- resampling


@every_game
def test_a_resampled_state_is_the_same_to_the_player_who_decides(text):
    game, sampler = pyspiel.load_game(text), pyspiel.UniformProbabilitySampler(0.0, 1.0)
    for state in random_states(game, 4, 20):
        player = state.current_player()
        if player < 0:
            with pytest.raises(ValueError, match=f"player {player} does not decide"):
                state.resample_from_infostate(player, sampler)
            continue
        drawn = state.resample_from_infostate(player, sampler)
        assert drawn.current_player() == player
        assert drawn.legal_actions() == state.legal_actions()
        assert drawn.information_state_string() == state.information_state_string()
        assert drawn.information_state_tensor() == state.information_state_tensor()
        assert drawn.observation_string() == state.observation_string()
        with pytest.raises(ValueError, match="does not decide"):
            state.resample_from_infostate(1 - min(player, 1), sampler)


@every_game
@pytest.mark.parametrize("kept", [-1, 3], ids=("fresh", "kept"))
def test_openspiels_information_set_search_plays(text, kept):
    game, rng = pyspiel.load_game(text), np.random.RandomState(1)
    judge = mcts.RandomRolloutEvaluator(1, rng)
    bot = ismcts.ISMCTSBot(game, judge, 1.4, 6, kept, random_state=rng)
    asked = [
        state for state in map(copy.copy, random_states(game, 5, 6)) if state.current_player() >= 0
    ]
    for state in asked:
        assert bot.step(state) in state.legal_actions()


# ------------------------------------------------------------------------- trees of small decks


def leaves(state, probability=1.0):
    """Yield the probability of every terminal state, if all players play at random."""
    if state.is_terminal():
        yield probability
        return
    if state.is_chance_node():
        branches = state.chance_outcomes()
    else:
        legal = state.legal_actions()
        branches = [(action, 1 / len(legal)) for action in legal]
    assert sum(share for _, share in branches) == pytest.approx(1)
    for action, share in branches:
        yield from leaves(state.child(action), probability * share)


def test_the_probabilities_of_all_ends_sum_to_one(tiny):
    assert sum(leaves(tiny.new_initial_state())) == pytest.approx(1, abs=1e-12)


def test_an_event_that_is_sent_back_is_a_chance_node_after_the_deal():
    """Below one deal with Cricket Song, which sends a Letter back into the deck."""
    game = pyspiel.load_game(TINY.format(lures=ONE_SONG))
    rng, later = random.Random(1), []
    while len(later) < 3:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node() and state.history():
                later.append([share for _, share in state.chance_outcomes()])
            state.apply_action(rng.choice(state.legal_actions()))
    for shares in later:
        assert 2 <= len(shares) <= 3  # the gaps of a deck of one or two Letters
        assert shares == pytest.approx([1 / len(shares)] * len(shares))


def test_an_information_state_tells_all_earlier_ones(tiny):
    """Perfect recall: equal information states have equal earlier ones and equal actions."""
    pasts = {}

    def walk(state, past):
        if state.is_terminal():
            return
        if state.is_chance_node():
            for number, _ in state.chance_outcomes():
                walk(state.child(number), past)
            return
        seat = state.current_player()
        known = state.information_state_string()
        assert pasts.setdefault(known, past[seat]) == past[seat]
        for action in state.legal_actions():
            mine = (*past[seat], (known, action))
            walk(state.child(action), {**past, seat: mine})

    walk(tiny.new_initial_state(), {0: (), 1: ()})
    assert len(pasts) > 100


# ------------------------------------------------- a best response, found in a second way


class Enumeration:
    """The best response to a uniform policy, by enumeration of games of `raw_env`.

    An information state is what the log and the table tell a seat in words, with its own actions.
    """

    def __init__(self, rules, responder):
        self.responder, self.reached, self.values = responder, defaultdict(list), {}
        self.roots = []
        for state, probability in all_deals(find_table("gubs", 2, rules)):
            env = gubs_v0.raw_env(2, rules)
            env.set_state(state)
            self.roots.append(self.node(env, float(probability), ()))

    def node(self, env, reach, mine):
        """Return (env, reach of chance and the other, information state, children)."""
        agent = env.agent_selection
        if env.is_done(agent):
            return env.rewards[f"player_{self.responder}"], reach, None, ()
        ours = agent == f"player_{self.responder}"
        legal = np.flatnonzero(env.observe(agent)["action_mask"]).tolist()
        known = (*env.log(agent), env.describe(agent), *mine) if ours else None
        children = {}
        for action in legal:
            after = env.clone()
            after.step(action)
            share = reach if ours else reach / len(legal)
            children[action] = self.node(after, share, (*mine, action) if ours else mine)
        node = (None, reach, known, children)
        if ours:
            self.reached[known].append(node)
        return node

    def value(self, node):
        """Return the value of a node, times the probability that it is reached."""
        end, reach, known, children = node
        if not children:
            return end * reach
        if known is None:
            return sum(map(self.value, children.values()))
        return self.value(children[self.best(known)])

    def best(self, known):
        if known not in self.values:
            totals = defaultdict(float)
            for _, _, _, children in self.reached[known]:
                for action, child in children.items():
                    totals[action] += self.value(child)
            self.values[known] = max(totals, key=totals.get)
        return self.values[known]


@pytest.mark.parametrize("responder", [0, 1])
def test_openspiels_best_response_is_worth_what_enumeration_finds(tiny, responder):
    deck = {"Gub": 2, "Lure": 1, "Feather": 5, "Letter G": 1, "Letter U": 1, "Letter B": 1}
    ours = Enumeration(Rules(deck=deck, letters="anywhere"), responder)
    uniform = policy.UniformRandomPolicy(tiny)
    theirs = best_response.BestResponsePolicy(tiny, responder, uniform)
    value = theirs.value(tiny.new_initial_state())
    assert value == pytest.approx(sum(map(ours.value, ours.roots)))
    assert value > 0
    # The words of the log and the table tell the same information states apart.
    assert len(theirs.infosets) == len(ours.reached)


def test_the_recipe():
    run_recipe("open_spiel.md", "")


def test_the_tree_of_a_small_deck_has_this_size(tiny):
    states = get_all_states.get_all_states(
        tiny, include_terminals=True, include_chance_states=True
    ).values()
    decisions = [state for state in states if state.current_player() >= 0]
    known = {(state.current_player(), state.information_state_string()) for state in decisions}
    assert (len(states), len(decisions), len(known)) == (2569, 1920, 1593)


def test_in_small_trees_the_tensor_tells_information_states_apart():
    game = pyspiel.load_game(TINY.format(lures=NO_LURE))
    states = get_all_states.get_all_states(game, include_terminals=False).values()
    known = {(each.current_player(), each.information_state_string()) for each in states}
    tensors = {(each.current_player(), *each.information_state_tensor()) for each in states}
    assert len(known) == len(tensors) > 50


# ----------------------------------------------------------------------------------------- errors


@every_game
def test_actions_that_are_not_legal_are_refused(text):
    """As the segmentation fault of random numbers below 64 showed, in range or not."""
    for state in random_states(pyspiel.load_game(text), 6):
        before, legal = told(state), state.legal_actions()
        for action in {-3, -2, *range(state.num_distinct_actions() + 2), 1 << 40} - set(legal):
            for play in (state.apply_action, state.apply_action_with_legality_check, state.child):
                with pytest.raises(ValueError, match=rf"(action|outcome) {action} "):
                    play(action)
        with pytest.raises(pyspiel.SpielError, match="kInvalidAction"):
            state.apply_action(-1)
        assert told(state) == before


def test_random_numbers_for_actions_do_not_crash():
    """A segmentation fault once."""
    state = pyspiel.load_game("gubs_env_gubs(rng_seed=1)").new_initial_state()
    state.apply_action(0)
    rng = random.Random(1)
    for _ in range(200):
        with contextlib.suppress(ValueError):
            state.apply_action(rng.randrange(64))
        state.observation_tensor(0)
    assert 1 < len(state.history()) < 200


def test_what_is_refused_is_said():
    state = pyspiel.load_game(ALL[0]).new_initial_state()
    with pytest.raises(ValueError, match="outcome 7 of chance: allowed are 0 to 0"):
        state.apply_action(7)
    state.apply_action(0)
    with pytest.raises(ValueError, match="chance has no outcomes here"):
        state.chance_outcomes()
    with pytest.raises(
        ValueError, match=r"action -2 is not legal for player_\d; legal are: 0 PASS"
    ):
        state.apply_action(-2)
    rng = random.Random(1)
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
    with pytest.raises(ValueError, match="the game is over"):
        state.apply_action(0)


@pytest.mark.parametrize("recalls", [False, True])
def test_an_observer_refuses_players_that_there_are_not(recalls):
    game = pyspiel.load_game(ALL[0])
    observer = game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=recalls))
    *_, state = random_states(game, 1, 5)
    for player in (-1, 3, 99):
        for look in (observer.set_from, observer.string_from):
            with pytest.raises(ValueError, match=f"player={player}: must be 0 to 2"):
                look(state, player)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gubs_env_fubnub(chance=explicit)", "the deals of FUBNUB cannot be listed"),
        ("gubs_env_gubs(chance=explicit)", "listed for letters='anywhere' only"),
        ("gubs_env_gubs(chance=both)", "allowed are sampled, explicit"),
        ("gubs_env_gubs(letters=nowhere)", "letters='nowhere'"),
        ("gubs_env_gubs(players=7)", "Gubs is for 2 to 6 players"),
    ],
)
def test_wrong_parameters_are_refused(text, said):
    with pytest.raises(ValueError, match=said):
        pyspiel.load_game(text)


# ------------------------------------------------------------------ a game of another package


@pytest.fixture(scope="module")
def kuhn():
    return pyspiel.load_game("gubs_env_kuhn_poker(chance=explicit)")


def test_a_game_of_another_package_says_what_it_pays(kuhn):
    assert (kuhn.min_utility(), kuhn.max_utility(), kuhn.utility_sum()) == (-2, 2, 0)
    assert (kuhn.num_players(), kuhn.max_game_length()) == (2, 3)


def test_counterfactual_regret_finds_an_equilibrium_of_kuhn_poker(kuhn):
    solver = cfr.CFRPlusSolver(kuhn)
    for _ in range(400):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    assert exploitability.nash_conv(kuhn, average) < 0.001
    values = expected_game_score.policy_value(kuhn.new_initial_state(), [average] * 2)
    np.testing.assert_allclose(values, (-1 / 18, 1 / 18), atol=0.001)
