"""Measure the searching agents: speed, gain per decision, strength by time, and leaks.

    python experiments/search.py speed       playouts per second on one core, in mid-game
    python experiments/search.py gains       gain of each setting over the heuristic; 15 minutes
    python experiments/search.py gains --network --decisions 900 --playouts 1000 --last 170
                                            the same over the shipped network
    python experiments/search.py strength    ismcts at 1 to 256 ms against the heuristic; hours
    python experiments/search.py strength --network
                                            montecarlo with the network against the network; hours
    python experiments/search.py secrets     check that no private information leaks; 15 minutes

`gains` compares settings without playing games. In positions from the games of the heuristic, or
of the network, that agent plays out every move many times. Each setting then searches the same
positions and is credited with the gains of the moves that it takes.

`strength` draws docs/images/ismcts.png or montecarlo.png in addition to the table that it prints.
After an interruption it continues; its results lie in runs/strength.

`secrets` plays the same deals twice: unchanged, and with the game replaced before each decision of
the searcher by another one that fits its view. A search that uses private information would lose
strength in the second case.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from rich.progress import track

import gubs_agents
from gubs_agents import arena
from gubs_agents.arena.measures import mean_with_interval
from gubs_agents.deals import REPORT_DEALS
from gubs_agents.search.search import ISMCTS, MonteCarlo, Race, Search, gains
from gubs_env import find_table, gubs_v0
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.rng import spawn_rngs
from gubs_env.support.output import print_everywhere

POSITIONS, MIDDLE = 64, 40  # games, decisions played in each at random
Settings = list[tuple[type[Search], dict[str, Any]]]
WITHOUT_NETWORK: Settings = [
    (kind, {"playouts": playouts}) for playouts in (80, 320, 1280) for kind in (MonteCarlo, ISMCTS)
]
NETWORK: dict[str, Any] = {"weights": "shipped", "beliefs": "shipped"}
WITH_NETWORK: Settings = [
    (kind, NETWORK | own)
    for kind, own in (
        (MonteCarlo, {"playouts": 90}),
        (MonteCarlo, {"playouts": 355}),
        (MonteCarlo, {"playouts": 1420, "far_horizon": 0}),
        (MonteCarlo, {"playouts": 1420}),
        (MonteCarlo, {"playouts": 5700, "far_horizon": 0}),
        (MonteCarlo, {"playouts": 5700}),
        (MonteCarlo, {"playouts": 630, "horizon": 5}),
        (MonteCarlo, {"playouts": 2500, "horizon": 5}),
        (MonteCarlo, {"playouts": 1420, "policy": "heuristic"}),
        (ISMCTS, {"playouts": 1420}),
    )
]
DEALS = {1: 150, 4: 150, 16: 150, 64: 150, 256: 100}  # by milliseconds a decision
SECRET_DEALS, FIRST_SECRET_DEAL = 75, REPORT_DEALS.start + 5000
IMAGES = Path(__file__).parent.parent / "docs" / "images"


def playouts_a_second(search: Search, playouts: int) -> float:
    """Return playouts per second of processor time, with `playouts` playouts in each position."""
    games = gubs_v0.vector_env(POSITIONS, num_players=search.num_players, seed=5)
    games.play_randomly(MIDDLE, seed=5)
    views = games.views(np.arange(POSITIONS))
    done, seconds = 0, 0.0
    for index, rng in enumerate(spawn_rngs(np.random.default_rng(0), POSITIONS)):
        race = Race(search, views[index : index + 1], rng)
        start = time.process_time()
        race.run(playouts)
        seconds += time.process_time() - start
        done += race.playouts
    return done / seconds


def speed() -> None:
    """Print playouts a second on one core, from positions in the middle of games."""
    print("| players | search | playout policy | playouts/s |\n|---|---|---|---|")
    for table in (find_table("gubs", 2), find_table("gubs", 4)):
        for kind in (MonteCarlo, ISMCTS):
            for policy in ("random", "heuristic"):
                search = kind(table, seed=0, policy=policy)
                playouts_a_second(search, 50)  # compile, fill caches
                rate = playouts_a_second(search, 2000)
                print(f"| {table.num_players} | {kind.__name__} | {policy} | {rate:,.0f} |")


def positions(count: int, agent: Any, last: int, letters: int | None) -> np.ndarray:
    """Return views of seats with a choice, from the games of an agent, at most STATE[count].

    Args:
        count: number of games; one position of each, drawn uniformly from those that qualify.
        agent: the agent that plays all seats.
        last: the most decisions before a position.
        letters: number of Letters that were drawn before a position; None allows all.
    """
    rng = np.random.default_rng(0)
    games = gubs_v0.vector_env(count, seed=0, skip_forced=True)
    views, seen = games.views(np.arange(count)), np.zeros(count, np.int64)
    for _ in range(last):
        drawn = games.states["letters"].sum(axis=1)
        fits = np.ones(count, np.bool_) if letters is None else drawn == letters
        seen += fits
        rows = np.flatnonzero(fits & (rng.random(count) * seen < 1))
        views[rows] = games.views(rows)
        games.step(agent.act(games.observations, games.masks))
    return views[seen > 0]


def gains_of_moves(
    search: Search, playouts: int, view: np.ndarray, rng: np.ndarray
) -> dict[int, float]:
    """Return the gain of each legal action over that of the search's reference, in payoffs."""
    race = Race(search, view, rng)
    race.sweep(race.view, race.candidates, race.scratch, race.settings, race.rng, playouts)
    mean, _ = gains(race.candidates.sums, race.settings)
    return dict(zip(race.candidates.actions.tolist(), mean.tolist(), strict=True))


