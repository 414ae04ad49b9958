"""The tests of the rules once more, as plain Python; this also shows which lines they reach."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_rules_pass_uncompiled_and_their_tests_reach_every_corner(tmp_path):
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/gubs",
        *(f"tests/bad_bad_turtle/test_{name}.py"
          for name in ("scenarios", "rulings", "options", "determinization")),
        "tests/fubnub/test_scenarios.py", "tests/fubnub/test_knowledge.py",
        "--cov=gubs_env/games", "--cov-report=term-missing", "--cov-fail-under=95",
    ]  # fmt: skip
    variables = os.environ | {
        "NUMBA_DISABLE_JIT": "1",
        "COVERAGE_FILE": str(tmp_path / "coverage"),
    }
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
