"""The anchors of a protocol: what is written when it is frozen, and checks that they still play so.

An anchor is identified by what it plays, not by its source: an edit of a docstring changes nothing,
and an edit of whatever decides its moves, in any module, does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from gubs_agents.benchmark.plan import Plan
from gubs_agents.benchmark.protocol import FOLDER, WEIGHTS, Anchor, Protocol, Task, Track, track_of
from gubs_agents.benchmark.results import results_of
from gubs_agents.deals import PROTOCOL_DEALS
from gubs_agents.networks.files import description_of
from gubs_agents.networks.network import FORMAT
from gubs_env.agents.registry import parse_agent
from gubs_env.engine.border import read_json
from gubs_env.engine.table import Table
from gubs_env.records.running import PlannedGames, Workers, play_planned, run
from gubs_env.support.cluster import LOCAL

GAMES = 16
"""Number of games in a fingerprint."""
DIGITS = 32
"""Number of hexadecimal digits of a fingerprint."""
SCALE = ("random", "heuristic")
"""The agents that have the scores 0 and 100."""


def fingerprint(anchor: Anchor, table: Table) -> str:
    """Return a hash of the moves of an anchor in GAMES games of a table.

    In every other game it plays all seats. In the others it plays one side against `random`.
    """
    side = np.arange(GAMES) // 2 % table.num_sides
    alone = np.arange(GAMES) % 2 == 1
    seatings = np.where(alone[:, None] & (table.sides != side[:, None]), 1, 0)
    field = {"anchor": anchor.factory, "random": parse_agent("random")}
    deals = PROTOCOL_DEALS.start + np.arange(GAMES)
    played = play_planned(PlannedGames(table, deals, seatings, field=field))
    moves = json.dumps([record.actions for record in played.records])
    return hashlib.sha256(moves.encode()).hexdigest()[:DIGITS]


def sha256_of_weights(anchor: Anchor) -> str:
    """Return the SHA-256 of the weights of an anchor's network; "" for an anchor without one."""
    if not anchor.weights:
        return ""
    return str(description_of(WEIGHTS / anchor.weights, FORMAT)["sha256"])


def check_anchors(protocol: str, tasks: Iterable[Task]) -> None:
    """Check all anchors of some tasks.

    Args:
        protocol: the name of the protocol, for the error.
        tasks: the tasks.

    Raises:
        ValueError: for an anchor whose network or moves are not those of the protocol.
    """
    for task in tasks:
        for anchor in task.anchors:
            where = f"anchor {anchor.name!r} of table {task.name} in protocol {protocol}"
            for what, now, frozen in (
                ("its network has the SHA-256", sha256_of_weights(anchor), anchor.sha256),
                ("its moves have the fingerprint", fingerprint(anchor, task.table), anchor.moves),
            ):
                if now != frozen:
                    raise ValueError(
                        f"{where} plays otherwise than when the protocol was frozen: {what} "
                        f"{now}, the protocol has {frozen}; install the version of gubs_env "
                        "that the protocol was published with, or play a newer protocol"
                    )


def freeze(name: str) -> dict[str, Any]:
    """Return the contents of a protocol's file with its anchors and scales filled in."""
    contents = read_json((FOLDER / f"{name}.json").read_bytes(), "a protocol")
    for track_name, part in contents["tracks"].items():
        track = track_of(contents, track_name)
        for task in track.tasks:
            for anchor in task.anchors:
                frozen = contents["tables"][task.name]["anchors"][anchor.name]
                frozen["moves"] = fingerprint(anchor, task.table)
                if anchor.weights:
                    frozen["sha256"] = sha256_of_weights(anchor)
            scale = [win_rate(agent, name, track, task) for agent in SCALE]
            if scale[0] >= scale[1]:
                raise ValueError(f"table {task.name}: {SCALE} win {scale}: play more deals")
            part["tables"][task.name]["scale"] = scale
    return contents


def win_rate(agent: str, name: str, track: Track, task: Task) -> float:
    """Return the mean win rate of an agent in a task of a protocol."""
    plain = replace(task, scale=(0.0, 1.0))
    plan = Plan(Protocol(name, "", (track,)), track, (plain,), agent, parse_agent(agent), agent)
    done = run(plan, None, False, Workers(LOCAL, 1, track.batch))
    return results_of(plan, done.records)[0].rate.value
