"""Revealed cards and the windows in which set-aside cards answer them (sections 5 and 7).

A window belongs to the pending card, or to the reaction played last; the reactions not settled yet
lie one upon the other, three at most. When all have passed, what the window is about stands.
"""

from __future__ import annotations

from gubs_env.games.bad_bad_turtle.actions import (
    FIRST_SHIELD,
    NEVER_HAPPENED,
    NO_WAY,
    NO_WAY_ON_NEVER_HAPPENED,
    NO_WAY_ON_SHIELD,
    PASS,
)
from gubs_env.games.bad_bad_turtle.cards import FIRST_REACTION, NO_CARD, Card
from gubs_env.games.bad_bad_turtle.legal import answered_player, can_react
from gubs_env.games.bad_bad_turtle.state import (
    NOBODY,
    PENDING,
    Phase,
    clear_pending,
    seat_along,
    seat_at,
)
from gubs_env.games.bad_bad_turtle.table import into_discard, into_reveal_pile
from gubs_env.games.compilation import rule


@rule
def reveal(game, seat, kind):
    """A card is turned up: a blank has no effect, an action card opens a window (T13).

    With younger players all but the turtle are blanks, and nobody answers (T31).
    """
    show(game, seat, kind)
    if kind == Card.BLANK or (game.younger and kind != Card.TURTLE):
        into_reveal_pile(game, seat, kind)
        game.phase = Phase.TURN_END
    else:
        clear_pending(game)
        game.pending = kind
        game.owner = seat
        game.phase = Phase.REACT


@rule
def show(game, seat, kind):
    """Keep what was revealed in this decision."""
    place = 0
    while game.shown[place] != NO_CARD:
        place += 1
    game.shown[place] = kind
    game.shown_by[place] = seat


@rule
def ask_next(game):
    """The next player who can answer; when all have passed, what they could answer stands (T14)."""
    first = answered_player(game)
    while game.polled[game.depth] < game.num_players:
        seat = seat_along(game, first, game.polled[game.depth], game.direction)
        game.polled[game.depth] += 1
        if can_react(game, seat):
            game.actor = seat
            return
    if game.depth > 0:
        settle_reaction(game)
    else:
        game.phase = Phase.EFFECT


@rule
def decide_react(game, action):
    """Pass, or play a set-aside card, which opens a window of its own."""
    if action == PASS:
        return
    # A poll that goes on after this begins with the same player.
    game.polled[game.depth] -= 1
    if action == NEVER_HAPPENED:
        play_reaction(game, Card.NEVER_HAPPENED, answered_player(game), answered_aim(game))
    elif action == NO_WAY:
        play_reaction(game, Card.NO_WAY, answered_player(game), answered_aim(game))
    elif action == NO_WAY_ON_NEVER_HAPPENED:
        play_at_aside(game, Card.NEVER_HAPPENED)
    elif action == NO_WAY_ON_SHIELD:
        play_at_aside(game, Card.SHIELD)
    else:
        target = seat_at(game, game.actor, action - FIRST_SHIELD)
        play_reaction(game, Card.SHIELD, target, PENDING)


@rule
def answered_aim(game):
    """What a reaction to the card of this window is aimed at: a reaction card, or PENDING."""
    return PENDING if game.depth == 0 else game.reaction[game.depth - 1]


@rule
def play_at_aside(game, kind):
    """No Way on a card that another player has set aside."""
    play_reaction(game, Card.NO_WAY, game.aside[kind - FIRST_REACTION], kind)


@rule
def play_reaction(game, kind, target, aim):
    """A set-aside card leaves its place and lies upon what it is aimed at."""
    game.reaction[game.depth] = kind
    game.reaction_player[game.depth] = game.actor
    game.reaction_target[game.depth] = target
    game.reaction_aim[game.depth] = aim
    game.aside[kind - FIRST_REACTION] = NOBODY
    game.depth += 1


@rule
def lift_reaction(game):
    """The reaction on top is settled; its card is elsewhere already."""
    game.polled[game.depth] = 0
    game.depth -= 1
    game.reaction[game.depth] = NO_CARD
    game.reaction_player[game.depth] = NOBODY
    game.reaction_target[game.depth] = NOBODY
    game.reaction_aim[game.depth] = PENDING


@rule
def settle_reaction(game):
    """The reaction on top stands: what it is aimed at gives way, and it is spent (T19)."""
    top = game.depth - 1
    kind, target, aim = game.reaction[top], game.reaction_target[top], game.reaction_aim[top]
    lift_reaction(game)
    if aim == PENDING:
        settle_pending(game, kind, target)
    elif game.aside[aim - FIRST_REACTION] != NOBODY:
        game.aside[aim - FIRST_REACTION] = NOBODY
        into_discard(game, target, aim, 1)
    else:
        cancel_reaction(game, kind)
    into_reveal_pile(game, target, kind)


@rule
def settle_pending(game, kind, target):
    """A reaction to the pending card stands. Who takes the next turn stays, but for a Shield."""
    if kind == Card.SHIELD:  # T20, and a new window for the same card
        game.owner = target
        game.next_turn = target
        game.shielded = 1
        game.polled[0] = 0
        return
    if kind == Card.NEVER_HAPPENED:
        into_reveal_pile(game, game.owner, game.pending)
    else:
        into_discard(game, game.owner, game.pending, 1)
    clear_pending(game)
    game.phase = Phase.TURN_END


@rule
def cancel_reaction(game, by):
    """The reaction on top is undone: by No Way to its player's discard pile, else spent (T19)."""
    top = game.depth - 1
    if by == Card.NO_WAY:
        into_discard(game, game.reaction_player[top], game.reaction[top], 1)
    else:
        into_reveal_pile(game, game.reaction_target[top], game.reaction[top])
    lift_reaction(game)
