"""The record of Bad, Bad, Turtle: its parts as one `Game`."""

from __future__ import annotations

from gubs_env.engine.game import make_game
from gubs_env.games.bad_bad_turtle import (
    actions,
    determinization,
    history,
    legal,
    moves,
    observation,
    rules,
    rules_text,
    score,
    state,
    turn,
    validity,
    view,
    words,
)

GAME = make_game(
    name="bad_bad_turtle_v0",
    title="Bad, Bad, Turtle",
    players=4,
    turn_phase=state.Phase.TURN,
    drawing=f"{__package__}.drawing",
    chance=f"{__package__}.chance",
    modules=(
        *(actions, determinization, history, legal, moves, observation, rules, rules_text),
        *(score, state, turn, validity, view, words),
    ),
)
