"""The agents at a table, built by name, with a limit on their thinking time."""

from __future__ import annotations

from gubs_env.agents.registry import build, option_names, parse_agent, registered
from gubs_env.engine.table import Table
from gubs_env.play.naming import LEVELS
from gubs_env.play.session import Player

STRONGEST = ("ismcts:weights=shipped", "ismcts", "policy", "montecarlo", "heuristic", "greedy")
"""Agents, strongest first; some may not be installed, or may not play a given table."""
BUDGETS = {"ms", "playouts"}
"""The options of an agent that limit how long it thinks."""


def bounded(text: str, table: Table, seconds: float) -> str:
    """Return the text of an agent, with a time limit added if it takes one and has none.

    Args:
        text: as for `make_player`.
        table: the table.
        seconds: the time limit for a decision.

    Raises:
        ValueError: as for `Named.factory`, and for a text that names no agent.
    """
    agent = parse_agent(text)
    options = option_names(agent.factory(table.game)) or ()
    if "ms" in options and not BUDGETS & set(agent.options):
        agent.options["ms"] = round(1000 * seconds)
    return str(agent)


def strongest(table: Table, seconds: float) -> Player:
    """Return the strongest installed agent for a table, with a limit on its thinking.

    Raises:
        ValueError: if none is installed.
    """
    for text in (*STRONGEST, *registered()):
        try:
            return make_player(text, table, seconds)
        except (ValueError, FileNotFoundError):
            continue  # not installed, or no network is shipped for this table
    raise ValueError(
        f"no agent is installed for {table.game.title}: install gubs_agents, or name a class as "
        "package.module:Class"
    )


def make_player(text: str, table: Table, seconds: float) -> Player:
    """Return the agent that a text names, with a limit on its thinking.

    Args:
        text: `name`, `name:option=value` or `package.module:Class`, or a level, as "easy".
        table: the table.
        seconds: time limit for a decision, if the agent takes `ms` and the text sets no budget.

    Raises:
        ValueError: for a text that names no agent of the game, or a wrong option.
    """
    text = LEVELS.get(text, text)
    if not text:
        return strongest(table, seconds)
    name = bounded(text, table, seconds)
    return Player(name, build(name, table))
