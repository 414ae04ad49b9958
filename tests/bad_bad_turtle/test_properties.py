"""What holds in every game, over many random ones, for every table size and option."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from gubs_env.api.vector import VectorEnv
from gubs_env.bad_bad_turtle_v0 import GAME, Card, Phase, Rules, env, raw_env
from gubs_env.engine.choosing import LOOK, choose_all
from gubs_env.engine.rng import seed_rng
from gubs_env.games.bad_bad_turtle.score import is_truncated, outcome
from gubs_env.games.bad_bad_turtle.score import payoffs as payoffs_of
from tests.bad_bad_turtle.table import cards_everywhere

sizes = pytest.mark.parametrize("num_players", range(2, 9))
OPTIONS = {
    "the rules proper": {},
    "younger players": {"younger": True},
    "without endless cards": {"removed": ("Restart Game", "Shuffle", "Eliminated")},
    "cut off": {"max_cycles": 12},
}
both = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())


class Games(VectorEnv):
    """A batch that plays itself at random and shows its rows."""

    def __init__(self, num_games, num_players, options, seed=0):
        super().__init__(GAME, num_games, num_players, Rules(**options), seed, autoreset=False)
        self.rows = self.states
        self.rngs = np.stack([seed_rng(10**6 + seed + i) for i in range(num_games)])
        self.actions = np.zeros(num_games, np.int64)

    def random_step(self):
        choose_all(self.rngs, self.masks, self.actions)
        self.step(self.actions)

    @property
    def under_way(self):
        return self.actors >= 0


def lying(rows, pile, kind):
    """Whether a card of a kind lies in somebody's stack or discard pile: bool[rows]."""
    size = rows[pile.replace("_pile", "") + "_size"]
    places = np.arange(rows[pile].shape[2]) < size[:, :, None]
    return ((rows[pile] == kind) & places).any((1, 2))


def check_rows(games):
    """All that must hold between two decisions."""
    rows, playing = games.rows, games.under_way
    assert (cards_everywhere(rows) == rows["composition"]).all(), "cards lost or doubled"
    assert games.masks[playing].any(1).all(), "nothing legal for the one to act"
    assert not games.masks[~playing].any()
    index = np.arange(len(rows))
    assert rows["living"][index, rows["actor"]][playing].all(), "the dead do not decide"
    assert rows["living"][index, rows["next_turn"]][playing].all()
    dead = rows["living"] == 0
    assert not (rows["stack_size"] * dead)[playing].any(), "the dead have no stack"
    hidden = lying(rows, "stack", Card.TURTLE) | lying(rows, "discard_pile", Card.TURTLE)
    assert (hidden | (rows["pending"] == Card.TURTLE))[playing].all()
    turns = playing & (rows["phase"] == Phase.TURN)
    stacks = rows["stack_size"][index, rows["turn"]]
    assert (stacks > 0)[turns].all(), "whoever is to move has a card"
    for seat in range(rows["stack"].shape[1]):
        assert (rows["discard_seen"][:, seat] >> rows["discard_size"][:, seat] == 0).all()
    assert (rows["pending"] == -1)[playing & (rows["phase"] != Phase.REACT)].all()
    assert (rows["next_modifier"] == -1)[turns].all()


@sizes
@both
def test_random_games_keep_every_card_and_end(num_players, options):
    games = Games(100, num_players, options)
    decisions = 0
    while games.under_way.any():
        if decisions % 5 == 0:
            check_rows(games)
        games.random_step()
        decisions += 1
        for index in np.flatnonzero(games.dones):
            row = games.rows[index]
            payoffs = payoffs_of(row)
            assert (games.rewards[index] == payoffs).all()
            assert payoffs.sum() == pytest.approx(0, abs=1e-6)
            assert is_truncated(row) == (not payoffs.any())
            assert not is_truncated(row) or row.steps == row.max_cycles
            winner = outcome(row).winners[0]
            assert is_truncated(row) or (payoffs[winner] == 1 and row.living[winner])
    assert decisions <= Rules(**options).max_cycles
    check_rows(games)
    if options.get("younger"):
        assert (games.rows["winner"] >= 0).all()


