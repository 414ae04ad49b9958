"""The tree of a game: decisions, draws of chance with their probabilities, and what a seat knows.

Exact algorithms walk it: OpenSpiel's (`gubs_env.openspiel`) and the best responses of
`gubs_agents.exploit`.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from gubs_env import find_game
from gubs_env.api.chance import NO_DRAW, Chance, Outcome
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.game import Game
from gubs_env.engine.history import NONE
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.seats import ANY_PLAYER

MOST_OUTCOMES = 20_000
"""The largest number of outcomes of a chance node."""
SAME_PAYOFF = 1000
"""Payoffs are shares with smaller denominators, which float32 rounds."""


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
        self.num_actions = game.num_actions(num_players)
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
        return f"seat {seat}:" + "".join(node.news(seat) for node in self.path())

    def news(self, seat: int) -> str:
        """Return what a seat has seen and done since the decision before this one, as a text.

        It is the seat's action, the events it saw, and what changed in its observation. All news
        from the first decision on are the seat's information state.
        """
        if seat not in self.pieces:
            self.pieces[seat] = self._news(seat)
        return self.pieces[seat]

    def _news(self, seat: int) -> str:
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
