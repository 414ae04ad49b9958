"""The winners of hands and games, and the payoffs (sections 5 and 6)."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from gubs_env.engine.choosing import choose
from gubs_env.engine.compiling import compiled, inlined
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.games.fubnub.cards import NO_CARD, NUM_CARDS, RANK
from gubs_env.games.fubnub.state import Phase, is_ghost, pile_of


@inlined
def hand_winner(state):
    """Return the seat with the most tricks; in teams, a seat of the side with the most.

    A tie goes to the highest card among the tricks that the tied seats have won (F13).
    """
    best, best_rank = 0, -1
    for seat in range(state.num_seats):
        tricks = int(state.tricks_won[seat])
        if state.teams:
            tricks += int(state.tricks_won[seat ^ 2])
        rank = tricks * NUM_CARDS + int(state.best_won[seat])
        if rank > best_rank:
            best, best_rank = seat, rank
    return best


@inlined
def points(state, seat):
    """Return the number of point cards in the pile of a seat, or of its side."""
    return state.owned[pile_of(state, seat)].sum()


@inlined
def best_points(state):
    best = 0
    for seat in range(state.num_seats):
        best = max(best, points(state, seat))
    return best


@inlined
def draw_from_deck(state, seat, deck):
    """Draw a number card from a deck, face up before a seat; return its rank."""
    card = choose(state.rng, deck)
    deck[card] = 0
    state.showdown[seat] = card
    return RANK[NO_CARD, card]


@compiled
def end_game(state):
    """End the game and determine the winners; a final tie is broken by a draw, or shared (F18)."""
    best = best_points(state)
    tied = 0
    for seat in range(state.num_seats):
        state.won[seat] = points(state, seat) == best
        tied += state.won[seat]
    if tied > 1 and not state.teams and not state.share_ties:
        break_tie(state)
    state.phase = Phase.OVER
    state.actor = 0
    state.asked = state.seat_of[0]


@compiled
def break_tie(state):
    """Draw a card for each tied seat, from the left of the dealer on; the highest wins."""
    state.showdown[:] = NO_CARD
    deck = np.ones(NUM_CARDS, np.int8)
    winner, highest = NOBODY, -1
    for steps in range(1, state.num_seats + 1):
        seat = seat_at(state, state.dealer, steps)
        if state.won[seat]:
            rank = draw_from_deck(state, seat, deck)
            if rank > highest:
                winner, highest = seat, rank
    state.won[:] = 0
    state.won[winner] = 1


@inlined
def write_payoffs(state, payoffs):
    """Write the payoffs of a game that is over, float32[num_players] (section 6).

    They sum to zero over all seats, except where only ghosts win: that costs every player 1.
    """
    winners, living_winners = 0, 0
    for seat in range(state.num_seats):
        winners += state.won[seat]
        living_winners += state.won[seat] and not is_ghost(state, seat)
    losers = state.num_seats - winners
    for player in range(state.num_players):
        if state.truncated or losers == 0:
            payoffs[player] = 0
        elif state.teams or living_winners == 0:
            payoffs[player] = 1 if state.won[state.seat_of[player]] else -1
        else:
            won = state.won[state.seat_of[player]]
            payoffs[player] = 1 / winners if won else -1 / losers


@inlined
def side_of(state, player):
    """Return the side of a player: the index of the pile that partners share."""
    return pile_of(state, state.seat_of[player])


@inlined
def num_sides(state):
    """Return the number of sides: two teams, or every seat alone, ghosts included."""
    return 2 if state.teams else state.num_seats


@inlined
def write_leads(state, leads):
    """Write the point cards of each player less those of the best other side, float32[…]."""
    for player in range(state.num_players):
        own_seat, best_other = state.seat_of[player], 0
        for seat in range(state.num_seats):
            if pile_of(state, seat) != pile_of(state, own_seat):
                best_other = max(best_other, points(state, seat))
        leads[player] = points(state, own_seat) - best_other


@inlined
def is_truncated(state):
    """Return whether a game that is over was cut off by `max_cycles` (F19)."""
    return state.truncated == 1


class Decided(Enum):
    """The criterion that decided a game."""

    POINTS = "point cards"
    DRAW = "drawing cards"
    SHARED = "shared"
    CUT_OFF = "cut off"


def outcome(state: Any) -> Outcome:
    """Return the outcome: as the game ended, or as if it ended now with ties shared."""
    seats = [int(seat) for seat in state.seat_of[: state.num_players]]
    scores = tuple(int(points(state, seat)) for seat in seats)
    if state.truncated:
        return Outcome(scores, (), Decided.CUT_OFF)
    won = [int(points(state, s)) == int(best_points(state)) for s in range(state.num_seats)]
    decided_by = Decided.POINTS
    if len({int(pile_of(state, s)) for s, is_best in enumerate(won) if is_best}) > 1:
        decided_by = Decided.SHARED
    if state.phase == Phase.OVER:
        if decided_by is Decided.SHARED and not state.share_ties:
            decided_by = Decided.DRAW
        won = [bool(flag) for flag in state.won[: state.num_seats]]
    winners = tuple(player for player, seat in enumerate(seats) if won[seat])
    return Outcome(scores, winners, decided_by)
