"""A network's judgement of decisions: the probabilities of whole moves, and mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np

from gubs_env.agents.registry import Judge, levels, parse_agent
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.compiling import (
    BESIDE,
    Compiled,
    Entry,
    compiling_mode,
    is_cached,
    is_interpreted,
)
from gubs_env.engine.course import PlayedMove
from gubs_env.engine.game import Game
from gubs_env.engine.moves import Move
from gubs_env.engine.table import Table
from gubs_env.engine.view import View
from gubs_env.replays.weighing import Weighed, ends_if_all_pass, expected, gain, weigh

TOGETHER = 4096
"""Largest number of positions that a network judges in one call."""
LEAST_DIFFERENCE = 0.1
"""The least difference between the probabilities of two moves for which they are weighed: where a
network hardly prefers one to the other, neither costs much."""
MOST_POINTS = 12
"""Number of points of a player's curve, where each takes many games to estimate."""


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

    def likeliest(self, moves: Sequence[Move]) -> Move:
        """Return the likeliest of some of the legal moves."""
        return max(moves, key=lambda move: self.probabilities[move.picks])

    def preferred(self, played: PlayedMove) -> tuple[float, Move]:
        """Return the likeliest legal move, and by how much it is likelier than the one played."""
        best = self.likeliest(played.legal)
        return self.probabilities[best.picks] - self.probabilities[played.move.picks], best


class Mistake(NamedTuple):
    """A move that costs more than the uncertainty of its cost."""

    better: Move
    """The move that is better."""
    weighed: Weighed

    @property
    def told(self) -> str:
        """The better move, by how much it is better and why, in words."""
        return f"“{self.better.text}” is {self.weighed.better}"


def judge_at(table: Table) -> Judge:
    """Return the network that judges decisions at a table: of the strongest level that has one.

    Raises:
        ValueError: if no network is installed that plays there.
    """
    for agent in map(parse_agent, chain.from_iterable(levels().values())):
        with suppress(ValueError, FileNotFoundError):
            is_declared = getattr(agent.factory(table.game), "judges", False)
            if is_declared and isinstance(judge := agent(table), Judge):
                return judge
    raise ValueError("no network is installed that could judge this game")


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


def is_fast(entry: Compiled) -> bool:
    """Return whether much work of an entry runs as machine code, or waits only until it is read."""
    waits = compiling_mode() != BESIDE and isinstance(entry, Entry)
    return not is_interpreted(entry) or (waits and is_cached(entry))


def worth_at(table: Table, judge: Judge, view: View, judgement: Judgement) -> float:
    """Return the payoff to expect at a decision: a network's value, if it has one.

    Where the game ends if all pass who are asked out of turn, games may contradict it (`expected`):
    a value hardly knows what is about to take effect.
    """
    value = judgement.value
    if value is None:
        return expected(table, judge, view)
    if not is_fast(table.game.kernel.advance):  # games are played by the hundred
        return value
    return expected(table, judge, view, value) if ends_if_all_pass(table, view) else value


class Decision:
    """A move that was played, as a network judges it.

    What takes many games is found when it is first asked for, and once.

    Args:
        table: the table.
        judge: the network.
        played: the move.
        judgement: the network's judgement of the decision.
        is_point: whether the value is estimated by games, if the network has none; may change.
    """

    def __init__(
        self, table: Table, judge: Judge, played: PlayedMove, judgement: Judgement, is_point: bool
    ) -> None:
        self.table, self.judge, self.played = table, judge, played
        self.judgement, self.is_point = judgement, is_point

    @property
    def value(self) -> float | None:
        """The payoff to expect for the player who decides, a point of their curve."""
        return None if self.judgement.value is None and not self.is_point else self._worth

    @cached_property
    def _worth(self) -> float:
        return worth_at(self.table, self.judge, self.played.view, self.judgement)

    @property
    def preferred(self) -> Move | None:
        """The move that the network clearly prefers to the one that was played, if there is one."""
        difference, better = self.judgement.preferred(self.played)
        return better if self.played.index is not None and difference >= LEAST_DIFFERENCE else None

    @cached_property
    def weighed(self) -> Weighed | None:
        """The cost of the move against the `preferred` one, if there is one."""
        if (better := self.preferred) is None:
            return None
        picks = self.played.move.picks, better.picks
        return weigh(self.table, self.judge, self.played.view, *picks)

    @property
    def mistake(self) -> Mistake | None:
        """The mistake that the move was; None if the `preferred` one is not known to be better."""
        if (better := self.preferred) is None or not (self.weighed and self.weighed.better):
            return None
        return Mistake(better, self.weighed)

    @cached_property
    def comparison(self) -> str:
        """How the move compares with the `preferred` one, in words: it is better, or about as good.

        Empty for a mistake, and without a preferred one.
        """
        other, weighed = self.preferred, self.weighed
        if other is None or weighed is None or weighed.better:
            return ""
        picks, better = (other.picks, self.played.move.picks), ""
        if weighed.cost < -weighed.margin:
            better = weigh(self.table, self.judge, self.played.view, *picks).better
        if better:
            return f"Compared with “{other.text}”, the move is {better}"
        if weighed.cost <= 0:
            return f"“{other.text}” is no better, as far as can be told"
        brings = gain(self.table, weighed.cost, weighed.margin)
        return f"“{other.text}” is not surely better: it {brings}"


def decisions(table: Table, judge: Judge, moves: Sequence[PlayedMove]) -> list[Decision]:
    """Return all moves of a game as a network judges them, in order.

    Without a value head, it values `MOST_POINTS` decisions of each player.
    """
    picks = [picks_at(table.game, np.array([each.view.state]), each.legal) for each in moves]
    points = set[int]()
    for seat in range(table.num_players):
        own = [number for number, each in enumerate(moves) if each.view.seat == seat]
        shown = np.linspace(0, len(own) - 1, min(MOST_POINTS, len(own))).astype(int)
        points |= {own[k] for k in shown}
    return [
        Decision(table, judge, *each, number in points)
        for number, each in enumerate(zip(moves, judge_all(judge, picks), strict=True))
    ]


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
