"""The course of a game: set-up, turns, moves, windows, the end (sections 2, 3, 4 and 7)."""

from __future__ import annotations

import numpy as np

from gubs_env.engine.cases import Cases
from gubs_env.engine.choosing import count_legal, nth_legal
from gubs_env.engine.compiling import compiled, dispatch
from gubs_env.engine.fields import one_more
from gubs_env.engine.mechanics import Next
from gubs_env.engine.rng import random_below, shuffle
from gubs_env.engine.seats import ANY_PLAYER, NOBODY, seat_at
from gubs_env.games.gubs.actions import DECK, PASS, card_of, slot_of, steps_of
from gubs_env.games.gubs.cards import (
    IS_EVENT,
    LETTERS,
    NAMED_THINGS,
    OTHERS_AIMS,
    OWN_AIMS,
    PLACES,
    Card,
)
from gubs_env.games.gubs.classes import third_floor
from gubs_env.games.gubs.effects import hands_pass_on, plague_strikes, take_effect_of
from gubs_env.games.gubs.legal import is_inner_pick, next_asked, opens_window, write_mask
from gubs_env.games.gubs.rules import DEALT_CARDS, HAND_LIMIT
from gubs_env.games.gubs.state import Phase, clear_move, clear_table
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

decisions = Cases(list(Phase)[: Phase.OVER], "state, action")


# ------------------------------------------------------------------------------ set-up (section 2)


@compiled
def set_up(state, starting_player):
    """Shuffle, lay the first Gubs, place the Letters and deal; then the starting player draws.

    ANY_PLAYER means player 0.
    """
    first = 0 if starting_player == ANY_PLAYER else starting_player
    clear_table(state)
    stack_deck(state)
    state.turn = first
    for steps in range(state.num_players):
        seat = seat_at(state, first, steps)
        add_place(state, seat, Card.GUB)
        draw_unseen(state, seat, DEALT_CARDS)
    begin_turn(state, first)


@compiled
def stack_deck(state):
    """Shuffle all cards but the first Gubs, and place the Letters."""
    for kind in range(Card.LETTER_G):  # the Letters come later
        copies = state.composition[kind] - (state.num_players if kind == Card.GUB else 0)
        for _ in range(copies):
            state.deck[state.deck_size] = kind
            state.deck_size += 1
    shuffle(state.rng, state.deck, state.deck_size)
    place_letters(state)


@compiled
def place_letters(state):
    """Put a Letter into a random gap of each third of the deck [G1], or of the whole deck."""
    order = np.arange(3)
    shuffle(state.rng, order, 3)
    others = state.deck_size
    for third in range(3):  # the lowest first, so that the floors of those above become true
        letter = Card.LETTER_G + order[2 - third]
        if state.letters_anywhere:
            shuffle_in(state, letter)
        else:
            start, end = third_floor(others, third), third_floor(others, third + 1)
            insert(state, end - 1 - random_below(state.rng, end - start), letter)
            state.third_start[third], state.third_end[third] = start, end


# ------------------------------------------------------------------------------- turns (section 3)


@compiled
def begin_turn(state, seat):
    state.turn = seat
    state.actor = seat
    state.phase = Phase.DRAW


@compiled
def end_play(state):
    """Discard down to the limit, one card at a time; then it is the next seat's turn."""
    if state.hand_size[state.turn] > HAND_LIMIT:
        state.phase = Phase.DISCARD
    else:
        begin_turn(state, seat_at(state, state.turn, 1))


@decisions.of(Phase.DRAW)
def decide_draw(state, action):
    state.skipped[state.turn] = action == PASS
    if action == PASS:
        state.phase = Phase.PLAY
        return
    kind = draw_top(state, state.turn)
    if IS_EVENT[kind]:
        begin_move(state, kind)
        state.announced = 1
        open_window(state, 0)
    else:
        into_hand(state, state.turn, kind, 1)
        state.phase = Phase.PLAY


@decisions.of(Phase.PLAY)
def decide_play(state, action):
    if action == PASS:
        end_play(state)
        return
    kind = card_of(action)
    begin_move(state, kind)
    if kind == Card.CRICKET_SONG:
        state.phase = Phase.NAME
    else:
        aim(state)


@decisions.of(Phase.DISCARD)
def decide_discard(state, action):
    discard_from_hand(state, state.turn, card_of(action))
    end_play(state)


# ------------------------------------------------------------------------------- moves (section 9)


@compiled
def begin_move(state, kind):
    """Begin a move with this card; its targets are not named yet."""
    clear_move(state)
    state.played = kind
    state.played_as = kind


@compiled
def aim(state):
    """Ask for the target, if the card is aimed at anything that has to be named."""
    if (OWN_AIMS[state.played_as] | OTHERS_AIMS[state.played_as]) & NAMED_THINGS:
        state.phase = Phase.TARGET
    else:
        move_is_complete(state)


@decisions.of(Phase.NAME)
def decide_name(state, action):
    state.played_as = card_of(action)
    aim(state)


