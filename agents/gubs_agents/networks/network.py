"""The agent that plays with a trained network, and its files.

`files` writes and reads them; `architecture` describes them.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gubs_agents.common.decisions import SOUND, Decisions, Table, Tables, first_fault, refuse
from gubs_agents.common.symmetry import Shown, Symmetry, show
from gubs_agents.networks.architecture import (
    KINDS,
    Description,
    Shapes,
    check,
    entries_of,
)
from gubs_agents.networks.files import Format, Tensors, Told, read, write
from gubs_agents.networks.layers import LARGEST_SHOWN, Weights, table_for
from gubs_agents.networks.perceptron import choose_all, evaluate_all, make_perceptron
from gubs_agents.scripted.by_game import symmetry_of
from gubs_env import find_game
from gubs_env.engine.game import Game
from gubs_env.support.files import folder_of

SHIPPED = folder_of("gubs_agents", "weights")
FORMAT = Format("gubs_env network 1", KINDS)
"""The format of a network that plays: the fields are those of a `Description`."""


def table_of(game: Game, num_players: int) -> Table:
    """Return the table of a game with a number of players; ValueError for another number."""
    return Tables(game.player_counts, game.observation_slices, game.action_names).of(num_players)


def shipped(game: Game, num_players: int, rules: Any = None) -> Path:
    """Return the path of the network that this package ships for a table.

    Args:
        game, num_players: the table.
        rules: the rules there, as for `Game.make_rules`.

    Raises:
        ValueError: if none is shipped for this table; the message lists those that are.
    """
    advice = "give a network of your own as weights=FILE.safetensors"
    return file_of_table(SHIPPED, "networks", advice, game, num_players, rules)


def file_of_table(
    folder: Path, what: str, advice: str, game: Game, num_players: int, rules: Any
) -> Path:
    """Return the file for a table in a folder of what this package ships.

    Raises:
        ValueError: if there is none; the message lists those that there are, and gives an advice.
    """
    path = folder / f"{name_of_table(game, num_players, rules)}.safetensors"
    if not path.exists():
        there_are = ", ".join(sorted(path.stem for path in folder.glob("*.safetensors")))
        table = ", ".join([f"{num_players} players", *unusual(game, rules)])
        raise ValueError(
            f"no {what} are shipped for {game.name} with {table}, only for {there_are}; {advice}"
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
    """Write a network with its description to `path`, which ends in .safetensors.

    Args:
        path: the file.
        weights: the network.
        game, num_players: the table.
        rules: what `architecture.trained_rules` says about its training; None means that it was
            trained under the default rules.

    Raises:
        WeightsError: if a layer has the wrong shape for this table.
        OSError: if the file cannot be written.
    """
    description = weights.describe(game, num_players, rules)
    write(path, FORMAT, weights, description._asdict(), description.shapes)


def load(path: str | Path, game: Game, num_players: int, rules: Any = None) -> Weights:
    """Read a network that `save` wrote, and check that it fits a table.

    Args:
        path: the file.
        game, num_players: the table.
        rules: the rules there, as for `Game.make_rules`; None leaves them unchecked.

    Raises:
        FileNotFoundError: if the file is missing.
        WeightsError: if the description does not fit this table (the message names the part that
            differs), or if the weights are damaged or do not match the description.
    """

    def expected(told: Told, _: Tensors) -> tuple[Shapes, np.ndarray]:
        description = Description(**{name: told[name] for name in Description._fields})
        check(description, game, num_players, rules)
        names = [name for name, _, _ in description.slices]
        return description.shapes, entries_of(game.observation_slices(num_players), names)

    return read(path, FORMAT, expected, LARGEST_SHOWN)[0]


class Network:
    """An agent that plays the likeliest action of a trained network, or draws an action.

    Args:
        weights: the network; its value head is for `judge`.
        seed: seed of the agent's RNG, used for drawing when `act` gets no RNGs.
        draw: draw actions with the network's probabilities instead of taking the likeliest.
        symmetry: symmetry through which the network sees positions; None shows them unchanged.
        table: the table; None as for `table_for`.

    Raises:
        WeightsError: if the network does not fit the table or the symmetry.
    """

    def __init__(
        self,
        weights: Weights,
        seed: int | None = None,
        draw: bool = False,
        symmetry: Symmetry | None = None,
        table: Table | None = None,
    ) -> None:
        self.symmetry, self.draw = symmetry, draw
        self.table = table_for(weights, symmetry, table)
        self.rng = np.random.default_rng(seed)
        self.set_weights(weights)

    def __copy__(self) -> Network:
        return copy.deepcopy(self)

    def set_weights(self, weights: Weights) -> None:
        """Play with another network from now on.

        Raises:
            WeightsError: if it does not fit the table.
        """
        # `show` renames positions before the compiled network reads them
        self._compiled = make_perceptron(weights, None, self.table)
        self.weights = weights

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
        return probabilities, None if self.weights.value is None else values

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
    return Network(loaded, seed, bool(draw), symmetry_of(game), table)
