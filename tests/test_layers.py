"""The imports that docs/architecture.md allows, which this test reads and enforces."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest

from gubs_env import GAMES

ROOT = Path(__file__).parent.parent
SOURCES = {"gubs_env": ROOT / "gubs_env", "gubs_agents": ROOT / "agents" / "gubs_agents"}
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


@cache
def modules() -> dict[str, Path]:
    """Return the path of every module by its dotted name."""
    found = {}
    for name, folder in SOURCES.items():
        for path in folder.rglob("*.py"):
            parts = [name, *path.relative_to(folder).with_suffix("").parts]
            found[".".join(part for part in parts if part != "__init__")] = path
    return found


@cache
def imports_of(module: str) -> tuple[str, ...]:
    """Return the modules and packages that a module imports, at its top or in a function."""
    found = []
    for node in ast.walk(ast.parse(modules()[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [name if name in modules() else str(node.module) for name in inner]
    return tuple(dict.fromkeys(found))


@cache
def named_in(module: str) -> tuple[str, ...]:
    """Return the modules of ours that a module names in texts, as drawing=f"{__package__}.drawing".

    Sooner or later it imports them. Places such as "package.module:name" of entry points do not
    count: whoever is asked for them imports them.
    """
    is_package = modules()[module].name == "__init__.py"
    package = module if is_package else module.rpartition(".")[0]
    texts = []
    for node in ast.walk(ast.parse(modules()[module].read_text(encoding="utf-8"))):
        match node:
            case ast.Constant(value=str(text)):
                texts.append(text)
            case ast.JoinedStr(
                values=[ast.FormattedValue(value=ast.Name(id="__package__")), ast.Constant()]
            ):
                texts.append(f"{package}{node.values[1].value}")
    return tuple({text for text in texts if "." in text and text in modules()})


def arrows() -> dict[str, set[str]]:
    """Return the layers and packages that each layer may import, from the table of the page."""
    rows = re.findall(r"^\| `([\w.<>]+)` \| [^|]*\| ([^|]*)\|$", PAGE, re.M)
    return {room: set(re.findall(r"`([\w.<>]+)`", cell)) for room, cell in rows}


def room_of(module: str) -> str:
    """Return the layer of a module: the longest name in the table that its name begins with."""
    if re.fullmatch(r"gubs_env\.\w+_v0|gubs_env", module):
        return "gubs_env.<game>_v0" if module != "gubs_env" else "gubs_env"
    for prefix in ("gubs_env.games", "gubs_agents.scripted"):
        for game in GAMES:
            if f"{module}.".startswith(f"{prefix}.{game}."):
                return f"{prefix}.<game>"
    rooms = [room for room in arrows() if f"{module}.".startswith(f"{room}.")]
    return max(rooms, key=len)


def game_in(module: str) -> str | None:
    return next((game for game in GAMES if re.search(rf"\b{game}(_v0)?\b", module)), None)


def is_allowed(module: str, imported: str) -> bool:
    top = imported.partition(".")[0]
    if top in sys.stdlib_module_names:
        return True
    room, allowed = room_of(module), arrows()[room_of(module)]
    if imported == "numpy" or imported.startswith("numpy."):
        return True
    if imported.startswith("gubs_env._compiler"):
        return room in ("gubs_env._compiler", "gubs_env.engine")
    if imported.startswith("gubs_env.engine"):
        return room != "gubs_env._compiler"
    if top not in SOURCES:
        return top in allowed
    other = room_of(imported)
    same_game = game_in(module) in (None, game_in(imported)) or game_in(imported) is None
    return same_game and (other == room or other in allowed)


def test_the_page_lists_every_room():
    assert {room_of(module) for module in modules()} == set(arrows())


@pytest.mark.parametrize("module", modules())
def test_a_module_imports_only_what_its_room_may(module):
    for imported in (*imports_of(module), *named_in(module)):
        assert is_allowed(module, imported), f"{module} → {imported}"


@pytest.mark.parametrize("room", [room for room in arrows() if "<game>" not in room])
def test_every_arrow_that_is_drawn_is_used(room):
    inside = [module for module in modules() if room_of(module) == room]
    used = {name for module in inside for name in (*imports_of(module), *named_in(module))}
    tops = {name.partition(".")[0] for name in used}
    rooms = {room_of(name) for name in used if name.partition(".")[0] in SOURCES}
    assert arrows()[room] <= rooms | tops


def test_texts_that_name_a_module_are_read():
    assert "gubs_env.games.gubs.drawing" in named_in("gubs_env.games.gubs.game")
    assert "gubs_env.drawing.plain" in named_in("gubs_env.api.define")


def test_no_imports_run_in_a_circle():
    below = {module: {n for n in imports_of(module) if n in modules()} for module in modules()}
    while free := {module for module, names in below.items() if not names}:
        below = {module: names - free for module, names in below.items() if module not in free}
    assert not below, f"circles among {sorted(below)}"


def test_the_interfaces_and_the_engine_know_no_game():
    for module, path in modules().items():
        if room_of(module) in ("gubs_env.api", "gubs_env.engine"):
            words = path.read_text(encoding="utf-8").casefold()
            words = words.replace("gubs_env", "").replace("gubs_agents", "")
            assert not re.search(r"\b(gubs|fubnub|turtle)\b", words), module
