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

from gubs_agents.by_game import symmetry_of
from gubs_agents.common.symmetry import show
from gubs_agents.training.options import Options
from gubs_env.api.agents import Agent
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.game import Game
from gubs_env.engine.rng import spawn_rngs

GAMES_AT_ONCE = 1024
BATCH = 1024
FIRST_RATE, LAST_RATE = 2e-3, 1e-4


class Examples(NamedTuple):
    """Decisions of a teacher, as a network is shown them."""

    observations: np.ndarray
    """int8[count, observation_size]"""
    masks: np.ndarray
    """int8[count, num_actions]"""
    actions: np.ndarray
    """int64[count]"""
    returns: np.ndarray
    """float32[count], what the seat that decided was paid from there on, discounted."""


def play(game: Game, teacher: Agent, options: Options, rules: object, seed: int) -> Examples:
    """Games of the teacher against itself, all decisions with more than one legal action.

    They are paid as the learner is by these options, with the first weight of shaping.
    """
    num_players = options.players
    env = VectorEnv(
        game, GAMES_AT_ONCE, num_players, rules, seed, autoreset=False, skip_forced=True
    )
    rngs = spawn_rngs(np.random.default_rng(seed), GAMES_AT_ONCE)
    payoffs = np.zeros_like(env.rewards)
    seen, games, seats = [], [], []
    while (rows := np.flatnonzero(env.actors >= 0)).size:
        own = rngs[rows]
        actions = np.full(GAMES_AT_ONCE, LOOK)
        actions[rows] = teacher.act(env.observations[rows], env.masks[rows], own)
        rngs[rows] = own
        seen.append((env.observations[rows], env.masks[rows], actions[rows]))
        games.append(rows)
        seats.append(env.actors[rows])
        env.step(actions)
        payoffs += env.rewards
    observations, masks, actions = (np.concatenate(part) for part in zip(*seen, strict=True))
    leads, ends = game.lead(observations, num_players), payoffs
    standings = np.float32(options.shaping if options.shaping_until else 0) * leads
    if options.reward == "lead":
        standings, ends = standings + leads, final_leads(env)
    returns = discounted_gains(standings, ends, games, seats, options.discount)
    shown = show(symmetry_of(game), observations, masks)
    return Examples(shown.observations, shown.masks, shown.chosen(actions), returns)


def final_leads(env: VectorEnv) -> np.ndarray:
    """Of every seat in games that are over: float32[games, num_players]."""
    seats = range(env.num_players)
    last = np.array([[env.observe(game, seat) for seat in seats] for game in range(env.num_envs)])
    return env.game.lead(last.reshape(-1, last.shape[-1]), env.num_players).reshape(last.shape[:2])


def discounted_gains(
    standings: np.ndarray,
    ends: np.ndarray,
    games: list[np.ndarray],
    seats: list[np.ndarray],
    discount: float,
) -> np.ndarray:
    """What each decision is followed by in gains of its seat's standing: float32[count].

    Args:
        standings: float32[count], at each decision.
        ends: float32[games, num_players], what they came to in the end.
        games, seats: those that decided, one array a round, in the order of `standings`.
        discount: of what comes a decision of the same seat later.
    """
    following, to_come = ends.copy(), np.zeros_like(ends)
    returns, stop = np.zeros_like(standings), len(standings)
    for rows, own in zip(reversed(games), reversed(seats), strict=True):
        here = slice(stop - len(rows), stop)
        gained = following[rows, own] - standings[here]
        returns[here] = gained + discount * to_come[rows, own]
        following[rows, own], to_come[rows, own] = standings[here], returns[here]
        stop = here.start
    return returns


def imitate(
    model: MaskablePPO,
    game: Game,
    teacher: Agent,
    options: Options,
    rules: object = None,
    progress: Callable[[int], object] = lambda count: None,
) -> None:
    """Fit the learner to `options.imitate` decisions of the teacher, each seen once.

    The policy by cross-entropy, the value by squared error from what followed in the teacher's
    games. `progress` is told how many decisions more are done.
    """
    decisions = options.imitate
    rng, device = np.random.default_rng(options.seed), model.device
    optimizer = torch.optim.Adam(model.policy.parameters(), FIRST_RATE)
    done = 0
    while done < decisions:
        deals = int(rng.integers(2**62))
        examples = play(game, teacher, options, rules, deals)
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
