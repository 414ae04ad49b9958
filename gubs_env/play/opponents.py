"""The agents at a table, built by name or level, with a limit on their thinking time."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain
from typing import Any

from gubs_env.agents.registry import build, levels, option_names, parse_agent, registered
from gubs_env.engine.table import Table
from gubs_env.play.session import Player
from gubs_env.replays.judging import judge_at

BUDGETS = {"ms", "playouts"}
"""The options of an agent that limit how long it thinks."""


def bounded(text: str, table: Table, seconds: float) -> str:
    """Return the text of an agent, with a time limit added if it takes one and has none.

    Args:
        text: as for `make_player`, but no level.
        table: the table.
        seconds: the time limit for a decision.

    Raises:
        ValueError: as for `Named.factory`, and for a text that names no agent.
    """
    agent = parse_agent(text)
    takes_time = "ms" in (option_names(agent.factory(table.game)) or ())
    if takes_time and not BUDGETS & set(agent.options):
        agent.options["ms"] = round(1000 * seconds)
    return str(agent)


def make_player(text: str, table: Table, seconds: float) -> Player:
    """Return the agent that a text names, with a limit on its thinking.

    Args:
        text: `name`, `name:option=value` or `package.module:Class`; or a level, as "easy" (the
            first of its agents that can play at the table); or "", the strongest that can.
        table: the table.
        seconds: time limit for a decision, if the agent takes `ms` and the text sets no budget.

    Raises:
        ValueError: for a text that names no agent of the game, or a wrong option; if no agent is
            installed.
        FileNotFoundError: for an agent whose network is not shipped for this table.
    """
    known = levels()
    every = (*chain.from_iterable(known.values()), *registered())
    fault: Exception = ValueError(
        f"no agent is installed for {table.game.title}: install gubs_agents, or name a class as "
        "package.module:Class"
    )
    for each in known.get(text, (text,)) if text else every:
        try:
            name = bounded(each, table, seconds)
            return Player(name, build(name, table))
        except (ValueError, FileNotFoundError) as error:
            fault = error if text else fault
    raise fault


def make_adviser(table: Table, seconds: float) -> Player | None:
    """Return the agent that gives hints; None if no agent is installed.

    It is the network that judges the game when it is over, so that hint and replay agree. Where
    there is none it is the strongest agent.
    """
    with suppress(ValueError):
        judge: Any = judge_at(table)  # networks are agents, too
        return Player("the network", judge)
    with suppress(ValueError):
        return make_player("", table, seconds)
    return None
