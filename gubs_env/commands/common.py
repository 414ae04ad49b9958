"""Parts of all commands: output, errors, and the look of options in `--help`."""

from __future__ import annotations

import codecs
import errno
import io
import os
import shlex
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import tyro
from tqdm import tqdm
from tyro.constructors import (
    ConstructorRegistry,
    PrimitiveConstructorSpec,
    PrimitiveTypeInfo,
)

from gubs_env.engine.text import printable
from gubs_env.support.errors import message_of
from gubs_env.support.files import expanded

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


@contextmanager
def one_line_errors(command: str, *more: type[Exception]) -> Iterator[None]:
    """End the process with one line on standard error and status 2 if the user caused an error.

    Args:
        command: the name of the command, with which the line begins.
        more: further exceptions that the user can cause.

    Raises:
        SystemExit: with status 2, in place of the exception.
    """
    kinds: tuple[type[Exception], ...] = (ValueError, OSError, ImportError, MemoryError, *more)
    before = threading.excepthook
    threading.excepthook = report_unless_os_error
    try:
        yield
    except kinds as error:
        message = printable(message_of(error)) or type(error).__name__
        print(f"{command}: {message}", file=sys.stderr)
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            # Files that are still open fail again when Python closes them; it has been said.
            sys.unraisablehook = lambda _: None
            before = report_unless_os_error
        sys.exit(2)
    finally:
        threading.excepthook = before


def report_unless_os_error(failed: threading.ExceptHookArgs) -> None:
    """Report an error of a thread, unless it is one that TensorBoard's raises in ours too."""
    if not issubclass(failed.exc_type, OSError):
        threading.__excepthook__(failed)


@contextmanager
def progress_bars(unit: str) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that shows progress as bars on a terminal, and nothing elsewhere.

    It is called as (what is done, count done, count in all); each thing that is done has a bar.

    Args:
        unit: what is counted.
    """
    bars: dict[str, tqdm[NoReturn]] = {}

    def show(what: str, done: int, count: int) -> None:
        if what not in bars:
            bars[what] = tqdm(
                desc=what, initial=done, total=count, unit=f" {unit}", disable=None, smoothing=0.1
            )
        bars[what].update(done - bars[what].n)

    try:
        yield show
    finally:
        for bar in bars.values():
            bar.close()


PATHS = ConstructorRegistry()
"""The rule by which all commands read options that are paths (`tyro.cli(…, registry=PATHS)`)."""


@PATHS.primitive_rule
def path_option(option: PrimitiveTypeInfo) -> PrimitiveConstructorSpec[Path] | None:
    """Return how a path is read: a leading ~ is the home folder, which shells expand in part."""
    if option.type is not Path:
        return None
    return PrimitiveConstructorSpec(
        nargs=1,
        metavar="PATH",
        instance_from_str=lambda words: expanded(words[0]),
        is_instance=lambda value: isinstance(value, Path),
        str_from_instance=lambda path: [str(path)],
    )


def command_line(*words: str) -> str:
    """Return a shell command that calls `gubs_env` with this Python from the working directory."""
    python = min(sys.executable, os.path.relpath(sys.executable), key=len)
    return shlex.join([python, "-m", "gubs_env", *words])


def shown(metavar: str, default: str | None = None) -> object:
    """Return the annotation of an option that `--help` shows in a given way.

    Args:
        metavar: stands for the value.
        default: what an empty value means, in words; None shows the value itself.
    """
    hint = None if default is None else f"(default: {default})"
    return tyro.conf.arg(metavar=metavar, help_behavior_hint=hint)
