"""Array operations that NumPy code cannot express to the compiler: borrow, copy, prefetch.

Every decision runs all of them. Without `borrowed`, every call that passes an array increments the
reference count of the array's owner, atomically. `copy_counts` is a plain copy; a slice assignment
compiles to loops for any shape, stride and overlap, and is ten times as slow. `prefetch` loads the
next state early: in a batch larger than the processor's caches, waiting for a state takes longer
than playing it.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from gubs_env.engine.compilation import CONFIG

CACHE_LINE = 64  # bytes, on every processor in common use
BYTES = ir.IntType(8).as_pointer()


def borrowed(array: np.ndarray) -> np.ndarray:
    """Return the same array without counting a reference to its owner, which must outlive it."""
    return array


def copy_counts(out: np.ndarray, at: int, counts: np.ndarray) -> int:
    """Copy a C-contiguous int8 array of any shape into `out`, int8[…], from entry `at` on.

    Returns the entry after the copy. Bounds are not checked, except with NUMBA_BOUNDSCHECK=1.
    """
    out[at : at + counts.size] = counts.ravel()
    return at + counts.size


def prefetch(array: np.ndarray, index: int) -> None:
    """Begin to load array[index] into the caches; an index past the end does nothing."""


@intrinsic
def _without_owner(typing_context, array):
    def generate(context, builder, signature, arguments):
        view = context.make_array(array)(context, builder, arguments[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        view.parent = cgutils.get_null_value(view.parent.type)
        return view._getvalue()

    return array(array), generate


@intrinsic
def _copy(typing_context, out, at, counts):
    def generate(context, builder, signature, arguments):
        target = context.make_array(out)(context, builder, arguments[0])
        source = context.make_array(counts)(context, builder, arguments[2])
        start = builder.gep(builder.bitcast(target.data, BYTES), [arguments[1]])
        cgutils.raw_memcpy(builder, start, builder.bitcast(source.data, BYTES), source.nitems, 1)
        return context.get_dummy_value()

    return types.void(out, at, counts), generate


@intrinsic
def _prefetch(typing_context, array, index):
    def generate(context, builder, signature, arguments):
        view = context.make_array(array)(context, builder, arguments[0])
        row_size = builder.extract_value(view.strides, 0)
        row = builder.gep(builder.bitcast(view.data, BYTES), [builder.mul(arguments[1], row_size)])
        number = ir.IntType(32)
        instruction = builder.module.declare_intrinsic(
            "llvm.prefetch", (BYTES,), ir.FunctionType(ir.VoidType(), [BYTES] + [number] * 3)
        )
        to_read, keep_in_all_caches, data = number(0), number(3), number(1)
        with cgutils.for_range_slice(
            builder, row_size.type(0), row_size, row_size.type(CACHE_LINE)
        ) as (offset, _):
            line = builder.gep(row, [offset])
            builder.call(instruction, [line, to_read, keep_in_all_caches, data])
        return context.get_dummy_value()

    return types.void(array, index), generate


@overload(borrowed)
def _compiled_borrowed(array):
    return lambda array: _without_owner(array)


@overload(copy_counts)
def _compiled_copy_counts(out, at, counts):
    def copy(out, at, counts):
        _copy(out, at, counts)
        return at + counts.size

    def checked_copy(out, at, counts):
        out[at : at + counts.size] = counts.ravel()
        return at + counts.size

    return checked_copy if CONFIG.BOUNDSCHECK else copy


@overload(prefetch)
def _compiled_prefetch(array, index):
    return lambda array, index: _prefetch(array, index)
