"""The record of FUBNUB: its parts as one `Game`."""

from __future__ import annotations

from gubs_env.engine.game import make_game
from gubs_env.engine.mechanics import NO_TURNS
from gubs_env.games.fubnub import (
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
    name="fubnub_v0",
    title="FUBNUB",
    players=4,
    turn_phase=NO_TURNS,
    drawing=f"{__package__}.drawing",
    chance=f"{__package__}.chance",
    modules=(
        *(actions, determinization, history, legal, moves, observation, rules, rules_text),
        *(score, state, turn, validity, view, words),
    ),
)
