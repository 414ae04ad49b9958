"""Protocols: the tasks, deals, anchors and limits of a benchmark, read from a frozen JSON file.

docs/benchmark_details.md describes the keys of the file, and says what changes its version.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from gubs_env import find_table
from gubs_env.agents.registry import Named
from gubs_env.engine.border import read_json
from gubs_env.engine.table import Table
from gubs_env.support.files import folder_of

FORMAT = "gubs_env benchmark protocol 1"
FOLDER = folder_of("gubs_agents.benchmark", "protocols")
WEIGHTS = folder_of("gubs_agents.benchmark", "weights")
"""The networks of anchors. They are copies, so that a newer shipped network changes no protocol."""
CURRENT = "1"
"""The protocol that is played by default."""
AGENT = "agent"
"""The name of the benchmarked agent in the records of its games.

The RNGs of the seats depend on the names in them. With one name for all agents, nobody can try
names until the draws are lucky.
"""


@dataclass(frozen=True)
class Anchor:
    """An opponent that plays the same in all runs of a protocol."""

    name: str
    """The name of a registered agent."""
    moves: str
    """The fingerprint of its play in this task (`anchors.fingerprint`)."""
    weights: str = ""
    """The file of its network in the folder `weights`; "" for an agent without one."""
    sha256: str = ""
    """The SHA-256 of that file."""

    @property
    def factory(self) -> Named:
        """The factory of the anchor."""
        weights = {"weights": str(WEIGHTS / self.weights)} if self.weights else {}
        return Named(self.name, weights)


@dataclass(frozen=True)
class Task:
    """A task of a track: what is played, at which table, against whom, and how often."""

    name: str
    """The name of the task, such as "gubs-2"."""
    table: Table
    """The game, the number of players and the rules."""
    anchors: tuple[Anchor, ...]
    """The anchors. Against each of them, every deal is played once from every side."""
    first_deal: int
    """Seed of the first deal."""
    deals: int
    """Number of deals."""
    scale: tuple[float, float]
    """The mean win rates of the agents `random` and `heuristic` at this task: the scores 0 and
    100."""

    @property
    def fair(self) -> float:
        """The win rate of an agent that plays as well as its opponents."""
        return 1 / self.table.num_sides

    @property
    def gap(self) -> float:
        """The distance between the scores 0 and 100, as a normalised win rate: the task's weight.

        The normalised win rate is (w − f) / (1 − f) for a win rate w and a fair share f.
        """
        return (self.scale[1] - self.scale[0]) / (1 - self.fair)

    @property
    def num_games(self) -> int:
        """Number of games of this task."""
        return self.deals * self.table.num_sides * len(self.anchors)


@dataclass(frozen=True)
class Track:
    """One way to play a protocol: its tasks, each with its deals and anchors."""

    name: str
    """The name of the track: "standard" or "language"."""
    batch: int
    """Number of games that are played side by side by one copy of the agent."""
    seconds: float
    """The most seconds that an agent may take for a decision, on average over the games that are
    played side by side."""
    tasks: tuple[Task, ...]
    """The tasks, in the order in which they are played."""


@dataclass(frozen=True)
class Protocol:
    """A frozen protocol."""

    name: str
    """Its version, such as "1"; "tiny" is for tests."""
    sha256: str
    """The SHA-256 of its contents."""
    tracks: tuple[Track, ...]
    """The tracks."""

    def track(self, name: str) -> Track:
        """Return a track; raise ValueError for one that the protocol does not have."""
        return picked(self.tracks, name, "track")


def picked(parts: Iterable[Any], name: str, what: str) -> Any:
    """Return the part with a name; raise ValueError, with the names there are, if there is none."""
    by_name = {part.name: part for part in parts}
    if name not in by_name:
        raise ValueError(f"{what} {name!r}: allowed are {', '.join(by_name)}")
    return by_name[name]


def protocols() -> list[str]:
    """Return the names of all protocols."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


@cache
def load(name: str = CURRENT) -> Protocol:
    """Return a protocol of this package.

    Raises:
        ValueError: for a name that is none of `protocols()`.
    """
    if name not in protocols():
        raise ValueError(f"protocol {name!r}: allowed are {', '.join(protocols())}")
    contents = read_json((FOLDER / f"{name}.json").read_bytes(), "a protocol")
    tracks = tuple(track_of(contents, track) for track in contents["tracks"])
    return Protocol(name, sha256_of(contents), tracks)


def sha256_of(contents: Any) -> str:
    """Return the SHA-256 of JSON values, which their layout in a file does not change."""
    text = json.dumps(contents, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def track_of(contents: dict[str, Any], name: str) -> Track:
    """Return a track of a protocol's file."""
    track = contents["tracks"][name]
    tasks = []
    for label, played in track["tables"].items():
        at = contents["tables"][label]
        table = find_table(at["game"], at["players"], at["rules"])
        known = [each for each in track["anchors"] if each in at["anchors"]]
        anchors = tuple(Anchor(each, **at["anchors"][each]) for each in known)
        low, high = played["scale"]
        tasks.append(
            Task(label, table, anchors, played["first_deal"], played["deals"], (low, high))
        )
    return Track(name, track["batch"], track["seconds"], tuple(tasks))
