"""Records of games: one line of JSON for each game, from which it can be replayed.

>>> import gubs_env
>>> path = gubs_env.record("games.jsonl", "random", games=2)  # doctest: +SKIP
>>> for record in gubs_env.read_records(path):  # doctest: +SKIP
...     print(record.agents, record.outcome.payoffs)
...     print(record.env().describe("player_0"))

A file of records may come from anywhere, so `read` replays every game, with all checks of the
rules, before it yields its record. docs/reference/record_line.md describes the keys of a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from reprlib import repr as shortened
from typing import Any

from gubs_env.api.aec import AECGame
from gubs_env.api.checked import checked_class
from gubs_env.api.saved import FORMAT, Deal, SavedGame, check_names, compare, ending, read_form
from gubs_env.engine.border import read_json
from gubs_env.engine.game import Game
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.table import Table
from gubs_env.games import find_game, public_module
from gubs_env.records.playing import Played, Replay
from gubs_env.support.checks import LARGEST, check_number
from gubs_env.support.files import numbered_lines

BEGINNING = f'{{"format":"{FORMAT}",'.encode()
"""The beginning of every line that this module writes."""
ANY_BEGINNING = b'{"format":"gubs_env '
"""The beginning of every file of records, one with a header too."""
PERSON = "person"
"""The name of a person among the agents of a record."""
TOGETHER = 256
"""Largest number of games that are replayed side by side."""


@dataclass(frozen=True, eq=False, repr=False)
class Record(SavedGame):
    """The record of a game: its table, how it began, and all that was played.

    Records from `read_records` and `Record.of` have been replayed. A record made by hand is checked
    by `replayed`, and while `env` and `replay` play it. The names of `env.to_json()` are those of
    PettingZoo's agents.
    """

    def __post_init__(self) -> None:
        if self.illegal_action is not None:
            raise ValueError(
                f"action {self.illegal_action}, which is not legal, ended this game: a record in a "
                "file of games holds legal actions only"
            )

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
        start = saved.start
        if seed is not None:
            seed = check_number("seed", seed, 0, LARGEST)
            rng = start.rng if isinstance(start, Deal) and start.starting_player is None else None
            if rng is None or (seed_rng(seed) != rng).any():
                raise ValueError(f"seed={seed}: this game does not begin as reset(seed={seed})")
            start = seed
        names = check_names(list(agents), env.num_players)
        return cls(**vars(saved) | {"start": start, "agents": names, "gone": 0})

    def __repr__(self) -> str:
        return (
            f"<Record of {self.table.game.name}: {', '.join(self.agents)}; seed {self.seed}, "
            f"{len(self.actions)} actions>"
        )

    def env(self, render_mode: str | None = None) -> AECGame[Any]:
        """Return the environment after the last action, `env` of the public module if there is one.

        `log`, `view`, `state` and the other methods work as if the game had just been played, and a
        game under way can be continued.

        Raises:
            ValueError: for an action that is not legal, or a render mode that is not allowed.
        """
        return self._env_class().from_saved(self, render_mode)

    def replay(self, render_mode: str | None = None) -> Iterator[tuple[AECGame[Any], int]]:
        """Yield (environment, action) for every decision, before the action is played.

        It is the same environment every time. Asking for the next decision plays the action, also
        the last one.

        Raises:
            ValueError: as `env` does.
        """
        env = self._env_class().from_saved(replace(self, actions=(), gone=0), render_mode)
        for action in self.actions:
            yield env, action
            env.unwrapped.step(action)

    def _env_class(self) -> type[AECGame[Any]]:
        try:
            module: Any = public_module(self.table.game.name)
        except ValueError:  # a game of this program, which has no module
            return checked_class(self.table.game)
        return module.env if module.GAME is self.table.game else checked_class(self.table.game)


def records_of(
    table: Table, seeds: Sequence[int], agents: Sequence[Sequence[str]], played: Played
) -> list[Record]:
    """Return the records of games that were played together.

    Args:
        table: their table.
        seeds: the seed of each deal.
        agents: for each game, the names of the agents by seat.
        played: the games.
    """
    return [
        Record(
            table,
            seed,
            tuple(names),
            tuple(played.actions[k]),
            tuple(played.decisions[k].tolist()),
            ending(played.payoffs[k], played.outcomes[k]),
            forfeits=played.forfeits(k),
        )
        for k, (seed, names) in enumerate(zip(seeds, agents, strict=True))
    ]


# --------------------------------------------------------------------------------------- reading


def read_records(path: str | Path) -> Iterator[Record]:
    """Yield the records of a file, each of which has been replayed.

    A last line that an interrupted run left incomplete is skipped. So are blank lines, and a first
    line that describes the run, as those of the arena and the benchmark. The file may be
    compressed with gzip.

    Raises:
        OSError: for a file that cannot be read.
        ValueError: for an empty file, or a line that is not the record of a game, or that its
            replay contradicts; the message has the number of the line.
    """
    for records, names in batches(read_lines(path)):
        yield from replayed(records, names)


def read_record(path: str | Path, number: int) -> Record:
    """Return one record of a file, after replaying it; the other games are not replayed.

    Args:
        path: the file.
        number: number of the game, counted from 0.

    Raises:
        TypeError: for a number that is not whole.
        OSError, ValueError: as for `read`, or if the file has no such game.
    """
    number, count = check_number("number", number, 0), 0
    for count, (place, line) in enumerate(plain_lines(path), start=1):
        if count > number:
            return replayed([read_line(line, place)], [place])[0]
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
    is_first, line = True, b""
    for number, line in numbered_lines(path):
        if is_cut(line):
            break
        if not (is_first and is_header(line)):
            yield f"{path}, line {number}", line
        is_first = False
    if is_first and not (line and ANY_BEGINNING.startswith(line[: len(ANY_BEGINNING)])):
        reason = f"it begins with {line[:20]!r}" if line else "it is empty"
        raise ValueError(f"{path} is no file of records: {reason}")


def is_header(line: bytes) -> bool:
    """Return whether a first line describes the run that played the games: it counts them."""
    header = _parsed(line)
    form = header.get("format") if isinstance(header, dict) else None
    return str(form).startswith("gubs_env ") and type(header.get("games")) is int


def is_cut(line: bytes) -> bool:
    """Return whether an interruption cut a line off: it has no line end and is not valid JSON."""
    return not line.endswith(b"\n") and _parsed(line) is NotImplemented


def _parsed(line: bytes) -> Any:
    """Return the value of a line of JSON; NotImplemented for a line that is none."""
    try:
        return read_json(line, "a line")
    except ValueError:
        return NotImplemented


def read_line(line: str | bytes, place: str, game: Game | None = None) -> Record:
    """Return the record in a line after checking its form; `replayed` plays the game.

    Args:
        line: the line.
        place: the file and the number of the line, for errors.
        game: the game that the record must be of; None allows any.

    Raises:
        ValueError: for a line that is not the record of a game.
    """
    try:
        saved = read_form(line)
        return Record.read(saved, _game_named(saved["game"]) if game is None else game)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None


def _game_named(name: Any) -> Game:
    if not isinstance(name, str):
        raise ValueError(f"game must be the name of a game, not {shortened(name)}")
    return find_game(name)


# -------------------------------------------------------------------------------------- replaying


def batches(
    lines: Iterable[tuple[str, Record]], most: int = TOGETHER
) -> Iterator[tuple[list[Record], list[str]]]:
    """Yield lists of at most `most` records of one table, in their order, with their places."""
    for _, group in groupby(lines, lambda line: line[1].table):
        for _, part in groupby(enumerate(group), lambda numbered: numbered[0] // most):
            names, records = zip(*(line for _, line in part), strict=True)
            yield list(records), list(names)


def replay_of(records: Sequence[Record], names: Sequence[str]) -> Replay:
    """Return the replay of records of one table."""
    starts, actions = [each.start for each in records], [each.actions for each in records]
    return Replay(records[0].table, starts, actions, names)


def replayed(records: Sequence[Record], names: Sequence[str]) -> list[Record]:
    """Replay records of one table, and return them as `as_played` does.

    Raises:
        ValueError: for an action that is not legal, actions after the end of the game, or a game
            that does not end as its record says.
    """
    replay = replay_of(records, names)
    replay.play()
    return as_played(records, replay)


def as_played(records: Sequence[Record], replay: Replay) -> list[Record]:
    """Return records with the decisions and outcomes of `replay`, which has been played.

    Raises:
        ValueError: if they are not those of the records.
    """
    played = []
    for index, record in enumerate(records):
        payoffs, over = replay.payoffs[index], replay.is_over(index)
        again = replace(
            record,
            decisions=tuple(replay.decisions[index].tolist()),
            outcome=ending(payoffs, replay.env.outcome(index)) if over else None,
        )
        compare(record, again, replay.names[index])
        played.append(again)
    return played
