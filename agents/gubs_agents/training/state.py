"""The state of a run as arrays and numbers, to save and to restore."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gubs_agents.network import Network
from gubs_agents.training.collector import Collector
from gubs_agents.training.opponents import Opponents
from gubs_env.api.sb3 import SelfPlayVecEnv

if TYPE_CHECKING:
    from gubs_agents.training.learner import Learner


def under(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays with a prefix added to their names."""
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def part_of(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays whose names have a prefix, without it: the inverse of `under`."""
    start = f"{prefix}/"
    return {name[len(start) :]: a for name, a in arrays.items() if name.startswith(start)}


# ----------------------------------------------------------------------------------- the opponents


def opponents_state(
    opponents: Opponents, env: SelfPlayVecEnv
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the state of the opponent pool.

    It includes snapshots that were dropped from the pool but still play in games under way.
    """
    dropped = env.seated - set(opponents.agents)
    networks: dict[str, Any] = {**opponents.snapshots}
    networks |= {label: env.agents[label] for label in sorted(dropped)}
    arrays = {
        f"{label}/{number}/{kind}": part
        for label, network in networks.items()
        for number, layer in enumerate(network.layers)
        for kind, part in zip(("weight", "bias"), layer, strict=True)
    }
    return arrays, opponents.told() | {"networks": list(networks)}


def restore_opponents(
    opponents: Opponents,
    env: SelfPlayVecEnv,
    arrays: Mapping[str, np.ndarray],
    numbers: Mapping[str, Any],
) -> None:
    """Restore an `opponents_state`."""
    networks = {
        label: Network(
            layers_from(part_of(label, arrays)), draw=True, symmetry=opponents.newest.symmetry
        )
        for label in numbers["networks"]
    }
    opponents.every, opponents.win_shares = numbers["every"], dict(numbers["win_shares"])
    opponents.snapshots = {label: networks[label] for label in numbers["snapshots"]}
    env.set_opponents(opponents.agents | networks)


def layers_from(arrays: Mapping[str, np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the layers of a network from arrays named NUMBER/weight and NUMBER/bias."""
    return [(arrays[f"{k}/weight"], arrays[f"{k}/bias"]) for k in range(len(arrays) // 2)]


# ------------------------------------------------------------------------------------ the whole run


PARTS = ("opponents", "games", "learner")
"""The parts of a state that have arrays and numbers of their own."""


def run_state(
    learner: Learner, collector: Collector, env: SelfPlayVecEnv, opponents: Opponents
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return all that a run continues from: arrays by name, and values for JSON."""
    parts = {
        "learner": learner.state(),
        "games": env.state(),
        "opponents": opponents_state(opponents, env),
    }
    arrays = {"starts": collector.starts}
    for name, (part, _) in parts.items():
        arrays |= under(name, part)
    return arrays, {name: numbers for name, (_, numbers) in parts.items()}


def restore_run(
    learner: Learner,
    collector: Collector,
    env: SelfPlayVecEnv,
    opponents: Opponents,
    arrays: Mapping[str, np.ndarray],
    numbers: Mapping[str, Any],
) -> None:
    """Restore a `run_state` into objects that were made with the same options."""
    restore_opponents(opponents, env, part_of("opponents", arrays), numbers["opponents"])
    env.restore(part_of("games", arrays), numbers["games"])
    collector.restore(arrays["starts"])
    learner.restore(part_of("learner", arrays), numbers["learner"])
