"""The outcomes of chance in a decision with their probabilities, for exact algorithms.

Compiled rules draw from the RNG in the row. Here the same rules run as plain Python, with the
functions that draw, `random_below`, `random_choice` and `shuffle`, replaced by a script: every
sequence of draws is played once. Outcomes that lead to equal states are joined.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import CellType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from gubs_env.engine.compiling import Entry
from gubs_env.engine.rng import WORD, random_below, random_choice, shuffle
from gubs_env.engine.seats import ANY_PLAYER
from gubs_env.engine.table import Table

MOST_SEQUENCES = 10_000
"""The largest number of sequences of draws that are played for one decision, or for the deal."""
HOPELESS = MOST_SEQUENCES**2
"""A number of sequences, reckoned from the first, with which nobody needs to begin."""
NO_DRAW = (1, 2, 3, 4)
"""The RNG of every row here: the rules have drawn from it exactly if it changes."""


class Outcome(NamedTuple):
    """A state to which chance may lead."""

    states: np.ndarray
    """STATE[1]: the state, its RNG set to `NO_DRAW`."""
    probability: Fraction


class Chance:
    """The rules of one game as plain Python, with a script in place of the RNG.

    Args:
        table: the table.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        game, self._script = table.game, Script()
        drawing = drawing_from(self._script)
        self._set_up = rewritten(game.mechanics.set_up, drawing)
        self._step = rewritten(game.mechanics.step, drawing)

    def deals(self) -> list[Outcome]:
        """Return all deals, each with its probability; these sum to 1.

        Raises:
            ValueError: for more than `MOST_SEQUENCES` sequences of draws, unless the game lists its
                deals itself (`ChanceEvents.all_deals`).
        """
        game = self.table.game
        listed = game.chance_events().all_deals if game.chance else None
        if listed is None:
            blank = self.table.new_states(1)
            return self._outcomes(blank, lambda state: self._set_up(state, ANY_PLAYER))
        deals = []
        for state, probability in listed(self.table):
            states = np.array([state])
            states["rng"] = NO_DRAW
            deals.append(Outcome(states, probability))
        return deals

    def after(self, states: np.ndarray, action: int) -> list[Outcome]:
        """Return the states after a legal action, each with its probability; these sum to 1.

        Args:
            states: STATE[1], a game before a decision.
            action: a legal action.

        Raises:
            ValueError: for more than `MOST_SEQUENCES` sequences of draws.
        """
        mask = np.zeros(self.table.num_actions, np.int8)
        return self._outcomes(states, lambda state: self._step(state, action, mask))

    def _outcomes(self, states: np.ndarray, played: Callable[[Any], None]) -> list[Outcome]:
        """Return the states to which every sequence of draws leads, joined where they are equal."""
        outcomes: dict[bytes, Outcome] = {}
        self._script.begin()
        for _ in range(MOST_SEQUENCES):
            after = states.copy()
            after["rng"] = NO_DRAW
            with np.errstate(over="ignore"):
                played(after[0])
            probability = self._script.probability()
            if same := outcomes.get(key := after.tobytes()):
                probability += same.probability
            outcomes[key] = Outcome(after, probability)
            if self._script.sequences > HOPELESS:
                break
            if not self._script.advance():
                return [outcomes[key] for key in sorted(outcomes)]
        raise ValueError(
            f"chance has more than {MOST_SEQUENCES:,} sequences of draws here: take a smaller table"
        )


class Script(threading.local):
    """Draws that are played in every possible way, one sequence after another.

    Each thread has a sequence of its own, so that threads may share what draws from the script.

    Attributes:
        made: (index of the branch, weights of all branches) of each draw of this sequence.
        sequences: how many sequences there are, if all have the draws of this one.
    """

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Begin with the first sequence."""
        self._planned: list[int] = []
        self.made: list[tuple[int, list[int]]] = []
        self.sequences = 1

    def advance(self) -> bool:
        """Plan the next sequence; return whether there is one."""
        while self.made and self.made[-1][0] == len(self.made[-1][1]) - 1:
            self.made.pop()
        self._planned = [branch for branch, _ in self.made]
        self.made, self.sequences = [], 1
        if self._planned:
            self._planned[-1] += 1
        return bool(self._planned)

    def probability(self) -> Fraction:
        """Return the probability of this sequence."""
        taken = math.prod(weights[branch] for branch, weights in self.made)
        return Fraction(taken, math.prod(sum(weights) for _, weights in self.made))

    def draw(self, weights: list[int]) -> int:
        """Return the planned branch of a draw with these weights, each at least 1."""
        number = len(self.made)
        branch = self._planned[number] if number < len(self._planned) else 0
        self.made.append((branch, weights))
        return branch

    def below(self, rng: Any, bound: int) -> int:
        """Stand in for `rng.random_below`."""
        self.sequences *= int(bound)
        return self.draw([1] * int(bound))

    def choice(self, rng: Any, weights: np.ndarray) -> int:
        """Stand in for `rng.random_choice`."""
        if min(weights) < 0 or not 1 <= sum(weights) <= WORD:
            raise ValueError(f"random_choice: the weights are {list(map(int, weights))}")
        there = np.flatnonzero(weights)
        self.sequences *= len(there)
        return int(there[self.draw([int(weight) for weight in weights[there]])])

    def shuffle(self, rng: Any, cards: np.ndarray, count: int) -> None:
        """Stand in for `rng.shuffle`: every order of equal cards is played once."""
        kinds, left = np.unique(cards[:count], return_counts=True)
        repeated = math.prod(map(math.factorial, left.tolist()))
        self.sequences *= math.factorial(int(count)) // repeated
        for place in range(count):
            there = np.flatnonzero(left)
            kind = there[self.draw(left[there].tolist())]
            cards[place] = kinds[kind]
            left[kind] -= 1


def drawing_from(script: Script) -> dict[Callable[..., Any], Callable[..., Any]]:
    """Return the replacements, for `rewritten`, of the functions that draw from an RNG."""
    return {random_below: script.below, random_choice: script.choice, shuffle: script.shuffle}


def rewritten(
    function: Any, replacements: Mapping[Callable[..., Any], Callable[..., Any]]
) -> Callable[..., Any]:
    """Return a compiled function as plain Python, with others in place of some that it calls.

    Args:
        function: a compiled function.
        replacements: what to call instead of a Python function, wherever it is called.
    """
    made: dict[Any, Any] = dict(replacements)

    def twin(value: Any, names: tuple[str, ...]) -> Any:
        """Return what a name means in the rewritten code that reads these names."""
        if isinstance(value, ModuleType) and value.__name__.startswith("gubs_env."):
            read = [name for name in names if hasattr(value, name)]
            return SimpleNamespace(**{name: twin(getattr(value, name), names) for name in read})
        if isinstance(value, Entry):
            value = value.function
        if not isinstance(value, FunctionType):
            return value
        if value not in made:
            code, enclosed = value.__code__, value.__closure__ or ()
            cells, known = tuple(CellType() for _ in enclosed), dict(value.__globals__)
            made[value] = FunctionType(code, known, None, value.__defaults__, cells)
            names = code.co_names
            for name in set(names) & set(known):
                known[name] = twin(known[name], names)
            for cell, original in zip(cells, enclosed, strict=True):
                cell.cell_contents = twin(original.cell_contents, names)
        return made[value]

    return twin(function, ())
