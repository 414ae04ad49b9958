"""The protocols that agents follow, and the registry: from the text of an agent to the agent.

This package contains no agents. A package that does registers a factory for each of them as an
entry point of the group `gubs_env.agents`:

    [project.entry-points."gubs_env.agents"]
    mine = "my_package.agents:build_mine"

A factory is called as `factory(table, seed, **options)` with a `Table` and returns an `Agent`, a
`MemoryAgent`, a `SearchAgent` or a `TextAgent`. It may have a method `plays(game)`, which says
whether it can build an agent for a game, and an attribute `judges`, which is true if its
agents judge the decisions of people after a game (`Judge`). Its options are its parameters after
the first two, or the fields of the dataclass that is its attribute `Options`.

A class with a method `act`, `search` or `choose` can also be named as `package.module:Class`,
without being registered.

Words of somebody else, which a model, a file or a configuration brings, do not name agents like
this: they choose from a list (`allow_list`, `chosen`), and files name harmless agents only
(`is_harmless`). An agent is harmless if it asks no server, writes no file and imports no module
that its options name. Its package says so by registering it in the group
`gubs_env.harmless_agents`, in place of `gubs_env.agents`.

The levels at which people play are entry points too, of the group `gubs_env.levels`: mappings of
the names of levels to the texts of agents (`levels`).
"""

from __future__ import annotations

import inspect
import os
import pkgutil
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from hashlib import sha256
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from gubs_env.agents.parsing import names_in, parse_label, split_agents
from gubs_env.engine.game import Game
from gubs_env.engine.option_texts import options_text, parse_options
from gubs_env.engine.table import Table
from gubs_env.engine.text import printable
from gubs_env.support.checks import check_number, check_seed
from gubs_env.support.errors import blamed, described, message_of
from gubs_env.support.files import expanded
from gubs_env.support.output import warn_once
from gubs_env.support.plugins import Plugin, first_of_each, leaving_out, plugins

if TYPE_CHECKING:
    from gubs_env.agents.prompts import Prompt

GROUP, HARMLESS_GROUP = "gubs_env.agents", "gubs_env.harmless_agents"
LEVELS_GROUP = "gubs_env.levels"
METHODS = ("act", "search", "choose")
"""The methods by which agents decide; an agent has at least one of them."""


class Agent(Protocol):
    """An agent that chooses actions for a batch of decisions."""

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray | None = None
    ) -> np.ndarray:
        """Return legal actions, int64[batch].

        Args:
            observations: int8[batch, observation_size].
            masks: int8[batch, num_actions], each with at least one legal action.
            rngs: int64[batch, 4], an RNG for each decision (`engine.rng`), which the agent
                advances; `sample_actions` draws from probabilities with them. If the agent uses no
                other randomness, its choices do not depend on the rest of the batch. None means the
                agent's own RNG, which its seed determines.
        """
        ...


@runtime_checkable
class SearchAgent(Protocol):
    """An agent that chooses actions by search from the views of the acting players.

    `isinstance(agent, SearchAgent)` says whether an agent has a method `search`.
    """

    def search(self, views: np.ndarray, rngs: np.ndarray | None = None) -> np.ndarray:
        """Return legal actions, int64[batch].

        Args:
            views: STATE[batch], as `VectorEnv.views` returns them, each with a decision to make.
            rngs: as for `Agent.act`.
        """
        ...


@runtime_checkable
class MemoryAgent(Protocol):
    """An agent that remembers the game that it plays.

    What it remembers of a game is a row of numbers. Whoever plays the games keeps it, one for each
    game and seat (`Memories`), so that the agent itself never changes: copies, processes and runs
    that go on after an interruption play the same. `isinstance(agent, MemoryAgent)` says whether an
    agent has a memory.
    """

    memory_size: int
    """The length of a memory, at least 1."""
    num_events: int
    """The most events that it is shown at a decision; with 0 it sees observations only."""

    def act(
        self,
        observations: np.ndarray,
        masks: np.ndarray,
        rngs: np.ndarray | None,
        memories: np.ndarray,
        events: np.ndarray,
    ) -> np.ndarray:
        """Return legal actions, int64[batch].

        Args:
            observations: as for `Agent.act`.
            masks: as for `Agent.act`.
            rngs: as for `Agent.act`.
            memories: float32[batch, memory_size], what it remembers of each game, which it writes
                anew. All zeros when a seat makes its first decision in a game.
            events: int8[batch, num_events, event_size], what the seat saw since its last decision,
                as rows of the game's history (`event_slices`). The newest event is last; rows
                before the first hold −1. Of more than `num_events` the newest remain. Its own move
                is among them once it is complete, and so are moves without a choice, for which no
                agent is asked.
        """
        ...


