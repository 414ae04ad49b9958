"""Many games stepped together."""

from __future__ import annotations

from typing import Any

import numpy as np

from gubs_env.api.game import Game
from gubs_env.games.choosing import LOOK
from gubs_env.games.compilation import announce_compilation
from gubs_env.games.generator import seed_words


class Batch:
    """`num_games` games of one sort in one array; the k-th is that of `reset(seed=seed + k)`.

    After the constructor and after each `step`:

    Attributes:
        observations: int8[num_games, observation_size], what the seat to decide sees.
        masks: int8[num_games, num_actions], what it may do; zeros for a game that is over.
        actors: int64[num_games], the seat to decide; −1 for a game that is over.

    The arrays are reused: copy what should stay.
    """

    def __init__(
        self, game: Game, num_games: int, num_players: int = 2, rules: Any = None, seed: int = 0
    ) -> None:
        rules = game.rules() if rules is None else rules
        game.check_players(num_players, rules)
        announce_compilation()
        self.game = game
        self.num_games, self.num_players = num_games, num_players
        self._games = game.new_games(num_games, num_players, rules)
        self._choosers = np.zeros((num_games, 4), np.int64)
        highs = game.observation_highs(num_players)
        self.observations = np.zeros((num_games, len(highs)), np.int8)
        self.masks = np.zeros((num_games, game.num_actions(num_players)), np.int8)
        self.actors = np.zeros(num_games, np.int64)
        for index in range(num_games):
            self._games["rng"][index] = seed_words(seed + index)
            game.deal(self._games, index, 0)
        self.step(np.full(num_games, LOOK))

    def step(self, actions: np.ndarray) -> None:
        """Play one action in every game: int64[num_games], each legal, or LOOK to let it stand."""
        self.game.advance(
            self._games, actions, 1, self._choosers, self.observations, self.masks, self.actors
        )

    def deal(self, index: int) -> None:
        """A new game in one row, from the generator of the game before. `step` makes it visible."""
        self.game.deal(self._games, index, 0)

    def payoffs(self, index: int) -> np.ndarray:
        """Payoffs of all seats, if this game ended as it stands: float32[num_players]."""
        written = np.zeros(self.num_players, np.float32)
        self.game.payoffs(self._games, index, written)
        return written

    def observe(self, index: int, seat: int) -> np.ndarray:
        """What any seat of one game sees: int8[observation_size]."""
        written = np.zeros(self.observations.shape[1], np.int8)
        self.game.observe(self._games, index, seat, written)
        return written
