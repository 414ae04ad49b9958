"""`gubs` in this process, and how a command ends when its user has made a mistake."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from gubs_env.commands.main import main


def gubs(*words: object) -> None:
    """Run `gubs` with these words; raise SystemExit if its exit status is not 0."""
    if status := main([str(word) for word in words]):
        raise SystemExit(status)


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
