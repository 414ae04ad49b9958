"""Measure each idea of the heuristic for Gubs: the complete agent against one without the idea.

    python experiments/ideas_gubs.py

Prints a table of docs/research/heuristic-ideas.md. An idea is switched off by its numbers in the
table of weights. Both agents play the same deals, once from each seat.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tyro

import gubs_agents
from gubs_agents.arena import WinRate, win_rate
from gubs_agents.deals import REPORT_DEALS
from gubs_agents.scripted.gubs.heuristic import WEIGHTS, Habit, Heuristic, Weight
from gubs_env import Table, find_table
from gubs_env.agents.registry import AnyAgent
from gubs_env.games.gubs.cards import BARRICADES, NUM_HAND_KINDS, RINGS, Card
from gubs_env.support.output import print_everywhere

TABLE = find_table("gubs")
DEALS = 10_000
FIRST_DEAL = REPORT_DEALS.start  # far from the deals the weights were tuned on
NEVER, ALWAYS = 1000.0, -1000.0
Change = Callable[[np.ndarray], None]


def set_habit(habit: Habit, value: float) -> Change:
    """Return a change of one single number."""

    def change(weights: np.ndarray) -> None:
        weights[Weight.HABIT, habit] = value

    return change


def set_limit(value: float, *kinds: Card) -> Change:
    """Return a change of the thresholds, EARLY and LATE, of these kinds of cards."""

    def change(weights: np.ndarray) -> None:
        weights[Weight.EARLY : Weight.LATE + 1, list(kinds)] = value

    return change


def level(row: Weight) -> Change:
    """Return a change that sets a row to the same number for every kind of card."""

    def change(weights: np.ndarray) -> None:
        weights[row, :NUM_HAND_KINDS] = 1

    return change


INTERRUPTS = (Card.FEATHER, Card.BLINDFOLD, Card.FLOP_BOAT, Card.CRICKET_SONG)
IDEAS: dict[str, tuple[str, Change]] = {
    "Always draw": ("draws or skips at random", set_habit(Habit.DRAW, 0)),
    "Protect Free Gubs": ("lays no Barricade", set_limit(NEVER, *BARRICADES)),
    "Keep a Gub in the hand until a Barricade can protect it, the hand is full "
    "or the end is near": (
        "lays Gubs at once",
        set_habit(Habit.BARE_GUB, 1),
    ),
    "Keep Barricades for the next Gub": (
        "puts a second one on the same Gub",
        set_habit(Habit.STACK, 1),
    ),
    "Expect the end only in the last third of the deck": (
        "expects it as soon as two Letters are out",
        set_habit(Habit.LAST_CARDS, 70),
    ),
    "Skip the draw when behind and only the last Letter is left": (
        "draws",
        set_habit(Habit.SKIP_WHEN_BEHIND, 0),
    ),
    "Keep Super Lure for four Gubs, or for two near the end": (
        "plays it for one",
        set_limit(0.1, Card.SUPER_LURE),
    ),
    "Keep Interrupts for large losses": (
        "answers any loss",
        set_limit(0.1, *INTERRUPTS[:3]),
    ),
    "Answer with Feather, Blindfold and Flop Boat": (
        "never plays them",
        set_limit(NEVER, *INTERRUPTS[:3]),
    ),
    "With Flop Boat, send back the last Letter when behind, and Alchemy when it hits the agent "
    "itself": (
        "never plays Flop Boat",
        set_limit(NEVER, Card.FLOP_BOAT),
    ),
    "Keep Cricket Song for large gains": (
        "plays it for small gains too",
        set_limit(1, Card.CRICKET_SONG),
    ),
    "Play Lures": ("never plays them", set_limit(NEVER, Card.LURE)),
    "Trap the Gubs of opponents": (
        "never plays Sud Spouts and Rings",
        set_limit(NEVER, Card.SUD_SPOUT, *RINGS),
    ),
    "Break Rings with Haki Flute": ("never plays it", set_limit(NEVER, Card.HAKI_FLUTE)),
    "Expose a Gub with Spear, Mushroom or Toad Rider, then lure it": (
        "plays these cards only to protect or to kill",
        set_habit(Habit.EXPOSE, 0),
    ),
    "Strike the Elder or a hand with Lightning": (
        "never plays it",
        set_limit(NEVER, Card.LIGHTNING),
    ),
    "Take Trapped Gubs back into the hand with Retreat": (
        "never plays it",
        set_limit(NEVER, Card.RETREAT),
    ),
    "Leave the worst cards to opponents with the Scout": (
        "orders the cards at random",
        set_habit(Habit.ORDER_DECK, 0),
    ),
    "Play cards in the best order": ("plays them in random order", level(Weight.PRIORITY)),
    "Discard the card that is worth least": ("discards at random", level(Weight.KEEP)),
}


def without(change: Change, table: Table = TABLE) -> Heuristic:
    """Return the heuristic without an idea."""
    weights = WEIGHTS.copy()
    change(weights)
    return Heuristic(table, seed=1, weights=weights)


def measure(agent: AnyAgent, opponent: AnyAgent, table: Table = TABLE) -> WinRate:
    """Return the win rate of an agent against an opponent on the deals of this benchmark."""
    return win_rate(agent, opponent, table, deals=DEALS, seed=FIRST_DEAL)


def print_ideas() -> None:
    whole, greedy = Heuristic(TABLE, seed=0), gubs_agents.make("greedy", seed=2)
    print(
        "| idea | without the idea | complete agent against it | it against greedy |\n"
        "|---|---|---|---|"
    )
    print(f"| complete agent | | | {measure(whole, greedy)} |", flush=True)
    for idea, (instead, change) in IDEAS.items():
        part = without(change)
        results = f"{measure(whole, part)} | {measure(part, greedy)}"
        print(f"| {idea} | {instead} | {results} |", flush=True)


def print_strength() -> None:
    print("\n| players | agent | opponents | win rate |\n|---|---|---|---|")
    for num_players in (2, 4):
        for name, other in (("greedy", "random"), ("heuristic", "random"), ("heuristic", "greedy")):
            table = find_table("gubs", num_players)
            player = gubs_agents.make(name, table, seed=0)
            opponent = gubs_agents.make(other, table, seed=1)
            result = measure(player, opponent, table)
            print(f"| {num_players} | {name} | {other} | {result} |", flush=True)
    whole, evenhanded = Heuristic(table, seed=0), without(set_habit(Habit.LEADER, 0), table)
    print(
        "| 4 | heuristic | heuristic that does not aim at the leader "
        f"| {measure(whole, evenhanded, table)} |"
    )


def main() -> None:
    print_ideas()
    print_strength()


if __name__ == "__main__":
    print_everywhere()
    tyro.cli(main, description=__doc__)
