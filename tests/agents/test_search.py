"""The searching agents: no private information, reproducible, and better than their policy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

from gubs_agents.common.decisions import form_of
from gubs_agents.networks.architecture import WeightsError
from gubs_agents.networks.network import Network, Weights, save
from gubs_agents.networks.perceptron import NO_PERCEPTRON, make_perceptron
from gubs_agents.scripted.by_game import symmetry_of
from gubs_agents.search import search as search_module
from gubs_agents.search.nodes import NODE, NONE, add_node, credit, select, trusted_child
from gubs_agents.search.playouts import FEW, HEURISTIC, NETWORK, RANDOM, Reader, functions_of
from gubs_agents.search.search import ISMCTS, SWEEP, MonteCarlo, Race, gains
from gubs_env import find_table
from gubs_env.agents.registry import EstimatingAgent
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.rng import seed_rng, spawn_rngs
from gubs_env.engine.view import View
from gubs_env.gubs_v0 import GAME, Phase
from tests.agents.secrets import answers_as_secrets_change
from tests.agents.test_network import random_layers, random_value
from tests.gubs.case import CASE
from tests.gubs.table import Table

TABLE = find_table(GAME, 2)
both_kinds = pytest.mark.parametrize("kind", [MonteCarlo, ISMCTS])


def positions(count=40, num_players=2, seed=0):
    """Return views of the seats to decide, from the middle of random games."""
    games = CASE.games(count, num_players, {}, seed)
    for _ in range(35):
        games.random_step()
    return games.views(np.flatnonzero(games.under_way))


def rngs_for(views, seed=0):
    return spawn_rngs(np.random.default_rng(seed), len(views))


@both_kinds
def test_a_search_is_repeated_by_its_seed_and_alone_or_in_a_batch(kind):
    views = positions(20)
    first, again = (kind(TABLE, seed=3, playouts=60).search(views) for _ in range(2))
    assert (first == again).all()
    rngs = rngs_for(views)
    search = kind(TABLE, playouts=60)
    together = search.search(views, rngs.copy())
    apart = [search.search(views[i : i + 1], rngs[i : i + 1])[0] for i in range(len(views))]
    assert together.tolist() == apart


@both_kinds
def test_estimates_are_those_of_the_search_for_legal_actions_only(kind):
    views = positions(10)
    rngs = rngs_for(views)
    search = kind(TABLE, playouts=60)
    actions, worths = search.estimate(views, rngs.copy())
    assert (actions == search.search(views, rngs.copy())).all()
    assert isinstance(search, EstimatingAgent)
    for row, state in enumerate(views):
        legal = GAME.legal_actions(View(int(state["actor"]), state))
        estimated = np.flatnonzero(~np.isnan(worths[row]))
        assert set(estimated) == (set(legal) if len(legal) > 1 else set())
        assert (np.abs(worths[row, estimated]) < 5).all()


@both_kinds
def test_where_a_person_plays_an_interpreted_search_answers_at_once(kind, monkeypatch):
    functions = functions_of(GAME).items()
    plain = {name: getattr(each, "function", each) for name, each in functions}
    monkeypatch.setattr(search_module, "functions_of", lambda game: plain)
    monkeypatch.setattr(search_module, "HURRY", 0.0)
    monkeypatch.setenv("GUBS_ENV_COMPILE", "beside")
    (races,) = kind(TABLE, playouts=10**6, seed=0)._searched(positions(1), None)
    race = races[0]
    assert race.playouts == 0
    assert kind(TABLE, playouts=10**6, seed=0).search(positions(1)) in race.candidates.actions
    gain = np.where(np.arange(len(race.candidates.sums)) == race.candidates.reference, 0, 0.3)
    for playouts, is_believed in ((1, False), (SWEEP, True)):
        race.candidates.sums[:, 0] = playouts
        race.candidates.sums[:, 2] = playouts * gain
        race.candidates.sums[:, 3] = playouts * gain**2
        best = kind(TABLE, playouts=10**6)._best(races)
        assert (best != race.candidates.actions[race.candidates.reference]) == is_believed


@both_kinds
def test_a_search_moves_its_generators_on_and_leaves_its_views_alone(kind):
    views = positions(10)
    before, rngs = views.copy(), rngs_for(views)
    unmoved = rngs.copy()
    kind(TABLE, playouts=30).search(views, rngs)
    assert views.tobytes() == before.tobytes()
    assert (rngs != unmoved).any(1).all()


@pytest.mark.parametrize("num_players", [2, 4])
def test_threads_search_side_by_side_and_can_be_repeated(num_players):
    table, views = find_table(GAME, num_players), positions(10, num_players)
    runs = [ISMCTS(table, playouts=60, threads=2).search(views, rngs_for(views)) for _ in range(2)]
    assert (runs[0] == runs[1]).all()


@both_kinds
@pytest.mark.parametrize("policy", ["random", "heuristic"])
def test_a_search_sees_the_move_that_wins(kind, policy):
    """The next draw is the third Letter: laying the Gub now wins, and not laying it loses."""
    table = Table(
        ["Gub", "Scout"], ["Gub", "Gub"], deck="Letter B", letters="GU", rest=False
    )  # fmt: skip
    table.game.skipped[1] = 1  # the other seat must draw
    view = table.games.copy()
    GAME.kernel.hide(view, 0, 0)
    action = kind(TABLE, seed=0, playouts=100, policy=policy).search(view)[0]
    assert TABLE.action_name(int(action)) == "CARD[Gub]"
    _, worths = kind(TABLE, seed=0, playouts=100, policy=policy).estimate(view)
    assert worths[0, action] > worths[0, TABLE.action_index("PASS")]


@pytest.fixture
def weights(tmp_path):
    path = tmp_path / "network.safetensors"
    save(path, Weights(random_layers(), random_value()), TABLE)
    return str(path)


@both_kinds
@pytest.mark.parametrize("policy", ["heuristic", "network"])
def test_a_search_with_a_network_is_repeated_by_its_seed(kind, policy, weights):
    views = positions(10)
    first, again = (
        kind(TABLE, seed=1, playouts=40, weights=weights, policy=policy).search(views)
        for _ in range(2)
    )
    assert (first == again).all()


def test_threads_that_play_the_same_network_do_not_disturb_each_other(weights):
    views = positions(10)
    search = MonteCarlo(TABLE, playouts=400, weights=weights, threads=2, horizon=0)
    first, again = (search.estimate(views, rngs_for(views))[1] for _ in range(2))
    np.testing.assert_array_equal(first, again)


def test_a_network_with_a_value_plays_the_playouts_too(weights, tmp_path):
    with_value = MonteCarlo(TABLE, weights=weights).settings
    assert (with_value.policy, with_value.margin) == (NETWORK, 0)
    assert (with_value.horizon, with_value.far_horizon) == (2, 5)
    assert MonteCarlo(TABLE, weights=weights, horizon=2).settings.far_horizon == 0, (
        "only by default"
    )
    without = tmp_path / "policy.safetensors"
    save(without, Weights(random_layers()), TABLE)
    assert MonteCarlo(TABLE, weights=str(without)).settings.policy == HEURISTIC
    assert MonteCarlo(TABLE).settings.policy == HEURISTIC


@pytest.mark.parametrize(
    ("kind", "count", "options", "has_network"),
    [
        (ISMCTS, 30, {"playouts": 60, "policy": "heuristic"}, True),
        (ISMCTS, 30, {"playouts": 60, "policy": "network"}, True),
        (ISMCTS, 3, {"playouts": 3000}, False),  # it explores its tree
        (MonteCarlo, 4, {"playouts": 2000}, True),  # to the far horizon
    ],
)
def test_a_search_does_the_same_whatever_it_cannot_know(kind, count, options, has_network, weights):
    games = VectorEnv(TABLE, count, seed=6)
    games.play_randomly(40)
    search = kind(TABLE, weights=weights if has_network else None, **options)
    answers = answers_as_secrets_change(games, search)
    assert answers[0] == answers[1] == answers[2]


def test_without_gain_the_network_has_its_way(weights):
    """A constant value gives no reason to leave the network's move."""
    layers = random_layers()
    save(weights, Weights(layers, (np.zeros((1, 16), np.float32), np.ones(1, np.float32))), TABLE)
    views = positions(40)
    early = views[views["letters"].sum(1) == 0]
    seen = [np.zeros(TABLE.observation_size, np.int8) for _ in early]
    for index, observation in enumerate(seen):
        GAME.kernel.observe(early, index, int(early["actor"][index]), observation)
    masks = np.zeros((len(early), TABLE.num_actions), np.int8)
    look, rng = functions_of(GAME)["look"], seed_rng(0)
    for index in range(len(early)):
        look(early[index : index + 1], Reader(masks[index], seen[index], NO_PERCEPTRON), 0, rng)
    moves = MonteCarlo(TABLE, 0, playouts=40, weights=weights).search(early)
    assert moves.tolist() == Network(Weights(layers)).act(np.array(seen), masks).tolist()


