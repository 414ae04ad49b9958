"""The effect of each card, one function a card, in the order of `cards` (section 8).

When an effect is called, the card stands: it is `state.pending`, and `state.owner` owns it. It
already lies on top of the owner's reveal pile, unless it is the gecko or a card that is set aside.
The turn ends after an effect that reveals no further card and asks for no decision.
"""

from __future__ import annotations

from gubs_env.engine.cases import Cases
from gubs_env.engine.compiling import compiled
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

effects = Cases([card for card in Card if card.kind.takes_effect])


# ---------------------------------------------------------------- for whoever takes the next turn


@effects.of(*list(Card)[:NUM_MODIFIERS])
def modifier(state):
    """Lay a social card or a turn modifier on the next turn (T9)."""
    state.next_modifier = state.pending


# -------------------------------------------------------------------------------- for the revealer


@effects.of(Card.CLEAN_UP)
def clean_up(state):
    """Move the owner's other revealed cards onto their discard pile (T22)."""
    discard_revealed(state, state.owner, state.reveal_size[state.owner] - 1)


@effects.of(Card.DO_OVER)
def do_over(state):
    """Shuffle the owner's other revealed cards into their stack."""
    stack_revealed(state, state.owner, state.reveal_size[state.owner] - 1)


@effects.of(Card.DOUBLE_DIP)
def double_dip(state):
    """Reveal the top card of the stack too, if there is one (T23)."""
    if state.stack_size[state.owner] > 0:
        reveal(state, state.owner, out_of_stack(state, state.owner))


@effects.of(Card.PEEK)
def peek(state):
    """Allow the owner to look through their own stack until their next turn (T25)."""
    state.peeking[state.owner] = 1


@effects.of(Card.PICK_A_PLAYER)
def pick_a_player(state):
    """Ask the owner who takes the next turn (T26)."""
    state.phase = Phase.PICK
    state.actor = state.owner


@effects.of(Card.RECYCLE_BONUS)
def recycle_bonus(state):
    """Reveal the top card of the discard pile too, if there is one (T23, T24)."""
    if state.discard_size[state.owner] > 0:
        reveal(state, state.owner, out_of_discard(state, state.owner))


@effects.of(Card.REFUND)
def refund(state):
    """Move the top card of the discard pile on top of the stack, unseen (T23, T24)."""
    if state.discard_size[state.owner] > 0:
        into_stack(state, state.owner, out_of_discard(state, state.owner))


@effects.of(Card.SECOND_CHANCE)
def second_chance(state):
    """Give the owner the next turn."""
    state.next_turn = state.owner


# ---------------------------------------------------------------------------------- for the table


@effects.of(Card.RESTART_GAME)
def restart_game(state):
    """Deal all cards anew; all players live, and the turn is left of the dealer (T28)."""
    deal_everything(state)


@effects.of(Card.REVERSE_DIRECTION)
def reverse_direction(state):
    """Reverse the direction of play; a Shield on this card has already settled who is next."""
    state.direction = -state.direction
    if not state.shielded:
        state.next_turn = after(state, state.owner)


@effects.of(Card.SHUFFLE)
def shuffle_all(state):
    """Deal all cards that lie face down anew, at once."""
    redeal(state, state.next_turn)


@effects.of(Card.SKIP)
def skip(state):
    """Pass over the player of the next turn."""
    state.next_turn = after(state, state.next_turn)


@effects.of(Card.STACK_SWAP_LEFT)
def stack_swap_left(state):
    """Pass all stacks one living player clockwise (T27)."""
    pass_stacks(state, 1)


@effects.of(Card.STACK_SWAP_RIGHT)
def stack_swap_right(state):
    """Pass all stacks one living player counter-clockwise (T27)."""
    pass_stacks(state, -1)


# ------------------------------------------------------------------------- set aside, and endings


@effects.of(*REACTIONS)
def set_aside(state):
    """Set Never Happened, No Way or Shield aside for their owner, until played (section 7)."""
    state.aside[state.pending - FIRST_REACTION] = state.owner


@effects.of(Card.ELIMINATED)
def eliminated(state):
    """Eliminate the gecko's owner; deal all that lies face down to the others (T21, T29)."""
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
    """Let the owner of the turtle win."""
    win(state, state.owner)


@compiled
def win(state, seat):
    state.winner = seat
    state.phase = Phase.OVER


take_effect_of = effects.join()
