"""Who may import whom (docs/architecture.md): nothing imports upward."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ALLOWED = {
    "gubs_env/games": {"numpy", "numba", "llvmlite", "gubs_env.games"},
    "gubs_env/render": {"numpy", "gubs_env.games", "gubs_env.render"},
    "gubs_env/api": {
        "numpy", "gymnasium", "pettingzoo", "stable_baselines3", "typing_extensions",
        "gubs_env.api", "gubs_env.engine.choosing", "gubs_env.engine.compilation",
        "gubs_env.engine.rng", "gubs_env.engine.mechanics",
    },
    "agents": {
        "numpy", "safetensors", "torch", "sb3_contrib", "stable_baselines3", "choix",
        "matplotlib", "rich", "tomli", "tqdm",
        "agents", "gubs_env",
    },
}  # fmt: skip
STANDARD = {
    "__future__", "argparse", "ast", "collections", "concurrent", "contextlib", "copy", "csv",
    "dataclasses", "enum", "functools", "hashlib", "importlib", "inspect", "itertools", "json",
    "multiprocessing", "operator", "os", "pathlib", "pickle", "platform", "re", "shutil", "signal",
    "sys", "tempfile", "time", "tomllib", "types", "typing", "zlib",
}  # fmt: skip


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


@pytest.mark.parametrize("room", ALLOWED)
def test_a_room_imports_only_what_it_may(room):
    for path in sorted((ROOT / room).rglob("*.py")):
        for name in imports(path):
            known = ALLOWED[room] | STANDARD
            assert any(name == k or name.startswith(k + ".") for k in known), f"{path} → {name}"


def test_the_faces_know_no_game():
    for path in (ROOT / "gubs_env" / "api").rglob("*.py"):
        words = path.read_text().replace("gubs_env", "").casefold()
        assert not any(game in words for game in ("gubs", "fubnub", "turtle")), path
