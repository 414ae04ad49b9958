"""The games for OpenSpiel; needs the extra `openspiel`. Importing this module registers them.

game = pyspiel.load_game("gubs_env_gubs(players=3)")
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from gubs_env import GAMES, find_game
from gubs_env.api.chance import NO_DRAW, Chance, Outcome
from gubs_env.api.checks import require_extra
from gubs_env.api.parsing import parse_value
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.game import Game
from gubs_env.engine.history import NONE
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.seats import ANY_PLAYER

require_extra("openspiel", "pyspiel")

import pyspiel  # noqa: E402

PREFIX = "gubs_env_"
PLAYERS = {"gubs_v0": (2, 6), "fubnub_v0": (1, 4), "bad_bad_turtle_v0": (2, 8)}
"""The smallest and the largest number of players."""
CHANCE = ("sampled", "explicit")
MOST_OUTCOMES = 20_000
"""The largest number of outcomes of a chance node."""
SAME_PAYOFF = 1000
"""Payoffs are shares with smaller denominators, which float32 rounds."""


# ------------------------------------------------------------------------------------- the tables


class Table:
    """One game with its number of players and rules: the moves from one node of a tree to the next.

    Args:
        game: the game.
        num_players: number of players.
        rules: the rules.
        explicit: whether the outcomes of chance are listed, each with its probability.

    Raises:
        ValueError: for numbers of players that the rules do not allow, or a game whose deals cannot
            be listed.
    """

    def __init__(self, game: Game, num_players: int, rules: Any, explicit: bool) -> None:
        game.check_players(num_players, rules)
        self.game, self.num_players, self.rules, self.explicit = game, num_players, rules, explicit
        self._undealt = game.new_states(1, num_players, rules)
        self._batch = game.new_batch(self._undealt.copy())
        self.deals: tuple[Outcome, ...] = self._listed_deals() if explicit else ()
        self._chance = Chance(game)
        self._after = lru_cache(maxsize=MOST_OUTCOMES)(self._outcomes)

    def __deepcopy__(self, memo: dict[int, Any]) -> Table:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        rules = json.dumps(self.rules.as_dict())
        return table_of, (self.game.name, self.num_players, rules, self.explicit)

    def _listed_deals(self) -> tuple[Outcome, ...]:
        listed = getattr(import_module(f"gubs_env.{self.game.name}"), "all_deals", None)
        if listed is None:
            raise ValueError(f"chance='explicit': the deals of {self.game.title} cannot be listed")
        deals = []
        for state, probability in listed(self.num_players, self.rules):
            states = np.array([state])
            states["rng"] = NO_DRAW
            deals.append(Outcome(states, probability))
        return tuple(deals)

    def root(self, seed: int) -> Draw:
        """Return the node before the deal; `seed` is that of sampled chance."""
        return Draw(self, None, LOOK, self.deals, seed)

    def dealt(self, seed: int) -> Decision:
        """Return the first decision of the game that `env.reset(seed=seed)` deals."""
        states = self._undealt.copy()
        states["rng"] = seed_rng(seed)
        self.game.kernel.deal(states, 0, ANY_PLAYER)
        return self.decision(states)

    def played(self, before: Decision, action: int) -> Decision | Draw:
        """Return the node after a legal action."""
        batch = self._advanced(before.states, action)
        if self.explicit and tuple(batch.states["rng"][0].tolist()) != NO_DRAW:
            return Draw(self, before, action, self._after(before.states.tobytes(), action))
        return Decision(self, before, action, batch)

    def _outcomes(self, state: bytes, action: int) -> tuple[Outcome, ...]:
        return tuple(self._chance.after(np.frombuffer(state, self._undealt.dtype), action))

    def decision(
        self, states: np.ndarray, before: Decision | None = None, action: int = LOOK
    ) -> Decision:
        """Return the node of a state, to which an action led."""
        return Decision(self, before, action, self._advanced(states, LOOK))

    def _advanced(self, states: np.ndarray, action: int) -> Any:
        self._batch.states[:] = states
        self.game.kernel.advance(*self._batch, np.array([action]), 1, False, False)
        return self._batch

    def observe(self, states: np.ndarray, seat: int) -> np.ndarray:
        """Return what a seat sees of a state, int8[observation_size]."""
        observation = np.zeros_like(self._batch.observations[0])
        self.game.kernel.observe(states, 0, seat, observation)
        return observation


@lru_cache(maxsize=16)
def table_of(name: str, num_players: int, rules: str, explicit: bool) -> Table:
    """Return the table of a game, with the options of its rules as JSON."""
    game = find_game(name)
    return Table(game, num_players, game.make_rules(json.loads(rules)), explicit)


# -------------------------------------------------------------------------------------- the nodes


class Decision:
    """A node of the tree: a state in which a seat decides, or the end of a game. It never changes.

    Args:
        table: the table.
        before: the decision before this one; None for the first.
        action: the action that was played there.
        batch: the arrays of the state, as `advance` leaves them; copied.
    """

    __slots__ = ("action", "before", "legal", "pieces", "returns", "seat", "states", "table")

    def __init__(self, table: Table, before: Decision | None, action: int, batch: Any) -> None:
        self.table, self.before, self.action = table, before, action
        self.states = batch.states.copy()
        self.seat = int(batch.actors[0])
        self.legal: list[int] = np.flatnonzero(batch.masks[0]).tolist()
        self.returns = [0.0] * table.num_players
        if self.seat < 0:
            payoffs = table.game.payoffs(self.states[0]).tolist()
            self.returns = [float(Fraction(x).limit_denominator(SAME_PAYOFF)) for x in payoffs]
        self.pieces: dict[int, str] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> Decision:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        nodes = self.path()
        states = np.concatenate([node.states for node in nodes])
        return _replayed, (self.table, states, [node.action for node in nodes])

    def path(self) -> list[Decision]:
        """Return the decisions from the first one up to this one."""
        nodes: list[Decision] = []
        node: Decision | None = self
        while node is not None:
            nodes.append(node)
            node = node.before
        return nodes[::-1]

    def told(self, seat: int) -> str:
        """Return everything that a seat has seen and done so far, as a text."""
        return f"seat {seat}:" + "".join(node._piece(seat) for node in self.path())

    def _piece(self, seat: int) -> str:
        if seat not in self.pieces:
            self.pieces[seat] = self._news(seat)
        return self.pieces[seat]

    def _news(self, seat: int) -> str:
        """Return the seat's action, the events it saw, and what changed in its observation."""
        table, before = self.table, self.before
        seen = table.observe(self.states, seat)
        if before is None:
            return _changes(np.zeros_like(seen), seen)
        text = ""
        if before.seat == seat:
            text += f" > {table.game.action_name(self.action, table.num_players)}"
        history = table.game.recorded_history()
        for row in history.events(before.states[0], self.action, self.states[0], seat):
            told = row[: np.flatnonzero(row != NONE)[-1] + 1].tolist()
            text += " (" + ",".join(map(str, told)) + ")"
        return text + _changes(table.observe(before.states, seat), seen)


