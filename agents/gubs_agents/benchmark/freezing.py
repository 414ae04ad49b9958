"""Freezing a protocol: writes the fingerprints of its anchors and the scales of its tasks."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from gubs_agents.benchmark.anchors import fingerprint, sha256_of_weights
from gubs_agents.benchmark.plan import Plan
from gubs_agents.benchmark.protocol import FOLDER, Protocol, Task, Track, track_of
from gubs_agents.benchmark.results import results_of
from gubs_env.agents.registry import parse_agent
from gubs_env.engine.border import read_json
from gubs_env.records.running import Workers, run
from gubs_env.support.cluster import LOCAL
from gubs_env.support.files import replace_file

SCALE = ("random", "heuristic")
"""The agents that have the scores 0 and 100."""


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


def write_frozen(name: str) -> None:
    """Freeze a protocol in its file."""
    replace_file(FOLDER / f"{name}.json", json.dumps(freeze(name), indent=2) + "\n")
