"""Agents play the games that they played when `recorded_games.json` was written, move by move.

The file holds a hash for each deal of a small tournament. It was recorded before games and agents
moved into rooms of their own, and must change only with the rules or with what an agent plays.
`python -m tests.agents.test_recorded_games` writes it anew.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

pytest.importorskip("choix", reason="the arena extra is not installed")

from gubs_agents.arena.tournament import FIRST_DEAL, make_plan, play_chunk

FILE = Path(__file__).parent / "recorded_games.json"
RECORDED = json.loads(FILE.read_text())


def hashes(game: str) -> dict[str, str]:
    """A hash of all games of each deal: who sat where, every action, and how they ended."""
    deals, matches = RECORDED["deals"], RECORDED["matches"]
    plan = make_plan(RECORDED["agents"], game, None, deals, None, FIRST_DEAL, matches)
    found: dict[str, hashlib._Hash] = {}
    for record in map(json.loads, play_chunk(plan, 0, plan.num_games).lines):
        kept = [record[name] for name in ("seating", "actions", "scores", "winners", "payoffs")]
        found.setdefault(str(record["deal"]), hashlib.sha256()).update(json.dumps(kept).encode())
    return {deal: digest.hexdigest() for deal, digest in found.items()}


@pytest.mark.parametrize("game", RECORDED["games"])
def test_the_recorded_games_are_played_again(game):
    assert hashes(game) == RECORDED["games"][game]


if __name__ == "__main__":
    for name in RECORDED["games"]:
        RECORDED["games"][name] = hashes(name)
    FILE.write_text(json.dumps(RECORDED, indent=2) + "\n")
