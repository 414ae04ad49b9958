"""Golden hashes of whole games, equal on every platform and for every version of NumPy.

Some seeded games are played at random at every table below. For each table `golden.json` stores
SHA-256 of the bytes of each part of these games (actors, actions, masks, rewards, observations),
a short hash of each part for each game, and a chain of one byte a decision, which says from which
decision on a game differs. The actions are drawn by the engine's own RNG.

`python -m tests.games.golden` writes the file again after an intended change, and says which parts
of which tables have changed.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.games.case import Case
from tests.games.cases import OURS

FILE = Path(__file__).parent / "golden.json"
NUM_GAMES = 3
SEED = 2026
PARTS = {"actors": "<i8", "actions": "<i8", "masks": "<i1", "rewards": "<f4", "observations": "<i1"}
"""The parts of a game, each with the dtype whose bytes are hashed."""
PLAY = tuple(part for part in PARTS if part != "observations")
"""The parts that the rules alone decide."""
CHAINS = {"play": PLAY, "observations": ("observations",)}
"""The parts that each chain of bytes is about."""

Hashes = dict[str, Any]
"""The stored facts about a table: `sha256` of each part, and for each of its `games` a hash of each
part and the chains."""


class Decision(NamedTuple):
    """One decision of a game: its bytes by part, and what was chosen by whom, in words."""

    parts: dict[str, bytes]
    words: str


def tables(case: Case) -> list[str]:
    """Return the names of the tables of a game: all sizes, and every option at one size at least.

    The tables of FUBNUB are listed one by one; those of the other games are sizes times options.
    """
    if case.game.name == "fubnub_v0":
        return list(case.tables)
    return [name for name in case.tables if "rules proper" in name or name.startswith("3 ")]


def play(case: Case, table: str) -> list[list[Decision]]:
    """Play the games of a table; return the decisions of each."""
    games = case.games(NUM_GAMES, *case.tables[table], seed=SEED)
    played: list[list[Decision]] = [[] for _ in range(NUM_GAMES)]
    while games.under_way.any():
        before = [array.copy() for array in (games.actors, games.masks, games.observations)]
        games.random_step()
        actors, masks, observations = before
        arrays = {"actors": actors, "actions": games.actions, "masks": masks}
        arrays |= {"rewards": games.rewards, "observations": observations}
        for index in np.flatnonzero(actors >= 0).tolist():
            action = games.table.action_name(int(games.actions[index]))
            parts = {part: arrays[part][index].astype(PARTS[part]).tobytes() for part in PARTS}
            played[index].append(Decision(parts, f"player_{actors[index]} {action}"))
    return played


def chain(decisions: list[Decision], parts: tuple[str, ...]) -> bytes:
    """Return one byte a decision; each depends on all decisions up to it."""
    link, links = b"", bytearray()
    for decision in decisions:
        link = hashlib.sha256(link + b"".join(decision.parts[part] for part in parts)).digest()
        links.append(link[0])
    return bytes(links)


def hashes(played: list[list[Decision]]) -> Hashes:
    """Return what is stored of the games of a table."""
    whole, games = {part: hashlib.sha256() for part in PARTS}, []
    for decisions in played:
        of_game = {part: b"".join(decision.parts[part] for decision in decisions) for part in PARTS}
        for part, content in of_game.items():
            whole[part].update(content)
        short = {part: hashlib.sha256(each).hexdigest()[:12] for part, each in of_game.items()}
        chains = {
            name: base64.b64encode(chain(decisions, parts)).decode()
            for name, parts in CHAINS.items()
        }
        games.append({"hashes": short, "chains": chains})
    return {"sha256": {part: each.hexdigest() for part, each in whole.items()}, "games": games}


def recorded() -> dict[str, dict[str, Hashes]]:
    """Return the hashes stored in the file, by game and table."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def expected_of(case: Case, table: str) -> Hashes:
    """Return the hashes stored of one table; AssertionError if there are none."""
    stored = recorded().get(case.game.name, {}).get(table)
    assert stored, "nothing is recorded for this table: run `python -m tests.games.golden`"
    return stored


def changed(expected: Hashes, found: Hashes) -> list[str]:
    """Return the parts in which the games of a table differ."""
    return [part for part in PARTS if expected["sha256"][part] != found["sha256"][part]]


def diagnosis(expected: Hashes, played: list[list[Decision]], chain_name: str) -> str:
    """Return the first game and decision that differ in the parts of a chain; empty if none do."""
    found, parts = hashes(played), CHAINS[chain_name]
    if not set(parts) & set(changed(expected, found)):
        return ""
    for index, (was, now) in enumerate(zip(expected["games"], found["games"], strict=True)):
        differing = [part for part in parts if was["hashes"][part] != now["hashes"][part]]
        if differing:
            old, new = (base64.b64decode(each["chains"][chain_name]) for each in (was, now))
            same = [a == b for a, b in zip(old, new, strict=False)]
            decision = same.index(False) if False in same else len(same)
            words = [each.words for each in played[index]]
            here = f" ({words[decision]})" if decision < len(words) else ""
            lengths = f"; it has {len(new)} decisions, not {len(old)}"
            return (
                f"game {index} (seed {SEED + index}) differs in {', '.join(differing)} from "
                f"decision {decision}{here} on{lengths if len(old) != len(new) else ''}"
            )
    return f"{', '.join(parts)} differ, and no single game does: the file is damaged"


def every_table() -> Iterator[tuple[Case, str]]:
    """Yield the case and the name of each table."""
    for case in OURS:
        for table in tables(case):
            yield case, table


def write() -> None:
    """Write the file anew, and print the parts that have changed."""
    before = recorded() if FILE.exists() else {}
    after: dict[str, dict[str, Hashes]] = {}
    for case, table in every_table():
        found = after.setdefault(case.game.name, {})[table] = hashes(play(case, table))
        was = before.get(case.game.name, {}).get(table)
        if parts := changed(was, found) if was else ["new"]:
            print(f"{case.game.name}, {table}: {', '.join(parts)}")
    FILE.write_text(json.dumps(after, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
