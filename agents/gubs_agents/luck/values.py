"""The networks that value the outcomes of chance events, and their files.

A network is fitted once and frozen. Whatever it says, corrections have mean zero; the better it
says it, the more luck they take out. Its file (`networks.files`) names the table and the games that
the network was fitted on.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from gubs_agents.networks.architecture import NAME, PLAYERS
from gubs_agents.networks.files import COUNT, SHIPPED, Format, read_layers, shipped_file, write
from gubs_agents.networks.layers import Weights
from gubs_env.engine.chance import Events
from gubs_env.engine.table import Table
from gubs_env.support.fields import Kind

VALUES = SHIPPED / "luck"
ZERO = Kind(lambda value: value == 0, "0")
"""The kind of the field `scale`, which was for values of actions: they did not pay."""
FORMAT = Format(
    "gubs_env luck 1",
    {"game": NAME, "players": PLAYERS, "first_deal": COUNT, "games": COUNT, "scale": ZERO},
)
"""The format of values."""
TOGETHER = 1 << 14
"""Number of events that are valued in one call."""
LARGEST_FEATURE = 128.0
"""Bound on the absolute value of a feature, an int8."""


class Values(NamedTuple):
    """A frozen network that values outcomes."""

    network: Weights
    """The network, whose outputs are the worth of every outcome to every side, counted from the
    side of the event; its inputs are at most LARGEST_FEATURE."""
    first_deal: int
    """The seed of the first deal of the games that it was fitted on."""
    games: int
    """The number of these games; their deals have consecutive seeds."""

    def corrections(self, events: Events, num_games: int, sides: np.ndarray) -> np.ndarray:
        """Return what to add to the payoffs of each game, float64[num_games, num_sides].

        The corrections of a game sum to zero over its sides.

        Args:
            events: chance events of these games.
            num_games: number of games.
            sides: int64[num_players], the side of each seat (`Table.sides`).
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
        worth = self.network.forward(events.features.astype(np.float32))
        worth = worth.reshape(len(events.games), num_sides, -1)
        taken = np.take_along_axis(worth, events.outcomes[:, None, None], 2)[:, :, 0]
        surprise = taken - np.matmul(worth, events.weights[:, :, None])[:, :, 0]
        return surprise - surprise.mean(axis=1, keepdims=True)


def save(path: str | Path, values: Values, table: Table) -> None:
    """Write values to `path`, which ends in .safetensors."""
    description = {
        "game": table.game.name, "players": table.num_players,
        "first_deal": values.first_deal, "games": values.games, "scale": 0.0,
    }  # fmt: skip
    write(path, FORMAT, values.network, description)


def values_for(table: Table, path: str | Path | None = None) -> Values:
    """Return the values for a table: those of a file that `save` wrote, or the shipped ones.

    Raises:
        ValueError: if no values are shipped for this table; the message lists those that are.
        FileNotFoundError: if the file is missing.
        WeightsError: for values of another table, or files that were edited or are damaged, or
            whose numbers can overflow.
    """
    if path is None:
        advice = "fit some with `gubs luck fit`, and give them as --values FILE"
        path = shipped_file(VALUES, "values", advice, table)
    chance, num_players = table.game.chance_events(), table.num_players
    sizes = chance.num_features(num_players), table.num_sides * chance.num_outcomes
    wanted = {"game": table.game.name, "players": num_players}
    network, description = read_layers(path, FORMAT, wanted, *sizes, LARGEST_FEATURE)
    return Values(network, description["first_deal"], description["games"])
