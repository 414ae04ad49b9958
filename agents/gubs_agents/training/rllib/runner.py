"""An env runner that plays many games of self-play side by side, with batched inference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import ray
import torch
from gymnasium import spaces
from ray.rllib.core.columns import Columns
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.env.utils.infinite_lookback_buffer import InfiniteLookbackBuffer

from gubs_agents.networks.network import Network, Weights
from gubs_agents.training.backend import make_games, show_games
from gubs_agents.training.collector import Collector
from gubs_agents.training.opponents import NEWEST
from gubs_agents.training.rollout import Rollout
from gubs_agents.training.torch_network import threads
from gubs_env import find_game
from gubs_env.adapters.rllib import ACTION_MASK, OBSERVATIONS
from gubs_env.agents.parsing import parse_rules
from gubs_env.agents.registry import build
from gubs_env.support.cluster import wait_for_the_compiler
from gubs_env.support.errors import described

RESULTS = ("opponents", "win_share")
"""The results of a game that the opponent pool needs."""


class Pool(NamedTuple):
    """The opponent pool, as it is sent to the env runners."""

    chances: Mapping[str, float]
    """Probability of drawing each opponent, by label."""
    snapshots: Mapping[str, ray.ObjectRef]
    """The network of each snapshot by label, in the object store."""
    shaping: float
    """Weight of the shaping potential."""


class Played(NamedTuple):
    """The decisions that a runner has taken, or the error that stopped it."""

    episodes: list[SingleAgentEpisode]
    finished: list[dict[str, Any]]
    """`opponents` and `win_share` of each game that ended, as in the infos of `SelfPlayVecEnv`."""
    seconds: dict[str, float]
    """Seconds spent in each of `collector.PARTS`."""
    error: str = ""


class Spaces:
    """The spaces of self-play games, which RLlib reads from a vectorised environment.

    Observations are int8, a quarter of the bytes that RLlib's own modules would need.

    Args:
        env: the games, as the network sees them.
    """

    def __init__(self, env: Any) -> None:
        self.num_envs, self.unwrapped = env.num_envs, self
        num_actions = int(env.action_space.n)
        self.single_observation_space = spaces.Dict(
            {
                OBSERVATIONS: env.observation_space,
                ACTION_MASK: spaces.MultiBinary(num_actions),
            }
        )
        self.single_action_space = env.action_space
        self.observation_space = self.single_observation_space
        self.action_space = self.single_action_space

    def close(self) -> None:
        """Do nothing: no resources are held."""


class SelfPlayRunner(SingleAgentEnvRunner):
    """An env runner of RLlib on `SelfPlayVecEnv`: a forward pass decides in all games at once.

    `env_config` holds the `options` of the run. The backend sends the opponents with `set_pool`.
    The newest policy among them is the module of this runner.
    """

    def make_env(self) -> None:
        wait_for_the_compiler()
        options = self.config.env_config["options"]
        self.games = make_games(options, self.config.num_envs_per_env_runner, options.seed)
        shown = show_games(self.games)
        self.collector, self.env, self.num_envs = Collector(shown), Spaces(shown), shown.num_envs
        game = find_game(options.game)
        rules = parse_rules(options.rules, game)
        self.baselines = {
            text: build(text, game, options.players, rules, options.seed)
            for text in options.baseline_list
        }
        self.newest: Any = None  # the module, once there is one
        self.symmetry = shown.symmetry
        self.snapshots: dict[str, Network] = {}
        self.deal(0, 0)

    # ---------------------------------------------------------------------- called by the backend

    def set_pool(self, pool: Pool) -> None:
        """Set the opponents of later games."""
        self.snapshots = {
            label: self.snapshots.get(label) or self._network(ray.get(weights))
            for label, weights in pool.snapshots.items()
        }
        if self.newest is None:
            self.newest = self._network(self.module.weights())
        agents = {**self.baselines, NEWEST: self.newest, **self.snapshots}
        self.games.shaping = pool.shaping
        self.games.set_opponents(agents, pool.chances, partner=NEWEST)

    def set_rules(self, period: int) -> None:
        """Give the games the rules of a period of the run."""
        options = self.config.env_config["options"]
        self.collector.set_rules(options.rules_of_games(self.num_envs, options.seed, period))

    def _network(self, weights: Weights) -> Network:
        return Network(weights, draw=True, symmetry=self.symmetry)

    def deal(self, updates: int, restarts: int) -> None:
        """Start new games before the next sample, with deals that no other runner has.

        Args:
            updates: number of updates of the run so far.
            restarts: number of runners started anew so far.
        """
        seed = self.config.env_config["options"].seed
        words = seed, self.worker_index or 0, updates, restarts
        self.games.seed(int(np.random.SeedSequence(words).generate_state(1)[0]))
        self._needs_initial_reset = True

    def play(self, steps: int) -> Played:
        """Take `steps` decisions in every game.

        An exception becomes the `error`: RLlib would start the runner anew without saying why.
        """
        try:
            episodes = self.sample(num_timesteps=steps * self.num_envs)
        except Exception as error:
            return Played([], [], {}, described(error))
        finished = [{key: info[key] for key in RESULTS} for info in self.rollout.finished]
        return Played(episodes, finished, self.seconds)

    # ------------------------------------------------------------------------ called by RLlib

    def _sample(
        self,
        *,
        num_timesteps: int | None = None,
        num_episodes: int | None = None,
        explore: bool,
        random_actions: bool = False,
        force_reset: bool = False,
    ) -> list[SingleAgentEpisode]:
        if num_timesteps is None or random_actions or not explore:
            raise ValueError("self-play samples a number of timesteps with explore=True only")
        self.newest.set_weights(self.module.weights())
        if self._needs_initial_reset or force_reset:
            self.collector.reset()
            self._needs_initial_reset = False
        steps = -(-num_timesteps // self.num_envs)
        self.rollout, self.seconds = self.collector.collect_timed(self, steps)
        self._log_env_steps(metric=self._metrics_num_env_steps_sampled,
                            num_steps=self.rollout.actions.size)  # fmt: skip
        self._increase_sampled_metrics(self.rollout.actions.size, len(self.rollout.finished))
        for info in self.rollout.finished:
            game = info["episode"]
            self._log_episode_metrics(game["l"], game["r"], game["t"])
        return list(episodes_of(self.rollout))

    def act(
        self, observations: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Draw an action for every game; return also the scores and the log probabilities."""
        seen = {OBSERVATIONS: torch.from_numpy(observations), ACTION_MASK: torch.from_numpy(masks)}
        with threads(1), torch.inference_mode():
            out = self.module.forward_exploration({Columns.OBS: seen})
            scores = out[Columns.ACTION_DIST_INPUTS]
            log_probs = torch.log_softmax(scores, -1)
            actions = torch.multinomial(log_probs.exp(), 1)
            chosen = log_probs.gather(1, actions)[:, 0]
        return actions[:, 0].numpy(), {
            Columns.ACTION_DIST_INPUTS: scores.numpy(),
            Columns.ACTION_LOGP: chosen.numpy(),
        }


