"""Imitation plays few games at once here: they give more decisions than a test imitates."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def few_games_of_the_teacher() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gubs_agents.training.supervised.imitation.GAMES_AT_ONCE", 64)
        yield
