"""Measure the learner's decisions per second: `train.py` beside PettingZoo's recipe.

    python benchmarks/training.py

PettingZoo's documentation has a recipe for action masking with Stable-Baselines3: it wraps the AEC
environment as a Gymnasium one, and a single MaskablePPO with default options learns from the
decisions of all seats, one game at a time. `train.py` runs with its defaults, opponents included.

Also prints the parts of the time that `train.py` spends, and how long learning takes beside plain
products of matrices of the same shapes.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from typing import Literal

import gymnasium
import numpy as np
import pettingzoo.utils
import torch
import tyro
from sb3_contrib import MaskablePPO
from sb3_contrib.common.wrappers import ActionMasker

from gubs_agents.networks.inputs import inputs_of
from gubs_agents.training.collector import Collector
from gubs_agents.training.metrics import TIMES, read_table
from gubs_agents.training.options import Options
from gubs_agents.training.ppo import PPOLearner
from gubs_agents.training.rollout import Rollout
from gubs_agents.training.run import Run
from gubs_agents.training.torch_network import threads
from gubs_agents.training.worker import make_games
from gubs_env import gubs_v0
from gubs_env.support.output import print_everywhere

PLAIN_STEPS = 6 * 2048  # whole rollouts of MaskablePPO's default length
UPDATES = 12
PRECISIONS: tuple[Literal["float32", "bfloat16"], ...] = ("float32", "bfloat16")
PARTS = ("environment", "opponents", "inference", "learning")


class OneSeatAfterAnother(pettingzoo.utils.BaseWrapper, gymnasium.Env):
    """An AEC environment for a single learner that decides for every seat in turn."""

    metadata = gubs_v0.env.metadata

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        agent = self.possible_agents[0]
        self.observation_space = self.env.observation_space(agent)["observation"]
        self.action_space = self.env.action_space(agent)
        return self.observe(self.agent_selection)["observation"], {}

    def step(self, action):
        mover = self.agent_selection
        super().step(action)
        observation = self.observe(self.agent_selection)["observation"]
        over = self.terminations[mover]
        return observation, self.rewards[mover], over, self.truncations[mover], {}

    def action_mask(self):
        return self.observe(self.agent_selection)["action_mask"]


def plain() -> float:
    """Return decisions per second of PettingZoo's recipe."""
    env = OneSeatAfterAnother(gubs_v0.env())
    env.reset(seed=0)
    model = MaskablePPO("MlpPolicy", ActionMasker(env, lambda _: env.action_mask()), seed=0)
    start = time.perf_counter()
    model.learn(PLAIN_STEPS)
    return PLAIN_STEPS / (time.perf_counter() - start)


def ours() -> tuple[float, dict[str, float]]:
    """Return decisions per second of `train.py` and the fraction of time of each part.

    Evaluations and checkpoints do not count.
    """
    with tempfile.TemporaryDirectory() as folder:
        defaults = Options()
        steps = defaults.games * defaults.rollout
        run = Run(Options(out=folder, imitate=0, steps=UPDATES * steps, evaluation_deals=2))
        run.train()
        rows = read_table(run.folder / TIMES)[2:]
    seconds = sum(float(row["seconds"]) for row in rows)
    shares = {part: sum(float(row[part]) for row in rows) / seconds for part in PARTS}
    return len(rows) * steps / seconds, shares


def products(learner: PPOLearner, rollout: Rollout) -> float:
    """Return the processor seconds of all products of matrices by which a rollout is learnt.

    The network judges all decisions once. In each pass a minibatch goes forward through all layers,
    and back to the weights of all and to the inputs of all but the first. The products are those of
    warm matrices that nothing else reads or writes.
    """
    options, rows = learner.options, rollout.observations.reshape(rollout.actions.size, -1)
    kind = torch.bfloat16 if learner.shared == 0 else torch.float32
    inputs, _ = inputs_of(np.ascontiguousarray(rows[:: len(rows) // options.batch]))
    sizes = [(linear.in_features, linear.out_features) for linear in learner.network.linears]
    sizes[0] = inputs.shape[1], options.width
    minibatches, judged = (len(rows) // options.batch * k for k in (options.epochs, 1))
    seconds = 0.0
    for number, (before, after) in enumerate(sizes):
        values = torch.randn(options.batch, before, dtype=kind)
        weights, slopes = (torch.randn(k, after, dtype=kind) for k in (before, options.batch))
        forward = time_of(50, torch.mm, values, weights)
        back = time_of(50, torch.mm, values.T, slopes)
        back += time_of(50, torch.mm, slopes, weights.T) if number else 0
        seconds += minibatches * (forward + back) + judged * forward
    return seconds


def time_of(repeats: int, work: Callable[..., object], *arguments: object) -> float:
    """Return the processor seconds of some work, by the median."""
    taken = []
    for _ in range(repeats):
        started = time.process_time()
        work(*arguments)
        taken.append(time.process_time() - started)
    return float(np.median(taken))


def learning(precision: Literal["float32", "bfloat16"]) -> tuple[float, float]:
    """Return the processor seconds of learning from a rollout, and of its products, on a core."""
    options = Options(precision=precision)
    env = make_games(options)
    learner, collector = PPOLearner(options, env), Collector(env, None)
    collector.reset()
    rollout = collector.collect(learner, options.rollout)
    with threads(1):
        found = [
            (time_of(3, learner.learn, rollout, 0.0), products(learner, rollout)) for _ in range(5)
        ]
    taken, least = np.median(found, 0)
    return float(taken), float(least)


def main() -> None:
    print(f"{torch.get_num_threads()} threads of PyTorch")
    before, (rate, shares), after = plain(), ours(), plain()
    slow = (before + after) / 2
    print("| training | decisions/s | × |\n|---|---|---|")
    print(f"| PettingZoo's recipe | {slow:,.0f} | 1.0 |")
    print(f"| train.py | {rate:,.0f} | {rate / slow:.1f} |")
    print(
        "Of train.py's time " + ", ".join(f"{part} {share:.0%}" for part, share in shares.items())
    )
    print("\n| learning on a core | seconds | products of matrices | part |\n|---|---|---|---|")
    for precision in PRECISIONS:
        taken, least = learning(precision)
        print(f"| {precision} | {taken:.2f} | {least:.2f} | {least / taken:.0%} |")


if __name__ == "__main__":
    print_everywhere()
    tyro.cli(main, description=__doc__)
