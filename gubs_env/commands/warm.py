"""Ahead-of-time compilation, so that no worker and no first game has to wait for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from timeit import timeit

import numpy as np

from gubs_env.agents.memory import Memories
from gubs_env.agents.registry import Judge, SearchAgent, build, names
from gubs_env.api.texts import TextVectorEnv
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.game import Game
from gubs_env.engine.table import Table


def warm(find: Callable[[str], Game], name: str) -> list[tuple[str, float]]:
    """Compile the rules of a game and all installed agents for it, where they are not cached.

    An agent that cannot be built for the usual number of players is left out.

    Args:
        find: a function of a module, which returns the game with a given name.
        name: the name of the game.

    Returns:
        Each part, "rules" or the name of an agent, whose machine code is on disk now; and the
        seconds that it took to compile it, or to find it in the cache.
    """
    game = find(name)
    uses = {"rules": partial(use_rules, game)}
    uses |= {agent: partial(use_agent, game, agent) for agent in names(game)}
    return [(part, timeit(use, number=1)) for part, use in uses.items()]


def use_rules(game: Game) -> None:
    """Call every entry of the rules once."""
    env = VectorEnv(Table(game), 2, seed=0, autoreset=False, history=1)
    env.step(env.masks.argmax(1))
    env.observe(0, 0)
    env.legal_moves(0)
    env.determinize(env.views(np.arange(1)), seed=0)


def use_agent(game: Game, name: str) -> None:
    """Ask an agent for one decision with a choice, and what it thinks of it, if it says so.

    A searching agent gets a short budget.
    """
    table = Table(game)
    try:
        agent = build(name, table)
    except ValueError:  # for example from `policy`, if no network is shipped for this table
        return
    env = TextVectorEnv(table, 1, seed=0)
    if isinstance(agent, SearchAgent):
        agent = build(f"{name}:playouts=2", table)
    while env.masks.sum() == 1:
        env.step(env.masks.argmax(1))
    memories = Memories(1, env.num_players, [agent])
    env.keep_history(memories.num_events)
    env.ask(agent, np.arange(1), np.ones((1, 4), np.int64), memories)
    if isinstance(agent, Judge):  # pages of replays show what it thinks
        agent.judge(env.observations, env.masks)
