"""`Case`: what the tests for all games need to know about each game.

`tests/<game>/case.py` makes the case of a game; `tests/games/cases.py` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

from gubs_env.api.vector import VectorEnv
from gubs_env.engine.choosing import choose_all
from gubs_env.engine.game import Game
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.table import Table

Seating = tuple[int, dict[str, Any]]
"""(num_players, options of the rules)."""


class Games(VectorEnv):
    """A batch that plays itself at random, without autoreset."""

    def __init__(
        self,
        game: Game,
        num_games: int,
        num_players: int,
        options: Mapping[str, Any],
        seed: int = 0,
    ) -> None:
        super().__init__(Table(game, num_players, options), num_games, seed, autoreset=False)
        self.rngs = np.stack([seed_rng(10**6 + seed + i) for i in range(num_games)])
        self.actions = np.zeros(num_games, np.int64)

    def random_step(self) -> None:
        choose_all(self.rngs, self.masks, self.actions)
        self.step(self.actions)

    @property
    def under_way(self) -> np.ndarray:
        return self.actors >= 0


class Case(NamedTuple):
    """One game and everything that the tests for all games need to know about it."""

    module: ModuleType
    """The public module, as `gubs_v0`."""
    tables: Mapping[str, Seating]
    """Every number of players, with every rule option that matters."""
    main: tuple[str, ...]
    """Names of the tables on which the slower properties are tested."""
    max_decisions: Callable[[Table], int]
    """(table) → a bound on the decisions of a game."""
    check: Callable[[Games], None]
    """Raises AssertionError if anything is wrong that must hold between two decisions."""
    scramble: Callable[[np.ndarray, int, np.random.Generator], np.ndarray]
    """(states[1], player, rng) → states[1] that look the same to the player: everything hidden from
    them is drawn anew."""
    secret: str
    """The field that `scramble` changes where it can."""
    relabelled: tuple[str, ...]
    """Names of the tables whose seats are all alike, so that they can be relabelled."""
    num_games: int = 40
    """Number of random games played to the end at each table."""
    check_end: Callable[[Any, np.ndarray], None] = lambda state, payoffs: None
    """(state, payoffs): the same of a game that is over."""
    is_zero_sum: Callable[[Mapping[str, Any]], bool] = lambda options: True
    """(options) → whether payoffs sum to zero where every seat has a player."""

    pays_wins: Callable[[Mapping[str, Any]], bool] = lambda options: (
        options.get("reward") != "margin"
    )
    """(options) → whether the game pays for the win only."""
    faults: Any = None
    """The `Fault`s of its states; None for those of its module `faults`."""

    below_high: tuple[str, ...] | None = None
    """Names of slices that random games do not fill to their largest value; None: not tested."""

    @property
    def game(self) -> Game:
        return self.module.GAME

    def games(
        self, num_games: int, num_players: int, options: Mapping[str, Any], seed: int = 0
    ) -> Games:
        return Games(self.game, num_games, num_players, options, seed)


def at_tables(tables: Mapping[str, Seating]) -> pytest.MarkDecorator:
    """Run a test for `num_players` and `options` of each table."""
    return pytest.mark.parametrize(("num_players", "options"), tables.values(), ids=tables.keys())
