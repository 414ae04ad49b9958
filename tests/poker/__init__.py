"""Games of other packages whose truth is known: Kuhn poker and Leduc poker."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint

import pytest

import gubs_env.engine.choosing  # before: what other games use stays compiled
import gubs_env.games
from gubs_env.support.plugins import Plugin

MODULES = {"kuhn_poker_v0": "kuhn_poker", "leduc_poker_v0": "tests.poker.leduc_poker"}


def register(compiling: str = "never", modules: Mapping[str, str] = MODULES) -> None:
    """Register games for this process, as if their packages were installed.

    Args:
        compiling: when they are compiled, a value of `GUBS_ENV_COMPILE`.
        modules: the module of each game, by name.
    """
    points = [EntryPoint(name, module, gubs_env.games.GROUP) for name, module in modules.items()]
    ours = {point.name: Plugin(point.name, "tests", point) for point in points}
    brought = gubs_env.games._brought() | ours
    gubs_env.games._brought = lambda: brought
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GUBS_ENV_COMPILE", compiling)
        for name in modules:
            gubs_env.games.find_game(name)
