"""The two games, registered as if their packages were installed."""

from __future__ import annotations

import pytest

import gubs_env.games

with pytest.MonkeyPatch.context() as patch:
    patch.setenv("GUBS_ENV_COMPILE", "never")  # they are small
    import kuhn_poker  # noqa: F401

    from tests.poker import leduc_poker  # noqa: F401

MODULES = {"kuhn_poker_v0": "kuhn_poker", "leduc_poker_v0": "tests.poker.leduc_poker"}


@pytest.fixture(autouse=True, scope="session")
def registered():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gubs_env.games, "_modules", lambda: {**gubs_env.games._own(), **MODULES})
        yield
