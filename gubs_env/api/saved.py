"""Saved games: the record of a game, a line of JSON, and the checks of one that comes from outside.

A record says how the game began and what was played since. Playing the actions again, each of
them checked, gives everything else. docs/reference/record_line.md describes the keys.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from reprlib import repr as shortened
from typing import Any, NamedTuple

import numpy as np
from typing_extensions import Self

from gubs_env.engine.border import check_states, read_json
from gubs_env.engine.course import Course
from gubs_env.engine.game import Game
from gubs_env.engine.rng import WORD, seed_rng
from gubs_env.engine.seats import ANY_PLAYER
from gubs_env.engine.table import Table
from gubs_env.support.fields import check_keys, check_name, list_of, whole, wholes
from gubs_env.support.files import line_of
from gubs_env.support.version import __version__

FORMAT = "gubs_env game 1"
MOST_ACTIONS = 1_000_000
"""The most actions of a saved game that are read."""
KEYS = (
    "format", "version", "game", "rules", "seed", "agents", "actions", "decisions", "outcome"
)  # fmt: skip
"""The keys of every saved game, in the order in which they are written."""
NOTES = {"forfeits": (), "illegal_action": None, "gone": 0}
"""The keys that are written only with another value than this one, which most games have."""


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


class Ending(NamedTuple):
    """The outcome of a finished game."""

    payoffs: tuple[float, ...]
    """Payoffs, by seat."""
    scores: tuple[int, ...]
    """Points, by seat."""
    winners: tuple[int, ...]
    """The seats that won or share the win; none if the game was cut off or ghosts won."""


def ending(payoffs: np.ndarray, outcome: Any) -> Ending:
    """Return the outcome of a game in the form in which it is saved.

    Args:
        payoffs: float32[num_players].
        outcome: the outcome, as `Game.outcome` returns it.
    """
    return Ending(tuple(payoffs.tolist()), tuple(outcome.scores), tuple(outcome.winners))


@dataclass(frozen=True, eq=False)
class SavedGame:
    """One game, over or under way: its table, how it began, and all that was played."""

    table: Table
    """The game that was played, the number of players and the rules."""
    start: int | Deal | np.ndarray
    """The start of the game: the seed of `reset(seed=…)`, a `Deal`, or a state, STATE[1]."""
    agents: tuple[str, ...]
    """The name of the agent in each seat."""
    actions: tuple[int, ...]
    """All actions, in order."""
    decisions: tuple[int, ...]
    """Number of decisions with more than one legal action, by seat."""
    outcome: Ending | None
    """The outcome of the game; None for a game that did not come to its end."""
    version: str = __version__
    """The version of the package that saved the game."""
    forfeits: tuple[int, ...] = ()
    """The seats whose agents forfeited the game, in order. From then on random moves were played
    for them, so that the game can be replayed. The arena counts the game as their loss."""
    illegal_action: int | None = None
    """The action that was not legal and ended the game; None if there was none."""
    gone: int = 0
    """Number of agents that have stepped out of the finished game."""

    @property
    def seed(self) -> int | None:
        """The seed of `reset(seed=…)`; None if the game began in another way."""
        return self.start if isinstance(self.start, int) else None

    def course(self) -> Course:
        """Play the game again.

        Raises:
            ValueError: for an action that is not legal.
        """
        return Course.of(self.table.game, start_states(self.table, [self.start]), self.actions)

    def line(self) -> str:
        """Return the game as a line of JSON, with its line end; `read` reads it."""
        values = (
            FORMAT, self.version, self.table.game.name, self.table.rules.as_dict(), self.seed,
            self.agents, self.actions, self.decisions,
            None if self.outcome is None else self.outcome._asdict(),
        )  # fmt: skip
        fields = dict(zip(KEYS, values, strict=True))
        if not isinstance(self.start, int):
            fields["start"] = start_as_dict(self.start)
        notes = {name: getattr(self, name) for name in NOTES}
        return line_of(fields | {name: note for name, note in notes.items() if note != NOTES[name]})

    @classmethod
    def read(cls, fields: dict[str, Any], game: Game) -> Self:
        """Return the game in an object of JSON after checking its form.

        Whether the actions are legal and lead to this outcome, only a replay can show.

        Args:
            fields: the object, from `read_form`.
            game: the game that it must be of.

        Raises:
            ValueError: for an object that is no saved game.
        """
        if fields["game"] != game.name:
            raise ValueError(f"game is {shortened(fields['game'])}, not {game.name!r}")
        names = list_of("agents", fields["agents"])
        size = len(names)
        agents = check_names(names, size)
        table = Table(game, size, read_rules(fields["rules"], game))
        most = min(table.max_decisions, MOST_ACTIONS)
        if len(actions := list_of("actions", fields["actions"])) > most:
            raise ValueError(f"{len(actions):,} actions: a game at this table has at most {most:,}")
        illegal = fields.get("illegal_action")
        return cls(
            table,
            _start(fields, table),
            agents,
            tuple(wholes("actions", actions, (None,))),
            tuple(wholes("decisions", fields["decisions"], (size,))),
            _ending(fields["outcome"], size),
            check_name("version", fields["version"]),
            _forfeits(fields.get("forfeits", []), size),
            None if illegal is None else whole("illegal_action", illegal),
            whole("gone", fields.get("gone", 0), 0, size),
        )


def start_states(table: Table, starts: Sequence[int | Deal | np.ndarray]) -> np.ndarray:
    """Return the states in which games begin, STATE[len(starts)]; see `SavedGame.start`."""
    states = table.new_states(len(starts))
    for index, start in enumerate(starts):
        if isinstance(start, np.ndarray):
            states[index] = start[0]
        else:
            deal = start if isinstance(start, Deal) else deal_of(start)
            player = ANY_PLAYER if deal.starting_player is None else deal.starting_player
            states["rng"][index] = deal.rng
            table.game.kernel.deal(states, index, player)
    return states


def start_as_dict(start: Deal | np.ndarray) -> dict[str, Any]:
    """Return how a game began as plain values."""
    if isinstance(start, Deal):
        return {"rng": start.rng.tolist(), "starting_player": start.starting_player}
    return {"state": {name: start[name][0].tolist() for name in start.dtype.names or ()}}


def compare(saved: SavedGame, again: SavedGame, name: str) -> None:
    """Raise ValueError unless a game agrees with `again`, its replay; `name` is for errors."""
    if saved.outcome is not None and again.outcome is None:
        raise ValueError(
            f"{name}: the actions end before the game does; the outcome of a game under way is null"
        )
    for key in ("decisions", "outcome"):
        value, true = _plain(getattr(saved, key)), _plain(getattr(again, key))
        if value != true:
            raise ValueError(
                f"{name}: {key} {json.dumps(value)} contradict the replay of the actions, which "
                f"gives {json.dumps(true)}"
            )


def _plain(value: Any) -> Any:
    return value._asdict() if isinstance(value, Ending) else value


# -------------------------------------------------------------------------------------- reading


def read_form(text: str | bytes) -> dict[str, Any]:
    """Return the object in a line of JSON; raise ValueError unless it has the keys of a game."""
    fields = read_json(text, "the record of a game")
    form = fields.get("format") if isinstance(fields, dict) else None
    if form != FORMAT:
        raise ValueError(
            f"this is not the record of a game: its format is {shortened(form)}, not {FORMAT!r}"
        )
    optional = ["start"] * (fields.get("seed", 0) is None) + [key for key in NOTES if key in fields]
    check_keys("the record", fields, [*KEYS, *optional])
    return fields


def check_names(names: Sequence[Any], num_players: int) -> tuple[str, ...]:
    """Return the names of agents; raise ValueError unless there is one for each seat."""
    if len(names) != num_players:
        raise ValueError(
            f"{len(names)} agents: give one name for each of the {num_players} players"
        )
    return tuple(check_name(f"agent {seat}", name) for seat, name in enumerate(names))


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
            both = shortened(options[name]), shortened(again[name])
            raise ValueError("rules: {} is {}; it must be {}".format(name, *both))
    return rules


def _start(fields: dict[str, Any], table: Table) -> Any:
    """Return the start of a game, checked so that a game can begin with it."""
    if fields["seed"] is not None:
        return whole("seed", fields["seed"])
    start = fields["start"]
    if isinstance(start, dict) and "state" in start:
        check_keys("start", start, ("state",))
        return check_states((table,), _state(start["state"], table))
    check_keys("start", start, ("rng", "starting_player"))
    rng, player = wholes("rng", start["rng"], (4,), 0, WORD), start["starting_player"]
    if not any(rng):
        raise ValueError("rng: its four words must not all be 0")
    if player is not None:
        whole("starting_player", player, 0, table.num_players - 1)
    return Deal(np.array(rng), player)


def _state(values: Any, table: Table) -> np.ndarray:
    """Return a state whose fields have the right shapes and hold numbers of their dtypes."""
    state = table.new_states(1)
    names = state.dtype.names or ()
    check_keys("state", values, names)
    for name in names:
        field = state[name][0]
        limits = np.iinfo(field.dtype)
        numbers = wholes(name, values[name], field.shape, int(limits.min), int(limits.max))
        state[name][0] = np.array(numbers, field.dtype).reshape(field.shape)
    return state


def _forfeits(values: Any, num_players: int) -> tuple[int, ...]:
    """Return the seats that forfeited: a replay cannot show whether that is true."""
    seats = wholes("forfeits", values, (None,), 0, num_players - 1)
    if seats != sorted(set(seats)):
        raise ValueError(f"forfeits must be different seats, in order, not {seats}")
    return tuple(seats)


def _ending(outcome: Any, num_players: int) -> Ending | None:
    """Return the outcome that a saved game states; a replay shows whether it is true."""
    if outcome is None:
        return None
    check_keys("outcome", outcome, Ending._fields)
    for name in Ending._fields:
        size = None if name == "winners" else num_players
        for value in list_of(name, outcome[name], size):
            if type(value) is not int and not (name == "payoffs" and type(value) is float):
                raise ValueError(f"{name} must be numbers, not {shortened(outcome[name])}")
    payoffs = tuple(float(payoff) for payoff in outcome["payoffs"])
    return Ending(payoffs, tuple(outcome["scores"]), tuple(outcome["winners"]))
