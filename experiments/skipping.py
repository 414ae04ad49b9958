"""Would skipping a draw ever pay? Rollouts where the network of Gubs comes nearest to skipping.

    python experiments/skipping.py

The network plays against itself. Of all decisions in which it could draw or skip, those in which
its probability of skipping is highest are played out both ways, in the same random games that fit
the view of the player, by the network in all seats. docs/research/habits.md has the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import tyro
from tqdm import tqdm

import gubs_agents
from gubs_agents.arena.measures import NORMAL
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


class Nearest(NamedTuple):
    """The decisions in which the network comes nearest to skipping."""

    views: np.ndarray
    """STATE[count]"""
    chances: np.ndarray
    """float64[count]: the probability of skipping."""
    deals: np.ndarray
    """int64[count]: the game of each."""
    number: int
    """Number of decisions to draw or skip, of which these are some."""
    skips: int
    """Number of skips among all of them."""


def nearest(options: Options, agent: Any) -> Nearest:
    """Return the decisions nearest to skipping in games of the network against itself."""
    games = VectorEnv(find_table("gubs", options.players), options.deals, autoreset=False)
    for index in range(options.deals):
        games.deal(index, REPORT_DEALS.start + index)
    games.look()
    views, chances, deals, skips = [], [], [], 0
    while (going := np.flatnonzero(games.actors >= 0)).size:
        actions = np.full(options.deals, LOOK)
        actions[going] = agent.act(games.observations[going], games.masks[going])
        rows = going[(games.masks[going][:, [DECK, PASS]] == 1).all(1)]
        if len(rows):
            probabilities, _ = agent.judge(games.observations[rows], games.masks[rows])
            views.append(games.views(rows))
            chances.append(probabilities[:, PASS])
            deals.append(rows)
            skips += int((actions[rows] == PASS).sum())
        games.step(actions)
    every = np.concatenate(chances)
    order = np.argsort(-every)[: options.decisions]
    seen, played = np.concatenate(views)[order], np.concatenate(deals)[order]
    return Nearest(seen, every[order], played, len(every), skips)


def half_interval(values: np.ndarray, deals: np.ndarray) -> float:
    """Return half of a 95 % interval of a mean over games, of which some have several values.

    The values of one game count together (Liang and Zeger, 1986, with G ÷ (G − 1)).
    """
    sums = np.bincount(deals, values - values.mean())[np.unique(deals)]
    games = len(sums)
    return float(NORMAL * np.sqrt((sums**2).sum() * games / (games - 1)) / len(values))


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
    views, chances, deals, number, skips = nearest(options, agent)
    print(f"{number:,} decisions to draw or skip, {skips:,} skips")
    games = VectorEnv(find_table("gubs", options.players), options.playouts, autoreset=False)
    gains = [
        gain(views[[index]], games, agent, index) for index in tqdm(range(len(views)), unit="view")
    ]
    means = np.array([each.mean() for each in gains])
    errors = np.array([each.std(ddof=1) for each in gains]) / np.sqrt(options.playouts)
    games_of_them = len(np.unique(deals))
    print(f"probability of skipping in the {len(views)} nearest: {chances.min():.1e} or more")
    print(f"gain of skipping: {means.mean():+.3f} ± {half_interval(means, deals):.3f} payoffs")
    print(f"(95 % interval over the {games_of_them} games that they are from)")
    most = NormalDist().inv_cdf(1 - 0.025 / len(means))
    for sign, word in ((1, "more"), (-1, "less")):
        count = int((sign * means > most * errors).sum())
        print(f"skipping pays {word} in {count} of them, with intervals that hold for all at once")


if __name__ == "__main__":
    print_everywhere()
    main()
