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

import numpy as np

from gubs_agents.common.decisions import check_rngs, form_of
from gubs_agents.networks.network import load, shipped
from gubs_agents.networks.perceptron import (
    NO_PERCEPTRON,
    Perceptron,
    check_perceptron,
    make_perceptron,
)
from gubs_agents.scripted.by_game import heuristic_action_of, playout_horizon, symmetry_of
from gubs_agents.search.beliefs import Beliefs
from gubs_agents.search.beliefs import load as load_beliefs
from gubs_agents.search.beliefs import shipped as shipped_beliefs
from gubs_agents.search.nodes import NONE, add_node
from gubs_agents.search.playouts import (
    HEURISTIC,
    NETWORK,
    RANDOM,
    TO_THE_END,
    Candidates,
    Settings,
    functions_of,
    make_scratch,
)
from gubs_env._compiler.compilation import BESIDE, compiling_mode, is_interpreted
from gubs_env.engine.border import check_views
from gubs_env.engine.game import Game
from gubs_env.engine.rng import spawn_rngs
from gubs_env.engine.table import Table

POLICIES = {"random": RANDOM, "heuristic": HEURISTIC, "network": NETWORK}
LARGEST_BUDGET = {"playouts": 1e15, "ms": 1e15, "threads": 1024}
LARGEST_OPTION = 1_000_000
"""Largest value of an option: larger ones would overflow in sums of worths."""
SWEEP = 8  # determinizations between two checks of the clock and the race
HURRY = 0.5  # seconds for a decision with a budget in playouts while it may not wait for code
TINY = 1e-12
FAR_BIAS = 2 / 3  # standard deviation of the error at the far horizon, in that at the horizon