def _changes(before: np.ndarray, after: np.ndarray) -> str:
    places = np.flatnonzero(before != after).tolist()
    return "".join(f" {place}={after[place]}" for place in places)


def _replayed(table: Table, states: np.ndarray, actions: list[int]) -> Decision:
    node = None
    for index, action in enumerate(actions):
        node = table.decision(states[index : index + 1], node, action)
    assert node is not None
    return node


class Draw:
    """A node of the tree in which chance decides: the deal, or what an action leads to.

    Args:
        table: the table.
        before: the decision before it; None for the deal.
        action: the action that was played there.
        outcomes: the states that follow; none for a deal that is sampled.
        seed: the seed of such a deal.
    """

    def __init__(
        self,
        table: Table,
        before: Decision | None,
        action: int,
        outcomes: tuple[Outcome, ...],
        seed: int = 0,
    ) -> None:
        self.table, self.before, self.action = table, before, action
        self.outcomes, self.seed = outcomes, seed
        if len(outcomes) > MOST_OUTCOMES:
            raise ValueError(f"{len(outcomes)} outcomes of chance: the most are {MOST_OUTCOMES}")

    def __deepcopy__(self, memo: dict[int, Any]) -> Draw:
        return self

    def probabilities(self) -> list[tuple[int, float]]:
        """Return the number and the probability of each outcome."""
        if not self.outcomes:
            return [(0, 1.0)]
        return [(number, float(each.probability)) for number, each in enumerate(self.outcomes)]

    def drawn(self, number: int) -> Decision:
        """Return the node of an outcome."""
        if not self.outcomes:
            return self.table.dealt(self.seed)
        return self.table.decision(self.outcomes[number].states, self.before, self.action)


