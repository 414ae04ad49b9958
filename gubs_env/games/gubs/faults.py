"""The faults of a state of Gubs: what must be true between two decisions.

The ranges of single fields are declared in `state`; here are the rules across fields. A view is
checked against what its viewer could know: cards may be unknown, but there must be a complete state
behind it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from gubs_env.engine.compiling import compiled
from gubs_env.engine.faults import SOUND, GameFault, first_fault, words_of
from gubs_env.engine.seats import NOBODY, seat_at, steps_to
from gubs_env.games.gubs.actions import DECK, action_names, card_action, place_action
from gubs_env.games.gubs.cards import (
    CRICKET_SONG_CAN_BE,
    FIRST_BARRICADE,
    FIRST_TRAP,
    IS_EVENT,
    LETTERS,
    NAMED_THINGS,
    NO_CARD,
    NUM_COLONY_KINDS,
    NUM_HAND_KINDS,
    NUM_KINDS,
    OTHERS_AIMS,
    OWN_AIMS,
    PLACES,
    RINGS,
    Card,
)
from gubs_env.games.gubs.determinization import count_unseen
from gubs_env.games.gubs.legal import (
    is_inner_pick,
    offer_meant,
    offer_targets,
    opens_window,
    should_be_asked,
)
from gubs_env.games.gubs.rules import HAND_LIMIT, MAX_CARDS, MAX_PLAYERS, MAX_SLOTS
from gubs_env.games.gubs.state import UNKNOWN_CARD, Phase
from gubs_env.games.gubs.table import count_on_side

MOST_ACTIONS = len(action_names(MAX_PLAYERS))


class Fault(GameFault):
    """The faults that a state of Gubs can have."""

    SEATS = "its turn, its player to decide or its number of players is none of this table"
    EMPTY_SEAT = "something lies at seat {where}, where nobody sits"
    DECK_LIST = "its deck cannot have {card} this often"
    PLACE = "the colony of seat {where} cannot lie like this"
    CARDS = "cards are lost or doubled in this state: {card}"
    UNKNOWN = "it holds unknown cards: this is a view, not a state"
    SHOWN = "it shows cards that its viewer cannot know: this is a state, not a view"
    HAND_SIZE = "hand_size differs from the number of cards in the hand of seat {where}"
    LETTER_PLACES = "the Letters cannot lie where everybody knows them to be"
    MEMORY = "seat {where} cannot know what it is said to know"
    END = "the game is over when all three Letters are open, and only then"
    MOVE = "the move under way does not fit the phase"
    TARGETS = "the targets of the card being played cannot be named"
    ASKED = "seat {where} cannot be the next one to answer"


fault_words = partial(words_of, Fault, [card.title for card in Card])

# ---------------------------------------------------------------------------- seats and colonies


@compiled
def fault_of_seats(state):
    n = state.num_players
    is_table = 2 <= n <= MAX_PLAYERS and state.num_seats == n and state.turn < n
    if not is_table or not 0 <= state.actor < n or state.phase > Phase.OVER:
        return Fault.SEATS, 0
    for seat in range(n, MAX_PLAYERS):
        held = state.hand_size[seat] + state.hand[seat].sum() + state.known[seat].sum()
        flags = state.skipped[seat] + state.cured[seat] + state.known_top[seat]
        laid = state.colony_size[seat] + state.colony[seat].sum()
        knows = state.kept[seat] != NO_CARD or state.known[:n, seat].any()
        if held + flags + laid != 0 or knows:
            return Fault.EMPTY_SEAT, seat
    return SOUND, 0


@compiled
def fault_of_deck_list(state):
    """Look for a deck that `Rules` would refuse (section 1)."""
    for letter in LETTERS:
        if state.composition[letter] != 1:
            return Fault.DECK_LIST, letter
    elders = state.composition[Card.ESTEEMED_ELDER]
    if elders > 1 or state.composition[Card.GUB] + elders > MAX_SLOTS:
        return Fault.DECK_LIST, Card.GUB
    total = 0
    for kind in range(NUM_KINDS):
        total += state.composition[kind]
        if total > MAX_CARDS:
            return Fault.DECK_LIST, kind
    return SOUND, 0


@compiled
def fault_of_colonies(state):
    for seat in range(state.num_players):
        size = state.colony_size[seat]
        for slot in range(size):
            if not is_possible(state, seat, slot):
                return Fault.PLACE, seat
        if state.colony[seat, size:].any() or not rings_lie_together(state, seat):
            return Fault.PLACE, seat
    return SOUND, 0


@compiled
def is_possible(state, seat, slot):
    """Return whether these cards can lie at one place (section 1)."""
    place = state.colony[seat, slot]
    gubs, elders = place[Card.GUB], place[Card.ESTEEMED_ELDER]
    barricades, traps = place[FIRST_BARRICADE:FIRST_TRAP].sum(), place[FIRST_TRAP:].sum()
    if gubs + elders != 1 or (elders == 1 and barricades + traps > 0):
        return False
    if traps > 1 or (traps == 1 and barricades > 0):
        return False
    return barricades <= 1 or state.stacked_barricades == 1


@compiled
def rings_lie_together(state, seat):
    """Return whether each Ring lies on as many Gubs as it takes, side by side."""
    slot = 0
    while slot < state.colony_size[seat]:
        length = 1
        for ring in RINGS:
            if state.colony[seat, slot, ring] > 0:
                length = PLACES[ring]
                for beneath in range(slot, slot + length):
                    if beneath >= MAX_SLOTS or state.colony[seat, beneath, ring] == 0:
                        return False
        slot += length
    return True


# ---------------------------------------------------------------------------------------- cards


@compiled
def fault_of_cards(state):
    """Look for cards that are lost, doubled or unknown in a complete state."""
    lying = np.zeros(NUM_KINDS, np.int64)
    for place in range(state.deck_size):
        if state.deck[place] < 0:
            return Fault.UNKNOWN, 0
        lying[state.deck[place]] += 1
    for seat in range(state.num_players):
        if state.hand[seat].sum() != state.hand_size[seat]:
            return Fault.HAND_SIZE, seat
        lying[:NUM_HAND_KINDS] += state.hand[seat]
        for kind in range(NUM_COLONY_KINDS):
            lying[kind] += count_on_side(state, seat, kind)
    lying[Card.LETTER_G :] += state.letters
    if state.announced:
        if state.played < 0:
            return Fault.MOVE, 0
        lying[state.played] += 1
    for kind in range(NUM_KINDS):
        if lying[kind] + state.discard_pile[kind] != state.composition[kind]:
            return Fault.CARDS, kind
    return fault_of_discards(state)


@compiled
def fault_of_discards(state):
    for letter in LETTERS:
        if state.discard_pile[letter] > 0:
            return Fault.CARDS, letter
    return SOUND, 0


@compiled
def fault_of_view(state, viewer):
    """Look for a view that no complete state has: the unseen cards must fill the unknown places."""
    if (state.announced and state.played < 0) or viewer != state.actor:
        return Fault.MOVE, 0
    if state.known_top[viewer] > state.deck_size:
        return Fault.MEMORY, viewer
    hidden = state.deck_size - state.known_top[viewer]
    for place in range(state.deck_size):
        hides = state.deck[place] == UNKNOWN_CARD
        if hides != (place < hidden) or state.deck[place] == NO_CARD:
            return Fault.SHOWN, 0
    unseen = count_unseen(state, viewer)
    for kind in range(NUM_KINDS):
        if unseen[kind] < 0:
            return Fault.CARDS, kind
    held = 0
    for seat in range(state.num_players):
        if seat == viewer:
            if state.hand[seat].sum() != state.hand_size[seat]:
                return Fault.HAND_SIZE, seat
        else:
            unknown = state.hand_size[seat] - state.known[viewer, seat].sum()
            if unknown < 0 or state.hand[seat].any():
                return Fault.HAND_SIZE, seat
            held += unknown
    if held > unseen[:NUM_HAND_KINDS].sum() or held + hidden != unseen.sum():
        return Fault.CARDS, Card.GUB
    return fault_of_discards(state)


@compiled
def is_in_deck(state, letter):
    """Return whether a Letter is neither laid open nor announced."""
    opened = state.letters[letter - Card.LETTER_G] == 1
    return not opened and not (state.announced == 1 and state.played == letter)


@compiled
def fault_of_letters(state, viewer):
    """Look for Letters outside the ranges that everybody knows (section 8)."""
    thirds, in_thirds = 0, 0
    for third in range(3):
        start, end = state.third_start[third], state.third_end[third]
        if end > state.deck_size or (start >= end and start + end > 0):
            return Fault.LETTER_PLACES, third
        thirds += end > 0
    for letter in LETTERS:
        loose = state.letter_loose[letter - Card.LETTER_G] == 1
        in_deck = is_in_deck(state, letter)
        if loose and not in_deck:
            return Fault.LETTER_PLACES, letter
        in_thirds += in_deck and not loose
        went_back = state.letters_anywhere or state.returned[letter - NUM_HAND_KINDS] > 0
        if in_deck and went_back and not loose:
            return Fault.LETTER_PLACES, letter
    for event in range(len(state.events_loose)):
        kind = NUM_HAND_KINDS + event
        in_deck = state.composition[kind] - state.discard_pile[kind]
        in_deck -= state.announced == 1 and state.played == kind
        if state.events_loose[event] > in_deck:
            return Fault.LETTER_PLACES, event
    if thirds != in_thirds:
        return Fault.LETTER_PLACES, 0
    fits = letters_fit(state) if viewer == NOBODY else letters_can_fit(state, viewer)
    return (SOUND, 0) if fits else (Fault.LETTER_PLACES, 0)


@compiled
def letters_fit(state):
    """Return whether the Letters of the thirds lie in their ranges, in order."""
    third = 0
    for place in range(state.deck_size):
        kind = state.deck[place]
        if kind >= Card.LETTER_G and state.letter_loose[kind - Card.LETTER_G] == 0:
            while third < 3 and state.third_end[third] == 0:
                third += 1
            if third == 3 or not state.third_start[third] <= place < state.third_end[third]:
                return False
            third += 1
    return True


@compiled
def letters_can_fit(state, viewer):
    """Return whether the Letters that a viewer does not see can be laid into their ranges."""
    places = state.deck_size - state.known_top[viewer]
    unseen = count_unseen(state, viewer)
    left, loose = 0, 0
    for letter in LETTERS:
        is_loose = state.letter_loose[letter - Card.LETTER_G]
        loose += unseen[letter] * is_loose
        left += unseen[letter] * (1 - is_loose)
    if left + loose > places:
        return False
    above = 0
    for third in range(3):
        if state.third_end[third] > 0 and left > 0:
            place = max(above, state.third_start[third])
            if place >= min(state.third_end[third], places):
                return False
            above = place + 1
            left -= 1
    return left == 0


@compiled
def fault_of_memory(state, viewer):
    scouts = state.composition[Card.SCOUT] + state.composition[Card.CRICKET_SONG] > 0
    for event in range(len(state.returned)):
        if state.returned[event] > 0 and state.composition[NUM_HAND_KINDS + event] == 0:
            return Fault.DECK_LIST, NUM_HAND_KINDS + event
    for seat in range(state.num_players):
        remembers = viewer in (NOBODY, seat)
        knows_too = state.known_top[seat] > 0 and state.known_top[:seat].any()
        if knows_too or (state.known_top[seat] > 0 and not scouts):
            return Fault.MEMORY, seat
        if state.known_top[seat] > (state.deck_size if remembers else 0):
            return Fault.MEMORY, seat
        for holder in range(state.num_players):
            nothing = seat == holder or not remembers
            known = state.known[seat, holder]
            is_wrong = known.any() if nothing else (known > state.hand[holder]).any()
            if is_wrong and (nothing or viewer == NOBODY):
                return Fault.MEMORY, seat
    return SOUND, 0


# ---------------------------------------------------------------------------------- the course


@compiled
def asks_others(state):
    """Return whether the phase is a window or a question of the announced card."""
    return Phase.ANSWER <= state.phase <= Phase.MERCHANT


@compiled
def fault_of_move(state):
    """Look for an end, an announced card or targets that do not fit the phase."""
    if (state.letters.sum() == len(LETTERS)) != (state.phase == Phase.OVER):
        return Fault.END, 0
    if state.announced != (asks_others(state) or state.phase == Phase.ORDER):
        return Fault.MOVE, 0
    under_way = state.announced == 1 or is_inner_pick(state.phase)
    for target in range(len(state.target_seat)):
        seat, slot = state.target_seat[target], state.target_slot[target]
        is_named = target < state.num_targets or (seat == NOBODY and slot == -1)
        if seat >= state.num_players or (under_way and not is_named):
            return Fault.TARGETS, 0
    return SOUND, 0


@compiled
def fault_of_phase(state):
    """Look for a phase that does not fit the move, the hands or the players asked."""
    in_question = asks_others(state)
    if not in_question and state.actor != state.turn:
        return Fault.SEATS, 0
    if state.announced and IS_EVENT[state.played] and state.skipped[state.turn]:
        return Fault.MOVE, 0
    if state.phase == Phase.DISCARD and state.hand_size[state.turn] <= HAND_LIMIT:
        return Fault.MOVE, 0
    if (state.phase == Phase.ORDER and not scouts(state)) or (in_question and not asks(state)):
        return Fault.MOVE, 0
    if state.phase == Phase.ANSWER and not has_targets(state):
        return Fault.TARGETS, 0
    return SOUND, 0


@compiled
def fault_of_pick(state):
    """Look for a pick that the card being played does not ask for."""
    if not is_inner_pick(state.phase):
        return SOUND, 0
    kind, named = state.played_as, state.num_targets
    if not counts_as(state) or state.hand[state.turn, state.played] == 0:
        return Fault.MOVE, 0
    if state.target_card != NO_CARD:
        return Fault.TARGETS, 0
    if state.phase == Phase.NAME:
        fits = state.played == Card.CRICKET_SONG and kind == Card.CRICKET_SONG and named == 0
        return (SOUND, 0) if fits else (Fault.MOVE, 0)
    if (OWN_AIMS[kind] | OTHERS_AIMS[kind]) & NAMED_THINGS == 0:
        return Fault.MOVE, 0
    is_last = state.phase == Phase.MEANT
    fits = named == PLACES[kind] if is_last else named < PLACES[kind]
    if not fits or not could_be_named(state) or (is_last and state.target_slot[0] < 0):
        return Fault.TARGETS, 0
    return SOUND, 0


@compiled
def counts_as(state):
    """Return whether the card being played is one of a hand, and counts as a kind that it can."""
    if not 0 <= state.played < NUM_HAND_KINDS or not 0 <= state.played_as < NUM_HAND_KINDS:
        return False
    if state.played_as == state.played:
        return state.phase == Phase.NAME or state.played != Card.CRICKET_SONG
    return state.played == Card.CRICKET_SONG and CRICKET_SONG_CAN_BE[state.played_as]


@compiled
def could_be_named(state):
    """Return whether the targets named so far were legal picks, one after the other."""
    named, fine = state.num_targets, True
    mask = np.zeros(MOST_ACTIONS, np.int8)
    for target in range(named):
        state.num_targets = target
        mask[:] = 0
        offer_targets(state, mask)
        seat, slot = state.target_seat[target], state.target_slot[target]
        at_seat = place_action(steps_to(state, state.turn, seat), slot)  # slot −1: SEAT
        fine = fine and mask[DECK if seat == NOBODY else at_seat] == 1
    state.num_targets = named
    return fine


@compiled
def scouts(state):
    """Return whether a Scout of the deck is being put back in order."""
    can_scout = state.played == Card.SCOUT or state.played == Card.CRICKET_SONG
    at_deck = state.num_targets == 1 and state.target_seat[0] == NOBODY
    is_under_way = state.ordered < state.known_top[state.turn] - 1
    return state.played_as == Card.SCOUT and can_scout and at_deck and is_under_way


@compiled
def asks(state):
    """Return whether the announced card opens the window or asks the question of this phase."""
    if state.phase == Phase.CURE:
        return state.played == state.played_as == Card.GARGOK_PLAGUE
    if state.phase == Phase.MERCHANT:
        return state.played == state.played_as == Card.TRAVELING_MERCHANT
    if state.played >= 0 and IS_EVENT[state.played]:
        return state.played_as == state.played
    return counts_as(state) and opens_window(state)


@compiled
def has_targets(state):
    """Return whether the card in the window has exactly the targets that it asks for."""
    kind = state.played_as
    if (OWN_AIMS[kind] | OTHERS_AIMS[kind]) & NAMED_THINGS == 0:
        return state.num_targets == 0 and state.target_card == NO_CARD
    if state.num_targets != PLACES[kind] or not could_be_named(state):
        return False
    if state.target_slot[0] < 0:
        return state.target_card == NO_CARD
    mask = np.zeros(MOST_ACTIONS, np.int8)
    offer_meant(state, mask)
    return state.target_card != NO_CARD and mask[card_action(state.target_card)] == 1


@compiled
def fault_of_answers(state, viewer):
    """Look for somebody asked who should not be, and for answers that nobody can have given."""
    considered = state.asked - 1 if asks_others(state) else 0
    if asks_others(state):
        first = 1 if state.phase == Phase.ANSWER and not IS_EVENT[state.played] else 0
        in_order = first < state.asked <= state.num_players
        due = in_order and state.actor == seat_at(state, state.turn, considered)
        if not due or not should_be_asked(state, state.actor):
            return Fault.ASKED, state.actor
    for steps in range(state.num_players):
        seat = seat_at(state, state.turn, steps)
        has_answered = steps < considered
        if state.cured[seat] and not (has_answered and state.phase == Phase.CURE):
            return Fault.ASKED, seat
        picks = state.phase == Phase.MERCHANT and has_answered and state.hand_size[seat] > 0
        keeps = state.kept[seat] != NO_CARD
        if keeps != (picks and viewer in (NOBODY, seat)):
            return Fault.ASKED, seat
        if keeps and state.hand[seat, state.kept[seat]] == 0:
            return Fault.ASKED, seat
    return SOUND, 0


@compiled
def fault_of_all_cards(state, viewer):
    return fault_of_cards(state) if viewer == NOBODY else fault_of_view(state, viewer)


find_fault = first_fault(
    (
        *(fault_of_seats, fault_of_deck_list, fault_of_colonies, fault_of_all_cards),
        *(fault_of_letters, fault_of_memory, fault_of_move),
    ),
    (fault_of_phase, fault_of_pick, fault_of_answers),
    Phase.OVER,
)


def means_nothing(state: Any, field: str, entry: tuple[int, ...]) -> bool:
    """Return whether an entry is that of an empty seat, of a third whose Letter was drawn, or
    above the top of the deck.
    """
    if field == "deck":
        return entry[0] >= state.deck_size
    if field in ("third_start", "third_end"):
        return state.third_end[entry] == 0
    by_seat = ("skipped", "cured", "hand_size", "colony")
    return field in by_seat and entry[0] >= state.num_players
