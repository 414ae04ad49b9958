"""A network's judgement of whole moves: the products of the probabilities of their picks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gubs_env.agents.registry import Judge
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.game import Game
from gubs_env.engine.moves import Move

TOGETHER = 4096
"""Largest number of positions that a network judges in one call."""


class Picks(NamedTuple):
    """The legal moves of a decision, and every position in which one of their picks is made."""

    moves: list[Move]
    positions: dict[tuple[int, ...], int]
    """The position after each proper prefix of a move's picks; () is the decision itself, 0."""
    observations: np.ndarray
    """int8[positions, observation_size], of the player to decide."""
    masks: np.ndarray
    """int8[positions, num_actions]."""


class Judgement(NamedTuple):
    """A network's judgement of a decision."""

    probabilities: dict[tuple[int, ...], float]
    """The probability of each prefix of a move's picks, the whole move included."""
    value: float | None
    """The payoff that the network expects for the player to decide, if it has a value head."""


def picks_at(game: Game, states: np.ndarray, moves: list[Move]) -> Picks:
    """Return all positions inside the legal moves; nothing there depends on chance.

    Args:
        game: the game.
        states: STATE[1], the state at a decision, which is not changed.
        moves: the legal moves of the player who decides.
    """
    batch = game.new_batch(states.copy())
    game.kernel.advance(*batch, np.array([LOOK]), 1, False, False)
    observations, masks = [batch.observations], [batch.masks]
    level: dict[tuple[int, ...], int] = {(): 0}
    positions = dict(level)
    for picked in range(1, max(len(move.picks) for move in moves)):
        begun = [move.picks[:picked] for move in moves if len(move.picks) > picked]
        after = {picks: number for number, picks in enumerate(dict.fromkeys(begun))}
        states = batch.states[[level[picks[:-1]] for picks in after]]
        batch, level = game.new_batch(states), after
        last = np.array([picks[-1] for picks in after])
        game.kernel.advance(*batch, last, 1, False, False)
        first = len(positions)
        positions |= {picks: first + number for picks, number in after.items()}
        observations.append(batch.observations)
        masks.append(batch.masks)
    return Picks(moves, positions, np.concatenate(observations), np.concatenate(masks))


def judge_all(judge: Judge, decisions: Sequence[Picks]) -> list[Judgement]:
    """Return a network's judgements of decisions, which are judged together in few calls."""
    if not decisions:
        return []
    observations = np.concatenate([picks.observations for picks in decisions])
    masks = np.concatenate([picks.masks for picks in decisions])
    parts = [slice(k, k + TOGETHER) for k in range(0, len(masks), TOGETHER)]
    answers = [judge.judge(observations[part], masks[part]) for part in parts]
    probabilities = np.concatenate([answer for answer, _ in answers])
    values = [part for _, part in answers if part is not None]
    payoffs = np.concatenate(values) if len(values) == len(parts) else None
    judgements, first = [], 0
    for picks in decisions:
        value = None if payoffs is None else float(payoffs[first])
        judgements.append(Judgement(_products(picks, probabilities[first:]), value))
        first += len(picks.positions)
    return judgements


def _products(picks: Picks, probabilities: np.ndarray) -> dict[tuple[int, ...], float]:
    """Return the probability of each prefix of a move's picks, the whole move included.

    Args:
        picks: the moves.
        probabilities: float32[positions or more, num_actions], of the picks at each position.
    """
    products: dict[tuple[int, ...], float] = {(): 1.0}
    for move in picks.moves:
        for end in range(1, len(move.picks) + 1):
            before, pick = move.picks[: end - 1], move.picks[end - 1]
            one = float(probabilities[picks.positions[before], pick])
            products.setdefault(move.picks[:end], products[before] * one)
    return products
