"""The searching agents, which play out random games that fit the view of their seat.

All candidate actions are played out in the same determinizations with the same random numbers
(common random numbers), so that their values differ by the action alone. The playout policy's
action is kept unless another action gains more than chance explains, because actions differ little
and luck differs a lot. Candidates that are clearly worse drop out (Maron and Moore, "Hoeffding
races", 1994).
docs/search.md explains the steps with an example; `playouts` holds what is compiled.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from gubs_agents.common.decisions import check_rngs, form_of
from gubs_agents.networks.network import load, shipped
from gubs_agents.networks.perceptron import NO_PERCEPTRON, Perceptron, make_perceptron
from gubs_agents.scripted.by_game import symmetry_of
from gubs_agents.search.beliefs import Beliefs
from gubs_agents.search.beliefs import load as load_beliefs
from gubs_agents.search.beliefs import shipped as shipped_beliefs
from gubs_agents.search.nodes import NONE, add_node
from gubs_agents.search.options import SearchOptions
from gubs_agents.search.playouts import (
    NETWORK,
    Candidates,
    Reader,
    Settings,
    functions_of,
    make_scratch,
)
from gubs_env.engine.border import check_views
from gubs_env.engine.compiling import BESIDE, compiling_mode, is_interpreted
from gubs_env.engine.rng import spawn_rngs
from gubs_env.engine.table import Table

PLAYOUTS = 1000  # for a decision, if no budget is given
SWEEP = 8  # determinizations between two checks of the clock and the race
HURRY = 0.5  # seconds for a decision with a budget in playouts while it may not wait for code
TINY = 1e-12


class Race:
    """The search of one decision on one thread."""

    def __init__(self, search: Search, view: np.ndarray, rng: np.ndarray) -> None:
        self.view, self.settings, self.rng = view, search.settings, rng
        beliefs = np.zeros((0, 0))
        if search.beliefs is not None:
            beliefs = search.beliefs.weights(search.table, view)
        self.scratch = make_scratch(search.table, view.dtype, search.tree, search.network, beliefs)
        scratch = self.scratch
        reader = Reader(scratch.masks[0], scratch.observation, scratch.network)
        functions = functions_of(search.table.game)
        self.sweep = functions["sweep"]
        first = functions["look"](view, reader, search.reference, rng)
        actions = reader.mask.nonzero()[0]
        self.candidates = Candidates(
            actions,
            reference=int(np.flatnonzero(actions == first)[0]),
            active=np.ones(len(actions), np.bool_),
            sums=np.zeros((len(actions), 8)),
        )
        if search.tree:
            for action in actions:
                add_node(scratch.tree, scratch.size, NONE, 0, action)

    @property
    def playouts(self) -> int:
        """The number of playouts so far, exploring ones included."""
        return int(self.candidates.sums[:, [0, 4]].sum())

    def run(self, playouts: float = math.inf, deadline: float = math.inf) -> Race:
        """Play until one candidate is left or the budget is spent, and return the race.

        Args:
            playouts: number of playouts after which to stop.
            deadline: time of `time.perf_counter` at which to stop.
        """
        active = self.candidates.active
        while active.sum() > 1 and self.playouts < playouts and time.perf_counter() < deadline:
            count = 1 if deadline < math.inf and is_interpreted(self.sweep) else SWEEP
            self.sweep(self.view, self.candidates, self.scratch, self.settings, self.rng, count)
            self._drop_the_beaten()
        return self

    def _drop_the_beaten(self) -> None:
        """Drop candidates whose gain is below the best, by two standard errors on either side."""
        active = self.candidates.active
        gain, error = gains(self.candidates.sums, self.settings)
        best = np.max((gain - 2 * error)[active])
        active &= gain + 2 * error >= max(best, 0.0)
        active[self.candidates.reference] = True


def gains(sums: np.ndarray, settings: Settings) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean gain of each candidate over the reference and its standard error.

    What the far horizon changes is added in so far as it is no noise: by its weight in Bayes' rule,
    in which the errors of the estimates at both horizons are the prior. To correct many cheap
    estimates by few that are dear is due to Giles, "Multilevel Monte Carlo path simulation" (2008).

    Args:
        sums: float64[k, 8], as in `Candidates`.
        settings: the options of the search.

    Returns:
        Two arrays float64[k]. The error does not include the one that playouts do not reduce.
    """
    mean, variance = moments(sums[:, 0], sums[:, 2], sums[:, 3])
    change, noise = moments(sums[:, 5], sums[:, 6], sums[:, 7])
    prior = settings.bias**2 - settings.far_bias**2
    weight = np.where(sums[:, 5] > 0, prior / np.maximum(prior + noise, TINY), 0)
    return mean + weight * change, np.sqrt(variance + weight * noise)