def mean_gain(known: list[dict[int, float]], moves: list[int]) -> tuple[float, float, float]:
    """Return the mean gain of moves with its 95 % interval.

    Args:
        known: the gain of each legal action in each position. Who always takes the worst, or the
            best, gains the least, or the most, that is possible.
        moves: the action taken in each position.
    """
    worst, best = (float(np.mean([end(own.values()) for own in known])) for end in (min, max))
    gained = np.array([own[move] for own, move in zip(known, moves, strict=True)])
    return mean_with_interval(gained, (worst, best))


def gains_a_decision(
    network: bool = False,
    decisions: int = 1000,
    playouts: int = 3000,
    last: int = 30,
    letters: int | None = None,
) -> None:
    """Print the gain of each setting over the moves of an agent; this takes 15 minutes.

    Args:
        network: whether the agent is the shipped network; else it is the heuristic.
        decisions: number of positions.
        playouts: number of playouts of each move.
        last: the most decisions before a position.
        letters: number of Letters that were drawn before a position; None allows all.
    """
    agent = gubs_agents.make("policy" if network else "heuristic", seed=0)
    views = positions(decisions, agent, last, letters)
    decisions = len(views)
    rngs = spawn_rngs(np.random.default_rng(1), decisions)
    table = find_table("gubs")
    exact = MonteCarlo(table, **(NETWORK if network else {}), horizon=0, margin=0)
    known = [
        gains_of_moves(exact, playouts, views[index : index + 1], rngs[index])
        for index in track(range(decisions), "playing out every move")
    ]
    print("| search | options | gain a decision, × 10⁻³ | another move | ms |")
    print("|---|---|---|---|---|")
    for kind, options in WITH_NETWORK if network else WITHOUT_NETWORK:
        search = kind(table, seed=0, **options)
        search.search(views[:1])  # compile
        start = time.process_time()
        moves = search.search(views, spawn_rngs(np.random.default_rng(2), decisions)).tolist()
        ms = 1000 * (time.process_time() - start) / decisions
        mean, low, high = (1000 * value for value in mean_gain(known, moves))
        others = np.mean([own[move] != 0 for own, move in zip(known, moves, strict=True)])
        own = {name: value for name, value in options.items() if NETWORK.get(name) != value}
        told = ", ".join(f"{name}={value}" for name, value in own.items())
        print(
            f"| {kind.__name__} | {told} | {mean:.1f} ({low:.1f} … {high:.1f}) "
            f"| {others:.0%} | {ms:.0f} |",
            flush=True,
        )


