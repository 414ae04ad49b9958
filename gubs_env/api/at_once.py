"""Rounds in which all players choose at once: nobody sees a choice before all have chosen.

The interfaces ask one player at a time, as PettingZoo does. So seat after seat chooses, each choice
is hidden in the field `chosen`, and the last one plays them all. This is the same game: a player
who is asked later knows no more (Osborne and Rubinstein, A Course in Game Theory, section 6.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gubs_env.engine.choosing import choose
from gubs_env.engine.compiling import Compiled, Placeholder, Templates, compiled, numbers
from gubs_env.engine.defaults import COLUMNS, action_words, ending
from gubs_env.engine.fields import Field, Seen
from gubs_env.engine.history import History, new_event, relative
from gubs_env.engine.mechanics import Mechanics
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.slices import lay_out
from gubs_env.engine.text import player_name

NOTHING = -1
"""The value of `chosen` of a player who has not chosen."""

templates = Templates()
num_actions: Any = Placeholder("num_actions")
play: Any = Placeholder("play")
redeal: Any = Placeholder("redeal")
is_over: Any = Placeholder("is_over")
legal: Any = Placeholder("legal")
is_sound: Any = Placeholder("is_sound")


def chosen_field(most_players: int, actions: Sequence[str]) -> Field:
    """Return the field that holds what each player has chosen in this round."""
    meaning = "what each player has chosen in this round; −1: nothing yet"
    words = ("–", *map(action_words, actions))
    shape, most = (most_players,), len(actions) - 1
    return Field("chosen", shape, meaning, NOTHING, most, Seen.BY_OWNER, words)


@templates.template
def write_legal(state, seat, mask):
    """Write the legal actions of any player."""
    actor = state.actor
    state.actor = seat
    mask[:] = 0
    legal(state, numbers(mask))
    state.actor = actor


@templates.template
def choose_or_play(state, action):
    """Keep a choice; with that of the last player, play the round."""
    state.chosen[state.actor] = action
    if state.actor + 1 < state.num_players:
        state.actor += 1
    else:
        play(state, state.chosen)
        state.chosen[:] = NOTHING
        state.actor = 0


@templates.template
def redeal_and_choose(state, rng):
    """Draw what the actor does not see, and what those before them may have chosen."""
    redeal(state, rng)
    mask = np.zeros(num_actions, np.int8)
    for seat in range(state.actor):
        write_legal(state, seat, mask)
        state.chosen[seat] = choose(rng, mask)


@templates.template
def is_over_between_rounds(state):
    return state.actor == 0 and is_over(state)


@templates.template
def chosen_are_sound(state, viewer):
    """Return whether the choices are those of this moment and legal, and the rest is sound."""
    mask = np.zeros(num_actions, np.int8)
    for seat in range(len(state.chosen)):
        chosen = state.chosen[seat]
        if seat >= state.actor or viewer != NOBODY:
            if chosen != NOTHING:
                return False
        elif chosen == NOTHING:
            return False
        else:
            write_legal(state, seat, mask)
            if mask[chosen] == 0:
                return False
    return is_sound(state, viewer)


PARTS = {
    "play": "choose_or_play", "redeal": "redeal_and_choose", "is_over": "is_over_between_rounds",
    "is_sound": "chosen_are_sound",
}  # fmt: skip
"""The template that takes the place of each function of a game."""


def in_rounds(name: str, functions: Mapping[str, Any], actions: int) -> dict[str, Compiled]:
    """Return the functions of a game, some of them for one player after the other.

    Args:
        name: the name of the game.
        functions: those of `define_game`, by name.
        actions: the number of actions.
    """
    offered = {**functions, "num_actions": actions}
    made = templates.specialise(name, {slot: offered[slot] for slot in templates.placeholders})
    return {**functions, **{function: made[part] for function, part in PARTS.items()}}


# ---------------------------------------------------------------------------- what players are told


@compiled
def write_round(before, action, after, viewer, events, count):
    """Write the choices of all players, once the last of them has chosen."""
    if before.actor + 1 == before.num_players:
        for seat in range(before.num_players):
            event = new_event(events, count)
            event[0] = relative(before, viewer, seat)
            event[1] = action if seat == before.actor else before.chosen[seat]


def history_of(most_players: int) -> History:
    """Return the history of a game whose players choose at once."""
    return History(lay_out(COLUMNS), write_round, most_players)


def narrate(
    mechanics: Mechanics,
    names: Callable[[int, Any], tuple[str, ...]],
    outcome: Callable[[Any], Outcome],
    before: Any,
    action: int,
    after: Any,
    viewer: int,
) -> list[str]:
    """Return that somebody has chosen; in the end what all have, and how the game ended."""
    words = names(int(before.num_players), before)
    lines = [f"{player_name(before.actor)} has chosen"]
    if before.actor + 1 == before.num_players:
        chosen = [*before.chosen[: before.actor].tolist(), action]
        lines = [
            f"{player_name(seat)}: {action_words(words[each])}" for seat, each in enumerate(chosen)
        ]
    is_over = after.phase == mechanics.Phase.OVER
    return [*lines, ending(mechanics, outcome, after)] if is_over else lines
