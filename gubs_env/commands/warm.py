"""Ahead-of-time compilation, so that no worker and no first game has to wait for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gubs_env.agents.memory import Memories
from gubs_env.agents.registry import Judge, SearchAgent, build, names
from gubs_env.api.texts import TextVectorEnv
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.game import Game
from gubs_env.engine.table import Table
from gubs_env.support.cluster import in_processes


class Warmed(NamedTuple):
    """A part of a game whose machine code is on disk now."""

    game: str
    """The name of the public module, as "gubs_v0"."""
    part: str
    """"rules", or the name of an agent."""
    seconds: float
    """The time it took: to compile it, or to find it in the cache."""


def warm(game: Game) -> list[Warmed]:
    """Compile the rules of a game and all installed agents for it, where they are not cached.

    An agent that cannot be built for the usual number of players is left out.
    """
    uses = {"rules": partial(use_rules, game)}
    uses |= {name: partial(use_agent, game, name) for name in names(game)}
    return [Warmed(game.name, part, timed(use)) for part, use in uses.items()]


def warm_all(find: Callable[[str], Game], games: list[str], processes: int) -> Iterator[Warmed]:
    """Warm several games side by side, and yield their parts, a game after the other.

    Args:
        find: a module-level function that returns the game with a given name.
        games: names of the games.
        processes: number of processes.
    """
    for parts in in_processes(warm_named, find, [(name,) for name in games], processes):
        yield from parts


def warm_named(find: Callable[[str], Game], name: str) -> list[Warmed]:
    return warm(find(name))


def timed(use: Callable[[], Any]) -> float:
    start = time.perf_counter()
    use()
    return time.perf_counter() - start


def use_rules(game: Game) -> None:
    """Call every entry of the rules once."""
    env = VectorEnv(Table(game), 2, seed=0, autoreset=False)
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
