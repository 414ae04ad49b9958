"""What each idea of the heuristic player of FUBNUB is worth, as `ideas` tells it of Gubs.

    python benchmarks/ideas_fubnub.py

Prints the tables of docs/heuristic.md. In teams both sides play each deal; each alone, one player
sits once in every seat among three others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tyro

from gubs_agents.arena.playing import WinRate, play
from gubs_agents.fubnub.greedy import Greedy
from gubs_agents.fubnub.heuristic import WEIGHTS, Habit, Heuristic
from gubs_agents.uniform import Uniform
from gubs_env.api.agents import Agent
from gubs_env.fubnub_v0 import GAME, Rules

DEALS = 3000
FIRST_DEAL = 1_000_000_000  # far from the deals the numbers were tuned on
SEATS = 4
NEVER = 1000.0
IN_BATTLE_ROYAL = {Habit.KEEP, Habit.DECAY, Habit.FOE}
"""The others are for decisions that only other modes have."""

IDEAS: dict[str, tuple[str, dict[Habit, float]]] = {
    "Save high cards for later tricks": (
        "plays what takes this trick most surely",
        {Habit.KEEP: 0},
    ),
    "A card is worth less the more higher ones opponents may hold": (
        "all are worth the same",
        {Habit.DECAY: 1},
    ),
    "Fear what opponents to come may play": ("plays as if it were last", {Habit.FOE: 0}),
    "Leave it to a partner to come": ("expects nothing of it", {Habit.FRIEND: 0}),
    "Call on good hands alone": ("on every hand", {Habit.CALL: -NEVER}),
    "Call at all": ("passes always", {Habit.CALL: NEVER}),
    "Call sooner when one's own side deals": ("whoever deals", {Habit.DEAL: 0}),
    "Swap the lowest card": ("declines", {Habit.SWAP: -1}),
}


def without(changes: dict[Habit, float]) -> Heuristic:
    weights = WEIGHTS.copy()
    weights[:, list(changes)] = list(changes.values())
    return Heuristic(SEATS, seed=1, weights=weights)


def wins_at(seating: Sequence[Agent], own_seat: int, mode: str) -> np.ndarray:
    """Whether this seat won, by deal: bool[DEALS]."""
    return play(GAME, seating, DEALS, FIRST_DEAL, Rules(mode=mode))[:, own_seat] > 0


def rate(wins: list[np.ndarray]) -> WinRate:
    """Of the same deals from several seats; the interval is the normal one over deals."""
    by_deal = np.mean(wins, axis=0)
    share, error = float(by_deal.mean()), float(by_deal.std(ddof=1) / np.sqrt(DEALS))
    return WinRate(share, share - 1.96 * error, share + 1.96 * error, DEALS * len(wins))


def in_teams(agent: Agent, opponent: Agent) -> WinRate:
    """How often two of `agent` win against two of `opponent`."""
    pair = (agent, opponent)
    return rate(
        [wins_at([pair[(s + own) % 2] for s in range(SEATS)], own, "team") for own in (0, 1)]
    )


def alone(agent: Agent, others: Agent, mode: str = "royal") -> WinRate:
    """How often `agent` wins against three `others`."""
    seats = range(SEATS)
    return rate(
        [wins_at([agent if s == own else others for s in seats], own, mode) for own in seats]
    )


def print_ideas() -> None:
    whole, greedy = Heuristic(SEATS, seed=0), Greedy(SEATS, seed=2)
    print("| idea | without it | the whole beats it in | it beats greedy in | alone it wins |")
    print("|---|---|---|---|---|")
    print(f"| all of them | | | {in_teams(whole, greedy)} | |", flush=True)
    for idea, (instead, changes) in IDEAS.items():
        part = without(changes)
        by_itself = str(alone(part, whole)) if IN_BATTLE_ROYAL & set(changes) else ""
        results = f"{in_teams(whole, part)} | {in_teams(part, greedy)} | {by_itself}"
        print(f"| {idea} | {instead} | {results} |", flush=True)


def print_strength() -> None:
    print("\n| player | opponents | in teams | Battle Royal | Full Deck |\n|---|---|---|---|---|")
    players = {
        "random": Uniform(SEATS, 1),
        "greedy": Greedy(SEATS, 1),
        "heuristic": Heuristic(SEATS, 1),
    }
    for name, other in (("greedy", "random"), ("heuristic", "random"), ("heuristic", "greedy")):
        one, others = players[name], players[other]
        results = f"{in_teams(one, others)} | {alone(one, others)} | {alone(one, others, 'full')}"
        print(f"| {name} | {other} | {results} |", flush=True)


def main() -> None:
    print_ideas()
    print_strength()


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)
