"""Agents play the games that they played when `recorded_games.json` was written, move by move.

The file holds a hash for each deal of a small tournament. It was recorded before games and agents
moved into rooms of their own, and must change only with the rules or with what an agent plays.
`python -m tests.agents.test_recorded_games` writes it anew.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("choix", reason="the arena extra is not installed")

from gubs_agents import arena

FILE = Path(__file__).parent / "recorded_games.json"
RECORDED = json.loads(FILE.read_text())


def hashes(game: str, folder: Path) -> dict[str, str]:
    """A hash of all games of each deal: who sat where, every action, and how they ended."""
    settings = {name: RECORDED[name] for name in ("deals", "matches")}
    arena.tournament(RECORDED["agents"], game, out=folder, resamples=1, **settings)
    _, records = arena.load(folder / "games.jsonl")
    deals: dict[str, hashlib._Hash] = {}
    for record in records:
        kept = [record[name] for name in ("seating", "actions", "scores", "winners", "payoffs")]
        deals.setdefault(str(record["deal"]), hashlib.sha256()).update(json.dumps(kept).encode())
    return {deal: digest.hexdigest() for deal, digest in deals.items()}


@pytest.mark.parametrize("game", RECORDED["games"])
def test_the_recorded_games_are_played_again(game, tmp_path):
    assert hashes(game, tmp_path) == RECORDED["games"][game]


if __name__ == "__main__":
    for name in RECORDED["games"]:
        with tempfile.TemporaryDirectory() as scratch:
            RECORDED["games"][name] = hashes(name, Path(scratch))
    FILE.write_text(json.dumps(RECORDED, indent=2) + "\n")