class Race:
    """The search of one decision on one thread."""

    def __init__(self, search: Search, view: np.ndarray, rng: np.ndarray) -> None:
        self.view, self.settings, self.rng = view, search.settings, rng
        beliefs = np.zeros((0, 0))
        if search.beliefs is not None:
            beliefs = search.beliefs.weights(search.table, view)
        self.scratch = make_scratch(search.table, view.dtype, search.tree, search.network, beliefs)
        mask, observation = self.scratch.masks[0], self.scratch.observation
        look, self.sweep = functions_of(search.table.game)
        first = look(view, mask, observation, self.scratch.network, search.reference, rng)
        actions = mask.nonzero()[0]
        self.candidates = Candidates(
            actions,
            reference=int(np.flatnonzero(actions == first)[0]),
            active=np.ones(len(actions), np.bool_),
            sums=np.zeros((len(actions), 8)),
        )
        if search.tree:
            for action in actions:
                add_node(self.scratch.tree, self.scratch.size, NONE, 0, action)

    @property
    def playouts(self) -> int:
        """The number of playouts so far, exploring ones included."""
        return int(self.candidates.sums[:, [0, 4]].sum())

    def run(self, playouts: int | None, deadline: float | None) -> Race:
        """Play until one candidate is left or the budget is spent, and return the race.

        Args:
            playouts: number of playouts after which to stop; None means no limit.
            deadline: time of `time.perf_counter` at which to stop; None means no limit.
        """
        while self.candidates.active.sum() > 1:
            if playouts is not None and self.playouts >= playouts:
                break
            if deadline is not None and time.perf_counter() >= deadline:
                break
            count = 1 if deadline is not None and is_interpreted(self.sweep) else SWEEP
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
        playouts: number of playouts for a decision; by default 1000. Give `playouts` or `ms`.
        ms: milliseconds for a decision. Such a decision cannot be repeated exactly.
        policy: playout policy, "heuristic", "random" or "network"; by default the network if it has
            a value, else the heuristic, or "random" in a game without one.
        opponents: playout policy of the other sides, as `policy`; by default the same.
        weights: a network, "shipped" or FILE.safetensors. Its action is the one that others
            must beat. Its value, if it has one, estimates the payoff at the horizon.
        beliefs: beliefs about hidden hands, "shipped" or FILE.safetensors
            (`training/beliefs.py`); by default all hands that fit are equally likely.
        horizon: number of own turns, in FUBNUB of hands, to play before the network's value, or
            without one the lead, estimates the payoff; 0 plays to the end. By default 2 with a
            value, else the game's own default.
        far_horizon: number of own turns, or of hands, after which the payoff is estimated once
            more, when the policy's action has 256 playouts; 0 for none. By default 5 with a value
            and the default horizon, else 0.
        threads: number of parallel races; their results are added up (root parallelism).
        caution: an action replaces the policy's action if its gain is above `caution` times the
            squared standard error. This is Bayes' rule for a normal prior over gains with mean −m
            and standard deviation s, where `caution` is m / s².
        bias: standard deviation of the error of the estimate at the horizon, which further
            playouts do not reduce; added to the standard error. By default 0.03 with a horizon,
            else 0. At the far horizon it is two thirds of that.
        exploration: weight of the confidence bound in the tree, in payoffs.
        widening: a node of the tree has at most 1 + widening × √visits children.
        margin: worth of each point of lead, added to the payoff. By default 0.25, or 0 if a
            network's value estimates the payoff, because the value does not include leads.

    Raises:
        ValueError: for both `playouts` and `ms`; for a budget not above 0 and up to 10¹⁵, or
            `threads` up to 1024; for another number that is not 0 to 1,000,000; for a policy that
            the game does not have; for the policy "network" without weights; or if no network, or
            no beliefs, are shipped for this table.
        FileNotFoundError, WeightsError: as for `load` of networks and of beliefs.
    """

    tree = False

    def __init__(
        self,
        table: Table,
        seed: int | None = None,
        playouts: int | None = None,
        ms: float | None = None,
        policy: str | None = None,
        opponents: str | None = None,
        weights: str | None = None,
        beliefs: str | None = None,
        horizon: int | None = None,
        far_horizon: int | None = None,
        threads: int = 1,
        caution: float = 12.0,
        bias: float | None = None,
        exploration: float = 0.7,
        widening: float = 0.5,
        margin: float | None = None,
    ) -> None:
        check_budget(playouts=playouts, ms=ms, threads=threads)
        check_numbers(
            horizon=horizon, far_horizon=far_horizon, caution=caution, bias=bias,
            exploration=exploration, widening=widening, margin=margin,
        )  # fmt: skip
        functions_of(table.game)  # raises for a game that lacks a mechanic
        check_policies(table.game, weights, policy=policy, opponents=opponents)
        self.table, self.num_players = table, table.num_players
        self.threads = math.ceil(threads)
        self.playouts = 1000 if playouts is None and ms is None else playouts
        self.ms = ms
        self.network = NO_PERCEPTRON if weights is None else self._load(weights)
        self.beliefs = None if beliefs is None else self._load_beliefs(beliefs)
        self.settings = settings_of(
            table.game, self.network.has_value, policy=policy, opponents=opponents,
            horizon=horizon, far_horizon=far_horizon, margin=margin, bias=bias, caution=caution,
            exploration=exploration, widening=widening,
        )  # fmt: skip
        self.reference = self.settings.policy if weights is None else NETWORK
        self.rng = np.random.default_rng(seed)

    def __copy__(self) -> Search:
        return copy.deepcopy(self)

    def _load(self, weights: str) -> Perceptron:
        table = self.table
        network = load(shipped(table) if weights == "shipped" else weights, table)
        return make_perceptron(network, symmetry_of(table.game), form_of(table))

    def _load_beliefs(self, beliefs: str) -> Beliefs:
        path = shipped_beliefs(self.table) if beliefs == "shipped" else beliefs
        return load_beliefs(path, self.table)

    @property
    def network(self) -> Perceptron:
        """The network, or NO_PERCEPTRON; one that does not fit the table raises WeightsError."""
        return self._network

    @network.setter
    def network(self, network: Perceptron) -> None:
        symmetry = symmetry_of(self.table.game)
        ways = 1 if symmetry is None else len(symmetry.places)
        check_perceptron(network, form_of(self.table), ways)
        self._network = network

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

        The worth of an action is the mean over its playouts: the payoff, and `margin` for each
        point of lead; or, with a horizon, the estimate there. See `EstimatingAgent.estimate`.
        """
        searched = list(self._searched(views, rngs))
        actions = np.array([self._best(races) for races in searched], np.int64)
        worths = np.full((len(actions), self.table.num_actions), np.nan)
        for row, races in enumerate(searched):
            sums = np.sum([race.candidates.sums for race in races], axis=0)
            worth = np.where(sums[:, 0] > 0, sums[:, 1] / np.maximum(sums[:, 0], 1), np.nan)
            worths[row, races[0].candidates.actions] = worth
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
        deadline = None if self.ms is None else time.perf_counter() + self.ms / 1000
        is_slow = compiling_mode() == BESIDE and is_interpreted(functions_of(self.table.game).sweep)
        if is_slow and deadline is None:
            deadline = time.perf_counter() + HURRY
        playouts = None if self.playouts is None else -(-self.playouts // self.threads)
        seeds = np.random.default_rng(rng.tolist())
        rng[:] = spawn_rngs(seeds, 1)[0]
        races = [Race(self, view, words) for words in spawn_rngs(seeds, self.threads)]
        if self.threads == 1:
            races[0].run(playouts, deadline)
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(lambda race: race.run(playouts, deadline), races))
        return races

    def _best(self, races: list[Race]) -> int:
        runs = [race.candidates for race in races]
        sums = np.sum([run.sums for run in runs], axis=0)
        gain, error = gains(sums, self.settings)
        gain[~np.any([run.active for run in runs], axis=0)] = -np.inf
        best = int(np.argmax(gain))
        bias = self.settings.far_bias if sums[best, 5] else self.settings.bias
        if gain[best] <= self.settings.caution * (error[best] ** 2 + bias**2):
            best = runs[0].reference
        return int(runs[0].actions[best])


