"""The legal actions: the targets that are there, and the mask of the current decision.

The table in `cards` lists the targets of each card; this module finds where they are.
"""

from __future__ import annotations

from gubs_env.engine.cases import Cases
from gubs_env.engine.compiling import inlined
from gubs_env.engine.seats import NOBODY, seat_at, steps_to
from gubs_env.games.gubs.actions import DECK, PASS, card_action, place_action, seat_action
from gubs_env.games.gubs.cards import (
    ANSWERABLE,
    ANSWERS,
    AS_TOOL,
    CRICKET_SONG_CAN_BE,
    CURES,
    HELPERS,
    LYING_THINGS,
    MEANT_THINGS,
    NO_CARD,
    NUM_COLONY_KINDS,
    NUM_HAND_KINDS,
    OTHERS_AIMS,
    OWN_AIMS,
    PLACE_THINGS,
    PLACES,
    RINGS,
    Card,
    Thing,
)
from gubs_env.games.gubs.state import Phase
from gubs_env.games.gubs.table import is_free

# ---------------------------------------------------------------------------- targets on the table


@inlined
def things_at(state, seat, slot):
    """Return the targets at one place, `Thing` bits."""
    place = state.colony[seat, slot]
    things = 0
    for kind in range(NUM_COLONY_KINDS):
        things |= LYING_THINGS[kind] if place[kind] > 0 else 0
    if things == 0:
        return Thing.FREE_GUB | Thing.SHELTERABLE_GUB
    if state.stacked_barricades and things & Thing.PROTECTED_GUB:
        things |= Thing.SHELTERABLE_GUB
    return things


@inlined
def things_of(state, seat):
    """Return the targets on a seat's side and in its hand, `Thing` bits."""
    things = 0
    for slot in range(state.colony_size[seat]):
        things |= things_at(state, seat, slot)
    if things & (Thing.FREE_GUB | Thing.PROTECTED_GUB):
        things |= Thing.LURABLE_COLONY
    if things & Thing.BARRICADE:
        things |= Thing.BARRICADED_COLONY
    if state.hand_size[seat] > 0:
        things |= Thing.HAND
    return things


@inlined
def things_in_sight(state):
    """Return the targets for the seat whose turn it is: (own side and table, other sides)."""
    own = things_of(state, state.turn)
    others = 0
    for steps in range(1, state.num_players):
        others |= things_of(state, seat_at(state, state.turn, steps))
    if (own | others) & Thing.MUSHROOM:
        own |= Thing.MUSHROOM_IN_PLAY
    if own & PLACE_THINGS & ~Thing.ELDER:
        own |= Thing.CARD_ON_ONES_SIDE
    if state.deck_size > 0:
        own |= Thing.DECK
    if state.discard_pile[Card.GUB] > 0:
        own |= Thing.GUB_IN_DISCARD_PILE
    return own | Thing.NOTHING, others


@inlined
def count_free_gubs(state):
    count = 0
    for seat in range(state.num_players):
        for slot in range(state.colony_size[seat]):
            if is_free(state, seat, slot):
                count += 1
    return count


@inlined
def is_aimed(kind, own, others):
    """Return whether a card of this kind has a target among these."""
    return ((own & OWN_AIMS[kind]) | (others & OTHERS_AIMS[kind])) != 0


@inlined
def has_places(state, kind):
    """Return whether there are enough Free Gubs for a Ring of this kind; True for other kinds."""
    return PLACES[kind] == 1 or count_free_gubs(state) >= PLACES[kind]


@inlined
def cricket_song_can_be(state, kind, own, others):
    """Return whether Cricket Song can be played as this kind now."""
    return CRICKET_SONG_CAN_BE[kind] and is_aimed(kind, own, others) and has_places(state, kind)


@inlined
def opens_window(state):
    """Return whether the announced card can be answered: an Event, Hazard or Trap, no Tool [G7]."""
    meant = state.target_card
    used_as_tool = meant != NO_CARD and AS_TOOL[state.played_as] & MEANT_THINGS[meant] != 0
    return ANSWERABLE[state.played_as] != 0 and not used_as_tool


@inlined
def helps_now(state, kind):
    """Return whether this kind helps in the open window or the Plague's question (section 4)."""
    if state.phase == Phase.CURE:
        return CURES[kind]
    return ANSWERS[kind] & ANSWERABLE[state.played_as] != 0


# ------------------------------------------------------------------------------------------ places


@inlined
def is_repeated(state, seat, slot, first):
    """Return whether a place looks like an earlier one of its seat, from slot `first` on."""
    for earlier in range(first, slot):
        alike = True
        for kind in range(NUM_COLONY_KINDS):
            if state.colony[seat, earlier, kind] != state.colony[seat, slot, kind]:
                alike = False
        if alike:
            return True
    return False


@inlined
def first_slot(state, steps):
    """Return the first slot of a seat that can still be picked; picks go up by (seat, slot)."""
    if state.num_targets == 0:
        return 0
    last = state.num_targets - 1
    last_steps = steps_to(state, state.turn, state.target_seat[last])
    if steps == last_steps:
        return state.target_slot[last] + 1
    return 0 if steps > last_steps else state.colony_size[seat_at(state, state.turn, steps)]


@inlined
def aims_at(state, steps):
    """Return the targets of the card being played on a relative seat's side, `Thing` bits."""
    return OWN_AIMS[state.played_as] if steps == 0 else OTHERS_AIMS[state.played_as]


