"""Checks of a checkpoint, before anything is restored from it.

The hashes of a checkpoint show that it is undamaged, not that a run wrote it: whoever edits it can
compute them anew. Some of its numbers reach code that trusts them, such as an optimiser.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gubs_agents.common.decisions import Table
from gubs_agents.networks.layers import Layer
from gubs_agents.training.opponents import NEWEST, Opponents
from gubs_env.adapters.sb3 import SelfPlayVecEnv
from gubs_env.api.seated import LEARNER
from gubs_env.engine.text import printable

LARGEST = 2**62
MOMENTS = ("step", "exp_avg", "exp_avg_sq")
"""Names of the arrays that Adam keeps of each parameter."""
MERSENNE_WORDS = 624
SNAPSHOT = re.compile(r"update (0|[1-9]\d{0,17})")

Arrays = Mapping[str, np.ndarray]

# ------------------------------------------------------------------------------- numbers and names


def is_whole(value: Any, low: int = 0, high: int = LARGEST) -> bool:
    return type(value) is int and low <= value <= high


def is_real(value: Any, low: float = 0, high: float = LARGEST) -> bool:
    return type(value) in (int, float) and low <= value <= high


def are_labels(value: Any) -> bool:
    """Return whether this is a list of different texts."""
    return (
        isinstance(value, list)
        and all(isinstance(label, str) for label in value)
        and len(set(value)) == len(value)
    )


def need(fine: bool, what: str) -> None:
    """Raise ValueError, saying what is wrong, unless all is fine."""
    if not fine:
        raise ValueError(what)


def check_keys(found: Any, expected: Sequence[str], what: str) -> None:
    """Raise ValueError unless an object has exactly these fields."""
    need(isinstance(found, dict), f"{what}: no object with fields")
    if differing := sorted(set(found) ^ set(expected)):
        raise ValueError(f"{what}: unknown or missing: {printable(', '.join(differing))}")


# ------------------------------------------------------------------------------------------ arrays


def check_arrays(found: Arrays, expected: Arrays, what: str) -> None:
    """Raise ValueError unless arrays have the names, dtypes and shapes expected, and are finite."""
    if differing := sorted(found.keys() ^ expected.keys()):
        raise ValueError(f"{what}: unknown or missing arrays: {printable(', '.join(differing))}")
    for name, like in expected.items():
        check_array(found[name], like.dtype, like.shape, f"{what}: array {name}")


def check_array(found: np.ndarray, dtype: np.dtype[Any], shape: tuple[int, ...], what: str) -> None:
    """Raise ValueError unless an array has this dtype and shape, and is finite."""
    # The file keeps a single number as an array of one.
    if found.dtype != dtype or (found.shape or (1,)) != (shape or (1,)):
        raise ValueError(
            f"{what} is {found.dtype}{list(found.shape)}, expected is {dtype}{list(shape)}"
        )
    check_finite(found, what)


def check_finite(found: np.ndarray, what: str) -> None:
    """Raise ValueError for numbers that are not finite, or bools that are neither 0 nor 1."""
    if found.dtype.kind == "f":
        need(bool(np.isfinite(found).all()), f"{what} holds numbers that are not finite")
    if found.dtype.kind == "b":
        need(bool((found.view(np.uint8) <= 1).all()), f"{what} holds bytes that are no bools")


# ---------------------------------------------------------------------------------------- the parts


def check_run(
    own: dict[str, Any], baselines: Sequence[str], steps_an_update: int, exact: bool = True
) -> None:
    """Check the numbers of the run itself, except the sizes of its tables.

    Args:
        own: the numbers.
        baselines: the labels of the baselines.
        steps_an_update: the least number of decisions of an update.
        exact: whether every update has this number.
    """
    fields = ("update", "timesteps", "self_play_seconds", "best", "latest", "sizes")
    check_keys(own, fields, "run")
    need(is_whole(own["update"]), f"run: update={own['update']!r}")
    need(
        is_whole(own["timesteps"], least := own["update"] * steps_an_update)
        and (own["timesteps"] == least or not exact),
        f"run: timesteps={own['timesteps']!r}: {own['update']} updates have {least}",
    )
    need(is_real(own["self_play_seconds"]), f"run: self_play_seconds={own['self_play_seconds']!r}")
    need(is_real(own["best"], -1, 1), f"run: best={own['best']!r}: must be in −1 … 1")
    need(isinstance(own["latest"], dict), "run: latest: no object with fields")
    for label, result in own["latest"].items():
        need(label in baselines, f"run: latest: {label!r} is not a baseline of the run")
        need(
            isinstance(result, list) and len(result) == 4
            and all(is_real(value, 0, 1) for value in result[:3]) and is_whole(result[3]),
            f"run: latest: {label!r}: three numbers in 0 … 1 and a number of games are needed",
        )  # fmt: skip


def check_opponents(
    arrays: Arrays, numbers: Any, opponents: Opponents, layers: Sequence[Layer], update: int
) -> None:
    """Check the opponent pool against the layers of the learner's policy."""
    check_keys(numbers, ("every", "snapshots", "win_shares", "networks"), "opponents")
    every, networks, snapshots = (numbers[k] for k in ("every", "networks", "snapshots"))
    most = max(opponents.every, 2 * update)
    need(is_whole(every, 1, most), f"opponents: every={every!r}: must be 1 to {most}")
    for name, labels in (("networks", networks), ("snapshots", snapshots)):
        need(
            are_labels(labels) and all(is_snapshot(label, update) for label in labels),
            f"opponents: {name}: different labels like 'update 8', up to update {update}, are "
            "needed",
        )
    need(set(snapshots) <= set(networks), "opponents: snapshots: a network of theirs is missing")
    need(len(snapshots) <= opponents.limit, f"opponents: more than {opponents.limit} snapshots")
    need(isinstance(numbers["win_shares"], dict), "opponents: win_shares: no object with fields")
    for label, share in numbers["win_shares"].items():
        need(
            (label in (*opponents.baselines, NEWEST) or is_snapshot(label, update))
            and is_real(share, 0, 1),
            f"opponents: win_shares: {label!r}: {share!r}: a number in 0 … 1 for an opponent is "
            "needed",
        )
    expected = {
        f"{label}/{number}/{kind}": part
        for label in networks
        for number, layer in enumerate(layers)
        for kind, part in zip(("weight", "bias"), layer, strict=True)
    }
    check_arrays(arrays, expected, "opponents")


