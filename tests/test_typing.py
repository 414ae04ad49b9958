"""The script whose types `./run check` checks is one that runs."""

from __future__ import annotations

import runpy
from pathlib import Path


def test_the_users_script_plays(capsys):
    runpy.run_path(str(Path(__file__).parent / "typing" / "user_script.py"), run_name="__main__")
    assert capsys.readouterr().out.splitlines()[-1] == "(8, 2)"
