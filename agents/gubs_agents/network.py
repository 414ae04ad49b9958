"""A learned player: a small network whose weights ship as safetensors, which cannot run code.

Beside `name.safetensors` lies `name.json`: the game, the number of players, the encoding of
observations and actions the network was trained on, its layer sizes, and the hash of the weights.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors.numpy import load_file, save_file

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
    """The layers of a network, with ReLU between them."""

    policy: list[Layer]
    """The last one scores the actions."""
    value: Layer | None = None
    """After the same hidden ones in place of the last: what the game will pay."""


class WeightsError(ValueError):
    """Weights that do not fit this game, this table or this version of the encoding."""


def encoding(game: Game, num_players: int) -> str:
    """A hash of what each number that a network is shown, and each action that it chooses, means:
    16 hexadecimal digits."""
    slices = game.observation_slices(num_players).values()
    meaning = [[piece.name, list(piece.shape), piece.high] for piece in slices]
    actions = [game.action_name(a, num_players) for a in range(game.num_actions(num_players))]
    digest = hashlib.sha256(json.dumps([meaning, actions]).encode())
    if symmetry := symmetry_of(game):
        digest.update(symmetry.places.tobytes() + symmetry.actions.tobytes())
    return digest.hexdigest()[:16]


def shipped(game: Game, num_players: int) -> Path:
    """The network that comes with this package for such a table.

    Raises:
        ValueError: where there is none, naming those there are.
    """
    path = SHIPPED / f"{game.name}_{num_players}.safetensors"
    if not path.exists():
        there_are = ", ".join(sorted(path.stem for path in SHIPPED.glob("*.safetensors")))
        raise ValueError(
            f"no network is shipped for {game.name} with {num_players} players, only {there_are}; "
            "weights=FILE.safetensors names another"
        )
    return path


def save(path: str | Path, weights: Weights, game: Game, num_players: int) -> None:
    """Write a network to `path`, which ends in .safetensors, and its description beside it."""
    path = Path(path)
    layers = {str(number): layer for number, layer in enumerate(weights.policy)}
    if weights.value is not None:
        layers["value"] = weights.value
    tensors = {}
    for name, (matrix, biases) in layers.items():
        tensors[f"{name}.weight"] = np.ascontiguousarray(matrix, np.float32)
        tensors[f"{name}.bias"] = np.ascontiguousarray(biases, np.float32)
    save_file(tensors, path)
    sizes = [matrix.shape[1] for matrix, _ in weights.policy] + [len(weights.policy[-1][1])]
    description = {
        "game": game.name,
        "players": num_players,
        "encoding": encoding(game, num_players),
        "sizes": sizes,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    path.with_suffix(".json").write_text(json.dumps(description, indent=2) + "\n")


def load(path: str | Path, game: Game, num_players: int) -> Weights:
    """Read a network that `save` wrote.

    Raises:
        FileNotFoundError: without the weights or their description.
        WeightsError: for another game, number of players or encoding, or for damaged weights.
    """
    path = Path(path)
    for file in (path, path.with_suffix(".json")):
        if not file.exists():
            raise FileNotFoundError(f"no such file: {file}")
    description = json.loads(path.with_suffix(".json").read_text())
    expected = {
        "game": game.name,
        "players": num_players,
        "encoding": encoding(game, num_players),
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    for name, value in expected.items():
        if description.get(name) != value:
            raise WeightsError(
                f"{path} does not fit: its {name} is {description.get(name)!r}, "
                f"here it is {value!r}"
            )
    tensors = load_file(path)
    names = [name.removesuffix(".weight") for name in tensors if name.endswith(".weight")]
    names.sort(key=lambda name: (len(name), name))
    layers: dict[str, Layer] = {
        name: (tensors[f"{name}.weight"], tensors[f"{name}.bias"]) for name in names
    }
    value = layers.pop("value") if "value" in layers else None
    return Weights(list(layers.values()), value)


class Network:
    """Plays what a trained network finds best, or draws from what it finds good.

    Args:
        layers: of a multilayer perceptron over log(1 + count), with ReLU between the layers.
        seed: of its own chance.
        draw: whether to draw actions with the network's probabilities, not take the likeliest.
        symmetry: by which it sees positions; None: as they are.
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
        """As `Agent.act`."""
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
        """Logits of all actions, legal or not, by what is shown: float32[batch, num_actions]."""
        values = np.log1p(observations.astype(np.float32))
        for weights, biases in self.layers[:-1]:
            values = np.maximum(values @ weights.T + biases, 0)
        weights, biases = self.layers[-1]
        return values @ weights.T + biases


def policy(
    num_players: int = 2,
    seed: int | None = None,
    weights: str | Path | None = None,
    draw: bool = False,
    game: str | Game = "gubs",
) -> Network:
    """A learned network: the shipped one for such a table, or weights=FILE.safetensors.

    Raises ValueError where none is shipped, and what `load` raises.
    """
    game = find_game(game)
    path = shipped(game, num_players) if weights is None else weights
    return Network(load(path, game, num_players).policy, seed, bool(draw), symmetry_of(game))
