"""The command `gubs`, and `python -m gubs_env`: one wrapper around all commands.

It finds the command in the catalogue, reads its options, calls it, and ends with its exit status: 2
after an error that the user can mend, which is one line on standard error, and 130 after Ctrl-C.
"""

from __future__ import annotations

import errno
import inspect
import os
import shutil
import sys
import textwrap
import threading
from collections.abc import Callable, Sequence

from gubs_env.commands.catalogue import find, overview
from gubs_env.support.errors import message_of
from gubs_env.support.output import print_everywhere
from gubs_env.support.version import __version__

HELP = ("-h", "--help")
STYLES = {"bold": "\x1b[1m{}\x1b[0m", "name": "\x1b[36m{}\x1b[0m"}
MENDABLE = (ValueError, TypeError, OSError, ImportError, MemoryError, RuntimeError)
"""The errors that users can cause; RuntimeError and TypeError are also raised by their agents."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    Args:
        arguments: the words of the command line; None: those of this process.
    """
    print_everywhere()
    words = list(sys.argv[1:] if arguments is None else arguments)
    # As with `python -m`, agents may be modules of the working directory.
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    name, hint = "gubs", ""
    before, threading.excepthook = threading.excepthook, report_unless_os_error
    try:
        if not words or words[0] in HELP:
            print(overview(paint))
            return 0
        if words == ["--version"]:
            print(f"gubs_env {__version__}")
            return 0
        command, rest = find(words)
        name, hint = f"gubs {command.name}", command.interrupted
        return call(command.load(), name, rest) or 0
    except KeyboardInterrupt as stopped:
        print("; ".join(filter(None, ("interrupted", str(stopped) or hint))), file=sys.stderr)
        return 130
    except BrokenPipeError:  # `gubs --help | head`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except MENDABLE as error:
        from gubs_env.engine.text import printable

        print(f"{name}: {printable(message_of(error)) or type(error).__name__}", file=sys.stderr)
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            # Files that are still open fail again when Python closes them; it has been said.
            sys.unraisablehook = lambda _: None
            before = report_unless_os_error
        return 2
    finally:
        threading.excepthook = before


def call(function: Callable[..., int | None], name: str, words: list[str]) -> int | None:
    """Call the function of a command with the options that its arguments give."""
    if set(words) & set(HELP):
        print(description(function), end="\n\n")
    if [*inspect.signature(function).parameters] == ["words"]:
        return function(words)
    import tyro

    words = unfolded(words)
    from gubs_env.commands.common import PATHS

    return tyro.cli(
        function, args=words, prog=name, description="", registry=PATHS,
        config=(tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff),
    )  # fmt: skip


def unfolded(words: list[str]) -> list[str]:
    """Return the words of a command, with a citation after `--game` as its three options.

    >>> unfolded(["--game", "fubnub_v0:players=2+mode=ghost", "--quiet"])
    ['--game', 'fubnub', '--players', '2', '--rules', 'mode=ghost', '--quiet']

    Raises:
        ValueError: as for `find_table`; for `--players` or `--rules` beside a citation.
    """
    joined = list(words)
    for place, word in enumerate(words):
        if word.startswith("--game="):
            joined[place : place + 1] = word.split("=", 1)
    at = joined.index("--game") + 1 if "--game" in joined else len(joined)
    if at >= len(joined) or ":" not in joined[at]:
        return words
    from gubs_env.engine.option_texts import options_text
    from gubs_env.engine.options import changed_options
    from gubs_env.games import VERSION, find_table

    if both := [name for name in ("--players", "--rules") if name in joined]:
        raise ValueError(f"{both[0]} beside --game {joined[at]}: this text names the whole table")
    table = find_table(joined[at])
    rules = options_text(changed_options(table.rules))
    options = ["--players", str(table.num_players), "--rules", rules]
    return [*joined[:at], table.game.name.removesuffix(VERSION), *options, *joined[at + 1 :]]


def description(function: Callable[..., int | None]) -> str:
    """Return the docstring of a command without its parameters, wrapped for the terminal."""
    text = (inspect.getdoc(function) or "").partition("\n\nArgs:")[0]
    width = min(100, shutil.get_terminal_size().columns)
    return "\n\n".join(
        textwrap.indent(part, "  ") if part.startswith("$") else textwrap.fill(part, width)
        for part in text.split("\n\n")
    )


def report_unless_os_error(failed: threading.ExceptHookArgs) -> None:
    """Report an error of a thread, unless it is one that TensorBoard's raises in ours too."""
    if not issubclass(failed.exc_type, OSError):
        threading.__excepthook__(failed)


def paint(text: str, style: str) -> str:
    """Return a text in a style if standard output is a terminal that shows colours."""
    plain = "NO_COLOR" in os.environ or not sys.stdout.isatty()
    return text if plain else STYLES[style].format(text)
