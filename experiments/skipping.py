"""Would skipping a draw ever pay? Rollouts where the network of Gubs comes nearest to skipping.

    python experiments/skipping.py

The network plays against itself. Of all decisions in which it could draw or skip, those in which
its probability of skipping is highest are played out both ways, in the same random games that fit
the view of the player, by the network in all seats. docs/research/habits.md has the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import tyro
from tqdm import tqdm

import gubs_agents
from gubs_agents.deals import REPORT_DEALS
from gubs_env import find_table
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.choosing import LOOK
from gubs_env.games.gubs.actions import DECK, PASS
from gubs_env.support.output import print_everywhere


@dataclass(frozen=True)
class Options:
    """Rollouts of drawing and of skipping, from the decisions nearest to skipping."""

    players: int = 2
    """Number of players."""
    deals: int = 500
    """Games of the network against itself."""
    decisions: int = 200
    """Decisions that are played out."""
    playouts: int = 500
    """Games for each decision, the same for drawing and for skipping."""


def nearest(options: Options, agent: Any) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Return views and probabilities of skipping, the numbers of such decisions and of skips."""
    games = VectorEnv(find_table("gubs", options.players), options.deals, autoreset=False)
    for index in range(options.deals):
        games.deal(index, REPORT_DEALS.start + index)
    games.look()
    views, chances, skips = [], [], 0
    while (going := np.flatnonzero(games.actors >= 0)).size:
        actions = np.full(options.deals, LOOK)
        actions[going] = agent.act(games.observations[going], games.masks[going])
        rows = going[(games.masks[going][:, [DECK, PASS]] == 1).all(1)]
        if len(rows):
            probabilities, _ = agent.judge(games.observations[rows], games.masks[rows])
            views.append(games.views(rows))
            chances.append(probabilities[:, PASS])
            skips += int((actions[rows] == PASS).sum())
        games.step(actions)
    every = np.concatenate(chances)
    order = np.argsort(-every)[: options.decisions]
    return np.concatenate(views)[order], every[order], len(every), skips


def gain(view: np.ndarray, games: VectorEnv, agent: Any, seed: int) -> np.ndarray:
    """Return how much more skipping pays than drawing in each of the same random games."""
    seat = int(view["actor"][0])
    paid = []
    for action in (PASS, DECK):
        games.determinize(view, seed)
        payoffs = games.step(np.full(games.num_envs, action)).rewards[:, seat].astype(float)
        while (going := np.flatnonzero(games.actors >= 0)).size:
            actions = np.full(games.num_envs, LOOK)
            actions[going] = agent.act(games.observations[going], games.masks[going])
            payoffs += games.step(actions).rewards[:, seat]
        paid.append(payoffs)
    return paid[0] - paid[1]


def main() -> None:
    options = tyro.cli(Options)
    agent = gubs_agents.make("policy", find_table("gubs", options.players), seed=0)
    views, chances, number, skips = nearest(options, agent)
    print(f"{number:,} decisions to draw or skip, {skips:,} skips")
    games = VectorEnv(find_table("gubs", options.players), options.playouts, autoreset=False)
    gains = [
        gain(views[[index]], games, agent, index) for index in tqdm(range(len(views)), unit="view")
    ]
    means = np.array([each.mean() for each in gains])
    errors = np.array([each.std(ddof=1) for each in gains]) / np.sqrt(options.playouts)
    print(f"probability of skipping in the {len(views)} nearest: {chances.min():.1e} or more")
    spread = 1.96 * means.std(ddof=1) / np.sqrt(len(means))
    print(f"gain of skipping: {means.mean():+.3f} ± {spread:.3f} payoffs")
    for sign, word in ((1, "more"), (-1, "less")):
        count = int((sign * means > 1.96 * errors).sum())
        print(f"skipping pays {word} than drawing beyond the 95 % interval in {count} of them")


if __name__ == "__main__":
    print_everywhere()
    main()
