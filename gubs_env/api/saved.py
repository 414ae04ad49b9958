"""Saved games: the JSON text of a game, and the checks of one that comes from outside.

A saved game is how the game began and what was played since. Nothing else is stored: playing the
actions again, each of them checked, gives everything else.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from reprlib import repr as shortened
from typing import Any

import numpy as np

from gubs_env.engine.border import read_json
from gubs_env.engine.game import Game
from gubs_env.engine.options import is_whole
from gubs_env.engine.rng import WORD, seed_rng

JSON_VERSION = 3
MOST_ACTIONS = 1_000_000
"""The most actions of a saved game that are read."""
KEYS = (
    "game", "version", "num_players", "rules", "start", "actions", "illegal_action", "gone"
)  # fmt: skip
"""The keys of a saved game, in the order in which they are written."""


@dataclass(frozen=True)
class Deal:
    """The deal of a game by `reset`."""

    rng: np.ndarray
    """int64[4]: the RNG before the deal."""
    starting_player: int | None
    """The player who starts; None: the rules choose."""


def deal_of(seed: int) -> Deal:
    """Return the deal of `reset(seed=seed)`."""
    return Deal(seed_rng(seed), None)


@dataclass(frozen=True)
class SavedGame:
    """A game under way: how it began, and what happened since."""

    num_players: int
    rules: Mapping[str, Any]
    """The options of the rules, as `as_dict` returns them."""
    start: Deal | np.ndarray
    """The deal, or the state that `set_state` began with, STATE[1]."""
    actions: list[int]
    """The actions played since."""
    illegal_action: int | None = None
    """The action that was not legal and ended the game; None if there was none."""
    gone: int = 0
    """Number of agents that have stepped out of the finished game."""

    def to_json(self, game: Game) -> str:
        """Return the text, which `read_game` reads."""
        values = (
            game.name, JSON_VERSION, self.num_players, dict(self.rules), start_as_dict(self.start),
            self.actions, self.illegal_action, self.gone,
        )  # fmt: skip
        # Rules may hold NumPy's numbers and booleans.
        return json.dumps(dict(zip(KEYS, values, strict=True)), default=np.generic.item)


def start_as_dict(start: Deal | np.ndarray) -> dict[str, Any]:
    """Return how a game began as plain values, which `read_start` reads."""
    if isinstance(start, Deal):
        return {"rng": start.rng.tolist(), "starting_player": start.starting_player}
    return {"state": {name: start[name][0].tolist() for name in start.dtype.names or ()}}


# -------------------------------------------------------------------------------------- reading


def read_game(text: str | bytes, game: Game) -> SavedGame:
    """Return a saved game, after checking its form.

    The values of the options, a stored state and the actions are not checked: an environment does
    that when it plays the game again.

    Raises:
        ValueError: for a text of another game or version, or that does not have the form of a saved
            game.
    """
    saved = read_json(text, "a saved game")
    found = [saved.get(key) if isinstance(saved, dict) else None for key in KEYS[:2]]
    if not (is_whole(found[1]) and found == [game.name, JSON_VERSION]):
        name, version = map(shortened, found)
        raise ValueError(
            f"not a saved game of {game.name}, version {JSON_VERSION}: it says {name}, version "
            f"{version}"
        )
    check_keys("the saved game", saved, KEYS)
    read_rules(saved["rules"], game)
    illegal = saved["illegal_action"]
    actions = list_of("actions", saved["actions"])
    if len(actions) > MOST_ACTIONS:
        raise ValueError(f"{len(actions):,} actions: at most {MOST_ACTIONS:,} are read")
    return SavedGame(
        whole("num_players", saved["num_players"]),
        saved["rules"],
        read_start(saved["start"], game),
        [whole(f"action number {number}", action) for number, action in enumerate(actions)],
        None if illegal is None else whole("illegal_action", illegal),
        whole("gone", saved["gone"]),
    )


def read_rules(options: Any, game: Game) -> Any:
    """Return the rules with these options; raise ValueError unless they are as `as_dict` writes."""
    known = game.rules().as_dict()
    check_keys("rules", options, known)
    try:
        rules = game.make_rules(options)
        again = rules.as_dict()
    except (TypeError, OverflowError, RecursionError) as error:
        raise ValueError(f"rules: {error}") from None
    for name in known:
        # As text, 1, 1.0 and true differ.
        if json.dumps(options[name]) != json.dumps(again[name]):
            said = shortened(options[name]), shortened(again[name])
            raise ValueError("rules: {} is {}; it must be {}".format(name, *said))
    return rules


def read_start(start: Any, game: Game) -> Deal | np.ndarray:
    """Return how a game began, after checking its form; raise ValueError for another form."""
    if isinstance(start, dict) and "state" in start:
        check_keys("start", start, ("state",))
        return _read_state(start["state"], game)
    check_keys("start", start, ("rng", "starting_player"))
    rng = _numbers("rng", start["rng"], (4,), 0, WORD)
    if not any(rng):
        raise ValueError("rng: its four words must not all be 0")
    player = start["starting_player"]
    return Deal(np.array(rng), None if player is None else whole("starting_player", player))


def _read_state(values: Any, game: Game) -> np.ndarray:
    """Return a state whose fields have the right shapes and hold numbers of their dtypes."""
    state = game.new_states(1, game.players, game.rules())
    names = state.dtype.names or ()
    check_keys("state", values, names)
    for name in names:
        field = state[name][0]
        limits = np.iinfo(field.dtype)
        numbers = _numbers(name, values[name], field.shape, int(limits.min), int(limits.max))
        state[name][0] = np.array(numbers, field.dtype).reshape(field.shape)
    return state


# --------------------------------------------------------------------------------- plain values


def check_keys(name: str, value: Any, keys: Collection[str]) -> None:
    """Raise ValueError unless a value is an object with these keys and no others."""
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be an object, not {shortened(value)}")
    for key in keys:
        if key not in value:
            raise ValueError(f"{name} lacks {key!r}")
    for key in value:
        if key not in keys:
            raise ValueError(f"{name} has an unknown key, {shortened(key)}")


def list_of(name: str, value: Any, size: int | None = None) -> list[Any]:
    """Return a list; raise ValueError for anything else, or for another size."""
    if not isinstance(value, list) or size not in (None, len(value)):
        of_size = "" if size is None else f" of {size}"
        raise ValueError(f"{name} must be a list{of_size}, not {shortened(value)}")
    return value


def whole(name: str, value: Any) -> int:
    """Return a whole number; raise ValueError for anything else."""
    if not is_whole(value):
        raise ValueError(f"{name} must be a whole number, not {shortened(value)}")
    return value


def _numbers(name: str, value: Any, shape: tuple[int, ...], low: int, high: int) -> list[int]:
    """Return the whole numbers of nested lists of a shape, one after the other."""
    if shape:
        parts = list_of(name, value, shape[0])
        return [number for part in parts for number in _numbers(name, part, shape[1:], low, high)]
    if not low <= whole(name, value) <= high:
        raise ValueError(f"{name} holds {value}: allowed is {low} to {high}")
    return [value]
