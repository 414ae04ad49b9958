"""How much luck leaves the rewards of training with `--reward duplicate`.

    python benchmarks/duplicates.py

Prints the table of docs/training.md: the shipped network plays among heuristics, and is rewarded by
the payoff, or by the payoff less what a heuristic gets in its seat when heuristics play the same
deal alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import tyro
from tqdm import tqdm

import gubs_agents
from gubs_agents.arena.report import table
from gubs_env import find_game
from gubs_env.api.parsing import parse_rules
from gubs_env.api.sb3 import SelfPlayVecEnv

TABLES = (
    ("gubs", 2, ""),
    ("gubs", 4, ""),
    ("fubnub", 2, "mode=royal"),
    ("fubnub", 4, "mode=full"),
    ("fubnub", 1, "mode=ghost"),
    ("bad_bad_turtle", 2, ""),
    ("bad_bad_turtle", 4, ""),
    ("bad_bad_turtle", 6, ""),
    ("bad_bad_turtle", 8, ""),
)
"""Game, number of players and rules."""
AT_ONCE = 512
"""Games that are played at once."""


@dataclass(frozen=True)
class Options:
    """The variance of both rewards, at several tables."""

    games: int = 3000
    """Number of games at each table."""


def rewards_of(name: str, num_players: int, rules_text: str, games: int) -> np.ndarray:
    """Return both rewards of games of the shipped network among heuristics, float64[2, games]."""
    game = find_game(name)
    rules = parse_rules(rules_text, game)
    network, heuristic = (
        gubs_agents.make(agent, num_players, 0, game=game, rules=rules)
        for agent in ("policy", "heuristic")
    )
    env = SelfPlayVecEnv(
        game, AT_ONCE, {"heuristic": heuristic}, num_players=num_players, rules=rules, seed=1,
        reference=heuristic,
    )  # fmt: skip
    paid: list[tuple[float, float]] = []
    observations: Any = env.reset()
    while len(paid) < games:
        masks = env.action_masks().astype(np.int8)
        observations, rewards, dones, infos = env.step(network.act(observations, masks))
        paid += [(infos[k]["episode"]["r"], rewards[k]) for k in np.flatnonzero(dones)]
    return np.array(paid[:games]).T


def row_of(name: str, num_players: int, rules: str, games: int) -> tuple[str, ...]:
    payoffs, differences = rewards_of(name, num_players, rules, games)
    ratio = payoffs.var() / differences.var()
    told = f"{payoffs.std():.2f}", f"{differences.std():.2f}", f"{ratio:.1f}"
    return f"{name}, {num_players} players {rules}".rstrip(), *told


def main(options: Options) -> None:
    columns = ("table", "payoff, SD", "duplicate, SD", "ratio of variances")
    tables = tqdm(TABLES, unit="table")
    rows = [row_of(name, players, rules, options.games) for name, players, rules in tables]
    print(table(columns, rows))


if __name__ == "__main__":
    main(tyro.cli(Options, description=__doc__))
