"""The compiled functions of `_compiler.arrays` do the same as their plain Python."""

from __future__ import annotations

import numpy as np

from gubs_env._compiler.arrays import borrowed, copy_counts, prefetch
from gubs_env._compiler.compilation import inlined


def copied(out, counts):
    view = borrowed(out)
    end = copy_counts(view, 2, counts[1])
    for index in range(len(out) + 1):
        prefetch(out, index)
    return end


def test_counts_are_copied_where_they_belong_and_nowhere_else():
    counts = np.arange(24, dtype=np.int8).reshape(2, 3, 4)
    for function in (copied, inlined(copied)):
        out = np.full(20, -1, np.int8)
        assert function(out, counts) == 14
        assert out.tolist() == [-1, -1, *range(12, 24), -1, -1, -1, -1, -1, -1]