def episodes_of(rollout: Rollout) -> Iterator[SingleAgentEpisode]:
    """Yield the games of a rollout, each from its first decision there to its last."""
    steps, games = rollout.dones.shape
    last_seen = {
        (int(step), int(game)): seen
        for (step, game), seen in zip(rollout.cut_off, rollout.last_observations, strict=True)
    }
    for game in range(games):
        ends = np.flatnonzero(rollout.dones[:, game]).tolist()
        starts = [0, *(end + 1 for end in ends)]
        for first, last in zip(starts, [*ends, steps - 1], strict=True):
            if first == steps:
                continue
            cut_off = (last, game) in last_seen
            if cut_off:
                after = last_seen[last, game]
            elif rollout.dones[last, game]:
                after = rollout.observations[last, game]  # not looked at: the game is over
            else:
                after = rollout.next_observations[game]
            ended = bool(rollout.dones[last, game]) and not cut_off
            yield episode_of(rollout, game, slice(first, last + 1), after, ended, cut_off)


def episode_of(
    rollout: Rollout, game: int, steps: slice, after: np.ndarray, ended: bool, cut_off: bool
) -> SingleAgentEpisode:
    """Return some decisions of a game as an episode.

    Args:
        rollout: the decisions of all games.
        game: number of the game.
        steps: its decisions.
        after: int8[observation_size]: the observation after them.
        ended: whether the game is over.
        cut_off: whether a limit ended it.
    """
    seen, masks = rollout.observations[steps, game], rollout.masks[steps, game].astype(np.int8)
    observations = {
        OBSERVATIONS: np.concatenate([seen, after[None]]),
        ACTION_MASK: np.concatenate([masks, masks[-1:]]),  # the last one is not looked at
    }
    columns = {
        "observations": observations,
        "infos": [{}] * (len(seen) + 1),
        "actions": rollout.actions[steps, game],
        "rewards": rollout.rewards[steps, game],
    }
    extras = {name: extra[steps, game] for name, extra in rollout.extras.items()}
    return SingleAgentEpisode(
        **{name: InfiniteLookbackBuffer(part, lookback=0) for name, part in columns.items()},
        extra_model_outputs={
            name: InfiniteLookbackBuffer(part, lookback=0) for name, part in extras.items()
        },
        terminated=ended,
        truncated=cut_off,
        len_lookback_buffer=0,
    )
