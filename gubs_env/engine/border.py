"""The border: whatever comes from outside is checked here before a compiled function sees it.

Compiled functions trust what they are given. A state, a view or a saved game from a file, a network
or a user therefore passes one of these checks first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NoReturn

import numpy as np

from gubs_env.engine.faults import NOTHING_LEGAL, OUT_OF_RANGE, SOUND
from gubs_env.engine.fields import state_dtype
from gubs_env.engine.game import Game
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.table import Table

LONGEST_JSON = 64_000_000
"""The most characters of JSON that `read_json` reads."""
LONGEST_NUMBER = 40
"""The most digits of a number in JSON."""


# ------------------------------------------------------------------------------------------- JSON


def read_json(text: str | bytes, what: str) -> Any:
    """Return the value of a JSON text from outside.

    Args:
        text: the text.
        what: what the text should be, for the error, as "a saved game".

    Raises:
        ValueError: for a text that is not JSON, is too long or nested too deeply, or holds NaN,
            Infinity or a number of too many digits.
    """
    if not isinstance(text, str | bytes):
        raise ValueError(f"{what} is a text, not {type(text).__name__}")
    if len(text) > LONGEST_JSON:
        raise ValueError(
            f"this is not {what}: it has {len(text):,} characters, at most {LONGEST_JSON:,} are "
            "read"
        )
    try:
        return json.loads(
            text, parse_constant=_refuse_constant, parse_int=_whole, parse_float=_finite
        )
    except RecursionError:
        raise ValueError(f"this is not {what}: its JSON is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"this is not {what}: it is not valid JSON ({error})") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _whole(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise ValueError(f"a number of {len(digits):,} digits")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not np.isfinite(number):
        raise ValueError(f"the number {digits[:LONGEST_NUMBER]} is too large")
    return number


# ------------------------------------------------------------------------------ states and views


def check_states(tables: Sequence[Table], states: Any) -> np.ndarray:
    """Return states as an array, after checking that the game can go on from each of them.

    Args:
        tables: the table that will play on from the states; or the table of each, which differ in
            rules only.
        states: a state, as `position` or `env.state()` returns it, or an array of states.

    Returns:
        A copy, STATE[count].

    Raises:
        ValueError: for states of another game, number of players or rules; for a view or a game
            that is over; for a field out of range, or fields that contradict each other, as when
            cards are lost or doubled.
    """
    blank, game = blank_states(tables), tables[0].game
    rows = _rows(game, states)
    _check_players(rows, tables[0])
    if len(rows) not in (1, len(blank)) and len(blank) > 1:
        raise ValueError(f"{len(rows)} states: give one, or {len(blank)}, which have rules each")
    compared, expected = np.broadcast_arrays(rows, blank)
    _check_options(compared, expected, game.option_fields)
    _check_deck(compared, expected, game.deck_field)
    if not rows["rng"].any(axis=1).all():
        raise ValueError(
            "the state has no RNG: it is a view, or was never dealt; give what `position` or "
            "`env.state()` returns"
        )
    _check_faults(game, rows, np.full(len(rows), NOBODY))
    return rows


def blank_states(tables: Iterable[Table]) -> np.ndarray:
    """Return states before anything is dealt, one for each table, STATE[…]."""
    return np.concatenate([table.new_states(1) for table in tables])


def check_views(table: Table, views: Any) -> np.ndarray:
    """Return views as an array, after checking that each can be that of the player to decide.

    Args:
        table: the table; of its rules only those options are compared on which the numbers of
            actions and of entries of an observation depend.
        views: STATE[count], as `VectorEnv.views` returns them.

    Returns:
        A copy, STATE[count].

    Raises:
        ValueError: for views of another game or number of players, of a game that is over, or that
            nobody can have.
    """
    rows = _rows(table.game, views)
    _check_players(rows, table)
    if names := table.game.size_options:
        _check_options(rows, np.broadcast_to(table.new_states(1), rows.shape), names)
    _check_faults(table.game, rows, rows["actor"].astype(np.int64))
    return rows


def faults_of(game: Game, states: np.ndarray, viewers: np.ndarray) -> np.ndarray:
    """Return the first fault of every state, int64[count, 2]: its number, and where it is.

    Args:
        game: the game.
        states: STATE[count], contiguous, all of one number of players and one
            value of each of `Game.size_options`.
        viewers: int64[count], the player whose view each is; NOBODY for a complete state.
    """
    faults = np.zeros((len(states), 2), np.int64)
    mask = np.zeros(len(game.action_names(int(states[0].num_players), states[0])), np.int8)
    game.kernel.check(states, viewers, mask, faults)
    return faults


def fault_text(game: Game, fault: int, where: int) -> str:
    """Return a fault of `faults_of` in words."""
    if fault == OUT_OF_RANGE:
        field = game.state_fields[where]
        return f"its {field.name} is out of range: allowed is {field.low} to {field.high}"
    if fault == NOTHING_LEGAL:
        return "the player to decide has no legal action"
    return game.fault_words(fault, where)


def leaves_out_cards(game: Game, rows: np.ndarray, blank: np.ndarray) -> bool:
    """Return whether any state has fewer cards than the deck of the rules (`rest=False`)."""
    return bool(game.deck_field) and bool((rows[game.deck_field] != blank[game.deck_field]).any())


def _rows(game: Game, states: Any) -> np.ndarray:
    """Return states as a new, contiguous array of the dtype of a game."""
    rows, dtype = np.atleast_1d(np.asarray(states)), _dtype_of(game)
    if rows.dtype != dtype:
        raise ValueError(
            f"no state of {game.name}: give what `position` or `env.state()` of its module "
            "returns, not another array"
        )
    if rows.ndim != 1 or not len(rows):
        raise ValueError(f"states of shape {rows.shape}: give one state, or an array [count]")
    return np.array(rows, order="C").view(dtype)  # whose rows have their fields as attributes


@cache
def _dtype_of(game: Game) -> np.dtype:
    return state_dtype(game.state_fields)


def _check_players(rows: np.ndarray, table: Table) -> None:
    num_players = table.num_players
    if (wrong := rows["num_players"] != num_players).any():
        number = rows["num_players"][wrong][0]
        raise ValueError(f"the state is of {number} players, not of {num_players}")


def _check_options(rows: np.ndarray, blank: np.ndarray, names: Iterable[str]) -> None:
    for name in names:
        if (wrong := rows[name] != blank[name]).any():
            first = np.flatnonzero(wrong.reshape(len(rows), -1).any(1))[0]
            raise ValueError(
                f"the state was made with other rules: its {name} is "
                f"{rows[name][first].tolist()}, that of the environment "
                f"{blank[name][first].tolist()}"
            )


def _check_deck(rows: np.ndarray, blank: np.ndarray, deck: str) -> None:
    if deck and (rows[deck] > blank[deck]).any():
        raise ValueError(
            "the state was made with other rules: its deck has cards that the deck of the "
            "environment lacks"
        )


def _check_length(rows: np.ndarray) -> None:
    """Raise ValueError for a game that should have been cut off."""
    if "max_cycles" not in (rows.dtype.names or ()):
        return
    late = rows["decisions"] >= (limits := rows["max_cycles"])
    if late.any():
        raise ValueError(
            f"its decisions is out of range: allowed is 0 to {limits[late][0] - 1}, because "
            "max_cycles ends the game then"
        )


def _check_faults(game: Game, rows: np.ndarray, viewers: np.ndarray) -> None:
    if (rows["phase"] == game.mechanics.Phase.OVER).any():
        raise ValueError("the game is over in this state: there is nothing left to play")
    _check_length(rows)
    faults = faults_of(game, rows, viewers)
    for index in np.flatnonzero(faults[:, 0] != SOUND).tolist():
        kind = "state" if viewers[index] == NOBODY else "view"
        number = f" {index}" if len(rows) > 1 else ""
        raise ValueError(f"{kind}{number}: {fault_text(game, *faults[index].tolist())}")
