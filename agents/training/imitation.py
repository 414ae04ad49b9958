"""Learning by example: policy and value are first fitted to the games of a teacher.

Pomerleau, "ALVINN" (1988), and what came of it under the name of behavioural cloning. It takes a
minute where self-play takes hours to find the same; what the teacher does not know is then learnt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from gubs_env.api.agent import Agent
from gubs_env.api.game import Game
from gubs_env.api.vector import VectorEnv
from gubs_env.games.choosing import LOOK
from gubs_env.games.generator import spawn_words

GAMES_AT_ONCE = 1024
BATCH = 1024
FIRST_RATE, LAST_RATE = 2e-3, 1e-4


class Examples(NamedTuple):
    """Decisions of a teacher."""

    observations: np.ndarray
    """int8[count, observation_size]"""
    masks: np.ndarray
    """int8[count, num_actions]"""
    actions: np.ndarray
    """int64[count]"""
    returns: np.ndarray
    """float32[count], what the game paid the seat that decided, and shaping from there on."""


def play(
    game: Game, teacher: Agent, num_players: int, rules: object, shaping: float, seed: int
) -> Examples:
    """Games of the teacher against itself, all decisions with more than one legal action."""
    env = VectorEnv(
        game, GAMES_AT_ONCE, num_players, rules, seed, autoreset=False, skip_forced=True
    )
    choosers = spawn_words(np.random.default_rng(seed), GAMES_AT_ONCE)
    payoffs = np.zeros_like(env.rewards)
    seen, games, seats = [], [], []
    while (rows := np.flatnonzero(env.actors >= 0)).size:
        own = choosers[rows]
        actions = np.full(GAMES_AT_ONCE, LOOK)
        actions[rows] = teacher.act(env.observations[rows], env.masks[rows], own)
        choosers[rows] = own
        seen.append((env.observations[rows], env.masks[rows], actions[rows]))
        games.append(rows)
        seats.append(env.actors[rows])
        env.step(actions)
        payoffs += env.rewards
    observations, masks, actions = (np.concatenate(part) for part in zip(*seen, strict=True))
    returns = payoffs[np.concatenate(games), np.concatenate(seats)]
    # What a potential adds from here to the end of the game is less what it is here.
    returns -= np.float32(shaping) * game.lead(observations, num_players)
    return Examples(observations, masks, actions, returns)


def imitate(
    model: MaskablePPO,
    game: Game,
    teacher: Agent,
    decisions: int,
    rules: object = None,
    shaping: float = 0.0,
    seed: int = 0,
    progress: Callable[[int], object] = lambda count: None,
) -> None:
    """Fit the learner to so many decisions of the teacher, each seen once.

    The policy by cross-entropy, the value by squared error from what the games paid, less the
    potential of `shaping` times the lead. `progress` is told how many decisions more are done.
    """
    rng, device = np.random.default_rng(seed), model.device
    num_players = model.get_env().games.num_players  # type: ignore[union-attr]
    optimizer = torch.optim.Adam(model.policy.parameters(), FIRST_RATE)
    done = 0
    while done < decisions:
        deals = int(rng.integers(2**62))
        examples = play(game, teacher, num_players, rules, shaping, deals)
        order = rng.permutation(len(examples.actions))
        for start in range(0, len(order), BATCH):
            if done >= decisions:
                break
            rows = order[start : start + BATCH]
            for group in optimizer.param_groups:
                group["lr"] = FIRST_RATE + (LAST_RATE - FIRST_RATE) * done / decisions
            loss = imitation_loss(model, *(torch.from_numpy(x[rows]).to(device) for x in examples))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            done += len(rows)
            progress(len(rows))


def imitation_loss(
    model: MaskablePPO,
    observations: torch.Tensor,
    masks: torch.Tensor,
    actions: torch.Tensor,
    returns: torch.Tensor,
) -> torch.Tensor:
    features = model.policy.extract_features(observations)
    logits = model.policy.action_net(features).masked_fill(masks == 0, -torch.inf)
    values = model.policy.value_net(features).flatten()
    value_loss = (values - returns).square().mean()
    return torch.nn.functional.cross_entropy(logits, actions) + 0.5 * value_loss
