"""Measure the recipes of docs/clients.md, beside the same libraries on PettingZoo's connect_four.

    python benchmarks/clients.py                   # the libraries that `./run clients` has set up
    python benchmarks/clients.py torchrl sb3       # some of them

Every library runs in its environment, `.venv-NAME`. A figure is decisions of the learning agent
per second of CPU time on one core. Random play chooses uniformly among the legal actions. Learning
runs the recipe of the page, or the one named; the clock starts when its environment is made. For
connect_four, the recipe gets a Gymnasium environment with a random opponent, in Gymnasium's
SyncVectorEnv where it asks for several games.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import gymnasium
import numpy as np
import tyro
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from pettingzoo import AECEnv

from gubs_env import gubs_v0
from gubs_env.support.output import print_everywhere

ROOT = Path(__file__).parents[1]
NAMES = ("pettingzoo", "supersuit", "cleanrl", "sb3", "torchrl", "tianshou", "agilerl", "rllib")
GAMES = ("gubs", "connect_four")
PLAYED = 4000
"""Decisions of random play in a round."""
ID = "gubs_env:gubs_env/Gubs-v0"
Measure = Callable[[str], tuple[int, float]]
"""Take the name of a game; return the number of decisions and the CPU seconds."""


def table(game: str) -> AECEnv:
    """Return the PettingZoo environment of a game."""
    if game == "gubs":
        return gubs_v0.env()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PettingZoo deprecates this way of making its classics
        from pettingzoo.classic import connect_four_v3
    return connect_four_v3.env()


class Alone(gymnasium.Env):
    """connect_four for one agent, against uniformly random moves."""

    def __init__(self, as_dict: bool = False) -> None:
        self.table, self.as_dict = table("connect_four"), as_dict
        self.table.reset()
        vector, mask = spaces.Box(0, 1, (84,)), spaces.Box(0, 1, (7,))
        both = spaces.Dict({"observation": vector, "action_mask": mask})
        self.observation_space = both if as_dict else vector
        self.action_space = spaces.Discrete(7)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.table.reset(seed=seed)
        self.agent = self.table.possible_agents[self.np_random.integers(2)]
        return self._play_on()[0::4]

    def step(self, action: Any) -> Any:
        self.table.step(int(action))
        return self._play_on()

    def _play_on(self) -> Any:
        while self.table.agent_selection != self.agent and not self.table.terminations[self.agent]:
            seen = self.table.last()[0]
            self.table.step(int(self.np_random.choice(np.flatnonzero(seen["action_mask"]))))
        seen, over = self.table.observe(self.agent), self.table.terminations[self.agent]
        vector, mask = seen["observation"].ravel().astype(np.float32), seen["action_mask"]
        shown = {"observation": vector, "action_mask": mask.astype(np.float32)}
        reward = float(self.table.rewards[self.agent])
        return (shown if self.as_dict else vector), reward, over, False, {"action_mask": mask}


@dataclass
class Clock:
    """Counts the decisions in environments, and the CPU time since the first was made."""

    decisions: int = 0
    start: float = field(default_factory=time.process_time)

    def watch(self, env: Any, games: int = 1) -> Any:
        """Count `games` decisions for every step of an environment."""
        step = env.step

        def counted(actions: Any) -> Any:
            self.decisions += games
            return step(actions)

        env.step = counted
        return env

    def read(self) -> tuple[int, float]:
        """Return the decisions and the seconds so far."""
        return self.decisions, time.process_time() - self.start


def alone(game: str, **options: Any) -> Any:
    """Return the Gymnasium environment of a game, with a random opponent."""
    if game == "gubs":
        return gymnasium.make(ID, **{**options, "opponents": "random"}).unwrapped
    return Alone(as_dict=options.get("dict_observations", False))


def vector(game: str, num_envs: int) -> Any:
    """Return `num_envs` games as a vectorised Gymnasium environment, with random opponents."""
    if game == "gubs":
        options: dict[str, Any] = {"opponents": "random", "dtype": "float32"}
        mode = "vector_entry_point"
        return gymnasium.make_vec(ID, num_envs=num_envs, vectorization_mode=mode, **options)
    return SyncVectorEnv([Alone] * num_envs, autoreset_mode=AutoresetMode.SAME_STEP)


def recipe(title: str) -> Measure:
    """Return a measurement of a section's recipe, whose environments are those of a game."""

    def measure(game: str) -> tuple[int, float]:
        clocks: list[Clock] = []

        def watched(env: Any, games: int = 1) -> Any:
            clocks[:] = clocks or [Clock()]
            return clocks[0].watch(env, games)

        from tests.clients import recipes

        original, original_vec = gymnasium.make, gymnasium.make_vec

        def make(*_: Any, **options: Any) -> Any:
            with mock.patch("gymnasium.make", original):
                return watched(alone(game, **options))

        def make_vec(*_: Any, num_envs: int, **__: Any) -> Any:
            with mock.patch("gymnasium.make_vec", original_vec):
                return watched(vector(game, num_envs), num_envs)

        with mock.patch("gymnasium.make", make), mock.patch("gymnasium.make_vec", make_vec):
            recipes.run(title)
        return clocks[0].read()

    return measure


