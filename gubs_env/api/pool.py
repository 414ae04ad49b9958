"""The opponents of a learner in self-play, and how they are drawn for the seats of a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gubs_env.agents.registry import Agent, SearchAgent
from gubs_env.api.seated import LEARNER


@dataclass(frozen=True)
class Pool:
    """An opponent pool: agents, and how they are drawn for the seats of a game.

    In a game with partners, who get the same payoff, an opponent holds all seats of its team. The
    learner holds only its own seat, because it sees only one hand.

    Raises:
        ValueError: for no opponents, for chances that are no probabilities, for a partner that is
            not among the opponents, or a share that is not allowed.
    """

    agents: Mapping[str, Agent | SearchAgent]
    """The opponents by label; a label must always mean the same opponent."""
    chances: Mapping[str, float] | None = None
    """The weight of drawing each opponent, by label; None: all are equally likely."""
    partner: str | None = None
    """The label of the agent that holds the other seats of the learner's team; None: drawn like an
    opponent."""
    copies_share: float = 0.0
    """Probability that one opponent is drawn for all other sides of a game: a table of copies."""

    def __post_init__(self) -> None:
        if not self.agents:
            raise ValueError("opponents is empty: give at least one agent")
        if self.partner is not None and self.partner not in self.agents:
            raise ValueError(f"partner={self.partner!r}: the opponents are {list(self.agents)}")
        if not 0 <= self.copies_share <= 1:
            raise ValueError(f"copies_share={self.copies_share}: must be 0 to 1")
        if self.chances is None:
            return
        if absent := [label for label in self.agents if label not in self.chances]:
            raise ValueError(f"chances lacks the opponents {absent}")
        weights = self._weights
        if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
            raise ValueError(
                f"chances={dict(self.chances)}: must be at least 0, and one of them above 0"
            )

    @property
    def _weights(self) -> np.ndarray:
        return np.array([1.0 if self.chances is None else self.chances[k] for k in self.agents])

    @cached_property
    def _bounds(self) -> np.ndarray:
        """The bounds of the opponents in 0 … 1: a number below the first one draws the first."""
        bounds = self._weights.cumsum()
        return bounds / bounds[-1]

    def draw(
        self, rng: np.random.Generator, count: int, sides: np.ndarray, seat: int | None
    ) -> np.ndarray:
        """Draw who sits where in new games.

        Args:
            rng: the RNG, which draws the opponents of a game and then its seat, before those of the
                next game.
            count: number of games.
            sides: int64[num_players], the side of each player.
            seat: the learner's seat; None draws one for each game.

        Returns:
            int64[count, num_players]: the place of an opponent in `agents`, or LEARNER.
        """
        every, num_sides = np.arange(count), int(sides.max()) + 1
        draws, seats = np.empty((count, num_sides)), np.full(count, seat or 0)
        for game in range(count):
            draws[game] = rng.random(num_sides)
            if seat is None:
                seats[game] = rng.integers(len(sides))
        if self.copies_share:
            copied = rng.random(count) < self.copies_share
            draws = np.where(copied[:, None], draws[:, :1], draws)
        drawn = self._bounds.searchsorted(draws, side="right")
        if self.partner is not None:
            drawn[every, sides[seats]] = list(self.agents).index(self.partner)
        seating: np.ndarray = drawn[:, sides]
        seating[every, seats] = LEARNER
        return seating
