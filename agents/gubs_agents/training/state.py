"""The whole state of a run as arrays and numbers, and back.

Stable-Baselines3 can save a model, but neither where its games stand nor its chance, and saves by
pickle; so the few fields it goes on from are read and written here, private ones among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from gubs_agents.network import Network
from gubs_agents.training.opponents import Opponents
from gubs_env.api.sb3 import SelfPlayVecEnv


def under(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def part_of(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The inverse of `under`."""
    start = f"{prefix}/"
    return {name[len(start) :]: a for name, a in arrays.items() if name.startswith(start)}


# ------------------------------------------------------------------------------------- the learner


def learner_state(model: MaskablePPO) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    policy = {name: tensor.cpu().numpy() for name, tensor in model.policy.state_dict().items()}
    moments = {
        f"{number}/{name}": tensor.cpu().numpy()
        for number, slots in model.policy.optimizer.state_dict()["state"].items()
        for name, tensor in slots.items()
    }
    arrays = under("policy", policy) | under("optimizer", moments)
    arrays["starts"] = np.asarray(model._last_episode_starts, bool)
    return arrays, {"timesteps": model.num_timesteps, "passes": model._n_updates}


def restore_learner(
    model: MaskablePPO,
    arrays: Mapping[str, np.ndarray],
    numbers: Mapping[str, Any],
) -> None:
    """Put a `learner_state` back, after its games."""
    policy = {name: torch.from_numpy(array) for name, array in part_of("policy", arrays).items()}
    model.policy.load_state_dict(policy)
    optimizer = model.policy.optimizer.state_dict()
    for name, array in part_of("optimizer", arrays).items():
        number, slot = name.split("/")
        optimizer["state"].setdefault(int(number), {})[slot] = torch.from_numpy(array)
    model.policy.optimizer.load_state_dict(optimizer)
    model.num_timesteps, model._n_updates = numbers["timesteps"], numbers["passes"]
    model._last_obs = model.get_env().look()  # type: ignore[union-attr]
    model._last_episode_starts = arrays["starts"]


# ----------------------------------------------------------------------------------- the opponents


def opponents_state(
    opponents: Opponents, env: SelfPlayVecEnv
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """With the snapshots that the pool has dropped but games under way have not."""
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
    return [(arrays[f"{k}/weight"], arrays[f"{k}/bias"]) for k in range(len(arrays) // 2)]


# ------------------------------------------------------------------------------------------ chance


def chance_state() -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Of the global generators, which Stable-Baselines3 draws from."""
    kind, words, position, has_gauss, gauss = np.random.get_state()
    arrays = {"torch": torch.get_rng_state().numpy(), "numpy": np.asarray(words)}
    return arrays, {"numpy": [kind, int(position), int(has_gauss), float(gauss)]}


def restore_chance(arrays: Mapping[str, np.ndarray], numbers: Mapping[str, Any]) -> None:
    torch.set_rng_state(torch.from_numpy(arrays["torch"]))
    kind, position, has_gauss, gauss = numbers["numpy"]
    np.random.set_state((kind, arrays["numpy"], position, has_gauss, gauss))


# ------------------------------------------------------------------------------------------- all


def run_state(
    model: MaskablePPO, env: SelfPlayVecEnv, opponents: Opponents
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    parts = {
        "learner": learner_state(model),
        "games": env.state(),
        "opponents": opponents_state(opponents, env),
        "chance": chance_state(),
    }
    arrays: dict[str, np.ndarray] = {}
    for name, (part, _) in parts.items():
        arrays |= under(name, part)
    return arrays, {name: numbers for name, (_, numbers) in parts.items()}


def restore_run(
    model: MaskablePPO,
    env: SelfPlayVecEnv,
    opponents: Opponents,
    arrays: Mapping[str, np.ndarray],
    numbers: Mapping[str, Any],
) -> None:
    """Put a `run_state` back into a learner, games and opponents made with the same options."""
    restore_opponents(opponents, env, part_of("opponents", arrays), numbers["opponents"])
    env.restore(part_of("games", arrays), numbers["games"])
    restore_learner(model, part_of("learner", arrays), numbers["learner"])
    restore_chance(part_of("chance", arrays), numbers["chance"])
