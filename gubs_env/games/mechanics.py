"""What the rules of a game offer, compiled, to all that is written once for every game.

`Mechanics` says what each function does. A template (`compilation.Templates`) imports the names of
those it calls from here, where they stand for nobody's, and is bound to a game's own.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any, NamedTuple

from gubs_env.games.compilation import inlined

Rule = Callable[..., Any]


@inlined
def never_truncated(game):
    return False


@inlined
def each_alone(game, player):
    return player


@inlined
def one_side_a_player(game):
    return game.num_players


class Mechanics(NamedTuple):
    """The compiled rules of one game. `game` is a row; players are numbered from 0."""

    Phase: type[IntEnum]
    """What a player has to decide, by number; `Phase.OVER` is the end. A row has its `phase`."""
    turn_phase: int
    """The Phase that begins a turn: by it a search counts how far it has played on."""
    set_up: Rule
    """(game, starting_player): a new game from the row's generator; ANY_SEAT lets the rules say who
    starts."""
    step: Rule
    """(game, action, mask): play a legal action and all that follows until a player, `game.actor`,
    has to decide; write its mask."""
    write_mask: Rule
    """(game, mask): the legal actions of the actor, int8[num_actions]; zeros at the end."""
    write_observation: Rule
    """(game, player, observation): what a player sees, int8[observation_size]."""
    write_payoffs: Rule
    """(game, payoffs): float32[num_players] of a game that is over."""
    write_leads: Rule
    """(game, leads): float32[num_players], by how many points each is ahead of the best opponent;
    zeros in a game without points."""
    veil_row: Rule
    """(game, player): erase all that a player does not know."""
    determinize_row: Rule
    """(game, chooser): fill in a view of the actor, by chance from a generator, int64[4]. What
    others remember stays blank; nobody but they could know it."""
    is_truncated: Rule = never_truncated
    """(game) → whether a game that is over was cut off, its rules having brought no end."""
    side_of: Rule = each_alone
    """(game, player) → a number that partners have in common, and nobody else."""
    num_sides: Rule = one_side_a_player
    """(game) → how many sides play, those included that have no player."""


def nobodys(*arguments):
    raise NotImplementedError("a template has no rules until it is bound to a game")


Phase: Any = nobodys
turn_phase = set_up = step = write_mask = write_observation = write_payoffs = write_leads = nobodys
veil_row = determinize_row = is_truncated = side_of = num_sides = nobodys
