"""What holds in every game of FUBNUB, over many random ones, for every mode."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_env.api.vector import VectorEnv
from gubs_env.engine.choosing import LOOK, choose_all
from gubs_env.engine.rng import seed_rng
from gubs_env.fubnub_v0 import GAME, Phase, Rules, max_decisions
from gubs_env.games.fubnub.cards import NUM_CARDS, NUM_POINTS
from gubs_env.games.fubnub.observation import SLICES
from gubs_env.games.fubnub.score import payoffs as payoffs_of
from gubs_env.games.fubnub.state import UNDEALT
from gubs_env.games.fubnub.words import describe

TABLES = {
    "team": (4, {}),
    "team, short": (4, {"num_points": 5}),
    "team, chosen cards": (4, {"point_cards": ["Evens", "Red", "Gold and Green"]}),
    "one and ghosts": (1, {"mode": "ghost"}),
    "two and ghosts": (2, {"mode": "ghost"}),
    "partners and ghosts": (2, {"mode": "ghost", "ghost_seats": (1, 3)}),
    "three and a ghost": (3, {"mode": "ghost", "ghost_seats": (1,)}),
    "royal for two": (2, {"mode": "royal"}),
    "royal for three": (3, {"mode": "royal", "num_points": 7}),
    "royal for four": (4, {"mode": "royal", "final_tie": "share"}),
    "royal for one": (1, {"mode": "ghost_royal"}),
    "royal for three and a ghost": (3, {"mode": "ghost_royal", "final_tie": "share"}),
    "full": (4, {"mode": "full"}),
    "full, piles move": (4, {"mode": "full", "move_points": True}),
    "full, cut short": (4, {"mode": "full", "max_cycles": 150}),
}
tables = pytest.mark.parametrize(("num_players", "options"), TABLES.values(), ids=TABLES.keys())


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


def check_rows(games):
    """All that must hold between two decisions."""
    rows = games.rows
    held = rows["hand"].sum(1) + rows["trick"].sum(1) + rows["played"].sum(1)
    assert (held + rows["undealt"] + rows["under"] == 1).all(), "a number card lost or doubled"
    assert (rows["hand"].sum(2) == rows["hand_size"]).all()
    assert (rows["under"].sum(1) == rows["num_under"]).all()
    lying = rows["point_deck"] + rows["absent"] + rows["limbo"] + rows["owned"].sum(1)
    in_play = rows["point_card"][:, None] == np.arange(NUM_POINTS)
    assert (lying + in_play == 1).all(), "a point card lost or doubled"
    assert ((NUM_POINTS - rows["absent"].sum(1)) == rows["num_points"]).all()
    there = np.concatenate([rows["hand"], (rows["undealt"] + rows["under"])[:, None]], axis=1)
    assert (rows["known"] <= there[:, None]).all(), "remembered what is not so"
    seats = np.arange(4)
    assert not rows["known"][:, seats, seats].any()
    under_way = games.under_way
    assert games.masks[under_way].any(1).all(), "nothing legal for the one to act"
    assert not games.masks[~under_way].any()
    assert (rows["player_at"][np.arange(len(rows)), rows["asked"]] == rows["actor"]).all()
    assert (rows["phase"] <= Phase.OVER).all()
    assert (rows["entitled"] >= rows["swapped"]).all()
    assert (rows["tricks_won"].sum(1) <= 5).all()


@tables
def test_random_games_keep_every_card_and_end(num_players, options):
    games = Games(120, num_players, options)
    bound = max_decisions(num_players, Rules(**options))
    decisions = 0
    while games.under_way.any():
        if decisions % 5 == 0:
            check_rows(games)
        games.random_step()
        decisions += 1
        assert decisions <= bound
    check_rows(games)
    for row in games.rows:
        check_end(row, payoffs_of(row), num_players)


def check_end(row, payoffs, num_players):
    """Who has won, and what it is worth."""
    if row.truncated:
        assert not payoffs.any()
        return
    scores = np.array([row.owned[s & 1 if row.teams else s].sum() for s in range(row.num_seats)])
    won = row.won[: row.num_seats].astype(bool)
    assert won.any()
    assert (scores[won] == scores.max()).all()
    living = row.seat_of[:num_players]
    if row.teams:
        assert scores.max() == row.num_points // 2 + 1
        assert (payoffs == np.where(won[living], 1, -1)).all()
    elif won[living].any():
        by_seat = np.where(won, 1 / won.sum(), -1 / max(1, (~won).sum())) * (not won.all())
        assert payoffs == pytest.approx(by_seat[living], abs=1e-6)
        assert by_seat.sum() == pytest.approx(0)
    else:
        assert (payoffs == -1).all()


@tables
def test_actions_not_offered_are_refused_without_change(num_players, options):
    games = Games(12, num_players, options, seed=5)
    for _ in range(40):
        before = games.rows.copy()
        for action in range(games.masks.shape[1]):
            bad = np.flatnonzero((games.masks[:, action] == 0) & games.under_way)
            if len(bad):
                actions = np.full(12, LOOK)
                actions[bad[0]] = action
                with pytest.raises(ValueError, match="is not legal"):
                    games.step(actions)
        assert (games.rows == before).all()
        games.random_step()


@pytest.mark.parametrize("options", [{}, {"mode": "royal"}, {"mode": "full"}, {"num_points": 3}])
def test_relabelled_seats_play_the_relabelled_game(options):
    """The same seed and actions, another player to draw first: the same game, turned round."""
    straight, turned = Games(40, 4, options, seed=9), Games(40, 4, options, seed=9)
    for index in range(40):
        turned.rows["rng"][index] = straight.rows["rng"][index] = seed_rng(index)
        GAME.kernel.deal(straight.rows, index, 0)
        GAME.kernel.deal(turned.rows, index, 3)
    for games in (straight, turned):
        games.look()
    while straight.under_way.any():
        assert (straight.masks == turned.masks).all()
        going = straight.under_way
        assert (straight.observations[going] == turned.observations[going]).all()
        straight.random_step()
        turned.step(straight.actions)
    for one, other in zip(straight.rows, turned.rows, strict=True):
        assert (np.roll(payoffs_of(one), 3) == payoffs_of(other)).all()


@tables
def test_a_batch_plays_what_single_games_play(num_players, options):
    games = Games(6, num_players, options, seed=3)
    singles = [Games(1, num_players, options, seed=3 + index) for index in range(6)]
    for _ in range(150):
        for index, single in enumerate(singles):
            assert single.rows[0] == games.rows[index]
        games.random_step()
        for index, single in enumerate(singles):
            single.step(games.actions[index : index + 1])


# ------------------------------------------------------------------------------------------ secrecy


def scramble(rows, viewer, rng):
    """Another row that the viewer's seat cannot tell from the first: secrets drawn anew."""
    scrambled = rows.copy()
    row = scrambled[0]
    known = row.known[viewer].copy()
    own = np.zeros(NUM_CARDS, np.int8) if row.blind[viewer] else row.hand[viewer].copy()
    open_cards = row.trick.sum(0) + row.played.sum(0)
    pool = list(rng.permutation(np.flatnonzero(own + known.sum(0) + open_cards == 0)))
    sizes = row.hand_size.copy()
    row.hand[:] = 0
    for seat in range(row.num_seats):
        row.hand[seat] = own if seat == viewer else known[seat]
        for _ in range(sizes[seat] - row.hand[seat].sum()):
            row.hand[seat, pool.pop()] = 1
    row.under[:] &= known[UNDEALT]
    row.undealt[:] &= known[UNDEALT]
    for _ in range(row.num_under - row.under.sum()):
        row.under[pool.pop()] = 1
    row.undealt[pool] = 1
    for seat in range(row.num_seats):
        if seat != viewer:
            row.known[seat] = rng.integers(0, 2, row.known[seat].shape)
    if row.asked != viewer:
        row.drawn = rng.integers(-1, NUM_CARDS)
    if row.dealer != viewer:
        row.swap_drawn, row.swap_returned = rng.integers(0, NUM_CARDS, 2)
    row.rng[:] = rng.integers(0, 2**32, 4)
    return scrambled


