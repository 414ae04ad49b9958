"""Proximal policy optimisation with illegal actions masked, as a `Learner`.

The loss is that of Schulman et al. ("Proximal policy optimization algorithms", 2017) with the
details of Stable-Baselines3: advantages normalised in each minibatch, a clipped value, gradients
clipped by their norm. `maskable_ppo` is the same algorithm in sb3-contrib's own code. Errors of the
value, and their clip range, count in the most that the game pays, which is 1 where a win is paid:
otherwise high stakes drown the gradient of the policy.

A rollout is played by the network of one update before. Ratios, values and advantages are those of
the network that is about to learn, which then starts within the clip range (the proximal policy of
Hilton, Cobbe and Schulman, "Batch size-invariance for policy optimization", 2022, without their
importance weights).

With the option `reference`, the loss also has the divergence of the policy from a reference policy,
an average of the network's weights that follows slowly. This is the magnet of magnetic mirror
descent (Sokota et al., "A unified approach to reinforcement learning, quantal response equilibria,
and two-player zero-sum games", 2023); the clip range takes the place of its mirror step. Without
it, the policies of self-play go round the equilibrium. With it they approach one, and the reference
policy, which is kept, is the closest. Advantages are then divided by the largest standard deviation
so far (of the first minibatch of each rollout) and not by their own: where play becomes certain,
little is at stake, and that little, blown up, would outweigh the entropy bonus and the divergence.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from stable_baselines3.common.vec_env import VecEnv

from gubs_agents.networks.descent import falling
from gubs_agents.networks.network import Network, Weights
from gubs_agents.training.arrays import part_of, under
from gubs_agents.training.distributed import average, average_gradients, pooled, size
from gubs_agents.training.options import Options
from gubs_agents.training.rollout import Rollout
from gubs_agents.training.supervised.imitation import Examples
from gubs_agents.training.torch_network import (
    ILLEGAL,
    VALUE_WEIGHT,
    PerceptronLearner,
    Positions,
    arrays_of,
    load_arrays,
    network_state,
    new_network,
    positions_of,
    restore_network,
    threads,
)

LARGEST_NORM = 0.5
"""Gradients of a larger norm are scaled down to it."""
ADAM_EPSILON = 1e-5
SHARED = 0.4
"""In float32, the part of the minibatches of a rollout that are learnt on all cores, the last ones;
the others leave a core to the games, which are done by then. The part is fixed, so that what is
learnt does not depend on how fast the games are."""
JUDGED = 4096
"""Decisions that the network judges at a time, before it learns from them."""
LEAST_LOG = -80.0
"""Logarithms are raised to this before `exp`, which takes 150 times as long where it underflows."""
METRICS = ("policy_loss", "value_loss", "approx_kl", "clip_fraction", "entropy")
"""Names of the figures of a minibatch, in the order in which `_loss` returns them.

