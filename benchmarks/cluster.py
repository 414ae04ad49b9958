"""Measure what a Ray cluster gives: env runners, training, tournaments, and what is sent.

    python benchmarks/cluster.py runner        decisions/s of an env runner beside SelfPlayVecEnv
    python benchmarks/cluster.py training      decisions/s by backend and number of env runners
    python benchmarks/cluster.py tournament    games/s and searches/s by number of cores
    python benchmarks/cluster.py sizes         bytes of decisions, weights and games

Needs the extras `train`, `arena` and `ray`. docs/scaling.md calculates with these figures.
"""

from __future__ import annotations

import contextlib
import io
import logging
import pickle
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import ray
import tyro
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from gubs_agents import arena
from gubs_agents.training.backend import LocalBackend
from gubs_agents.training.metrics import TIMES, read_table
from gubs_agents.training.options import Options
from gubs_agents.training.rllib.backend import RLlibBackend
from gubs_agents.training.rllib.module import MaskedNetwork
from gubs_agents.training.run import Run
from gubs_env.adapters.rllib import RLlibEnv
from gubs_env.support.cluster import RAY, in_order
from gubs_env.support.output import print_everywhere

COUNTS = (1, 2, 4)
ROLLOUTS, UPDATES, WARM = 6, 10, 2
GAMES = {"heuristic,greedy": (20_000, 512), "heuristic,ismcts:playouts=200": (40, 2)}
"""Deals and games side by side of the tournaments, by field."""


@contextlib.contextmanager
def cluster(cores: int) -> Iterator[None]:
    """Run a Ray cluster on this machine with a number of cores."""
    ray.init(
        address="local", num_cpus=cores, include_dashboard=False, log_to_driver=False,
        logging_level=logging.ERROR,
    )  # fmt: skip
    try:
        yield
    finally:
        ray.shutdown()


def rate(work: Callable[[], int]) -> float:
    """Return what a function counts, a second, in the best of several calls after a first one."""
    work()
    best = 0.0
    for _ in range(ROLLOUTS):
        start = time.perf_counter()
        best = max(best, work() / (time.perf_counter() - start))
    return best


def new_run(folder: str, backend: Literal["local", "rllib"]) -> Run:
    """Return a run of `./run train` without imitation, with its opponent pool."""
    run = Run(Options(out=folder, backend=backend, imitate=0, evaluation_deals=2))
    run._prepare()
    run.backend.reset()
    return run


def one_game_at_a_time() -> float:
    """Return decisions/s of RLlib's own runner for several agents, all seats counted."""
    algorithm = (
        PPOConfig()
        .environment(RLlibEnv, env_config={"game": "gubs"})
        .env_runners(num_env_runners=0, rollout_fragment_length=500)
        .multi_agent(policies={"all"}, policy_mapping_fn=lambda agent, *_, **__: "all")
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=MaskedNetwork, model_config={"width": 256, "layers": 2}
            )
        )
        .build_algo()
    )
    runner = algorithm.env_runner
    found = rate(lambda: sum(len(episode) for episode in runner.sample(num_timesteps=500)))
    algorithm.stop()
    return found


def runner() -> None:
    """Compare the env runners with SelfPlayVecEnv, all in this process with one thread."""
    with cluster(1), tempfile.TemporaryDirectory() as folder:
        alone = one_game_at_a_time()
        local = new_run(f"{folder}/local", backend="local").backend
        assert isinstance(local, LocalBackend)
        rollout = local.options.rollout

        def collect() -> int:
            return local.collector.collect(local.learner, rollout).actions.size

        backend = new_run(f"{folder}/rllib", backend="rllib").backend
        assert isinstance(backend, RLlibBackend)
        own = backend.algorithm.env_runner

        def play() -> int:
            return sum(len(episode) for episode in own.play(rollout).episodes)

        bare, batched = rate(collect), rate(play)
        start = time.perf_counter()
        spent = own.play(rollout).seconds
        seconds = time.perf_counter() - start
        backend.close()
    print("| env runner | decisions/s |\n|---|---|")
    print(f"| RLlib's for several agents, one game at a time | {alone:,.0f} |")
    print(f"| `SelfPlayRunner`, {local.options.games} games side by side | {batched:,.0f} |")
    print(f"| `SelfPlayVecEnv` with the policy, without RLlib | {bare:,.0f} |")
    parts = {part: value / seconds for part, value in spent.items()}
    parts["episodes for RLlib"] = 1 - sum(parts.values())
    told = ", ".join(f"{part} {share:.0%}" for part, share in parts.items())
    print(f"\nThe time of `SelfPlayRunner`: {told}")


