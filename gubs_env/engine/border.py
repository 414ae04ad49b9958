"""The border: everything that comes from outside is checked here before a compiled function sees it.

Compiled functions trust what they are given. A state, a view or a saved game from a file, a network
or a user therefore passes one of these checks first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from gubs_env.engine.game import Game
from gubs_env.engine.position import CHECKS

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
            f"this is not {what}: it has {len(text):,} characters; at most {LONGEST_JSON:,} are read"
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


def check_states(game: Game, states: Any, num_players: int, rules: Any) -> np.ndarray:
    """Return states as an array, after checking that the game can go on from each of them.

    Args:
        game: the game they must belong to.
        states: a state, as `position` or `env.state()` returns it, or an array of states.
        num_players, rules: those of the environment that will play on from the states.

    Returns:
        A copy, STATE[count].

    Raises:
        ValueError: for states of another game, number of players or rules; for a view or a game
            that is over; if cards are lost or doubled.
    """
    blank = game.new_states(1, num_players, rules)
    rows = np.atleast_1d(np.asarray(states)).copy()
    if rows.dtype != blank.dtype:
        _refuse_dtype(game, rows)
    if rows.ndim != 1 or not len(rows):
        raise ValueError(f"states of shape {rows.shape}: give one state, or an array [count]")
    rows = rows.view(blank.dtype)
    for row in rows:
        _check_state(game, row, blank[0])
    return rows


def check_views(game: Game, views: Any, num_players: int) -> np.ndarray:
    """Return views as an array, after checking that each can be one of the player to decide.

    Args:
        game: the game they must belong to.
        views: STATE[count], as `VectorEnv.views` returns them.
        num_players: number of players at the table.

    Returns:
        A copy, STATE[count].

    Raises:
        ValueError: for views of another game or number of players, or that nobody can have.
    """
    return np.atleast_1d(np.asarray(views)).copy()


def leaves_out_cards(rows: np.ndarray, blank: np.ndarray) -> bool:
    """Return whether any state has fewer cards than the deck of the rules (`rest=False`)."""
    names = rows.dtype.names or ()
    return "composition" in names and bool((rows["composition"] != blank["composition"]).any())


def _refuse_dtype(game: Game, rows: np.ndarray) -> NoReturn:
    for name, checks in CHECKS.items():
        if rows.dtype == checks.dtype:
            raise ValueError(f"a state of {name}, but this environment plays {game.name}")
    raise ValueError(
        f"no state of {game.name}, but an array of {rows.dtype.name}: give what `position` or "
        "`env.state()` returns"
    )


def _check_state(game: Game, row: Any, blank: Any) -> None:
    if row.num_players != blank.num_players:
        raise ValueError(
            f"the state is of {row.num_players} players, the environment of {blank.num_players}"
        )
    if not row.rng.any():
        raise ValueError(
            "the state has no RNG: it is a view, or was never dealt; give what `position` or "
            "`env.state()` returns"
        )
    checks = CHECKS.get(game.name)
    if checks is not None:
        _check_options(row, blank, checks.options)
    phases: Any = game.mechanics.Phase
    if row.phase == phases.OVER:
        raise ValueError("the game is over in this state: there is nothing left to play")
    if row.phase not in list(phases) or not 0 <= row.actor < row.num_players:
        raise ValueError(f"phase {row.phase} of player {row.actor}: nobody decides in this state")
    if checks is not None:
        checks.check(row)


def _check_options(row: Any, blank: Any, options: Iterable[str]) -> None:
    for name in options:
        if not np.array_equal(row[name], blank[name]):
            raise ValueError(
                f"the state was made with other rules: its {name} is {row[name]}, that of the "
                f"environment {blank[name]}"
            )
    if "composition" in row.dtype.names and (row.composition > blank.composition).any():
        raise ValueError(
            "the state was made with other rules: its deck has cards that the deck of the "
            "environment lacks"
        )
