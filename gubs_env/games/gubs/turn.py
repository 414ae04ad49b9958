"""The course of a game: set-up, turns, moves, windows, the end (sections 2, 3, 4 and 7)."""

from __future__ import annotations

import numpy as np

from gubs_env.games.choosing import ANY_SEAT, count_legal, nth_legal
from gubs_env.games.compilation import dispatch, rule
from gubs_env.games.generator import random_below, shuffle
from gubs_env.games.gubs.actions import DECK, PASS, card_of, slot_of, steps_of
from gubs_env.games.gubs.cards import (
    CAN_BE_ANSWERED,
    IS_EVENT,
    LETTERS,
    NAMED_THINGS,
    OTHERS_AIMS,
    OWN_AIMS,
    PLACES,
    Card,
)
from gubs_env.games.gubs.effects import hands_pass_on, plague_strikes, take_effect_of
from gubs_env.games.gubs.legal import is_inner_pick, next_asked, write_mask
from gubs_env.games.gubs.rules import DEALT_CARDS, HAND_LIMIT
from gubs_env.games.gubs.state import NOBODY, Phase, clear_move, clear_table, seat_at
from gubs_env.games.gubs.table import (
    add_place,
    discard_announced,
    discard_from_hand,
    draw_top,
    draw_unseen,
    insert,
    into_hand,
    out_of_hand,
    shuffle_in,
)

# ------------------------------------------------------------------------------ set-up (section 2)


@rule
def set_up(game, starting_seat):
    """Shuffle, lay the first Gubs, place the Letters, deal; the starting seat is to draw.

    ANY_SEAT is seat 0.
    """
    first = 0 if starting_seat == ANY_SEAT else starting_seat
    clear_table(game)
    for kind in range(Card.LETTER_G):  # the Letters come later
        copies = game.composition[kind] - (game.num_players if kind == Card.GUB else 0)
        for _ in range(copies):
            game.deck[game.deck_size] = kind
            game.deck_size += 1
    shuffle(game.rng, game.deck, game.deck_size)
    place_letters(game)
    game.turn = first
    for steps in range(game.num_players):
        seat = seat_at(game, first, steps)
        add_place(game, seat, Card.GUB)
        draw_unseen(game, seat, DEALT_CARDS)
    begin_turn(game, first)


