"""What holds in every game, over thousands of random ones, for every table size and option."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_env.api.vector import VectorEnv
from gubs_env.engine.choosing import LOOK, choose_all
from gubs_env.engine.rng import seed_rng
from gubs_env.games.gubs.cards import (
    LETTERS,
    NO_CARD,
    NUM_COLONY_KINDS,
    NUM_HAND_KINDS,
    NUM_KINDS,
    PLACES,
)
from gubs_env.games.gubs.legal import write_mask
from gubs_env.games.gubs.rules import HAND_LIMIT
from gubs_env.games.gubs.score import payoffs as payoffs_of
from gubs_env.games.gubs.state import NOBODY, Phase
from gubs_env.games.gubs.words import describe
from gubs_env.gubs_v0 import GAME, Rules, max_decisions

PLAYERS = range(2, 7)
OPTIONS = {
    "the rules proper": {},
    "letters anywhere": {"letters": "anywhere"},
    "flood to the deck": {"flood_to": "deck"},
    "no redraw": {"plague_redraw": False},
    "single barricades": {"stacked_barricades": False},
    "everyone asked": {"ask_everyone": True},
    "margin": {"reward": "margin"},
    "three Plagues": {
        "deck": {"Gub": 8, "Mushroom": 6, "Lure": 6, "Sud Spout": 6, "Feather": 4, "Scout": 4,
                 "Retreat": 4, "Double Ring": 3, "Haki Flute": 3, "Cricket Song": 3,
                 "Age-Old Cure": 3, "Gargok Plague": 3, "Traveling Merchant": 3, "Flop Boat": 2,
                 "Letter G": 1, "Letter U": 1, "Letter B": 1},
    },
}  # fmt: skip
both = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
sizes = pytest.mark.parametrize("num_players", PLAYERS)


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


def cards_everywhere(rows):
    """Cards of each kind in hands, colonies, piles, deck, open or announced: int[rows, 32]."""
    count = rows["discard_pile"].astype(int)
    count[:, :NUM_HAND_KINDS] += rows["hand"].sum(1, dtype=int)
    laid = rows["colony"].sum((1, 2), dtype=int)
    assert (laid % PLACES[:NUM_COLONY_KINDS] == 0).all(), "a Ring with the wrong number of Gubs"
    count[:, :NUM_COLONY_KINDS] += laid // PLACES[:NUM_COLONY_KINDS]
    count[:, list(LETTERS)] += rows["letters"]
    in_deck = np.arange(rows["deck"].shape[1]) < rows["deck_size"][:, None]
    for kind in range(NUM_KINDS):
        count[:, kind] += ((rows["deck"] == kind) & in_deck).sum(1)
        count[:, kind] += (rows["announced"] == 1) & (rows["played"] == kind)
    return count


def check_rows(games):
    """All that must hold between two decisions."""
    rows = games.rows
    assert (cards_everywhere(rows) == rows["composition"]).all(), "cards lost or doubled"
    assert (rows["hand"].sum(2) == rows["hand_size"]).all()
    assert (rows["hand"] >= 0).all()
    gubs = rows["colony"][..., :2].sum(-1)
    slots = np.arange(gubs.shape[2])
    taken = slots < rows["colony_size"][:, :, None]
    assert (gubs == taken).all(), "one Gub or Elder a place, and no gaps"
    barricaded = rows["colony"][..., 2:5].sum(-1) > 0
    trapped = rows["colony"][..., 5:].sum(-1) > 0
    assert not (barricaded & trapped).any(), "a Barricade and a Trap on the same Gub"
    elder = rows["colony"][..., 1] > 0
    assert not (elder & (barricaded | trapped)).any(), "a card on the Elder"
    known, hand = rows["known"], rows["hand"][:, None]
    assert ((known >= 0) & (known <= hand)).all(), "remembered more than is true"
    assert (games.masks[games.under_way].any(1)).all(), "nothing legal for the one to act"
    assert not games.masks[~games.under_way].any()
    assert (rows["letters"].sum(1) == 3)[~games.under_way].all()
    assert (rows["letters"].sum(1) < 3)[games.under_way].all()


@sizes
@both
def test_random_games_keep_every_card_and_end(num_players, options):
    games = Games(250 if options else 750, num_players, options)
    bound = max_decisions(num_players, Rules(**options))
    decisions = 0
    while games.under_way.any():
        if decisions % 7 == 0:
            check_rows(games)
        games.random_step()
        decisions += 1
        assert decisions <= bound
    check_rows(games)
    for index in range(games.num_envs):
        payoffs = payoffs_of(games.rows[index])
        if options.get("reward") != "margin":
            assert payoffs.sum() == pytest.approx(0, abs=1e-5)


@sizes
@both
def test_turns_end_with_at_most_eight_cards_and_nobody_skips_twice(num_players, options):
    games = Games(60, num_players, options, seed=77)
    while games.under_way.any():
        before = games.rows.copy()
        games.random_step()
        after = games.rows
        new_turn = after["turn"] != before["turn"]
        index = np.arange(games.num_envs)
        assert (after["hand_size"][index, before["turn"]] <= HAND_LIMIT)[new_turn].all()
        drawing = (before["phase"] == Phase.DRAW) & (games.actions == 0)
        assert not before["skipped"][index, before["turn"]][drawing].any()


@sizes
def test_every_offered_action_can_be_played_and_completed(num_players):
    games = Games(3, num_players, {}, seed=5)
    while games.under_way.any():
        for index in np.flatnonzero(games.under_way):
            legal = np.flatnonzero(games.masks[index])
            twins = Games(len(legal), num_players, {})
            twins.rows[:] = games.rows[index]
            twins.look()
            twins.step(legal)
            check_rows(twins)
            moving = np.isin(twins.rows["phase"], [Phase.NAME, Phase.TARGET, Phase.MEANT])
            while moving.any():  # the begun move comes to its end, whatever is picked
                choose_all(twins.rngs, twins.masks, twins.actions)
                twins.step(np.where(moving, twins.actions, LOOK))
                moving &= np.isin(twins.rows["phase"], [Phase.NAME, Phase.TARGET, Phase.MEANT])
            check_rows(twins)
        games.random_step()


@sizes
def test_relabelled_seats_play_the_relabelled_game(num_players):
    """The same seed and actions, another starting seat: the same game, turned round the table."""
    turned_by = num_players - 1
    straight, turned = Games(40, num_players, {}, seed=9), Games(40, num_players, {}, seed=9)
    for index in range(40):
        turned.rows["rng"][index] = straight.rows["rng"][index] = seed_rng(index)
        GAME.kernel.deal(straight.rows, index, 0)
        GAME.kernel.deal(turned.rows, index, turned_by)
    for games in (straight, turned):
        games.step(np.full(40, LOOK))
    while straight.under_way.any():
        assert (straight.masks == turned.masks).all()
        assert (straight.observations == turned.observations).all()
        straight.random_step()
        turned.step(straight.actions)
    for index in range(40):
        assert (
            np.roll(payoffs_of(straight.rows[index]), turned_by) == payoffs_of(turned.rows[index])
        ).all()


@sizes
def test_a_batch_plays_what_single_games_play(num_players):
    games = Games(20, num_players, {}, seed=3)
    singles = [Games(1, num_players, {}, seed=3 + index) for index in range(20)]
    while games.under_way.any():
        for index, single in enumerate(singles):
            assert single.rows[0] == games.rows[index]
        games.random_step()
        for index, single in enumerate(singles):
            single.step(games.actions[index : index + 1])


# ------------------------------------------------------------------------------------------ secrecy


def unseen(row, viewer):
    """The cards a seat cannot place: in the hands of others beyond its bounds, and in the deck."""
    pool = []
    for seat in range(row.num_players):
        if seat != viewer:
            extra = row.hand[seat].astype(int) - row.known[viewer, seat]
            pool += [kind for kind in range(NUM_HAND_KINDS) for _ in range(extra[kind])]
    return pool + list(row.deck[: row.deck_size - row.known_top[viewer]])


def scramble(rows, viewer, rng):
    """Another row that the viewer cannot tell from the first: secrets drawn anew."""
    scrambled = rows.copy()
    row = scrambled[0]
    pool = list(rng.permutation(unseen(row, viewer)))
    others = [seat for seat in range(row.num_players) if seat != viewer]
    for seat in others:
        row.hand[seat] = row.known[viewer, seat]
        for _ in range(row.hand_size[seat] - row.hand[seat].sum()):
            held = next(i for i, kind in enumerate(pool) if kind < NUM_HAND_KINDS)
            row.hand[seat, pool.pop(held)] += 1
        row.known[seat] = rng.integers(0, 3, row.known[seat].shape)
        row.known_top[seat] = rng.integers(0, 3)
        if row.kept[seat] != NO_CARD:
            row.kept[seat] = rng.integers(0, NUM_HAND_KINDS)
    row.deck[: len(pool)] = pool
    row.rng[:] = rng.integers(0, 2**32, 4)
    hide_others_decision(row, viewer, others, rng)
    return scrambled


def hide_others_decision(row, viewer, others, rng):
    """Whose answer is awaited, and the unfinished picks of others, may be anything."""
    asking = row.phase in (Phase.ANSWER, Phase.CURE, Phase.MERCHANT)
    openly = row.ask_everyone and row.phase != Phase.MERCHANT
    if asking and not openly and row.actor != viewer:
        row.actor = rng.choice(others)
        row.asked = rng.integers(1, row.num_players + 1)
    if row.phase in (Phase.PLAY, Phase.NAME, Phase.TARGET, Phase.MEANT) and row.turn != viewer:
        row.phase = rng.choice([Phase.PLAY, Phase.NAME, Phase.TARGET, Phase.MEANT])
        row.played = rng.integers(0, NUM_HAND_KINDS)
        row.played_as = rng.integers(0, NUM_HAND_KINDS)
        row.num_targets = rng.integers(0, 2)
        row.target_seat[0] = row.turn
        row.target_slot[0] = 0
    if row.phase == Phase.ORDER and row.turn != viewer:
        row.ordered = rng.integers(0, 2)


def what_is_seen(rows, viewer):
    """Observation, mask if it is the viewer's decision, view and words."""
    observation = np.zeros(len(GAME.observation_highs(rows[0].num_players)), np.int8)
    GAME.kernel.observe(rows, 0, viewer, observation)
    mask = np.zeros(GAME.num_actions(rows[0].num_players), np.int8)
    if rows[0].actor == viewer:
        write_mask(rows[0], mask)
    view = GAME.view(rows, 0, viewer)
    return observation.tobytes(), mask.tobytes(), view.state.tobytes(), describe(view)