def training() -> None:
    """Compare training by backend and number of env runners."""
    print("| backend | env runners | decisions/s | sampling, ms | learning and waiting, ms |")
    print("|---|---|---|---|---|")
    kinds: list[tuple[Literal["local", "rllib"], int]] = [("local", 0), ("rllib", 0)]
    kinds += [("rllib", count) for count in COUNTS]
    for backend, runners in kinds:
        with cluster(max(1, runners)), tempfile.TemporaryDirectory() as folder:
            options = Options(
                out=folder, backend=backend, runners=runners, imitate=0, evaluation_deals=2
            )
            steps = options.games * options.rollout
            run = Run(replace(options, steps=UPDATES * steps))
            with contextlib.redirect_stderr(io.StringIO()):
                run.train()
            rows = read_table(run.folder / TIMES)[WARM:]
        column = {name: np.median([float(row[name]) for row in rows]) for name in rows[0]}
        sampling = column["seconds"] - column["learning"]
        print(
            f"| {backend} | {runners or 'in the process'} | {steps / column['seconds']:,.0f} | "
            f"{1000 * sampling:,.0f} | {1000 * column['learning']:,.0f} |"
        )


def tournament() -> None:
    """Compare tournaments on different numbers of cores with those in this process."""
    print("| field | backend | cores | games/s |\n|---|---|---|---|")
    for agents, (deals, batch) in GAMES.items():
        field = {"agents": agents, "deals": deals, "batch": batch, "resamples": 2}
        print(f"| {agents} | local | 1 | {games_a_second(field, 'local'):,.1f} |")
        for cores in COUNTS:
            with cluster(cores):
                found = games_a_second(field, "ray")
            print(f"| {agents} | ray | {cores} | {found:,.1f} |")


def games_a_second(field: dict[str, Any], backend: str) -> float:
    """Return games/s of a tournament, after one that starts the processes."""
    arena.tournament(**field | {"deals": 4 * field["batch"]}, backend=backend)
    start = time.perf_counter()
    result = arena.tournament(**field, backend=backend)
    return len(result.games.deals) / (time.perf_counter() - start)


def nothing(shared: None, number: int) -> int:
    return number


def sizes() -> None:
    """Print the bytes that a cluster sends, and how many tasks the driver handles."""
    with cluster(1), tempfile.TemporaryDirectory() as folder:
        backend = new_run(folder, backend="rllib").backend
        assert isinstance(backend, RLlibBackend)
        episodes = backend.algorithm.env_runner.sample()
        decisions = sum(len(episode) for episode in episodes)
        weights = backend.weights()
        result = arena.tournament("random,heuristic", deals=500, resamples=2, out=f"{folder}/arena")
        records = pickle.dumps(arena.load(Path(folder, "arena", "games.jsonl"))[1])
        line = len(records) / len(result.games.deals)
        start = time.perf_counter()
        lines = [record.line() for record in pickle.loads(records)]
        read = len(lines) / (time.perf_counter() - start)
        backend.close()
        start = time.perf_counter()
        done = len(list(in_order(RAY, nothing, None, ((k,) for k in range(2000)))))
        tasks = done / (time.perf_counter() - start)
    network = sum(part.nbytes for layer in weights.layers for part in layer)
    sent = len(pickle.dumps(episodes, protocol=5)) / decisions
    print(f"a decision, as an env runner sends it: {sent:,.0f} bytes")
    print(f"the network of 2 × 256 units: {network / 1e6:.2f} MB")
    print(f"a game of the arena: {line:,.0f} bytes")
    print(f"games that the driver counts: {read:,.0f} a second")
    print(f"empty tasks: {tasks:,.0f} a second")


if __name__ == "__main__":
    print_everywhere()
    tyro.extras.subcommand_cli_from_dict(
        {"runner": runner, "training": training, "tournament": tournament, "sizes": sizes},
        description=__doc__,
    )