def aec(wrap: Callable[[AECEnv], AECEnv] = lambda env: env) -> Measure:
    """Return a measurement of random play by `last()` and `step()`, all seats together."""

    def measure(game: str) -> tuple[int, float]:
        env, rng = wrap(table(game)), np.random.default_rng(0)
        env.reset(seed=0)
        clock = Clock()
        while clock.decisions < PLAYED:
            _, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            mask = env.unwrapped.observe(env.agent_selection)["action_mask"]
            env.step(int(rng.choice(np.flatnonzero(mask))))
            clock.decisions += 1
        return clock.read()

    return measure


def gymnasium_vector(game: str) -> tuple[int, float]:
    """Play uniformly at random in 64 games."""
    envs, rng = vector(game, 64), np.random.default_rng(0)
    _, infos = envs.reset(seed=0)
    clock = Clock()
    while clock.decisions < PLAYED:
        mask = infos["action_mask"]
        actions = np.where(mask, rng.random(mask.shape, np.float32), -1).argmax(1)
        infos = envs.step(actions)[-1]
        clock.decisions += len(actions)
    return clock.read()


def masked_ppo(game: str) -> tuple[int, float]:
    """Learn with MaskablePPO and its defaults in one Gymnasium environment."""
    from gymnasium.wrappers import FlattenObservation
    from sb3_contrib import MaskablePPO

    class Masked(FlattenObservation):
        def reset(self, **options: Any) -> Any:
            observation, self.info = super().reset(**options)
            return observation, self.info

        def step(self, action: Any) -> Any:
            *result, self.info = super().step(action)
            return *result, self.info

        def action_masks(self) -> np.ndarray:
            return self.info["action_mask"].astype(bool)

    model = MaskablePPO("MlpPolicy", Masked(alone(game)), seed=0)
    clock = Clock()
    model.learn(2048)
    return model.num_timesteps, clock.read()[1]


def self_play(game: str) -> tuple[int, float]:
    """Learn as in the first recipe of the page, against a random opponent."""
    from sb3_contrib import MaskablePPO

    import gubs_agents
    from gubs_env import find_table
    from gubs_env.api.sb3 import Pool, SelfPlayVecEnv

    pool = Pool({"random": gubs_agents.make("random", seed=0)})
    envs = SelfPlayVecEnv(find_table("gubs"), 256, pool, seed=0)
    model = MaskablePPO("MlpPolicy", envs, n_steps=32, batch_size=2048, n_epochs=4, seed=0)
    clock = Clock()
    model.learn(16_384)
    return model.num_timesteps, clock.read()[1]


