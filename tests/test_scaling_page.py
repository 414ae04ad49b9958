"""docs/scaling.md: its training commands have options that a run accepts."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

PAGES = [Path(__file__).parents[1] / "docs" / name for name in ("scaling.md", "training.md")]
COMMANDS = [
    found.group(1).strip(" \\")
    for page in PAGES
    for found in re.finditer(r"(?:gubs|\./run) train( --backend [^#\"`:\n]*)", page.read_text())
]


def test_there_are_commands():
    assert len(COMMANDS) >= 6


@pytest.mark.parametrize("options", COMMANDS)
def test_a_command_is_accepted(options):
    pytest.importorskip("sb3_contrib", reason="needs the extra train")
    from gubs_agents.training.options import parse

    assert parse(shlex.split(options))[0].backend == "rllib"
