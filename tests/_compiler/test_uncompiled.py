"""The tests of the rules again, as plain Python: a part always, all of them with their coverage.

GUBS_ENV_COVERAGE=1 pytest -n 0 tests/_compiler/test_uncompiled.py runs all, which takes minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PART = {
    "gubs": "scenarios score moves",
    "bad_bad_turtle": "scenarios rulings",
    "fubnub": "scenarios",
}
ALL = {
    "gubs": "actions cards determinized_memory memory moves options positions scenarios score",
    "bad_bad_turtle": "scenarios rulings options determinization positions",
    "fubnub": "scenarios knowledge positions",
    "games": "faults",
}
COVERAGE = """
[run]
source = gubs_env/engine, gubs_env/games
omit =
    */words.py
    */history.py
    */moves.py
    */rules_text.py
    */drawing.py
    */emblems.py
    */faces.py
"""
"""Words, histories, moves in words and drawings are read by tests of their own."""


def run_uncompiled(named, *options):
    """Run test files, given as names by folder, as plain Python; fail if one of them fails."""
    files = [f"tests/{folder}/test_{name}.py" for folder in named for name in named[folder].split()]
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *files,
        *options,
    ]  # fmt: skip
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "COV_"))}
    variables |= {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


def test_the_rules_pass_uncompiled():
    run_uncompiled(PART)


@pytest.mark.skipif("GUBS_ENV_COVERAGE" not in os.environ, reason="set GUBS_ENV_COVERAGE to run it")
def test_the_tests_of_the_rules_reach_every_corner(tmp_path, monkeypatch):
    monkeypatch.setenv("COVERAGE_FILE", str(tmp_path / "coverage"))
    (tmp_path / "coveragerc").write_text(COVERAGE)
    run_uncompiled(
        ALL,
        "--cov",
        f"--cov-config={tmp_path / 'coveragerc'}",
        "--cov-report=term-missing",
        "--cov-fail-under=95",
    )
