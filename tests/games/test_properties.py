"""Properties of all games, tested on random games of every number of players and option."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from gubs_env.engine.border import faults_of
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.faults import SOUND
from gubs_env.engine.fields import COMMON_FIELDS
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.table import Table
from gubs_env.engine.view import View
from tests.amounts import MORE
from tests.games.cases import all_tables, every_case, main_tables, relabelled_tables


def check(case, games):
    """Check what must hold between two decisions, in all games and in this one."""
    under_way = games.under_way
    assert games.masks[under_way].any(1).all(), "nothing legal for the player to decide"
    assert not games.masks[~under_way].any(), "something is legal in a game that is over"
    assert (games.actors[under_way] == games.states["actor"][under_way]).all()
    assert (games.actors[~under_way] == NOBODY).all()
    complete = np.full(games.num_envs, NOBODY)
    assert (faults_of(case.game, games.states.copy(), complete)[:, 0] == SOUND).all()
    over = games.states["phase"] == case.game.mechanics.Phase.OVER
    assert (over == ~under_way).all()
    assert (games.states["actor"] >= 0).all()
    assert (games.states["actor"] < games.num_players).all()
    case.check(games)


def check_end(case, games, index, options, paid):
    """Check who has won, and what the batch has paid."""
    state = games.states[index]
    payoffs, winners = case.game.payoffs(state), list(case.game.outcome(state).winners)
    assert (payoffs == paid[index]).all()
    table = Table(case.game, len(payoffs), options)
    assert np.abs(payoffs).max() <= table.max_payoff + 1e-6
    assert table.pays_wins == case.pays_wins(options)
    if case.game.mechanics.is_truncated(state):
        assert not payoffs.any()
        assert winners == []
        assert state.decisions == state.max_cycles
        return
    if state.num_players == state.num_seats and case.is_zero_sum(options):
        assert payoffs.sum() == pytest.approx(0, abs=1e-5)
    if winners:  # else ghosts have won
        assert (payoffs[winners] == payoffs.max()).all()
        assert not case.is_zero_sum(options) or len(winners) == (payoffs == payoffs.max()).sum()
    else:
        assert state.num_players < state.num_seats
    case.check_end(state, payoffs)


@every_case
def test_varied_rules_differ_in_the_varied_options_only(case):
    game, rng = case.game, np.random.default_rng(0)
    plain = game.rules().as_dict()
    for _ in range(50):
        found = Table(game).varied(rng).rules.as_dict()
        assert {name for name in plain if found[name] != plain[name]} <= {*game.varied_options}
    assert {*game.varied_options, *game.table_options} <= plain.keys()


@every_case
def test_states_begin_with_the_fields_that_all_games_have(case):
    dtype = Table(case.game).new_states(1).dtype
    for name, field in zip(dtype.names, COMMON_FIELDS, strict=False):
        assert (name, dtype[name]) == (field.name, np.dtype((field.dtype, field.shape)))


@all_tables
def test_random_games_keep_every_card_and_end(case, num_players, options):
    games = case.games(case.num_games * MORE, num_players, options)
    table = Table(case.game, num_players, options)
    bound, highs = case.max_decisions(table), table.observation_highs
    paid, ends = np.zeros_like(games.rewards), np.zeros(games.num_envs, int)
    played = np.zeros(games.num_envs, int)
    while games.under_way.any():
        if played.max() % 13 == 0:
            check(case, games)
            assert (games.states["decisions"] == played).all()
            assert (games.observations >= 0).all()
            assert (games.observations <= highs).all()
        played += games.under_way
        games.random_step()
        paid += games.rewards
        ends += games.dones
        assert not games.rewards[~games.dones].any()
        assert not games.truncations[~games.dones].any()
        assert played.max() <= bound
    check(case, games)
    assert (ends == 1).all()
    assert (games.states["decisions"] == played).all()
    for index in range(games.num_envs):
        check_end(case, games, index, options, paid)
        last = games.observe(index, int(games.states["actor"][index]))
        assert (games.observations[index] == last).all()


@main_tables
def test_actions_not_offered_are_refused_without_change(case, num_players, options):
    games = case.games(12, num_players, options, seed=5)
    size = games.masks.shape[1]
    for _ in range(25):
        before = games.states.tobytes()
        for action in (-2, *range(size), size):
            inside = 0 <= action < size
            refusing = ~games.masks[:, action].astype(bool) if inside else games.under_way
            if len(bad := np.flatnonzero(refusing & games.under_way)):
                actions = np.full(12, LOOK)
                actions[bad[action % len(bad)]] = action
                with pytest.raises(ValueError, match="is not legal"):
                    games.step(actions)
        assert games.states.tobytes() == before
        for _ in range(3):
            games.random_step()


@relabelled_tables
def test_relabelled_seats_play_the_relabelled_game(case, num_players, options):
    """Play the same seed and actions with another starting player: the same game, relabelled."""
    turned_by, kernel = num_players - 1, case.game.kernel
    straight, turned = (case.games(40, num_players, options, seed=9) for _ in range(2))
    for index in range(40):
        straight._states["rng"][index] = turned._states["rng"][index] = seed_rng(index)
        kernel.deal(straight._states, index, 0)
        kernel.deal(turned._states, index, turned_by)
    for games in (straight, turned):
        games.look()
    while straight.under_way.any():
        going = straight.under_way
        assert (straight.masks == turned.masks).all()
        assert (straight.observations[going] == turned.observations[going]).all()
        assert ((straight.actors + turned_by) % num_players == turned.actors)[going].all()
        straight.random_step()
        turned.step(straight.actions)
        assert (np.roll(straight.rewards, turned_by, axis=1) == turned.rewards).all()
    assert not turned.under_way.any()


@main_tables
def test_a_batch_plays_what_single_games_play(case, num_players, options):
    count = 6
    games = case.games(count, num_players, options, seed=3)
    singles = [case.games(1, num_players, options, seed=3 + index) for index in range(count)]
    aec = case.module.raw_env(num_players, case.game.rules(**options))
    aec.reset(seed=3)
    for _ in range(150):
        for index, single in enumerate(singles):
            assert single.states.tobytes() == games.states[index].tobytes()
        if games.actors[0] >= 0:
            seen = aec.observe(aec.agent_selection)
            assert (seen["observation"] == games.observations[0]).all()
            assert (seen["action_mask"] == games.masks[0]).all()
        games.random_step()
        for index, single in enumerate(singles):
            single.step(games.actions[index : index + 1])
        if games.actions[0] != LOOK:
            aec.step(int(games.actions[0]))
        if not games.under_way.any():
            break


@every_case
def test_observations_fill_their_slices(case):
    """Check that at some table every slice is written, and that none leaves its range."""
    sizes = defaultdict(list)
    for table in case.tables.values():
        sizes[Table(case.game, *table).observation_size].append(table)
    for tables in sizes.values():
        check_filled(case, tables)


def check_filled(case, tables):
    """Play at these tables until every slice was written; some rarely are."""
    highs = Table(case.game, *tables[0]).observation_highs
    slices = case.game.observation_slices(tables[0][0]).values()
    reached = np.zeros_like(highs)
    for seed in range(10):
        for num_players, options in tables:
            games = case.games(60, num_players, options, seed=1000 * seed)
            while games.under_way.any():
                assert (games.observations >= 0).all()
                reached = np.maximum(reached, games.observations.max(0))
                games.random_step()
        unfilled = [piece.name for piece in slices if not is_filled(case, piece, reached)]
        if not unfilled:
            break
    assert (reached <= highs).all()
    assert unfilled == []


def is_filled(case, piece, reached):
    """Return whether a slice was written, up to its largest value where that is expected."""
    written = piece.of(reached)
    if case.below_high is None or piece.name in case.below_high:
        return written.any()
    return written.max() == piece.high


# ------------------------------------------------------------------------------------------ secrecy


def seen_by(game, states, players):
    """Return what each player sees of each state: observations, masks of the actors, views."""
    batch = game.new_batch(states.copy())
    game.kernel.advance(*batch, np.full(len(states), LOOK), 1, False, False)
    views = states.copy()
    for index, player in enumerate(players):
        game.kernel.observe(batch.states, index, player, batch.observations[index])
        game.kernel.hide(views, index, player)
    batch.masks[batch.actors != players] = 0
    return batch.observations, batch.masks, views


def assert_alike(game, states, others, players):
    one, other = seen_by(game, states, players), seen_by(game, others, players)
    for what, ours, theirs in zip(("observations", "masks", "views"), one, other, strict=True):
        for index in range(len(states)):
            assert ours[index].tobytes() == theirs[index].tobytes(), f"{what} tell a secret"
    return one, other


@main_tables
def test_secrets_do_not_show(case, num_players, options):
    games = case.games(5, num_players, options, seed=21)
    rng = np.random.default_rng(num_players)
    changed, asked = 0, 0
    for decision in range(40 * MORE):
        if not len(going := np.flatnonzero(games.under_way)):
            break
        states = games.states[going]
        players = rng.integers(num_players, size=len(going))
        if decision % 2:
            players = states["actor"].copy()
        scrambled = np.concatenate(
            [case.scramble(states[k : k + 1], int(player), rng) for k, player in enumerate(players)]
        )
        (_, _, views), (_, _, again) = assert_alike(case.game, states, scrambled, players)
        one, other = (View(int(players[0]), rows[0], case.game) for rows in (views, again))
        assert case.game.describe(one) == case.game.describe(other)
        assert case.game.legal_moves(one) == case.game.legal_moves(other)
        if decision % 6 == 0:
            assert case.game.draw(one) == case.game.draw(other), "the picture tells a secret"
        secret = (states[case.secret] != scrambled[case.secret]).reshape(len(states), -1)
        changed, asked = changed + secret.any(1).sum(), asked + len(going)
        games.random_step()
    assert changed > asked / 3, "little was scrambled"


@main_tables
def test_a_view_is_observed_as_the_game_is(case, num_players, options):
    games = case.games(3, num_players, options, seed=33)
    players = np.arange(num_players)
    for _ in range(25 * MORE):
        for index in np.flatnonzero(games.under_way):
            states = np.repeat(games.states[index : index + 1], num_players)
            views = states.copy()
            for player in players:
                case.game.kernel.hide(views, player, player)
            observations, masks, hidden = seen_by(case.game, states, players)
            again, masks_again, hidden_again = seen_by(case.game, views, players)
            assert (observations == again).all()
            assert (masks == masks_again).all()
            assert hidden.tobytes() == hidden_again.tobytes(), "hiding twice hides more"
            assert not views["rng"].any()
        games.random_step()
        games.random_step()


# ------------------------------------------------------------------------------------ determinized


@all_tables
def test_a_determinized_view_looks_the_same_and_can_be_played(case, num_players, options):
    """Check that a drawn state is valid and looks the same to the player as their own."""
    count, kernel = 12, case.game.kernel
    games = case.games(count, num_players, options, seed=12)
    twins = case.games(count, num_players, options)
    rng = seed_rng(1)
    for decision in range(80 * MORE):
        going = np.flatnonzero(games.under_way)
        if not len(going):
            break
        if decision % 4 == 0:
            views = games.views(going)
            drawn = views.copy()
            for index in range(len(going)):
                kernel.determinize(drawn, index, rng)
            twins._states[:] = games.states
            twins._states[going] = drawn
            twins.look()
            check(case, twins)
            assert (twins.masks == games.masks).all()
            assert (twins.observations[going] == games.observations[going]).all()
            hidden = twins.views(going)
            assert hidden.tobytes() == views.tobytes(), "the player can tell it from their own"
            twins.random_step()
            check(case, twins)
            if decision % 40 == 8:
                for _ in range(20):
                    twins.random_step()
                check(case, twins)
        games.random_step()


@every_case
def test_a_drawn_game_can_be_played_to_its_end(case):
    count = 100
    num_players = min(max(3, case.game.players), case.game.player_counts[-1])
    games = case.games(count, num_players, {}, seed=9)
    for _ in range(15 if case.game.name.startswith("bad") else 60):
        if games.under_way.mean() < 0.3:
            break
        games.random_step()
    games._states[:] = games.states[games.under_way][np.arange(count) % games.under_way.sum()]
    games._states[:] = games.views(np.arange(count))
    for index in range(count):
        case.game.kernel.determinize(games._states, index, seed_rng(index))
    games.look()
    while games.under_way.any():
        check(case, games)
        games.random_step()
    check(case, games)