@rule
def place_letters(game):
    """One Letter at a random gap of each third of the deck (G1), or all anywhere."""
    order = np.arange(3)
    shuffle(game.rng, order, 3)
    others = game.deck_size
    cuts = [0, others // 3, 2 * others // 3, others]  # cards above each cut
    # The deck lies bottom first: the lowest third is filled first, so that the cuts above hold.
    for third in range(3):
        pile = 2 - third
        letter = Card.LETTER_G + order[pile]
        if game.letters_anywhere:
            shuffle_in(game, letter)
        else:
            size = cuts[pile + 1] - cuts[pile]
            above = cuts[pile] + random_below(game.rng, size + 1)
            game.third_start[third] = others - cuts[pile + 1] + third
            game.third_end[third] = game.third_start[third] + size + 1
            insert(game, game.deck_size - above, letter)


# ------------------------------------------------------------------------------- turns (section 3)


@rule
def begin_turn(game, seat):
    game.turn = seat
    game.actor = seat
    game.phase = Phase.DRAW


@rule
def end_play(game):
    """Discard down to the limit, one card at a time; then it is the next seat's turn."""
    if game.hand_size[game.turn] > HAND_LIMIT:
        game.phase = Phase.DISCARD
    else:
        begin_turn(game, seat_at(game, game.turn, 1))


@rule
def decide_draw(game, action):
    game.skipped[game.turn] = action == PASS
    if action == PASS:
        game.phase = Phase.PLAY
        return
    kind = draw_top(game, game.turn)
    if IS_EVENT[kind]:
        begin_move(game, kind)
        game.announced = 1
        open_window(game, 0)
    else:
        into_hand(game, game.turn, kind, 1)
        game.phase = Phase.PLAY


@rule
def decide_play(game, action):
    if action == PASS:
        end_play(game)
        return
    kind = card_of(action)
    begin_move(game, kind)
    if kind == Card.CRICKET_SONG:
        game.phase = Phase.NAME
    else:
        aim(game)


@rule
def decide_discard(game, action):
    discard_from_hand(game, game.turn, card_of(action))
    end_play(game)


# ------------------------------------------------------------------------------- moves (section 9)


@rule
def begin_move(game, kind):
    """A card is picked, its targets not named yet."""
    clear_move(game)
    game.played = kind
    game.played_as = kind


@rule
def aim(game):
    """Ask for the target, if the card is aimed at anything that has to be named."""
    if (OWN_AIMS[game.played_as] | OTHERS_AIMS[game.played_as]) & NAMED_THINGS:
        game.phase = Phase.TARGET
    else:
        move_is_complete(game)


@rule
def decide_name(game, action):
    game.played_as = card_of(action)
    aim(game)


@rule
def decide_target(game, action):
    """One more target: the deck, a seat, or a place, of which a Ring takes several."""
    if action != DECK:
        game.target_seat[game.num_targets] = seat_at(game, game.turn, steps_of(action))
        game.target_slot[game.num_targets] = slot_of(action)
    game.num_targets += 1
    if game.num_targets == PLACES[game.played_as]:
        if game.target_slot[0] >= 0:
            game.phase = Phase.MEANT
        else:
            move_is_complete(game)


@rule
def decide_meant(game, action):
    game.target_card = card_of(action)
    move_is_complete(game)


@rule
def decide_order(game, action):
    """The Scout puts the next card back, from the top down; the last one needs no decision."""
    top = game.deck_size - 1 - game.ordered
    place = top
    while game.deck[place] != card_of(action):
        place -= 1
    game.deck[place], game.deck[top] = game.deck[top], game.deck[place]
    game.ordered += 1
    if game.ordered == game.known_top[game.turn] - 1:
        move_is_over(game)


@rule
def move_is_complete(game):
    """The card leaves the hand, its targets named; a Hazard or Trap opens a window."""
    out_of_hand(game, game.turn, game.played)
    game.announced = 1
    used_as_tool = game.played_as == Card.SPEAR and game.target_card == Card.SUD_SPOUT  # G7
    if CAN_BE_ANSWERED[game.played_as] and not used_as_tool:
        open_window(game, 1)
    else:
        game.phase = Phase.EFFECT
        game.actor = NOBODY


@rule
def take_effect(game):
    """The announced card does what it does; Plague and Merchant only open a question by that."""
    game.phase = Phase.PLAY
    take_effect_of(game.played_as, game)
    if game.phase == Phase.PLAY:
        move_is_over(game)
    elif game.phase == Phase.ORDER:
        game.actor = game.turn
    else:
        game.asked = 0


@rule
def move_is_over(game):
    """A card that was not laid goes to the discard pile; the turn goes on, or the game is over."""
    if game.announced:
        discard_announced(game)
    game.actor = game.turn
    game.phase = Phase.OVER if game.letters.sum() == len(LETTERS) else Phase.PLAY


# --------------------------------------------------------------- windows and questions (section 4)


@rule
def open_window(game, first):
    """Ask the players clockwise, from `first` seats after the one whose turn it is."""
    game.phase = Phase.ANSWER
    game.asked = first
    game.actor = NOBODY


@rule
def ask_next(game):
    """The next player's answer; when all were asked, what they were asked about happens."""
    game.actor = next_asked(game)
    if game.actor != NOBODY:
        return
    if game.phase == Phase.ANSWER:
        game.phase = Phase.EFFECT
        return
    if game.phase == Phase.CURE:
        plague_strikes(game)
    else:
        hands_pass_on(game)
    move_is_over(game)


@rule
def decide_answer(game, action):
    if action == PASS:
        game.actor = NOBODY
        return
    discard_from_hand(game, game.actor, card_of(action))
    if IS_EVENT[game.played]:  # G5: back to a random place
        shuffle_in(game, game.played)
        game.announced = 0
    move_is_over(game)


@rule
def decide_cure(game, action):
    if action != PASS:
        discard_from_hand(game, game.actor, card_of(action))
        game.cured[game.actor] = 1
    game.actor = NOBODY


@rule
def decide_merchant(game, action):
    game.kept[game.actor] = card_of(action)
    game.actor = NOBODY


# ------------------------------------------------------------------------------------------ a step


decide = dispatch(
    {
        Phase.DRAW: decide_draw,
        Phase.PLAY: decide_play,
        Phase.NAME: decide_name,
        Phase.TARGET: decide_target,
        Phase.MEANT: decide_meant,
        Phase.ORDER: decide_order,
        Phase.ANSWER: decide_answer,
        Phase.CURE: decide_cure,
        Phase.MERCHANT: decide_merchant,
        Phase.DISCARD: decide_discard,
    },
    "game, action",
)


@rule
def step(game, action, mask):
    """Play a legal action and all that follows from it until a seat has to decide.

    `mask`, int8[num_actions], is written for that seat; it is all zero once the game is over.
    """
    play_out(game, action)
    write_mask(game, mask)
    while is_inner_pick(game.phase) and count_legal(mask) == 1:
        play_out(game, nth_legal(mask, 0))
        write_mask(game, mask)


@rule
def play_out(game, action):
    """Apply one decision; while nobody is to decide, the game goes on by itself."""
    decide(game.phase, game, action)
    while game.actor == NOBODY:
        if game.phase == Phase.EFFECT:
            take_effect(game)
        else:
            ask_next(game)
