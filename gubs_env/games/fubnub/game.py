"""The record of FUBNUB: one `Game`, whose parts are in the modules by their names."""

from __future__ import annotations

from gubs_env.engine.game import Game
from gubs_env.games.fubnub import (
    actions,
    determinization,
    faults,
    history,
    legal,
    moves,
    observation,
    rules,
    rules_text,
    score,
    state,
    turn,
    view,
    words,
)

MODULES = (
    actions, determinization, faults, history, legal, moves, observation, rules, rules_text, score,
    state, turn, view, words,
)  # fmt: skip
GAME = Game.of_modules(
    MODULES,
    module=__name__,
    name="fubnub_v0",
    title="FUBNUB",
    players=4,
    rules=rules.Rules,
    drawing=f"{__package__}.drawing",
    chance=f"{__package__}.chance",
)