def test_the_length_of_games_is_that_of_the_rules():
    """Mean 26 to 45 decisions of random play, by the check that came with the rules."""
    games = Games(2000, 4, {}, seed=3)
    while games.under_way.any():
        games.random_step()
    assert 26 <= games.rows["steps"].mean() <= 45


@sizes
def test_a_batch_plays_what_single_games_play(num_players):
    games = Games(5, num_players, {}, seed=3)
    singles = [Games(1, num_players, {}, seed=3 + index) for index in range(5)]
    aec = raw_env(num_players)
    aec.reset(seed=3)
    while games.under_way.any():
        for index, single in enumerate(singles):
            assert single.rows[0] == games.rows[index]
        if games.actors[0] >= 0:
            seen = aec.observe(aec.agent_selection)
            assert (seen["observation"] == games.observations[0]).all()
            assert (seen["action_mask"] == games.masks[0]).all()
        games.random_step()
        for index, single in enumerate(singles):
            single.step(games.actions[index : index + 1])
        if games.actions[0] != LOOK:
            aec.step(int(games.actions[0]))


@sizes
def test_relabelled_seats_play_the_relabelled_game(num_players):
    """The same seed and actions, another starting seat: the same game, turned round the table."""
    straight, turned = Games(20, num_players, {}, seed=9), Games(20, num_players, {}, seed=9)
    for index in range(20):
        turned.rows["rng"][index] = straight.rows["rng"][index] = seed_rng(index)
        GAME.kernel.deal(straight.rows, index, 0)
        GAME.kernel.deal(turned.rows, index, num_players - 1)
    for games in (straight, turned):
        games.look()
    while straight.under_way.any():
        assert (straight.masks == turned.masks).all()
        assert (straight.observations == turned.observations).all()
        straight.random_step()
        turned.step(straight.actions)
    for a, b in zip(straight.rows, turned.rows, strict=True):
        assert (np.roll(payoffs_of(a), num_players - 1) == payoffs_of(b)).all()


def test_an_observation_stays_in_its_space_and_fills_its_slices():
    reached = np.zeros_like(GAME.observation_highs(4))
    for options in ({}, OPTIONS["younger players"], OPTIONS["without endless cards"]):
        games = Games(400, 4, options, seed=4)
        while games.under_way.any():
            assert (games.observations >= 0).all()
            assert (games.observations <= GAME.observation_highs(4)).all()
            reached = np.maximum(reached, games.observations.max(0))
            games.random_step()
    for piece in GAME.observation_slices(4).values():
        assert piece.of(reached).any(), f"{piece.name} was never written"


# ------------------------------------------------------------------------------------------ secrecy


def scramble(rows, viewer, rng):
    """Another row that the viewer cannot tell from the first: secrets drawn anew."""
    scrambled = rows.copy()
    row = scrambled[0]
    places = []
    for seat in range(row.num_players):
        if not (seat == viewer and row.peeking[seat]):
            places += [(row.stack, seat, k) for k in range(row.stack_size[seat])]
        seen = int(row.discard_seen[seat])
        unseen = [k for k in range(row.discard_size[seat]) if not seen >> k & 1]
        places += [(row.discard_pile, seat, k) for k in unseen]
    kinds = [pile[seat, k] for pile, seat, k in places]
    for (pile, seat, k), kind in zip(places, rng.permutation(kinds), strict=True):
        pile[seat, k] = kind
    for seat in range(8):  # what lay where piles were higher
        row.stack[seat, row.stack_size[seat] :] = rng.integers(0, 32)
        row.discard_pile[seat, row.discard_size[seat] :] = rng.integers(0, 32)
    row.rng[:] = rng.integers(0, 2**32, 4)
    return scrambled


def what_is_seen(rows, viewer):
    """Observation, view and words."""
    observation = np.zeros(len(GAME.observation_highs(rows[0].num_players)), np.int8)
    GAME.kernel.observe(rows, 0, viewer, observation)
    view = GAME.view(rows, 0, viewer)
    return observation.tobytes(), view.state.tobytes(), GAME.describe(view, False)


