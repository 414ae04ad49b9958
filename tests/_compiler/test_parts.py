"""Parts: compiled once for all callers, linked with all that they call, their errors whole."""

from __future__ import annotations

import pytest

from gubs_env._compiler.compilation import NEVER, compiled, compiling_mode, entry, inlined

if compiling_mode() == NEVER:
    pytest.skip("nothing is compiled", allow_module_level=True)

import numba
import numpy as np
from numba.core.event import Listener, register, unregister


class Counting(Listener):
    """Counts how often each function is compiled."""

    def __init__(self):
        self.names = []

    def on_start(self, event):
        self.names.append(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event):
        pass


@compiled
def lowest(number):
    if number > 3:
        raise ValueError("too many", number)
    return number


@compiled
def never_reaches_it(number):
    return lowest(number) if number > 0 and number < 0 else 1


@compiled
def reaches_it(number):
    return lowest(number)


@inlined
def also_reaches_it(number):
    return lowest(number)


@compiled
def reaches_it_further_down(number):
    return reaches_it(number) + also_reaches_it(number)


@compiled
def reaches_it_in_many_ways(number):
    """Its first call is optimised away, so that `lowest` is needed only further down."""
    return never_reaches_it(number) + reaches_it_further_down(number)


@entry
def reach(number):
    return reaches_it_in_many_ways(number)


def test_a_part_is_compiled_once_and_linked_after_all_its_callers(monkeypatch, tmp_path):
    monkeypatch.setenv("GUBS_ENV_CACHE", str(tmp_path))
    counting = Counting()
    register("numba:compile", counting)
    try:
        assert entry(reach.__wrapped__)(2) == 5
    finally:
        unregister("numba:compile", counting)
    assert len(counting.names) == len(set(counting.names)) == 7


def test_an_error_of_a_part_has_its_values():
    with pytest.raises(ValueError, match="too many") as caught:
        reach(5)
    assert caught.value.args == ("too many", 5)


def test_somebody_elses_code_calls_parts():
    own = numba.njit(lambda number: reaches_it(number))
    assert own(3) == 3
    with pytest.raises(ValueError, match="too many"):
        own(4)


@compiled
def add_pairs(totals, numbers, rows):
    size, at = len(totals), 0
    while at + 2 <= len(rows):
        one, two = rows[at] * size, rows[at + 1] * size
        first, second = numbers[one : one + size], numbers[two : two + size]
        for index in range(size):
            totals[index] += first[index] + second[index]
        at += 2


@entry
def add(totals, numbers, rows):
    add_pairs(totals, numbers, rows)


def test_loops_of_parts_become_vector_instructions(monkeypatch, tmp_path):
    """LLVM does not vectorise a loop that it has unrolled before."""
    monkeypatch.setenv("GUBS_ENV_CACHE", str(tmp_path))
    code = entry(add.__wrapped__).dispatcher
    totals = np.zeros(100, np.float32)
    code(totals, np.full(400, 2, np.float32), np.array([0, 2, 1, 3]))
    assert totals.tolist() == [8] * 100
    assert "x float>" in next(iter(code.inspect_llvm().values()))
