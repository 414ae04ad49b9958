"""The tree of a game: decisions, draws of chance with their probabilities, and what a seat knows.

Exact algorithms walk it: OpenSpiel's (`gubs_env.adapters.openspiel`) and the best responses of
`gubs_agents.exploit`. Nodes never change, so threads may share them. An information state holds
what a seat learns in the usual loop of agents: it looks at the table when it decides, and reads the
events of its history (`Decision.news`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from gubs_env.engine.border import check_states
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.fields import copied
from gubs_env.engine.history import NONE, Row
from gubs_env.engine.kernel import Batch
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.seats import ANY_PLAYER
from gubs_env.engine.table import Table
from gubs_env.exact.chance import NO_DRAW, Chance, Outcome

MOST_OUTCOMES = 20_000
"""The largest number of outcomes of a chance node."""
SAME_PAYOFF = 1000
"""Payoffs are shares with smaller denominators, which float32 rounds."""


class Tree:
    """The tree of the games at a table: the moves from node to node.

    Args:
        table: the table.
        explicit: whether the outcomes of chance are listed, each with its probability.

    Attributes:
        nothing: int8[observation_size], the observation of a seat that has seen nothing: zeros.

    Raises:
        ValueError: for a game whose deals cannot be listed.
    """

    def __init__(self, table: Table, explicit: bool) -> None:
        self.table, self.game, self.explicit = table, table.game, explicit
        self._blank = table.new_batch()
        self.nothing = self._blank.observations[0]
        self._chance = Chance(table)
        self.deals: tuple[Outcome, ...] = self._listed_deals() if explicit else ()
        self.outcomes = lru_cache(maxsize=MOST_OUTCOMES)(self._outcomes)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tree:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return tree_of, (self.table, self.explicit)

    def _listed_deals(self) -> tuple[Outcome, ...]:
        try:
            return tuple(self._chance.deals())
        except ValueError as error:
            raise ValueError(f"the deals of {self.game.title} cannot be listed: {error}") from None

    def root(self, seed: int | np.random.Generator = 0) -> Draw:
        """Return the node before the deal; `seed` is that of sampled chance, see `Draw`."""
        return Draw(self, None, LOOK, self.deals, seed)

    def dealt(self, seed: int) -> np.ndarray:
        """Return the state that `env.reset(seed=seed)` deals, STATE[1]."""
        states = copied(self._blank.states)
        states["rng"] = seed_rng(seed)
        self.game.kernel.deal(states, 0, ANY_PLAYER)
        return states

    def _outcomes(self, state: bytes, action: int) -> tuple[Outcome, ...]:
        """Return the states after an action after which chance decides, with probabilities.

        Args:
            state: STATE[1] as bytes, the state before it.
            action: the action.
        """
        states = np.frombuffer(state, self._blank.states.dtype)
        return tuple(self._chance.after(states, action))

    def advanced(self, states: np.ndarray, action: int) -> Batch:
        """Return what follows a legal action, or LOOK, in arrays that nothing else uses."""
        batch = Batch(copied(states), *(array.copy() for array in self._blank[1:]))
        self.game.kernel.advance(*batch, np.array([action]), 1, False, False)
        return batch

    def observe(self, states: np.ndarray, seat: int) -> np.ndarray:
        """Return what a seat sees of a state, int8[observation_size]."""
        observation = self.nothing.copy()
        self.game.kernel.observe(states, 0, seat, observation)
        return observation


@lru_cache(maxsize=16)
def tree_of(table: Table, explicit: bool) -> Tree:
    """Return the tree of the games at a table, the same one each time."""
    return Tree(table, explicit)


class News(NamedTuple):
    """The events and entries that a seat has learned since its last decision."""

    pieces: tuple[str, ...]
    """Its action, the events it saw and, if it decides now, the changes in its observation."""
    events: tuple[Row, ...]
    """These events, each int8[event_size]."""


class Node:
    """A node of the tree: a `Decision` or a `Draw`. It never changes.

    A pickle of a node holds how its tree begins and what happened since, which is played again.

    Attributes:
        tree: the tree.
        parent: the node before this one; None where a tree begins.
        number: the action, or the number of the outcome of chance, that led here from the parent.
    """

    __slots__ = ("number", "parent", "tree")

    def __init__(self, tree: Tree, parent: Decision | Draw | None, number: int) -> None:
        self.tree, self.parent, self.number = tree, parent, number

    def __deepcopy__(self, memo: dict[int, Any]) -> Node:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        node, numbers = self, []
        while node.parent is not None:
            numbers.append(node.number)
            node = node.parent
        return _followed, (*node.beginning(), numbers[::-1])

    def beginning(self) -> tuple[Callable[..., Node], tuple[Any, ...]]:
        """Return a function and its arguments that make this node, with which a tree begins."""
        raise NotImplementedError

    def after(self, number: int) -> Decision | Draw:
        """Return the node to which an action or an outcome of chance leads.

        Raises:
            ValueError: for an action that is not legal, or an outcome that there is not.
        """
        raise NotImplementedError


def _followed(make: Callable[..., Node], arguments: tuple[Any, ...], numbers: list[int]) -> Node:
    node = make(*arguments)
    for number in numbers:
        node = node.after(number)
    return node


class Decision(Node):
    """A node in which a seat decides, or the end of a game.

    Args:
        tree: the tree.
        parent: the node before this one; None for a state that was drawn at random (`resampled`).
        number: the action or the number of the outcome that led here.
        batch: the arrays of the state, as `advance` leaves them.

    Attributes:
        before: the decision before this one; None for the first.
        action: the action that was played there.
        states: STATE[1], the state.
        seat: the seat to decide; −1 at the end of a game.
        legal: the legal actions.
        returns: the payoff of each seat; zeros before the end.
    """

    __slots__ = ("_news", "action", "before", "legal", "returns", "seat", "states")

    def __init__(
        self, tree: Tree, parent: Decision | Draw | None, number: int, batch: Batch
    ) -> None:
        super().__init__(tree, parent, number)
        self.before: Decision | None = parent.parent if isinstance(parent, Draw) else parent
        self.action = parent.number if isinstance(parent, Draw) else number
        self.states = batch.states
        self.seat = int(batch.actors[0])
        self.legal: list[int] = batch.masks[0].nonzero()[0].tolist()
        self.returns = [0.0] * tree.table.num_players
        if self.seat < 0:
            # A draw may end the game before `advance` sees it.
            paid = batch.rewards[0] if batch.dones[0] else tree.game.payoffs(self.states[0])
            self.returns = list(map(_share, paid.tolist()))
        self._news: dict[int, News] = {}

    def beginning(self) -> tuple[Callable[..., Node], tuple[Any, ...]]:
        """Return a function and its arguments that make this node, a state drawn at random."""
        return _resumed, (self.tree, self.states, self.news(self.seat))

    def after(self, number: int) -> Decision | Draw:
        """Return the node after an action; raise ValueError if it is not legal."""
        tree = self.tree
        if number not in self.legal:
            raise ValueError(f"action {number} is not legal{self._legal_names()}")
        batch = tree.advanced(self.states, number)
        if tree.explicit and tuple(batch.states["rng"][0].tolist()) != NO_DRAW:
            return Draw(tree, self, number, tree.outcomes(self.states.tobytes(), number))
        return Decision(tree, self, number, batch)

    def _legal_names(self) -> str:
        if self.seat < 0:
            return ": the game is over"
        table = self.tree.table
        names = ", ".join(f"{each} {table.action_name(each)}" for each in self.legal)
        return f" for player_{self.seat}; legal are: {names}"

    def back(self) -> Iterator[Decision]:
        """Yield this decision and all before it, the first one last."""
        node: Decision | None = self
        while node is not None:
            yield node
            node = node.before

    def information(self, seat: int) -> str:
        """Return the information state of a seat as a text: all its news since the deal."""
        return f"seat {seat}:" + "".join(self.known(seat).pieces)

    def known(self, seat: int) -> News:
        """Return all news of a seat since the deal."""
        news = [node.news(seat) for node in self.back()][::-1]
        return News(
            tuple(piece for each in news for piece in each.pieces),
            tuple(event for each in news for event in each.events),
        )

    def news(self, seat: int) -> News:
        """Return what a seat has learned since the decision before this one.

        A seat looks at the table when it decides, and sees the events of its history. While another
        seat decides, it sees events only. So it does not see a window in which it is not asked,
        which would tell that somebody holds an answer, and all its news one after another do not
        tell how many decisions of others they are from.
        """
        if seat not in self._news:
            self._news[seat] = self._learned(seat)
        return self._news[seat]

    def _learned(self, seat: int) -> News:
        tree, before = self.tree, self.before
        pieces: list[str] = []
        events: list[Row] = []
        if before is not None:
            if before.seat == seat:
                pieces.append(f" > {tree.table.action_name(self.action)}")
            history = tree.game.history
            events = history.events(before.states[0], self.action, self.states[0], seat)
            pieces += map(_event_text, events)
        if self.seat == seat:
            last = tree.nothing if before is None else before.last_observation(seat)
            pieces.append(_changes(last, self.last_observation(seat)))
        return News(tuple(pieces), tuple(events))

    def last_observation(self, seat: int) -> np.ndarray:
        """Return what a seat saw at its last decision, int8[observation_size].

        Before its first decision these are zeros.
        """
        for node in self.back():
            if node.seat == seat:
                return self.tree.observe(node.states, seat)
        return self.tree.nothing

    def recent_events(self, seat: int, most: int) -> list[Row]:
        """Return the last events that a seat saw, at most so many, the newest last."""
        events: list[Row] = []
        for node in self.back():
            events += reversed(node.news(seat).events)
            if len(events) >= most:
                break
        return events[:most][::-1]

    def resampled(self, rng: np.ndarray) -> Decision:
        """Return a decision that looks the same to its seat, with all that is hidden drawn anew.

        The information states of the other seats begin with it.

        Args:
            rng: int64[4], an RNG; advanced.
        """
        states = copied(self.states)
        self.tree.game.kernel.hide(states, 0, self.seat)
        self.tree.game.kernel.determinize(states, 0, rng)
        # No seat sees the number of decisions, but it can cut a game off.
        states["decisions"] = self.states["decisions"]
        if self.tree.explicit:
            states["rng"] = NO_DRAW
        return _resumed(self.tree, states, self.known(self.seat))


def _resumed(tree: Tree, states: np.ndarray, known: News) -> Decision:
    states = check_states((tree.table,), states)
    node = Decision(tree, None, LOOK, tree.advanced(states, LOOK))
    node._news[node.seat] = known
    return node


@lru_cache(maxsize=1000)
def _share(payoff: float) -> float:
    """Return the share that float32 has rounded to a payoff."""
    return float(Fraction(payoff).limit_denominator(SAME_PAYOFF))


def _event_text(event: Row) -> str:
    columns = event.tolist()
    while columns[-1] == NONE:
        columns.pop()
    return " (" + ",".join(map(str, columns)) + ")"


def _changes(before: np.ndarray, after: np.ndarray) -> str:
    entries = enumerate(zip(before.tolist(), after.tolist(), strict=True))
    return "".join(f" {place}={new}" for place, (old, new) in entries if old != new)


class Draw(Node):
    """A node in which chance decides: the deal, or what an action leads to.

    Args:
        tree: the tree.
        parent: the decision before it; None for the deal.
        number: the action that was played there.
        outcomes: the states that follow; none for a deal that is sampled.
        seed: the seed of such a deal, or a generator that the first who asks draws it from: nodes
            of games that nobody plays take no seed.

    Raises:
        ValueError: for more than `MOST_OUTCOMES` outcomes.
    """

    __slots__ = ("_seed", "_seeds", "outcomes")
    parent: Decision | None

    def __init__(
        self,
        tree: Tree,
        parent: Decision | None,
        number: int,
        outcomes: tuple[Outcome, ...],
        seed: int | np.random.Generator = 0,
    ) -> None:
        super().__init__(tree, parent, number)
        self.outcomes = outcomes
        self._seeds = seed
        self._seed: dict[str, int] = {}
        if len(outcomes) > MOST_OUTCOMES:
            raise ValueError(f"{len(outcomes)} outcomes of chance: the most are {MOST_OUTCOMES}")

    def beginning(self) -> tuple[Callable[..., Node], tuple[Any, ...]]:
        """Return a function and its arguments that make this node, the deal."""
        return self.tree.root, (self.seed,)

    @property
    def seed(self) -> int:
        """The seed of the deal."""
        if isinstance(self._seeds, int):
            return self._seeds
        if not self._seed:  # two threads agree on the one that `setdefault` keeps
            self._seed.setdefault("seed", int(self._seeds.integers(1 << 32)))
        return self._seed["seed"]

    def probabilities(self) -> list[tuple[int, float]]:
        """Return the number and the probability of each outcome."""
        if not self.outcomes:
            return [(0, 1.0)]
        return [(number, float(each.probability)) for number, each in enumerate(self.outcomes)]

    def after(self, number: int) -> Decision:
        """Return the node of an outcome; raise ValueError for a number that none has."""
        most = max(len(self.outcomes), 1) - 1
        if not 0 <= number <= most:
            raise ValueError(f"outcome {number} of chance: allowed are 0 to {most}")
        tree = self.tree
        states = self.outcomes[number].states if self.outcomes else tree.dealt(self.seed)
        return Decision(tree, self, number, tree.advanced(states, LOOK))
