"""The games as environments of kaggle-environments, all agents playing in text.

Importing this module registers "gubs_v0" and the other games:
env = kaggle_environments.make("gubs_v0", {"seed": 7})
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gubs_env.agents.text_game import TextGame
from gubs_env.api.aec import environment_of
from gubs_env.engine.game import Game
from gubs_env.engine.option_texts import parse_options
from gubs_env.engine.table import Table
from gubs_env.games import all_games
from gubs_env.support.checks import require_extra

require_extra("kaggle", "kaggle_environments")

import kaggle_environments  # noqa: E402

LIMITS = {"episodeSteps": 100_000, "actTimeout": 60, "runTimeout": 3600}
TEXT = {"type": "string", "default": ""}
SEED = {"type": ["integer", "null"], "default": None, "minimum": 0}
RULES = TEXT | {"description": "options, as letters=anywhere+ask_everyone=true"}


def specification(game: Game) -> dict[str, Any]:
    """Return what the framework checks: the number of agents, options, observations, actions."""
    return {
        "name": game.name,
        "title": game.title,
        "description": "Agents read and write text. An answer that names no legal move loses.",
        "version": "1.0.0",
        "agents": [game.players, *(n for n in game.player_counts if n != game.players)],
        "configuration": LIMITS | {"seed": SEED, "rules": RULES},
        "reward": {"type": ["number", "null"], "default": 0},
        "observation": {
            "system": TEXT | {"description": "the rules and the form of an answer"},
            "prompt": TEXT | {"description": "news, table and question, when you decide"},
            "legal_moves": {"type": "array", "items": {"type": "string"}, "default": []},
            "remainingOverageTime": 60,
        },
        "action": TEXT | {"description": "a text that names a legal move"},
    }


def interpret(game: Game, states: list[Any], env: Any) -> list[Any]:
    """Play the answer of the agent that decides, and tell the next one what its seat may know."""
    if env.done:  # before the first step, and only then
        rules = parse_options(env.configuration.rules)
        dealt = environment_of(Table(game, len(states), rules))
        dealt.reset(env.configuration.seed)
        env.text_game = TextGame(dealt)
        for state, seat in zip(states, dealt.possible_agents, strict=True):
            state.observation.system = env.text_game.system(seat)
    else:
        [decider] = [state for state in states if state.status != "INACTIVE"]
        try:
            if decider.status == "ACTIVE":
                env.text_game.play(env.text_game.parse(decider.action))
        except ValueError:
            decider.status = "INVALID"
        if decider.status != "ACTIVE":
            return ended(states)
    text = env.text_game
    for state, seat in zip(states, text.env.possible_agents, strict=True):
        decides = seat == text.seat
        state.status = "ACTIVE" if decides else "INACTIVE"
        state.observation.prompt = text.prompt().user if decides else ""
        state.observation.legal_moves = [move.text for move in text.moves()] if decides else []
        state.reward = text.env.rewards[seat]
    return ended(states) if text.is_over else states


def ended(states: list[Any]) -> list[Any]:
    """End the game for all agents that have not failed."""
    for state in states:
        if state.status in ("ACTIVE", "INACTIVE"):
            state.status = "DONE"
    return states


def register(game: Game) -> None:
    """Register a game with the framework, which calls only functions that have `__code__`."""

    def table(states: list[Any], env: Any) -> str:
        return game.describe(game.spectator_view(np.array([env.text_game.env.state()]), 0))

    parts: dict[str, Any] = {"specification": specification(game), "html_renderer": lambda: ""}
    parts |= {"interpreter": lambda states, env: interpret(game, states, env), "renderer": table}
    parts["agents"] = {"first": lambda observation: (observation.legal_moves or [""])[0]}
    kaggle_environments.register(game.name, parts)


for _game in all_games():
    register(_game)
