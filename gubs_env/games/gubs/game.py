"""The record of Gubs: its parts as one `Game`."""

from __future__ import annotations

from gubs_env.engine.game import make_game
from gubs_env.games.gubs import (
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
    name="gubs_v0",
    title="Gubs",
    players=2,
    turn_phase=state.Phase.DRAW,
    drawing=f"{__package__}.drawing",
    chance=f"{__package__}.chance",
    modules=(
        *(actions, determinization, history, legal, moves, observation, rules, rules_text),
        *(score, state, turn, validity, view, words),
    ),
)