def torchrl_vector(game: str) -> tuple[int, float]:
    """Roll out TorchRL's random policy in 64 games."""
    import torch
    from torchrl.envs import ActionMask, Compose, DTypeCastTransform, GymWrapper, TransformedEnv

    wrapped = GymWrapper(vector(game, 64), categorical_action_encoding=True)
    to_bool = DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"])
    env = TransformedEnv(wrapped, Compose(to_bool, ActionMask()))
    clock = Clock()
    batch = env.rollout(PLAYED // 64, break_when_any_done=False)
    return batch.numel(), clock.read()[1]


def torchrl_table(game: str) -> tuple[int, float]:
    """Roll out TorchRL's random policy in the game of all players."""
    from torchrl.envs import PettingZooWrapper

    env = PettingZooWrapper(table(game), use_mask=True)
    clock = Clock()
    batch = env.rollout(PLAYED // 4, break_when_any_done=False)
    return batch.numel(), clock.read()[1]


def rllib_table(game: str) -> tuple[int, float]:
    """Play uniformly at random in RLlib's form of the game."""
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

    from gubs_env.adapters.rllib import RLlibEnv

    env: Any = RLlibEnv({"game": "gubs"}) if game == "gubs" else PettingZooEnv(table(game))
    rng = np.random.default_rng(0)
    clock = Clock()
    seen: dict[str, Any] = {}
    while clock.decisions < PLAYED:
        if not seen:
            seen = env.reset()[0]
        [(agent, both)] = seen.items()
        action = rng.choice(np.flatnonzero(both["action_mask"]))
        seen, _, over, _, _ = env.step({agent: int(action)})
        seen = {} if over["__all__"] else seen
        clock.decisions += 1
    return clock.read()


def in_supersuit(env: AECEnv) -> AECEnv:
    """Return an environment in wrappers of SuperSuit: four vectors of floats, stacked."""
    import supersuit

    vectors = supersuit.observation_lambda_v0(
        env,
        lambda seen, space, agent: seen["observation"].ravel().astype(np.float32),
        lambda space, agent: spaces.Box(0, 127, (int(np.prod(space["observation"].shape)),)),
    )
    return supersuit.frame_stack_v1(vectors, 4)


def rows(name: str) -> dict[tuple[str, str], Measure]:
    """Return the measurements in the environment of a library: by what is measured, and how."""
    play, learn = "random play", "learning"
    measures: dict[str, dict[tuple[str, str], Measure]] = {
        "pettingzoo": {(play, "`env()`"): aec(), (play, "`make_vec`, 64"): gymnasium_vector},
        "supersuit": {(play, "`env()`, four frames stacked"): aec(in_supersuit)},
        "cleanrl": {(learn, "PPO, `make_vec`, 64"): recipe("CleanRL")},
        "sb3": {
            (learn, "MaskablePPO, `SelfPlayVecEnv`, 256"): self_play,
            (learn, "MaskablePPO with its defaults, Gymnasium id"): masked_ppo,
        },
        "torchrl": {
            (play, "`make_vec`, 64"): torchrl_vector,
            (play, "`PettingZooWrapper`"): torchrl_table,
            (learn, "PPO, `make_vec`, 64"): recipe("TorchRL"),
        },
        "tianshou": {(learn, "DQN, Gymnasium id, 8"): recipe("Tianshou")},
        "agilerl": {(learn, "PPO, `make_vec`, 64"): recipe("AgileRL")},
        "rllib": {(play, "`RLlibEnv`; `PettingZooEnv`"): rllib_table},
    }
    return measures[name]


def measure(name: str, rounds: int) -> None:
    """Print the speeds of a library as JSON; the rounds of the games are interleaved."""
    speeds: dict[str, dict[str, list[float]]] = {}
    for (kind, label), measured in rows(name).items():
        games = GAMES[:1] if measured is self_play else GAMES
        speeds[f"{kind}|{label}"] = {game: [] for game in games}
        measured("gubs")  # not counted: the first time loads compiled code and parts of PyTorch
        for game in games * rounds:
            decisions, seconds = measured(game)
            speeds[f"{kind}|{label}"][game].append(decisions / seconds)
    print(json.dumps(speeds))


def main(
    names: tyro.conf.Positional[tuple[str, ...]] = (), rounds: int = 3, here: str = ""
) -> None:
    """Print the table of some libraries, or of all.

    Args:
        names: the libraries; none means all.
        rounds: number of measurements of each figure; the median counts.
        here: measure this library in this process, and print JSON.
    """
    if here:
        sys.path.append(str(ROOT))
        return measure(here, rounds)
    print("| library | what | recipe | gubs | connect_four | ratio |\n|---|---|---|---|---|---|")
    for name in names or NAMES:
        folder = ROOT / {"pettingzoo": ".venv-supersuit"}.get(name, f".venv-{name}")
        python = next((path for path in folder.glob("*/python*") if path.stem == "python"), None)
        if python is None:
            print(f"{name}: run `./run clients {name}` first, which sets up {folder.name}")
            continue
        command = [str(python), "-W", "ignore", __file__, "--here", name, "--rounds", str(rounds)]
        env = os.environ | {"OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env)
        if done.returncode:
            print(f"{name}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
            continue
        for key, speeds in json.loads(done.stdout.splitlines()[-1]).items():
            medians = [statistics.median(speed) for speed in speeds.values()]
            figures = [f"{speed:,.0f}" for speed in medians] + ["–"] * (2 - len(medians))
            ratio = f"{medians[0] / medians[1]:.1f}" if medians[1:] else "–"
            kind, label = key.split("|")
            print(
                f"| {name} | {kind} | {label} | {figures[0]} | {figures[1]} | {ratio} |", flush=True
            )


if __name__ == "__main__":
    print_everywhere()
    tyro.cli(main, description=__doc__)
