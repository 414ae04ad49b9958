"""Measure the size of pictures and the time to draw one, in random games at their largest tables.

python benchmarks/pictures.py
"""

from __future__ import annotations

import statistics
import time
from types import ModuleType

import numpy as np

from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0
from gubs_env.support.output import print_everywhere

TABLES: tuple[tuple[ModuleType, int, dict[str, str]], ...] = (
    (gubs_v0, 2, {}),
    (gubs_v0, 6, {}),
    (fubnub_v0, 4, {"mode": "full"}),
    (bad_bad_turtle_v0, 4, {}),
    (bad_bad_turtle_v0, 8, {}),
)
GAMES = 10


def pictures(module: ModuleType, num_players: int, rules: dict[str, str]) -> tuple[list, list]:
    """Return the sizes in KB and the times in ms of pictures all over random games."""
    sizes, times = [], []
    env = module.raw_env(num_players, rules)
    rng = np.random.default_rng(0)
    for seed in range(GAMES):
        env.reset(seed=seed)
        while not env.is_done(env.agent_selection):
            view = env.view(env.agent_selection)
            start = time.perf_counter()
            svg = module.GAME.draw(view)
            times.append(1000 * (time.perf_counter() - start))
            sizes.append(len(svg) / 1000)
            legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
            env.step(int(rng.choice(legal)))
    return sizes, times


def main() -> None:
    """Print a line for each table."""
    print(f"{'table':<24}{'pictures':>10}{'KB, median':>12}{'largest':>10}{'ms, median':>12}")
    for module, num_players, rules in TABLES:
        sizes, times = pictures(module, num_players, rules)
        print(
            f"{module.GAME.title + ', ' + str(num_players):<24}{len(sizes):>10}"
            f"{statistics.median(sizes):>12.0f}{max(sizes):>10.0f}{statistics.median(times):>12.1f}"
        )


if __name__ == "__main__":
    print_everywhere()
    main()
