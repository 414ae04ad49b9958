"""A command at a pseudo-terminal, with somebody who types."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

ESCAPES = re.compile(r"\x1b\[[?\d;]*[A-Za-z]")
PROMPTS = (
    "> ", r"[^\n]*\(yes or no\) ", r"[^\n]*press Enter to go on\. ", r"\(Enter goes on[^\n]*\) ",
)  # fmt: skip
PROMPT = re.compile(rf"(?:^|\n|\r)({'|'.join(PROMPTS)})$")
PATIENCE = 300
"""Seconds without a prompt after which a test fails."""
SETTLING = 0.5
"""Seconds between a prompt and a control character that follows it."""


class PseudoTerminal:
    """A process of `python -m gubs_env …` whose terminal we hold.

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
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gubs_env", *arguments],
            stdin=slave, stdout=slave, stderr=slave, cwd=folder, start_new_session=True,
            env=variables | {"TERM": term, "PYTHONUTF8": "1"}, preexec_fn=lambda: hold(slave),
        )  # fmt: skip
        os.close(slave)
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
                self.process.wait()
                return None
            fresh += data
            self.shown = ESCAPES.sub("", fresh).replace("\r\n", "\n")
            if data and (found := PROMPT.search(self.shown)):
                return found[1]
        raise AssertionError(f"no prompt after {PATIENCE} s: {fresh[-2000:]!r}")

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

    def press(self, key):
        """Type a control character at a prompt.

        Python's readline misses a signal that comes between its prompt and its waiting, which a
        person is never quick enough for.
        """
        time.sleep(SETTLING)
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
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.master is not None:
            os.close(self.master)


def hold(slave):
    """Make the terminal that of the new session, so that Ctrl-C reaches the process."""
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
