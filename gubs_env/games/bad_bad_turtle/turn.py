"""The course of a game: set-up, turns, decisions, the end (sections 2 to 6, and 10)."""

from __future__ import annotations

from gubs_env.engine.compiling import compiled, dispatch
from gubs_env.engine.rng import random_below
from gubs_env.engine.seats import ANY_PLAYER, NOBODY, seat_at
from gubs_env.games.bad_bad_turtle.actions import DECLINE, FIRST_PICK
from gubs_env.games.bad_bad_turtle.cards import DISCARDS, FIRST_REACTION, NO_CARD, REVEALS, Card
from gubs_env.games.bad_bad_turtle.effects import take_effect_of
from gubs_env.games.bad_bad_turtle.legal import write_mask
from gubs_env.games.bad_bad_turtle.reactions import ask_next, decide_react, reveal
from gubs_env.games.bad_bad_turtle.state import Phase, after, clear_pending, clear_shown
from gubs_env.games.bad_bad_turtle.table import (
    deal_everything,
    discard_unseen,
    into_reveal_pile,
    out_of_discard,
    out_of_stack,
    redeal,
    stack_revealed,
)

# ------------------------------------------------------------------------------ set-up (section 2)


@compiled
def set_up(state, starting_player):
    """Deal a new game; the player to the right of the starting player deals, or a random one (T4).

    ANY_PLAYER means a random dealer.
    """
    if starting_player == ANY_PLAYER:
        state.dealer = random_below(state.rng, state.num_players)
    else:
        state.dealer = seat_at(state, starting_player, state.num_players - 1)
    state.decisions = 0
    state.winner = NOBODY
    state.deals = 0
    clear_shown(state)
    deal_everything(state)
    begin_turn(state)


# ------------------------------------------------------------------------------- turns (section 4)


@compiled
def begin_turn(state):
    """Begin the next turn, with the card that lies on it."""
    state.turn = state.next_turn
    state.next_turn = after(state, state.turn)
    state.modifier = state.next_modifier
    state.next_modifier = NO_CARD
    state.phase = Phase.TURN
    state.actor = state.turn


@compiled
def decide_turn(state, action):
    """Discard and reveal, as the card that lies on the turn says."""
    seat, card = state.turn, state.modifier
    state.peeking[seat] = 0  # T25
    state.phase = Phase.TURN_END
    if action == DECLINE:
        return
    if card == Card.NO_TRASH:  # T8
        if state.discard_size[seat] > 0:
            reveal(state, seat, out_of_discard(state, seat))
        return
    if card == Card.SLOW_DOWN:
        stack_revealed(state, seat, state.reveal_size[seat])
    kind = Card.BLANK if card == NO_CARD else card
    discard_unseen(state, seat, num_discarded(state, seat, kind))
    if REVEALS[kind]:
        reveal(state, seat, out_of_stack(state, seat))


@compiled
def num_discarded(state, seat, kind):
    """Return how many cards a seat discards in a turn on which a card of this kind lies (T7)."""
    spared = 1 if REVEALS[kind] else 0
    return min(DISCARDS[kind], state.stack_size[seat] - spared)


@compiled
def decide_pick(state, action):
    state.next_turn = seat_at(state, state.actor, action - FIRST_PICK)
    state.phase = Phase.TURN_END


@compiled
def take_effect(state):
    """Apply the effect of the pending card; it may reveal another or ask the owner (section 5)."""
    card = state.pending
    if card < FIRST_REACTION or card == Card.TURTLE:
        into_reveal_pile(state, state.owner, card)
    state.phase = Phase.TURN_END
    take_effect_of(card, state)
    if state.phase != Phase.REACT:
        clear_pending(state)


@compiled
def end_turn(state):
    """Deal anew if a living player has an empty stack; then begin the next turn (T11, T12)."""
    for seat in range(state.num_players):
        if state.living[seat] and state.stack_size[seat] == 0:
            redeal(state, state.next_turn)
            break
    begin_turn(state)


# ------------------------------------------------------------------------------------------ a step


decide = dispatch(
    {Phase.TURN: decide_turn, Phase.REACT: decide_react, Phase.PICK: decide_pick}, "state, action"
)


@compiled
def step(state, action, mask):
    """Play a legal action and all that follows from it until a seat has to decide.

    `mask`, int8[24], is written for that seat; it is all zeros once the game is over.
    """
    clear_shown(state)
    decide(state.phase, state, action)
    state.actor = NOBODY
    state.decisions += 1
    while state.actor == NOBODY and state.phase != Phase.OVER:
        if state.phase == Phase.REACT:
            ask_next(state)
        elif state.phase == Phase.EFFECT:
            take_effect(state)
        else:
            end_turn(state)
    if state.decisions >= state.max_cycles:  # T33
        state.phase = Phase.OVER
    if state.phase == Phase.OVER:
        state.actor = state.turn
    write_mask(state, mask)