@runtime_checkable
class Judge(Protocol):
    """An agent that says what it thinks of decisions, as networks do.

    `isinstance(agent, Judge)` says whether an agent has a method `judge`.
    """

    def judge(
        self, observations: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the probabilities of all actions and the expected payoffs.

        Args:
            observations: as for `Agent.act`.
            masks: as for `Agent.act`.

        Returns:
            float32[batch, num_actions], zero for illegal actions and summing to one; and
            float32[batch], the payoff expected for the player who decides, or None for an agent
            that expects nothing.
        """
        ...


@runtime_checkable
class EstimatingAgent(Protocol):
    """An agent that says what it thinks of the actions that it considered."""

    def estimate(
        self, views: np.ndarray, rngs: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the actions of `SearchAgent.search` and the worth of all actions.

        Args:
            views: as for `SearchAgent.search`.
            rngs: as for `SearchAgent.search`.

        Returns:
            The legal actions, int64[batch], and float64[batch, num_actions]: the estimated worth of
            each action to the seat that decides, the larger the better; NaN for no estimate.
        """
        ...


@runtime_checkable
class TextAgent(Protocol):
    """An agent that chooses whole moves from text.

    `isinstance(agent, TextAgent)` says whether an agent has a method `choose`. It may also have
    `text_options`, the `TextOptions` that it is asked with, and `concurrency`, the number of
    threads that may call `choose` at once; without it, one.
    """

    def choose(self, prompt: Prompt, moves: Sequence[str]) -> str:
        """Return an answer that names a move, as JSON or on its last line.

        Args:
            prompt: what the seat is told; `str(prompt)` is the whole text, `prompt.messages()` the
                same for a chat.
            moves: all legal moves in words, which a model need not be shown.
        """
        ...


AnyAgent = Agent | MemoryAgent | SearchAgent | TextAgent
"""An agent of any protocol."""
Factory = Callable[..., Any]
"""(table, seed) → an agent."""


@cache
def registered() -> dict[str, Plugin]:
    """Return the entry points of all installed agents by name, in alphabetical order."""
    listed = plugins(GROUP, HARMLESS_GROUP)
    offers = [(plugin.name, plugin.package, plugin) for plugin in listed]
    return dict(sorted(first_of_each("agent", offers).items()))


def harmless_agents() -> tuple[str, ...]:
    """Return the names of the agents that their packages declare to be harmless.

    No package is imported for it.
    """
    agents = registered().items()
    return tuple(name for name, plugin in agents if plugin.point.group == HARMLESS_GROUP)


@cache
def levels() -> dict[str, tuple[str, ...]]:
    """Return the levels of play, strongest first: the texts of agents by the name of the level.

    Of the agents of a level, the first that can play at a table plays there.
    """
    offers = []
    for plugin in plugins(LEVELS_GROUP):
        with leaving_out(f"the levels of {plugin.package} cannot be loaded"):
            for name, texts in plugin.point.load().items():
                offers.append((name, plugin.package, tuple(str(parse_agent(t)) for t in texts)))
    return first_of_each("level", offers)


def names(game: Game) -> dict[str, str]:
    """Return the names of all registered agents for a game, each with one line about it.

    Agents that cannot be loaded are left out, which is said once.
    """
    factories, faults = _factories(game)
    for fault in faults:
        warn_once(fault)
    return {
        name: printable(str(factory.__doc__ or "").split("\n")[0])
        for name, factory in factories.items()
    }


def _factories(game: Game) -> tuple[dict[str, Factory], list[str]]:
    """Return the factories of all agents for a game by name, and why others cannot be loaded."""
    factories, faults = {}, []
    for name, plugin in registered().items():
        try:
            if (factory := _loaded(plugin, game)) is not None:
                factories[name] = factory
        except ValueError as error:
            faults.append(str(error))
    return factories, faults


def _loaded(plugin: Plugin, game: Game) -> Factory | None:
    """Return a factory of a package; None if it builds no agent for a game."""
    with blamed(f"the agent {plugin} cannot be loaded"):
        factory: Factory = plugin.point.load()
        if not callable(factory):
            raise TypeError(f"{shortened(factory)} cannot be called")
        return factory if not hasattr(factory, "plays") or factory.plays(game) else None


@dataclass(frozen=True)
class Named:
    """A factory that a text names, with its options; `str` returns the text."""

    name: str
    """The name of a registered agent, or `package.module:Class`."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of that agent by name."""

    def factory(self, game: Game) -> Factory:
        """Return the factory of that name; no other agent's package is imported.

        Raises:
            ValueError: for an agent that is not registered for a game, naming the agents that are;
                for a `package.module:Class` that cannot be imported; for an option that the agent
                lacks, naming those that it has.
        """
        factory = _imported(self.name) if ":" in self.name else _registered(self.name, game)
        allowed = option_names(factory)
        if allowed is not None and (unknown := sorted(self.options.keys() - set(allowed))):
            there_are = f"its options are {', '.join(allowed)}" if allowed else "it has no options"
            raise ValueError(f"agent {self.name!r} has no option {', '.join(unknown)}: {there_are}")
        return factory

    def __call__(self, table: Table, seed: int | None = None) -> Any:
        """Build the agent for a table.

        Raises:
            TypeError, ValueError: for an unknown name or option; the message lists the known ones.
                For rules for which the agent was not made.
        """
        return self.factory(table.game)(table, check_seed(seed), **self.options)

    def __str__(self) -> str:
        return f"{self.name}:{options_text(self.options)}" if self.options else self.name

    @property
    def files(self) -> dict[str, str]:
        """The SHA-256 of each file that an option names, by the name of the option."""
        paths = {k: expanded(each) for k, each in self.options.items() if isinstance(each, str)}
        files = {name: path for name, path in paths.items() if os.path.isfile(path)}
        return {name: sha256(path.read_bytes()).hexdigest() for name, path in files.items()}

    @property
    def identity(self) -> str:
        """The text with the SHA-256 of each file that it names, so that a changed file is seen."""
        return " ".join([str(self), *(f"({k}: sha256 {v})" for k, v in self.files.items())])


def option_names(factory: Factory) -> list[str] | None:
    """Return the names of the options of a factory; None if it takes any.

    They are the fields of the dataclass `Options` of the factory, if it has one; otherwise the
    parameters of the factory after the table and the seed.
    """
    if is_dataclass(declared := getattr(factory, "Options", None)):
        return [option.name for option in fields(declared)]
    parameters = inspect.signature(factory).parameters
    takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    return None if takes_any else list(parameters)[2:]


def _registered(name: str, game: Game) -> Factory:
    plugin = registered().get(name)
    factory = _loaded(plugin, game) if plugin else None
    if factory is None:
        known = ", ".join(_factories(game)[0])
        there_are = f"there are {known}" if registered() else "none is installed"
        raise ValueError(f"no agent is called {name!r} in {game.name}: {there_are}")
    return factory


def imported(name: str, what: str, advice: str = "write package.module:Class") -> Any:
    """Return what `package.module:Class` names.

    Args:
        name: the name.
        what: what it should be, for errors.
        advice: what to write instead, for errors.

    Raises:
        ValueError: if it cannot be imported.
    """
    try:
        with blamed(f"{what} {name!r} cannot be imported"):
            return pkgutil.resolve_name(name)
    except ValueError as error:
        cause = error.__cause__
        if isinstance(cause, ImportError | AttributeError | ValueError):
            raise ValueError(f"{what} {name!r}: {message_of(cause)}; {advice}") from cause
        raise


def _imported(name: str) -> Factory:
    factory = imported(name, "agent", "write package.module:Class, or name:option=value")
    if not (isinstance(factory, type) and is_agent(factory)):
        raise ValueError(f"agent {name!r}: this is no class with a method act, search or choose")
    return factory


def parse_agent(text: str) -> Named:
    """Return the factory that a text names, unchecked (`Named.factory`).

    >>> parse_agent("ismcts:playouts=50+exploration=1")
    Named(name='ismcts', options={'playouts': 50, 'exploration': 1})
    >>> parse_agent("my_package.bots:Cautious:margin=2").name
    'my_package.bots:Cautious'

    Args:
        text: `name`, or `name:option=value+option=value` (`parse_options`). The name of a class
            holds a colon itself: `package.module:Class`.

    Raises:
        ValueError: for a text that names no agent, or a piece that is not an option.
    """
    name, colon, options = text.strip().partition(":")
    first, _, rest = options.partition(":")
    if colon and "=" not in first:
        name, options = f"{name}:{first}", rest
    if not name or name.endswith(":"):
        raise ValueError(
            f"{text!r} names no agent: write name, name:option=value, or package.module:Class"
        )
    try:
        return Named(name, parse_options(options))
    except ValueError as error:
        raise ValueError(f"agent {text!r}: {error}") from None


def factory_of(given: str | Factory) -> Factory:
    """Return a factory itself, or the one that a text names (`parse_agent`)."""
    return parse_agent(given) if isinstance(given, str) else given


# ------------------------------------------------------------------------------ building agents


def build(given: str | AnyAgent, table: Table, seed: int | None = None) -> AnyAgent:
    """Return an agent itself, or build the one that a text names (`parse_agent`) for a table.

    Raises:
        ValueError: for a text that names no agent; the message lists the agents.
        TypeError: for something that neither acts, searches nor chooses.
    """
    if isinstance(given, str):
        return parse_agent(given)(table, seed)
    if not is_agent(given):
        raise TypeError(f"{given!r} is no agent: it has neither act, search nor choose")
    return given


def build_field(field: Mapping[str, Any], table: Table, seed: int) -> list[Any]:
    """Return the agents of a field, those built for a table with a seed that are factories.

    Raises:
        ValueError: for an agent that cannot be built or cannot play at this table.
    """
    agents = []
    for label, given in field.items():
        is_built = not callable(given) or (is_agent(given) and not isinstance(given, type))
        try:
            agents.append(given if is_built else given(table, seed))
        except (ValueError, OSError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise ValueError(f"agent {label!r} cannot be built: {described(error)}") from error
        check_agent(agents[-1], label, table.num_players)
    return agents


def is_agent(given: Any) -> bool:
    """Return whether an object, or the objects of a class, can decide as an agent does."""
    return any(hasattr(given, method) for method in METHODS)


def has_memory(agent: Any) -> bool:
    """Return whether an agent is a `MemoryAgent`, or tries to be one (`check_agent`)."""
    return hasattr(agent, "memory_size")


def check_agent(agent: Any, label: str, num_players: int) -> None:
    """Raise ValueError for an agent that cannot act or is of another number of players.

    An agent that `check_memory` refuses is refused too.
    """
    if not is_agent(agent):
        raise ValueError(
            f"agent {label!r} is {agent!r}, which is no agent: it has neither act, search nor "
            "choose"
        )
    check_memory(agent, label)
    made_for = getattr(agent, "num_players", num_players)
    if isinstance(made_for, int) and made_for != num_players:
        raise ValueError(
            f"agent {label!r} is made for {made_for} players, but {num_players} sit at this table"
        )


def check_memory(agent: Any, label: str) -> None:
    """Raise ValueError for a `MemoryAgent` without sizes of what it remembers and is shown."""
    for name, least in (("memory_size", 1), ("num_events", 0)) if has_memory(agent) else ():
        try:
            check_number(name, getattr(agent, name, None), least)
        except (TypeError, ValueError) as error:
            raise ValueError(f"agent {label!r}, which has a memory: {error}") from None


# ------------------------------------------------------------------------ words of somebody else


def allow_list(agents: str = "") -> dict[str, str]:
    """Return the agents from which somebody else may choose, as texts by label, in order.

    >>> allow_list("heuristic,strong=ismcts:playouts=200")
    {'heuristic': 'heuristic', 'strong': 'ismcts:playouts=200'}

    Args:
        agents: agents with or without labels (`parsing.parse_label`), separated by commas, written
            by the person who starts the program; blank means all harmless ones, without options.

    Raises:
        ValueError: for a label that is given twice, or a text that names no agent.
    """
    allowed = dict(map(parse_label, split_agents(agents) or harmless_agents()))
    for text in allowed.values():
        parse_agent(text)
    return allowed


def chosen(labels: str, allowed: Mapping[str, str]) -> list[str]:
    """Return the texts of the agents that somebody else chooses from a list.

    Args:
        labels: labels of the list, separated by commas; nothing else of them is read.
        allowed: the list, as `allow_list` returns it.

    Raises:
        ValueError: for anything that is not a label of the list; the message lists the labels.
    """
    for name in (names := names_in(labels)):
        if name not in allowed:
            raise ValueError(
                f"the agent {shortened(name)} is not allowed here: allowed are "
                f"{', '.join(allowed)}, by name alone"
            )
    return [allowed[name] for name in names]


def is_harmless(text: str) -> bool:
    """Return whether an agent may be built because a file names it.

    It must be harmless, and each of its options a number, a switch or a word, not a path.

    Raises:
        ValueError: for a text that names no agent.
    """
    agent = parse_agent(text)
    return agent.name in harmless_agents() and all(
        isinstance(value, bool | int | float)
        or (isinstance(value, str) and re.fullmatch(r"\w+", value))
        for value in agent.options.values()
    )
