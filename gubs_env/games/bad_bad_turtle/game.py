"""The record of Bad, Bad, Turtle: one `Game`, whose parts are in the modules by their names."""

from __future__ import annotations

from gubs_env.engine.game import Game
from gubs_env.games.bad_bad_turtle import (
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
    name="bad_bad_turtle_v0",
    title="Bad, Bad, Turtle",
    players=4,
    rules=rules.Rules,
    deck_field="composition",
    drawing=f"{__package__}.drawing",
    chance=f"{__package__}.chance",
)
