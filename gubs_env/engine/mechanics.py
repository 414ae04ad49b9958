"""The compiled rules of a game, as the kernel, search and your own code call them.

`Mechanics` documents what each function does and writes. Templates (see `templates`) import a
placeholder for each, as `from gubs_env.engine.mechanics import step`, which is replaced by the
function of a game.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any, NamedTuple

from gubs_env.engine.compiling import Placeholder, inlined
from gubs_env.engine.faults import SOUND


@inlined
def never_truncated(state):
    return False


@inlined
def each_alone(state, player):
    return player


@inlined
def one_side_a_player(state):
    return state.num_players


@inlined
def one_round(state):
    return 0


@inlined
def no_leads(state, leads):
    leads[:] = 0


@inlined
def no_fault(state, viewer):
    return SOUND, 0


NO_TURNS = -1
"""The `turn_phase` of a game that is played in rounds."""


class Next(IntEnum):
    """The course of a whole move after one of its picks."""

    MOVE_ENDS = 0
    ASKED = 1
    """The player makes another pick."""
    ASKED_IF_OPEN = 2
    """The player makes another pick, which is not asked if a single one is legal."""


@inlined
def move_ends(state, action):
    return Next.MOVE_ENDS


class Mechanics(NamedTuple):
    """The compiled rules of one game.

    `state` is a record of the game's dtype, players are numbered from 0, and masks, observations
    and payoffs are written in place. Your own Numba code can call all of these functions.
    """

    Phase: Any
    """An IntEnum of the decisions in the game; `Phase.OVER` is the end."""
    set_up: Callable[[Any, int], None]
    """(state, starting_player): a new game from the state's RNG; ANY_PLAYER lets the rules say who
    starts. Sets `decisions` to 0, and `phase` and `actor` as `step` does."""
    step: Callable[[Any, int, Any], None]
    """(state, action, mask): play a legal action and all that follows until a player has to decide;
    write the mask of that player. Adds 1 to `decisions`. Leaves `phase` at that decision and
    `actor` at the player who decides. At the end `phase` is `Phase.OVER`, the mask is all zeros,
    and `actor` is any player: the kernel writes that player's observation."""
    write_mask: Callable[[Any, Any], None]
    """(state, mask): the legal actions of the actor, int8[num_actions]; zeros at the end."""
    write_observation: Callable[[Any, int, Any], None]
    """(state, player, observation): what a player sees, int8[observation_size], every entry
    written. Must not depend on what is hidden from the player."""
    write_payoffs: Callable[[Any, Any], None]
    """(state, payoffs): float32[num_players] of a game that is over; zeros if it was cut off."""
    hide_private: Callable[[Any, int], None]
    """(state, player): erase everything that a player may not know. The observation of the player
    stays the same, and so does the mask if that player is to decide."""
    determinize_row: Callable[[Any, Any], None]
    """(state, rng): complete a view of the actor at random, from an RNG, int64[4]. The memory of
    the other players stays empty, because the actor cannot know it."""
    field_out_of_range: Callable[[Any], int]
    """(state) → the index of the first field out of its range, −1 if there is none
    (`fields.range_check`)."""
    turn_phase: int = NO_TURNS
    """The Phase that begins a turn; a search counts turns by it. NO_TURNS in a game whose rounds it
    counts instead."""
    write_leads: Callable[[Any, Any], None] = no_leads
    """(state, leads): float32[num_players], the points of each player less those of the best
    opponent; zeros in a game without points."""
    find_fault: Callable[[Any, int], tuple[int, int]] = no_fault
    """(state, viewer) → (fault, where): the first fault of a state whose fields are in their
    ranges, or of the view of a player; `viewer` is NOBODY for a complete state (`faults`)."""
    next_pick: Callable[[Any, int], int] = move_ends
    """(state, action) → `Next`: apply a legal pick of a move that goes on with a pick of the same
    player, or do anything with the state if the move ends. Must not draw from the RNG, nor read
    what is hidden from the player: it is called on views (`moves`)."""
    is_truncated: Callable[[Any], bool] = never_truncated
    """(state) → whether a game that is over was cut off before its rules ended it. Then nobody
    has won, and all payoffs are zero."""
    side_of: Callable[[Any, int], int] = each_alone
    """(state, player) → the side of a player: a number that only partners share."""
    num_sides: Callable[[Any], int] = one_side_a_player
    """(state) → the number of sides, including sides without a player."""
    round_number: Callable[[Any], int] = one_round
    """(state) → a number that changes when a round begins, as with every hand of a game of tricks.
    What a round brought is in the leads then."""


PLACEHOLDERS = {name: Placeholder(name) for name in Mechanics._fields}


def __getattr__(name: str) -> Any:
    """Return the placeholder of a function of `Mechanics`, which templates import by its name."""
    if name not in PLACEHOLDERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return PLACEHOLDERS[name]
