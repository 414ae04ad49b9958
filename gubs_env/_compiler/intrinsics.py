"""The compiled versions of the operations in `arrays`."""

from __future__ import annotations

from llvmlite import ir
from numba import config
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from gubs_env._compiler.arrays import append_rows, borrowed, copy_counts, numbers, prefetch

CACHE_LINE = 64  # bytes, on every processor in common use
BYTES = ir.IntType(8).as_pointer()


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
def _append(typing_context, rows, new, first, count):
    """Append the rows first … first + count − 1 of `new`, which are at most len(rows)."""

    def generate(context, builder, signature, arguments):
        target = context.make_array(rows)(context, builder, arguments[0])
        source = context.make_array(new)(context, builder, arguments[1])
        row_size = builder.extract_value(target.strides, 0)
        size = builder.mul(builder.extract_value(target.shape, 0), row_size)
        moved = builder.mul(arguments[3], row_size)
        start, rest = builder.bitcast(target.data, BYTES), builder.sub(size, moved)
        cgutils.raw_memmove(builder, start, builder.gep(start, [moved]), rest, 1)
        first_new = builder.gep(
            builder.bitcast(source.data, BYTES), [builder.mul(arguments[2], row_size)]
        )
        cgutils.raw_memcpy(builder, builder.gep(start, [rest]), first_new, moved, 1)
        return context.get_dummy_value()

    return types.void(rows, new, types.intp, types.intp), generate


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


@overload(numbers)
def _compiled_numbers(array):
    return lambda array: array


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

    return checked_copy if config.BOUNDSCHECK else copy


@overload(append_rows)
def _compiled_append_rows(rows, new, count):
    def append(rows, new, count):
        kept = min(count, len(rows))
        _append(rows, new, count - kept, kept)

    return append


@overload(prefetch)
def _compiled_prefetch(array, index):
    return lambda array, index: _prefetch(array, index)