# --------------------------------------------------------------------------- OpenSpiel's classes


class SpielGame(pyspiel.Game):
    """A game of ours as a game of OpenSpiel; `register` makes a subclass for each.

    Args:
        params: `players`, `chance`, `rng_seed` and the options of the rules, as OpenSpiel parsed
            them; those left out have their defaults.

    Raises:
        ValueError: for values that are not allowed.
    """

    game: ClassVar[Game]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        game = self.game
        given = _specification(game) | dict(params or {})
        num_players, chance = given["players"], given["chance"]
        if chance not in CHANCE:
            raise ValueError(f"chance={chance!r}: allowed are {', '.join(CHANCE)}")
        rules = _rules(game, given)
        options = json.dumps(rules.as_dict())
        self.table = table_of(game.name, num_players, options, chance == "explicit")
        seed = given["rng_seed"]
        self._seeds = np.random.default_rng(None if seed < 0 else seed)
        is_zero_sum = game.is_zero_sum(num_players, rules)
        most = float(rules.composition().sum()) if _pays_margins(rules) else 1.0
        info = pyspiel.GameInfo(
            num_distinct_actions=game.num_actions(num_players),
            max_chance_outcomes=MOST_OUTCOMES if self.table.explicit else 1,
            num_players=num_players,
            min_utility=-most,
            max_utility=most,
            max_game_length=game.max_decisions(num_players, rules),
            **({"utility_sum": 0.0} if is_zero_sum else {}),
        )
        super().__init__(_game_type(game, self.table.explicit, is_zero_sum), info, params or {})

    def new_initial_state(self) -> SpielState:
        """Return the node before the deal."""
        return SpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return a bound on the number of chance nodes: the deal, and one after each action."""
        return 1 + self.max_game_length() * self.table.explicit

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer | None:
        """Return an observer of one seat; None for other observers, as of public information."""
        wanted = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        one_seat = pyspiel.PrivateInfoType.SINGLE_PLAYER
        if not wanted.public_info or wanted.private_info != one_seat:
            return None
        return Observer(self.table, wanted.perfect_recall)


class SpielState(pyspiel.State):
    """A node of the tree of a game."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.node: Decision | Draw = game.table.root(int(game._seeds.integers(1 << 32)))

    def current_player(self) -> int:
        """Return the seat to decide, or OpenSpiel's number for chance or the end."""
        if isinstance(self.node, Draw):
            return pyspiel.PlayerId.CHANCE
        return pyspiel.PlayerId.TERMINAL if self.node.seat < 0 else self.node.seat

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return isinstance(self.node, Decision) and self.node.seat < 0

    def _legal_actions(self, player: int) -> list[int]:
        return self.node.legal  # type: ignore[union-attr]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the number and the probability of each outcome of chance."""
        return self.node.probabilities()  # type: ignore[union-attr]

    def _apply_action(self, action: int) -> None:
        node = self.node
        if isinstance(node, Draw):
            self.node = node.drawn(action)
        else:
            self.node = node.table.played(node, action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"outcome {action}"
        table = self.node.table
        return table.game.action_name(action, table.num_players)

    def returns(self) -> list[float]:
        """Return the payoffs of a game that is over, else zeros."""
        node = self.node
        return node.returns if isinstance(node, Decision) else [0.0] * node.table.num_players

    def __str__(self) -> str:
        """Return the table as the seat to decide sees it, in words."""
        return _words(self.node, max(self.current_player(), 0))


class Observer:
    """The observation of a seat, or all that it has seen, by OpenSpiel's protocol.

    Args:
        table: the table.
        perfect_recall: whether to tell all that the seat has seen and done so far. That has no
            tensor, because its length has no useful bound.

    Attributes:
        tensor: float32[observation_size], the observation; None with perfect recall.
        dict: the tensor by its name.
    """

    def __init__(self, table: Table, perfect_recall: bool) -> None:
        size = table.game.observation_size(table.num_players)
        self.tensor = None if perfect_recall else np.zeros(size, np.float32)
        self.dict = {} if self.tensor is None else {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write the observation of a seat; zeros before the deal."""
        if self.tensor is None:
            return
        node = _decided(state.node)
        self.tensor[:] = 0 if node is None else node.table.observe(node.states, player)

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the view of a seat in words, or with perfect recall all that it has seen."""
        node = _decided(state.node)
        if self.tensor is not None or node is None:
            return _words(state.node, player)
        return node.told(player)


def _decided(node: Decision | Draw) -> Decision | None:
    """Return the last decision; None before the deal."""
    return node.before if isinstance(node, Draw) else node


def _words(node: Decision | Draw, seat: int) -> str:
    decision, game = _decided(node), node.table.game
    text = f"chance decides, {len(node.probabilities())} outcomes" if isinstance(node, Draw) else ""
    if decision is None:
        return text
    return f"{game.describe(game.view(decision.states, 0, seat))}\n{text}"


# ----------------------------------------------------------------------------------- registration


def _specification(game: Game) -> dict[str, Any]:
    """Return OpenSpiel's parameters of a game, each with its default."""
    return {"players": game.players, "chance": "sampled", "rng_seed": -1} | {
        option.name: _plain(option.default) for option in fields(game.rules)
    }


def _plain(default: Any) -> Any:
    return default if isinstance(default, bool | int | str) else ""


def _rules(game: Game, given: Mapping[str, Any]) -> Any:
    """Return the rules; a list or a deck is a text with "+" in place of ",", as "Gub:4+Lure:2"."""
    options = {}
    for option in fields(game.rules):
        value = given[option.name]
        if value != _plain(option.default):
            is_text = isinstance(option.default, bool | int | str)
            options[option.name] = value if is_text else parse_value(value.replace("+", ","))
    return game.make_rules(options)


def _pays_margins(rules: Any) -> bool:
    return getattr(rules, "reward", "win") == "margin"


def _game_type(game: Game, explicit: bool, is_zero_sum: bool) -> pyspiel.GameType:
    kind = pyspiel.GameType
    least, most = PLAYERS[game.name]
    chance, utility = kind.ChanceMode, kind.Utility
    return kind(
        short_name=PREFIX + game.name.removesuffix("_v0"),
        long_name=game.title,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=chance.EXPLICIT_STOCHASTIC if explicit else chance.SAMPLED_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=utility.ZERO_SUM if is_zero_sum else utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=most,
        min_num_players=least,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_specification(game),
    )


def register(game: Game) -> None:
    """Register a game with OpenSpiel."""
    is_zero_sum = game.is_zero_sum(game.players, game.rules())
    # A class, which OpenSpiel may keep until after the end of Python; another object it may not.
    kind = type(f"Spiel{game.name}", (SpielGame,), {"game": game})
    pyspiel.register_game(_game_type(game, False, is_zero_sum), kind)


for _name in GAMES:
    register(find_game(_name))
