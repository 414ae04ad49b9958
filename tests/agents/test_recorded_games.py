"""Agents play the recorded games again, move by move.

`recorded_games.json` holds a hash for each deal of a small tournament. It may change only when the
rules or the play of an agent change; then `python -m tests.agents.test_recorded_games` writes it
again.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

pytest.importorskip("choix", reason="the arena extra is not installed")

from gubs_agents.arena.options import PlayOptions
from gubs_agents.arena.plan import make_plan
from gubs_agents.deals import REPORT_DEALS
from gubs_env.records.running import play_span

FILE = Path(__file__).parent / "recorded_games.json"
RECORDED = json.loads(FILE.read_text())


def hashes(game: str) -> dict[str, str]:
    """Return a hash of all games of each deal: their seatings, actions and results."""
    options = PlayOptions(
        deals=RECORDED["deals"], matches=RECORDED["matches"], seed=REPORT_DEALS.start
    )
    plan = make_plan(RECORDED["agents"], game, options)
    found: dict[str, hashlib._Hash] = {}
    for record in play_span(plan, 0, plan.num_games).records:
        ending = [getattr(record.outcome, name) for name in ("scores", "winners", "payoffs")]
        kept = [record.agents, record.actions, *ending]
        found.setdefault(str(record.seed), hashlib.sha256()).update(json.dumps(kept).encode())
    return {deal: digest.hexdigest() for deal, digest in found.items()}


@pytest.mark.parametrize("game", RECORDED["games"])
def test_the_recorded_games_are_played_again(game):
    assert hashes(game) == RECORDED["games"][game]


if __name__ == "__main__":
    for name in RECORDED["games"]:
        RECORDED["games"][name] = hashes(name)
    FILE.write_text(json.dumps(RECORDED, indent=2) + "\n")
