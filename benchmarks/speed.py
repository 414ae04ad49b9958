"""Decisions a second of every face of Gubs, beside two public environments, in one run.

    python benchmarks/speed.py

Everything plays uniformly random legal actions. The rounds of all rows are interleaved and the
median round counts, since a shared machine drifts; read the ratios, not the absolute numbers.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable

import numpy as np
from pettingzoo import AECEnv
from rich.progress import track

from gubs_env import gubs_v0
from gubs_env.api.batch import Batch
from gubs_env.games.choosing import CHOOSE
from gubs_env.games.generator import seed_words

ROUNDS = 7
AEC_DECISIONS = 3000
BATCH_GAMES, BATCH_ROUNDS = 1024, 300
Row = Callable[[], int]


def aec(env: AECEnv) -> Row:
    """`last()` and `step()` of a PettingZoo environment, a new game when one is over."""
    rng = np.random.default_rng(0)
    env.reset(seed=0)

    def play() -> int:
        decisions = 0
        while decisions < AEC_DECISIONS:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[rng.integers(len(legal))]))
            decisions += 1
        return decisions

    return play


def compiled_batch(num_players: int) -> Row:
    """The compiled loop: mask and observation are written at every decision."""
    batch = Batch(gubs_v0.GAME, BATCH_GAMES, num_players)
    batch._choosers[:] = [seed_words(index) for index in range(BATCH_GAMES)]
    actions = np.full(BATCH_GAMES, CHOOSE)

    def play() -> int:
        gubs_v0.GAME.advance(
            batch._games, actions, BATCH_ROUNDS, batch._choosers,
            batch.observations, batch.masks, batch.actors,
        )  # fmt: skip
        return BATCH_GAMES * BATCH_ROUNDS

    return play


def rlcard_uno() -> Row:
    import rlcard

    env = rlcard.make("uno", config={"seed": 0})
    rng = np.random.default_rng(0)
    state = env.reset()[0]

    def play() -> int:
        nonlocal state
        for _ in range(AEC_DECISIONS):
            if env.is_over():
                state = env.reset()[0]
            legal = list(state["legal_actions"])
            state = env.step(legal[rng.integers(len(legal))])[0]
        return AEC_DECISIONS

    return play


def connect_four() -> Row:
    from pettingzoo.classic import connect_four_v3

    return aec(connect_four_v3.env())


def rows() -> dict[str, Row]:
    table: dict[str, Row] = {
        "RLCard uno, 2 players": rlcard_uno(),
        "PettingZoo connect_four_v3.env()": connect_four(),
    }
    for num_players in (2, 4, 6):
        players = f"{num_players} players"
        table[f"gubs_v0.env(), {players}"] = aec(gubs_v0.env(num_players=num_players))
        table[f"gubs_v0.raw_env(), {players}"] = aec(gubs_v0.raw_env(num_players=num_players))
        table[f"gubs_v0 compiled batch, {players}"] = compiled_batch(num_players)
    return table


def measure(table: dict[str, Row]) -> dict[str, float]:
    """Median decisions a second of each row."""
    speeds: dict[str, list[float]] = {name: [] for name in table}
    for play in table.values():  # compile, fill caches
        play()
    for _ in track(range(ROUNDS), "measuring"):
        for name, play in table.items():
            start = time.perf_counter()
            decisions = play()
            speeds[name].append(decisions / (time.perf_counter() - start))
    return {name: statistics.median(values) for name, values in speeds.items()}


def main() -> None:
    speeds = measure(rows())
    uno, four = list(speeds.values())[:2]
    print(f"\n{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    print("| uniformly random play | decisions/s | × uno | × connect_four |\n|---|---|---|---|")
    for name, speed in speeds.items():
        print(f"| {name} | {speed:,.0f} | {speed / uno:.1f} | {speed / four:.1f} |")


if __name__ == "__main__":
    main()
