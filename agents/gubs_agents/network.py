"""The agent that plays with a trained network, and its files.

Weights are stored as safetensors, a format that cannot run code. Beside `name.safetensors` lies
`name.json`: the network's description (`architecture`) with the hash of the weights.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save_file

from gubs_agents.architecture import (
    ACTIVATION,
    NUMPY,
    TRANSFORM,
    Description,
    WeightsError,
    check,
    check_tensors,
    describe,
    from_json,
    to_json,
)
from gubs_agents.by_game import symmetry_of
from gubs_agents.common.symmetry import Symmetry, show
from gubs_env import find_game
from gubs_env.engine.choosing import sample_all
from gubs_env.engine.game import Game
from gubs_env.engine.rng import spawn_rngs

SHIPPED = Path(__file__).parent / "weights"
Layer = tuple[np.ndarray, np.ndarray]
"""Weights float32[outputs, inputs] and biases float32[outputs]."""


class Weights(NamedTuple):
    """The layers of a network."""

    policy: list[Layer]
    """The hidden layers, and last the head that scores the actions."""
    value: Layer | None = None
    """The head that predicts the payoff from the last hidden layer; None without one."""

    @property
    def layers(self) -> list[Layer]:
        """All layers, in the order of `Description.layers`."""
        return [*self.policy, *([] if self.value is None else [self.value])]

    def describe(self, game: Game, num_players: int) -> Description:
        """Return the description of a network with these layers."""
        hidden = [len(biases) for _, biases in self.policy[:-1]]
        return describe(game, num_players, hidden, self.value is not None)


def shipped(game: Game, num_players: int) -> Path:
    """Return the path of the network that this package ships for a table.

    Raises:
        ValueError: if none is shipped for this table; the message lists those that are.
    """
    path = SHIPPED / f"{game.name}_{num_players}.safetensors"
    if not path.exists():
        there_are = ", ".join(sorted(path.stem for path in SHIPPED.glob("*.safetensors")))
        raise ValueError(
            f"no network is shipped for {game.name} with {num_players} players, only {there_are}; "
            "give a network of your own as weights=FILE.safetensors"
        )
    return path


def save(path: str | Path, weights: Weights, game: Game, num_players: int) -> None:
    """Write a network to `path`, which ends in .safetensors, and its description beside it.

    Raises:
        WeightsError: if a layer has the wrong shape for this table, or is not finite.
    """
    path = Path(path)
    description = weights.describe(game, num_players)
    tensors = {}
    for name, (matrix, biases) in zip(description.shapes, weights.layers, strict=True):
        tensors[f"{name}.weight"] = np.ascontiguousarray(matrix, np.float32)
        tensors[f"{name}.bias"] = np.ascontiguousarray(biases, np.float32)
    check_tensors(tensors, description)
    save_file(tensors, path)
    path.with_suffix(".json").write_text(to_json(description, sha256_of(path.read_bytes())))


def load(path: str | Path, game: Game, num_players: int) -> Weights:
    """Read a network that `save` wrote, and check that it fits a table.

    Raises:
        FileNotFoundError: if the weights or their description are missing.
        WeightsError: if the description does not fit this table (the message names the part that
            differs), or if the weights are damaged or do not match the description.
    """
    path = Path(path)
    for file in (path, path.with_suffix(".json")):
        if not file.exists():
            raise FileNotFoundError(f"no such file: {file}")
    try:
        description, sha256 = from_json(path.with_suffix(".json").read_text())
        check(description, game, num_players)
        return from_bytes(path.read_bytes(), description, sha256)
    except WeightsError as error:
        raise WeightsError(f"{path} does not fit: {error}") from None


def from_bytes(data: bytes, description: Description, sha256: str) -> Weights:
    """Return the weights in a safetensors file, checked against its description.

    Raises:
        WeightsError: if the data has another hash, or other tensors than described.
    """
    if (found := sha256_of(data)) != sha256:
        raise WeightsError(f"its sha256 is {found!r}, expected is {sha256!r}")
    try:
        tensors = load_tensors(data)
    except SafetensorError as error:
        raise WeightsError(f"its weights are not valid safetensors ({error})") from None
    check_tensors(tensors, description)
    layers = {
        name: (tensors[f"{name}.weight"], tensors[f"{name}.bias"]) for name in description.shapes
    }
    value = layers.pop("value", None)
    return Weights(list(layers.values()), value)


def sha256_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Network:
    """An agent that plays the likeliest action of a trained network, or draws an action.

    Args:
        layers: the hidden layers and the policy head, as in `Weights.policy`.
        seed: seed of the agent's RNG, used for drawing when `act` gets no RNGs.
        draw: draw actions with the network's probabilities instead of taking the likeliest.
        symmetry: symmetry through which the network sees positions; None shows them unchanged.
    """

    def __init__(
        self,
        layers: Sequence[Layer],
        seed: int | None = None,
        draw: bool = False,
        symmetry: Symmetry | None = None,
    ) -> None:
        self.layers = list(layers)
        self.draw, self.symmetry = draw, symmetry
        self.rng = np.random.default_rng(seed)

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray | None = None
    ) -> np.ndarray:
        """Return an action for each position, int64[batch]; arguments as for `Agent.act`."""
        shown = show(self.symmetry, observations, masks)
        scores = np.where(shown.masks != 0, self.scores(shown.observations), -np.inf)
        if not self.draw:
            return shown.played(scores.argmax(1))
        weights = np.exp(scores - scores.max(1, keepdims=True)).astype(np.float64)
        actions = np.zeros(len(masks), np.int64)
        if rngs is None:
            rngs = spawn_rngs(self.rng, len(masks))
        sample_all(rngs, weights, actions)
        return shown.played(actions)

    def scores(self, observations: np.ndarray) -> np.ndarray:
        """Return the logits of all actions, legal or not: float32[batch, num_actions].

        Args:
            observations: int8[batch, observation_size], as the symmetry shows them.
        """
        values = NUMPY[TRANSFORM](observations.astype(np.float32))
        for weights, biases in self.layers[:-1]:
            values = NUMPY[ACTIVATION](values @ weights.T + biases)
        weights, biases = self.layers[-1]
        return values @ weights.T + biases


def policy(
    num_players: int = 2,
    seed: int | None = None,
    weights: str | Path | None = None,
    draw: bool = False,
    game: str | Game = "gubs",
) -> Network:
    """A trained network: the shipped one for this table, or weights=FILE.safetensors.

    Raises:
        ValueError: if no weights are given and none are shipped for this table.
        FileNotFoundError, WeightsError: as for `load`.
    """
    game = find_game(game)
    path = shipped(game, num_players) if weights is None else weights
    return Network(load(path, game, num_players).policy, seed, bool(draw), symmetry_of(game))
