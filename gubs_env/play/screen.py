"""The terminal: what is printed, the lines that are typed, and Ctrl-C.

Nothing typed ends a game by accident. `Leave` is raised where somebody means it: Ctrl-C twice, a
closed terminal, or the end of an input that is not a terminal.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from gubs_env.engine.text import Line, painter
from gubs_env.play.layout import PLAIN, Borders, Layout

try:
    import termios
except ImportError:  # Windows
    termios = None  # type: ignore[assignment]
try:
    import readline  # `input` then edits lines, and Tab completes them
except ImportError:  # Windows
    readline = None  # type: ignore[assignment]

MOST_ENDS = 20
"""Ctrl-D so often in a row, or a terminal that is gone, leaves the game."""
CLEAR, FORGET, WIPE_LINE = "\x1b[H\x1b[2J", "\x1b[3J", "\r\x1b[K"
"""Clear the screen; clear what has scrolled off it; clear the line."""
YES, NO = ("yes", "y"), ("no", "n")


class Leave(Exception):
    """The people want to leave the game, or cannot go on."""


class Screen:
    """A terminal, or whatever stands for it on standard input and output.

    Args:
        most_interrupts: how often Ctrl-C is pressed in a row to leave.
    """

    def __init__(self, most_interrupts: int = 2) -> None:
        is_terminal = sys.stdout.isatty() and sys.stdin.isatty()
        is_dumb = os.environ.get("TERM", "dumb" if os.name != "nt" else "") in ("dumb", "unknown")
        if is_terminal and os.name == "nt":
            os.system("")  # switches on the styles of the Windows console
        self.is_terminal = is_terminal
        self.redraws = is_terminal and not is_dumb
        """Whether pages take each other's place; else they follow each other."""
        self.paint = painter(self.redraws and "NO_COLOR" not in os.environ)
        self.borders = Borders() if _can_print("╭─│├") else PLAIN
        self.most_interrupts = most_interrupts
        self._pressed, self._interrupts, self._ends = 0, 0, 0
        self._waits, self._closed = False, False
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")

    # ------------------------------------------------------------------------------- printing

    @property
    def layout(self) -> Layout:
        """The layout for the present width of the terminal."""
        return Layout(self._size().columns - 1, self.paint, self.borders)

    @property
    def height(self) -> int:
        """The number of lines of a page; a large one where pages follow each other."""
        return self._size().lines if self.redraws else 1000

    def _size(self) -> os.terminal_size:
        return (
            shutil.get_terminal_size((81, 24)) if self.is_terminal else os.terminal_size((81, 24))
        )

    def say(self, *lines: str) -> None:
        """Print lines; where the terminal is gone, the next `check` raises Leave."""
        self._write("\n".join(lines) + "\n")

    def _write(self, text: str) -> None:
        try:
            print(text, end="", flush=True)
        except OSError:
            self._closed = True

    def tell(self, text: str) -> None:
        """Print a text, wrapped to the width of the terminal."""
        self.say(*self.layout.wrapped(Line(text), self.layout.width, {}))

    def note(self, text: str) -> None:
        """Show a note in the last line until something else is printed; an empty one clears it."""
        if self.redraws:
            room = self._size().columns - 1
            self._write(f"{WIPE_LINE}{self.paint(text[:room], 'faint')}\r")

    def clear(self, forget: bool = False) -> None:
        """Begin a new page; `forget` also clears what a person could scroll back to."""
        if self.redraws:
            self._write(CLEAR + FORGET * forget)
        else:
            self._write("\n" * (self._size().lines if forget else 2))
        if forget and readline is not None:
            readline.clear_history()

    def page(self, lines: Sequence[str]) -> None:
        """Print lines, wrapped, as many at a time as the terminal has."""
        width, height = self.layout.width, max(5, self.height - 2)
        lines = [part for line in lines for part in hanging(line, width)]
        for start in range(0, len(lines), height):
            self.say(*lines[start : start + height])
            if start + height < len(lines) and self.ask("(Enter goes on, q ends) ") == "q":
                return

    # -------------------------------------------------------------------------------- reading

    def ask(self, prompt: str) -> str:
        """Return a line that is typed, without spaces at its ends.

        Raises:
            Leave: as the module says.
        """
        while True:
            self.check()
            try:
                self._waits = True
                line = input(prompt)
            except KeyboardInterrupt:
                self._waits = False
                self.say("")
                self._count_interrupt()
            except (EOFError, OSError) as error:
                self._waits = False
                self.say("")
                self._count_end(error)
            else:
                self._interrupts = self._ends = 0
                return line.strip()
            finally:
                self._waits = False

    def pause(self, seconds: float) -> None:
        """Wait; Ctrl-C ends the waiting, and counts.

        Raises:
            Leave: as the module says.
        """
        try:
            self._waits = True
            time.sleep(max(0.0, seconds))
        except KeyboardInterrupt:
            self._pressed += 1
        finally:
            self._waits = False
        self.check()

    def forget_typed(self) -> None:
        """Forget what was typed before it was asked for."""
        if self.is_terminal and termios is not None:
            termios.tcflush(sys.stdin, termios.TCIFLUSH)

    def confirm(self, question: str) -> bool:
        """Ask until the answer is yes or no; Leave counts as an answer, not as no."""
        while True:
            answer = self.ask(f"{question} (yes or no) ").casefold()
            if answer in (*YES, *NO):
                return answer in YES
            self.say("Type yes or no.")

    def complete(self, texts: Callable[[], Iterable[str]]) -> None:
        """Let Tab complete lines to one of these texts."""
        if readline is None or not self.is_terminal:
            return

        def completer(typed: str, number: int) -> str | None:
            fitting = [text for text in texts() if text.casefold().startswith(typed.casefold())]
            return fitting[number] if number < len(fitting) else None

        readline.set_completer_delims("\n")
        readline.set_completer(completer)
        is_libedit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
        if not is_libedit:
            readline.parse_and_bind("set enable-bracketed-paste off")

    # -------------------------------------------------------------------------------- leaving

    def check(self) -> None:
        """Raise Leave if somebody has meant to leave since the last call."""
        if self._closed:
            raise Leave
        while self._pressed:
            self._pressed -= 1
            self._count_interrupt()

    def _count_interrupt(self) -> None:
        self._interrupts += 1
        if self._interrupts >= self.most_interrupts:
            raise Leave
        self.say("Ctrl-C once more saves the game and leaves; any line goes on.")

    def _count_end(self, error: Exception) -> None:
        self._ends += 1
        if isinstance(error, OSError) or not self.is_terminal or self._ends >= MOST_ENDS:
            raise Leave
        self.say("To leave the game, type quit.")

    @contextmanager
    def attended(self) -> Iterator[None]:
        """Let Ctrl-C, a closed terminal and signals interrupt nothing but `ask` and `pause`."""

        def press(number: int, frame: FrameType | None) -> None:
            if self._waits:
                raise KeyboardInterrupt
            self._pressed += 1

        def close(number: int, frame: FrameType | None) -> None:
            self._closed = True
            if self._waits:
                raise Leave

        handlers = {"SIGINT": press, "SIGTERM": close, "SIGHUP": close}
        numbers = {getattr(signal, name, None): does for name, does in handlers.items()}
        before: dict[Any, Any] = {
            number: signal.signal(number, does) for number, does in numbers.items() if number
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _can_print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def hanging(line: str, width: int) -> list[str]:
    """Return a line in lines of a width, aligned after the sign of a list item."""
    sign = re.match(r"(- |\d+\. | +|)", line)
    indent = " " * len(sign[0] if sign else "")
    return textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) or [""]
