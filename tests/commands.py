"""`gubs` in this process, code in another, and how a command ends after a mistake of its user."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from gubs_env.commands.main import main


def gubs(*words: object) -> None:
    """Run `gubs` with these words; raise SystemExit if its exit status is not 0."""
    if status := main([str(word) for word in words]):
        raise SystemExit(status)


def python(
    code: str,
    *arguments: object,
    options: Sequence[str] = (),
    cwd: Path | None = None,
    **variables: str,
) -> str:
    """Run code in a new process with variables of the environment; return what it prints."""
    command, environment = [sys.executable, *options, "-c", code], os.environ | variables
    command += map(str, arguments)
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout.strip()


def check_one_line(status: int, said: str, message: str) -> None:
    """Check for status 2, and one clear line at the end of standard error."""
    assert status == 2, said
    assert "Traceback" not in said
    assert re.search(message, said.rstrip("\n").split("\n")[-1]), said


@contextmanager
def ends_with(capsys: pytest.CaptureFixture[str], message: str) -> Iterator[None]:
    """Check that a command ends with status 2 and a line that matches a pattern."""
    with pytest.raises(SystemExit) as raised:
        yield
    check_one_line(raised.value.code, capsys.readouterr().err, message)
