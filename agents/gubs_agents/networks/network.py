"""The agent that plays with a trained network, and its files.

`layer_files` writes and reads them; `architecture` describes them.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gubs_agents.common.decisions import SOUND, Decisions, Table, first_fault, refuse
from gubs_agents.common.symmetry import Shown, Symmetry, show
from gubs_agents.networks.architecture import (
    Description,
    check,
    entries_of,
    from_json,
    to_json,
)
from gubs_agents.networks.layer_files import read_weights, write_weights
from gubs_agents.networks.layers import LARGEST_SHOWN, Layer, Weights, check_weights, fit
from gubs_agents.networks.perceptron import choose_all, evaluate_all, make_perceptron
from gubs_agents.scripted.by_game import symmetry_of
from gubs_env import find_game
from gubs_env.engine.game import Game

SHIPPED = Path(__file__).parents[1] / "weights"


def table_of(game: Game, num_players: int) -> Table:
    """Return the table of a game with a number of players."""
    highs = game.observation_highs(num_players).astype(np.uint8)
    slices = tuple(game.observation_slices(num_players).values())
    return Table(highs, game.num_actions(num_players), slices)


def shipped(game: Game, num_players: int, rules: Any = None) -> Path:
    """Return the path of the network that this package ships for a table.

    Args:
        game, num_players: the table.
        rules: the rules there, as for `Game.make_rules`.

    Raises:
        ValueError: if none is shipped for this table; the message lists those that are.
    """
    path = SHIPPED / f"{name_of_table(game, num_players, rules)}.safetensors"
    if not path.exists():
        there_are = ", ".join(sorted(path.stem for path in SHIPPED.glob("*.safetensors")))
        raise ValueError(
            f"no network is shipped for {game.name} with "
            f"{', '.join([f'{num_players} players', *unusual(game, rules)])}, only {there_are}; "
            "give a network of your own as weights=FILE.safetensors"
        )
    return path


def name_of_table(game: Game, num_players: int, rules: Any = None) -> str:
    """Return the name of a table: the game, the players, and `table_options` if not the default."""
    others = [text.partition("=")[2] for text in unusual(game, rules)]
    return "_".join([game.name, str(num_players), *others])


def unusual(game: Game, rules: Any) -> list[str]:
    """Return the `table_options` that do not have their default value, each as option=value."""
    values, usual = (game.make_rules(given).as_dict() for given in (rules, None))
    return [f"{k}={values[k]}" for k in game.table_options if values[k] != usual[k]]


def save(
    path: str | Path,
    weights: Weights,
    game: Game,
    num_players: int,
    rules: Mapping[str, Any] | None = None,
) -> None:
    """Write a network to `path`, which ends in .safetensors, and its description beside it.

    Args:
        path: the file of the weights.
        weights: the network.
        game, num_players: the table.
        rules: what `architecture.trained_rules` says about its training; None means that it was
            trained under the default rules.

    Raises:
        WeightsError: if a layer has the wrong shape for this table, or is not finite.
    """
    check_weights(weights)
    description = weights.describe(game, num_players, rules)
    write_weights(path, weights.layers, description.shapes, partial(to_json, description))


def load(path: str | Path, game: Game, num_players: int, rules: Any = None) -> Weights:
    """Read a network that `save` wrote, and check that it fits a table.

    Args:
        path: the file of the weights.
        game, num_players: the table.
        rules: the rules there, as for `Game.make_rules`; None leaves them unchecked.

    Raises:
        FileNotFoundError: if the weights or their description are missing.
        WeightsError: if the description does not fit this table (the message names the part that
            differs), or if the weights are damaged or do not match the description.
    """

    def read_description(data: bytes) -> tuple[Description, str]:
        description, sha256 = from_json(data)
        check(description, game, num_players, rules)
        return description, sha256

    weights, description = read_weights(
        path, read_description, lambda description, _: description.shapes, LARGEST_SHOWN
    )
    names = [name for name, _, _ in description.slices]
    return weights._replace(inputs=entries_of(game.observation_slices(num_players), names))


class Network:
    """An agent that plays the likeliest action of a trained network, or draws an action.

    Args:
        layers: the hidden layers and the policy head, as in `Weights.policy`.
        seed: seed of the agent's RNG, used for drawing when `act` gets no RNGs.
        draw: draw actions with the network's probabilities instead of taking the likeliest.
        symmetry: symmetry through which the network sees positions; None shows them unchanged.
        inputs: the entries that the network reads, as in `Weights`.
        table: the table; None as for `fit`.
        value: the value head, as in `Weights`, for `judge`.

    Raises:
        WeightsError: if the layers do not fit each other, the inputs, the table or the symmetry, or
            hold numbers that are not finite.
    """

    def __init__(
        self,
        layers: Sequence[Layer],
        seed: int | None = None,
        draw: bool = False,
        symmetry: Symmetry | None = None,
        inputs: np.ndarray | None = None,
        table: Table | None = None,
        value: Layer | None = None,
    ) -> None:
        self.inputs, self.symmetry, self.draw = inputs, symmetry, draw
        self.table = fit(Weights(list(layers), value, inputs), symmetry, table)
        self.rng = np.random.default_rng(seed)
        self.set_layers(layers, value)

    def __copy__(self) -> Network:
        return copy.deepcopy(self)

    def set_layers(self, layers: Sequence[Layer], value: Layer | None = None) -> None:
        """Play with other layers from now on, and another value head.

        Raises:
            WeightsError: as for a new network.
        """
        weights = Weights(list(layers), value, self.inputs)
        fit(weights, self.symmetry, self.table)
        self.layers, self.value = weights.policy, value
        # `show` renames positions before the compiled network reads them
        self._compiled = make_perceptron(weights, None, self.table)

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray | None = None
    ) -> np.ndarray:
        """Return an action for each position, int64[batch]; arguments as for `Agent.act`.

        Raises:
            ValueError: for arrays of another table, shape or type, a mask without a legal action,
                or an observation with a value out of its range.
        """
        own_rng = self.rng if self.draw else None
        shown, drawn = self._shown(observations, masks, rngs, own_rng)
        actions = np.zeros(len(drawn), np.int64)
        choose_all(self._compiled, shown.observations, shown.masks, drawn, self.draw, actions)
        if self.draw and rngs is not None and rngs is not drawn:
            rngs[:] = drawn
        return shown.played(actions)

    def judge(
        self, observations: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Return probabilities and expected payoffs (see `Judge`); errors as for `act`."""
        shown, _ = self._shown(observations, masks, None, None)
        scores, values = self._evaluate(shown.observations)
        scores = np.where(shown.masks != 0, scores, -np.inf)
        weights = np.exp(scores - scores.max(1, keepdims=True))
        ranked = weights / weights.sum(1, keepdims=True)
        probabilities = np.zeros_like(ranked)
        for action in range(ranked.shape[1]):
            chosen = shown.played(np.full(len(ranked), action))
            probabilities[np.arange(len(ranked)), chosen] = ranked[:, action]
        return probabilities, None if self.value is None else values

    def scores(self, observations: np.ndarray) -> np.ndarray:
        """Return the logits of all actions, legal or not: float32[batch, num_actions].

        Args:
            observations: int8[batch, observation_size], as the symmetry shows them.

        Raises:
            ValueError: for observations of another table, or with a value out of its range.
        """
        all_legal = np.ones((len(observations), self.table.num_actions), np.int8)
        return self._evaluate(self._sound(observations, all_legal, None, None)[0])[0]

    def _shown(
        self,
        observations: np.ndarray,
        masks: np.ndarray,
        rngs: np.ndarray | None,
        own_rng: np.random.Generator | None,
    ) -> tuple[Shown, np.ndarray]:
        """Return checked positions as the network sees them, and an RNG for each."""
        seen, legal, drawn = self._sound(observations, masks, rngs, own_rng)
        return show(self.symmetry, seen, legal), drawn

    def _sound(self, *given: Any) -> Decisions:
        """Return the arguments of `Table.read`, read and every row of them checked."""
        decisions = seen, legal, drawn = self.table.read(*given)
        if (row := first_fault(seen, legal, drawn, self.table.highs)) != SOUND:
            refuse(row, decisions, self.table)
        return decisions

    def _evaluate(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        scores = np.zeros((len(observations), self.table.num_actions), np.float32)
        values = np.zeros(len(observations), np.float32)
        evaluate_all(self._compiled, observations, scores, values)
        return scores, values


def policy(
    num_players: int = 2,
    seed: int | None = None,
    weights: str | Path | None = None,
    draw: bool = False,
    game: str | Game = "gubs",
    rules: Any = None,
) -> Network:
    """A trained network: the shipped one for this table, or weights=FILE.safetensors.

    Args:
        num_players, game, rules: the table; rules as for `Game.make_rules`, of which None leaves
            those of given weights unchecked.
        seed, draw: as for `Network`.
        weights: file of the weights; None for the shipped ones.

    Raises:
        ValueError: if no weights are given and none are shipped for this table.
        FileNotFoundError, WeightsError: as for `load`; also if it was not trained for these rules.
    """
    game = find_game(game)
    path = shipped(game, num_players, rules) if weights is None else weights
    loaded, table = load(path, game, num_players, rules), table_of(game, num_players)
    return Network(
        loaded.policy, seed, bool(draw), symmetry_of(game), loaded.inputs, table, loaded.value
    )