The divergence is estimated as mean(r − 1 − log r) for the ratio r of probabilities (Schulman,
"Approximating KL divergence", 2020)."""


class Samples(NamedTuple):
    """Decisions to learn from, or a minibatch of them."""

    actions: torch.Tensor
    """int64[count], the actions chosen."""
    log_probs: torch.Tensor
    """float32[count], their log probabilities before the update."""
    values: torch.Tensor
    """float32[count], the values before the update."""
    advantages: torch.Tensor
    """float32[count]; those of a minibatch are normalised."""
    returns: torch.Tensor
    """float32[count], what the value is to predict."""


class PPOLearner(PerceptronLearner):
    """A `CopyingLearner` that uses masked PPO, written directly in PyTorch.

    The copy is played by one compiled pass (`perceptron`), which is faster here than PyTorch.

    Args:
        options: options of the run.
        env: environment, read for the sizes of observations and actions.
    """

    def __init__(self, options: Options, env: VecEnv) -> None:
        self.options, self.device = options, torch.device(options.device)
        self.stake = options.table.max_payoff
        num_actions = int(env.action_space.n)  # type: ignore[attr-defined]
        inputs = env.observation_space.shape[0]  # type: ignore[index]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(options.seed)
            network = new_network(inputs, options.width, options.layers, num_actions)
        self.network = network.to(self.device)
        self.reference = copy.deepcopy(self.network) if options.reference else None
        self.deviation = 0.0
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), options.learning_rate, eps=ADAM_EPSILON, fused=True
        )
        fast = options.precision == "auto" and multiplies_bfloat16(self.device)
        half = fast or options.precision == "bfloat16"
        self.precision = torch.autocast(self.device.type, torch.bfloat16, enabled=half)
        self.shared = 0.0 if half else SHARED
        # Streams of different seeds are independent, too.
        words = np.random.SeedSequence(options.seed).generate_state(2, np.uint64)
        seeds = zip(("order", "action"), map(int, words), strict=True)
        self.rngs = {name: torch.Generator().manual_seed(seed) for name, seed in seeds}
        self.player = Network(self.weights())

    def refresh(self, weights: Weights) -> None:
        """Let `act` play with the network as `learn` left it, which `weights` returned."""
        self.player.set_weights(weights)

    # ------------------------------------------------------------------------------- a rollout

    def act(
        self, observations: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Draw an action for every game."""
        scores = np.where(masks, self.player.scores(observations), np.float32(ILLEGAL))
        scores -= scores.max(1, keepdims=True)
        shares = np.exp(scores).cumsum(1)
        draws = torch.rand(len(scores), 1, generator=self.rngs["action"]).numpy()
        return (shares > draws * shares[:, -1:]).argmax(1), {}

    def learn(self, rollout: Rollout, progress: float) -> dict[str, float]:
        """Update the network with several passes over a rollout, and return the metrics."""
        options = self.options
        rate = falling(options.learning_rate, options.last_learning_rate, progress)
        entropy_weight = falling(options.entropy, options.last_entropy, progress)
        self.optimizer.param_groups[0]["lr"] = rate
        minibatches = list(self._minibatches(rollout.actions.size))
        beside = round((1 - self.shared) * len(minibatches))
        observations, masks = flat(rollout.observations), flat(rollout.masks)

        def update(number: int) -> torch.Tensor:
            rows = minibatches[number]
            positions = positions_of(observations[rows.numpy()], masks[rows.numpy()], self.device)
            there = rows.to(self.device)
            batch = Samples(*(part.index_select(0, there) for part in decisions))
            shifted = (batch.advantages - means[number]) / deviations[number]
            return self._step(positions, batch._replace(advantages=shifted), entropy_weight)

        with threads(max(1, torch.get_num_threads() - 1)):
            decisions = self._decisions(rollout)
            means, deviations = moments(decisions.advantages, minibatches)
            if self.reference is not None:
                self.deviation = max(self.deviation, float(deviations[0]))
                deviations = torch.full_like(deviations, self.deviation)
            figures = [update(number) for number in range(beside)]
        figures += [update(number) for number in range(beside, len(minibatches))]
        follow = falling(options.reference_rate, options.last_reference_rate, progress)
        self._move_reference(follow)
        means_of_all = average(torch.stack(figures).mean(0)).tolist()
        explained = explained_variance(decisions.values, decisions.returns)
        metrics = dict(zip(METRICS, means_of_all, strict=True))
        return metrics | {"explained_variance": explained, "learning_rate": rate}

    def _move_reference(self, rate: float) -> None:
        """Move the reference policy a part of the way to the policy."""
        if self.reference is not None:
            with torch.no_grad():
                pairs = zip(self.reference.parameters(), self.network.parameters(), strict=True)
                for followed, new in pairs:
                    followed.lerp_(new, rate)

    def _minibatches(self, count: int) -> Iterator[torch.Tensor]:
        """Yield the rows of each minibatch of the passes over a rollout."""
        for _ in range(self.options.epochs):
            order = torch.randperm(count, generator=self.rngs["order"])
            yield from order.split(self.options.batch)

    def _step(
        self, positions: Positions, decisions: Samples, entropy_weight: float
    ) -> torch.Tensor:
        """Update the network from a minibatch, and return its `METRICS`, float32[5]."""
        loss, metrics = self._loss(positions, decisions, entropy_weight)
        self.optimizer.zero_grad()
        loss.backward()
        average_gradients(self.network.parameters())
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), LARGEST_NORM)
        self.optimizer.step()
        return metrics

    def _decisions(self, rollout: Rollout) -> Samples:
        """Return the decisions of a rollout, as the network of now judges them."""
        log_probs, values = self._judge(flat(rollout.observations), flat(rollout.masks))
        actions = torch.from_numpy(rollout.actions.ravel()).to(self.device)
        chosen = log_probs.gather(1, actions[:, None])[:, 0]
        by_game = values.cpu().numpy().reshape(rollout.actions.shape)
        advantages = torch.from_numpy(self._advantages(rollout, by_game).ravel()).to(self.device)
        return Samples(actions, chosen, values, advantages, advantages + values)

    def _judge(
        self, observations: np.ndarray, masks: np.ndarray
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the log probabilities of all actions and the values, by the network of now."""
        starts = range(0, len(observations), JUDGED)
        parts = (slice(start, start + JUDGED) for start in starts)
        with torch.no_grad(), self.precision:
            judged = [
                self.network(*positions_of(observations[i], masks[i], self.device)) for i in parts
            ]
        log_probs, values = (torch.cat(part) for part in zip(*judged, strict=True))
        return log_probs, values

    def _values(self, observations: np.ndarray) -> np.ndarray:
        """Return the values of positions, float32[batch]."""
        all_legal = np.ones((len(observations), self.network.policy.out_features), np.bool_)
        return self._judge(observations, all_legal)[1].cpu().numpy()

    def _advantages(self, rollout: Rollout, values: np.ndarray) -> np.ndarray:
        """Return the advantages of all decisions, float32[steps, games].

        Generalised advantage estimation: Schulman et al., "High-dimensional continuous control
        using generalized advantage estimation", 2016. The return of a game that was cut off
        includes the value of its last position.
        """
        discount = np.float32(self.options.discount)
        rewards, left = rollout.rewards.copy(), ~rollout.dones
        if len(rollout.cut_off):
            last = self._values(rollout.last_observations)
            rewards[tuple(rollout.cut_off.T)] += discount * last
        following = self._values(rollout.next_observations)
        advantages, advantage = np.empty_like(values), np.zeros_like(following)
        for step in reversed(range(len(rewards))):
            gained = rewards[step] + discount * following * left[step] - values[step]
            decay = discount * np.float32(self.options.gae_lambda) * left[step]
            advantage = gained + decay * advantage
            advantages[step], following = advantage, values[step]
        return advantages

    def _loss(
        self, positions: Positions, decisions: Samples, entropy_weight: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the loss of a minibatch, and its `METRICS`, float32[5]."""
        clip, value_clip = self.options.clip, self.options.value_clip
        with self.precision:
            all_log_probs, values = self.network(*positions)
        log_probs = all_log_probs.gather(1, decisions.actions[:, None])[:, 0]
        changes = log_probs - decisions.log_probs
        ratios = changes.exp()
        clipped = decisions.advantages * ratios.clamp(1 - clip, 1 + clip)
        policy_loss = -torch.minimum(decisions.advantages * ratios, clipped).mean()
        if value_clip:
            most = value_clip * self.stake
            values = decisions.values + (values - decisions.values).clamp(-most, most)
        value_loss = ((values - decisions.returns) / self.stake).square().mean()
        probabilities = all_log_probs.clamp(min=LEAST_LOG).exp()
        entropy = -(probabilities * all_log_probs).sum(1).mean()
        loss = policy_loss + VALUE_WEIGHT * value_loss - entropy_weight * entropy
        loss = loss + self.extra_loss(all_log_probs, values, positions)
        with torch.no_grad():
            divergence = (ratios - 1 - changes).mean()
            outside = ((ratios - 1).abs() > clip).float().mean()
            metrics = torch.stack([policy_loss, value_loss, divergence, outside, entropy])
        return loss, metrics

    def extra_loss(
        self, log_probs: torch.Tensor, values: torch.Tensor, positions: Positions
    ) -> torch.Tensor:
        """Return what is added to the loss of a minibatch; a subclass can add terms of its own.

        Here it is the divergence from the reference policy, 0 without one.

        Args:
            log_probs: float32[count, num_actions], those of all actions, about −1e9 if illegal.
            values: float32[count], as the loss of the value counts them.
            positions: the positions that were judged.
        """
        if self.reference is None:
            return log_probs.new_zeros(())
        with torch.no_grad(), self.precision:
            reference, _ = self.reference(*positions)
        probabilities = log_probs.clamp(min=LEAST_LOG).exp()
        away = (probabilities * (log_probs - reference)).sum(1).mean()
        return self.options.reference * away

    # -------------------------------------------------------------------------------- the network

    def imitate(self, batches: Iterable[Examples]) -> None:
        super().imitate(batches)
        self._follow()

    def set_weights(self, weights: Weights) -> None:
        super().set_weights(weights)
        self._follow()

    def _follow(self) -> None:
        """Let the reference policy and the copy be the network."""
        self._move_reference(1.0)
        self.refresh(self.weights())

    def kept(self) -> Weights:
        """Return the layers of the reference policy; those of the network if there is none."""
        return (self.network if self.reference is None else self.reference).weights()

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return the network, Adam's moments and the RNGs."""
        arrays = network_state(self.network, self.optimizer)
        if self.reference is not None:
            arrays |= under("reference", arrays_of(self.reference))
            arrays["deviation"] = np.array([self.deviation])
        rngs = {name: rng.get_state().numpy() for name, rng in self.rngs.items()}
        return arrays | under("rng", rngs), {}

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, Any]) -> None:
        """Continue from the two parts of a `state`."""
        restore_network(self.network, self.optimizer, arrays)
        if self.reference is not None:
            load_arrays(self.reference, part_of("reference", arrays))
            self.deviation = float(arrays["deviation"][0])
        for name, rng in self.rngs.items():
            rng.set_state(torch.from_numpy(arrays[f"rng/{name}"]))
        self.refresh(self.weights())