def strength(processes: int = 1, network: bool = False) -> None:
    """Play a search with 1 to 256 ms a decision against the policy that it improves; hours.

    Args:
        processes: number of processes that play.
        network: whether montecarlo with the shipped network plays that network; else ismcts plays
            the heuristic.
    """
    opponent, searcher, options = (
        ("policy", "montecarlo", "+weights=shipped") if network else ("heuristic", "ismcts", "")
    )
    share = {}
    for ms, deals in track(DEALS.items(), "playing", len(DEALS)):
        name = f"{searcher}:ms={ms}{options}"
        result = arena.tournament(
            f"{opponent},{name}",
            deals=deals,
            processes=processes,
            out=f"runs/strength/{searcher}/{ms}",
            resume=True,
        )
        row, numbers = result.labels.index(name), result.numbers.share
        share[ms] = [100 * float(part[row]) for part in numbers]
    print(
        f"\n| ms a decision | win rate against {opponent} | 95 % interval | games |\n"
        "|---|---|---|---|"
    )
    for ms, (value, low, high) in share.items():
        print(f"| {ms} | {value:.1f} % | {low:.1f} – {high:.1f} % | {2 * DEALS[ms]} |")
    draw(share, searcher, "the network" if network else "the heuristic")


class RedrawnGames(VectorEnv):
    """A vectorised environment whose secrets can be drawn anew."""

    def redraw(self, rows: np.ndarray, rng: np.random.Generator) -> None:
        """Draw anew everything that the seat to decide does not know, in these games."""
        self._states[rows] = self.views(rows)
        for row, words in zip(rows, spawn_rngs(rng, len(rows)), strict=True):
            self.game.kernel.determinize(self._states, row, words)


def wins_in_seat(seat: int, redrawn: bool) -> np.ndarray:
    """Return the share of the win of ismcts in a seat against greedy, float64[SECRET_DEALS]."""
    games = RedrawnGames(
        find_table("gubs"), SECRET_DEALS, seed=FIRST_SECRET_DEAL, autoreset=False, skip_forced=True
    )
    rng = np.random.default_rng(seat)
    search, opponent = (
        gubs_agents.make("ismcts", seed=0, playouts=300),
        gubs_agents.make("greedy", seed=1),
    )
    wins = np.zeros(SECRET_DEALS)
    while (games.actors >= 0).any():
        own, others = np.flatnonzero(games.actors == seat), np.flatnonzero(games.actors == 1 - seat)
        actions = np.full(SECRET_DEALS, LOOK)
        if own.size:
            if redrawn:
                games.redraw(own, rng)
            actions[own] = search.search(games.views(own))
        actions[others] = opponent.act(games.observations[others], games.masks[others])
        games.step(actions)
        wins += np.where(games.dones, (games.rewards[:, seat] + 1) / 2, 0)
    return wins


def secrets() -> None:
    """Test whether ismcts wins by what it may not know; this takes 15 minutes."""
    print("| games | win rate of ismcts against greedy | 95 % interval |\n|---|---|---|")
    for redrawn, told in ((False, "as they are"), (True, "redrawn before each decision")):
        wins = (wins_in_seat(0, redrawn) + wins_in_seat(1, redrawn)) / 2
        mean, low, high = (100 * value for value in mean_with_interval(wins, (0.0, 1.0)))
        print(f"| {told} | {mean:.1f} % | {low:.1f} – {high:.1f} % |", flush=True)


def draw(share: dict[int, list[float]], searcher: str, opponent: str) -> None:
    """Draw the table of `strength` as a curve."""
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
    axes.set_ylabel(f"win rate against {opponent}, %")
    axes.set_title(f"{searcher} for Gubs, 2 players, with 95 % intervals")
    axes.spines[["top", "right"]].set_visible(False)
    image = IMAGES / f"{searcher}.png"
    figure.savefig(image, dpi=120)
    print(f"drew {image}")


if __name__ == "__main__":
    print_everywhere()
    parts = {"speed": speed, "gains": gains_a_decision, "strength": strength, "secrets": secrets}
    tyro.extras.subcommand_cli_from_dict(parts, description="Measure the searching agents.")
