"""Measure each idea of the heuristic for FUBNUB, as `ideas_gubs` does for Gubs.

    python experiments/ideas_fubnub.py

Prints a table of docs/research/heuristic-ideas.md. In teams, both agents play each deal from both
sides. Each alone, one agent sits once in every seat among three copies of the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tyro

from gubs_agents.arena.measures import WinRate, mean_with_interval
from gubs_agents.arena.playing import play
from gubs_agents.deals import REPORT_DEALS
from gubs_agents.scripted.fubnub.greedy import Greedy
from gubs_agents.scripted.fubnub.heuristic import WEIGHTS, Habit, Heuristic
from gubs_agents.scripted.uniform import Uniform
from gubs_env import find_table
from gubs_env.agents.registry import Agent
from gubs_env.support.output import print_everywhere

DEALS = 3000
FIRST_DEAL = REPORT_DEALS.start  # far from the deals the numbers were tuned on
SEATS = 4
TABLE = find_table("fubnub")
NEVER = 1000.0
IN_BATTLE_ROYAL = {Habit.KEEP, Habit.DECAY, Habit.FOE}
"""The habits that matter in a Battle Royal; the others are for decisions of other modes."""

IDEAS: dict[str, tuple[str, dict[Habit, float]]] = {
    "Save high cards for later tricks": (
        "plays the card that takes this trick most surely",
        {Habit.KEEP: 0},
    ),
    "A card is worth less, the more higher ones opponents may hold": (
        "all cards are worth the same",
        {Habit.DECAY: 1},
    ),
    "Expect high cards from opponents who have yet to play": ("expects none", {Habit.FOE: 0}),
    "Leave the trick to a partner who has yet to play": (
        "expects nothing of the partner",
        {Habit.FRIEND: 0},
    ),
    "Play the point card only on good hands": ("plays it on every hand", {Habit.CALL: -NEVER}),
    "Play the point card at all": ("always passes", {Habit.CALL: NEVER}),
    "Play the point card on weaker hands when one's own side deals": (
        "ignores who deals",
        {Habit.DEAL: 0},
    ),
    "Swap the lowest card": ("always declines", {Habit.SWAP: -1}),
}


def without(changes: dict[Habit, float]) -> Heuristic:
    """Return the heuristic without an idea."""
    weights = WEIGHTS.copy()
    weights[:, list(changes)] = list(changes.values())
    return Heuristic(TABLE, seed=1, weights=weights)


def wins_at(seating: Sequence[Agent], own_seat: int, mode: str) -> np.ndarray:
    """Return whether this seat won each deal, bool[DEALS]."""
    return (
        play(seating, find_table("fubnub", SEATS, {"mode": mode}), DEALS, FIRST_DEAL)[:, own_seat]
        > 0
    )


def rate(wins: list[np.ndarray]) -> WinRate:
    """Return the win rate over the same deals from several seats, with its interval over deals."""
    return WinRate(*mean_with_interval(np.mean(wins, axis=0), (0.0, 1.0)), DEALS * len(wins))


def in_teams(agent: Agent, opponent: Agent) -> WinRate:
    """Return the win rate of two of `agent` against two of `opponent`."""
    pair = (agent, opponent)
    return rate(
        [wins_at([pair[(s + own) % 2] for s in range(SEATS)], own, "team") for own in (0, 1)]
    )


def alone(agent: Agent, others: Agent, mode: str = "royal") -> WinRate:
    """Return the win rate of `agent` against three copies of `others`."""
    seats = range(SEATS)
    return rate(
        [wins_at([agent if s == own else others for s in seats], own, mode) for own in seats]
    )


def print_ideas() -> None:
    whole, greedy = Heuristic(TABLE, seed=0), Greedy(TABLE, seed=2)
    print(
        "| idea | without the idea | complete agent against it | it against greedy "
        "| it in a Battle Royal |"
    )
    print("|---|---|---|---|---|")
    print(f"| complete agent | | | {in_teams(whole, greedy)} | |", flush=True)
    for idea, (instead, changes) in IDEAS.items():
        part = without(changes)
        by_itself = str(alone(part, whole)) if IN_BATTLE_ROYAL & set(changes) else ""
        results = f"{in_teams(whole, part)} | {in_teams(part, greedy)} | {by_itself}"
        print(f"| {idea} | {instead} | {results} |", flush=True)


def print_strength() -> None:
    print("\n| agent | opponents | in teams | Battle Royal | Full Deck |\n|---|---|---|---|---|")
    players = {
        "random": Uniform(TABLE, 1),
        "greedy": Greedy(TABLE, 1),
        "heuristic": Heuristic(TABLE, 1),
    }
    for name, other in (("greedy", "random"), ("heuristic", "random"), ("heuristic", "greedy")):
        one, others = players[name], players[other]
        results = f"{in_teams(one, others)} | {alone(one, others)} | {alone(one, others, 'full')}"
        print(f"| {name} | {other} | {results} |", flush=True)


def main() -> None:
    print_ideas()
    print_strength()


if __name__ == "__main__":
    print_everywhere()
    tyro.cli(main, description=__doc__)
