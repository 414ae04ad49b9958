"""A learned player: a small network whose weights ship as safetensors, which cannot run code.

Beside `name.safetensors` lies `name.json`: the game, the number of players, the encoding of
observations and actions the network was trained on, its layer sizes, and the hash of the weights.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from gubs_env.api.game import Game
from gubs_env.games.choosing import sample_all
from gubs_env.games.generator import spawn_words
from gubs_env.gubs_v0 import GAME

Layer = tuple[np.ndarray, np.ndarray]
"""Weights float32[outputs, inputs] and biases float32[outputs]."""


class WeightsError(ValueError):
    """Weights that do not fit this game, this table or this version of the encoding."""


def encoding(game: Game, num_players: int) -> str:
    """A hash of what each number of an observation and each action means, 16 hexadecimal digits."""
    slices = game.observation_slices(num_players).values()
    meaning = [[piece.name, list(piece.shape), piece.high] for piece in slices]
    actions = [game.action_name(a, num_players) for a in range(game.num_actions(num_players))]
    return hashlib.sha256(json.dumps([meaning, actions]).encode()).hexdigest()[:16]


def save(
    path: str | Path,
    layers: Sequence[Layer],
    game: Game,
    num_players: int,
    value: Layer | None = None,
) -> None:
    """Write a network to `path`, which ends in .safetensors, and its description beside it.

    `value` is a last layer of its own, after the same hidden ones, for what a game will pay.
    """
    path = Path(path)
    tensors = {}
    for number, (weights, biases) in enumerate(layers):
        tensors[f"{number}.weight"] = np.ascontiguousarray(weights, np.float32)
        tensors[f"{number}.bias"] = np.ascontiguousarray(biases, np.float32)
    if value is not None:
        tensors["value.weight"], tensors["value.bias"] = value
    save_file(tensors, path)
    description = {
        "game": game.name,
        "players": num_players,
        "encoding": encoding(game, num_players),
        "sizes": [layers[0][0].shape[1], *(len(biases) for _, biases in layers)],
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    path.with_suffix(".json").write_text(json.dumps(description, indent=2) + "\n")


def load(path: str | Path, game: Game, num_players: int) -> list[Layer]:
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
    hidden = range(len(description["sizes"]) - 1)
    return [(tensors[f"{k}.weight"], tensors[f"{k}.bias"]) for k in hidden]


class Network:
    """Plays what a trained network finds best, or draws from what it finds good.

    Args:
        layers: of a multilayer perceptron over log(1 + count), with ReLU between the layers.
        seed: of its own chance.
        draw: whether to draw actions with the network's probabilities, not take the likeliest.
    """

    def __init__(
        self, layers: Sequence[Layer], seed: int | None = None, draw: bool = False
    ) -> None:
        self.layers = list(layers)
        self.draw = draw
        self.rng = np.random.default_rng(seed)

    def act(
        self, observations: np.ndarray, masks: np.ndarray, choosers: np.ndarray | None = None
    ) -> np.ndarray:
        """As `Agent.act`."""
        scores = np.where(masks != 0, self.scores(observations), -np.inf)
        if not self.draw:
            return scores.argmax(1)
        weights = np.exp(scores - scores.max(1, keepdims=True)).astype(np.float64)
        actions = np.zeros(len(masks), np.int64)
        if choosers is None:
            choosers = spawn_words(self.rng, len(masks))
        sample_all(choosers, weights, actions)
        return actions

    def scores(self, observations: np.ndarray) -> np.ndarray:
        """Logits of all actions, legal or not: float32[batch, num_actions]."""
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
    game: Game = GAME,
) -> Network:
    """A learned network; weights=FILE.safetensors says which.

    Raises ValueError without `weights`, and what `load` raises.
    """
    if weights is None:
        raise ValueError("policy needs weights=FILE.safetensors")
    return Network(load(weights, game, num_players), seed, bool(draw))
