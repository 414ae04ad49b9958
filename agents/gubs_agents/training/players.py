"""The policies of a run as agents, as arrays and as files.

A policy is a perceptron, which compiled code plays, or another network, which its learner plays.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from gubs_agents.common.symmetry import Symmetry, show
from gubs_agents.networks.architecture import WeightsError
from gubs_agents.networks.files import about_file, read_short
from gubs_agents.networks.network import Network, Weights, load, save
from gubs_agents.training.learner import Learner, Parameters, PlayingLearner
from gubs_env.agents.registry import MemoryAgent
from gubs_env.engine.table import Table
from gubs_env.support.files import replace_file


class Player:
    """The policy of a `PlayingLearner` as an agent.

    Args:
        learner: the learner.
        weights: the arrays of its network by name.
        draw: draw actions instead of taking the likeliest.
        symmetry: symmetry through which the learner sees positions; None shows them unchanged.
    """

    def __init__(
        self, learner: PlayingLearner, weights: Parameters, draw: bool, symmetry: Symmetry | None
    ) -> None:
        self.weights, self.symmetry = weights, symmetry
        self.agent: Any = learner.make_player(weights, draw)
        if isinstance(self.agent, MemoryAgent):
            self.memory_size, self.num_events = self.agent.memory_size, self.agent.num_events

    def act(
        self,
        observations: np.ndarray,
        masks: np.ndarray,
        rngs: np.ndarray | None = None,
        *remembered: np.ndarray,
    ) -> np.ndarray:
        """Return legal actions, int64[batch]; arguments as for `Agent.act` or `MemoryAgent.act`."""
        shown = show(self.symmetry, observations, masks)
        actions = self.agent.act(shown.observations, shown.masks, rngs, *remembered)
        return shown.played(np.asarray(actions))


Policy = Network | Player
"""A policy as an agent; its attribute `weights` holds its network."""


def policy_of(
    learner: Learner, weights: Parameters, draw: bool, symmetry: Symmetry | None
) -> Policy:
    """Return an agent that plays with the weights of a learner's network.

    Args:
        learner, weights: the learner, and what its method `weights` returned.
        draw: draw actions instead of taking the likeliest.
        symmetry: symmetry through which the learner sees positions; None shows them unchanged.
    """
    if isinstance(learner, PlayingLearner):
        return Player(learner, weights, draw, symmetry)
    return Network(cast(Weights, weights), draw=draw, symmetry=symmetry)


# ------------------------------------------------------------------------------ arrays and files


def arrays_of(weights: Parameters) -> Mapping[str, np.ndarray]:
    """Return the arrays of a policy by name; a perceptron's value head, which scores nothing, is
    left out."""
    if not isinstance(weights, Weights):
        return weights
    return {
        f"{number}/{kind}": part
        for number, layer in enumerate(weights.policy)
        for kind, part in zip(("weight", "bias"), layer, strict=True)
    }


def weights_of(learner: Learner, arrays: Mapping[str, np.ndarray]) -> Parameters:
    """Return the weights of `arrays_of`."""
    if isinstance(learner, PlayingLearner):
        return arrays
    return Weights([(arrays[f"{k}/weight"], arrays[f"{k}/bias"]) for k in range(len(arrays) // 2)])


def check_finite(weights: Parameters) -> None:
    """Raise WeightsError for arrays that hold NaN or infinity; a perceptron was checked before."""
    for name, array in {} if isinstance(weights, Weights) else weights.items():
        if not np.isfinite(array).all():
            raise WeightsError(f"{name} holds numbers that are not finite")


def save_policy(path: Path, weights: Parameters, table: Table, varied: bool = False) -> None:
    """Write a policy to a file.

    Args:
        path: the file, which ends in .safetensors.
        weights: the weights; arrays are written by their names.
        table, varied: as for `network.save`, for a perceptron.

    Raises:
        OSError: if the file cannot be written.
    """
    if isinstance(weights, Weights):
        save(path, weights, table, varied)
    else:
        replace_file(path, save_arrays({k: np.ascontiguousarray(v) for k, v in weights.items()}))


def load_policy(path: str | Path, learner: Learner, table: Table) -> Parameters:
    """Read a policy that `save_policy` wrote.

    Raises:
        FileNotFoundError: if the file is missing.
        WeightsError: for a perceptron as `network.load` says, otherwise for no valid safetensors.
    """
    if not isinstance(learner, PlayingLearner):
        return load(path, table, any_rules=True)
    with about_file(path):
        try:
            return load_arrays(read_short(path))
        except SafetensorError as error:
            raise WeightsError(f"it is not valid safetensors ({error})") from None