@pytest.mark.parametrize("num_players", [2, 4, 8])
def test_secrets_do_not_show(num_players):
    games = Games(8, num_players, {}, seed=21)
    rng = np.random.default_rng(num_players)
    changed = 0
    while games.under_way.any():
        for index in np.flatnonzero(games.under_way):
            rows = games.rows[index : index + 1]
            for viewer in {int(rng.integers(num_players)), int(rows["actor"][0])}:
                scrambled = scramble(rows, viewer, rng)
                changed += (scrambled["stack"] != rows["stack"]).any()
                assert what_is_seen(rows, viewer) == what_is_seen(scrambled, viewer)
        games.random_step()
    assert changed > 100


@sizes
def test_a_view_is_observed_as_the_game_is_and_a_drawn_game_fits_it(num_players):
    games = Games(20, num_players, {}, seed=33)
    rng = seed_rng(0)
    while games.under_way.any():
        indices = np.flatnonzero(games.under_way)
        views = games.views(indices)
        drawn = views.copy()
        for k, index in enumerate(indices):
            again = np.zeros_like(games.observations[index])
            GAME.kernel.observe(views, k, games.actors[index], again)
            assert (again == games.observations[index]).all()
            GAME.kernel.determinize(drawn, k, rng)
        assert (cards_everywhere(drawn) == drawn["composition"]).all()
        for k in range(len(drawn)):
            GAME.kernel.hide(drawn, k, drawn["actor"][k])
        assert drawn.tobytes() == views.tobytes(), "the seat could tell it from its own game"
        games.random_step()


def test_a_drawn_game_can_be_played_on():
    games = Games(100, 4, {}, seed=9)
    for _ in range(15):
        games.random_step()
    games.rows[:] = games.rows[games.under_way][np.arange(100) % games.under_way.sum()]
    games.look()
    games.rows[:] = games.views(np.arange(100))
    for index in range(100):
        GAME.kernel.determinize(games.rows, index, seed_rng(index))
    games.look()
    while games.under_way.any():
        check_rows(games)
        games.random_step()


# ------------------------------------------------------------------------------------ the one game


def played(seed, steps, **options):
    environment = raw_env(4, Rules(**options), render_mode="ansi")
    environment.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        mask = environment.observe(environment.agent_selection)["action_mask"]
        if mask.any():
            environment.step(int(rng.choice(np.flatnonzero(mask))))
    return environment


@pytest.mark.parametrize("seed", range(10))
def test_copies_texts_and_logs_of_a_game_under_way(seed):
    environment = played(seed, 15, removed=["Dance", Card.SKIP])
    twins = [
        environment.clone(),
        pickle.loads(pickle.dumps(environment)),
        raw_env.from_json(environment.to_json()),
    ]
    for twin in twins:
        assert twin.state() == environment.state()
        assert twin.agent_selection == environment.agent_selection
        assert twin.terminations == environment.terminations
        assert twin.log() == environment.log() == environment.log("player_2")
    assert len(environment.log()) >= len(environment._actions)
    assert environment.render().startswith("Bad, Bad, Turtle, seen by player_")


def test_every_unmasked_action_is_refused_without_a_change():
    environment = played(1, 0)
    while environment.agents and not any(environment.terminations.values()):
        mask = environment.observe(environment.agent_selection)["action_mask"]
        before = environment.to_json()
        for action in np.flatnonzero(mask == 0):
            with pytest.raises(ValueError, match="not legal"):
                environment.step(int(action))
        assert environment.to_json() == before
        environment.step(int(np.flatnonzero(mask)[-1]))


def test_every_word_is_said():
    """Games in words, until all that can be told was told."""
    said = set()
    for seed in range(60):
        environment = played(seed, 200)
        said |= {word for line in environment.log() for word in line.split()}
        environment.describe("player_0")
    wanted = "takes under performs: declines: picks lets plays forces reveals eliminated back anew"
    assert set(wanted.split()) <= said


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pettingzoos_own_tests(capsys):
    for num_players in (2, 4, 8):
        api_test(env(num_players), num_cycles=200)
    seed_test(env, num_cycles=50)
