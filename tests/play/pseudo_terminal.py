"""A command at a pseudo-terminal, with somebody who types."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
from multiprocessing.connection import Connection
from pathlib import Path

from gubs_env.commands.main import main
from gubs_env.support import cluster

ESCAPES = re.compile(r"\x1b\[[?\d;]*[A-Za-z]")
PROMPTS = (
    "> ", r"[^\n]*\(yes or no\) ", r"[^\n]*press Enter to go on\. ", r"\(Enter goes on[^\n]*\) ",
)  # fmt: skip
PROMPT = re.compile(rf"(?:^|\n|\r)({'|'.join(PROMPTS)})$")
PATIENCE = 300
"""Seconds without a prompt after which a test fails."""


def run(arguments, folder, terminal, variables):
    """Do what `python -m gubs_env …` does in a new session at a terminal."""
    os.setsid()
    for number in range(3):
        os.dup2(terminal.fileno(), number)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl-C reaches the process
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    modes = enumerate("rww")
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(*each, encoding="utf-8") for each in modes)
    status = main(arguments)
    try:
        sys.stdout.flush()
    except OSError:
        os._exit(120)  # as Python does when it cannot flush its output
    sys.exit(status)


class PseudoTerminal:
    """A process of `gubs …` whose terminal we hold; the fixture `quick_processes` lets it begin.

    Args:
        arguments: the arguments of the command.
        folder: its working directory.
        columns: the width of the terminal.
        term: the kind of terminal; "dumb" has no styles and cannot clear the screen.
    """

    def __init__(self, *arguments, folder, columns=80, term="dumb", rows=40):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        variables = {
            k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")
        }
        terminal = Connection(slave)  # which can be sent to a process
        given = arguments, folder, terminal, variables | {"TERM": term}
        self.process = cluster.CONTEXT.Process(target=run, args=given)
        self.process.start()
        terminal.close()
        self.raw = ""
        self.shown = ""
        """What was printed since the last line typed, without terminal styles."""

    def wait(self):
        """Return the prompt that the command waits at; None if it has ended."""
        fresh, start = "", time.monotonic()
        while time.monotonic() - start < PATIENCE:
            data = self.read()
            if data is None:
                self.shown = ESCAPES.sub("", fresh)
                self.process.join()
                return None
            fresh += data
            self.shown = ESCAPES.sub("", fresh).replace("\r\n", "\n")
            if data and (found := PROMPT.search(self.shown)):
                return found[1]
        raise AssertionError(f"no prompt after {PATIENCE} s: {fresh[-2000:]!r}")

    def until(self, words, typed=""):
        """Wait until words have been printed from now on, and type a line before each look.

        Raises:
            AssertionError: if they have not been printed after PATIENCE seconds.
        """
        begun, start = len(self.raw), time.monotonic()
        while words not in ESCAPES.sub("", self.raw[begun:]):
            if time.monotonic() - start > PATIENCE:
                raise AssertionError(f"{words!r} is not in {self.raw[begun:]!r}")
            if typed:
                self.type(typed)
            self.read()

    def read(self):
        """Return what has been printed, perhaps nothing yet; None if the command has ended."""
        if not select.select([self.master], [], [], 0.5)[0]:
            return ""
        try:
            data = os.read(self.master, 65536)
        except OSError:  # Linux: the process has ended
            data = b""
        self.raw += data.decode(errors="replace")
        return data.decode(errors="replace") if data else None

    def settle(self):
        """Wait until the command waits for a key.

        Python's readline misses a signal that comes between its prompt and its waiting, which a
        person is never quick enough for.
        """
        told, before = Path(f"/proc/{self.process.pid}/status"), None
        if not told.exists():  # as on macOS
            time.sleep(0.5)
        while told.exists():
            now = re.findall(r"(?:State|ctxt_switches):\s+(\w+)", told.read_text())
            if now[0] == "S" and now == before:
                return  # it has slept all the while: no pause between two steps of its work
            before = now
            time.sleep(0.05)

    def press(self, key):
        """Type a control character at a prompt."""
        self.settle()
        self.type(key, end="")

    def type(self, text, end="\n"):
        os.write(self.master, (text + end).encode())

    def answer(self, text):
        """Type a line, and return the next prompt."""
        self.type(text)
        return self.wait()

    def hang_up(self):
        """Close the terminal under the command."""
        os.close(self.master)
        self.master = None

    def close(self):
        self.process.kill()
        self.process.join()
        if self.master is not None:
            os.close(self.master)
