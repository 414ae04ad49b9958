"""A package with a game of its own: installed in a folder, found in new processes, and tried."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from gubs_env import games
from tests.commands import gubs

ROOT = Path(__file__).parents[1]


def install(package: Path, folder: Path) -> Path:
    """Install a package in a folder, without a network; return the folder."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--target", str(folder)]
    subprocess.run([*pip, *offline, str(package)], check=True)
    return folder


def variables(site: Path, mode: str = "never") -> dict[str, str]:
    """Return the environment of a process that finds the package."""
    paths = os.pathsep.join(map(str, (site, ROOT, ROOT / "agents")))
    return os.environ | {"PYTHONPATH": paths, "GUBS_ENV_COMPILE": mode}


def run(site: Path, folder: Path, script: str, mode: str = "never") -> str:
    """Run a script in a new process that finds the package; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder, env=variables(site, mode), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def try_commands(site: Path, folder: Path, name: str, keys: str, deals: int = 4) -> None:
    """Run commands in a copy of a process that has imported, and keep what they print.

    Args:
        site: where the package is installed.
        folder: the working directory, in which `told.txt` is written.
        name: the name of the game.
        keys: what is typed in a game against random players.
        deals: deals of the arena; a long game is tried with fewer.
    """
    sys.path.insert(0, str(site))
    games._brought.cache_clear()
    os.chdir(folder)
    os.environ["GUBS_ENV_COMPILE"] = "never"
    Path("short.toml").write_text("games = 16\nwidth = 16\nbatch = 256\n")
    game, short = ("--game", name), ("--config", "short.toml")
    sys.stdin = io.StringIO(keys)
    with open("told.txt", "w", encoding="utf-8") as told, redirect_stdout(told):
        gubs("agents", name)
        gubs("soak", "--games", name, "--count", "32", "--thorough")
        gubs("record", *game, "--agents", "random", "--games", "30", "--out", "games.jsonl")
        gubs("replay", "games.jsonl", "--game", "3", "--html", "game.html")
        gubs("record", *game, "--agents", "tests.language.agents:Reader", "--games", "2", "--out",
             "words.jsonl")  # fmt: skip
        gubs("arena", *game, "--agents", "ismcts:playouts=4,random", f"--deals={deals}",
             "--out=arena")  # fmt: skip
        gubs("train", *game, *short, "--steps", "512", "--evaluation-deals", "2",
             "--report-deals", "2", "--out", "run")  # fmt: skip
        gubs("exploit", *game, *short, "--agent", "random", "--kinds", "nothing", "--decisions",
             "512", "--selection-deals", "2", "--deals", "2", "--out", "exploit")  # fmt: skip
        gubs("play", *game, "--opponents", "random", "--seed", "3", "--pace", "0")


def news_of_its_page(site: Path, folder: Path, name: str) -> dict[str, Any]:
    """Return what the page of a game in the browser is told at first."""
    words = ("play", "--web", "--no-open-browser", "--game", name, "--opponents", "random")
    command = [sys.executable, "-m", "gubs_env", *words, "--replay", "game.jsonl"]
    process = subprocess.Popen(
        command, cwd=folder, env=variables(site), stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout
        lines = (re.search(r"http://\S+", line) for line in process.stdout)
        link = next(found[0] for found in lines if found)
        with urlopen(f"{link}news?version=-1", timeout=60) as answer:
            return json.load(answer)
    finally:
        process.terminate()
        process.communicate(timeout=30)
