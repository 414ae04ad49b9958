"""Does a critic that sees all hands teach more? FUBNUB's teams, trained with it and without.

    python experiments/all_hands.py                   # three seeds each
    python experiments/all_hands.py --seeds 1 --steps 65536 --imitate 65536

Only the value of a position is judged with the hands of the other seats, in training (an asymmetric
critic: Pinto et al., "Asymmetric actor critic for image-based robot learning", 2018). The policy
sees what a player may see. Without, the same critic reads zeros in their place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
import tyro
from stable_baselines3.common.vec_env import VecEnv

from gubs_agents.common.symmetry import show
from gubs_agents.scripted.by_game import symmetry_of
from gubs_agents.training.options import Options
from gubs_agents.training.ppo import ADAM_EPSILON, PPOLearner
from gubs_agents.training.rollout import Rollout
from gubs_agents.training.run import Run
from gubs_agents.training.torch_network import PolicyAndValue, Trunk
from gubs_env.api.sb3 import SelfPlayVecEnv
from gubs_env.support.markdown import table as markdown_table
from gubs_env.support.output import print_everywhere

RECIPE: dict[str, Any] = {
    "game": "fubnub", "variety": 0.1, "games": 2048, "rollout": 17, "teacher": "heuristic",
    "reward": "lead", "discount": 0.9, "learning_rate": 5e-4, "last_entropy": 0.001,
    "baselines": "heuristic", "baseline_share": 0.3, "newest_share": 0.3, "snapshot_every": 16,
    "evaluate_every": 24, "evaluation_deals": 500, "checkpoint_every": 64,
}  # fmt: skip
"""Those of the shipped network; 16 of 17 decisions are learned from."""


@dataclass(frozen=True)
class Arguments:
    """Training with and without a critic that sees all hands."""

    seeds: int = 3
    """Number of runs of each kind."""
    imitate: int = 2_000_000
    """Decisions of the heuristic to imitate."""
    steps: int = 4_000_000
    """Decisions of self-play."""
    report_deals: int = 4000
    """Deals of the report, each played by both teams."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """As for `gubs train`."""
    out: Path = Path("runs/all_hands")
    """Folder of the runs; what is finished there is not repeated."""


class WithCritic(PolicyAndValue):
    """A policy that reads the observation, and a value with layers of its own, which reads more.

    Args:
        network: the policy.
        inputs: number of entries of an observation.
        more: number of further entries.
    """

    def __init__(self, network: PolicyAndValue, inputs: int, more: int) -> None:
        super().__init__(network.trunk, network.policy, network.value)
        width = network.value.in_features
        self.critic, self.inputs = Trunk(inputs + more, width, len(network.trunk.layers)), inputs

    def forward(
        self, inputs: torch.Tensor, entries: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        own = entries < self.inputs
        log_probs, _ = super().forward(inputs[:, own], entries[own], masks)
        return log_probs, self.value(self.critic.from_inputs(inputs, entries))[:, 0].float()


class AllHandsLearner(PPOLearner):
    """PPO whose critic sees the hands of the other seats, or zeros in their place.

    Args:
        options, env: as for `PPOLearner`.
        seen: whether it sees them.
    """

    def __init__(self, options: Options, env: VecEnv, seen: bool = True) -> None:
        super().__init__(options, env)
        assert isinstance(env, SelfPlayVecEnv)
        self.env, self.seen, table = env, seen, options.table
        self.symmetry, self.others = symmetry_of(table.game), range(1, table.num_players)
        self.hand = table.observation_slices["hand"]
        more = len(self.others) * self.hand.size
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(options.seed)
            self.network = WithCritic(self.network, table.observation_size, more).to(self.device)
        self.optimizer = torch.optim.Adam(self.network.parameters(), eps=ADAM_EPSILON, fused=True)

    def act(
        self, observations: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        actions, _ = super().act(observations, masks)
        return actions, {"hands": self._hands(len(observations))}

    def _hands(self, count: int) -> np.ndarray:
        """Return the hands of the other seats, clockwise, as the policy sees its own."""
        games = self.env.games
        size, none_legal = self.hand.size, np.zeros((count, games.table.num_actions), np.int8)
        hands = np.zeros((count, len(self.others) * size), np.int8)
        for number in self.others if self.seen else ():
            seats = (games.actors + number) % games.table.num_players
            theirs = show(self.symmetry, games.observe(np.arange(count), seats), none_legal)
            hands[:, (number - 1) * size : number * size] = self.hand.of(theirs.observations)
        return hands

    def learn(self, rollout: Rollout, progress: float) -> dict[str, float]:
        """Learn from all decisions but the last of each game, which only tells its position."""
        both = np.concatenate([rollout.observations, rollout.extras["hands"]], -1)
        names = "masks", "actions", "rewards", "starts", "dones"
        parts = {name: getattr(rollout, name)[:-1] for name in names}
        kept = rollout.cut_off[:, 0] < len(both) - 1
        last = rollout.last_observations[kept]
        unseen = np.zeros((len(last), both.shape[-1] - last.shape[-1]), np.int8)
        return super().learn(
            rollout._replace(
                **parts, observations=both[:-1], next_observations=both[-1], extras={},
                cut_off=rollout.cut_off[kept], last_observations=np.concatenate([last, unseen], 1),
            ),
            progress,
        )  # fmt: skip


def trained(arguments: Arguments, seed: int, seen: bool) -> str:
    """Return the win rate of a run against the heuristic, with its interval."""
    folder = arguments.out / f"{'all_hands' if seen else 'own_hand'}_{seed}"
    options = Options(
        out=str(folder), seed=seed, imitate=arguments.imitate, steps=arguments.steps,
        report_deals=arguments.report_deals, precision=arguments.precision, **RECIPE,
    )  # fmt: skip
    begun = any((folder / "checkpoints").glob("*"))
    run = Run(options, resume=begun, make_learner=partial(AllHandsLearner, seen=seen))
    run.train()
    return str(run.report()["heuristic"])


def main() -> None:
    arguments = tyro.cli(Arguments)
    rows = [
        (str(seed), *(trained(arguments, seed, seen) for seen in (True, False)))
        for seed in range(arguments.seeds)
    ]
    print(markdown_table(["seed", "all hands", "its own hand"], rows))


if __name__ == "__main__":
    print_everywhere()
    main()
