"""What each card does, one function a card, in the order of the rulebook (sections 5 and 6).

What a card may be aimed at stands in its row of the table in `cards`. When an effect is called, the
card is announced and its targets are named; an effect that does not lay the announced card leaves
it for the discard pile. `game.turn` is the player of the card, or the drawer of the Event.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gubs_env.games.compilation import dispatch, rule
from gubs_env.games.gubs import memory
from gubs_env.games.gubs.cards import (
    BARRICADES,
    LETTERS,
    NO_CARD,
    NUM_COLONY_KINDS,
    NUM_HAND_KINDS,
    PLACES,
    Card,
)
from gubs_env.games.gubs.state import NOBODY, Phase, seat_at
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

EFFECTS: dict[int, Callable[..., Any]] = {}


def effect(*cards):
    """Register a function as what these cards do."""

    def register(function):
        compiled = rule(function)
        EFFECTS.update(dict.fromkeys(cards, compiled))
        return compiled

    return register


# -------------------------------------------------------------------------------------------- Gubs


@effect(Card.GUB, Card.ESTEEMED_ELDER)
def gub(game):
    """To one's own colony, Free [B]."""
    add_place(game, game.turn, game.played)
    game.announced = 0


# -------------------------------------------------------------------------------------- Barricades


@effect(*BARRICADES)
def barricade(game):
    """Protect one's own Gub [C, K, R]; Mushroom and Toad Rider may discard a Barricade instead."""
    seat, slot = game.target_seat[0], game.target_slot[0]
    if game.target_card == Card.GUB:
        lay_announced(game, seat, slot)
    else:
        discard_card(game, seat, slot, game.target_card)


# ------------------------------------------------------------------------------------------- Traps


@effect(Card.SUD_SPOUT)
def sud_spout(game):
    """Trap any one Free Gub where it lies [B, K]."""
    lay_announced(game, game.target_seat[0], game.target_slot[0])


@effect(Card.SINGLE_RING, Card.DOUBLE_RING, Card.TRIPLE_RING)
def ring(game):
    """Exactly one, two or three Free Gubs move beneath the Ring on one's own side [C, K]."""
    for target in range(game.num_targets):
        clear_place(game, game.target_seat[target], game.target_slot[target])
    for target in range(game.num_targets):
        close_gaps(game, game.target_seat[target])
    for _ in range(game.num_targets):
        slot = add_place(game, game.turn, Card.GUB)
        game.colony[game.turn, slot, game.played] = 1
    game.announced = 0


# ----------------------------------------------------------------------------------------- Hazards


@effect(Card.LURE)
def lure(game):
    """Take one Free Gub of an opponent into one's own colony, Free [K]."""
    clear_place(game, game.target_seat[0], game.target_slot[0])
    close_gaps(game, game.target_seat[0])
    add_place(game, game.turn, Card.GUB)


@effect(Card.SUPER_LURE)
def super_lure(game):
    """Take all Free and Protected Gubs of one opponent; their Barricades go to its hand [K]."""
    victim = game.target_seat[0]
    for slot in range(game.colony_size[victim]):
        if is_free(game, victim, slot) or is_protected(game, victim, slot):
            return_barricades(game, victim, slot)
            clear_place(game, victim, slot)
            add_place(game, game.turn, Card.GUB)
    close_gaps(game, victim)


@effect(Card.CYCLONE)
def cyclone(game):
    """Discard all Barricades of one opponent; the Gubs stay [C]."""
    victim = game.target_seat[0]
    for slot in range(game.colony_size[victim]):
        for kind in BARRICADES:
            while game.colony[victim, slot, kind] > 0:
                discard_card(game, victim, slot, kind)


@effect(Card.OMEN_BEETLE)
def omen_beetle(game):
    """Discard every Gub beneath a Mushroom, on all sides, with all that lies on it [C]."""
    for seat in range(game.num_players):
        for slot in range(game.colony_size[seat]):
            if game.colony[seat, slot, Card.MUSHROOM] > 0:
                discard_place(game, seat, slot)
        close_gaps(game, seat)


@effect(Card.LIGHTNING)
def lightning(game):
    """Discard an opponent's Elder from play, or an opponent's whole hand [Q, S, K]."""
    victim = game.target_seat[0]
    if game.target_slot[0] < 0:
        discard_hand(game, victim)
    else:
        discard_place(game, victim, game.target_slot[0])
        close_gaps(game, victim)


@effect(Card.SMAHL_THIEF)
def smahl_thief(game):
    """Take one Gub, or one Barricade, of an opponent into one's own hand [Q, K]."""
    victim, slot = game.target_seat[0], game.target_slot[0]
    if game.target_card == Card.GUB:
        return_barricades(game, victim, slot)
        if game.colony[victim, slot, Card.SUD_SPOUT] > 0:
            discard_card(game, victim, slot, Card.SUD_SPOUT)
        clear_place(game, victim, slot)
        close_gaps(game, victim)
    else:
        remove_card(game, victim, slot, game.target_card)
    into_hand_openly(game, game.turn, game.target_card, 1)


# ------------------------------------------------------------------------------------------- Tools


@effect(Card.HAKI_FLUTE)
def haki_flute(game):
    """Shatter any one Ring in play: all Gubs beneath it enter one's own colony, Free [C]."""
    seat, slot = game.target_seat[0], game.target_slot[0]
    beneath = PLACES[game.target_card]
    for offset in range(beneath):  # they lie side by side: they came together, and leave so
        clear_place(game, seat, slot + offset)
    close_gaps(game, seat)
    game.discard_pile[game.target_card] += 1
    for _ in range(beneath):
        add_place(game, game.turn, Card.GUB)