def check_budget(**budget: float | None) -> None:
    """Raise ValueError for both `playouts` and `ms`, or a number that is not allowed."""
    playouts, ms = budget["playouts"], budget["ms"]
    if playouts is not None and ms is not None:
        raise ValueError(
            f"playouts={playouts}, ms={ms}: give a budget in playouts or in ms, not in both"
        )
    for name, value in budget.items():
        most = LARGEST_BUDGET[name]
        if value is not None and not 0 < value <= most:
            raise ValueError(f"{name}={value}: must be above 0, and at most {most:,.0f}")


def check_numbers(**options: float | None) -> None:
    """Raise ValueError for an option that is not 0 to LARGEST_OPTION; None is the default."""
    for name, value in options.items():
        if value is not None and not 0 <= value <= LARGEST_OPTION:
            raise ValueError(f"{name}={value}: allowed are 0 to {LARGEST_OPTION:,}")


def settings_of(
    game: Game,
    has_value: bool,
    *,
    policy: str | None,
    opponents: str | None,
    horizon: float | None,
    far_horizon: float | None,
    margin: float | None,
    bias: float | None,
    caution: float,
    exploration: float,
    widening: float,
) -> Settings:
    """Return the settings of a search: its options, with the defaults in place of None.

    Args:
        game: the game.
        has_value: whether the search has a network with a value.
        policy, …, widening: as for `Search`.
    """
    if policy is None:
        scripted = "random" if heuristic_action_of(game) is None else "heuristic"
        policy = "network" if has_value else scripted
    if far_horizon is None:
        far_horizon = 5 if has_value and horizon is None else 0
    if horizon is None:
        horizon = 2 if has_value else playout_horizon(game)
    if bias is None:
        bias = 0.0 if horizon == TO_THE_END else 0.03
    if far_horizon and not 0 < horizon < far_horizon:
        raise ValueError(
            f"far_horizon={far_horizon}: must be 0, or above a horizon that is not 0; "
            f"horizon={horizon}"
        )
    if margin is None:
        margin = 0.0 if has_value and horizon else 0.25
    return Settings(
        policy=POLICIES[policy],
        opponents=POLICIES[policy if opponents is None else opponents],
        horizon=int(horizon),
        far_horizon=int(far_horizon),
        exploration=float(exploration),
        widening=float(widening),
        margin=float(margin),
        caution=float(caution),
        bias=float(bias),
        far_bias=float(bias) * (FAR_BIAS if far_horizon else 1),
    )


def check_policies(game: Game, weights: str | None, **policies: str | None) -> None:
    """Raise ValueError for a playout policy that the search cannot have; name those it can."""
    allowed = [p for p in POLICIES if p != "heuristic" or heuristic_action_of(game) is not None]
    for option, policy in policies.items():
        if policy is not None and policy not in allowed:
            raise ValueError(f"{option}={policy!r}: allowed for {game.name} are {sorted(allowed)}")
        if policy == "network" and weights is None:
            raise ValueError(
                f"{option}='network' needs a network: give weights='shipped' or "
                "weights=FILE.safetensors"
            )


class MonteCarlo(Search):
    """Flat Monte Carlo search: plays out all actions in the same random games, takes the best."""


class ISMCTS(Search):
    """Information-set Monte Carlo tree search: Monte Carlo search with a tree for each action."""

    tree = True
