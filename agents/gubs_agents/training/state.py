"""The state of a run as arrays and numbers, to save and to restore."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gubs_agents.networks.network import Network, Weights
from gubs_agents.training.opponents import Opponents


def under(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays with a prefix added to their names."""
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def part_of(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays whose names have a prefix, without it: the inverse of `under`."""
    start = f"{prefix}/"
    return {name[len(start) :]: a for name, a in arrays.items() if name.startswith(start)}


# ----------------------------------------------------------------------------------- the opponents


def opponents_state(
    opponents: Opponents, seated: Mapping[str, Any]
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the state of the opponent pool.

    Args:
        opponents: the pool.
        seated: the opponents in games under way, by label. The state includes snapshots among them
            that were dropped from the pool.
    """
    dropped = {label: agent for label, agent in seated.items() if label not in opponents.agents}
    networks: dict[str, Network] = {**opponents.snapshots, **dropped}
    arrays = {
        f"{label}/{number}/{kind}": part
        for label, network in networks.items()
        for number, layer in enumerate(network.weights.policy)
        for kind, part in zip(("weight", "bias"), layer, strict=True)
    }
    return arrays, opponents.told() | {"networks": list(networks)}


def restore_opponents(
    opponents: Opponents, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, Any]
) -> dict[str, Network]:
    """Restore an `opponents_state`, and return all its snapshots, the dropped ones too."""
    networks = {
        label: Network(
            weights_from(part_of(label, arrays)), draw=True, symmetry=opponents.newest.symmetry
        )
        for label in numbers["networks"]
    }
    opponents.every, opponents.win_shares = numbers["every"], dict(numbers["win_shares"])
    opponents.snapshots = {label: networks[label] for label in numbers["snapshots"]}
    return networks


def weights_from(arrays: Mapping[str, np.ndarray]) -> Weights:
    """Return a network from arrays named NUMBER/weight and NUMBER/bias."""
    return Weights([(arrays[f"{k}/weight"], arrays[f"{k}/bias"]) for k in range(len(arrays) // 2)])
