"""The test case of FUBNUB for the tests of all games."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_env import fubnub_v0
from gubs_env.fubnub_v0 import Phase
from gubs_env.games.fubnub.cards import NUM_CARDS, NUM_POINTS
from gubs_env.games.fubnub.state import UNDEALT
from tests.games.case import Case, Games

TABLES = {
    "team": (4, {}),
    "team, three points": (4, {"num_points": 3}),
    "team, short": (4, {"num_points": 5}),
    "team, chosen cards": (4, {"point_cards": ["Evens", "Red", "Gold and Green"]}),
    "one and ghosts": (1, {"mode": "ghost"}),
    "two and ghosts": (2, {"mode": "ghost"}),
    "partners and ghosts": (2, {"mode": "ghost", "ghost_seats": (1, 3)}),
    "three and a ghost": (3, {"mode": "ghost", "ghost_seats": (1,)}),
    "royal for two": (2, {"mode": "royal"}),
    "royal for three": (3, {"mode": "royal", "num_points": 7}),
    "royal for four": (4, {"mode": "royal"}),
    "royal with shared wins": (4, {"mode": "royal", "final_tie": "share"}),
    "royal for one": (1, {"mode": "ghost_royal"}),
    "royal for three and a ghost": (3, {"mode": "ghost_royal", "final_tie": "share"}),
    "full": (4, {"mode": "full"}),
    "full, piles move": (4, {"mode": "full", "move_points": True}),
    "full, cut off": (4, {"mode": "full", "max_cycles": 150}),
}


def check(games: Games):
    """Check everything that must hold between two decisions."""
    states = games.states
    held = states["hand"].sum(1) + states["trick"].sum(1) + states["played"].sum(1)
    assert (held + states["undealt"] + states["under"] == 1).all(), "a card lost or doubled"
    assert (states["hand"].sum(2) == states["hand_size"]).all()
    assert (states["under"].sum(1) == states["num_under"]).all()
    lying = states["point_deck"] + states["absent"] + states["limbo"] + states["owned"].sum(1)
    in_play = states["point_card"][:, None] == np.arange(NUM_POINTS)
    assert (lying + in_play == 1).all(), "a point card lost or doubled"
    assert ((NUM_POINTS - states["absent"].sum(1)) == states["num_points"]).all()
    unheld = (states["undealt"] + states["under"])[:, None]
    there = np.concatenate([states["hand"], unheld], axis=1)
    assert (states["known"] <= there[:, None]).all(), "remembered what is not so"
    seats = np.arange(4)
    assert not states["known"][:, seats, seats].any()
    asked = states["player_at"][np.arange(len(states)), states["asked"]]
    assert (asked == states["actor"]).all()
    assert (states["phase"] <= Phase.OVER).all()
    assert (states["entitled"] >= states["swapped"]).all()
    assert (states["tricks_won"].sum(1) <= 5).all()


def check_end(state, payoffs):
    """Check who has won, and the payoffs."""
    if state.truncated:
        return
    scores = np.array(
        [state.owned[s & 1 if state.teams else s].sum() for s in range(state.num_seats)]
    )
    won = state.won[: state.num_seats].astype(bool)
    assert won.any()
    assert (scores[won] == scores.max()).all()
    living = state.seat_of[: state.num_players]
    if state.teams:
        assert scores.max() == state.num_points // 2 + 1
        assert (payoffs == np.where(won[living], 1, -1)).all()
    elif won[living].any():
        by_seat = np.where(won, 1 / won.sum(), -1 / max(1, (~won).sum())) * (not won.all())
        assert payoffs == pytest.approx(by_seat[living], abs=1e-6)
        assert by_seat.sum() == pytest.approx(0)
    else:
        assert (payoffs == -1).all()


def scramble(states, player, rng):
    """Return a state that looks the same to the player, with all secrets drawn anew."""
    scrambled = states.copy()
    state = scrambled[0]
    viewer = int(state.seat_of[player])
    known = state.known[viewer].copy()
    own = np.zeros(NUM_CARDS, np.int8) if state.blind[viewer] else state.hand[viewer].copy()
    open_cards = state.trick.sum(0) + state.played.sum(0)
    pool = list(rng.permutation(np.flatnonzero(own + known.sum(0) + open_cards == 0)))
    sizes = state.hand_size.copy()
    state.hand[:] = 0
    for seat in range(state.num_seats):
        state.hand[seat] = own if seat == viewer else known[seat]
        for _ in range(sizes[seat] - state.hand[seat].sum()):
            state.hand[seat, pool.pop()] = 1
    state.under[:] &= known[UNDEALT]
    state.undealt[:] &= known[UNDEALT]
    for _ in range(state.num_under - state.under.sum()):
        state.under[pool.pop()] = 1
    state.undealt[pool] = 1
    for seat in range(state.num_seats):
        if seat != viewer:
            state.known[seat] = rng.integers(0, 2, state.known[seat].shape)
    if state.asked != viewer:
        state.drawn = rng.integers(-1, NUM_CARDS)
    if state.dealer != viewer:
        state.swap_drawn, state.swap_returned = rng.integers(0, NUM_CARDS, 2)
    state.rng[:] = rng.integers(0, 2**32, 4)
    return scrambled


CASE = Case(
    module=fubnub_v0,
    tables=TABLES,
    main=tuple(TABLES),
    max_decisions=lambda table: table.max_decisions,
    check=check,
    check_end=check_end,
    scramble=scramble,
    secret="hand",
    below_high=("target", "hands", "known", "under"),
    relabelled=("team", "team, three points", "royal for four", "full"),
)
