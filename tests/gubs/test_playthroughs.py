"""Recorded games in words, compared line by line: a change of the rules is seen, and must be meant.

python -m tests.gubs.test_playthroughs      writes the files anew
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from gubs_env.games.gubs.actions import PASS
from gubs_env.games.gubs.cards import KINDS, Card, CardType
from gubs_env.games.gubs.state import Phase
from gubs_env.games.gubs.words import state_words, took_effect
from gubs_env.gubs_v0 import Rules, raw_env

FOLDER = Path(__file__).parent / "playthroughs"
GAMES = {
    "two_players": {"num_players": 2, "seed": 2},
    "three_players_everyone_asked": {
        "num_players": 3, "seed": 14, "rules": {"ask_everyone": True}},
    "four_players_hoarding": {"num_players": 4, "seed": 11, "hoard": 0.7},
    "five_players_flood_to_the_deck": {
        "num_players": 5, "seed": 3,
        "rules": {"flood_to": "deck", "plague_redraw": False, "letters": "anywhere"}},
    "six_players_single_barricades": {
        "num_players": 6, "seed": 6, "rules": {"stacked_barricades": False, "reward": "margin"}},
}  # fmt: skip


def start(game):
    environment = raw_env(game["num_players"], Rules(**game.get("rules", {})))
    environment.reset(seed=game["seed"])
    return environment


def choose(environment, rng, hoard):
    """A random action; in the play, none with the given chance, so that hands grow large."""
    mask = environment.observe(environment.agent_selection)["action_mask"]
    if environment.state()["phase"] == Phase.PLAY and rng.random() < hoard:
        return PASS
    return int(rng.choice(np.flatnonzero(mask)))


def record(game):
    """The lines of a game: each decision, what all see of it, and the whole state at each turn."""
    environment, rng = start(game), np.random.default_rng(game["seed"])
    lines = [f"# {json.dumps(game)}"]
    told = 0
    while environment.agents:
        if environment.state()["phase"] == Phase.DRAW:
            lines += ["", state_words(environment.state())]
        agent = environment.agent_selection
        if environment.terminations[agent]:
            break
        action = choose(environment, rng, game.get("hoard", 0))
        environment.step(action)
        lines.append(f"{agent} {environment.action_name(action)}")
        log = environment.log()
        lines += [f"    {line}" for line in log[told:]]
        told = len(log)
    lines += ["", state_words(environment.state()), f"rewards {environment.rewards}", ""]
    return "\n".join(lines)


def replay(name):
    """Play the actions that stand in a file; returns the environment at the end."""
    environment = start(GAMES[name])
    for line in (FOLDER / f"{name}.txt").read_text().splitlines():
        if line.startswith("player_"):
            agent, action = line.split(" ", 1)
            assert environment.agent_selection == agent
            environment.step(environment.action_index(action))
    return environment


@pytest.mark.parametrize("name", GAMES)
def test_a_recorded_game_is_played_as_it_was(name):
    assert record(GAMES[name]).splitlines() == (FOLDER / f"{name}.txt").read_text().splitlines()


def has_moved(before, action, after):
    """Whether a card was played that nobody could answer."""
    moving = before.phase in (Phase.PLAY, Phase.NAME, Phase.TARGET, Phase.MEANT)
    return moving and action != PASS and after.phase == Phase.PLAY


def shown():
    """How often the recorded games show each kind of card in use, and each kind of decision."""
    kinds, phases = Counter(), Counter()
    for name in GAMES:
        for before, action, after in replay(name)._replay():
            phases[Phase(before.phase)] += 1
            if before.phase == Phase.ANSWER and action:
                window = "Event" if KINDS[Card(before.played)].type is CardType.EVENT else "card"
                phases[f"answered {window}"] += 1
                kinds[Card(action - 2)] += 1
            elif took_effect(before, action, after) or has_moved(before, action, after):
                kinds[Card(after.played)] += 1
            if before.phase == Phase.CURE and action:
                phases["cured"] += 1
    return kinds, phases


def test_together_they_play_every_kind_of_card_and_show_every_window():
    kinds, phases = shown()
    assert [card.title for card in Card if not kinds[card]] == []
    windows = ["answered Event", "answered card", "cured"]
    decisions = [phase for phase in Phase if phase < Phase.OVER]
    assert [str(show) for show in [*decisions, *windows] if not phases[show]] == []


if __name__ == "__main__":
    for name, game in GAMES.items():
        (FOLDER / f"{name}.txt").write_text(record(game))