@sizes
@pytest.mark.parametrize("options", [{}, {"ask_everyone": True}, OPTIONS["three Plagues"]])
def test_secrets_do_not_show(num_players, options):
    games = Games(6, num_players, options, seed=21)
    rng = np.random.default_rng(num_players)
    changed = 0
    while games.under_way.any():
        for index in np.flatnonzero(games.under_way):
            rows = games.rows[index : index + 1]
            viewer = int(rng.integers(num_players))
            scrambled = scramble(rows, viewer, rng)
            changed += (scrambled["hand"] != rows["hand"]).any()
            assert what_is_seen(rows, viewer) == what_is_seen(scrambled, viewer)
        games.random_step()
    assert changed > 500


@sizes
def test_a_view_is_observed_as_the_game_is(num_players):
    games = Games(5, num_players, {}, seed=33)
    while games.under_way.any():
        for index in np.flatnonzero(games.under_way):
            for viewer in range(num_players):
                seen = games.observe(index, viewer)
                veiled = GAME.view(games.rows, index, viewer)
                again = np.zeros_like(seen)
                rows = np.array([veiled.state], games.rows.dtype)
                GAME.kernel.observe(rows, 0, viewer, again)
                assert (seen == again).all()
                assert (rows["hand"][0].sum(1)[np.arange(6) != viewer] == 0).all()
                assert rows["actor"][0] in (NOBODY, games.rows["actor"][index])
        games.random_step()


@sizes
def test_an_observation_stays_in_its_space_and_fills_its_slices(num_players):
    games = Games(50, num_players, OPTIONS["everyone asked"], seed=4)
    highs = GAME.observation_highs(num_players)
    reached = np.zeros_like(highs)
    while games.under_way.any():
        assert (games.observations >= 0).all()
        assert (games.observations <= highs).all()
        reached = np.maximum(reached, games.observations.max(0))
        games.random_step()
    for piece in GAME.observation_slices(num_players).values():
        assert piece.of(reached).any(), f"{piece.name} was never written"
