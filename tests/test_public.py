"""The public names: exported with `__all__`, shown in the reference, and promised by one page."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PROMISE = (DOCS / "versions.md").read_text(encoding="utf-8")
PACKAGES = re.findall(r"^- `([\w.]+)`:", PROMISE, re.M)
"""The packages and modules whose `__all__` is public, from docs/versions.md."""
GAME_MODULES = ("gubs_env.gubs_v0", "gubs_env.fubnub_v0", "gubs_env.bad_bad_turtle_v0")


def pages() -> dict[str, str]:
    return {p.name: p.read_text(encoding="utf-8") for p in (DOCS / "reference").glob("*.md")}


def shown() -> dict[str, set[str]]:
    """Return the names that the reference shows, by the package that exports them."""
    found: dict[str, set[str]] = {package: set() for package in PACKAGES}
    for text in pages().values():
        for name, options in re.findall(r"^::: ([\w.]+)$((?:\n +.*)*)", text, re.M):
            if name in found:
                members = re.findall(r"^ +- (\w+)$", options, re.M)
                found[name] |= set(members or import_module(name).__all__)
            else:
                package, _, member = name.rpartition(".")
                found.setdefault(package, set()).add(member)
    return found


def test_the_page_names_packages_and_the_modules_of_the_games():
    assert {"gubs_env", "gubs_agents", *GAME_MODULES} <= set(PACKAGES)


def test_the_reference_shows_nothing_that_may_change_at_any_time():
    assert set(shown()) == set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_exists_and_has_its_place_in_the_reference(package):
    if needed := {"sb3": "stable_baselines3", "rllib": "tree"}.get(package.split(".")[-1]):
        pytest.importorskip(needed)
    module = import_module(package)
    public = {name for name in module.__all__ if not name.startswith("__")}
    for name in public:
        assert getattr(module, name) is not None
    if package == "gubs_env":  # each game's module has a page of its own
        public -= {name.rpartition(".")[2] for name in GAME_MODULES}
    if package in GAME_MODULES:  # shown once, where `gubs_env` exports them
        public -= {"GAME", "Outcome", "View"}
    assert shown()[package] == public
