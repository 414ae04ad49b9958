"""The games as environments of kaggle-environments, all agents playing in text.

Importing this module registers "gubs_v0" and the other games:
env = kaggle_environments.make("gubs_v0", {"seed": 7})
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gubs_env import GAMES, find_game
from gubs_env.api.checks import require_extra
from gubs_env.api.parsing import parse_rules
from gubs_env.api.text_game import TextGame, environment_of
from gubs_env.engine.game import Game
from gubs_env.engine.text import table_text

require_extra("kaggle", "kaggle_environments")

import kaggle_environments  # noqa: E402

PLAYERS = {"gubs_v0": [2, 6], "fubnub_v0": [1, 4], "bad_bad_turtle_v0": [2, 8]}
"""The smallest and the largest number of players."""
MOST_STEPS = 100_000
NO_TEXT = {"type": "string", "default": ""}
OBSERVATION = {
    "system": NO_TEXT | {"description": "the rules and the form of an answer"},
    "prompt": NO_TEXT | {"description": "news, table and question, for the agent that decides"},
    "legal_moves": {"type": "array", "items": {"type": "string"}, "default": []},
    "remainingOverageTime": 60,
}


def specification(game: Game) -> dict[str, Any]:
    """Return what the framework checks: the number of agents, options, observations, actions."""
    least, most = PLAYERS[game.name]
    return {
        "name": game.name,
        "title": game.title,
        "description": "Agents read and write text. An answer that names no legal move loses.",
        "version": "1.0.0",
        "agents": [game.players, *(n for n in range(least, most + 1) if n != game.players)],
        "configuration": {
            "episodeSteps": MOST_STEPS,
            "actTimeout": 60,
            "runTimeout": 3600,
            "seed": {"type": ["integer", "null"], "default": None, "minimum": 0},
            "rules": NO_TEXT | {"description": "options, as letters=anywhere+ask_everyone=true"},
        },
        "reward": {"type": ["number", "null"], "default": 0},
        "observation": OBSERVATION,
        "action": NO_TEXT | {"description": "a text that names a legal move"},
    }


def interpret(game: Game, states: list[Any], env: Any) -> list[Any]:
    """Play the answer of the agent that decides, and tell the next one what its seat may know."""
    if env.done or not hasattr(env, "text_game"):
        env.text_game = deal(game, len(states), env.configuration)
        for state, seat in zip(states, env.text_game.env.possible_agents, strict=True):
            state.observation.system = env.text_game.system(seat)
    else:
        [number] = [k for k, state in enumerate(states) if state.status != "INACTIVE"]
        try:
            if states[number].status == "ACTIVE":
                env.text_game.play(env.text_game.parse(states[number].action))
            else:
                return ended(states, [0.0] * len(states), {number: states[number].status})
        except ValueError:
            return ended(states, [0.0] * len(states), {number: "INVALID"})
    text = env.text_game
    if text.is_over:
        return ended(states, list(text.env.rewards.values()), {})
    for state, seat in zip(states, text.env.possible_agents, strict=True):
        decides = seat == text.seat
        state.status = "ACTIVE" if decides else "INACTIVE"
        state.observation.prompt = text.prompt().user if decides else ""
        state.observation.legal_moves = [m.text for m in text.moves()] if decides else []
    return states


def deal(game: Game, num_players: int, configuration: Any) -> TextGame:
    """Return a newly dealt game."""
    env = environment_of(game)(num_players, parse_rules(configuration.rules, game))
    env.reset(configuration.seed)
    return TextGame(env)


def ended(states: list[Any], rewards: list[float], failed: dict[int, str]) -> list[Any]:
    """End the game; agents that failed get −1 and keep the framework's word for their failure."""
    for number, (state, reward) in enumerate(zip(states, rewards, strict=True)):
        state.status = failed.get(number, "DONE")
        state.reward = -1.0 if number in failed else reward
    return states


def render(game: Game, states: list[Any], env: Any) -> str:
    """Return the table as everybody sees it, in words."""
    text = env.text_game
    views = game.spectator_view(text.env.state()[None], 0)
    return table_text(game.table_words(views))


def register(game: Game) -> None:
    """Register a game with the framework."""
    kaggle_environments.register(
        game.name,
        {
            "specification": specification(game),
            "interpreter": partial(interpret, game),
            "renderer": lambda states, env: render(game, states, env),
            "html_renderer": lambda: "",
            "agents": {"first": lambda observation: (observation.legal_moves or [""])[0]},
        },
    )


for _name in GAMES:
    register(find_game(_name))
