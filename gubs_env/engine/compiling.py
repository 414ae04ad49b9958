"""The door to the private package `_compiler`: the names of it that rules and agents use."""

from __future__ import annotations

from gubs_env._compiler.arrays import append_rows, borrowed, copy_counts, prefetch
from gubs_env._compiler.background import usable_cores
from gubs_env._compiler.cache import cache_folders
from gubs_env._compiler.compilation import (
    BESIDE,
    Compiled,
    Entry,
    compile_lines,
    compiled,
    compiling_mode,
    dispatch,
    entry,
    inlined,
    is_cached,
    is_interpreted,
    is_long_work_interpreted,
    long_entry,
)
from gubs_env._compiler.fingerprint import names_read
from gubs_env._compiler.templates import Placeholder, Templates

__all__ = [
    "BESIDE",
    "Compiled",
    "Entry",
    "Placeholder",
    "Templates",
    "append_rows",
    "borrowed",
    "cache_folders",
    "compile_lines",
    "compiled",
    "compiling_mode",
    "copy_counts",
    "dispatch",
    "entry",
    "inlined",
    "is_cached",
    "is_interpreted",
    "is_long_work_interpreted",
    "long_entry",
    "names_read",
    "prefetch",
    "usable_cores",
]
