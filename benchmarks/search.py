"""The searching players: playouts a second, and strength by time for a decision.

    python benchmarks/search.py speed       on one core, from positions in the middle of games
    python benchmarks/search.py strength    ismcts at 1 to 256 ms against the heuristic; hours

`strength` writes docs/images/ismcts.png beside the table it prints. It goes on where it was
interrupted: its results lie in runs/strength.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from rich.progress import track

from agents import arena
from agents.search import ISMCTS, MonteCarlo, Race, Search
from gubs_env import gubs_v0
from gubs_env.games.generator import spawn_words

POSITIONS, MIDDLE = 64, 40  # games, decisions played in each at random
DEALS = {1: 150, 4: 150, 16: 150, 64: 150, 256: 100}  # by milliseconds; the last take long
IMAGE = Path(__file__).parent.parent / "docs" / "images" / "ismcts.png"


def playouts_a_second(search: Search, playouts: int) -> float:
    """Playouts of all legal moves, `playouts` a position, by processor time of one core."""
    games = gubs_v0.vector_env(POSITIONS, num_players=search.num_players, seed=5)
    games.play_randomly(MIDDLE, seed=5)
    views = games.views(np.arange(POSITIONS))
    done, seconds = 0, 0.0
    for index, chooser in enumerate(spawn_words(np.random.default_rng(0), POSITIONS)):
        race = Race(search, views[index : index + 1], chooser)
        start = time.process_time()
        race.run(playouts, None)
        seconds += time.process_time() - start
        done += race.playouts
    return done / seconds


def speed() -> None:
    print("| players | search | playouts by | playouts/s |\n|---|---|---|---|")
    for num_players in (2, 4):
        for kind in (MonteCarlo, ISMCTS):
            for policy in ("random", "heuristic"):
                search = kind(num_players, seed=0, policy=policy)
                playouts_a_second(search, 50)  # compile, fill caches
                rate = playouts_a_second(search, 2000)
                print(f"| {num_players} | {kind.__name__} | {policy} | {rate:,.0f} |")


def strength(processes: int) -> None:
    """Each budget in a tournament of its own, against the heuristic alone."""
    share = {}
    for ms, deals in track(DEALS.items(), "playing", len(DEALS)):
        result = arena.tournament(
            f"heuristic,ismcts:ms={ms}",
            deals=deals,
            processes=processes,
            out=f"runs/strength/{ms}",
            resume=True,
        )
        row, numbers = result.labels.index(f"ismcts:ms={ms}"), result.numbers.share
        share[ms] = [100 * float(part[row]) for part in numbers]
    print("\n| ms a decision | wins against heuristic | 95 % interval | games |\n|---|---|---|---|")
    for ms, (value, low, high) in share.items():
        print(f"| {ms} | {value:.1f} % | {low:.1f} – {high:.1f} % | {2 * DEALS[ms]} |")
    draw(share)


def draw(share: dict[int, list[float]]) -> None:
    """The curve of the table, as a picture."""
    from matplotlib import pyplot

    values, lows, highs = np.array(list(share.values())).T
    figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
    axes.errorbar(
        list(share), values, [values - lows, highs - values], marker="o", capsize=4, color="#1b6ca8"
    )
    axes.axhline(50, color="gray", linewidth=1, linestyle="--")
    axes.set_xscale("log", base=4)
    axes.set_xticks(list(share), [str(ms) for ms in share])
    axes.set_xlabel("milliseconds a decision, one core")
    axes.set_ylabel("share of wins against the heuristic, %")
    axes.set_title("ISMCTS for Gubs, 2 players, with 95 % intervals")
    axes.spines[["top", "right"]].set_visible(False)
    IMAGE.parent.mkdir(exist_ok=True)
    figure.savefig(IMAGE, dpi=120)
    print(f"drew {IMAGE}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["speed", "strength"])
    parser.add_argument("--processes", type=int, default=1, help="(default 1)")
    options = parser.parse_args()
    if options.what == "speed":
        speed()
    else:
        strength(options.processes)


if __name__ == "__main__":
    main()
