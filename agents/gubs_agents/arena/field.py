"""The field of a tournament: agents by name, or factories of agents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from gubs_env.agents.parsing import parse_label
from gubs_env.agents.registry import Factory, Named, factory_of
from gubs_env.engine.game import Game
from gubs_env.support.fields import check_name

AnyField = str | Iterable[str] | Mapping[str, str | Factory]
"""Agents of a tournament, as `entrants_of` reads them."""


def by_label(texts: Iterable[str]) -> dict[str, str]:
    """Return agents by their labels, in order; copies of an agent are told apart by a number.

    >>> by_label(["heuristic", "heuristic", "mine=greedy"])
    {'heuristic': 'heuristic', 'heuristic#2': 'heuristic', 'mine': 'greedy'}

    Args:
        texts: agents, each with or without a label (`parse_label`).

    Raises:
        ValueError: for a label that is given twice.
    """
    agents: dict[str, str] = {}
    copies: Counter[str] = Counter()
    for label, agent in map(parse_label, texts):
        if label == agent:
            copies[agent] += 1
            label += f"#{copies[agent]}" if copies[agent] > 1 else ""
        if label in agents:
            raise ValueError(
                f"two agents are labelled {label!r}: write label=agent for one of them"
            )
        agents[label] = agent
    return agents


def entrants_of(agents: AnyField, game: Game) -> dict[str, Factory]:
    """Return the agents of a tournament by label, in the order in which they are given.

    Args:
        agents: texts for `parse_agent`, in one string with commas or one by one, which are then
            the labels (`by_label`), unless they begin with one (`label=agent`); or a mapping of
            labels to such texts or to factories.
        game: the game that they play.

    Raises:
        TypeError: for a list that does not hold texts.
        ValueError: for fewer than two agents, a label that is given twice, or an unknown agent.
    """
    if not isinstance(agents, Mapping):
        texts = agents.split(",") if isinstance(agents, str) else list(agents)
        if not all(isinstance(text, str) for text in texts):
            raise TypeError(f"agents={texts!r}: give texts, or a mapping of labels to factories")
        agents = by_label(text.strip() for text in texts if text.strip())
    if len(agents) < 2:
        raise ValueError(f"a tournament needs at least 2 agents, not {len(agents)}")
    for label in agents:
        check_name("the name of an agent", label)
    field = {label: factory_of(entrant) for label, entrant in agents.items()}
    for factory in field.values():
        if isinstance(factory, Named):
            factory.factory(game)
    return field


def description(factory: Factory) -> str:
    """Return how the results file names a factory."""
    if isinstance(factory, Named):
        return factory.identity
    qualified = getattr(factory, "__qualname__", type(factory).__qualname__)
    return f"{getattr(factory, '__module__', '')}.{qualified}"


def is_timed(factory: Factory) -> bool:
    """Return whether the agent's budget is in wall-clock time: its games cannot be repeated."""
    return isinstance(factory, Named) and "ms" in factory.options
