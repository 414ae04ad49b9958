"""Fit beliefs about hidden hands to games of an agent against itself.

At sampled decisions the true hands stand among hands drawn uniformly from those that fit, and the
network learns to pick them out. With this loss its weights approach the ratio of the true
distribution of hands to the uniform one (Ma and Collins, "Noise contrastive estimation and negative
sampling for conditional models", 2018, the ranking objective).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from tqdm import tqdm

from gubs_agents.common.symmetry import show_hands
from gubs_agents.deals import REPORT_DEALS
from gubs_agents.networks.layers import Weights
from gubs_agents.scripted.by_game import scripted_in, symmetry_of
from gubs_agents.search.beliefs import LARGEST_WEIGHT, Beliefs, has_hands, save, sizes_of
from gubs_agents.training.supervised.decisions import (
    build_player,
    decisions,
    endless_minibatches,
    joined,
)
from gubs_env.agents.registry import Agent
from gubs_env.api.vector import VectorEnv
from gubs_env.commands.common import TableOptions, shown
from gubs_env.engine.rng import spawn_rngs
from gubs_env.engine.table import Table
from gubs_env.support.checks import Range, check_options

GAMES_AT_ONCE = 512
SAMPLED = 0.2
"""Share of the decisions that are learnt from: hands of one game are much alike."""
OTHERS = 15
"""Hands drawn uniformly, among which the network learns to find the true ones."""
BATCH = 512
WIDTH = 128
FIRST_RATE, LAST_RATE = 1e-3, 1e-5
"""Learning rates of Adam at the start and at the end; in between it falls linearly."""


@dataclass(frozen=True)
class BeliefsOptions(TableOptions):
    """Fit beliefs about hidden hands to games of an agent against itself."""

    agent: Annotated[str, shown("AGENT")] = "policy"
    """The agent that plays all seats, as name, name:option=value or package.module:Class."""
    decisions: Annotated[int, Range(1)] = 400_000
    """Decisions to learn from, each once."""
    seed: Annotated[int, Range(0)] = 0
    """Seed of the games and of the network."""
    out: Annotated[Path, shown("FILE")] = Path("runs/beliefs/beliefs.safetensors")
    """The file to write."""


class HandExamples(NamedTuple):
    """Decisions, as the network sees them."""

    observations: np.ndarray
    """int8[count, observation_size]: what the players to decide see."""
    hands: np.ndarray
    """int8[count, 1 + OTHERS, other seats, kinds]: the true hands, then those drawn uniformly."""


def play(agent: Agent, table: Table, seed: int) -> HandExamples:
    """Play GAMES_AT_ONCE games of an agent against itself; return a sample of its decisions."""
    env = VectorEnv(table, GAMES_AT_ONCE, seed, autoreset=False, skip_forced=True)
    rng, parts = np.random.default_rng(seed), []
    for rows, _ in decisions(env, agent, rng):
        sampled = rows[rng.random(len(rows)) < SAMPLED]
        if sampled.size:
            parts.append((env.observations[sampled], true_and_drawn(env, sampled, rng)))
    observations, hands = joined(parts)
    shown, cards = show_hands(symmetry_of(table.game), table, observations)
    return HandExamples(shown, np.take_along_axis(hands, cards[:, None, None], 3))


def true_and_drawn(env: VectorEnv, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the hands of the other seats in some games, int8[rows, 1 + OTHERS, others, kinds]."""
    states, views = env.states[rows], env.views(rows)
    samples = np.repeat(views, OTHERS)
    for index, words in enumerate(spawn_rngs(rng, len(samples))):
        env.game.kernel.determinize(samples, index, words)
    shape = (len(rows), OTHERS, *samples["hand"].shape[1:])
    hands = np.concatenate([states["hand"][:, None], samples["hand"].reshape(shape)], 1)
    seats = int(states["num_seats"][0])
    others = (states[scripted_in(env.game).seat_field][:, None] + np.arange(1, seats)) % seats
    return np.take_along_axis(hands, others[:, None, :, None], 2).astype(np.int8)


