"""What NumPy cannot say to the compiler: a view without an owner, a plain copy of bytes.

Both are in the path of every decision. A slice assignment compiles to loops that allow for any
shape, stride and overlap, ten times as slow as the copy; and every call that passes an array counts
a reference to its owner, atomically.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload


def borrowed(array: np.ndarray) -> np.ndarray:
    """The same array, not counted as a reference. Its owner must outlive it."""
    return array


def copy_counts(out: np.ndarray, at: int, counts: np.ndarray) -> int:
    """Copy an int8 array of any shape, C-contiguous, into int8[…] `out` from `at` on, unchecked.

    Returns where the copy ends.
    """
    out[at : at + counts.size] = counts.ravel()
    return at + counts.size


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
        byte_pointer = ir.IntType(8).as_pointer()
        start = builder.gep(builder.bitcast(target.data, byte_pointer), [arguments[1]])
        cgutils.raw_memcpy(
            builder, start, builder.bitcast(source.data, byte_pointer), source.nitems, 1
        )
        return context.get_dummy_value()

    return types.void(out, at, counts), generate


@overload(borrowed)
def _compiled_borrowed(array):
    return lambda array: _without_owner(array)


@overload(copy_counts)
def _compiled_copy_counts(out, at, counts):
    def copy(out, at, counts):
        _copy(out, at, counts)
        return at + counts.size

    return copy
