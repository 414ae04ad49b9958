"""The tests of the rules again, as plain Python, which also shows which lines they reach."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = {
    "gubs": "actions cards determinized_memory memory moves options positions scenarios score",
    "bad_bad_turtle": "scenarios rulings options determinization positions",
    "fubnub": "scenarios knowledge positions",
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


def test_the_rules_pass_uncompiled_and_their_tests_reach_every_corner(tmp_path):
    (tmp_path / "coveragerc").write_text(COVERAGE)
    files = [f"tests/{game}/test_{name}.py" for game in TESTS for name in TESTS[game].split()]
    files.append("tests/games/test_validity.py")
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *files,
        "--cov", f"--cov-config={tmp_path / 'coveragerc'}",
        "--cov-report=term-missing", "--cov-fail-under=95",
    ]  # fmt: skip
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "COV_"))}
    variables |= {"NUMBA_DISABLE_JIT": "1", "COVERAGE_FILE": str(tmp_path / "coverage")}
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
