"""Rules of one's own compute the same numbers, whether they are compiled or not."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gubs_env import Field
from gubs_env.api.mistakes import read_arrays_as_numbers
from gubs_env.engine.compiling import compile_lines, entry
from gubs_env.engine.fields import state_dtype
from tests.amounts import MORE

WIDEST = (1 << 31) - 1
FIELDS = (
    Field("low", (), "", -WIDEST, WIDEST),
    Field("high", (), "", 0, WIDEST),
    Field("many", (4,), "", -WIDEST, WIDEST),
    Field("flags", (2, 3), ""),
)
ENDS = [
    (-WIDEST, WIDEST, (-WIDEST, -1, 0, WIDEST), 1),
    (WIDEST, 0, (0, 1, 127, 128), 0),
    (0, 100, (-128, 100, 100, -100), 1),
]
LEAVES = (
    "state.low", "state.high", "state.many[1]", "state.many[3]", "state.many[state.flags[1, 2]]",
    "state.flags[0, 0]", "120", "-7", "state.many.sum()", "state.many.max()", "len(state.many)",
    "state.many.argmin()", "(state.many > state.low).sum()", "sum(state.many)",
)  # fmt: skip
PAIRS = (
    "({} + {})", "({} - {})", "({} * {}) % 1009", "min({}, {})", "max({}, {})",
    "({} and {})", "({} or {})", "({} & {})", "({} | {})", "({} ^ {})", "(({} > {}) + True)",
)  # fmt: skip
ALONE = ("-{}", "abs({})", "{} // 3", "{} % 64", "({} % 9) ** 2", "(({} % 8) << 3)", "int({} / 7)")
TESTS = ("{} > {}", "{} == {}", "not ({} < {})", "{} <= {}", "({} > 0) != ({} > 0)")


TABLE = np.array([100, 100, -100], np.int8)


def expression(rng: random.Random, depth: int) -> str:
    """Return a random expression over the fields."""
    if depth == 0:
        return rng.choice(LEAVES)
    one, other = (expression(rng, rng.randrange(depth)) for _ in range(2))
    test = rng.choice(TESTS).format(one, other)
    kinds = (
        rng.choice(PAIRS).format(one, other),
        rng.choice(ALONE).format(f"({one})"),
        f"({test})",
        f"(({test}) + ({rng.choice(TESTS).format(other, one)}))",
        f"({one} if {test} else {other})",
    )
    return rng.choice(kinds)


@pytest.mark.parametrize("seed", range(MORE))
def test_random_expressions_are_the_same_compiled_and_interpreted(seed):
    rng = random.Random(seed)
    written = [expression(rng, 3) for _ in range(60)]
    lines = ["def compute(states, out):", "    state = states[0]"]
    compute = entry(
        compile_lines([*lines, *(f"    out[{i}] = {e}" for i, e in enumerate(written))])
    )
    states = np.zeros(1, state_dtype(FIELDS))
    for values in ENDS:
        for field, value in zip(FIELDS, values, strict=True):
            states[field.name] = value
        plain, machine = np.zeros(60, np.int64), np.zeros(60, np.int64)
        compute.function(states, plain)
        compute.dispatcher(states, machine)
        assert dict(zip(written, plain, strict=True)) == dict(zip(written, machine, strict=True))


def sums(states, out):
    out[0] = TABLE[0] + TABLE[1]
    out[1] = (TABLE[0] > 0) + (TABLE[1] > 0)
    out[2] = TABLE[states[0].low] * 3
    out[3] = (TABLE > 0).sum() + TABLE.max() + TABLE[1:].argmin()


def test_arrays_of_ones_own_are_read_as_numbers():
    def around():
        row = np.array([100, 100], np.int8)
        return lambda state: row[0] + row[1]

    inner = around()
    read_arrays_as_numbers([sums, inner])
    compute, states = entry(sums), np.zeros(1, state_dtype(FIELDS))
    plain, machine = np.zeros(4, np.int64), np.zeros(4, np.int64)
    compute.function(states, plain)
    compute.dispatcher(states, machine)
    assert plain.tolist() == machine.tolist() == [200, 2, 300, 103]
    assert inner(None) == 200
