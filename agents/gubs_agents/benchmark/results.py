"""The result of a benchmark: a JSON file with the numbers, and all games beside it.

The games of `NAME.json` are in `NAME.jsonl.gz`: the line that describes the run, then the record of
each game. Either file may come from anywhere: docs/benchmark_details.md lists the checks.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from reprlib import repr as shortened
from typing import Any
from urllib.parse import urlsplit

import numpy as np

import gubs_env
from gubs_agents.benchmark.plan import BENCHMARK_FORMAT, Plan
from gubs_agents.benchmark.protocol import AGENT, Task
from gubs_agents.benchmark.scoring import Estimate, TaskResult, task_result, total
from gubs_agents.deals import FRESH_DEALS
from gubs_env.engine.border import read_json
from gubs_env.records.record import Record
from gubs_env.records.running import Finished, Time
from gubs_env.support.fields import (
    NUMBER,
    TEXT,
    WHOLE,
    Kind,
    check_fields,
    check_name,
    named,
    or_null,
    row,
)
from gubs_env.support.files import expanded, line_of, replace_file

RESULT_FILE = "result.json"
LONGEST_RESULT = 1_000_000
"""The most bytes of the JSON file that are read."""
DIGITS = 6
"""Number of decimal places of the numbers in the file."""


ESTIMATE = row(NUMBER, NUMBER, NUMBER, words="[number, lower end, upper end]")
RESULT = {
    "format": TEXT,
    "protocol": TEXT,
    "protocol_sha256": TEXT,
    "track": TEXT,
    "agent": TEXT,
    "made_by": TEXT,
    "author": TEXT,
    "link": TEXT,
    "versions": named(TEXT, "an object of texts"),
    "machine": TEXT,
    "games": WHOLE,
    "games_sha256": TEXT,
    "tables": Kind(lambda value: type(value) is list and 0 < len(value) <= 100, "a list of tables"),
    "score": or_null(ESTIMATE),
}
TABLE = {
    "table": TEXT,
    "games": WHOLE,
    "forfeits": WHOLE,
    "against": named(ESTIMATE, "an object of [number, lower end, upper end]"),
    "win_rate": ESTIMATE,
    "score": ESTIMATE,
    "decisions": WHOLE,
    "seconds": NUMBER,
    "usage": named(NUMBER, "an object of numbers"),
}
FRESH = {
    "fresh": Kind(
        lambda value: type(value) is int and value in FRESH_DEALS,
        f"a whole number from {FRESH_DEALS.start} to {FRESH_DEALS.stop - 1}",
    )
}
"""The key of a result on fresh deals, which others lack."""


@dataclass(frozen=True)
class Result:
    """The result of a run."""

    plan: Plan
    """The agent, the protocol and the tasks."""
    tasks: tuple[TaskResult, ...]
    """The results of each task."""
    done: Finished
    """All games, and the times of the agent."""
    author: str = ""
    """Who submits the result."""
    link: str = ""
    """A page about the agent; "" for none."""

    @property
    def score(self) -> Estimate | None:
        """The score; None if the agent played some of the tasks only."""
        played = len(self.tasks) == len(self.plan.track.tasks)
        return total(self.tasks) if played else None

    def games_text(self) -> str:
        """Return the file of games: the line that describes the run, and all records."""
        return line_of(self.plan.header()) + "".join(map(Record.line, self.done.records))

    def time_of(self, task: Task) -> Time:
        """Return the time that the agent took for a task, and what it used to answer in text."""
        series = self.plan.series_of(task)
        return self.done.time_of(AGENT, series[0].first, series[-1].stop)

    def as_dict(self) -> dict[str, Any]:
        """Return the contents of the JSON file."""
        plan = self.plan
        return {
            "format": BENCHMARK_FORMAT,
            "protocol": plan.protocol.name,
            "protocol_sha256": plan.protocol.sha256,
            "track": plan.track.name,
            "agent": plan.name,
            "made_by": plan.made_by,
            "author": self.author,
            "link": self.link,
            "versions": {
                "python": platform.python_version(),
                "gubs_env": gubs_env.__version__,
                "numpy": np.__version__,
                "numba": version("numba"),
            },
            "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            "games": plan.num_games,
            "games_sha256": hashlib.sha256(self.games_text().encode()).hexdigest(),
            "tables": [self.task_as_dict(result) for result in self.tasks],
            "score": None if self.score is None else rounded(self.score),
        } | ({"fresh": plan.fresh} if plan.fresh else {})

    def task_as_dict(self, result: TaskResult) -> dict[str, Any]:
        """Return the results of a task as they stand in the JSON file."""
        time = self.time_of(result.task)
        return {
            **computed(result),
            "decisions": time.decisions,
            "seconds": round(time.seconds, 3),
            "usage": dict(time.usage),
        }

    def save(self, path: str | Path) -> None:
        """Write the JSON file, and the games beside it.

        Raises:
            OSError: if a file cannot be written.
        """
        path = expanded(path)
        replace_file(games_file(path), self.games_text())
        replace_file(path, json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n")


def rounded(estimate: Estimate) -> list[float]:
    """Return an estimate as it stands in the JSON file."""
    return [round(number, DIGITS) for number in estimate]


def computed(result: TaskResult) -> dict[str, Any]:
    """Return those results of a task that follow from its games."""
    return {
        "table": result.task.name,
        "games": result.task.num_games,
        "forfeits": result.forfeits,
        "against": {name: rounded(each) for name, each in result.against.items()},
        "win_rate": rounded(result.rate),
        "score": rounded(result.score),
    }


def results_of(plan: Plan, records: Sequence[Record]) -> tuple[TaskResult, ...]:
    """Return the results of all tasks of a plan, from its games."""
    return tuple(task_result(plan.series_of(task), records) for task in plan.tasks)


def games_file(path: str | Path) -> Path:
    """Return the path of the games that belong to a JSON file."""
    return expanded(path).with_suffix(".jsonl.gz")


def check_author(author: str, link: str) -> None:
    """Raise ValueError unless author and link are short texts, and the link one of the web."""
    if author:
        check_name("author", author)
    if link:
        check_name("link", link)
        if urlsplit(link).scheme not in ("http", "https") or set(link) & set(" <>()[]|\"'`\\"):
            raise ValueError(
                f"link is {shortened(link)}: it must begin with http:// or https:// and hold no "
                "blanks, quotation marks, brackets, | or \\"
            )


def read_result(path: str | Path) -> dict[str, Any]:
    """Return the contents of a JSON file after checking its form; `verify` checks what it says.

    Raises:
        OSError: for a file that cannot be read.
        ValueError: for a file that is not the result of a benchmark.
    """
    path = expanded(path)
    with path.open("rb") as file:
        data = file.read(LONGEST_RESULT + 1)
    if len(data) > LONGEST_RESULT:
        raise ValueError(f"{path} has more than {LONGEST_RESULT:,} bytes")
    try:
        result = read_json(data, "the result of a benchmark")
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    form = result.get("format") if isinstance(result, Mapping) else None
    if form != BENCHMARK_FORMAT:
        raise ValueError(
            f"{path} is not the result of a benchmark: its format is {shortened(form)}, not "
            f"{BENCHMARK_FORMAT!r}"
        )
    check_fields(result, RESULT, str(path), FRESH)
    for table in result["tables"]:
        check_fields(table, TABLE, f"{path}, tables")
    names = [result["agent"], result["made_by"], result["machine"], *result["versions"].values()]
    for name in [*names, *result["versions"]]:
        check_name(f"{path}: a name", name)
    check_author(result["author"], result["link"])
    return result
