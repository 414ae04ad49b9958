"""The networks that value the outcomes of chance events, and their files.

A network is fitted once and frozen. Whatever it says, corrections have mean zero; the better it
says it, the more luck they take out. The description of its files (`layer_files`) names the table
and the games that the network was fitted on.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from gubs_agents.networks.architecture import KINDS, Kinds
from gubs_agents.networks.layer_files import COUNT, FACTOR, read_layers, write_layers
from gubs_agents.networks.layers import Layer
from gubs_env.engine.chance import Events
from gubs_env.engine.game import Game

SHIPPED = Path(__file__).parents[1] / "weights" / "luck"
FORMAT = "gubs_env luck 1"
TOGETHER = 1 << 14
"""Number of events that are valued in one call."""
LARGEST_FEATURE = 128.0
"""Bound on the absolute value of a feature, an int8."""
FIELDS: Kinds = {
    "format": KINDS["game"],
    "game": KINDS["game"],
    "players": KINDS["players"],
    "first_deal": COUNT,
    "games": COUNT,
    "scale": FACTOR,
}


class Values(NamedTuple):
    """A frozen network that values outcomes."""

    layers: list[Layer]
    """Hidden layers, each followed by relu, and the output layer: the worth of every outcome to
    every side, counted from the side of the event."""
    first_deal: int
    """The seed of the first deal of the games that it was fitted on."""
    games: int
    """The number of these games; their deals have consecutive seeds."""
    scale: float = 0.0
    """The payoff that a unit of log-probability of an action is worth (`decisions`); 0 disables
    the correction of decisions."""

    def corrections(self, events: Events, num_games: int, sides: np.ndarray) -> np.ndarray:
        """Return what to add to the payoffs of each game, float64[num_games, num_sides].

        The corrections of a game sum to zero over its sides.

        Args:
            events: chance events of these games.
            num_games: number of games.
            sides: int64[num_players], the side of each seat (`Game.sides`).
        """
        num_sides = int(sides.max()) + 1
        corrections = np.zeros((num_games, num_sides))
        for start in range(0, len(events.games), TOGETHER):
            part = Events(*(array[start : start + TOGETHER] for array in events))
            surprise = self._surprise(part, num_sides)
            for steps in range(num_sides):
                place = part.games * num_sides + (sides[part.seats] + steps) % num_sides
                sums = np.bincount(place, surprise[:, steps], corrections.size)
                corrections -= sums.reshape(corrections.shape)
        return corrections

    def _surprise(self, events: Events, num_sides: int) -> np.ndarray:
        """Return how much better the outcomes were than expected, float32[events, num_sides]."""
        worth = self._worth(events.features).reshape(len(events.games), num_sides, -1)
        taken = np.take_along_axis(worth, events.outcomes[:, None, None], 2)[:, :, 0]
        surprise = taken - np.matmul(worth, events.weights[:, :, None])[:, :, 0]
        return surprise - surprise.mean(axis=1, keepdims=True)

    def _worth(self, features: np.ndarray) -> np.ndarray:
        values = features.astype(np.float32)
        for weights, biases in self.layers[:-1]:
            values = np.maximum(values @ weights.T + biases, 0)
        weights, biases = self.layers[-1]
        return values @ weights.T + biases


def path_of(game: Game, num_players: int) -> Path:
    """Return the path of the values that this package ships for a table."""
    return SHIPPED / f"{game.name}_{num_players}.safetensors"


def save(path: str | Path, values: Values, game: Game, num_players: int) -> None:
    """Write values to `path`, which ends in .safetensors, and their description beside it."""
    told = {
        "format": FORMAT, "game": game.name, "players": num_players,
        "first_deal": values.first_deal, "games": values.games, "scale": float(values.scale),
    }  # fmt: skip
    write_layers(path, values.layers, told, LARGEST_FEATURE)


def load(
    path: str | Path, game: Game, num_players: int, num_features: int, num_outputs: int
) -> Values:
    """Read values that `save` wrote, and check that they fit a table.

    Args:
        path: the file of the weights.
        game, num_players: the table.
        num_features, num_outputs: the sizes of the first and the last layer at this table.

    Raises:
        FileNotFoundError: if the weights or their description are missing.
        WeightsError: for values of another table, or files that were edited or are damaged, or
            whose numbers can overflow.
    """
    wanted = {"format": FORMAT, "game": game.name, "players": num_players}
    layers, found = read_layers(path, FIELDS, wanted, num_features, num_outputs, LARGEST_FEATURE)
    return Values(layers, found["first_deal"], found["games"], found["scale"])