@effect(Card.SPEAR)
def spear(game):
    """Discard a Sud Spout (Tool) [Q], or an opponent's Free Gub or Barricade (Hazard) [G7]."""
    seat, slot = game.target_seat[0], game.target_slot[0]
    if game.target_card == Card.GUB:
        discard_place(game, seat, slot)
        close_gaps(game, seat)
    else:
        discard_card(game, seat, slot, game.target_card)


@effect(Card.SCOUT)
def scout(game):
    """Look at one opponent's hand, or at the top three cards and put them back in any order [K]."""
    if game.target_seat[0] != NOBODY:
        memory.see_hand(game, game.turn, game.target_seat[0])
        return
    depth = min(3, game.deck_size)
    memory.see_deck_top(game, game.turn, depth)
    game.ordered = 0
    if depth > 1:
        game.phase = Phase.ORDER


@effect(Card.RETREAT)
def retreat(game):
    """All cards on one's own side but the Elder go to one's own hand [Q; G8]."""
    for kind in range(NUM_COLONY_KINDS):
        count = count_on_side(game, game.turn, kind)
        if kind != Card.ESTEEMED_ELDER and count > 0:
            into_hand_openly(game, game.turn, kind, count)
    clear_side(game, game.turn)


@effect(Card.AGE_OLD_CURE)
def age_old_cure(game):
    """Take one Gub from the discard pile into the hand [Q, K; G9]."""
    game.discard_pile[Card.GUB] -= 1
    into_hand_openly(game, game.turn, Card.GUB, 1)


# ------------------------------------------------------------------------------------------ Events


@effect(*LETTERS)
def letter(game):
    """Laid open [B]. The third one ends the game, which `turn` sees to."""
    game.letters[game.played - Card.LETTER_G] = 1
    game.announced = 0


@effect(Card.FLASH_FLOOD)
def flash_flood(game):
    """All Free Gubs in play are discarded [S], or shuffled into the deck [K] (option flood_to)."""
    for steps in range(game.num_players):
        seat = seat_at(game, game.turn, steps)
        for slot in range(game.colony_size[seat]):
            if is_free(game, seat, slot):
                clear_place(game, seat, slot)
                if game.flood_to_deck:
                    shuffle_in(game, Card.GUB)
                else:
                    game.discard_pile[Card.GUB] += 1
        close_gaps(game, seat)


@effect(Card.GARGOK_PLAGUE)
def gargok_plague(game):
    """First the holders of a Cure are asked; `plague_strikes` when all have answered [Q]."""
    game.phase = Phase.CURE


@rule
def plague_strikes(game):
    """All hands that were not saved are shuffled into the deck, then drawn anew [S; G11]."""
    lost = [0 for _ in range(game.num_players)]
    for steps in range(game.num_players):
        seat = seat_at(game, game.turn, steps)
        if not game.cured[seat]:
            lost[steps] = game.hand_size[seat]
            shuffle_in_hand(game, seat)
    if game.plague_redraw:
        for steps in range(game.num_players):
            draw_unseen(game, seat_at(game, game.turn, steps), lost[steps])
    game.cured[:] = 0


@effect(Card.TRAVELING_MERCHANT)
def traveling_merchant(game):
    """First all pick a card to keep; `hands_pass_on` when all have picked [K]."""
    game.phase = Phase.MERCHANT


@rule
def hands_pass_on(game):
    """Every hand but the card kept goes to the player on the right, counter-clockwise [K]."""
    memory.see_hands_pass(game)
    hands = game.hand.copy()
    for giver in range(game.num_players):
        if game.kept[giver] != NO_CARD:
            hands[giver, game.kept[giver]] -= 1
        game.hand[giver, :] = 0
        game.hand_size[giver] = 0
    for giver in range(game.num_players):
        if game.kept[giver] != NO_CARD:
            into_hand(game, giver, game.kept[giver], 1)
        for kind in range(NUM_HAND_KINDS):
            into_hand(game, seat_at(game, giver, game.num_players - 1), kind, hands[giver, kind])
    game.kept[:] = NO_CARD


@effect(Card.RUMOR_OF_WASPS)
def rumor_of_wasps(game):
    """Gubs beneath a Toad Rider, and these, are shuffled in; what else lies there goes [K, R]."""
    for steps in range(game.num_players):
        seat = seat_at(game, game.turn, steps)
        for slot in range(game.colony_size[seat]):
            riders = game.colony[seat, slot, Card.TOAD_RIDER]
            if riders > 0:
                game.colony[seat, slot, Card.GUB] = 0
                game.colony[seat, slot, Card.TOAD_RIDER] = 0
                shuffle_in(game, Card.GUB)
                for _ in range(riders):
                    shuffle_in(game, Card.TOAD_RIDER)
                discard_place(game, seat, slot)
        close_gaps(game, seat)


@effect(Card.DANGEROUS_ALCHEMY)
def dangerous_alchemy(game):
    """The drawer's whole colony but the Elder is discarded, with all that lies on it [K]."""
    for kind in range(NUM_COLONY_KINDS):
        if kind != Card.ESTEEMED_ELDER:
            game.discard_pile[kind] += count_on_side(game, game.turn, kind)
    clear_side(game, game.turn)


take_effect_of = dispatch(EFFECTS, "game")