def minibatches(agent: Agent, table: Table, count: int, seed: int) -> Iterator[HandExamples]:
    """Yield `count` decisions in minibatches, each decision once."""
    for batch in endless_minibatches(partial(play, agent, table), seed, BATCH):
        yield HandExamples(*(part[:count] for part in batch))
        count -= len(batch.hands)
        if count <= 0:
            return


def fit_beliefs(name: str, agent: Agent, table: Table, decisions: int, seed: int) -> Beliefs:
    """Return beliefs fitted to games of an agent against itself, with a progress bar.

    Args:
        name: the name of the agent.
        agent: the agent that plays all seats.
        table: the table.
        decisions: number of decisions to learn from, each once.
        seed: seed of the games and of the network.

    Raises:
        ValueError: for a game without hands.
    """
    import torch

    from gubs_agents.networks.descent import descend, falling, layers_of, perceptron

    if not has_hands(table.game):
        raise ValueError(f"game={table.game.name!r}: nobody has a hand there to have beliefs about")
    torch.manual_seed(seed)
    inputs, outputs = sizes_of(table)
    network = perceptron([inputs, WIDTH, WIDTH, outputs])
    for part in network[-1].parameters():
        torch.nn.init.zeros_(part)  # learning begins at uniform beliefs

    def loss_of(examples: HandExamples) -> torch.Tensor:
        outputs = network(torch.log1p(torch.from_numpy(examples.observations).float()))
        hands = torch.from_numpy(examples.hands).float()
        weights = LARGEST_WEIGHT * torch.tanh(outputs / LARGEST_WEIGHT)
        scores = (hands.flatten(2) * weights[:, None]).sum(2)
        return torch.nn.functional.cross_entropy(scores, torch.zeros(len(hands)).long())

    def progress(examples: HandExamples, loss: torch.Tensor) -> None:
        bar.update(len(examples.hands))
        bar.set_postfix_str(f"{loss.item():.2f} nats, uniform {math.log(1 + OTHERS):.2f}")

    batches = minibatches(agent, table, decisions, seed)
    rate = partial(falling, FIRST_RATE, LAST_RATE)
    with tqdm(total=decisions, desc="beliefs", unit=" decisions", disable=None) as bar:
        optimizer = torch.optim.Adam(network.parameters())
        descend(optimizer, batches, loss_of, rate, decisions, progress=progress)
    return Beliefs(Weights(layers_of(network)), name, decisions)


def surprise(beliefs: Beliefs, examples: HandExamples) -> float:
    """Return the mean of −log P(true hands) among the hands of each example, in nats; without
    beliefs it is log(1 + OTHERS).
    """
    hands = examples.hands.reshape(*examples.hands.shape[:2], -1)
    scores = (hands * beliefs.weights_shown(examples.observations)[:, None]).sum(2)
    highest = scores.max(1)
    total = np.log(np.exp(scores - highest[:, None]).sum(1)) + highest
    return float((total - scores[:, 0]).mean())


def run(options: BeliefsOptions) -> None:
    """Fit beliefs and save them."""
    check_options(options)
    if options.out.suffix != ".safetensors":
        raise ValueError(f"out={str(options.out)!r}: the name must end in .safetensors")
    table = options.table
    agent = build_player(options.agent, table, options.seed)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    beliefs = fit_beliefs(options.agent, agent, table, options.decisions, options.seed)
    save(options.out, beliefs, table)
    nats = surprise(beliefs, play(agent, table, REPORT_DEALS.start))
    print(
        f"In {GAMES_AT_ONCE:,} other games the true hands among {1 + OTHERS} surprise by "
        f"{nats:.2f} nats, without beliefs by {math.log(1 + OTHERS):.2f}."
    )
    print(f"beliefs: {options.out}")
