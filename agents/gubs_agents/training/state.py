"""The state of a run as arrays and numbers, to save and to restore."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gubs_agents.networks.network import Network
from gubs_agents.training.opponents import Opponents
from gubs_agents.training.players import Player, arrays_of


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
    players: dict[str, Network | Player] = {**opponents.snapshots, **dropped}
    arrays = {
        name: part
        for label, player in players.items()
        for name, part in under(label, arrays_of(player.weights)).items()
    }
    return arrays, opponents.told() | {"networks": list(players)}


def restore_opponents(
    opponents: Opponents,
    arrays: Mapping[str, np.ndarray],
    numbers: Mapping[str, Any],
    player: Callable[[dict[str, np.ndarray]], Network | Player],
) -> dict[str, Network | Player]:
    """Restore an `opponents_state`, and return all its snapshots, the dropped ones too.

    Args:
        opponents: the pool.
        arrays, numbers: the state.
        player: returns the agent of a snapshot, given its arrays.
    """
    players = {label: player(part_of(label, arrays)) for label in numbers["networks"]}
    opponents.every, opponents.win_shares = numbers["every"], dict(numbers["win_shares"])
    opponents.snapshots = {label: players[label] for label in numbers["snapshots"]}
    return players
