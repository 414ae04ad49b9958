"""The chance events of Gubs: the cards that are dealt and drawn, and when the Letters come.

The rules are those of `turn`, `table` and `effects`: a card there that draws, or that shuffles
cards in, has to be followed here.

The order of the deck is decided by the shuffle, but nobody knows it. An analysis may therefore draw
each card when it is turned up, with its probability given all that happened before. Two things make
this probability exact:

- The places of some cards are taken as known: those that a Scout looked at, and no others. They
  divide the deck into segments.
- All other cards belong to classes: the originals of each third (`gubs_env.games.gubs.classes`),
  and for each time that cards were shuffled in, those cards. Players do not know the class of a
  card; the analysis does. Within a segment, every order of the classes is equally likely.

docs/luck_method.md derives this.
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.chance import ChanceEvents
from gubs_env.engine.compiling import compiled
from gubs_env.engine.seats import ANY_PLAYER, seat_at
from gubs_env.games.gubs.actions import PASS, card_of
from gubs_env.games.gubs.cards import IS_EVENT, NUM_COLONY_KINDS, NUM_HAND_KINDS, Card
from gubs_env.games.gubs.classes import THIRDS
from gubs_env.games.gubs.deals import all_deals
from gubs_env.games.gubs.rules import DEALT_CARDS, MAX_CARDS
from gubs_env.games.gubs.state import Phase, clear_table
from gubs_env.games.gubs.table import (
    add_place,
    count_playable,
    discard_from_hand,
    draw_top,
    into_hand,
    is_free,
    is_trapped,
    lose_hand,
    shuffle_in,
)
from gubs_env.games.gubs.turn import stack_deck

LETTER = int(Card.LETTER_G)
"""The outcome of turning up a Letter, whichever it is; other outcomes are the kinds of cards."""
NUM_OUTCOMES = LETTER + 1
KNOWN = -1
"""The class of a card whose place is taken as known."""
MOST_CLASSES = 100
"""Cards that are shuffled in after so many classes are taken as known."""
NEAR = 24
"""The last Letter is the next card with the probability 1 / n; features show n to this one by
one."""
COLONY = 6
"""Features of a side besides its hand and the cards in its colony."""
LETTERS = 2 * THIRDS + 5
"""Features of the Letters in the deck."""
GLOBAL = 5
MOST_EVENTS = MAX_CARDS
"""The most events of one decision, or of the deal."""


def num_features(num_players: int) -> int:
    """Return the number of features at a table."""
    side = NUM_HAND_KINDS + NUM_COLONY_KINDS + COLONY
    return num_players * side + LETTER + LETTERS + NEAR + GLOBAL


def new_tracks(games: int) -> np.ndarray:
    """Return what is remembered between decisions, int8[games, MAX_CARDS + 1].

    The class of the card at each place of the deck, bottom first; and the last class in use.
    """
    return np.zeros((games, MAX_CARDS + 1), np.int8)


# ------------------------------------------------------------------------------- deck and classes


@compiled
def count_third(state, track, third):
    """Return how many cards of a third were never out of the deck, and how many are Letters.

    Cards whose places are taken as known do not count.
    """
    cards, letters = 0, 0
    for place in range(state.deck_size):
        if track[place] == third:
            cards += 1
            letters += state.deck[place] >= LETTER
    return cards, letters


@compiled
def write_weights(state, track, no_event, weights):
    """Write the probabilities of the outcomes of turning up the top card, float32[NUM_OUTCOMES].

    Args:
        state: the state before the draw; the place of its top card is not taken as known.
        track: the classes.
        no_event: whether the top card is given to be no Event.
        weights: written.
    """
    inside = np.zeros(MOST_CLASSES + 1)
    everywhere = np.zeros(MOST_CLASSES + 1)
    third, place = -1, state.deck_size - 1
    while place >= 0 and track[place] != KNOWN:
        if track[place] < THIRDS:
            third = max(third, int(track[place]))
        inside[max(track[place], THIRDS - 1)] += 1
        place -= 1
    for place in range(state.deck_size):
        is_letter_of_third = track[place] < THIRDS and state.deck[place] >= LETTER
        if track[place] != KNOWN and not is_letter_of_third:
            everywhere[max(track[place], THIRDS - 1)] += 1
    letter = 0.0
    if third >= 0:
        cards, letters = count_third(state, track, third)
        letter = letters / cards
    weights[:] = 0
    weights[LETTER] = inside[THIRDS - 1] * letter
    for place in range(state.deck_size):
        kind, number = min(state.deck[place], LETTER), track[place]
        if number >= THIRDS:
            weights[kind] += inside[number] / everywhere[number]
        elif number != KNOWN and kind != LETTER:
            weights[kind] += inside[THIRDS - 1] / everywhere[THIRDS - 1] * (1 - letter)
    total = 0.0
    for kind in range(NUM_OUTCOMES):
        if no_event and IS_EVENT[kind]:
            weights[kind] = 0
        total += weights[kind]
    for kind in range(NUM_OUTCOMES):
        weights[kind] /= total


@compiled
def shuffle_in_as(state, track, kind, number):
    """Put a card into a random place of the deck as one of a class."""
    place = shuffle_in(state, kind)
    for above in range(state.deck_size - 1, place, -1):
        track[above] = track[above - 1]
    track[place] = number


@compiled
def new_class(track):
    """Return a class for cards that are shuffled in; KNOWN if there are too many."""
    if track[MAX_CARDS] == MOST_CLASSES:
        return KNOWN
    track[MAX_CARDS] += 1
    return int(track[MAX_CARDS])


# ------------------------------------------------------------------------------------- the events


@compiled
def write_event(state, track, seat, drawing, more, events, at):
    """Write the draw of the top card as event number `at`; return the number of events.

    Args:
        state, track: before the draw.
        seat: who draws.
        drawing: 1 for the draw of a turn, 0 for a card for a hand, where Events go back.
        more: cards that the hand gets after this one.
        events: `Events`, written.
        at: number of events so far.
    """
    if track[state.deck_size - 1] == KNOWN:
        return at
    write_weights(state, track, drawing == 0, events.weights[at])
    events.seats[at] = seat
    events.outcomes[at] = min(state.deck[state.deck_size - 1], LETTER)
    write_features(state, track, seat, drawing, more, events.features[at])
    return at + 1


@compiled
def write_features(state, track, seat, drawing, more, features):
    """Write what is known before a draw: the complete state but for the order of the deck.

    Seats are counted from the one that draws.
    """
    features[:] = 0
    at = 0
    for steps in range(state.num_players):
        at = write_side(state, seat_at(state, seat, steps), features, at)
    for place in range(state.deck_size):
        if state.deck[place] < LETTER:
            features[at + int(state.deck[place])] += 1
    at += LETTER
    write_letters(state, track, features[at : at + LETTERS + NEAR])
    at += LETTERS + NEAR
    features[at] = drawing
    features[at + 1] = more
    features[at + 2] = state.deck_size
    features[at + 3] = state.discard_pile[Card.GUB]
    features[at + 4] = seat_at(state, state.num_players - seat, state.turn)


@compiled
def write_letters(state, track, features):
    """Write where the Letters in the deck can be, and how soon the last one can come."""
    in_deck, loose = 0, 0
    for place in range(state.deck_size):
        if state.deck[place] >= LETTER:
            in_deck += 1
            depth = state.deck_size - 1 - place
            if track[place] >= THIRDS:
                loose += 1
            elif track[place] == KNOWN and depth < 3:
                features[2 * THIRDS + depth] = 1
    for third in range(THIRDS):
        cards, letters = count_third(state, track, third)
        features[2 * third] = letters
        features[2 * third + 1] = cards
    features[2 * THIRDS + 3] = in_deck
    features[2 * THIRDS + 4] = loose
    if in_deck == 1 and state.deck_size > 0 and track[state.deck_size - 1] != KNOWN:
        weights = np.zeros(NUM_OUTCOMES, np.float32)
        write_weights(state, track, False, weights)
        if weights[LETTER] * (NEAR + 0.5) > 1:
            features[LETTERS - 1 + round(1 / weights[LETTER])] = 1


@compiled
def write_side(state, seat, features, at):
    """Write the hand and the colony of a seat; return where the next side begins."""
    for kind in range(NUM_HAND_KINDS):
        features[at + kind] = state.hand[seat, kind]
    at += NUM_HAND_KINDS
    free, trapped = 0, 0
    for slot in range(state.colony_size[seat]):
        for kind in range(NUM_COLONY_KINDS):
            features[at + kind] += state.colony[seat, slot, kind]
        free += is_free(state, seat, slot)
        trapped += is_trapped(state, seat, slot)
    at += NUM_COLONY_KINDS
    features[at] = free
    features[at + 1] = trapped
    features[at + 2] = state.colony_size[seat] - trapped
    features[at + 3] = state.hand_size[seat]
    features[at + 4] = state.skipped[seat]
    features[at + 5] = state.turn == seat
    return at + COLONY


# ---------------------------------------------------------------------------------- what happens


@compiled
def draw_hand(state, track, seat, count, events, at):
    """Draw cards into a hand, as `table.draw_unseen` does; return the number of events."""
    for drawn in range(min(count, count_playable(state))):
        while IS_EVENT[state.deck[state.deck_size - 1]]:
            shuffle_in_as(state, track, draw_top(state, seat), new_class(track))
        at = write_event(state, track, seat, 0, count - 1 - drawn, events, at)
        into_hand(state, seat, draw_top(state, seat), 1)
    return at


@compiled
def write_classes(state, track):
    """Write the classes of a deck that was just made."""
    track[:] = 0
    track[MAX_CARDS] = THIRDS - 1
    for place in range(state.deck_size):
        if state.letters_anywhere and state.deck[place] >= LETTER:
            track[place] = new_class(track)
        for third in range(THIRDS):
            if state.third_start[third] <= place < state.third_end[third]:
                track[place] = third


@compiled
def deal(state, after, track, starting_player, events, at):
    """Deal a game, as `turn.set_up` does; return the number of events."""
    first = 0 if starting_player == ANY_PLAYER else starting_player
    clear_table(state)
    stack_deck(state)
    write_classes(state, track)
    state.turn = first
    for steps in range(state.num_players):
        seat = seat_at(state, first, steps)
        add_place(state, seat, Card.GUB)
        at = draw_hand(state, track, seat, DEALT_CARDS, events, at)
    return at


@compiled
def plague(state, track, events, at):
    """Shuffle hands in and draw new ones, as `effects.plague_strikes` does."""
    number = new_class(track)
    lost = [0 for _ in range(state.num_players)]
    for steps in range(state.num_players):
        seat = seat_at(state, state.turn, steps)
        if not state.cured[seat]:
            lost[steps] = state.hand_size[seat]
            for kind in range(NUM_HAND_KINDS):
                for _ in range(state.hand[seat, kind]):
                    shuffle_in_as(state, track, kind, number)
            lose_hand(state, seat)
    if state.plague_redraw:
        for steps in range(state.num_players):
            seat = seat_at(state, state.turn, steps)
            at = draw_hand(state, track, seat, lost[steps], events, at)
    return at


@compiled
def shuffle_colonies_in(state, track, event):
    """Shuffle cards of colonies in, as Flash Flood and Rumor of Wasps do."""
    number = new_class(track)
    for steps in range(state.num_players):
        seat = seat_at(state, state.turn, steps)
        for slot in range(state.colony_size[seat]):
            riders = state.colony[seat, slot, Card.TOAD_RIDER]
            if event == Card.FLASH_FLOOD and is_free(state, seat, slot):
                shuffle_in_as(state, track, Card.GUB, number)
            if event == Card.RUMOR_OF_WASPS and riders > 0:
                shuffle_in_as(state, track, Card.GUB, number)
                for _ in range(riders):
                    shuffle_in_as(state, track, Card.TOAD_RIDER, number)


@compiled
def follow(state, after, track, action, events, at):
    """Follow the draws of one decision; see `ChanceEvents`."""
    if state.phase == Phase.DRAW and action != PASS:
        at = write_event(state, track, state.turn, 1, 0, events, at)
        draw_top(state, state.turn)
    if state.phase == Phase.CURE and action != PASS:
        discard_from_hand(state, state.actor, card_of(action))
        state.cured[state.actor] = 1
    if (state.rng != after.rng).any():
        if state.phase == Phase.ANSWER and action != PASS:
            shuffle_in_as(state, track, state.played, new_class(track))
        elif after.played == Card.GARGOK_PLAGUE:
            at = plague(state, track, events, at)
        else:
            shuffle_colonies_in(state, track, after.played)
    for seat in range(state.num_players):
        for depth in range(after.known_top[seat]):
            track[after.deck_size - 1 - depth] = KNOWN
    return at


CHANCE_EVENTS = ChanceEvents(
    num_features, NUM_OUTCOMES, MOST_EVENTS, new_tracks, deal, follow, all_deals=all_deals
)
