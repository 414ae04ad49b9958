"""The chance events of FUBNUB: the hands that are dealt, and the cards drawn in swaps.

FUBNUB's decks are sets, and a card is drawn when it is turned up, so its probability is plain. The
point card of a deal is taken to be revealed before the number cards, and these are dealt by rank:
first the seat that gets the highest card, then that of the next, and so on. The order in which
independent draws are analysed changes no probability, and the highest cards matter most.

A point card only says which number cards are high: before the deal all of them are worth the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gubs_env.engine.chance import ChanceEvents
from gubs_env.engine.compiling import compiled
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.games.fubnub.cards import HAND_CARDS, NUM_CARDS, RANK
from gubs_env.games.fubnub.score import points
from gubs_env.games.fubnub.state import MAX_SEATS, UNDEALT, Phase

MODE = "team"
"""The mode whose events are known."""
OWNERS = MAX_SEATS + 1
"""The seats, counted from the one that the event belongs to, and the undealt cards."""
NUM_OUTCOMES = OWNERS + NUM_CARDS
"""The owner of the next card by rank; or the rank of the card drawn in a swap."""
MOST_EVENTS = NUM_CARDS
"""The most events of one decision, or of the deal."""
GLOBAL = 9
NUM_FEATURES = NUM_CARDS + NUM_CARDS * OWNERS + 2 * MAX_SEATS + GLOBAL


def check_rules(rules: Any) -> None:
    """Raise ValueError for a mode whose chance events are not known."""
    if rules.mode != MODE:
        raise ValueError(f"mode={rules.mode!r}: the luck of FUBNUB is known for mode={MODE!r} only")


def num_features(num_players: int) -> int:
    """Return the number of features at a table."""
    return NUM_FEATURES


def new_tracks(games: int) -> np.ndarray:
    """Return what is remembered between decisions: nothing, int8[games, 0]."""
    return np.zeros((games, 0), np.int8)


@compiled
def owner_of(state, seat, card):
    """Return who was dealt a card, counted from a seat; UNDEALT for a card that nobody has."""
    for steps in range(state.num_seats):
        other = seat_at(state, seat, steps)
        if state.hand[other, card] + state.trick[other, card] + state.played[other, card] > 0:
            return steps
    return UNDEALT


@compiled
def write_table(state, seat, features):
    """Write the points and the hand so far, counted from a seat."""
    at = NUM_CARDS + NUM_CARDS * OWNERS
    for steps in range(state.num_seats):
        other = seat_at(state, seat, steps)
        features[at + steps] = state.dealer == other
        features[at + MAX_SEATS + steps] = state.caller == other
    at += 2 * MAX_SEATS
    ours, theirs = points(state, seat), points(state, seat_at(state, seat, 1))
    features[at] = ours
    features[at + 1] = theirs
    features[at + 2] = state.num_points // 2 + 1 - ours
    features[at + 3] = state.num_points // 2 + 1 - theirs
    features[at + 4] = state.limbo.sum()
    features[at + 5] = state.entitled[seat]
    features[at + 6] = state.swapped[seat]
    features[at + 7] = state.cycle
    features[at + 8] = state.caller != NOBODY


@compiled
def cards_by_rank(state):
    """Return the number cards, lowest first, as the point card in play ranks them."""
    cards = np.zeros(NUM_CARDS, np.int64)
    for card in range(NUM_CARDS):
        cards[RANK[state.point_card, card]] = card
    return cards


@compiled
def write_deal(state, events, at):
    """Write the deal of the number cards, from the highest rank down; return the number of events.

    Args:
        state: the state after the deal, before any further decision.
        events, at: `Events`, written, and the number of events so far.
    """
    cards, seat = cards_by_rank(state), state.dealer
    left = np.zeros(OWNERS, np.int64)
    left[: state.num_seats] = HAND_CARDS
    left[UNDEALT] = NUM_CARDS - HAND_CARDS * state.num_seats
    so_far = np.zeros(NUM_FEATURES, np.int8)
    write_table(state, seat, so_far)
    for rank in range(NUM_CARDS - 1, -1, -1):
        owner = owner_of(state, seat, cards[rank])
        if np.count_nonzero(left) > 1:
            for place in range(NUM_FEATURES):
                events.features[at, place] = so_far[place]
            events.features[at, rank] = 1
            events.weights[at] = 0
            for other in range(OWNERS):
                events.weights[at, other] = left[other] / left.sum()
            events.seats[at] = seat
            events.outcomes[at] = owner
            at += 1
        left[owner] -= 1
        so_far[NUM_CARDS + OWNERS * rank + owner] = 1
    return at


@compiled
def write_swap(state, card, events, at):
    """Write the draw of an undealt card in a swap; return the number of events.

    Args:
        state: the state before the draw.
        card: the card drawn.
        events, at: `Events`, written, and the number of events so far.
    """
    cards, seat = cards_by_rank(state), state.asked
    features, weights = events.features[at], events.weights[at]
    features[:] = 0
    weights[:] = 0
    for rank in range(NUM_CARDS):
        owner = owner_of(state, seat, cards[rank])
        if not state.under[cards[rank]]:
            features[NUM_CARDS + OWNERS * rank + owner] = 1
        if state.undealt[cards[rank]]:
            weights[OWNERS + rank] = 1 / state.undealt.sum()
    write_table(state, seat, features)
    events.seats[at] = seat
    events.outcomes[at] = OWNERS + RANK[state.point_card, card]
    return at + 1


@compiled
def deal(state, after, track, starting_player, events, at):
    """Write the events of the first deal; see `ChanceEvents`."""
    return write_deal(after, events, at)


@compiled
def follow(state, after, track, action, events, at):
    """Write the events of one decision; see `ChanceEvents`."""
    if after.hands > state.hands:
        return write_deal(after, events, at)
    if state.phase == Phase.SWAP_OFFER and after.phase == Phase.SWAP_RETURN:
        return write_swap(state, after.drawn, events, at)
    return at


CHANCE_EVENTS = ChanceEvents(
    num_features, NUM_OUTCOMES, MOST_EVENTS, new_tracks, deal, follow, check_rules
)
