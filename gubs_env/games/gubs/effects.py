"""The effect of each card, one function a card, in the order of the rules (sections 5 and 6).

The row of a card in the table of `cards` lists its targets. When an effect is called, the card is
announced and its targets are named. If the effect does not lay the card, it goes to the discard
pile. `state.turn` is the player of the card, or the drawer of the Event.
"""

from __future__ import annotations

from gubs_env.engine.cases import Cases
from gubs_env.engine.compiling import compiled
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.games.gubs import memory
from gubs_env.games.gubs.cards import (
    BARRICADES,
    LETTERS,
    MUSHROOMS,
    NO_CARD,
    NUM_COLONY_KINDS,
    NUM_HAND_KINDS,
    PLACES,
    SPOUTS,
    Card,
)
from gubs_env.games.gubs.state import Phase
from gubs_env.games.gubs.table import (
    add_place,
    clear_place,
    clear_side,
    close_gaps,
    count_on_side,
    discard_card,
    discard_hand,
    discard_place,
    draw_unseen,
    into_hand,
    into_hand_openly,
    is_free,
    is_protected,
    lay_announced,
    remove_card,
    return_barricades,
    shuffle_in,
    shuffle_in_hand,
)

effects = Cases([card for card in Card if card.kind.takes_effect])


# -------------------------------------------------------------------------------------------- Gubs


@effects.of(Card.GUB, Card.ESTEEMED_ELDER)
def gub(state):
    """Add the card to the player's own colony, Free [B]."""
    add_place(state, state.turn, state.played)
    state.announced = 0


# -------------------------------------------------------------------------------------- Barricades


@effects.of(Card.MUSHROOM, Card.TOAD_RIDER, Card.VELVET_MOTH)
def barricade(state):
    """Protect a Gub [C, K, R]; Mushroom and Toad Rider may discard a Barricade instead."""
    seat, slot = state.target_seat[0], state.target_slot[0]
    if state.target_card == Card.GUB:
        lay_announced(state, seat, slot)
    else:
        discard_card(state, seat, slot, state.target_card)


# ------------------------------------------------------------------------------------------- Traps


@effects.of(Card.SUD_SPOUT)
def sud_spout(state):
    """Trap any one Free Gub where it lies [B, K]."""
    lay_announced(state, state.target_seat[0], state.target_slot[0])


@effects.of(Card.SINGLE_RING, Card.DOUBLE_RING, Card.TRIPLE_RING)
def ring(state):
    """Move exactly one, two or three Free Gubs beneath the Ring, on the player's side [C, K]."""
    for target in range(state.num_targets):
        clear_place(state, state.target_seat[target], state.target_slot[target])
    for target in range(state.num_targets):
        close_gaps(state, state.target_seat[target])
    for _ in range(state.num_targets):
        slot = add_place(state, state.turn, Card.GUB)
        state.colony[state.turn, slot, state.played] = 1
    state.announced = 0


# ----------------------------------------------------------------------------------------- Hazards


@effects.of(Card.LURE)
def lure(state):
    """Take one Free Gub of an opponent into the player's colony, Free [K]."""
    clear_place(state, state.target_seat[0], state.target_slot[0])
    close_gaps(state, state.target_seat[0])
    add_place(state, state.turn, Card.GUB)


@effects.of(Card.SUPER_LURE)
def super_lure(state):
    """Take all Free and Protected Gubs of one opponent, who takes back their Barricades [K]."""
    victim = state.target_seat[0]
    for slot in range(state.colony_size[victim]):
        if is_free(state, victim, slot) or is_protected(state, victim, slot):
            return_barricades(state, victim, slot)
            clear_place(state, victim, slot)
            add_place(state, state.turn, Card.GUB)
    close_gaps(state, victim)


@effects.of(Card.CYCLONE)
def cyclone(state):
    """Discard all Barricades of one opponent; the Gubs stay [C]."""
    victim = state.target_seat[0]
    for slot in range(state.colony_size[victim]):
        for kind in BARRICADES:
            while state.colony[victim, slot, kind] > 0:
                discard_card(state, victim, slot, kind)


@effects.of(Card.OMEN_BEETLE)
def omen_beetle(state):
    """Discard every Gub beneath a Mushroom, on all sides, with all that lies on it [C]."""
    for seat in range(state.num_players):
        for slot in range(state.colony_size[seat]):
            mushrooms = 0
            for kind in MUSHROOMS:
                mushrooms += state.colony[seat, slot, kind]
            if mushrooms > 0:
                discard_place(state, seat, slot)
        close_gaps(state, seat)


@effects.of(Card.LIGHTNING)
def lightning(state):
    """Discard an opponent's Elder in play, or an opponent's whole hand [Q, S, K]."""
    victim = state.target_seat[0]
    if state.target_slot[0] < 0:
        discard_hand(state, victim)
    else:
        discard_place(state, victim, state.target_slot[0])
        close_gaps(state, victim)


@effects.of(Card.SMAHL_THIEF)
def smahl_thief(state):
    """Take one Gub or one Barricade of an opponent into the player's hand [Q, K]."""
    victim, slot = state.target_seat[0], state.target_slot[0]
    if state.target_card == Card.GUB:
        return_barricades(state, victim, slot)
        for kind in SPOUTS:
            if state.colony[victim, slot, kind] > 0:
                discard_card(state, victim, slot, kind)
        clear_place(state, victim, slot)
        close_gaps(state, victim)
    else:
        remove_card(state, victim, slot, state.target_card)
    into_hand_openly(state, state.turn, state.target_card, 1)


# ------------------------------------------------------------------------------------------- Tools


