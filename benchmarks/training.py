"""Measure the learner's decisions per second: `train.py` beside PettingZoo's recipe.

    python benchmarks/training.py

PettingZoo's documentation has a recipe for action masking with Stable-Baselines3: it wraps the AEC
environment as a Gymnasium one, and a single MaskablePPO with default options learns from the
decisions of all seats, one game at a time. `train.py` runs with its defaults, opponents included.

Also prints the parts of the time that `train.py` spends.
"""

from __future__ import annotations

import tempfile
import time

import gymnasium
import pettingzoo.utils
import torch
import tyro
from sb3_contrib import MaskablePPO
from sb3_contrib.common.wrappers import ActionMasker

from gubs_agents.training.metrics import TIMES, read_table
from gubs_agents.training.options import Options
from gubs_agents.training.run import Run
from gubs_env import gubs_v0
from gubs_env.support.output import print_everywhere

PLAIN_STEPS = 6 * 2048  # whole rollouts of MaskablePPO's default length
UPDATES = 12
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


if __name__ == "__main__":
    print_everywhere()
    tyro.cli(main, description=__doc__)
