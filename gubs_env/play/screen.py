"""The terminal: output, lines of input, and Ctrl-C.

Nothing typed ends a game by accident. `Leave` is raised after Ctrl-C is pressed twice in a row,
when the terminal is closed, and at the end of an input that is not a terminal.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from types import FrameType, MappingProxyType

from gubs_env.engine.text import Line, painter
from gubs_env.play.layout import PLAIN, ROUND, Layout
from gubs_env.support.output import print_everywhere
from gubs_env.support.system import handling

try:
    import termios
except ImportError:  # Windows
    termios = None  # type: ignore[assignment]
try:
    import readline  # `input` then edits lines, and Tab completes them
except ImportError:  # Windows
    readline = None  # type: ignore[assignment]

MOST_ENDS = 20
"""Number of times that Ctrl-D must be pressed in a row to leave the game."""
CLEAR, FORGET, WIPE_LINE = "\x1b[H\x1b[2J", "\x1b[3J", "\r\x1b[K"
"""Control sequences that clear the screen, its scrollback, and the line."""
NO_CARDS: Mapping[str, str] = MappingProxyType({})


class Leave(Exception):
    """A request to leave the game, also because the terminal is gone."""


class Screen:
    """The terminal, or a pipe or file in its place on standard input or output.

    Args:
        most_interrupts: number of times that Ctrl-C must be pressed in a row to leave.
    """

    def __init__(self, most_interrupts: int = 2) -> None:
        is_terminal = sys.stdout.isatty() and sys.stdin.isatty()
        is_dumb = os.environ.get("TERM", "dumb" if os.name != "nt" else "") in ("dumb", "unknown")
        if is_terminal and os.name == "nt":
            os.system("")  # switches on the styles of the Windows console
        self.is_terminal = is_terminal
        self.redraws = is_terminal and not is_dumb
        """Whether a page replaces the one before; otherwise it is printed below it."""
        self.paint = painter(self.redraws and "NO_COLOR" not in os.environ)
        self.borders = ROUND if _can_print("╭─│├") else PLAIN
        self.most_interrupts = most_interrupts
        self._pressed, self._interrupts, self._ends = 0, 0, 0
        self._waits, self._closed = False, False
        print_everywhere()

    # ------------------------------------------------------------------------------- printing

    @property
    def layout(self) -> Layout:
        """The layout for the present width of the terminal."""
        return Layout(self._size().columns - 1, self.paint, self.borders)

    @property
    def height(self) -> int:
        """Number of lines of a page; 1000 where pages are printed one below the other."""
        return self._size().lines if self.redraws else 1000

    def _size(self) -> os.terminal_size:
        usual = os.terminal_size((81, 24))
        return shutil.get_terminal_size(usual) if self.is_terminal else usual

    def say(self, *lines: str) -> None:
        """Print lines; if the terminal is gone, the next `check` raises Leave."""
        self._write("\n".join(lines) + "\n")

    def _write(self, text: str) -> None:
        try:
            print(text, end="", flush=True)
        except OSError:
            self._closed = True

    def tell(self, *texts: str, style: str = "", cards: Mapping[str, str] = NO_CARDS) -> None:
        """Print texts, each wrapped to the width of the terminal.

        Args:
            texts: the texts.
            style: the style of all of them, or none.
            cards: the style of each card by its title, as in `TableWords.card_styles`.
        """
        self.say(*(part for text in texts for part in self.wrapped(text, style, cards)))

    def wrapped(self, text: str, style: str = "", cards: Mapping[str, str] = NO_CARDS) -> list[str]:
        """Return a text in lines that fit into the terminal; those after the first are indented."""
        indent = text[: len(text) - len(text.lstrip())]
        layout = self.layout
        lines = layout.wrapped(Line(text.lstrip(), style), layout.width - len(indent), cards)
        return [indent + line for line in lines]

    def note(self, text: str) -> None:
        """Show a note in the last line until something else is printed; an empty one clears it."""
        if self.redraws:
            room = self._size().columns - 1
            self._write(f"{WIPE_LINE}{self.paint(text[:room], 'faint')}\r")

    def clear(self, forget: bool = False) -> None:
        """Begin a new page; `forget` also clears the scrollback and the history of lines."""
        if self.redraws:
            self._write(CLEAR + FORGET * forget)
        else:
            self._write("\n" * (self._size().lines if forget else 2))
        if forget and readline is not None:
            readline.clear_history()

    def page(self, lines: Sequence[str]) -> None:
        """Print lines, wrapped, one screen at a time; raise Leave as `ask` does."""
        width, height = self.layout.width, max(5, self.height - 2)
        lines = [part for line in lines for part in hanging(line, width)]
        for start in range(0, len(lines), height):
            self.say(*lines[start : start + height])
            if start + height < len(lines) and self.ask("(Enter goes on, q ends) ") == "q":
                return

    # -------------------------------------------------------------------------------- reading

    def ask(self, prompt: str) -> str:
        """Ask for a line; return it without spaces at its ends.

        Raises:
            Leave: in the cases that the module names.
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
        """Wait for some seconds; Ctrl-C ends the wait and counts towards leaving.

        Raises:
            Leave: in the cases that the module names.
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
        """Discard input that was typed before it was asked for."""
        if self.is_terminal and termios is not None:
            termios.tcflush(sys.stdin, termios.TCIFLUSH)

    def confirm(self, question: str) -> bool:
        """Ask until the answer is yes or no; return whether it is yes.

        Raises:
            Leave: in the cases that the module names.
        """
        while True:
            answer = self.ask(f"{question} (yes or no) ").casefold()
            if answer in ("yes", "y", "no", "n"):
                return answer.startswith("y")
            self.say("Type yes or no.")

    def complete(self, texts: Callable[[], Iterable[str]]) -> None:
        """Let Tab complete a line to one of the texts; `texts` is called at every Tab."""
        if readline is None or not self.is_terminal:
            return

        def completer(typed: str, number: int) -> str | None:
            whole = (text for text in texts() if text.casefold().startswith(typed.casefold()))
            return next(islice(whole, number, None), None)

        readline.set_completer_delims("\n")
        readline.set_completer(completer)
        is_libedit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
        if not is_libedit:
            readline.parse_and_bind("set enable-bracketed-paste off")

    # -------------------------------------------------------------------------------- leaving

    def check(self) -> None:
        """Raise Leave if the terminal was closed, or Ctrl-C was pressed often enough to leave."""
        if self._closed:
            raise Leave
        while self._pressed:
            self._pressed -= 1
            self._count_interrupt()

    def _count_interrupt(self) -> None:
        self._interrupts += 1
        if self._interrupts >= self.most_interrupts:
            raise Leave
        self.tell("Ctrl-C once more saves the game and leaves; any line goes on.")

    def _count_end(self, error: Exception) -> None:
        self._ends += 1
        if isinstance(error, OSError) or not self.is_terminal or self._ends >= MOST_ENDS:
            raise Leave
        self.say("To leave the game, type quit.")

    @contextmanager
    def attended(self) -> Iterator[None]:
        """Let Ctrl-C, a closed terminal and other signals interrupt only `ask` and `pause`."""

        def press(number: int, frame: FrameType | None) -> None:
            if self._waits:
                raise KeyboardInterrupt
            self._pressed += 1

        def close(number: int, frame: FrameType | None) -> None:
            self._closed = True
            if self._waits:
                raise Leave

        with handling(SIGINT=press, SIGTERM=close, SIGHUP=close):
            yield


def _can_print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def hanging(line: str, width: int) -> list[str]:
    """Return a line wrapped to a width, with the further lines of a list item indented."""
    sign = re.match(r"(- |\d+\. | +|)", line)
    indent = " " * len(sign[0] if sign else "")
    return textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) or [""]
