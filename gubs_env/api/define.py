"""A game from a few small functions: the rest of its rules follows from its fields.

`define_game` joins them. The templates below turn them into `Mechanics`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from enum import IntEnum
from functools import partial
from inspect import signature
from types import SimpleNamespace
from typing import Any, TypedDict

import numpy as np
from typing_extensions import Unpack

from gubs_env.api import at_once as rounds
from gubs_env.api.mistakes import (
    check_actions,
    check_fields,
    check_functions,
    check_lengths,
    check_numbers,
    check_parts,
    check_same_actions,
    check_sides,
    read_arrays_as_numbers,
)
from gubs_env.engine import defaults
from gubs_env.engine.compiling import Placeholder, Templates, compile_lines, inlined, numbers
from gubs_env.engine.faults import SOUND, GameFault, words_of
from gubs_env.engine.fields import COMMON_FIELDS, Field, Seen, one_more, range_check, with_common
from gubs_env.engine.game import Game, check_signatures
from gubs_env.engine.history import History
from gubs_env.engine.mechanics import Mechanics
from gubs_env.engine.options import RuleOptions
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.rng import spawn_into
from gubs_env.engine.seats import ANY_PLAYER, NOBODY
from gubs_env.engine.slices import join, slices_of
from gubs_env.engine.table import Table
from gubs_env.engine.text import TableWords
from gubs_env.engine.view import View


class Parts(TypedDict, total=False):
    """The optional parts of `Game` that `define_game` takes."""

    max_decisions: Callable[[Table], int]
    check_players: Callable[[int, Any], None]
    is_zero_sum: Callable[[Table], bool]
    sample_table: Callable[[np.random.Generator], tuple[int, Any]]
    outcome: Callable[[Any], Outcome]
    lead: Callable[[np.ndarray, int], np.ndarray]
    table_words: Callable[[View], TableWords]
    question_words: Callable[[View, Collection[int]], str]
    pick_text: Callable[[View, int], str]
    narrate: Callable[[Any, int, Any, int], list[str]]
    history: History
    drawing: str
    chance: str


class Phase(IntEnum):
    """The phases of a game with one kind of decision."""

    PLAY = 0
    OVER = 1


class Fault(GameFault):
    """The faults of a state or a view."""

    SEATS = "its num_seats is not its number of players"
    ACTOR = "its actor is no player"
    SHOWN = "it shows what its viewer cannot know: this is a state, not a view"
    CONTRADICTION = "its fields contradict each other, as is_sound says, or it is a view"
    PHASE = (
        "its phase is that of a game that goes on after its end, or ended before: is_over says the "
        "same of a state, of its view, and of states drawn from that"
    )


templates = Templates()
clear: Any = Placeholder("clear")
deal: Any = Placeholder("deal")
redeal: Any = Placeholder("redeal")
play: Any = Placeholder("play")
is_over: Any = Placeholder("is_over")
payoffs: Any = Placeholder("payoffs")
legal: Any = Placeholder("legal")
is_sound: Any = Placeholder("is_sound")
shows: Any = Placeholder("shows")
written: Any = Placeholder("written")
sides: Any = Placeholder("sides")
bound: Any = Placeholder("bound")


@templates.template
def set_up(state, starting_player):
    clear(state)
    state.decisions = 0
    state.phase = Phase.PLAY
    state.actor = 0 if starting_player == ANY_PLAYER else starting_player
    deal(state)


@templates.template
def write_mask(state, mask):
    mask[:] = 0
    if state.phase != Phase.OVER:
        legal(state, numbers(mask))


@templates.template
def step(state, action, mask):
    state.decisions = one_more(state.decisions)
    play(state, int(action))
    if state.decisions >= bound or is_over(state):
        state.phase = Phase.OVER
    write_mask(state, mask)


@templates.template
def is_truncated(state):
    return state.phase == Phase.OVER and not is_over(state)


@templates.template
def write_payoffs(state, paid):
    paid[:] = 0
    if is_over(state):
        exact = np.zeros(len(paid))
        payoffs(state, numbers(exact))
        paid[:] = exact


@templates.template
def write_observation(state, viewer, observation):
    written(state, int(viewer), numbers(observation))


@templates.template
def determinize_row(state, rng):
    redeal(state, numbers(rng))
    spawn_into(rng, state.rng)


@templates.template
def side_of(state, player):
    return player % sides if sides else player


@templates.template
def num_sides(state):
    return sides if sides else state.num_players


@templates.template
def find_fault(state, viewer):
    if state.num_seats != state.num_players:
        return Fault.SEATS, 0
    if state.actor < 0 or state.actor >= state.num_players:
        return Fault.ACTOR, 0
    if viewer != NOBODY and shows(state, viewer):
        return Fault.SHOWN, 0
    if state.phase == Phase.PLAY and not is_sound(state, int(viewer)):
        return Fault.CONTRADICTION, 0
    has_ended = state.decisions >= bound or is_over(state)
    if state.phase != (Phase.OVER if has_ended else Phase.PLAY):
        return Fault.PHASE, 0
    return SOUND, 0


@inlined
def nothing_contradicts(state, viewer):
    """Return True, for a game that has no rules across its fields."""
    return True


@inlined
def all_legal(state, mask):
    """Write that every action is legal."""
    mask[:] = 1


def define_game(
    *,
    name: str,
    title: str,
    players: range,
    bound: int,
    actions: Sequence[str] | Callable[[int, Any], Sequence[str]],
    fields: Iterable[Field],
    observation: Sequence[Callable[..., None]],
    deal: Callable[[Any], None],
    redeal: Callable[[Any, Any], None],
    play: Callable[[Any, int], None],
    is_over: Callable[[Any], bool],
    payoffs: Callable[[Any, Any], None],
    legal: Callable[[Any, Any], None] = all_legal,
    is_sound: Callable[[Any, int], bool] = nothing_contradicts,
    max_payoff: float = 1.0,
    sides: int = 0,
    at_once: bool = False,
    rules: type[RuleOptions] = RuleOptions,
    text: str = "",
    **parts: Unpack[Parts],
) -> Game:
    """Return a game; what it does not say is supplied.

    All functions are plain Python that Numba can compile, marked by `compiled`, and work on
    `state`, whose fields are `fields` and `fields.COMMON_FIELDS`: `num_players`, `actor`,
    `decisions`, `rng` and so on. They draw by `random_below`,
    `random_choice` and `shuffle` only.

    Args:
        name: the name of its public module, as "kuhn_poker_v0".
        title: the name on the box.
        players: the numbers of players; the first is the default.
        bound: the most decisions of a game; one that goes on is cut off there, without payoffs.
        actions: the names of all actions, at most 128; or (num_players, rules) → the names, which
            reads options that are fields, because a state can stand for `rules`.
        fields: the fields of a state. Before the deal each holds its least value, and where
            somebody may not see it (`Seen`), they see the least value until the game is over. An
            option of the rules with the name of a field fills it.
        observation: the functions that write it, each marked by `writes` with the slices that it
            writes, in order.
        deal: (state): deal a new game, drawing from `state.rng`. `state.actor` begins.
        redeal: (state, rng): draw all that the actor does not see, as likely as the actor must
            think it, from `rng`.
        play: (state, action): play an action and say in `state.actor` who decides next.
        is_over: (state) → whether the game is over.
        payoffs: (state, payoffs): write the payoffs of a game that is over, float32[num_players].
        legal: (state, mask): set the legal actions of the actor to 1 in int8[actions], which holds
            zeros; by default all are legal.
        is_sound: (state, viewer) → whether the fields of a state under way fit each other, or those
            of the view of `viewer`, who decides; `viewer` is NOBODY for a complete state. States
            from outside are refused by it. It must hold for whatever the other functions rely on,
            such as an index; by default each field is only checked against its range.
        max_payoff: the most that a game pays a player or costs them; 1 is for a game that pays for
            the win only.
        sides: the number of sides, between which the seats alternate: with 2, partners sit across
            from each other. All partners are paid the same. 0: everybody plays alone.
        at_once: whether in each round all players choose before anything is played, and nobody sees
            what the others chose. `play` is (state, actions) then, with the action of each seat,
            int64[…]; `legal` is asked for `state.actor`, and `redeal` draws all but the choices,
            which are in `state.chosen`. `state.actor` is 0 between rounds.
        rules: a frozen dataclass of the options. If `actions` is a function, or an option is a
            length in `observation`, an agent is trained for each value of the options.
        text: the rules on one page; by default the title.
        parts: optional parts of `Game`: its attributes say what each is.

    Raises:
        TypeError: for a function with other arguments, or one that names a field that there is not
            or calls itself; for a field whose name is taken.
        ValueError: for numbers of players, actions, a bound, a payoff or a field that no game can
            have.
    """
    fields = tuple(fields)
    check_numbers(name, players, bound, max_payoff)
    check_sides(name, sides, players)
    check_parts(name, parts, Parts.__annotations__)
    check_fields(name, fields, players[-1])
    if at_once:
        chosen = rounds.chosen_field(players[-1], check_same_actions(name, actions))
        fields = (*fields, chosen)
    follows = dict.fromkeys(("phase", "actor", "decisions"), Seen.FOLLOWS)
    fields = with_common(fields, follows)
    options = tuple(field.name for field in fields if field.name in rules.__dataclass_fields__)
    action_names = names_of_actions(name, actions, players[0], rules, options)
    module = play.__module__
    functions: dict[str, Any] = {
        "deal": deal, "redeal": redeal, "play": play, "is_over": is_over, "payoffs": payoffs,
        "legal": legal, "is_sound": is_sound,
    }  # fmt: skip
    check_functions(name, fields, define_game, functions, observation)
    read_arrays_as_numbers([*functions.values(), *observation])
    lengths = check_lengths(name, observation, options)
    if at_once:
        functions = rounds.in_rounds(name, functions, chosen.high + 1)
    functions |= {
        "clear": _clear(fields, options), "shows": _shows(fields), "bound": bound,
        "written": join(observation), "sides": sides,
    }  # fmt: skip
    mechanics = Mechanics(
        Phase=Phase,
        turn_phase=Phase.PLAY,
        hide_private=_hide(fields),
        field_out_of_range=range_check(fields),
        **templates.specialise(name, functions),
    )
    given: dict[str, Any] = {
        "drawing": "gubs_env.drawing.plain",
        "max_decisions": partial(same, bound),
        "max_payoff": partial(same, max_payoff),
        "fault_words": partial(words_of, Fault, ()),
        "sides": partial(_sides_of, sides),
        "rules_text": partial(defaults.text, (text or title).strip()),
        "outcome": partial(defaults.outcome_of, mechanics),
        **parts,
    }
    if at_once:
        tell = partial(rounds.narrate, mechanics, action_names, given["outcome"])
        given = {"history": rounds.history_of(players[-1]), "narrate": tell} | given
    return Game(
        name=name,
        title=title,
        player_counts=players,
        players=players[0],
        state_fields=fields,
        action_names=action_names,
        observation_slices=slices_of(observation),
        mechanics=mechanics,
        rules=rules,
        option_fields=options,
        table_options=options if callable(actions) or lengths else (),
        module=module,
        **given,
    )


def _sides_of(sides: int, table: Table) -> np.ndarray:
    """Return the side of each player, int64[num_players]."""
    seats = np.arange(table.num_players)
    return seats % sides if sides else seats


def same(value: Any, *_: Any) -> Any:
    """Return what depends neither on the number of players nor on the rules."""
    return value


def names_of_actions(
    name: str, actions: Any, players: int, rules: type[RuleOptions], options: Iterable[str]
) -> Callable[[int, Any], tuple[str, ...]]:
    """Return the function (num_players, rules) → the names of all actions.

    Raises:
        TypeError: for a function that reads an option that is not among `options`.
        ValueError: for actions that no game can have.
    """
    if not callable(actions):
        check_actions(name, actions)
        return partial(same, tuple(actions))
    check_signatures(name, define_game, {"actions": actions})
    named = partial(_names_at, name, actions)
    try:
        named(players, SimpleNamespace(**{each: getattr(rules(), each) for each in options}))
    except AttributeError as error:
        raise TypeError(
            f"{name}: actions{signature(actions)} reads the option {error.name}: it can read those "
            f"that a field of their name holds, {', '.join(options) or 'of which there is none'}"
        ) from None
    return named


def _names_at(name: str, actions: Any, num_players: int, rules: Any) -> tuple[str, ...]:
    """Return the names of all actions for these options, after checking them."""
    names = tuple(actions(num_players, rules))
    check_actions(name, names)
    return names


# -------------------------------------------------------------------- written out field by field


def _clear(fields: Iterable[Field], options: Iterable[str]) -> Callable[[Any], None]:
    """Return a function (state) that gives all fields but the options their least values."""
    kept = {*options, *(field.name for field in COMMON_FIELDS)}
    lines = [f"    {_entries(field)} = {field.low}" for field in fields if field.name not in kept]
    return compile_lines(["def clear(state):", *lines, "    return"])


def _hide(fields: Iterable[Field]) -> Callable[[Any, int], None]:
    """Return a function (state, player) that gives what a player may not see its least value.

    What only the owner sees is open once the game is over.
    """
    lines = ["def hide_private(state, player):"]
    for field in fields:
        if field.seen is Seen.BY_NOBODY:
            lines.append(f"    {_entries(field)} = {field.low}")
        elif field.seen is Seen.BY_OWNER:
            lines += [
                f"    for seat in range({field.shape[0]}):",
                f"        if seat != player and state.phase != {int(Phase.OVER)}:",
                f"            {_entries(field, 'seat')} = {field.low}",
            ]
    return compile_lines([*lines, "    return"])


def _shows(fields: Iterable[Field]) -> Callable[[Any, int], bool]:
    """Return a function (state, player) → whether anything shows that a player may not see."""
    lines = ["def shows(state, player):"]
    for field in fields:
        if field.seen is Seen.BY_NOBODY:
            lines += [f"    if {_differ(field)}:", "        return True"]
        elif field.seen is Seen.BY_OWNER:
            lines += [
                f"    for seat in range({field.shape[0]}):",
                f"        if seat != player and {_differ(field, 'seat')}:",
                "            return True",
            ]
    return compile_lines([*lines, "    return False"])


def _differ(field: Field, first: str = ":") -> str:
    """Return the code that says whether any entry of a field is not its least value."""
    is_one = field.shape == () or (first != ":" and len(field.shape) == 1)
    differs = f"{_entries(field, first)} != {field.low}"
    return differs if is_one else f"({differs}).any()"


def _entries(field: Field, first: str = ":") -> str:
    """Return the code of all entries of a field, or of those of one seat."""
    places = ", ".join([first, *":" * (len(field.shape) - 1)])
    return f"state.{field.name}[{places}]" if field.shape else f"state.{field.name}"
