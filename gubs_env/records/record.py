"""Records of games: one line of JSON for each game, from which it can be replayed.

>>> import gubs_env
>>> path = gubs_env.record("games.jsonl", "random", games=2)  # doctest: +SKIP
>>> for record in gubs_env.read_records(path):  # doctest: +SKIP
...     print(record.agents, record.outcome.payoffs)
...     print(record.env().describe("player_0"))

A file of records may come from anywhere, so `read` replays every game, with all checks of the
rules, before it yields its record. docs/records.md describes the keys of a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import groupby
from pathlib import Path
from reprlib import repr as shortened
from typing import Any, NamedTuple

import numpy as np

import gubs_env
from gubs_env.api.aec import AECGame
from gubs_env.api.saved import (
    MOST_ACTIONS,
    Deal,
    SavedGame,
    check_keys,
    deal_of,
    list_of,
    read_rules,
    read_start,
    start_as_dict,
    whole,
)
from gubs_env.engine.border import LONGEST_JSON, check_states, read_json
from gubs_env.engine.game import Game
from gubs_env.engine.moves import Move
from gubs_env.engine.rng import seed_rng
from gubs_env.games import find_game
from gubs_env.records.playing import Played, Replay
from gubs_env.support.checks import LARGEST, check_number
from gubs_env.support.files import expanded

FORMAT = "gubs_env game 1"
KEYS = (
    "format", "version", "game", "rules", "seed", "agents", "actions", "decisions", "outcome"
)  # fmt: skip
BEGINNING = f'{{"format":"{FORMAT}",'.encode()
"""The beginning of every line that this module writes."""
ANY_BEGINNING = b'{"format":"gubs_env '
"""The beginning of every file of records, one with a header too."""
LONGEST_NAME = 200
"""Largest number of characters of the name of an agent, or of a version."""
TOGETHER = 256
"""Largest number of games that are replayed side by side."""


class Ending(NamedTuple):
    """The outcome of a finished game."""

    payoffs: tuple[float, ...]
    """Payoffs, by seat."""
    scores: tuple[int, ...]
    """Points, by seat."""
    winners: tuple[int, ...]
    """The seats that won or share the win; none if the game was cut off or ghosts won."""


@dataclass(frozen=True, eq=False, repr=False)
class Record:
    """One game: its table, how it began, and all that was played.

    Records from `read` and `Record.of` have been replayed. A record made by hand is checked by
    `verify`, and while `env` and `replay` play it.
    """

    game: Game
    """The game that was played."""
    rules: Any
    """The `Rules` of the game."""
    start: int | Deal | np.ndarray
    """The start of the game: the seed of `reset(seed=…)`, a `Deal`, or a state, STATE[1]."""
    agents: tuple[str, ...]
    """The name of the agent in each seat."""
    actions: tuple[int, ...]
    """All actions, in order."""
    decisions: tuple[int, ...]
    """Number of decisions with more than one legal action, by seat."""
    outcome: Ending | None
    """The outcome of the game; None for a game under way."""
    version: str = gubs_env.__version__
    """The version of the package that recorded the game."""
    forfeits: tuple[int, ...] = ()
    """The seats whose agents forfeited the game, in order. From then on random moves were played
    for them, so that the record can be replayed. The arena counts the game as their loss."""

    @classmethod
    def of(cls, env: AECGame[Any], agents: Sequence[str], seed: int | None = None) -> Record:
        """Return the record of the game in an environment, which may be under way.

        Args:
            env: the environment.
            agents: the name of the agent in each seat.
            seed: the seed that `env.reset` was given; None stores the RNG before the deal, or the
                state that `set_state` was given.

        Raises:
            TypeError: for names that are not a sequence, or a seed that is not a whole number.
            ValueError: for names that are not allowed, a seed that does not deal this game, or a
                game that an illegal action ended.
            RuntimeError: before `reset`.
        """
        saved = env.saved()
        if saved.illegal_action is not None:
            raise ValueError(
                f"action {saved.illegal_action}, which is not legal, ended this game: a record "
                "holds legal actions only"
            )
        start: int | Deal | np.ndarray = saved.start
        if seed is not None:
            seed = check_number("seed", seed, 0, LARGEST)
            if not is_deal_of(seed, saved.start):
                raise ValueError(f"seed={seed}: this game does not begin as reset(seed={seed})")
            start = seed
        names = check_names(list(agents), env.num_players)
        record = cls(env.game, env.rules, start, names, tuple(saved.actions), (), None)
        return next(replayed([record], ["the game"]))

    @property
    def num_players(self) -> int:
        """The number of players at the table."""
        return len(self.agents)

    @property
    def seed(self) -> int | None:
        """The seed of `reset(seed=…)`; None if the game began in another way."""
        return self.start if isinstance(self.start, int) else None

    def __repr__(self) -> str:
        return (
            f"<Record of {self.game.name}: {', '.join(self.agents)}; seed {self.seed}, "
            f"{len(self.actions)} actions>"
        )

    def line(self) -> str:
        """Return the record as a line of JSON, with its line end; `read_line` reads it."""
        values = (
            FORMAT, self.version, self.game.name, self.rules.as_dict(), self.seed,
            self.agents, self.actions, self.decisions,
            None if self.outcome is None else self.outcome._asdict(),
        )  # fmt: skip
        found = dict(zip(KEYS, values, strict=True))
        if not isinstance(self.start, int):
            found["start"] = start_as_dict(self.start)
        if self.forfeits:
            found["forfeits"] = self.forfeits
        return line_of(found)

    def env(self, render_mode: str | None = None) -> AECGame[Any]:
        """Return the environment, `env` of the public module, after the last action.

        `log`, `view`, `state` and the other methods work as if the game had just been played, and a
        game under way can be continued.

        Raises:
            ValueError: for an action that is not legal, or a render mode that is not allowed.
        """
        return self._env(self.actions, render_mode)

    def replay(self, render_mode: str | None = None) -> Iterator[tuple[AECGame[Any], int]]:
        """Yield (environment, action) for every decision, before the action is played.

        It is the same environment every time. Asking for the next decision plays the action, also
        the last one.

        Raises:
            ValueError: as `env` does.
        """
        env = self._env((), render_mode)
        for action in self.actions:
            yield env, action
            env.unwrapped.step(action)

    def _env(self, actions: Sequence[int], render_mode: str | None) -> AECGame[Any]:
        module = import_module(f"gubs_env.{self.game.name}")
        return module.env.from_saved(self.saved(actions), render_mode)

    def saved(self, actions: Sequence[int]) -> SavedGame:
        """Return the game as `AECGame.saved` does, after some actions."""
        start = deal_of(self.start) if isinstance(self.start, int) else self.start
        return SavedGame(self.num_players, self.rules.as_dict(), start, list(actions))


def line_of(values: dict[str, Any]) -> str:
    """Return values as one line of JSON, with its line end."""
    # Rules may hold NumPy's numbers and booleans.
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"), default=np.generic.item)
    return text + "\n"


def is_deal_of(seed: int, start: Deal | np.ndarray) -> bool:
    """Return whether a game with this start is the one that `reset(seed=seed)` deals."""
    return (
        isinstance(start, Deal)
        and start.starting_player is None
        and bool((seed_rng(seed) == start.rng).all())
    )


def records_of(
    game: Game, rules: Any, seeds: Sequence[int], agents: Sequence[Sequence[str]], played: Played
) -> list[Record]:
    """Return the records of games that were played together.

    Args:
        game, rules: the table.
        seeds: the seed of each deal.
        agents: for each game, the names of the agents by seat.
        played: the games.
    """
    return [
        Record(
            game,
            rules,
            seed,
            tuple(names),
            tuple(played.actions[k]),
            tuple(played.decisions[k].tolist()),
            ending(played.payoffs[k], played.outcomes[k]),
            forfeits=played.forfeits(k),
        )
        for k, (seed, names) in enumerate(zip(seeds, agents, strict=True))
    ]


def ending(payoffs: np.ndarray, outcome: Any) -> Ending:
    """Return the outcome of a game in the form of a record.

    Args:
        payoffs: float32[num_players].
        outcome: the outcome, as `Game.outcome` returns it.
    """
    return Ending(tuple(payoffs.tolist()), tuple(outcome.scores), tuple(outcome.winners))


# --------------------------------------------------------------------------------------- reading


def read_records(path: str | Path) -> Iterator[Record]:
    """Yield the records of a file, each of which has been replayed.

    A last line that an interrupted run left incomplete is skipped. So is a first line that
    describes the run, as those of the arena and the benchmark.

    Raises:
        OSError: for a file that cannot be read.
        ValueError: for an empty file, or a line that is not the record of a game, or that its
            replay contradicts; the message has the number of the line.
    """
    for records, names in batches(read_lines(path)):
        verify(records, names)
        yield from records


def read_record(path: str | Path, number: int) -> Record:
    """Return one record of a file, after replaying it; the other games are not replayed.

    Args:
        path: the file.
        number: number of the game, counted from 0.

    Raises:
        TypeError: for a number that is not whole.
        OSError, ValueError: as for `read`, or if the file has no such game.
    """
    number = check_number("number", number, 0)
    count = 0
    for place, line in plain_lines(path):
        if count == number:
            record = read_line(line, place)
            verify([record], [place])
            return record
        count += 1
    raise ValueError(f"{path} has no game {number}: it has {count:,} games, counted from 0")


def read_lines(path: str | Path) -> Iterator[tuple[str, Record]]:
    """Yield the place of each line, for errors, and its record, without replaying it.

    Raises:
        OSError, ValueError: as for `read`, except for the errors that only a replay finds.
    """
    for place, line in plain_lines(path):
        yield place, read_line(line, place)


def plain_lines(path: str | Path) -> Iterator[tuple[str, bytes]]:
    """Yield the place of each line that should be a record, and the line as bytes.

    Raises:
        OSError: for a file that cannot be read.
        ValueError: for an empty file, or one without a complete line that does not begin as ours.
    """
    with expanded(path).open("rb") as file:
        number = 0
        while (line := file.readline(LONGEST_JSON + 1)) and not is_cut(line):
            number += 1
            if number > 1 or not is_header(line):
                yield f"{path}, line {number}", line
    if number == 0 and not (line and ANY_BEGINNING.startswith(line[: len(ANY_BEGINNING)])):
        found = f"it begins with {line[:20]!r}" if line else "it is empty"
        raise ValueError(f"{path} is no file of records: {found}")


def is_header(line: bytes) -> bool:
    """Return whether a first line describes the run that played the games: it counts them."""
    try:
        found = read_json(line, "a line")
    except ValueError:
        return False
    said = found.get("format") if isinstance(found, dict) else None
    return str(said).startswith("gubs_env ") and type(found.get("games")) is int


def is_cut(line: bytes) -> bool:
    """Return whether an interruption cut a line off: it has no line end and is not valid JSON."""
    if line.endswith(b"\n") or len(line) > LONGEST_JSON:
        return False
    try:
        read_json(line, "a line")
    except ValueError:
        return True
    return False


def read_line(line: str | bytes, place: str, game: Game | None = None) -> Record:
    """Return the record in a line after checking its form; `verify` replays the game.

    Args:
        line: the line.
        place: the file and the number of the line, for errors.
        game: the game that the record must be of; None allows any.

    Raises:
        ValueError: for a line that is not the record of a game.
    """
    try:
        return _record(read_json(line, "the record of a game"), game)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None


def _record(found: Any, game: Game | None) -> Record:
    said = found.get("format") if isinstance(found, dict) else None
    if said != FORMAT:
        raise ValueError(
            f"this is not the record of a game: its format is {shortened(said)}, not {FORMAT!r}"
        )
    optional = ["start"] * (found.get("seed", 0) is None) + ["forfeits"] * ("forfeits" in found)
    check_keys("the record", found, [*KEYS, *optional])
    game = _game_named(found["game"]) if game is None else game
    if found["game"] != game.name:
        raise ValueError(f"game is {shortened(found['game'])}, not {game.name!r}")
    names = list_of("agents", found["agents"])
    agents, rules = check_names(names, len(names)), read_rules(found["rules"], game)
    game.check_players(len(agents), rules)
    return Record(
        game,
        rules,
        _start(found, game, len(agents), rules),
        agents,
        _actions(found["actions"], game.max_decisions(len(agents), rules)),
        _wholes("decisions", found["decisions"], len(agents)),
        _ending(found["outcome"], len(agents)),
        check_name("version", found["version"]),
        _forfeits(found.get("forfeits", []), len(agents)),
    )


def _game_named(name: Any) -> Game:
    if not isinstance(name, str):
        raise ValueError(f"game must be the name of a game, not {shortened(name)}")
    return find_game(name)


def check_names(names: list[Any], num_players: int) -> tuple[str, ...]:
    """Return the names of agents; raise ValueError unless there is one for each seat."""
    if len(names) != num_players:
        raise ValueError(
            f"{len(names)} agents: give one name for each of the {num_players} players"
        )
    return tuple(check_name(f"agent {seat}", name) for seat, name in enumerate(names))


def check_name(what: str, name: Any) -> str:
    """Return a name; raise ValueError unless it is a short printable text."""
    if not (isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and name.isprintable()):
        raise ValueError(
            f"{what} is {shortened(name)}: it must be a text of 1 to {LONGEST_NAME} printable "
            "characters"
        )
    return name


def _start(found: dict[str, Any], game: Game, num_players: int, rules: Any) -> Any:
    """Return the start of a game, checked so that a game can begin with it."""
    if found["seed"] is not None:
        if not 0 <= whole("seed", found["seed"]) <= LARGEST:
            raise ValueError(f"seed is {found['seed']}: allowed are null and 0 to {LARGEST}")
        return found["seed"]
    start = read_start(found["start"], game)
    if isinstance(start, np.ndarray):
        return check_states(game, start, num_players, rules)
    player = start.starting_player
    if player is not None and not 0 <= player < num_players:
        raise ValueError(
            f"starting_player is {player}: allowed are null and 0 to {num_players - 1}"
        )
    return start


def _actions(found: Any, bound: int) -> tuple[int, ...]:
    actions, most = list_of("actions", found), min(bound, MOST_ACTIONS)
    if len(actions) > most:
        raise ValueError(f"{len(actions):,} actions: a game at this table has at most {most:,}")
    return _wholes("actions", actions, len(actions))


def _forfeits(found: Any, num_players: int) -> tuple[int, ...]:
    """Return the seats that forfeited: a replay cannot show whether that is true."""
    seats = _wholes("forfeits", found, len(list_of("forfeits", found)))
    if any(seat >= num_players for seat in seats) or list(seats) != sorted(set(seats)):
        raise ValueError(
            f"forfeits must be different seats below {num_players}, in order, not {list(seats)}"
        )
    return seats


def _wholes(name: str, found: Any, size: int) -> tuple[int, ...]:
    for number, value in enumerate(list_of(name, found, size)):
        if type(value) is not int or not 0 <= value <= LARGEST:
            raise ValueError(
                f"{name} must be whole numbers from 0 on; number {number} is {shortened(value)}"
            )
    return tuple(found)


def _ending(found: Any, num_players: int) -> Ending | None:
    """Return the outcome that a record states; a replay shows whether it is true."""
    if found is None:
        return None
    check_keys("outcome", found, Ending._fields)
    for name in Ending._fields:
        size = None if name == "winners" else num_players
        for value in list_of(name, found[name], size):
            if type(value) is not int and not (name == "payoffs" and type(value) is float):
                raise ValueError(f"{name} must be numbers, not {shortened(found[name])}")
    payoffs = tuple(float(payoff) for payoff in found["payoffs"])
    return Ending(payoffs, tuple(found["scores"]), tuple(found["winners"]))


# -------------------------------------------------------------------------------------- replaying


def batches(
    lines: Iterable[tuple[str, Record]], most: int = TOGETHER
) -> Iterator[tuple[list[Record], list[str]]]:
    """Yield lists of at most `most` records of one table, in their order, with their places."""
    for _, group in groupby(lines, lambda line: table_of(line[1])):
        for _, part in groupby(enumerate(group), lambda numbered: numbered[0] // most):
            names, records = zip(*(line for _, line in part), strict=True)
            yield list(records), list(names)


def table_of(record: Record) -> tuple[str, int, Any]:
    """Return (name of the game, number of players, rules), equal for records replayed together."""
    return record.game.name, record.num_players, record.rules


def replay_of(records: Sequence[Record], names: Sequence[str]) -> Replay:
    """Return the replay of records of one table."""
    table, starts = records[0], [record.start for record in records]
    recorded = [record.actions for record in records]
    return Replay(table.game, table.num_players, table.rules, starts, recorded, names)


def replayed(records: Sequence[Record], names: Sequence[str]) -> Iterator[Record]:
    """Yield records of one table with the decisions and outcomes of their replay.

    Raises:
        ValueError: for an action that is not legal, or actions after the end of the game.
    """
    replay = replay_of(records, names)
    replay.play()
    yield from as_played(records, replay)


def as_played(records: Sequence[Record], replay: Replay) -> Iterator[Record]:
    """Yield records with the decisions and outcomes of `replay`, which has been played."""
    for index, record in enumerate(records):
        payoffs, over = replay.payoffs[index], replay.is_over(index)
        yield replace(
            record,
            decisions=tuple(replay.decisions[index].tolist()),
            outcome=ending(payoffs, replay.env.outcome(index)) if over else None,
        )


def verify(records: Sequence[Record], names: Sequence[str]) -> None:
    """Check records of one table by replaying them.

    Args:
        records: the records.
        names: the names of the games in errors.

    Raises:
        ValueError: if an action is not legal, or a game does not end as its record says.
    """
    for record, again, name in zip(records, replayed(records, names), names, strict=True):
        compare(record, again, name)


def compare(record: Record, again: Record, name: str) -> None:
    """Raise ValueError unless a record agrees with `again`, its replay; `name` is for errors."""
    if record.outcome is not None and again.outcome is None:
        raise ValueError(
            f"{name}: the actions end before the game does; the outcome of a game under way is null"
        )
    for key in ("decisions", "outcome"):
        told, true = _plain(getattr(record, key)), _plain(getattr(again, key))
        if told != true:
            raise ValueError(
                f"{name}: {key} {json.dumps(told)} contradict the replay of the actions, which "
                f"gives {json.dumps(true)}"
            )


def _plain(value: Any) -> Any:
    return value._asdict() if isinstance(value, Ending) else value


def move_begun(moves: Sequence[Move], actions: Sequence[int]) -> int | None:
    """Return the index of the legal move that some actions begin with.

    Args:
        moves: the legal moves at a decision that begins a move.
        actions: the actions of the game from that decision on.

    Returns:
        The index; None for a move that was not completed, because the game is under way.
    """
    for index, move in enumerate(moves):
        if tuple(actions[: len(move.picks)]) == move.picks:
            return index
    return None