@pytest.mark.parametrize("option", ["policy", "opponents"])
def test_what_needs_a_network_says_so(option):
    with pytest.raises(ValueError, match=f"{option}='network' needs a network: give weights="):
        ISMCTS(TABLE, **{option: "network"})


def test_opponents_play_the_policy_of_the_searching_side_unless_they_have_their_own(weights):
    for policy, opponents, expected in (
        ("random", None, (RANDOM, RANDOM)),
        ("random", "heuristic", (RANDOM, HEURISTIC)),
        ("network", None, (NETWORK, NETWORK)),
        (None, "heuristic", (NETWORK, HEURISTIC)),
    ):
        settings = MonteCarlo(TABLE, weights=weights, policy=policy, opponents=opponents).settings
        assert (settings.policy, settings.opponents) == expected


def test_without_a_network_the_lead_counts_at_the_horizon():
    """Only the Gub can be laid before the next turn, and it is worth a point."""
    letters = "Letter G, Letter U, Letter B"
    table = Table(["Gub", "Scout"], ["Gub", "Gub"], deck=letters, rest=False)
    view = table.games.copy()
    GAME.kernel.hide(view, 0, 0)
    action = MonteCarlo(TABLE, seed=0, playouts=200, horizon=1, policy="random", caution=0).search(
        view
    )[0]
    assert TABLE.action_name(int(action)) == "CARD[Gub]"


