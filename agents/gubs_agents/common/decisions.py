"""The check of the decisions that an agent is asked for, before compiled code reads them.

Compiled code trusts its arrays: an observation of another table, or a mask without a legal action,
would make it read past their ends. `DecisionForm.read` checks each array as a whole. The rows are
checked by `is_sound` in the compiled function that goes through them anyway, and `refuse` says what
is wrong with one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, NoReturn

import numpy as np

from gubs_env.engine.compiling import entry, inlined
from gubs_env.engine.rng import WORD, spawn_rngs
from gubs_env.engine.slices import Slice
from gubs_env.engine.table import Table

INT8, INT64, BOOL = np.dtype(np.int8), np.dtype(np.int64), np.dtype(np.bool_)
SOUND = -1
"""The row that `first_fault` returns if all rows are sound."""


# --------------------------------------------------------------------------------- whole arrays


DecisionArrays = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Observations, masks and RNGs as compiled functions read them: C-contiguous and writable. A plain
tuple: building a record would take a third of the time of a single decision."""


class DecisionForm(NamedTuple):
    """The form of the observations and masks at a table."""

    highs: np.ndarray
    """uint8[observation_size]: the largest value of each entry of an observation; the least is 0.
    Empty for an agent that reads no observation: they may then have any size."""
    num_actions: int
    """Number of actions; 0 means any."""
    slices: tuple[Slice, ...] = ()
    """The slices of an observation, which name its entries in errors; none if they are unknown."""

    def read(
        self, observations: Any, masks: Any, rngs: Any, own_rng: np.random.Generator | None
    ) -> DecisionArrays:
        """Return the arguments of `Agent.act` for compiled functions; the rows are not yet checked.

        Observations and masks are copied, so that no other thread changes them after the check;
        read-only and strided RNGs are, so that nothing is compiled anew for them.

        Args:
            observations, masks, rngs: as for `Agent.act`.
            own_rng: the agent's RNG, which the RNGs are drawn from if none are given; None for an
                agent that draws nothing.

        Raises:
            ValueError: for an array of another shape or type.
        """
        observations, masks = np.asarray(observations), np.asarray(masks)
        size, num_actions = len(self.highs), self.num_actions
        if observations.dtype != INT8 or observations.ndim != 2:
            _refuse_array("observations", observations, "batch", size or "any size")
        count, width = observations.shape
        if size and width != size:
            _refuse_array("observations", observations, "batch", size)
        if masks.dtype == BOOL:
            masks = masks.view(INT8)
        is_batch = masks.dtype == INT8 and masks.ndim == 2 and len(masks) == count
        if not is_batch or num_actions not in (0, masks.shape[1]):
            _refuse_array("masks", masks, count, num_actions or "any number")
        if rngs is not None:
            check_rngs(rngs, count)
        elif own_rng is not None:
            rngs = spawn_rngs(own_rng, count)
        else:
            rngs = np.zeros((count, 4), np.int64)
        return observations.copy(), masks.copy(), plain(rngs)


def check_rngs(rngs: Any, count: int) -> None:
    """Check that the RNGs of a batch can be advanced.

    Raises:
        ValueError: unless they are int64[count, 4] and writable.
    """
    if not isinstance(rngs, np.ndarray) or rngs.dtype != INT64 or rngs.shape != (count, 4):
        array = np.asarray(rngs, None if isinstance(rngs, np.ndarray) else object)
        raise ValueError(
            f"rngs are {array_text(array.dtype, array.shape)}, expected are int64[{count}, 4]: "
            "give one RNG for each decision, or None"
        )
    if not rngs.flags.writeable:
        raise ValueError("rngs are read-only: give an array that can be advanced, or None")


def plain(array: np.ndarray) -> np.ndarray:
    """Return the array itself if it is C-contiguous, aligned and writable, else a copy."""
    return array if array.flags.carray else array.copy()


def array_text(dtype: Any, shape: Iterable[Any]) -> str:
    """Return the type and the shape of an array in words, as "int8[3, 24]"."""
    return f"{dtype}[{', '.join(map(str, shape))}]"


def _refuse_array(name: str, array: np.ndarray, *shape: Any) -> NoReturn:
    raise ValueError(
        f"{name} are {array_text(array.dtype, array.shape)}, expected are "
        f"{array_text(INT8, shape)}: give an agent what a table of the game and number of players "
        "shows that it was made for"
    )


def form_of(table: Table) -> DecisionForm:
    """Return the form of the decisions at a table."""
    highs, slices = table.observation_highs.astype(np.uint8), table.observation_slices
    return DecisionForm(highs, table.num_actions, tuple(slices.values()))


ANY_FORM = DecisionForm(np.zeros(0, np.uint8), 0)
"""The form for an agent that reads no observation, and plays at any table."""


# --------------------------------------------------------------------------------------- the rows


@inlined
def is_sound(observation, mask, rng, highs):
    """Return whether compiled functions may read one decision.

    Args:
        observation: int8[observation_size].
        mask: int8[num_actions].
        rng: int64[4].
        highs: uint8[…], as in a `DecisionForm`.
    """
    is_above, bits = False, np.int8(0)
    for index in range(len(highs)):
        is_above |= np.uint8(observation[index]) > highs[index]  # −1 becomes 255
    for action in range(len(mask)):
        bits |= mask[action]  # 1 if all are 0 or 1, and one is 1
    words = rng[0] | rng[1] | rng[2] | rng[3]
    return not is_above and bits == 1 and words >> 32 == 0


@inlined
def is_legal(action, mask):
    """Return whether an answer is a legal action."""
    return action >= 0 and action < len(mask) and mask[action] != 0


@entry
def first_fault(observations, masks, rngs, highs):
    """Return the first row that is not sound, or SOUND."""
    for row in range(len(masks)):
        if not is_sound(observations[row], masks[row], rngs[row], highs):
            return row
    return SOUND


def refuse(row: int, decisions: DecisionArrays, form: DecisionForm) -> None:
    """Raise ValueError that says what is wrong with a row; return if it is sound."""
    observation, mask, rng = (array[row].astype(int) for array in decisions)
    entries = observation[: len(form.highs)]
    for index in np.flatnonzero((entries < 0) | (entries > form.highs)):
        raise ValueError(
            f"row {row} of observations: entry {index}{_within(form.slices, int(index))} is "
            f"{entries[index]}, allowed are 0 to {form.highs[index]}"
        )
    if not mask.any():
        raise ValueError(f"row {row} of masks has no legal action: there is nothing to decide")
    for value in mask[(mask != 0) & (mask != 1)]:
        raise ValueError(f"row {row} of masks holds {value}: allowed are 0 and 1")
    for word in rng[(rng < 0) | (rng > WORD)]:
        raise ValueError(f"row {row} of rngs holds {word}: allowed are 0 to {WORD}")


def _within(slices: Iterable[Slice], index: int) -> str:
    """Return the place of an entry in its slice, as " (hand[3])"; empty without slices."""
    for piece in slices:
        if piece.start <= index < piece.start + piece.size:
            places = np.unravel_index(index - piece.start, piece.shape)
            return f" ({piece.name}[{', '.join(map(str, places))}])"
    return ""