def is_snapshot(label: str, update: int) -> bool:
    """Return whether this is the label of a snapshot taken after an update, or before it."""
    match = SNAPSHOT.fullmatch(label)
    return match is not None and int(match[1]) <= update


def check_games(arrays: Arrays, numbers: Any, env: SelfPlayVecEnv) -> None:
    """Check the games, except their rows, which `SelfPlayVecEnv.restore` checks."""
    expected, like = env.state()
    check_arrays(arrays, expected, "games")
    check_keys(numbers, tuple(like), "games")
    labels = numbers["labels"]
    need(are_labels(labels), "games: labels: a list of different labels is needed")
    seating = arrays["seating"]
    need(
        bool(((seating >= LEARNER) & (seating < len(labels))).all())
        and bool(((seating == LEARNER).sum(axis=1) == 1).all()),
        f"games: seating: the learner once in each game, and opponents below {len(labels)}, are "
        "needed",
    )
    need(bool((arrays["lengths"] >= 0).all()), "games: lengths: negative")
    rngs = arrays["rngs"]
    need(bool(((rngs >= 0) & (rngs < 2**32)).all()), "games: rngs: words are in 0 … 2³² − 1")
    need(is_real(numbers["shaping"]), f"games: shaping={numbers['shaping']!r}")
    check_generator(numbers["rng"], like["rng"])


def check_generator(found: Any, like: dict[str, Any]) -> None:
    """Check the state of a generator of NumPy (PCG64) against that of another one."""
    check_keys(found, tuple(like), "games: rng")
    check_keys(found["state"], tuple(like["state"]), "games: rng: state")
    need(
        found["bit_generator"] == like["bit_generator"]
        and all(is_whole(word, 0, 2**128 - 1) for word in found["state"].values())
        and found["state"]["inc"] % 2 == 1
        and is_whole(found["has_uint32"], 0, 1)
        and is_whole(found["uinteger"], 0, 2**32 - 1),
        f"games: rng: this is no state of {like['bit_generator']}",
    )


