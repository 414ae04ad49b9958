"""How cards change places: deck, hands, colonies, discard pile, with all that is seen of it.

Effects are told in these words. Each card leaves one place and enters another in the same call, but
for `lift_gub`, whose Gub the caller puts down.
"""

from __future__ import annotations

from gubs_env.games.compilation import rule
from gubs_env.games.generator import random_below
from gubs_env.games.gubs import memory
from gubs_env.games.gubs.cards import (
    BARRICADES,
    IS_EVENT,
    NUM_COLONY_KINDS,
    NUM_HAND_KINDS,
    PLACES,
    Card,
)

# ---------------------------------------------------------------------------------------- the deck


@rule
def draw_top(game, drawer):
    """Take the top card off the deck, for a player, and return its kind."""
    game.deck_size -= 1
    kind = int(game.deck[game.deck_size])
    memory.see_top_drawn(game, drawer, kind)
    return kind


@rule
def insert(game, place, kind):
    """Put a card into the deck, with `place` cards below it."""
    for above in range(game.deck_size, place, -1):
        game.deck[above] = game.deck[above - 1]
    game.deck[place] = kind
    game.deck_size += 1


@rule
def shuffle_in(game, kind):
    """A card to one of the size + 1 gaps of the deck, uniformly."""
    insert(game, random_below(game.rng, game.deck_size + 1), kind)
    memory.see_shuffled(game, kind)


@rule
def draw_unseen(game, seat, count):
    """Draw so many cards into a hand; an Event goes to a random place and is replaced.

    Ends early when only Events are left.
    """
    playable = 0
    for place in range(game.deck_size):
        if not IS_EVENT[game.deck[place]]:
            playable += 1
    for _ in range(min(count, playable)):
        kind = draw_top(game, seat)
        while IS_EVENT[kind]:
            shuffle_in(game, kind)
            kind = draw_top(game, seat)
        into_hand(game, seat, kind, 1)


# --------------------------------------------------------------------------------------- the hands


@rule
def into_hand(game, seat, kind, count):
    """Cards enter a hand, unseen."""
    game.hand[seat, kind] += count
    game.hand_size[seat] += count


@rule
def into_hand_openly(game, seat, kind, count):
    """Cards enter a hand before everybody's eyes."""
    into_hand(game, seat, kind, count)
    memory.all_see_enter(game, seat, kind, count)


@rule
def out_of_hand(game, seat, kind):
    """A card leaves a hand before everybody's eyes."""
    game.hand[seat, kind] -= 1
    game.hand_size[seat] -= 1
    memory.all_see_leave(game, seat, kind)


@rule
def discard_from_hand(game, seat, kind):
    out_of_hand(game, seat, kind)
    game.discard_pile[kind] += 1


@rule
def discard_hand(game, seat):
    for kind in range(NUM_HAND_KINDS):
        game.discard_pile[kind] += game.hand[seat, kind]
    lose_hand(game, seat)


@rule
def shuffle_in_hand(game, seat):
    for kind in range(NUM_HAND_KINDS):
        for _ in range(game.hand[seat, kind]):
            shuffle_in(game, kind)
    lose_hand(game, seat)


@rule
def lose_hand(game, seat):
    """The hand is empty; its cards are elsewhere already."""
    game.hand[seat, :] = 0
    game.hand_size[seat] = 0
    memory.all_see_hand_lost(game, seat)


# ---------------------------------------------------------------------------------------- colonies


@rule
def is_trapped(game, seat, slot):
    place = game.colony[seat, slot]
    return (
        place[Card.SUD_SPOUT] + place[Card.SINGLE_RING] + place[Card.DOUBLE_RING]
        + place[Card.TRIPLE_RING] > 0
    )  # fmt: skip


@rule
def is_protected(game, seat, slot):
    place = game.colony[seat, slot]
    return place[Card.MUSHROOM] + place[Card.TOAD_RIDER] + place[Card.VELVET_MOTH] > 0


@rule
def is_free(game, seat, slot):
    """A Gub with nothing on it; the Elder is never called Free."""
    return (
        game.colony[seat, slot, Card.GUB] == 1
        and not is_protected(game, seat, slot)
        and not is_trapped(game, seat, slot)
    )


@rule
def add_place(game, seat, kind):
    """A Gub or the Elder arrives in a colony, with nothing on it; returns its slot."""
    slot = game.colony_size[seat]
    game.colony_size[seat] += 1
    game.colony[seat, slot, kind] = 1
    return slot


@rule
def clear_place(game, seat, slot):
    """The place is empty; its cards are elsewhere already. The gap stays until `close_gaps`."""
    game.colony[seat, slot, :] = 0


@rule
def close_gaps(game, seat):
    """The places left in a colony move up, in order of arrival."""
    kept = 0
    for slot in range(game.colony_size[seat]):
        if game.colony[seat, slot, Card.GUB] + game.colony[seat, slot, Card.ESTEEMED_ELDER] > 0:
            if kept < slot:
                game.colony[seat, kept, :] = game.colony[seat, slot, :]
                clear_place(game, seat, slot)
            kept += 1
    game.colony_size[seat] = kept


@rule
def remove_card(game, seat, slot, kind):
    """Take one card off the Gub at a place; the caller puts it down."""
    game.colony[seat, slot, kind] -= 1


@rule
def discard_card(game, seat, slot, kind):
    """One card that lies on a Gub goes to the discard pile."""
    remove_card(game, seat, slot, kind)
    game.discard_pile[kind] += 1


@rule
def return_barricades(game, seat, slot):
    """The Barricades at a place go to the hand of the seat they lie at."""
    for kind in BARRICADES:
        count = game.colony[seat, slot, kind]
        if count > 0:
            game.colony[seat, slot, kind] = 0
            into_hand_openly(game, seat, kind, count)


@rule
def discard_place(game, seat, slot):
    """A Gub and all that lies on it go to the discard pile. Not for Gubs beneath a Ring."""
    for kind in range(NUM_COLONY_KINDS):
        game.discard_pile[kind] += game.colony[seat, slot, kind]
    clear_place(game, seat, slot)


@rule
def count_on_side(game, seat, kind):
    """Cards of a kind lying on a side; a Ring is one card, however many Gubs are beneath it."""
    count = 0
    for slot in range(game.colony_size[seat]):
        count += game.colony[seat, slot, kind]
    return count // PLACES[kind]


@rule
def clear_side(game, seat):
    """A side is empty but for the Elder; its cards are elsewhere already."""
    for slot in range(game.colony_size[seat]):
        if game.colony[seat, slot, Card.ESTEEMED_ELDER] == 0:
            clear_place(game, seat, slot)
    close_gaps(game, seat)


# ------------------------------------------------------------------------------ the announced card


@rule
def lay_announced(game, seat, slot):
    """The announced card is laid at a place and stays there."""
    game.colony[seat, slot, game.played] += 1
    game.announced = 0


@rule
def discard_announced(game):
    game.discard_pile[game.played] += 1
    game.announced = 0