def multiplies_bfloat16(device: torch.device) -> bool:
    """Return whether a device has instructions for products of bfloat16."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    capabilities = torch.cpu.get_capabilities() if device.type == "cpu" else {}
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


def flat(array: np.ndarray) -> np.ndarray:
    """Return the rows of an array[steps, games, …] as [steps × games, …]."""
    return array.reshape(-1, array.shape[-1])


def moments(
    advantages: torch.Tensor, minibatches: Sequence[torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return what to subtract from the advantages of each minibatch, and to divide them by then.

    So the minibatches of all workers have mean 0 and standard deviation 1. A minibatch of a single
    decision is left as it is.

    Returns:
        Two arrays, float32[minibatches].
    """
    parts = [advantages.index_select(0, rows.to(advantages.device)) for rows in minibatches]
    deviations = [part.std() if len(part) > 1 else torch.zeros_like(part[0]) for part in parts]
    counts = torch.tensor([len(part) for part in parts], dtype=torch.float64).to(advantages.device)
    variances = torch.stack(deviations).double().square() * (counts - 1) / counts
    means, variances = pooled(torch.stack([part.mean() for part in parts]), variances)
    totals = counts * size()
    divisors = (variances * totals / (totals - 1).clamp(min=1)).sqrt().float() + 1e-8
    return means.where(totals > 1, 0).float(), divisors.where(totals > 1, 1)


def explained_variance(values: torch.Tensor, returns: torch.Tensor) -> float:
    """Return which part of the variance of the returns the values predicted; NaN without any."""
    parts = returns - values, returns
    variances = torch.stack([part.var(unbiased=False) for part in parts])
    _, (left, whole) = pooled(torch.stack([part.mean() for part in parts]), variances)
    return float(1 - (left / whole).float()) if whole else float("nan")
