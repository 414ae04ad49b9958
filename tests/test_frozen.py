"""docs/installing.md: a program frozen by PyInstaller plays with all agents (./run frozen)."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("PyInstaller", reason="PyInstaller is not installed")

PAGE = (Path(__file__).parents[1] / "docs" / "installing.md").read_text(encoding="utf-8")
PROGRAM = """
import multiprocessing

if __name__ == "__main__":
    multiprocessing.freeze_support()
    import gubs_env
    from gubs_env.drawing.raster import pixels

    for agent in ("heuristic", "policy", "montecarlo:playouts=5"):
        path = gubs_env.record(
            "games.jsonl", agent, gubs_env.find_table("bad_bad_turtle", 2), games=1
        )
        record = gubs_env.read_record(path, 0)
        path.unlink()
        print(agent, record.outcome is not None)
    print(pixels(record.env().unwrapped._repr_svg_()).shape[1])
    print(gubs_env.replay(record).html.count("</html>"))
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frozen")
    (folder / "game.py").write_text(PROGRAM)
    options = re.search(r"^pyinstaller (.*?)\n```", PAGE, re.M | re.S)
    assert options
    command = [sys.executable, "-m", "PyInstaller", *shlex.split(options[1].replace("\\\n", ""))]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "dist" / "game" / "game"


@pytest.mark.parametrize("compiling", ["never", "beside", "wait"])
def test_a_frozen_program_plays(program, tmp_path, compiling):
    variables = os.environ | {
        "GUBS_ENV_COMPILE": compiling,
        "GUBS_ENV_CACHE": str(tmp_path / "cache"),
    }
    done = subprocess.run([program], cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [
        *("heuristic", "True", "policy", "True", "montecarlo:playouts=5", "True", "1200", "1")
    ]
