"""The protocols that agents follow, and the registry that finds agents by name.

This package contains no agents. A package that does registers a builder for each of them as an
entry point of the group `gubs_env.agents`:

    [project.entry-points."gubs_env.agents"]
    mine = "my_package.agents:build_mine"

A builder is called as `build(num_players, seed, **options)` and returns an `Agent`, a `SearchAgent`
or a `TextAgent`. If it has a parameter `game`, it also receives the `Game`, and with a parameter
`rules` the rules of the table. It may have a method `plays(game)`, which says whether it can build
an agent for a game.

A class with a method `act`, `search` or `choose` can also be named as `package.module:Class`,
without being registered.

Words of somebody else, which a model, a file or a configuration brings, do not name agents like
this: they choose from a list (`allow_list`, `chosen`), and files name harmless agents only
(`is_harmless`).
"""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from gubs_env.agents.parsing import parse_agent, parse_label, split_agents
from gubs_env.agents.text_game import TextAgent, TextGame, answers
from gubs_env.engine.game import Game
from gubs_env.language.answers import shortened
from gubs_env.support.checks import check_seed
from gubs_env.support.errors import described, message_of

GROUP = "gubs_env.agents"
SHARED_OPTIONS = ("num_players", "seed", "game", "rules")
METHODS = ("act", "search", "choose")
"""The methods by which agents decide; an agent has at least one of them."""
HARMLESS = ("random", "greedy", "heuristic", "montecarlo", "ismcts", "policy")
"""The agents that ask no server, write no file and import no module that their options name."""
Builder = Callable[..., Any]


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
                advances. If the agent uses no other randomness, its choices do not depend on the
                rest of the batch. None means the agent's own RNG, which its seed determines.
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
    """An agent that says what it thinks of the actions that it considered, as for hints."""

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


AnyAgent = Agent | SearchAgent | TextAgent
"""An agent of any protocol."""


@cache
def registered() -> dict[str, EntryPoint]:
    """Return the entry points of all installed agents by name, in alphabetical order."""
    found = {point.name: point for point in entry_points(group=GROUP)}
    return dict(sorted(found.items()))


def plays(build: Builder, game: Game) -> bool:
    """Return whether a builder can build its agent for a game."""
    return not hasattr(build, "plays") or build.plays(game)


def names(game: Game) -> dict[str, str]:
    """Return the names of all registered agents for a game, each with one line about it."""
    loaded = {name: point.load() for name, point in registered().items()}
    return {
        name: (build.__doc__ or "").split("\n")[0]
        for name, build in loaded.items()
        if plays(build, game)
    }


def builder_of(name: str, game: Game) -> Builder:
    """Return the builder of an agent; no other agent's package is imported.

    Raises:
        ValueError: for an agent that is not registered for a game, naming the agents that are; or
            for a `package.module:Class` that cannot be imported.
    """
    if ":" in name:
        return _imported(name)
    point = registered().get(name)
    build = point.load() if point else None
    if build is None or not plays(build, game):
        there_are = (
            f"there are {', '.join(sorted(names(game)))}" if registered() else "none is installed"
        )
        raise ValueError(f"no agent is called {name!r} in {game.name}: {there_are}")
    return build


def _imported(name: str) -> Builder:
    try:
        build = pkgutil.resolve_name(name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"agent {name!r}: {message_of(error)}; write package.module:Class, or name:option=value"
        ) from error
    except Exception as error:
        raise ValueError(f"agent {name!r} cannot be imported: {described(error)}") from error
    if not (isinstance(build, type) and is_agent(build)):
        raise ValueError(f"agent {name!r}: this is no class with a method act, search or choose")
    return build


def check_options(name: str, options: Iterable[str], game: Game) -> None:
    """Raise ValueError for an agent that `builder_of` does not find, or an option it lacks."""
    parameters = inspect.signature(builder_of(name, game)).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    allowed = [parameter for parameter in parameters if parameter not in SHARED_OPTIONS]
    if unknown := sorted(set(options) - set(allowed)):
        there_are = f"its options are {', '.join(allowed)}" if allowed else "it has no options"
        raise ValueError(f"agent {name!r} has no option {', '.join(unknown)}: {there_are}")


def make(
    name: str,
    game: Game,
    num_players: int | None = None,
    seed: int | None = None,
    rules: Any = None,
    **options: Any,
) -> AnyAgent:
    """Build an agent.

    Args:
        name: one of `names(game)`, or `package.module:Class`.
        game: the game that it plays.
        num_players: number of players at the table; None: the usual number of the game.
        seed: seed of the RNG that it uses when it is given no RNGs.
        rules: the rules of the table, as for `Game.make_rules`; None: the default rules. They are
            checked, and passed to a builder with a parameter `rules`.
        options: options of that agent.

    Raises:
        TypeError, ValueError: for an unknown name or option; the message lists the known ones. For
            rules that are not allowed, or for which the agent was not made.
    """
    check_options(name, options, game)
    return call_builder(builder_of(name, game), game, num_players, seed, rules, **options)