@effects.of(Card.HAKI_FLUTE)
def haki_flute(state):
    """Break any one Ring in play; all Gubs beneath it enter the player's colony, Free [C]."""
    seat, slot = state.target_seat[0], state.target_slot[0]
    beneath = PLACES[state.target_card]
    for offset in range(beneath):  # side by side, since they arrive and leave together
        clear_place(state, seat, slot + offset)
    close_gaps(state, seat)
    state.discard_pile[state.target_card] += 1
    for _ in range(beneath):
        add_place(state, state.turn, Card.GUB)


@effects.of(Card.SPEAR)
def spear(state):
    """Discard a Sud Spout (Tool) [Q], or an opponent's Free Gub or Barricade (Hazard) [G7]."""
    seat, slot = state.target_seat[0], state.target_slot[0]
    if state.target_card == Card.GUB:
        discard_place(state, seat, slot)
        close_gaps(state, seat)
    else:
        discard_card(state, seat, slot, state.target_card)


@effects.of(Card.SCOUT)
def scout(state):
    """Look at an opponent's hand, or reorder the top three cards of the deck [K]."""
    if state.target_seat[0] != NOBODY:
        memory.see_hand(state, state.turn, state.target_seat[0])
        return
    depth = min(3, state.deck_size)
    memory.see_deck_top(state, state.turn, depth)
    state.ordered = 0
    if depth > 1:
        state.phase = Phase.ORDER


@effects.of(Card.RETREAT)
def retreat(state):
    """Take all cards on the player's side except the Elder into their hand [Q, G8]."""
    for kind in range(NUM_COLONY_KINDS):
        count = count_on_side(state, state.turn, kind)
        if kind != Card.ESTEEMED_ELDER and count > 0:
            into_hand_openly(state, state.turn, kind, count)
    clear_side(state, state.turn)


@effects.of(Card.AGE_OLD_CURE)
def age_old_cure(state):
    """Take one Gub from the discard pile into the hand [Q, K, G9]."""
    state.discard_pile[Card.GUB] -= 1
    into_hand_openly(state, state.turn, Card.GUB, 1)


# ------------------------------------------------------------------------------------------ Events


@effects.of(*LETTERS)
def letter(state):
    """Lay the Letter open [B]; with the third one `turn` ends the game."""
    state.letters[state.played - Card.LETTER_G] = 1
    state.announced = 0


@effects.of(Card.FLASH_FLOOD)
def flash_flood(state):
    """Discard all Free Gubs in play [S], or shuffle them into the deck [K] (option flood_to)."""
    for steps in range(state.num_players):
        seat = seat_at(state, state.turn, steps)
        for slot in range(state.colony_size[seat]):
            if is_free(state, seat, slot):
                clear_place(state, seat, slot)
                if state.flood_to_deck:
                    shuffle_in(state, Card.GUB)
                else:
                    state.discard_pile[Card.GUB] += 1
        close_gaps(state, seat)


@effects.of(Card.GARGOK_PLAGUE)
def gargok_plague(state):
    """Ask the holders of a Cure; `plague_strikes` follows once all have answered [Q]."""
    state.phase = Phase.CURE


@compiled
def plague_strikes(state):
    """Shuffle all hands that were not saved into the deck, then draw new ones [S, G11]."""
    lost = [0 for _ in range(state.num_players)]
    for steps in range(state.num_players):
        seat = seat_at(state, state.turn, steps)
        if not state.cured[seat]:
            lost[steps] = state.hand_size[seat]
            shuffle_in_hand(state, seat)
    if state.plague_redraw:
        state.returned[:] = 0
        for steps in range(state.num_players):
            draw_unseen(state, seat_at(state, state.turn, steps), lost[steps])
    state.cured[:] = 0


@effects.of(Card.TRAVELING_MERCHANT)
def traveling_merchant(state):
    """Ask everybody for a card to keep; `hands_pass_on` follows once all have picked [K]."""
    state.phase = Phase.MERCHANT


@compiled
def hands_pass_on(state):
    """Pass every hand except the card kept to the right, counter-clockwise [K]."""
    memory.see_hands_pass(state)
    hands = state.hand.copy()
    for giver in range(state.num_players):
        if state.kept[giver] != NO_CARD:
            hands[giver, state.kept[giver]] -= 1
        state.hand[giver, :] = 0
        state.hand_size[giver] = 0
    for giver in range(state.num_players):
        if state.kept[giver] != NO_CARD:
            into_hand(state, giver, state.kept[giver], 1)
        for kind in range(NUM_HAND_KINDS):
            into_hand(state, seat_at(state, giver, state.num_players - 1), kind, hands[giver, kind])
    state.kept[:] = NO_CARD


@effects.of(Card.RUMOR_OF_WASPS)
def rumor_of_wasps(state):
    """Shuffle Gubs beneath Toad Riders, and the Riders, into the deck; discard the rest [K, R]."""
    for steps in range(state.num_players):
        seat = seat_at(state, state.turn, steps)
        for slot in range(state.colony_size[seat]):
            riders = state.colony[seat, slot, Card.TOAD_RIDER]
            if riders > 0:
                state.colony[seat, slot, Card.GUB] = 0
                state.colony[seat, slot, Card.TOAD_RIDER] = 0
                shuffle_in(state, Card.GUB)
                for _ in range(riders):
                    shuffle_in(state, Card.TOAD_RIDER)
                discard_place(state, seat, slot)
        close_gaps(state, seat)


@effects.of(Card.DANGEROUS_ALCHEMY)
def dangerous_alchemy(state):
    """Discard the drawer's whole colony except the Elder, with all that lies on it [K]."""
    for kind in range(NUM_COLONY_KINDS):
        if kind != Card.ESTEEMED_ELDER:
            state.discard_pile[kind] += count_on_side(state, state.turn, kind)
    clear_side(state, state.turn)


take_effect_of = effects.join()
