"""Recorded games in words, compared line by line: a change of the rules is seen, and must be meant.

python -m tests.fubnub.test_playthroughs      writes the files anew
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gubs_env.fubnub_v0 import ActionCard, Rules, raw_env
from gubs_env.games.fubnub.words import state_words

FOLDER = Path(__file__).parent / "playthroughs"
GAMES = {
    "team": {"num_players": 4, "seed": 1, "rules": {"num_points": 3}},
    "ghosts": {"num_players": 2, "seed": 2, "rules": {"mode": "ghost", "num_points": 3}},
    "royal": {"num_players": 3, "seed": 3, "rules": {"mode": "royal", "num_points": 3}},
    "royal_with_ghosts": {
        "num_players": 1, "seed": 4, "rules": {"mode": "ghost_royal", "num_points": 3}},
    "full": {"num_players": 4, "seed": 3, "rules": {"mode": "full"}},
    "full_with_moving_points": {
        "num_players": 4, "seed": 40, "rules": {"mode": "full", "move_points": True}},
    "full_with_shared_win": {
        "num_players": 4, "seed": 6, "rules": {"mode": "full", "final_tie": "share"}},
}  # fmt: skip


def start(game):
    environment = raw_env(game["num_players"], Rules(**game["rules"]))
    environment.reset(seed=game["seed"])
    return environment


def is_over(environment):
    return any(environment.terminations.values())


def record(game):
    """The lines of a game: each decision, what all see of it, and the whole state at each hand."""
    environment, rng = start(game), np.random.default_rng(game["seed"])
    lines, hands = [f"# {json.dumps(game)}"], 0
    while not is_over(environment):
        row = environment.state()
        if row["hands"] > hands:
            hands = row["hands"]
            lines += ["", state_words(row)]
        agent = environment.agent_selection
        mask = environment.observe(agent)["action_mask"]
        action = int(rng.choice(np.flatnonzero(mask)))
        environment.step(action)
        lines.append(f"{agent} {environment.action_name(action)}")
    lines += ["", state_words(environment.state()), f"rewards {environment.rewards}", ""]
    return "\n".join([*lines, *environment.log(), ""])


@pytest.mark.parametrize("name", GAMES)
def test_a_recorded_game_is_played_as_it_was(name):
    assert record(GAMES[name]).splitlines() == (FOLDER / f"{name}.txt").read_text().splitlines()


def test_together_they_show_every_sort_of_action_and_most_action_cards():
    text = "".join((FOLDER / f"{name}.txt").read_text() for name in GAMES)
    assert [name for name in ("PASS", "PLAY", "ACCEPT", "DECLINE", "SEAT[", "STEAL[")
            if name not in text] == []  # fmt: skip
    revealed = [card for card in ActionCard if f"reveals {card.title}\n" in text]
    assert len(revealed) >= 20


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, game in GAMES.items():
        (FOLDER / f"{name}.txt").write_text(record(game))
