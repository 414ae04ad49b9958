"""What each card does, one function a card, in the order of `cards` (section 8).

When an effect is called, the card stands: it is `state.pending`, and `state.owner` is its player.
All but the gecko and the cards that are set aside lie on top of the owner's reveal pile already.
The turn ends after an effect, unless it reveals another card or asks for a decision.
"""

from __future__ import annotations

from gubs_env.engine.compilation import compiled
from gubs_env.engine.effects import Effects
from gubs_env.engine.seats import NOBODY
from gubs_env.games.bad_bad_turtle.cards import (
    FIRST_REACTION,
    NUM_MODIFIERS,
    NUM_REACTIONS,
    REACTIONS,
    Card,
)
from gubs_env.games.bad_bad_turtle.reactions import reveal
from gubs_env.games.bad_bad_turtle.state import Phase, after
from gubs_env.games.bad_bad_turtle.table import (
    deal_everything,
    discard_revealed,
    into_discard,
    into_reveal_pile,
    into_stack,
    out_of_discard,
    out_of_stack,
    pass_stacks,
    redeal,
    stack_revealed,
)

effects = Effects(card for card in Card if card.kind.takes_effect)


# ---------------------------------------------------------------- for whoever takes the next turn


@effects.of(*list(Card)[:NUM_MODIFIERS])
def modifier(state):
    """The seven social cards and the five turn modifiers lie on the next turn (T9)."""
    state.next_modifier = state.pending


# -------------------------------------------------------------------------------- for the revealer


@effects.of(Card.CLEAN_UP)
def clean_up(state):
    """All else in the reveal pile goes onto the discard pile (T22)."""
    discard_revealed(state, state.owner, state.reveal_size[state.owner] - 1)


@effects.of(Card.DO_OVER)
def do_over(state):
    """All else in the reveal pile is shuffled into the stack."""
    stack_revealed(state, state.owner, state.reveal_size[state.owner] - 1)


@effects.of(Card.DOUBLE_DIP)
def double_dip(state):
    """The top card of the stack is revealed too, if there is one (T23)."""
    if state.stack_size[state.owner] > 0:
        reveal(state, state.owner, out_of_stack(state, state.owner))


@effects.of(Card.PEEK)
def peek(state):
    """The owner may look through their own stack until their next turn (T25)."""
    state.peeking[state.owner] = 1


@effects.of(Card.PICK_A_PLAYER)
def pick_a_player(state):
    """The owner says who takes the next turn (T26)."""
    state.phase = Phase.PICK
    state.actor = state.owner


@effects.of(Card.RECYCLE_BONUS)
def recycle_bonus(state):
    """The top card of the discard pile is revealed too, if there is one (T23, T24)."""
    if state.discard_size[state.owner] > 0:
        reveal(state, state.owner, out_of_discard(state, state.owner))


@effects.of(Card.REFUND)
def refund(state):
    """The top card of the discard pile goes on top of the stack, unseen (T23, T24)."""
    if state.discard_size[state.owner] > 0:
        into_stack(state, state.owner, out_of_discard(state, state.owner))


@effects.of(Card.SECOND_CHANCE)
def second_chance(state):
    """The owner takes the next turn."""
    state.next_turn = state.owner


# ---------------------------------------------------------------------------------- for the table


@effects.of(Card.RESTART_GAME)
def restart_game(state):
    """All cards are dealt anew and all players live; the first turn is left of the dealer (T28)."""
    deal_everything(state)


@effects.of(Card.REVERSE_DIRECTION)
def reverse_direction(state):
    """Play goes the other way; a Shield on this card has settled who is next."""
    state.direction = -state.direction
    if not state.shielded:
        state.next_turn = after(state, state.owner)


@effects.of(Card.SHUFFLE)
def shuffle_all(state):
    """All that lies face down is dealt anew at once."""
    redeal(state, state.next_turn)


@effects.of(Card.SKIP)
def skip(state):
    """The one after the next takes the next turn."""
    state.next_turn = after(state, state.next_turn)


@effects.of(Card.STACK_SWAP_LEFT)
def stack_swap_left(state):
    """All stacks go one living player clockwise (T27)."""
    pass_stacks(state, 1)


@effects.of(Card.STACK_SWAP_RIGHT)
def stack_swap_right(state):
    """All stacks go one living player counter-clockwise (T27)."""
    pass_stacks(state, -1)


# ------------------------------------------------------------------------- set aside, and endings


@effects.of(*REACTIONS)
def set_aside(state):
    """Never Happened, No Way and Shield lie beside their owner until played (section 7)."""
    state.aside[state.pending - FIRST_REACTION] = state.owner


@effects.of(Card.ELIMINATED)
def eliminated(state):
    """The gecko: its owner is out; all that lies face down is dealt to the others (T21, T29)."""
    out = state.owner
    state.living[out] = 0
    state.peeking[out] = 0
    for reaction in range(NUM_REACTIONS):
        if state.aside[reaction] == out:
            state.aside[reaction] = NOBODY
            into_reveal_pile(state, out, FIRST_REACTION + reaction)
    into_discard(state, out, state.pending, 1)
    if state.next_turn == out:
        state.next_turn = after(state, out)
    if state.living.sum() == 1:
        win(state, state.next_turn)
    else:
        redeal(state, state.next_turn)


@effects.of(Card.TURTLE)
def turtle(state):
    """Its owner has won."""
    win(state, state.owner)


@compiled
def win(state, seat):
    state.winner = seat
    state.phase = Phase.OVER


take_effect_of = effects.dispatched()
