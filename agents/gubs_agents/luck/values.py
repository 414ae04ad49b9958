"""The networks that value the outcomes of chance events, and their files.

A network is fitted once and frozen. Whatever it says, corrections have mean zero; the better it
says it, the more luck they take out. Weights are stored as safetensors with a JSON file beside
them, which names the table, the games that the network was fitted on, and the hash of the weights.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from gubs_agents.architecture import WeightsError
from gubs_agents.layers import Layer, check_layer
from gubs_agents.luck.events import Events
from gubs_agents.network import read_short, sha256_of
from gubs_env.api.files import replace_file
from gubs_env.engine.border import LONGEST_JSON, read_json
from gubs_env.engine.game import Game

SHIPPED = Path(__file__).parents[1] / "weights" / "luck"
FORMAT = "gubs_env luck 1"
LARGEST = 1 << 20
"""The most bytes of a file of weights."""
TOGETHER = 1 << 14
"""Number of events that are valued in one call."""
FIELDS = {
    "format": str, "game": str, "players": int, "first_deal": int, "games": int, "scale": float,
    "sha256": str,
}  # fmt: skip


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
    path = Path(path)
    tensors = {}
    for number, (weights, biases) in enumerate(values.layers):
        tensors[f"{number}.weight"] = np.ascontiguousarray(weights)
        tensors[f"{number}.bias"] = np.ascontiguousarray(biases)
    data = save_tensors(tensors)
    found = {
        "format": FORMAT, "game": game.name, "players": num_players,
        "first_deal": values.first_deal, "games": values.games, "scale": float(values.scale),
        "sha256": sha256_of(data),
    }  # fmt: skip
    replace_file(path, data)
    replace_file(path.with_suffix(".json"), json.dumps(found, indent=1) + "\n")


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
        WeightsError: for values of another table, or files that were edited or are damaged.
    """
    path = Path(path)
    for file in (path, path.with_suffix(".json")):
        if not file.exists():
            raise FileNotFoundError(f"no such file: {file}")
    try:
        found = _description(read_short(path.with_suffix(".json"), LONGEST_JSON))
        for name, told, true in (
            ("game", found["game"], game.name),
            ("players", found["players"], num_players),
        ):
            if told != true:
                raise WeightsError(f"its {name} is {told!r}, the table has {true!r}")
        layers = _layers(read_short(path, LARGEST), found["sha256"])
        _check_sizes(layers, num_features, num_outputs)
    except WeightsError as error:
        raise WeightsError(f"{path} does not fit: {error}") from None
    return Values(layers, found["first_deal"], found["games"], found["scale"])


def _description(data: bytes) -> dict[str, Any]:
    try:
        found = read_json(data, "the description of values")
    except ValueError as error:
        raise WeightsError(f"its description cannot be read ({error})") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise WeightsError(f"its description does not have the format {FORMAT!r}")
    if found.keys() != FIELDS.keys() or any(
        type(found[name]) is not kind for name, kind in FIELDS.items()
    ):
        raise WeightsError(f"its description must have exactly the fields {', '.join(FIELDS)}")
    return found


def _layers(data: bytes, sha256: str) -> list[Layer]:
    if (found := sha256_of(data)) != sha256:
        raise WeightsError(f"its sha256 is {found!r}, expected is {sha256!r}")
    try:
        tensors = load_tensors(data)
        count = len(tensors) // 2
        layers = [(tensors[f"{k}.weight"], tensors[f"{k}.bias"]) for k in range(count)]
    except (SafetensorError, KeyError, ValueError, TypeError) as error:
        raise WeightsError(f"its weights are not valid ({type(error).__name__})") from None
    return layers


def _check_sizes(layers: list[Layer], num_features: int, num_outputs: int) -> None:
    if not layers:
        raise WeightsError("it has no layers")
    width = num_features
    for number, layer in enumerate(layers):
        last = number == len(layers) - 1
        check_layer(f"layer {number}", layer, width, num_outputs if last else None)
        width = len(layer[1])