@inlined
def count_places(state):
    """Return how many places can still be picked for the card being played."""
    count = 0
    for steps in range(state.num_players):
        seat = seat_at(state, state.turn, steps)
        for slot in range(first_slot(state, steps), state.colony_size[seat]):
            if aims_at(state, steps) & PLACE_THINGS & things_at(state, seat, slot):
                count += 1
    return count


# ----------------------------------------------------------------------- the mask of each decision

offers = Cases(list(Phase)[: Phase.OVER], "state, mask", inlined)


@offers.of(Phase.DRAW)
def offer_draw(state, mask):
    mask[DECK] = 1
    if not state.skipped[state.turn]:
        mask[PASS] = 1


@offers.of(Phase.PLAY)
def offer_play(state, mask):
    """Offer the cards in the hand that have a legal target or effect now [G2]."""
    own, others = things_in_sight(state)
    hand = state.hand[state.turn]
    # Without branches, because the branch predictor cannot learn what is in a hand.
    for kind in range(NUM_HAND_KINDS):
        mask[card_action(kind)] = (hand[kind] > 0) & is_aimed(kind, own, others)
    for kind in RINGS:
        if mask[card_action(kind)]:
            mask[card_action(kind)] = has_places(state, kind)
    if hand[Card.CRICKET_SONG] > 0:
        for kind in range(NUM_HAND_KINDS):
            if cricket_song_can_be(state, kind, own, others):
                mask[card_action(Card.CRICKET_SONG)] = 1
    mask[PASS] = 1


@offers.of(Phase.NAME)
def offer_names(state, mask):
    own, others = things_in_sight(state)
    for kind in range(NUM_HAND_KINDS):
        if cricket_song_can_be(state, kind, own, others):
            mask[card_action(kind)] = 1


@offers.of(Phase.TARGET)
def offer_targets(state, mask):
    """Offer seats, deck and places; to a Ring only places that leave enough for its others."""
    if aims_at(state, 0) & Thing.DECK and state.deck_size > 0:
        mask[DECK] = 1
    left = count_places(state)
    needed = PLACES[state.played_as] - state.num_targets
    for steps in range(state.num_players):
        seat = seat_at(state, state.turn, steps)
        if steps > 0 and aims_at(state, steps) & ~PLACE_THINGS & things_of(state, seat):
            mask[seat_action(steps)] = 1
        first = first_slot(state, steps)
        for slot in range(first, state.colony_size[seat]):
            if aims_at(state, steps) & PLACE_THINGS & things_at(state, seat, slot):
                if left >= needed and not is_repeated(state, seat, slot, first):
                    mask[place_action(steps, slot)] = 1
                left -= 1


@offers.of(Phase.MEANT)
def offer_meant(state, mask):
    """Offer the cards at the chosen place that are targets of the card being played."""
    seat, slot = state.target_seat[0], state.target_slot[0]
    aimed = aims_at(state, steps_to(state, state.turn, seat)) & things_at(state, seat, slot)
    for kind in range(NUM_COLONY_KINDS):
        if state.colony[seat, slot, kind] > 0 and aimed & MEANT_THINGS[kind]:
            mask[card_action(kind)] = 1


@offers.of(Phase.ORDER)
def offer_order(state, mask):
    """Offer the cards that the Scout saw and that are not put back yet."""
    top = state.deck_size - 1
    for place in range(top - state.known_top[state.turn] + 1, top - state.ordered + 1):
        mask[card_action(state.deck[place])] = 1


@offers.of(Phase.ANSWER, Phase.CURE)
def offer_help(state, mask):
    for kind in HELPERS:
        if state.hand[state.actor, kind] > 0 and helps_now(state, kind):
            mask[card_action(kind)] = 1
    mask[PASS] = 1


@offers.of(Phase.MERCHANT, Phase.DISCARD)
def offer_hand(state, mask):
    for kind in range(NUM_HAND_KINDS):
        if state.hand[state.actor, kind] > 0:
            mask[card_action(kind)] = 1


offer = offers.join()


@inlined
def write_mask(state, mask):
    """Write the mask of the acting player, int8[num_actions]: 1 for each legal action, else 0."""
    mask[:] = 0
    offer(state.phase, state, mask)


@inlined
def is_inner_pick(phase):
    """Return whether a phase is a pick inside a move, not asked if one is legal (section 9).

    The Scout's order is always asked, so that the number of picks tells nobody what was seen.
    """
    return phase == Phase.NAME or phase == Phase.TARGET or phase == Phase.MEANT


# -------------------------------------------------------------------------------- players to ask


@inlined
def should_be_asked(state, seat):
    """Return whether a seat is asked in the open window or question [G6]."""
    if state.phase == Phase.MERCHANT:
        return state.hand_size[seat] > 0
    if state.ask_everyone:
        return True
    for kind in HELPERS:  # noqa: SIM110 (Numba compiles no generators)
        if state.hand[seat, kind] > 0 and helps_now(state, kind):
            return True
    return False


@inlined
def next_asked(state):
    """Return the next seat to ask, clockwise from whose turn it is; NOBODY after the last."""
    while state.asked < state.num_players:
        seat = seat_at(state, state.turn, state.asked)
        state.asked += 1
        if should_be_asked(state, seat):
            return seat
    return NOBODY