def test_only_one_legal_move_needs_no_search():
    table = Table(["", ""], ["Gub", "Gub"], phase=Phase.DRAW)
    table.game.skipped[0] = 1
    view = table.games.copy()
    GAME.kernel.hide(view, 0, 0)
    search = ISMCTS(TABLE, seed=0)
    race = Race(search, view, seed_rng(0)).run(1000)
    assert race.playouts == 0
    assert TABLE.action_name(int(search.search(view)[0])) == "DECK"


def test_a_search_in_milliseconds_comes_to_an_end():
    views = positions(3)
    assert len(ISMCTS(TABLE, ms=5, threads=2).search(views)) == len(views)


def test_gains_are_means_of_differences_with_their_error():
    rng = np.random.default_rng(0)
    differences = rng.normal(0.3, 1, 400)
    near = [400, 0, differences.sum(), (differences**2).sum(), 0]
    settings = MonteCarlo(TABLE, horizon=2, far_horizon=5).settings
    mean, error = gains(np.array([[*near, 0, 0, 0]]), settings)
    assert mean[0] == pytest.approx(differences.mean())
    assert error[0] == pytest.approx(differences.std(ddof=1) / 20)

    changes = rng.normal(-0.1, 0.5, 100)
    far = np.array([[*near, 100, changes.sum(), (changes**2).sum()]])
    mean, error = gains(far, settings)
    noise, prior = changes.var(ddof=1) / 100, 0.03**2 - 0.02**2
    assert mean[0] == pytest.approx(differences.mean() + prior / (prior + noise) * changes.mean())
    posterior = 1 / (1 / prior + 1 / noise)
    assert error[0] ** 2 == pytest.approx(differences.var(ddof=1) / 400 + posterior)


