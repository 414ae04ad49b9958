"""Measure each idea of the heuristic for Bad, Bad, Turtle, and the luck in the game.

    python experiments/ideas_bad_bad_turtle.py

Prints the tables of docs/research/heuristic-ideas.md and docs/research/bad-bad-turtle-skill.md. An
idea is switched off by its numbers in the table of weights. Both agents play the same deals, once
from each seat.
"""

from __future__ import annotations

import numpy as np
import tyro

from gubs_agents.arena import win_rate
from gubs_agents.deals import REPORT_DEALS
from gubs_agents.scripted.bad_bad_turtle.greedy import Greedy
from gubs_agents.scripted.bad_bad_turtle.heuristic import WEIGHTS, Heuristic, Weight
from gubs_agents.scripted.uniform import Uniform
from gubs_env import Table, find_table
from gubs_env.records.playing import Games, play_games
from gubs_env.support.output import print_everywhere

DEALS = {find_table("bad_bad_turtle", 2): 10_000, find_table("bad_bad_turtle", 4): 5_000}
FIRST_DEAL = REPORT_DEALS.start  # far from the deals the weights were tuned on
REPLAYS = 20
NEVER = 10.0
CARDS = (Weight.NEVER_HAPPENED, Weight.NO_WAY, Weight.SHIELD)
IDEAS: dict[str, tuple[str, dict[Weight, float]]] = {
    "Save set-aside cards for the turtle and the gecko": (
        "plays them for any gain",
        dict.fromkeys(CARDS, 0.0),
    ),
    "Play Never Happened": ("never plays it", {Weight.NEVER_HAPPENED: NEVER}),
    "Play No Way": ("never plays it", {Weight.NO_WAY: NEVER}),
    "Play Shield": ("never plays it", {Weight.SHIELD: NEVER}),
    "Choose who takes the next turn, by social cards and Pick a Player": (
        "chooses at random",
        {Weight.TURN: 0.0},
    ),
    "Cancel a Restart Game that would cost more than it gains": (
        "lets it pass",
        {Weight.NEW_GAME: 0.0},
    ),
    "Use the cards that Peek shows": ("forgets them", {Weight.LOOK: 0.0}),
}


def without(changes: dict[Weight, float], table: Table) -> Heuristic:
    """Return the heuristic without an idea."""
    weights = WEIGHTS.copy()
    weights[list(changes)] = list(changes.values())
    return Heuristic(table, seed=1, weights=weights)


def print_ideas() -> None:
    print(
        "| idea | without the idea | complete agent against it, 2 players | 4 players |\n"
        "|---|---|---|---|"
    )
    for idea, (instead, changes) in IDEAS.items():
        rates = [
            win_rate(Heuristic(table, 0), without(changes, table), table, deals, FIRST_DEAL)
            for table, deals in DEALS.items()
        ]
        print(f"| {idea} | {instead} | {rates[0]} | {rates[1]} |", flush=True)


def print_strength() -> None:
    print("\n| players | agent | opponents | win rate |\n|---|---|---|---|")
    for table, deals in DEALS.items():
        for player, opponent in ((Greedy, Uniform), (Heuristic, Uniform), (Heuristic, Greedy)):
            rate = win_rate(player(table, 0), opponent(table, 1), table, deals, FIRST_DEAL)
            names = f"{player.__name__.lower()} | {opponent.__name__.lower()}"
            print(f"| {table.num_players} | {names} | {rate} |", flush=True)


def share_of_the_deal(payoffs: np.ndarray) -> float:
    """Return the share of the variance of payoffs that lies between deals, 0 … 1.

    This is a one-way analysis of variance, with the variance within deals subtracted.

    Args:
        payoffs: float[deals, replays].
    """
    within = payoffs.var(axis=1, ddof=1).mean()
    between = payoffs.mean(axis=1).var(ddof=1) - within / payoffs.shape[1]
    return float(between / (between + within))


def print_luck() -> None:
    """Play every deal, with the same later shuffles, many times between equal agents."""
    print(
        "\n| players | all play | choices a game | of the first seat's pay-off, the deal decides |"
    )
    print("|---|---|---|---|")
    for table in DEALS:
        n = table.num_players
        deal_seeds = np.repeat(FIRST_DEAL + np.arange(500), REPLAYS)
        seatings = np.tile(np.arange(n), (len(deal_seeds), 1))
        luck = np.arange(len(deal_seeds))  # seeds of the agents' RNGs
        for player in (Uniform, Heuristic):
            agents = [player(table, seat) for seat in range(n)]
            rngs = Games(table, luck, seatings).rngs(range(n))
            played, _ = play_games(Games(table, deal_seeds, seatings), agents, rngs)
            share = share_of_the_deal(played.payoffs[:, 0].reshape(-1, REPLAYS))
            choices = played.decisions.sum(1).mean()
            print(f"| {n} | {player.__name__.lower()} | {choices:.1f} | {share:.0%} |", flush=True)


def main() -> None:
    print_ideas()
    print_strength()
    print_luck()


if __name__ == "__main__":
    print_everywhere()
    tyro.cli(main, description=__doc__)
