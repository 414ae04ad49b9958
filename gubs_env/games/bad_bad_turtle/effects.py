"""What each card does, one function a card, in the order of `cards` (section 8).

When an effect is called, the card stands: it is `game.pending`, and `game.owner` is its player. All
but the gecko and the cards that are set aside lie on top of the owner's reveal pile already. The
turn ends after an effect, unless it reveals another card or asks for a decision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gubs_env.games.bad_bad_turtle.cards import (
    FIRST_REACTION,
    NUM_MODIFIERS,
    NUM_REACTIONS,
    REACTIONS,
    Card,
)
from gubs_env.games.bad_bad_turtle.reactions import reveal
from gubs_env.games.bad_bad_turtle.state import NOBODY, Phase, after
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
from gubs_env.games.compilation import dispatch, rule

EFFECTS: dict[int, Callable[..., Any]] = {}


def effect(*cards):
    """Register a function as what these cards do."""

    def register(function):
        compiled = rule(function)
        EFFECTS.update(dict.fromkeys(cards, compiled))
        return compiled

    return register


# ---------------------------------------------------------------- for whoever takes the next turn


@effect(*list(Card)[:NUM_MODIFIERS])
def modifier(game):
    """The seven social cards and the five turn modifiers lie on the next turn (T9)."""
    game.next_modifier = game.pending


# -------------------------------------------------------------------------------- for the revealer


@effect(Card.CLEAN_UP)
def clean_up(game):
    """All else in the reveal pile goes onto the discard pile (T22)."""
    discard_revealed(game, game.owner, game.reveal_size[game.owner] - 1)


@effect(Card.DO_OVER)
def do_over(game):
    """All else in the reveal pile is shuffled into the stack."""
    stack_revealed(game, game.owner, game.reveal_size[game.owner] - 1)


@effect(Card.DOUBLE_DIP)
def double_dip(game):
    """The top card of the stack is revealed too, if there is one (T23)."""
    if game.stack_size[game.owner] > 0:
        reveal(game, game.owner, out_of_stack(game, game.owner))


@effect(Card.PEEK)
def peek(game):
    """The owner may look through the own stack until the own next turn (T25)."""
    game.peeking[game.owner] = 1


@effect(Card.PICK_A_PLAYER)
def pick_a_player(game):
    """The owner says who takes the next turn (T26)."""
    game.phase = Phase.PICK
    game.actor = game.owner


@effect(Card.RECYCLE_BONUS)
def recycle_bonus(game):
    """The top card of the discard pile is revealed too, if there is one (T23, T24)."""
    if game.discard_size[game.owner] > 0:
        reveal(game, game.owner, out_of_discard(game, game.owner))


@effect(Card.REFUND)
def refund(game):
    """The top card of the discard pile goes on top of the stack, unseen (T23, T24)."""
    if game.discard_size[game.owner] > 0:
        into_stack(game, game.owner, out_of_discard(game, game.owner))


@effect(Card.SECOND_CHANCE)
def second_chance(game):
    """The owner takes the next turn."""
    game.next_turn = game.owner


# ---------------------------------------------------------------------------------- for the table


@effect(Card.RESTART_GAME)
def restart_game(game):
    """All cards are dealt anew and all players live; the first turn is left of the dealer (T28)."""
    deal_everything(game)


@effect(Card.REVERSE_DIRECTION)
def reverse_direction(game):
    """Play goes the other way; a Shield on this card has settled who is next."""
    game.direction = -game.direction
    if not game.shielded:
        game.next_turn = after(game, game.owner)


@effect(Card.SHUFFLE)
def shuffle_all(game):
    """All that lies face down is dealt anew at once."""
    redeal(game, game.next_turn)


@effect(Card.SKIP)
def skip(game):
    """The one after the next takes the next turn."""
    game.next_turn = after(game, game.next_turn)


@effect(Card.STACK_SWAP_LEFT)
def stack_swap_left(game):
    """All stacks go one living player clockwise (T27)."""
    pass_stacks(game, 1)


@effect(Card.STACK_SWAP_RIGHT)
def stack_swap_right(game):
    """All stacks go one living player counter-clockwise (T27)."""
    pass_stacks(game, -1)


# ------------------------------------------------------------------------- set aside, and endings


@effect(*REACTIONS)
def set_aside(game):
    """Never Happened, No Way and Shield lie beside their owner until played (section 7)."""
    game.aside[game.pending - FIRST_REACTION] = game.owner


@effect(Card.ELIMINATED)
def eliminated(game):
    """The gecko: its owner is out; all that lies face down is dealt to the others (T21, T29)."""
    out = game.owner
    game.living[out] = 0
    game.peeking[out] = 0
    for reaction in range(NUM_REACTIONS):
        if game.aside[reaction] == out:
            game.aside[reaction] = NOBODY
            into_reveal_pile(game, out, FIRST_REACTION + reaction)
    into_discard(game, out, game.pending, 1)
    if game.next_turn == out:
        game.next_turn = after(game, out)
    if game.living.sum() == 1:
        win(game, game.next_turn)
    else:
        redeal(game, game.next_turn)


@effect(Card.TURTLE)
def turtle(game):
    """Its owner has won."""
    win(game, game.owner)


@rule
def win(game, seat):
    game.winner = seat
    game.phase = Phase.OVER


take_effect_of = dispatch(EFFECTS, "game")
