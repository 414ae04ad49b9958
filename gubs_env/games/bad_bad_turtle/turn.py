"""The course of a game: set-up, turns, decisions, the end (sections 2 to 6, and 10)."""

from __future__ import annotations

from gubs_env.games.bad_bad_turtle.actions import DECLINE, FIRST_PICK
from gubs_env.games.bad_bad_turtle.cards import (
    DISCARDS,
    FIRST_REACTION,
    NO_CARD,
    REVEALS,
    Card,
)
from gubs_env.games.bad_bad_turtle.effects import take_effect_of
from gubs_env.games.bad_bad_turtle.legal import write_mask
from gubs_env.games.bad_bad_turtle.reactions import ask_next, decide_react, reveal
from gubs_env.games.bad_bad_turtle.state import (
    NOBODY,
    Phase,
    after,
    clear_pending,
    clear_shown,
    seat_at,
)
from gubs_env.games.bad_bad_turtle.table import (
    deal_everything,
    discard_unseen,
    into_reveal_pile,
    out_of_discard,
    out_of_stack,
    redeal,
    stack_revealed,
)
from gubs_env.games.choosing import ANY_SEAT
from gubs_env.games.compilation import dispatch, rule
from gubs_env.games.generator import random_below

# ------------------------------------------------------------------------------ set-up (section 2)


@rule
def set_up(game, starting_seat):
    """Deal a new game; the seat to the right of the starting seat, or a random one, deals (T4)."""
    if starting_seat == ANY_SEAT:
        game.dealer = random_below(game.rng, game.num_players)
    else:
        game.dealer = seat_at(game, starting_seat, game.num_players - 1)
    game.steps = 0
    game.winner = NOBODY
    game.deals = 0
    clear_shown(game)
    deal_everything(game)
    begin_turn(game)


# ------------------------------------------------------------------------------- turns (section 4)


@rule
def begin_turn(game):
    """The turn passes on, with what lies on it."""
    game.turn = game.next_turn
    game.next_turn = after(game, game.turn)
    game.modifier = game.next_modifier
    game.next_modifier = NO_CARD
    game.phase = Phase.TURN
    game.actor = game.turn


@rule
def decide_turn(game, action):
    """Discard and reveal, as the card that lies on the turn says."""
    seat, card = game.turn, game.modifier
    game.peeking[seat] = 0  # T25
    game.phase = Phase.TURN_END
    if action == DECLINE:
        return
    if card == Card.NO_TRASH:  # T8
        if game.discard_size[seat] > 0:
            reveal(game, seat, out_of_discard(game, seat))
        return
    if card == Card.SLOW_DOWN:
        stack_revealed(game, seat, game.reveal_size[seat])
    kind = Card.BLANK if card == NO_CARD else card
    spared = 1 if REVEALS[kind] else 0  # T7
    discard_unseen(game, seat, min(DISCARDS[kind], game.stack_size[seat] - spared))
    if REVEALS[kind]:
        reveal(game, seat, out_of_stack(game, seat))


@rule
def decide_pick(game, action):
    game.next_turn = seat_at(game, game.actor, action - FIRST_PICK)
    game.phase = Phase.TURN_END


@rule
def take_effect(game):
    """The pending card stands; its effect may reveal another, or ask its owner (section 5)."""
    card = game.pending
    if card < FIRST_REACTION or card == Card.TURTLE:
        into_reveal_pile(game, game.owner, card)
    game.phase = Phase.TURN_END
    take_effect_of(card, game)
    if game.phase != Phase.REACT:
        clear_pending(game)


@rule
def end_turn(game):
    """Whoever has an empty stack calls for dealing anew; then it is the next turn (T11, T12)."""
    for seat in range(game.num_players):
        if game.living[seat] and game.stack_size[seat] == 0:
            redeal(game, game.next_turn)
            break
    begin_turn(game)


# ------------------------------------------------------------------------------------------ a step


decide = dispatch(
    {Phase.TURN: decide_turn, Phase.REACT: decide_react, Phase.PICK: decide_pick}, "game, action"
)


@rule
def step(game, action, mask):
    """Play a legal action and all that follows from it until a seat has to decide.

    `mask`, int8[24], is written for that seat; it is all zero once the game is over.
    """
    clear_shown(game)
    decide(game.phase, game, action)
    game.actor = NOBODY
    game.steps += 1
    while game.actor == NOBODY and game.phase != Phase.OVER:
        if game.phase == Phase.REACT:
            ask_next(game)
        elif game.phase == Phase.EFFECT:
            take_effect(game)
        else:
            end_turn(game)
    if game.steps >= game.max_cycles:  # T33
        game.phase = Phase.OVER
    if game.phase == Phase.OVER:
        game.actor = game.turn
    write_mask(game, mask)
