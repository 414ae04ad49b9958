"""Recorded games in words, compared line by line: a change of the rules is seen, and must be meant.

python -m tests.bad_bad_turtle.test_playthroughs      writes the files anew
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from gubs_env.bad_bad_turtle_v0 import Card, Phase, Rules, raw_env
from gubs_env.games.bad_bad_turtle.words import state_words

FOLDER = Path(__file__).parent / "playthroughs"
GAMES = {
    "two_players": {"num_players": 2, "seed": 7},
    "four_players": {"num_players": 4, "seed": 14},
    "five_players_cut_off": {"num_players": 5, "seed": 12, "rules": {"max_cycles": 40}},
    "six_players_without_restart": {
        "num_players": 6, "seed": 2, "rules": {"removed": ["Restart Game"]}},
    "eight_players_younger": {"num_players": 8, "seed": 6, "rules": {"younger": True}},
}  # fmt: skip


def start(game):
    environment = raw_env(game["num_players"], Rules(**game.get("rules", {})))
    environment.reset(seed=game["seed"])
    return environment


def record(game):
    """The lines of a game: each decision, what all see of it, and the whole state at each turn."""
    environment, rng = start(game), np.random.default_rng(game["seed"])
    lines = [f"# {json.dumps(game)}"]
    told = 0
    while environment._mask.any():
        if environment.state()["phase"] == Phase.TURN:
            lines += ["", state_words(environment.state())]
        agent = environment.agent_selection
        mask = environment.observe(agent)["action_mask"]
        action = int(rng.choice(np.flatnonzero(mask)))
        environment.step(action)
        lines.append(f"{agent} {environment.action_name(action)}")
        log = environment.log()
        lines += [f"    {line}" for line in log[told:]]
        told = len(log)
    lines += ["", state_words(environment.state()), f"rewards {environment.rewards}", ""]
    return "\n".join(lines)


@pytest.mark.parametrize("name", GAMES)
def test_a_recorded_game_is_played_as_it_was(name):
    assert record(GAMES[name]).splitlines() == (FOLDER / f"{name}.txt").read_text().splitlines()


def test_together_they_show_every_card_and_every_decision():
    shown: Counter = Counter()
    for name, game in GAMES.items():
        environment = start(game)
        for line in (FOLDER / f"{name}.txt").read_text().splitlines():
            if line.startswith("player_"):
                action = environment.action_index(line.split(" ", 1)[1])
                shown[environment.action_name(action).split("[")[0]] += 1
                environment.step(action)
                shown.update(environment.state()["shown"].tolist())
    assert [card.title for card in Card if not shown[card]] == []
    decisions = "TAKE_TURN PERFORM DECLINE PASS NEVER_HAPPENED NO_WAY SHIELD PICK"
    assert [name for name in decisions.split() if not shown[name]] == []


if __name__ == "__main__":
    for name, game in GAMES.items():
        (FOLDER / f"{name}.txt").write_text(record(game))