def what_is_seen(rows, player):
    """Observation, mask if it is the player's decision, view and words."""
    num_players = int(rows[0].num_players)
    games = Games(1, num_players, {"mode": "team" if num_players == 4 else "ghost"})
    games.rows[:] = rows  # whatever their mode
    games.look()
    mask = games.masks[0].tobytes() if rows[0].actor == player else b""
    view = GAME.view(rows, 0, player)
    return games.observe(0, player).tobytes(), mask, view.state.tobytes(), describe(view)


@tables
def test_secrets_do_not_show(num_players, options):
    games = Games(4, num_players, options, seed=21)
    rng = np.random.default_rng(num_players)
    changed = 0
    for _ in range(120):
        for index in np.flatnonzero(games.under_way):
            rows = games.rows[index : index + 1]
            player = int(rng.integers(num_players))
            scrambled = scramble(rows, int(rows[0].seat_of[player]), rng)
            changed += (scrambled["hand"] != rows["hand"]).any()
            assert what_is_seen(rows, player) == what_is_seen(scrambled, player)
        games.random_step()
    assert changed > 20


@tables
def test_a_view_is_observed_as_the_game_is(num_players, options):
    games = Games(4, num_players, options, seed=33)
    for _ in range(120):
        for index in np.flatnonzero(games.under_way):
            for player in range(num_players):
                seen = games.observe(index, player)
                again = np.zeros_like(seen)
                rows = np.array([GAME.view(games.rows, index, player).state], games.rows.dtype)
                GAME.kernel.observe(rows, 0, player, again)
                assert (seen == again).all()
        games.random_step()


