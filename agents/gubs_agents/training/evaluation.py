"""Evaluation: win rates of a network on fixed deals that no training game uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from gubs_agents.arena import WinRate, win_rate
from gubs_agents.by_game import symmetry_of
from gubs_agents.network import Layer, Network
from gubs_env.api.agents import Agent
from gubs_env.engine.game import Game

SELECTION_DEALS, REPORT_DEALS = 2 * 10**9, 10**9
"""First deals of the evaluations that choose the best network, and of the final report."""


def evaluate(
    layers: list[Layer],
    against: Mapping[str, Agent],
    game: Game,
    num_players: int,
    deals: int,
    first_deal: int,
    rules: object = None,
    progress: Callable[[str], object] = lambda label: None,
) -> dict[str, WinRate]:
    """Return the win rates of the network's likeliest actions against tables of each opponent."""
    results = {}
    learner = Network(layers, symmetry=symmetry_of(game))
    for label, opponent in against.items():
        progress(label)
        results[label] = win_rate(game, learner, opponent, num_players, deals, first_deal, rules)
    return results


def strength(results: Mapping[str, WinRate]) -> float:
    """Return the mean win rate over the baselines, by which the best network is chosen."""
    return float(np.mean([result.rate for result in results.values()]))