def moments(
    count: np.ndarray, total: np.ndarray, squares: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean of numbers and the square of its standard error, from their sums."""
    count = np.maximum(count, 2)
    mean = total / count
    return mean, np.maximum(squares / count - mean**2, 0) / (count - 1)


class Search:
    """The base of the searching agents.

    Args:
        table: the table.
        seed: seed of the agent's RNG, used when `search` gets no RNGs.
        options: those of `SearchOptions`, by name.

    Raises:
        ValueError: as for `SearchOptions` and its `settings`; or if no network, or no beliefs, are
            shipped for this table.
        FileNotFoundError, WeightsError: as for `load` of networks and of beliefs.
    """

    Options = SearchOptions
    tree = False

    def __init__(self, table: Table, seed: int | None = None, **options: Any) -> None:
        functions_of(table.game)  # raises for a game that lacks a mechanic
        self.table, self.num_players = table, table.num_players
        self.options = SearchOptions(**options)
        self._network = NO_PERCEPTRON
        self.beliefs: Beliefs | None = None
        if (weights := self.options.weights) is not None:
            layers = load(shipped(table) if weights == "shipped" else weights, table)
            self._network = make_perceptron(layers, symmetry_of(table.game), form_of(table))
        if (beliefs := self.options.beliefs) is not None:
            path = shipped_beliefs(table) if beliefs == "shipped" else beliefs
            self.beliefs = load_beliefs(path, table)
        self.settings = self.options.settings(table, self.network.has_value)
        self.reference = self.settings.policy if weights is None else NETWORK
        self.rng = np.random.default_rng(seed)

    def __copy__(self) -> Search:
        return copy.deepcopy(self)

    @property
    def network(self) -> Perceptron:
        """The network, which was checked for this table; NO_PERCEPTRON without one."""
        return self._network

    def search(self, views: np.ndarray, rngs: np.ndarray | None = None) -> np.ndarray:
        """Return an action for each view, int64[batch]; see `SearchAgent.search`.

        Args:
            views: STATE[batch].
            rngs: int64[batch, 4], one RNG for each view, advanced; None uses the agent's own.

        Raises:
            ValueError: for views of another game or number of players, or that nobody can have;
                for RNGs of another shape or type.
        """
        return np.array([self._best(races) for races in self._searched(views, rngs)], np.int64)

    def estimate(
        self, views: np.ndarray, rngs: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the actions of `search` and the worth of all actions.

        The worth of the playout policy's action is the mean over its playouts: the payoff, and
        `margin` for each point of lead; or, with a horizon, the estimate there. Another action's is
        that and the mean difference in the playouts that both have, because those of an action that
        dropped out early were luckier or unluckier than others. See `EstimatingAgent.estimate`.
        """
        searched = list(self._searched(views, rngs))
        actions = np.array([self._best(races) for races in searched], np.int64)
        worths = np.full((len(actions), self.table.num_actions), np.nan)
        for row, races in enumerate(searched):
            sums = np.sum([race.candidates.sums for race in races], axis=0)
            candidates, count = races[0].candidates, np.maximum(sums[:, 0], 1)
            reference = sums[candidates.reference, 1] / count[candidates.reference]
            worth = np.where(sums[:, 0] > 0, reference + sums[:, 2] / count, np.nan)
            worths[row, candidates.actions] = worth / self.settings.unit
        return actions, worths

    def _searched(self, views: np.ndarray, rngs: np.ndarray | None) -> Iterator[list[Race]]:
        """Yield the races of each view, run to the end."""
        views = check_views(self.table, views)
        if rngs is None:
            rngs = spawn_rngs(self.rng, len(views))
        check_rngs(rngs, len(views))
        for index in range(len(views)):
            yield self._run_races(views[index : index + 1], rngs[index])

    def _run_races(self, view: np.ndarray, rng: np.ndarray) -> list[Race]:
        ms, threads = self.options.ms, self.options.threads
        playouts = math.inf if ms else math.ceil((self.options.playouts or PLAYOUTS) / threads)
        deadline = time.perf_counter() + ms / 1000 if ms else math.inf
        sweep = functions_of(self.table.game)["sweep"]
        is_slow = compiling_mode() == BESIDE and is_interpreted(sweep)
        if is_slow and not ms:
            deadline = time.perf_counter() + HURRY
        seeds = np.random.default_rng(rng.tolist())
        rng[:] = spawn_rngs(seeds, 1)[0]
        races = [Race(self, view, words) for words in spawn_rngs(seeds, threads)]
        if threads == 1:
            races[0].run(playouts, deadline)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(lambda race: race.run(playouts, deadline), races))
        return races

    def _best(self, races: list[Race]) -> int:
        runs = [race.candidates for race in races]
        sums = np.sum([run.sums for run in runs], axis=0)
        gain, error = gains(sums, self.settings)
        gain[~np.any([run.active for run in runs], axis=0)] = -np.inf
        best = int(np.argmax(gain))
        bias = self.settings.far_bias if sums[best, 5] else self.settings.bias
        is_rash = sums[best, 0] < SWEEP  # a few playouts that happen to agree have no error
        if is_rash or gain[best] <= self.settings.caution * (error[best] ** 2 + bias**2):
            best = runs[0].reference
        return int(runs[0].actions[best])


class MonteCarlo(Search):
    """Flat Monte Carlo search: plays out all actions in the same random games, takes the best."""


class ISMCTS(Search):
    """Information-set Monte Carlo tree search: Monte Carlo search with a tree for each action."""

    tree = True