def test_what_the_far_horizon_shows_without_noise_is_believed_completely():
    """Every playout gains 0.1 at the horizon, and loses 0.3 of it later."""
    sums = np.array([[500, 0, 50, 5, 0, 100, -30, 9]])
    mean, error = gains(sums, MonteCarlo(TABLE, horizon=2, far_horizon=5).settings)
    assert mean[0] == pytest.approx(-0.2)
    assert error[0] == pytest.approx(0, abs=1e-6)
    mean, _ = gains(sums, MonteCarlo(TABLE, horizon=2, far_horizon=5, bias=0).settings)
    assert mean[0] == pytest.approx(0.1), "without a bias there is nothing to correct"


def swept(view, sweeps, **options):
    """Return the candidates after some sweeps of eight determinizations, without a race."""
    race = Race(MonteCarlo(TABLE, seed=0, policy="heuristic", **options), view, seed_rng(0))
    for _ in range(sweeps):
        race.sweep(race.view, race.candidates, race.scratch, race.settings, race.rng, 8)
    return race.candidates


def test_playouts_go_on_to_the_far_horizon_after_a_while():
    view = positions(1)
    few, many = (swept(view, n, horizon=1, far_horizon=3) for n in (FEW // 8, FEW // 8 + 10))
    assert few.sums[:, 5].sum() == 0
    np.testing.assert_array_equal(few.sums, swept(view, FEW // 8, horizon=1).sums)
    assert (many.sums[:, 5] == 80).all()
    changed = many.sums[:, 7] > 0
    assert changed.any()
    assert not changed[many.reference], "the reference does not differ from itself"


def test_the_far_estimate_is_that_of_a_search_with_this_horizon():
    """The lead after three own turns is that after one, and what changes until then."""
    view = positions(1)
    near, far = (
        Race(MonteCarlo(TABLE, seed=0, policy="heuristic", **own), view, seed_rng(0))
        for own in ({"horizon": 1, "far_horizon": 3}, {"horizon": 3})
    )
    near.candidates.sums[:, 0] = FEW
    before = near.candidates.sums.copy()
    for race in (near, far):
        race.sweep(race.view, race.candidates, race.scratch, race.settings, race.rng, 20)
    added = near.candidates.sums - before
    np.testing.assert_allclose(added[:, 2] + added[:, 6], far.candidates.sums[:, 2], atol=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"playouts": 5, "ms": 5}, "not in both"),
        ({"playouts": 0}, "playouts=0.0: must be above 0"),
        ({"ms": -1}, "ms=-1.0: must be above 0"),
        ({"threads": 0}, "threads=0: must be 1 to 1024"),
        ({"playouts": np.inf}, "playouts=inf: must be a finite number"),
        ({"ms": np.nan}, "ms=nan: must be a finite number"),
        ({"margin": np.nan}, "margin=nan: must be a finite number"),
        ({"exploration": -1}, "exploration=-1.0: must be 0 to 1000000"),
        ({"margin": 1e7}, "margin=10000000.0: must be 0 to 1000000"),
        ({"caution": "much"}, "caution='much': must be a number"),
        ({"horizon": -1}, "horizon=-1: must be 0 to"),
        ({"horizon": 1.5}, "horizon=1.5: must be a whole number"),
        ({"far_horizon": -1}, "far_horizon=-1: must be 0 to"),
        ({"horizon": 2, "far_horizon": 2}, "far_horizon=2: .* above a horizon that is not 0"),
        ({"far_horizon": 5}, "far_horizon=5: .*; horizon=0"),
        ({"policy": "best"}, "policy='best': allowed for gubs_v0 are"),
        ({"opponents": "best"}, "opponents='best': allowed for gubs_v0 are"),
    ],
)
def test_what_cannot_be_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        ISMCTS(TABLE, **options)


def test_a_network_of_another_table_is_refused(weights, tmp_path):
    with pytest.raises(WeightsError, match="its players is 2, expected is 3"):
        ISMCTS(find_table(GAME, 3), weights=weights)
    with pytest.raises(WeightsError, match="its game is 'gubs_v0', expected is 'fubnub_v0'"):
        ISMCTS(find_table("fubnub", 4), weights=weights)
    with pytest.raises(AttributeError):
        ISMCTS(TABLE).network = make_perceptron(Weights(random_layers(3)))
    for symmetry, form in (
        (symmetry_of(find_table("fubnub").game), None),
        (None, form_of(find_table(GAME, 3))),
    ):
        with pytest.raises(WeightsError):
            make_perceptron(Weights(random_layers()), symmetry, form)


@pytest.mark.parametrize("rngs", [np.zeros((2, 4)), np.zeros((1, 4), np.int64), [[1, 2, 3, 4]] * 2])
def test_rngs_of_another_shape_or_type_are_refused(rngs):
    views = positions(4)[:2]
    with pytest.raises(ValueError, match=r"rngs are .*, expected are int64\[2, 4\]"):
        MonteCarlo(TABLE, playouts=8).search(views, rngs)


def test_a_game_that_lacks_a_mechanic_is_named():
    class Fewer(NamedTuple):
        step: Any

    game = replace(GAME, mechanics=Fewer(GAME.mechanics.step))
    with pytest.raises(
        TypeError, match=r"templates for gubs_v0: nothing is given for .*write_mask"
    ):
        MonteCarlo(find_table(game))


def test_the_tree_tries_what_is_new_then_what_is_best():
    tree, size = np.zeros(10, NODE), np.zeros(1, np.int64)
    root = add_node(tree, size, NONE, 0, 0)
    mask, untried = np.array([1, 1, 0], np.int8), np.zeros(3, np.int8)
    assert select(tree, root, 7, mask, untried, 0.5, 1.0) == NONE
    good = add_node(tree, size, root, 7, 0)
    payoffs = np.array([1.0, -1.0], np.float32)
    for _ in range(3):
        credit(tree, np.array([[root, 1], [good, 0]]), 2, payoffs)
    assert select(tree, root, 7, mask, untried, 0.5, 1.0) == NONE
    assert untried.tolist() == [0, 1, 0]
    bad = add_node(tree, size, root, 7, 1)
    for _ in range(3):
        credit(tree, np.array([[root, 1], [bad, 1]]), 2, payoffs)
    assert tree["total"].tolist()[:3] == [-6, 3, -3]
    assert select(tree, root, 7, mask, untried, 0.5, 1.0) == good
    assert select(tree, root, 7, np.array([0, 1, 0], np.int8), untried, 0.5, 1.0) == bad
    assert select(tree, root, 8, mask, untried, 0.5, 1.0) == NONE, "another kind of decision"


def test_without_exploring_the_tree_leaves_the_policy_only_for_what_is_surely_better():
    tree, size = np.zeros(10, NODE), np.zeros(1, np.int64)
    root, mask = add_node(tree, size, NONE, 0, 0), np.ones(3, np.int8)
    better = add_node(tree, size, root, 7, 2)
    assert trusted_child(tree, root, 7, mask, 0, 12.0) == NONE, "the policy's move comes first"
    own = add_node(tree, size, root, 7, 0)
    for visits, trusted in ((10, own), (100, better)):  # a gain of 0.5: 12 × 2 / visits is less
        tree[own].visits = tree[better].visits = visits
        tree[better].total = visits / 2
        assert trusted_child(tree, root, 7, mask, 0, 12.0) == trusted
    assert trusted_child(tree, root, 7, np.array([1, 1, 0], np.int8), 0, 12.0) == own
    assert trusted_child(tree, root, 8, mask, 0, 12.0) == NONE, "another kind of decision"


def test_exploring_begins_after_a_while_and_is_counted_apart():
    view = positions(1)
    few, many = (
        Race(ISMCTS(TABLE, seed=0, caution=0), view, seed_rng(0)).run(playouts)
        for playouts in (400, 4000)
    )
    assert few.candidates.sums[:, 4].sum() == 0
    explored = many.candidates.sums[many.candidates.reference, 4]
    assert 0 < explored < many.candidates.sums[many.candidates.reference, 0] / 8
    assert (
        Race(MonteCarlo(TABLE, seed=0), view, seed_rng(0)).run(4000).candidates.sums[:, 4].sum()
        == 0
    )