def check_rollout(arrays: Arrays, shape: tuple[int, int], table: Table, extras: Arrays) -> None:
    """Check the arrays of a rollout that is to be learned from (`rollout.arrays_of`).

    Args:
        arrays: the arrays.
        shape: number of decisions in each game, and number of games.
        table: the table of the games.
        extras: the further arrays of one decision, as `Learner.act` returns them.
    """
    size, num_actions = len(table.highs), table.num_actions
    count = len(arrays["cut_off"]) if "cut_off" in arrays else 0
    expected = {
        "observations": np.empty((*shape, size), np.int8),
        "masks": np.empty((*shape, num_actions), bool),
        "actions": np.empty(shape, np.int64),
        "rewards": np.empty(shape, np.float32),
        "starts": np.empty(shape, bool),
        "dones": np.empty(shape, bool),
        "cut_off": np.empty((count, 2), np.int64),
        "last_observations": np.empty((count, size), np.int8),
    }
    for name, part in extras.items():
        expected[f"extras/{name}"] = np.empty((*shape, *part.shape[1:]), part.dtype)
    check_arrays(arrays, expected, "ahead")
    for name in ("observations", "last_observations"):
        fine = ((arrays[name] >= 0) & (arrays[name] <= table.highs)).all()
        need(bool(fine), f"ahead: {name}: out of the range of the observations")
    actions, cut_off = arrays["actions"], arrays["cut_off"]
    need(
        bool(((actions >= 0) & (actions < num_actions)).all())
        and bool(np.take_along_axis(arrays["masks"], actions[..., None], 2).all()),
        "ahead: actions: one of them is not legal",
    )
    need(
        bool(((cut_off >= 0) & (cut_off < shape)).all()),
        f"ahead: cut_off: steps and games are below {shape}",
    )


def check_learner(
    arrays: Arrays,
    numbers: Any,
    like: tuple[Arrays, Mapping[str, Any]],
    layers: Sequence[Layer],
) -> None:
    """Check the state of a learner against that of a new one, which has no moments yet.

    Arrays called `optimizer/NUMBER/NAME` are Adam's, for weights and biases of the layers in turn.
    Other arrays that the new learner lacks must be finite; what they mean, only the learner knows.

    Args:
        arrays, numbers: the state.
        like: the state of the new learner.
        layers: its layers, in the order of `Weights.layers`.
    """
    expected, numbers_like = like
    moments = {name: part for name, part in arrays.items() if name.startswith("optimizer/")}
    parameters = [part for layer in layers for part in layer]
    if moments:
        check_moments(moments, parameters)
    others = arrays.keys() - expected.keys() - moments.keys()
    for name in sorted(others):
        check_finite(arrays[name], f"learner: array {name}")
    given = {name: part for name, part in arrays.items() if name not in others | moments.keys()}
    check_arrays(given, expected, "learner")
    check_keys(numbers, tuple(numbers_like), "learner")
    if "numpy" in numbers:
        check_mersenne(numbers["numpy"])


def check_moments(moments: Arrays, parameters: Sequence[np.ndarray]) -> None:
    """Check the state of Adam: three arrays for each parameter."""
    expected = {
        f"optimizer/{number}/{name}": part if name != "step" else np.zeros((), np.float32)
        for number, part in enumerate(parameters)
        for name in MOMENTS
    }
    check_arrays(moments, expected, "learner")
    for name, part in moments.items():
        if not name.endswith("exp_avg"):
            need(bool((part >= 0).all()), f"learner: array {name} holds negative numbers")


def check_mersenne(found: Any) -> None:
    """Check the part of `numpy.random.get_state()` beside its words; NumPy does not check it."""
    need(
        isinstance(found, list) and len(found) == 4
        and found[0] == "MT19937" and is_whole(found[1], 0, MERSENNE_WORDS)
        and is_whole(found[2], 0, 1) and is_real(found[3], -LARGEST),
        "learner: numpy: this is no state of MT19937",
    )  # fmt: skip
