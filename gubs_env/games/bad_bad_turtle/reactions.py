"""Revealed cards and the windows in which set-aside cards answer them (sections 5 and 7).

A window is about the pending card or about the reaction played last. The reactions that are not
settled yet form a stack of at most three. When all players have passed, the card of the window
stands.
"""

from __future__ import annotations

from gubs_env.engine.compiling import compiled
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.games.bad_bad_turtle.actions import (
    FIRST_SHIELD,
    PASS,
    PLAY_NEVER_HAPPENED,
    PLAY_NO_WAY,
    PLAY_NO_WAY_ON_NEVER_HAPPENED,
    PLAY_NO_WAY_ON_SHIELD,
)
from gubs_env.games.bad_bad_turtle.cards import FIRST_REACTION, NO_CARD, Card
from gubs_env.games.bad_bad_turtle.legal import answered_player, can_react
from gubs_env.games.bad_bad_turtle.state import PENDING, Phase, clear_pending, seat_along
from gubs_env.games.bad_bad_turtle.table import into_discard, into_reveal_pile


@compiled
def reveal(state, seat, kind):
    """Reveal a card: a blank has no effect, an action card opens a window (T13).

    With younger players all cards but the turtle are blanks, and nobody answers (T31).
    """
    show(state, seat, kind)
    if kind == Card.BLANK or (state.younger and kind != Card.TURTLE):
        into_reveal_pile(state, seat, kind)
        state.phase = Phase.TURN_END
    else:
        clear_pending(state)
        state.pending = kind
        state.owner = seat
        state.phase = Phase.REACT


@compiled
def show(state, seat, kind):
    """Record a card that was revealed in this decision."""
    place = 0
    while state.shown[place] != NO_CARD:
        place += 1
    state.shown[place] = kind
    state.shown_by[place] = seat


@compiled
def ask_next(state):
    """Ask the next player who can answer; when all have passed, the card stands (T14)."""
    first = answered_player(state)
    while state.polled[state.depth] < state.num_players:
        seat = seat_along(state, first, state.polled[state.depth], state.direction)
        state.polled[state.depth] += 1
        if can_react(state, seat):
            state.actor = seat
            return
    if state.depth > 0:
        settle_reaction(state)
    else:
        state.phase = Phase.EFFECT


@compiled
def decide_react(state, action):
    """Pass, or play a set-aside card, which opens a window of its own."""
    if action == PASS:
        return
    # If the questions go on after this, they begin with the same player.
    state.polled[state.depth] -= 1
    if action == PLAY_NEVER_HAPPENED:
        play_reaction(state, Card.NEVER_HAPPENED, answered_player(state), answered_aim(state))
    elif action == PLAY_NO_WAY:
        play_reaction(state, Card.NO_WAY, answered_player(state), answered_aim(state))
    elif action == PLAY_NO_WAY_ON_NEVER_HAPPENED:
        play_at_aside(state, Card.NEVER_HAPPENED)
    elif action == PLAY_NO_WAY_ON_SHIELD:
        play_at_aside(state, Card.SHIELD)
    else:
        target = seat_at(state, state.actor, action - FIRST_SHIELD)
        play_reaction(state, Card.SHIELD, target, PENDING)


@compiled
def answered_aim(state):
    """Return the aim of a reaction to the card of this window: a reaction card, or PENDING."""
    return PENDING if state.depth == 0 else state.reaction[state.depth - 1]


@compiled
def play_at_aside(state, kind):
    """Play No Way on a card that another player has set aside."""
    play_reaction(state, Card.NO_WAY, state.aside[kind - FIRST_REACTION], kind)


@compiled
def play_reaction(state, kind, target, aim):
    """Play a set-aside card: it leaves its place and lies on the card it is aimed at."""
    state.reaction[state.depth] = kind
    state.reaction_player[state.depth] = state.actor
    state.reaction_target[state.depth] = target
    state.reaction_aim[state.depth] = aim
    state.aside[kind - FIRST_REACTION] = NOBODY
    state.depth += 1


@compiled
def lift_reaction(state):
    """Remove the reaction on top, which is settled; the caller moves its card."""
    state.polled[state.depth] = 0
    state.depth -= 1
    state.reaction[state.depth] = NO_CARD
    state.reaction_player[state.depth] = NOBODY
    state.reaction_target[state.depth] = NOBODY
    state.reaction_aim[state.depth] = PENDING


@compiled
def settle_reaction(state):
    """Carry out the reaction on top, on the card that it is aimed at; then it is spent (T19)."""
    top = state.depth - 1
    kind, target, aim = state.reaction[top], state.reaction_target[top], state.reaction_aim[top]
    lift_reaction(state)
    if aim == PENDING:
        settle_pending(state, kind, target)
    elif state.aside[aim - FIRST_REACTION] != NOBODY:
        state.aside[aim - FIRST_REACTION] = NOBODY
        into_discard(state, target, aim, 1)
    else:
        cancel_reaction(state, kind)
    into_reveal_pile(state, target, kind)


@compiled
def settle_pending(state, kind, target):
    """Carry out a reaction to the pending card; only a Shield changes who takes the next turn."""
    if kind == Card.SHIELD:  # T20, and a new window for the same card
        state.owner = target
        state.next_turn = target
        state.shielded = 1
        state.polled[0] = 0
        return
    if kind == Card.NEVER_HAPPENED:
        into_reveal_pile(state, state.owner, state.pending)
    else:
        into_discard(state, state.owner, state.pending, 1)
    clear_pending(state)
    state.phase = Phase.TURN_END


@compiled
def cancel_reaction(state, by):
    """Cancel the reaction on top; No Way sends it to its player's discard pile (T19)."""
    top = state.depth - 1
    if by == Card.NO_WAY:
        into_discard(state, state.reaction_player[top], state.reaction[top], 1)
    else:
        into_reveal_pile(state, state.reaction_target[top], state.reaction[top])
    lift_reaction(state)
