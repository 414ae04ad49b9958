"""Paths of all drawings are complete: a rasteriser forgives missing numbers, browsers do not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gubs_env

FOLDER = Path(gubs_env.__file__).parent
FILES = sorted(
    file
    for file in FOLDER.rglob("*.py")
    if re.search(r"drawing|emblems|faces", str(file.relative_to(FOLDER)))
)
NUMBERS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)")


def path_faults(path):
    """Yield the commands of a path that have too few or too many numbers."""
    for command, arguments in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
        count, each = len(NUMBER.findall(arguments)), NUMBERS[command.upper()]
        if count % each if each else count:
            yield command + arguments


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FOLDER)))
def test_every_written_path_is_complete(file):
    text = re.sub(r"['\"]\s*\n\s*['\"]", "", file.read_text(encoding="utf-8"))
    for path in re.findall(r'\bd="([^"{]+)"', text):
        assert not list(path_faults(path)), path


def test_an_incomplete_path_is_found():
    assert list(path_faults("M0 0Q1 1 2 2-3 4Z")) == ["Q1 1 2 2-3 4"]
    assert not list(path_faults("M-28 20a10 10 0 0 1 10-10h.5v15z"))
