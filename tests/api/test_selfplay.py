"""The environment of self-play: seats, rewards of the learner, and resuming."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("stable_baselines3", reason="the train extra is not installed")

import gubs_agents
from gubs_agents.training.opponents import NEWEST, Opponents
from gubs_agents.training.options import OpponentsOptions
from gubs_env import find_table
from gubs_env.api.sb3 import Pool, SelfPlayVecEnv
from gubs_env.api.seated import LEARNER
from gubs_env.api.self_play import are_best
from gubs_env.api.vector import tables_of
from gubs_env.engine.outcome import win_shares
from gubs_env.engine.slices import size_of
from gubs_env.engine.table import Table
from gubs_env.gubs_v0 import GAME, Rules

CHANCES = {"random": 0.2, "greedy": 0.3, "heuristic": 0.5}
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def make_pool(table, *names, **drawing):
    agents = {name: gubs_agents.make(name, table, seed=0) for name in names}
    return Pool(agents, **drawing)


def make_env(num_envs=6, num_players=3, rules=None, copies_share=0.0, **options):
    tables = tables_of(GAME, num_players, rules, num_envs)
    pool = make_pool(tables[0], "random", "heuristic", copies_share=copies_share)
    return SelfPlayVecEnv(tables, num_envs, pool, seed=3, **options)


def play_at_random(env, steps, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        masks = np.stack(env.env_method("action_masks"))
        yield env.step(np.where(masks, rng.random(masks.shape), -1).argmax(1))


@pytest.mark.parametrize("num_players", [2, 4, 6])
def test_the_learner_decides_in_its_own_seat_and_is_paid_for_it(num_players):
    env = make_env(num_players=num_players)
    env.reset()
    finished = 0
    for observations, rewards, dones, infos in play_at_random(env, 300):
        assert (env._players() == LEARNER).all()
        assert (env.action_masks().sum(1) > 1).all(), "nobody is asked where there is no choice"
        assert all(env.observation_space.contains(row) for row in observations)
        assert (rewards[~dones] == 0).all()
        for index in np.flatnonzero(dones):
            assert infos[index]["episode"]["r"] == rewards[index]
            assert infos[index]["episode"]["l"] > 0
            assert infos[index]["episode"]["t"] > 0
            assert len(infos[index]["opponents"]) == num_players - 1
            assert set(infos[index]["opponents"]) <= {"random", "heuristic"}
            last = infos[index]["terminal_observation"]
            assert GAME.observation_slices(num_players)["letters"].of(last).sum() == 3
            finished += 1
    assert finished > 5
    assert all(seconds > 0 for seconds in env.seconds.values())


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_part_of_the_tables_holds_copies_of_one_opponent(share):
    env = make_env(num_envs=400, num_players=4, copies_share=share)
    env.reset()
    others = [row[row != LEARNER] for row in env.seating]
    alike = np.mean([len(set(row.tolist())) == 1 for row in others])
    by_chance = 1 / 4  # two opponents, each drawn as often, in three seats
    assert alike == pytest.approx(share + (1 - share) * by_chance, abs=0.07)
    assert 0.4 < np.mean([row[0] for row in others]) < 0.6


def test_a_share_of_copies_is_a_probability():
    for wrong in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match=r"copies_share=.*: must be 0 to 1"):
            make_env(copies_share=wrong)


def test_reset_options_are_refused_since_there_are_none():
    env = make_env(2)
    for given in ({"starting_player": 1}, [{}, {"starting_player": 1}]):
        with pytest.raises(ValueError, match=r"reset options .*: these environments have none"):
            env.set_options(given)
    for none in (None, {}, [{}, {}]):
        env.set_options(none)
    assert env.reset().shape[0] == 2


def test_games_of_self_play_may_have_rules_of_their_own():
    env = make_env(4, rules=[Rules(), Rules(ask_everyone=True)] * 2)
    env.reset()
    *_, (observations, _, _, _) = play_at_random(env, 200)
    shown = GAME.observation_slices(3)["rules"].of(observations)
    asked = list(Rules().as_dict()).index("ask_everyone")
    assert shown[:, asked].tolist() == [0, 1, 0, 1]
    arrays, told = env.state()
    make_env(4, rules=[Rules(), Rules(ask_everyone=True)] * 2).restore(arrays, told)
    with pytest.raises(ValueError, match="the state was made with other rules"):
        make_env(4).restore(arrays, told)


def test_changed_rules_give_up_the_games_that_had_others():
    asking = Rules(ask_everyone=True)
    env = make_env(4, rules=[Rules(), asking] * 2)
    env.reset()
    *_, _ = play_at_random(env, 10)
    before, lengths = env.games.states.copy(), env.lengths.copy()
    assert env.set_rules([Rules(), Rules(), asking, asking]).tolist() == [False, True, True, False]
    kept = [0, 3]
    assert (env.games.states[kept] == before[kept]).all()
    assert env.lengths.tolist() == [lengths[0], 0, 0, lengths[3]]
    assert (env._players() == LEARNER).all()
    assert (env.action_masks().sum(1) > 1).all()
    arrays, told = env.state()
    make_env(4, rules=[Rules(), Rules(), asking, asking]).restore(arrays, told)


def test_changed_rules_keep_the_sides():
    table = find_table("fubnub", 4)
    env = SelfPlayVecEnv(table, 2, make_pool(table, "random"))
    env.reset()
    with pytest.raises(ValueError, match=r"the sides must stay \[0, 1, 0, 1\], not become"):
        env.set_rules({"mode": "royal"})
    assert env.games.tables == (table,)


def test_shaping_adds_up_after_a_change_of_rules():
    """A game that goes on keeps the potential of its last decision; a new one has its own."""
    env = make_env(2, potential=lambda seen: seen[:, :8].sum(1).astype(np.float32))
    env.reset()
    env.shaping = 1.0
    env.set_rules([Rules(), Rules(ask_everyone=True)])
    first = env.potential(env.games.observations)
    assert env.potentials.tolist() == [0, first[1]]


def test_partners_must_be_the_same_in_all_games():
    tables = [find_table("fubnub", 4, {"mode": mode}) for mode in ("team", "royal")]
    with pytest.raises(ValueError, match="all games must have the same sides, not"):
        SelfPlayVecEnv(tables, 2, make_pool(tables[0], "random"))


def test_rules_that_leave_nothing_to_choose_are_refused_in_words():
    table = find_table("bad_bad_turtle", 2, {"younger": True})
    env = SelfPlayVecEnv(table, 2, make_pool(table, "random"))
    with pytest.raises(ValueError, match=r"'younger': True.*: in 2000 games, .* had a choice"):
        env.reset()


def test_reward_follows_the_rules_of_the_game():
    env = make_env(rules=Rules(reward="margin"))
    env.reset()
    rewards = np.concatenate([r[d] for _, r, d, _ in play_at_random(env, 300)])
    assert set(rewards) - {-1.0, 1.0, 0.0, -0.5}


def test_a_seed_repeats_deals_seats_opponents_and_their_choices():
    def first_games(env):
        return env.reset(), [step[:3] for step in play_at_random(env, 60)]

    made_so, seeded_so = make_env(), make_env()
    seeded_so.reset()
    list(play_at_random(seeded_so, 5))
    seeded_so.seed(3)
    one, other = first_games(made_so), first_games(seeded_so)
    assert (one[0] == other[0]).all()
    assert all(
        (a == b).all()
        for s, t in zip(one[1], other[1], strict=True)
        for a, b in zip(s, t, strict=True)
    )
    seeded_so.seed(4)
    assert (seeded_so.reset() != one[0]).any()


@pytest.mark.parametrize("seat", [None, 0, 2])
def test_the_learner_plays_every_seat_or_the_given_one(seat):
    env = make_env(num_envs=60, seat=seat)
    env.reset()
    seats = {int(np.flatnonzero(row == LEARNER)[0]) for row in env.seating}
    assert seats == ({0, 1, 2} if seat is None else {seat})
    with pytest.raises(ValueError, match="allowed are None and 0 to 2"):
        make_env(seat=3)


def test_shaping_adds_up_to_the_potential_at_the_start_whatever_is_played():
    """A potential adds −Φ of the first decision to a game, so that no policy gains by it."""
    env = make_env(potential=lambda observations: GAME.lead(observations, 3))
    env.shaping = 0.5
    env.reset()
    first, returns, seen = env.potentials.copy(), np.zeros(6), 0
    for _, rewards, dones, infos in play_at_random(env, 300):
        returns += rewards
        for index in np.flatnonzero(dones):
            paid = infos[index]["episode"]["r"]
            assert returns[index] == pytest.approx(paid - first[index], abs=1e-5)
            first[index], returns[index] = env.potentials[index], 0
            seen += 1
    assert seen > 5
    assert np.any(first != 0) or np.any(env.potentials != 0)


def test_gains_in_a_standing_are_paid_to_the_last_one_in_place_of_the_payoff():
    def lead(observations):
        return GAME.lead(observations, 3)

    env = make_env(standing=lead)
    env.reset()
    first, returns, final = env.standings.copy(), np.zeros(6), []
    for _, rewards, dones, infos in play_at_random(env, 300):
        returns += rewards
        for index in np.flatnonzero(dones):
            final.append(lead(infos[index]["terminal_observation"][None])[0])
            assert returns[index] == pytest.approx(final[-1] - first[index])
            assert infos[index]["episode"]["r"] in (1, 0.25, 0, -0.5)
            first[index], returns[index] = env.standings[index], 0
    assert min(final) < 0 < max(final)


def test_lead_is_ones_points_less_the_best_others():
    slices = GAME.observation_slices(3)
    observation = np.zeros((1, size_of(slices)), np.int8)
    slices["points"].of(observation)[0] = (2, 1, 4)
    assert GAME.lead(observation, 3).tolist() == [-2]


def test_opponents_stay_to_the_end_of_the_game_they_were_drawn_for():
    env = make_env(num_envs=30)
    env.reset()
    before = env.seating.copy()
    env.set_pool(make_pool(env.games.table, "greedy"))
    assert {"random", "heuristic"} <= env.seated
    for _, _, dones, _ in play_at_random(env, 20):
        assert (env.seating[~dones] == before[~dones]).all()
        before[dones] = env.seating[dones]
    for _, _, _, infos in play_at_random(env, 300):
        last = [info["opponents"] for info in infos if info]
    assert env.seated == {"greedy"}
    assert set(env.agents) >= {"greedy"}
    assert all(set(labels) == {"greedy"} for labels in last)


def test_games_go_on_exactly_from_their_state():
    env = make_env(potential=lambda observations: GAME.lead(observations, 3))
    env.shaping = 0.2
    env.reset()
    list(play_at_random(env, 40))
    arrays, told = env.state()
    ahead = list(play_at_random(env, 80, seed=1))
    again = make_env(potential=lambda observations: GAME.lead(observations, 3))
    again.restore(arrays, told)
    for old, new in zip(ahead, play_at_random(again, 80, seed=1), strict=True):
        for k in range(3):
            assert (old[k] == new[k]).all()


def test_a_state_of_other_games_is_refused():
    env = make_env()
    env.reset()
    arrays, told = env.state()
    with pytest.raises(ValueError, match="the rows of the games must be uint8 of the shape"):
        make_env(num_envs=7).restore(arrays, told)
    stranger = SelfPlayVecEnv(env.games.table, 6, make_pool(env.games.table, "greedy"))
    with pytest.raises(ValueError, match="sit opponents that are absent"):
        stranger.restore(arrays, told)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("rows", lambda rows: rows * 0, "num_players|players"),
        ("rows", lambda rows: rows.astype(np.int64), "must be uint8"),
        ("rows", lambda rows: rows[:, :-8], "must be uint8 of the shape"),
        ("seating", lambda seating: seating * 0 + 5, "seating holds a number .* -1 to 1"),
        ("seating", lambda seating: seating * 0, "exactly one seat in each game"),
        ("seating", lambda seating: np.roll(seating, 1, axis=1), "must have a choice in each game"),
        ("seating", lambda seating: seating.astype(float), "seating must be int64"),
        ("lengths", lambda lengths: lengths - 100, "lengths holds a number"),
        ("rngs", lambda rngs: rngs + 2**32, "rngs holds a number .* 0 to 4294967295"),
        ("rngs", lambda rngs: rngs[:1], "rngs must be int64 of the shape"),
        ("potentials", lambda values: values + np.nan, "potentials .* finite numbers"),
        ("standings", lambda values: None, "standings must be an array"),
    ],
)
def test_arrays_that_a_state_cannot_hold_are_refused(name, change, said):
    env = make_env()
    env.reset()
    arrays, told = env.state()
    refused(arrays | {name: change(arrays[name])}, told, said)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("labels", "random", "labels must be a list of texts"),
        ("labels", ["random", "random"], "a label is given twice"),
        ("labels", ["random", 3], "labels must be a list of texts"),
        ("shaping", "0.5", "must be a number"),
        ("shaping", float("inf"), "must be a finite number"),
        ("rng", None, "state of a bit generator PCG64"),
        ("rng", {"bit_generator": "MT19937"}, "state of a bit generator PCG64"),
        ("rng", {"has_uint32": 2}, "state of a bit generator PCG64"),
        ("rng", {"state": {"state": 1.5, "inc": 1}}, "state of a bit generator PCG64"),
        ("rng", {"state": {"state": 1, "inc": 2}}, "state of a bit generator PCG64"),
        ("rng", {"step": 1}, "state of a bit generator PCG64"),
    ],
)
def test_values_that_a_state_cannot_hold_are_refused(name, value, said):
    env = make_env()
    env.reset()
    arrays, told = env.state()
    value = told["rng"] | value if name == "rng" and value else value
    refused(arrays, told | {name: value}, said)


def refused(arrays, told, said):
    env = make_env()
    before = env.reset()
    with pytest.raises(ValueError, match=said):
        env.restore(arrays, told)
    again, _ = env.state()
    assert (again["rows"] == make_reset().state()[0]["rows"]).all(), "nothing has changed"
    assert (env.games.observations == before).all()


def make_reset():
    env = make_env()
    env.reset()
    return env


def test_a_state_from_before_the_first_reset_is_refused():
    env = make_env()
    arrays, told = env.state()
    with pytest.raises(ValueError, match="exactly one seat in each game"):
        make_env().restore(arrays, told)


def test_an_opponents_nonsense_names_its_label():
    class Silent:
        def act(self, observations, masks, rngs=None):
            return None

    env = SelfPlayVecEnv(find_table("gubs", 2), 4, Pool({"silent": Silent()}), seed=0)
    with pytest.raises(ValueError, match="agent 'silent' answered"):
        env.reset()


@pytest.mark.parametrize("action", [-1, 1.5, 64])
def test_the_learner_must_choose_a_legal_action(action):
    env = make_reset()
    before = env.lengths.copy()
    with pytest.raises(ValueError, match="action"):
        env.step(np.full(6, action))
    assert (env.lengths == before).all()


def test_a_pool_that_cannot_be_drawn_from_is_refused():
    agents = {"random": gubs_agents.make("random", find_table("gubs", 3), seed=0)}
    for chances, partner, said in (
        ({}, None, "chances lacks the opponents"),
        ({"random": -1.0}, None, "must be at least 0"),
        ({"random": 0.0}, None, "one of them above 0"),
        ({"random": np.nan}, None, "must be at least 0"),
        (None, "greedy", "partner='greedy': the opponents are"),
    ):
        with pytest.raises(ValueError, match=said):
            Pool(agents, chances, partner)
    with pytest.raises(ValueError, match="opponents is empty"):
        Pool({})


def make_opponents(limit=4):
    baselines = {name: gubs_agents.make(name, seed=0) for name in ("random", "heuristic")}
    return Opponents(
        baselines,
        gubs_agents.make("greedy"),
        OpponentsOptions(baseline_share=0.3, newest_share=0.4, snapshots=limit, snapshot_every=2),
    )


def test_opponents_are_drawn_by_share_and_snapshots_by_how_often_they_win():
    pool = make_opponents()
    assert pool.chances() == pytest.approx({"random": 0.15, "heuristic": 0.15, NEWEST: 0.7})
    pool.add(0, gubs_agents.make("greedy"))
    pool.add(2, gubs_agents.make("greedy"))
    pool.count({"update 0": np.ones(400), "update 2": np.zeros(400)}, num_sides=2)
    chances = pool.chances()
    assert sum(chances.values()) == pytest.approx(1)
    assert chances[NEWEST] == pytest.approx(0.4)
    assert chances["update 2"] > 0.29 > 0.01 > chances["update 0"] > 0


def test_games_count_one_after_another_however_many_are_counted_at_once():
    shares = np.random.default_rng(0).random(50)
    at_once, singly = make_opponents(), make_opponents()
    at_once.count({"random": shares}, num_sides=4)
    for share in shares:
        singly.count({"random": np.array([share])}, num_sides=4)
    assert at_once.win_shares == singly.win_shares
    assert list(at_once.win_shares) == ["random"]


def test_a_step_is_the_same_without_infos():
    table = find_table("fubnub", 4, {"num_points": 1, "max_cycles": 40})
    pool = make_pool(table, "random", "greedy")
    told, plain = (SelfPlayVecEnv(table, 20, pool, seed=2) for _ in range(2))
    rng, kinds = np.random.default_rng(0), set()
    for env in told, plain:
        env.reset()
    for _ in range(200):
        masks = told.action_masks()
        chosen = np.where(masks, rng.random(masks.shape), -1).argmax(1)
        *arrays, infos = told.step(chosen)
        for one, other in zip(arrays, plain.play(chosen), strict=True):
            assert np.array_equal(one, other)
        ends = plain.endings
        for index in np.flatnonzero(plain.dones):
            info, cut = infos[index], ends.truncations[index]
            others = ends.opponents[index][ends.opponents[index] != LEARNER]
            assert [plain.labels[number] for number in others] == info["opponents"]
            assert ends.win_shares[index] == info["win_share"]
            assert ends.payoffs[index] == info["episode"]["r"]
            assert ends.lengths[index] == info["episode"]["l"]
            assert cut == info["TimeLimit.truncated"]
            assert not cut or (ends.observations[index] == info["terminal_observation"]).all()
            kinds.add(bool(cut))
    assert kinds == {False, True}


@pytest.mark.parametrize("num_players", [2, 3, 6])
def test_opponents_and_seats_are_drawn_game_by_game(num_players):
    table = find_table("gubs", num_players)
    pool = make_pool(table, "random", "greedy", "heuristic", chances=CHANCES)
    rng, same = np.random.default_rng(num_players), np.random.default_rng(num_players)
    for count in (3, 0, 1, 200, 1):
        drawn = []
        for _ in range(count):
            seating = np.array([0, 0.2, 0.5, 1]).searchsorted(same.random(num_players), "right") - 1
            seating[same.integers(num_players)] = LEARNER
            drawn.append(seating.tolist())
        assert pool.draw(rng, count, table.sides, None).tolist() == drawn
        assert rng.bit_generator.state == same.bit_generator.state


def test_snapshots_thin_out_evenly():
    pool = make_opponents(limit=4)
    for update in range(40):
        if update % pool.every == 0:
            pool.add(update, gubs_agents.make("greedy"))
    assert [int(label.split()[1]) for label in pool.snapshots] == [0, 16, 32]
    assert pool.every == 16


def test_the_learner_holds_one_seat_its_partner_the_other_of_the_team():
    table = find_table("fubnub", 4, {"num_points": 1, "max_cycles": 150})
    chances = {"one": 0.5, "two": 0.5, "partner": 0.0}
    agents = {name: gubs_agents.make("random", table, seed=0) for name in chances}
    env = SelfPlayVecEnv(table, 20, Pool(agents, chances, "partner"), seed=2)
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
    shares = win_shares(are_best(np.array([payoffs])), np.array(sides))[0].tolist()
    assert shares == expected


def test_where_payoffs_differ_the_learner_gets_a_share_of_the_stake():
    rules = Rules(reward="margin")
    env, most = make_env(num_players=2, rules=rules), Table(GAME, 2, rules).max_payoff
    env.reset()
    told = [info for *_, infos in play_at_random(env, 200) for info in infos if info]
    assert len(told) > 3
    for info in told:
        assert info["win_share"] == pytest.approx((1 + info["episode"]["r"] / most) / 2)
