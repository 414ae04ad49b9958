"""Output on every terminal, warnings, progress bars, and the commands that continue a run."""

from __future__ import annotations

import codecs
import io
import os
import shlex
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

HOUSE = "gubs_env"
"""The package of this project."""
STAND_INS = str.maketrans({
    "−": "-", "–": "-", "—": "-", "→": "->", "×": "x", "÷": "/", "⁄": "/", "±": "+-", "·": "*",
    "•": "*", "≤": "<=", "≥": ">=", "“": '"', "”": '"', "‘": "'", "’": "'", "′": "'", "√": "sqrt",
    "α": "alpha", "β": "beta", "θ": "theta", "Σ": "sum", "─": "-", "│": "|",
    "╭": "+", "╮": "+", "╰": "+", "╯": "+", "├": "+", "┤": "+",
})  # fmt: skip
"""ASCII in place of characters that commands print."""


def print_everywhere() -> None:
    """Let standard output and error show ASCII in place of what their encoding lacks: `-` for `−`.

    Every command begins with it. Without it, a character that a terminal or a pipe cannot encode
    would end the command after its work is done.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="stand_ins")


def stand_ins(error: UnicodeError) -> tuple[str, int]:
    """Return ASCII in place of characters that cannot be encoded, and where encoding goes on."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    parts = unicodedata.normalize("NFKD", error.object[error.start : error.end])
    letters = "".join(part for part in parts if not unicodedata.combining(part))
    return letters.translate(STAND_INS).encode("ascii", "replace").decode(), error.end


codecs.register_error("stand_ins", stand_ins)


@cache
def warn_once(text: str) -> None:
    """Say something once, in the main process only, through `logging`.

    A strict filter of Python's warnings does not turn it into an error.
    """
    import logging  # rarely needed, these take time to import
    from multiprocessing import parent_process

    from gubs_env.engine.text import printable

    if parent_process() is None:
        logging.getLogger(HOUSE).warning("gubs_env: %s", printable(text))


@contextmanager
def progress_bars(
    unit: str, is_shown: bool = True, note: object = ""
) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that shows progress as bars on a terminal, and nothing elsewhere.

    It is called as (what is done, count done, count in all); each thing that is done has a bar.

    Args:
        unit: what is counted.
        is_shown: False shows nothing on a terminal either.
        note: its text stands behind each bar.
    """
    from tqdm import tqdm

    bars: dict[str, tqdm[NoReturn]] = {}

    def show(what: str, done: int, count: int) -> None:
        if what not in bars:
            bars[what] = tqdm(
                desc=what, initial=done, total=count, unit=f" {unit}", smoothing=0.1,
                disable=None if is_shown else True,
            )  # fmt: skip
        bars[what].set_postfix_str(str(note), refresh=False)
        bars[what].update(done - bars[what].n)

    try:
        yield show
    finally:
        for bar in bars.values():
            bar.close()


def command_line(*words: str) -> str:
    """Return a shell command that calls `gubs` with this Python from the working directory."""
    python = min(sys.executable, os.path.relpath(sys.executable), key=len)
    script = shutil.which("gubs")
    ours = script is not None and Path(script).parent == Path(sys.executable).parent
    return shlex.join([*(["gubs"] if ours else [python, "-m", "gubs_env"]), *words])


def command_of(words: Sequence[str], values: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """Return the command that gives these values to options, without those that are defaults.

    Args:
        words: the name of the command and its arguments without names.
        values: the values of its options by their names in Python; switches are True or False.
        defaults: values of options that need not be given.
    """
    options: list[str] = []
    for name, value in values.items():
        if name in defaults and defaults[name] == value:
            continue
        option = name.replace("_", "-")
        if isinstance(value, bool):
            options.append(f"--{option}" if value else f"--no-{option}")
        else:
            options += [f"--{option}", str(value)]
    return shlex.join(["gubs", *words, *options])