def call_builder(
    build: Builder,
    game: Game,
    num_players: int | None,
    seed: int | None,
    rules: Any,
    **options: Any,
) -> Any:
    """Return what a builder builds for a table.

    Args:
        build: called as `build(num_players, seed, **options)`; it also receives the `Game` if it
            has a parameter `game`, and the rules if it has a parameter `rules`.
        game, num_players, seed, rules, options: as for `make`.
    """
    seed = check_seed(seed)
    shared = {"game": game, "rules": game.make_rules(rules)}
    parameters = inspect.signature(build).parameters
    options |= {name: value for name, value in shared.items() if name in parameters}
    return build(game.players if num_players is None else num_players, seed, **options)


@dataclass(frozen=True)
class Named:
    """A builder of an agent that is named, with its options."""

    name: str
    """One of `names(game)`, or `package.module:Class`."""
    options: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Named:
        """Return the builder that a text names (`parsing.parse_agent`), unchecked."""
        name, options = parse_agent(text)
        return cls(name, tuple(options.items()))

    def __call__(self, num_players: int, seed: int | None, game: Game, rules: Any) -> AnyAgent:
        return make(self.name, game, num_players, seed, rules, **dict(self.options))


def check_answer(answer: np.ndarray, masks: np.ndarray, label: str) -> None:
    """Raise ValueError unless an agent's answer is one legal action for each mask.

    Args:
        answer: what the agent returned, as an array.
        masks: int8[batch, num_actions], the masks that it was given.
        label: the name of the agent, for the error.
    """
    if answer.shape != (len(masks),) or answer.dtype.kind not in "iu":
        raise ValueError(
            f"agent {label!r} answered {len(masks)} decisions with {answer.dtype} of shape "
            f"{answer.shape}; it must return integers of shape ({len(masks)},), an action for each"
        )
    legal = are_legal(answer, masks)
    if not legal.all():
        row = int(np.flatnonzero(~legal)[0])
        raise ValueError(
            f"agent {label!r} chose action {answer[row]}, which is not legal; the legal actions "
            f"are {masks[row].nonzero()[0].tolist()}"
        )


def are_legal(actions: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return whether each action, int[count], is legal in its mask, int8[count, num_actions]."""
    inside = (actions >= 0) & (actions < masks.shape[1])
    return inside & (masks[np.arange(len(masks)), np.where(inside, actions, 0)] != 0)


def is_agent(given: Any) -> bool:
    """Return whether an object, or the objects of a class, can decide as an agent does."""
    return any(hasattr(given, method) for method in METHODS)


def ask(
    agent: AnyAgent,
    views: Callable[[], np.ndarray],
    observations: np.ndarray,
    masks: np.ndarray,
    rngs: np.ndarray,
    games: Callable[[], Sequence[TextGame]],
) -> np.ndarray:
    """Return the answer of an agent as an array, unchecked (`check_answer`).

    Args:
        agent: the agent.
        views: returns the views, STATE[batch]; it is called for an agent that searches.
        observations, masks, rngs: as for `Agent.act`.
        games: returns the games, one for each decision; it is called for an agent that answers in
            text.
    """
    # isinstance would inspect the protocols at every call, which takes longer than small networks
    if hasattr(agent, "search"):
        answer = agent.search(views(), rngs)
    elif hasattr(agent, "choose"):
        answer = answers(cast(TextAgent, agent), games(), rngs)
    else:
        answer = agent.act(observations, masks, rngs)
    try:
        return np.asarray(answer)
    except ValueError:  # lists of different lengths
        return np.asarray(None)


def build(
    given: str | AnyAgent,
    game: Game,
    num_players: int,
    rules: Any = None,
    seed: int | None = None,
) -> AnyAgent:
    """Return an agent itself, or build the one that a text names (`parsing.parse_agent`).

    Raises:
        ValueError: for a text that names no agent; the message lists the agents.
        TypeError: for something that neither acts, searches nor chooses.
    """
    if isinstance(given, str):
        name, options = parse_agent(given)
        return make(name, game, num_players, seed, rules, **options)
    if not is_agent(given):
        raise TypeError(f"{given!r} is no agent: it has neither act, search nor choose")
    return given


# ------------------------------------------------------------------------ words of somebody else


def allow_list(agents: str = "") -> dict[str, str]:
    """Return the agents from which somebody else may choose, as texts by label, in order.

    >>> allow_list("heuristic,strong=ismcts:playouts=200")
    {'heuristic': 'heuristic', 'strong': 'ismcts:playouts=200'}

    Args:
        agents: agents with or without labels (`parsing.parse_label`), separated by commas, written
            by the person who starts the program; blank means those of HARMLESS, without options.

    Raises:
        ValueError: for a label that is given twice, or a text that names no agent.
    """
    allowed = dict(map(parse_label, split_agents(agents) or HARMLESS))
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
    names = [name.strip() for name in labels.split(",") if name.strip()]
    for name in names:
        if name not in allowed:
            raise ValueError(
                f"the agent {shortened(name)} is not allowed here: allowed are "
                f"{', '.join(allowed)}, by name alone"
            )
    return [allowed[name] for name in names]


def is_harmless(text: str) -> bool:
    """Return whether an agent may be built because a file names it.

    It must be one of HARMLESS, and each of its options a number, a switch or a word, not a path.

    Raises:
        ValueError: for a text that names no agent.
    """
    name, options = parse_agent(text)
    return name in HARMLESS and all(
        isinstance(value, bool | int | float)
        or (isinstance(value, str) and re.fullmatch(r"\w+", value))
        for value in options.values()
    )