@decisions.of(Phase.TARGET)
def decide_target(state, action):
    """Add a target: the deck, a seat or a place; a Ring takes several places."""
    if action != DECK:
        state.target_seat[state.num_targets] = seat_at(state, state.turn, steps_of(action))
        state.target_slot[state.num_targets] = slot_of(action)
    state.num_targets += 1
    if state.num_targets == PLACES[state.played_as]:
        if state.target_slot[0] >= 0:
            state.phase = Phase.MEANT
        else:
            move_is_complete(state)


@decisions.of(Phase.MEANT)
def decide_meant(state, action):
    state.target_card = card_of(action)
    move_is_complete(state)


@decisions.of(Phase.ORDER)
def decide_order(state, action):
    """Put the Scout's next card back, from the top down; the last one needs no decision."""
    top = state.deck_size - 1 - state.ordered
    place = top
    while state.deck[place] != card_of(action):
        place -= 1
    state.deck[place], state.deck[top] = state.deck[top], state.deck[place]
    state.ordered += 1
    if state.ordered == state.known_top[state.turn] - 1:
        move_is_over(state)


@compiled
def move_is_complete(state):
    """Announce the card: it leaves the hand, and a Hazard or Trap opens a window."""
    out_of_hand(state, state.turn, state.played)
    state.announced = 1
    if opens_window(state):
        open_window(state, 1)
    else:
        state.phase = Phase.EFFECT
        state.actor = NOBODY


@compiled
def take_effect(state):
    """Apply the effect of the announced card; Plague and Merchant only ask a question."""
    state.phase = Phase.PLAY
    take_effect_of(state.played_as, state)
    if state.phase == Phase.PLAY:
        move_is_over(state)
    elif state.phase == Phase.ORDER:
        state.actor = state.turn
    else:
        state.asked = 0


@compiled
def move_is_over(state):
    """Discard a card that was not laid, and go on with the turn, or end the game."""
    if state.announced:
        discard_announced(state)
    state.actor = state.turn
    state.phase = Phase.OVER if state.letters.sum() == len(LETTERS) else Phase.PLAY


# --------------------------------------------------------------- windows and questions (section 4)


@compiled
def open_window(state, first):
    """Ask the players clockwise, from `first` seats after the one whose turn it is."""
    state.phase = Phase.ANSWER
    state.asked = first
    state.actor = NOBODY


@compiled
def ask_next(state):
    """Ask the next player; after the last one, the effect follows."""
    state.actor = next_asked(state)
    if state.actor != NOBODY:
        return
    if state.phase == Phase.ANSWER:
        state.phase = Phase.EFFECT
        return
    if state.phase == Phase.CURE:
        plague_strikes(state)
    else:
        hands_pass_on(state)
    move_is_over(state)


@decisions.of(Phase.ANSWER)
def decide_answer(state, action):
    if action == PASS:
        state.actor = NOBODY
        return
    discard_from_hand(state, state.actor, card_of(action))
    if IS_EVENT[state.played]:  # [G5]: back to a random place
        shuffle_in(state, state.played)
        state.announced = 0
    move_is_over(state)


@decisions.of(Phase.CURE)
def decide_cure(state, action):
    if action != PASS:
        discard_from_hand(state, state.actor, card_of(action))
        state.cured[state.actor] = 1
    state.actor = NOBODY


@decisions.of(Phase.MERCHANT)
def decide_merchant(state, action):
    state.kept[state.actor] = card_of(action)
    state.actor = NOBODY


# ------------------------------------------------------------------------------------------ a step


decide = decisions.join()


@compiled
def step(state, action, mask):
    """Play a legal action and all that follows from it until a seat has to decide.

    `mask`, int8[num_actions], is written for that seat; it is all zeros once the game is over.
    """
    state.decisions = one_more(state.decisions)
    play_out(state, action)
    write_mask(state, mask)
    while is_inner_pick(state.phase) and count_legal(mask) == 1:
        play_out(state, nth_legal(mask, 0))
        write_mask(state, mask)


@compiled
def play_out(state, action):
    """Apply one decision, and go on until somebody has to decide."""
    decide(state.phase, state, action)
    while state.actor == NOBODY:
        if state.phase == Phase.EFFECT:
            take_effect(state)
        else:
            ask_next(state)


# --------------------------------------------------------------------- whole moves (section 9)


PICKS = Phase.PLAY, Phase.NAME, Phase.TARGET, Phase.MEANT, Phase.ORDER
pick = dispatch({phase: decisions.functions[phase] for phase in PICKS}, "state, action")


@compiled
def next_pick(state, action):
    """Apply a pick inside a move (see `Mechanics`): a play with its targets, or the Scout's order.

    A play ends when its last target is named, before anybody answers and before any effect.
    """
    if state.phase == Phase.ORDER:
        pick(state.phase, state, action)
        return Next.ASKED if state.phase == Phase.ORDER else Next.MOVE_ENDS
    if is_inner_pick(state.phase) or (state.phase == Phase.PLAY and action != PASS):
        pick(state.phase, state, action)
        return Next.ASKED_IF_OPEN if is_inner_pick(state.phase) else Next.MOVE_ENDS
    return Next.MOVE_ENDS
