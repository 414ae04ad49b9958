"""The chance events of Bad, Bad, Turtle: the cards that are revealed.

All cards face down are exchangeable, except those whose places are taken as known: the cards that
everybody saw go face down, those in a stack that its owner may look through, and those in a stack
into which known cards were shuffled. Dealing anew makes all of them exchangeable again.
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.chance import ChanceEvents
from gubs_env.engine.compiling import compiled
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.games.bad_bad_turtle.actions import DECLINE
from gubs_env.games.bad_bad_turtle.cards import (
    MAX_CARDS,
    NO_CARD,
    NUM_KINDS,
    NUM_MODIFIERS,
    NUM_REACTIONS,
    Card,
)
from gubs_env.games.bad_bad_turtle.rules import MAX_PLAYERS
from gubs_env.games.bad_bad_turtle.state import MAX_SHOWN, Phase, next_living
from gubs_env.games.bad_bad_turtle.table import discard_unseen, stack_revealed
from gubs_env.games.bad_bad_turtle.turn import num_discarded

NUM_OUTCOMES = NUM_KINDS
MOST_EVENTS = MAX_SHOWN
"""The most events of one decision."""
SIDE = 8 + NUM_REACTIONS
"""Features of a seat."""
STACKS, DISCARD_PILES = 0, MAX_PLAYERS
"""Where the rows of the stacks, and of the discard piles, begin in what is remembered."""


def num_features(num_players: int) -> int:
    """Return the number of features at a table."""
    return num_players * SIDE + NUM_KINDS + NUM_MODIFIERS + 4


def new_tracks(games: int) -> np.ndarray:
    """Return what is remembered between decisions, int8[games, 2 · MAX_PLAYERS, MAX_CARDS].

    A flag for each place of each stack, then of each discard pile: the card is taken as known.
    """
    return np.zeros((games, 2 * MAX_PLAYERS, MAX_CARDS), np.int8)


@compiled
def deal(state, after, track, starting_player, events, at):
    """Begin a game: nothing is known, and no card is revealed yet."""
    track[:] = 0
    return at


# ------------------------------------------------------------------------------------- the events


@compiled
def count_unknown(state, track, counts):
    """Write the number of cards of each kind that lie face down and are not known."""
    counts[:] = 0
    for seat in range(state.num_players):
        for place in range(state.stack_size[seat]):
            counts[state.stack[seat, place]] += not track[STACKS + seat, place]
        for place in range(state.discard_size[seat]):
            counts[state.discard_pile[seat, place]] += not track[DISCARD_PILES + seat, place]


@compiled
def reveal(state, track, seat, from_discard, kind, events, at):
    """Write the reveal of the top card of a stack, or of a discard pile.

    A card that was known is no event. Neither is a kind without unknown cards: it was put on the
    discard pile, face up, earlier in this decision.
    """
    row = DISCARD_PILES + seat if from_discard else STACKS + seat
    sizes = state.discard_size if from_discard else state.stack_size
    counts = events.weights[at]
    count_unknown(state, track, counts)
    if from_discard and counts[kind] == 0:
        return at
    is_known = track[row, sizes[seat] - 1]
    if not is_known:
        write_features(state, counts, seat, events.features[at])
        counts /= counts.sum()
        events.seats[at] = seat
        events.outcomes[at] = kind
        at += 1
    sizes[seat] -= 1
    return at


@compiled
def write_features(state, counts, seat, features):
    """Write the complete state as it is before a reveal, counted from the seat that reveals."""
    features[:] = 0
    at = 0
    for steps in range(state.num_players):
        other = seat_at(state, seat, steps)
        features[at] = state.living[other]
        features[at + 1] = state.stack_size[other]
        features[at + 2] = state.discard_size[other]
        features[at + 3] = state.reveal_size[other]
        features[at + 4] = state.turn == other
        features[at + 5] = state.next_turn == other
        features[at + 6] = state.peeking[other]
        features[at + 7] = state.dealer == other
        for reaction in range(NUM_REACTIONS):
            features[at + 8 + reaction] = state.aside[reaction] == other
        at += SIDE
    for kind in range(NUM_KINDS):
        features[at + kind] = counts[kind]
    at += NUM_KINDS
    if state.modifier != NO_CARD:
        features[at + state.modifier] = 1
    at += NUM_MODIFIERS
    features[at] = state.direction
    features[at + 1] = counts[Card.TURTLE] > 0
    features[at + 2] = counts.sum()
    features[at + 3] = state.phase == Phase.TURN


# ---------------------------------------------------------------------------------- what happens


@compiled
def begin_turn(state, track, action):
    """Follow a turn up to its reveal, as `turn.decide_turn` does."""
    seat, card = state.turn, state.modifier
    if action == DECLINE or card == Card.NO_TRASH:
        return
    if card == Card.SLOW_DOWN:
        stack_revealed(state, seat, state.reveal_size[seat])
        track[STACKS + seat, :] = 1
    kind = Card.BLANK if card == NO_CARD else card
    for _ in range(num_discarded(state, seat, kind)):
        discard_unseen(state, seat, 1)
        moved = track[STACKS + seat, state.stack_size[seat]]
        track[DISCARD_PILES + seat, state.discard_size[seat] - 1] = moved


@compiled
def took_effect(after, kind):
    """Return the seat on whose reveal pile an action card lies on top; NOBODY if it does not."""
    for seat in range(after.num_players):
        top = after.reveal_size[seat] - 1
        if top >= 0 and after.reveal_pile[seat, top] == kind:
            return seat
    return NOBODY


@compiled
def move_known(state, after, track, kind):
    """Follow the cards that the effect of a card moves face down.

    Args:
        state: the state before the effect.
        after: the state after the decision.
        track: brought up to date.
        kind: the card that was resolved last.
    """
    owner = took_effect(after, kind)
    if owner == NOBODY:
        return
    if kind == Card.DO_OVER:
        track[STACKS + owner, :] = 1
    elif kind == Card.REFUND and state.discard_size[owner] > 0:
        top = state.discard_size[owner] - 1
        put_there_now = after.discard_size[owner] > top
        known = 1 if put_there_now else track[DISCARD_PILES + owner, top]
        track[STACKS + owner, state.stack_size[owner]] = known
    elif kind == Card.STACK_SWAP_LEFT or kind == Card.STACK_SWAP_RIGHT:
        direction = 1 if kind == Card.STACK_SWAP_LEFT else -1
        rows = track.copy()
        for seat in range(state.num_players):
            if state.living[seat]:
                receiver = next_living(state, seat, direction)
                for place in range(track.shape[1]):
                    track[STACKS + receiver, place] = rows[STACKS + seat, place]


@compiled
def follow(state, after, track, action, events, at):
    """Write the events of one decision; see `ChanceEvents`."""
    resolved = state.pending
    from_discard = resolved == Card.RECYCLE_BONUS
    if state.phase == Phase.TURN:
        from_discard = state.modifier == Card.NO_TRASH
        begin_turn(state, track, action)
    for number in range(MAX_SHOWN):
        kind = after.shown[number]
        if kind != NO_CARD:
            at = reveal(state, track, after.shown_by[number], from_discard, kind, events, at)
            resolved = kind
            from_discard = kind == Card.RECYCLE_BONUS
    if resolved != NO_CARD:
        move_known(state, after, track, resolved)
    if after.deals > state.deals:
        track[:] = 0
    for seat in range(after.num_players):
        if after.peeking[seat]:
            track[STACKS + seat, :] = 1
        for place in range(after.discard_size[seat]):
            if (after.discard_seen[seat] >> place) & 1:
                track[DISCARD_PILES + seat, place] = 1
    return at


CHANCE_EVENTS = ChanceEvents(num_features, NUM_OUTCOMES, MOST_EVENTS, new_tracks, deal, follow)
