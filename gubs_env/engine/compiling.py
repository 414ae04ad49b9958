"""The door to the private package `_compiler`: the names of it that rules and agents use."""

from __future__ import annotations

from gubs_env._compiler.arrays import append_rows as append_rows
from gubs_env._compiler.arrays import borrowed as borrowed
from gubs_env._compiler.arrays import copy_counts as copy_counts
from gubs_env._compiler.arrays import numbers as numbers
from gubs_env._compiler.arrays import prefetch as prefetch
from gubs_env._compiler.background import usable_cores as usable_cores
from gubs_env._compiler.cache import cache_folders as cache_folders
from gubs_env._compiler.compilation import BESIDE as BESIDE
from gubs_env._compiler.compilation import Compiled as Compiled
from gubs_env._compiler.compilation import Entry as Entry
from gubs_env._compiler.compilation import compile_lines as compile_lines
from gubs_env._compiler.compilation import compiled as compiled
from gubs_env._compiler.compilation import compiling_mode as compiling_mode
from gubs_env._compiler.compilation import dispatch as dispatch
from gubs_env._compiler.compilation import entry as entry
from gubs_env._compiler.compilation import inlined as inlined
from gubs_env._compiler.compilation import interpreted as interpreted
from gubs_env._compiler.compilation import is_cached as is_cached
from gubs_env._compiler.compilation import is_interpreted as is_interpreted
from gubs_env._compiler.compilation import is_long_work_interpreted as is_long_work_interpreted
from gubs_env._compiler.compilation import long_entry as long_entry
from gubs_env._compiler.fingerprint import names_read as names_read
from gubs_env._compiler.templates import Placeholder as Placeholder
from gubs_env._compiler.templates import Templates as Templates