def test_observations_stay_in_their_space_and_fill_it():
    highs = GAME.observation_highs(4)
    reached = np.zeros_like(highs)
    for num_players, options in TABLES.values():
        games = Games(60, num_players, options, seed=4)
        while games.under_way.any():
            assert (games.observations >= 0).all()
            assert (games.observations <= highs).all()
            reached = np.maximum(reached, games.observations.max(0))
            games.random_step()
    for piece in SLICES.values():
        written = piece.of(reached)
        assert written.any(), f"{piece.name} was never written"
        assert piece.name in ("target", "hands", "known") or written.max() == piece.high


# ------------------------------------------------------------------------------------ determinized


@tables
def test_a_determinized_view_looks_the_same_and_can_be_played(num_players, options):
    games = Games(8, num_players, options, seed=12)
    rng = seed_rng(1)
    twins = Games(8, num_players, options)
    for _ in range(100):
        going = np.flatnonzero(games.under_way)
        if not len(going):
            break
        twins.rows[:] = games.rows
        for index, view in zip(going, games.views(going), strict=True):
            twins.rows[index] = view
            GAME.kernel.determinize(twins.rows, index, rng)
        twins.look()
        assert (twins.masks == games.masks).all()
        assert (twins.observations[going] == games.observations[going]).all()
        check_rows(twins)
        twins.random_step()
        check_rows(twins)
        games.random_step()


def test_every_place_of_an_unseen_card_is_as_likely():
    games = Games(1, 4, {"num_points": 15}, seed=2)
    views = games.views(np.array([0]))
    viewer, rng = int(views["asked"][0]), seed_rng(4)
    draws = 4000
    counts = np.zeros((5, NUM_CARDS))
    for _ in range(draws):
        complete = views.copy()
        GAME.kernel.determinize(complete, 0, rng)
        counts[:4] += complete["hand"][0]
        counts[4] += complete["undealt"][0]
    others = [seat for seat in range(4) if seat != viewer]
    unseen = counts[viewer] == 0
    assert unseen.sum() == 19
    for holder, size in [*((seat, 5) for seat in others), (4, 4)]:
        expected = draws * size / 19
        assert np.abs(counts[holder, unseen] - expected).max() < 5 * np.sqrt(expected)
        assert not counts[holder, ~unseen].any()
