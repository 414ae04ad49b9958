"""Imitation plays few games at once here: they give more decisions than a test imitates."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def few_games_of_the_teacher(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gubs_agents.training.supervised.imitation.GAMES_AT_ONCE", 64)
