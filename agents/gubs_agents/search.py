"""The searching agents, which play out random games that fit the view of their seat.

All candidate actions are played out in the same determinizations with the same random numbers
(common random numbers), so that their values differ by the action alone. The playout policy's
action is kept unless another action gains more than chance explains, because actions differ little
and luck differs a lot. Candidates that are clearly worse drop out (Maron and Moore, "Hoeffding
races", 1994).
docs/search.md explains the steps with an example.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.by_game import heuristic_action_of, playout_horizon, symmetry_of
from gubs_agents.common.decisions import check_rngs
from gubs_agents.network import load, shipped, table_of
from gubs_agents.perceptron import (
    NO_PERCEPTRON,
    Perceptron,
    best_by_network,
    check_perceptron,
    make_perceptron,
    value_by_network,
)
from gubs_agents.tree import NODE, NONE, add_node, credit, select, trusted_child
from gubs_env import find_game
from gubs_env.engine.arrays import borrowed
from gubs_env.engine.border import check_views
from gubs_env.engine.choosing import choose
from gubs_env.engine.compilation import Compiled, inlined
from gubs_env.engine.game import Game
from gubs_env.engine.mechanics import (
    Phase,
    determinize_row,
    num_sides,
    side_of,
    step,
    turn_phase,
    write_leads,
    write_mask,
    write_observation,
    write_payoffs,
)
from gubs_env.engine.rng import spawn_into, spawn_rngs
from gubs_env.engine.templates import Placeholder, Templates

RANDOM, HEURISTIC, NETWORK = range(3)
POLICIES = {"random": RANDOM, "heuristic": HEURISTIC, "network": NETWORK}
TO_THE_END = 0
LARGEST_OPTION = 1_000_000
"""Largest value of an option: larger ones would overflow in sums of worths."""
MAX_DEPTH = 24
MAX_NODES = 1 << 16
SWEEP = 8  # determinizations between two checks of the clock and the race
FEW = 256  # playouts of a candidate before its tree is explored


# The templates below are specialised for a game when it is first searched (`functions_of`).
templates = Templates()
template, entry_template = templates.template, templates.entry_template
heuristic_action, naming = Placeholder("heuristic_action"), Placeholder("naming")


@inlined
def no_heuristic(observation, mask, num_players, rng):
    """Take the place of the heuristic in a game without one; `check_policy` prevents any call."""
    return choose(rng, mask)


@inlined
def one_naming(observation):
    """Return 0, the only way of a game without a symmetry."""
    return 0


class Settings(NamedTuple):
    """The options of a search, as `Search` documents them."""

    policy: int
    """The playout policy: RANDOM, HEURISTIC or NETWORK."""
    horizon: int
    """Number of own turns to play before the network or the lead estimates the payoff; or
    TO_THE_END."""
    exploration: float
    widening: float
    margin: float
    """Worth of a point of lead."""
    caution: float
    bias: float
    """Standard deviation of the error of the estimate at the horizon."""


class Candidates(NamedTuple):
    """The legal actions of one decision, and their results so far."""

    actions: np.ndarray
    """int64[k]: the legal actions."""
    reference: int
    """Index of the playout policy's action; the others are compared to it."""
    active: np.ndarray
    """bool[k]: the candidates still in the race."""
    sums: np.ndarray
    """float64[k, 5]: sums over playouts. Columns: number of playouts compared, their worth, the
    difference to the reference in the same determinization, the square of that difference, and the
    number of playouts that only explored the tree."""


class Scratch(NamedTuple):
    """The buffers of one search, so that playouts allocate no memory."""

    states: np.ndarray
    """STATE[2]: a determinization, and the game played on from it."""
    observation: np.ndarray
    """int8[observation_size]: the observation of the seat to decide."""
    masks: np.ndarray
    """int8[2, num_actions]: the legal actions, and those not yet in the tree."""
    worth: np.ndarray
    """float32[2, num_players]: payoffs, and leads."""
    tree: np.ndarray
    """NODE[…], with one root for each candidate; empty for flat search."""
    size: np.ndarray
    """int64[1]: number of nodes in use."""
    path: np.ndarray
    """int64[MAX_DEPTH + 1, 2]: nodes from the root, and the seats that decided for them."""
    network: Perceptron


@template
def policy_action(state, mask, observation, network, policy, rng):
    """Return the action of a policy for the seat to decide, given only what that seat sees."""
    if policy == RANDOM:
        return choose(rng, mask)
    write_observation(state, state.actor, observation)
    if policy == NETWORK:
        return best_by_network(network, observation, mask, naming(observation))
    return heuristic_action(observation, mask, state.num_players, rng)


@template
def play_on(state, seat, mask, observation, network, settings, rng):
    """Play with the playout policy to the end of the game, or until the horizon of `seat`."""
    turns = settings.horizon
    while state.phase != Phase.OVER:
        if turns > 0 and state.phase == turn_phase and state.actor == seat:
            turns -= 1
            if turns == 0:
                break
        step(state, policy_action(state, mask, observation, network, settings.policy, rng), mask)


@template
def walk_tree(state, mask, observation, scratch, settings, explores, rng):
    """Walk from the root, path[0], to a new node and play the actions; return the path's length."""
    tree, size, path, untried = scratch.tree, scratch.size, scratch.path, scratch.masks[1]
    length = 1
    while state.phase != Phase.OVER and length < MAX_DEPTH and size[0] < len(tree):
        parent, decision = path[length - 1, 0], state.phase * state.num_players + state.actor
        path[length, 1] = state.actor
        action = policy_action(state, mask, observation, scratch.network, settings.policy, rng)
        if explores:
            index = select(
                tree, parent, decision, mask, untried, settings.exploration, settings.widening
            )
            if index == NONE and not untried[action]:
                action = choose(rng, untried)
        else:
            index = trusted_child(tree, parent, decision, mask, action, settings.caution)
        is_new = index == NONE
        if is_new:
            index = add_node(tree, size, parent, decision, action)
            tree[index].available = 1
        path[length, 0] = index
        length += 1
        step(state, tree[index].action, mask)
        if is_new:
            break
    return length


@template
def write_guess(state, seat, mask, observation, network, margin, worth):
    """Write the estimated worth of a game under way: the network's value if it has one, else leads.

    The network's value counts for `seat` and its partners; the other sides share its negative.
    """
    if not network.has_value:
        write_leads(state, worth[0])
        for player in range(state.num_players):
            worth[0, player] *= margin
        return
    write_observation(state, seat, observation)
    value = value_by_network(network, observation, len(mask), naming(observation))
    for other in range(state.num_players):
        is_partner = side_of(state, other) == side_of(state, seat)
        worth[0, other] = value if is_partner else -value / (num_sides(state) - 1)


@template
def write_worth(state, margin, worth):
    """Write the worth of a finished game to each seat: its payoff, and `margin` per point of lead.

    With leads, half as many playouts tell actions apart as with wins alone.
    """
    write_payoffs(state, worth[0])
    write_leads(state, worth[1])
    for seat in range(state.num_players):
        worth[0, seat] += margin * worth[1, seat]


@template
def play_candidate(deal, action, root, scratch, settings, explores, rng):
    """Play an action and play out the game; return its worth to the seat that decided.

    Args:
        deal: a determinization, a state; not changed.
        action: the candidate to play.
        root: index of the candidate's root in the tree.
        scratch: `Scratch`, written.
        settings: `Settings`.
        explores: whether the tree explores, or plays the actions that it trusts.
        rng: int64[4], the RNG, advanced.
    """
    scratch.states[1] = deal
    state, seat = scratch.states[1], deal.actor
    mask, observation = borrowed(scratch.masks[0]), borrowed(scratch.observation)
    has_tree, length = len(scratch.tree) > 0, 1
    scratch.path[0] = root, seat
    step(state, action, mask)
    if has_tree:
        length = walk_tree(state, mask, observation, scratch, settings, explores, rng)
    play_on(state, seat, mask, observation, scratch.network, settings, rng)
    if state.phase == Phase.OVER:
        write_worth(state, settings.margin, scratch.worth)
    else:
        write_guess(state, seat, mask, observation, scratch.network, settings.margin, scratch.worth)
    if has_tree:
        credit(scratch.tree, scratch.path, length, scratch.worth[0])
    return scratch.worth[0, seat]


@template
def play_all(view, candidates, scratch, settings, explores, rng, values):
    """Play every active candidate in one determinization with the same random numbers.

    Args:
        view: STATE[1], of the seat to decide.
        candidates: `Candidates`, read only.
        scratch: `Scratch`, written.
        settings: `Settings`.
        explores: whether the trees explore.
        rng: int64[4], the RNG, advanced.
        values: float64[k], written: the worth of each active candidate.
    """
    scratch.states[0] = view[0]
    deal = scratch.states[0]
    determinize_row(deal, rng)
    luck, same_luck = np.zeros(4, np.int64), np.zeros(4, np.int64)
    spawn_into(rng, luck)
    for candidate in np.flatnonzero(candidates.active):
        same_luck[:] = luck
        action = candidates.actions[candidate]
        values[candidate] = play_candidate(
            deal, action, candidate, scratch, settings, explores, same_luck
        )


@entry_template
def sweep(view, candidates, scratch, settings, rng, determinizations):
    """Play every active candidate in a number of determinizations, and add up the results.

    Once the reference has FEW playouts, one further determinization explores the trees. It does not
    count, because each tree explores different actions, which would blur the comparison.

    Args:
        view: STATE[1], of the seat to decide.
        candidates: `Candidates`; the results are added to its sums.
        scratch: `Scratch`, written.
        settings: `Settings`.
        rng: int64[4], the RNG, advanced.
        determinizations: number of determinizations to compare in.
    """
    sums = candidates.sums
    values = np.zeros(len(sums), np.float64)
    for _ in range(determinizations):
        play_all(view, candidates, scratch, settings, False, rng, values)
        for candidate in np.flatnonzero(candidates.active):
            difference = values[candidate] - values[candidates.reference]
            sums[candidate, 0] += 1
            sums[candidate, 1] += values[candidate]
            sums[candidate, 2] += difference
            sums[candidate, 3] += difference * difference
    if len(scratch.tree) > 0 and sums[candidates.reference, 0] >= FEW:
        play_all(view, candidates, scratch, settings, True, rng, values)
        for candidate in np.flatnonzero(candidates.active):
            sums[candidate, 4] += 1


@entry_template
def look(view, mask, observation, network, policy, rng):
    """Write the legal actions of the seat to decide, and return the policy's action."""
    write_mask(view[0], mask)
    return policy_action(view[0], mask, observation, network, policy, rng)


class Functions(NamedTuple):
    """The compiled entry points `look` and `sweep` of one game."""

    look: Compiled
    sweep: Compiled


def placeholders_of(game: Game) -> dict[str, Any]:
    """Return the functions of a game that take the place of the placeholders, by name."""
    symmetry = symmetry_of(game)
    own = {
        "heuristic_action": heuristic_action_of(game) or no_heuristic,
        "naming": symmetry.naming if symmetry else one_naming,
    }
    offered = game.mechanics._asdict()
    return own | {slot: offered[slot] for slot in templates.placeholders & set(offered)}


@cache
def functions_of(game: Game) -> Functions:
    """Return the entry points for a game; each is compiled at its first call."""
    bound = templates.specialise(game.name, placeholders_of(game))
    return Functions(bound["look"], bound["sweep"])


class Race:
    """The search of one decision on one thread."""

    def __init__(self, search: Search, view: np.ndarray, rng: np.ndarray) -> None:
        self.view, self.settings, self.rng = view, search.settings, rng
        self.scratch = make_scratch(
            search.game, search.num_players, view.dtype, search.tree, search.network
        )
        self.sweep = search.functions.sweep
        mask, observation = self.scratch.masks[0], self.scratch.observation
        look = search.functions.look
        first = look(view, mask, observation, self.scratch.network, search.reference, rng)
        actions = mask.nonzero()[0]
        self.candidates = Candidates(
            actions,
            reference=int(np.flatnonzero(actions == first)[0]),
            active=np.ones(len(actions), np.bool_),
            sums=np.zeros((len(actions), 5)),
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
            self.sweep(self.view, self.candidates, self.scratch, self.settings, self.rng, SWEEP)
            self._drop_the_beaten()
        return self

    def _drop_the_beaten(self) -> None:
        """Drop candidates whose gain is below the best, by two standard errors on either side."""
        active = self.candidates.active
        gain, error = gains(self.candidates.sums)
        best = np.max((gain - 2 * error)[active])
        active &= gain + 2 * error >= max(best, 0.0)
        active[self.candidates.reference] = True


def make_scratch(
    game: Game, num_players: int, row: np.dtype, tree: bool, network: Perceptron
) -> Scratch:
    return Scratch(
        states=np.zeros(2, row),
        observation=np.zeros(len(game.observation_highs(num_players)), np.int8),
        masks=np.zeros((2, game.num_actions(num_players)), np.int8),
        worth=np.zeros((2, num_players), np.float32),
        tree=np.zeros(MAX_NODES if tree else 0, NODE),
        size=np.zeros(1, np.int64),
        path=np.zeros((MAX_DEPTH + 1, 2), np.int64),
        network=network._replace(
            values=np.zeros_like(network.values), used=np.zeros_like(network.used)
        ),
    )


def gains(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean gain of each candidate over the reference and its standard error.

    Args:
        sums: float64[k, 5], as in `Candidates`.

    Returns:
        Two arrays float64[k].
    """
    count = np.maximum(sums[:, 0], 2)
    mean = sums[:, 2] / count
    return mean, np.sqrt(np.maximum(sums[:, 3] / count - mean**2, 0) / (count - 1))


class Search:
    """The base of the searching agents.

    Args:
        num_players: number of players at the table.
        seed: seed of the agent's RNG, used when `search` gets no RNGs.
        playouts: number of playouts for a decision; by default 1000. Give `playouts` or `ms`.
        ms: milliseconds for a decision. Such a decision cannot be repeated exactly.
        policy: playout policy, "heuristic", "random" or "network"; by default the network if it has
            a value, else the heuristic, or "random" in a game without one.
        weights: a network, "shipped" or FILE.safetensors. Its action is the one that others
            must beat. Its value, if it has one, estimates the payoff at the horizon.
        horizon: number of own turns to play before the network's value, or without one the lead,
            estimates the payoff; 0 plays to the end. By default 2 with a value, else the game's own
            default.
        threads: number of parallel races; their results are added up (root parallelism).
        caution: an action replaces the policy's action if its gain is above `caution` times the
            squared standard error. This is Bayes' rule for a normal prior over gains with mean −m
            and standard deviation s, where `caution` is m / s².
        bias: standard deviation of the error of the estimate at the horizon, which further
            playouts do not reduce; added to the standard error. By default 0.03 with a horizon,
            else 0.
        exploration: weight of the confidence bound in the tree, in payoffs.
        widening: a node of the tree has at most 1 + widening × √visits children.
        margin: worth of each point of lead, added to the payoff. By default 0.25, or 0 if a
            network's value estimates the payoff, because the value does not include leads.
        game: the name of a game, as "gubs", or its `Game`.
        rules: the rules of the table, for the network, as for `Game.make_rules`.

    Raises:
        ValueError: for both `playouts` and `ms`; for a budget or `threads` not above 0; for
            another number that is not 0 to 1,000,000; for a policy that the game does not have; for
            policy="network" without weights; or if no network is shipped for this table.
        FileNotFoundError, WeightsError: as for `load`.
    """

    tree = False

    def __init__(
        self,
        num_players: int = 2,
        seed: int | None = None,
        playouts: int | None = None,
        ms: float | None = None,
        policy: str | None = None,
        weights: str | None = None,
        horizon: int | None = None,
        threads: int = 1,
        caution: float = 12.0,
        bias: float | None = None,
        exploration: float = 0.7,
        widening: float = 0.5,
        margin: float | None = None,
        game: str | Game = "gubs",
        rules: Any = None,
    ) -> None:
        check_budget(playouts=playouts, ms=ms, threads=threads)
        check_numbers(
            horizon=horizon, caution=caution, bias=bias, exploration=exploration,
            widening=widening, margin=margin,
        )  # fmt: skip
        self.game = find_game(game)
        self.functions = functions_of(self.game)
        if policy is not None:
            check_policy(self.game, policy)
        self.num_players, self.threads = num_players, math.ceil(threads)
        self.table = table_of(self.game, num_players)
        self.playouts = 1000 if playouts is None and ms is None else playouts
        self.ms = ms
        self.network = NO_PERCEPTRON
        if weights is not None:
            path = shipped(self.game, num_players, rules) if weights == "shipped" else weights
            loaded = load(path, self.game, num_players, rules)
            self.network = make_perceptron(loaded, symmetry_of(self.game), self.table)
        elif policy == "network":
            raise ValueError(
                "policy='network' needs a network: give weights='shipped' or "
                "weights=FILE.safetensors"
            )
        guesses = self.network.has_value
        if policy is None:
            policy = "network" if guesses else default_policy(self.game)
        self.reference = POLICIES[policy] if weights is None else NETWORK
        if horizon is None:
            horizon = 2 if guesses else playout_horizon(self.game)
        if bias is None:
            bias = 0.0 if horizon == TO_THE_END else 0.03
        if margin is None:
            margin = 0.0 if guesses and horizon else 0.25
        self.settings = Settings(
            POLICIES[policy],
            int(horizon),
            float(exploration),
            float(widening),
            float(margin),
            float(caution),
            float(bias),
        )
        self.rng = np.random.default_rng(seed)

    @property
    def network(self) -> Perceptron:
        """The network, or NO_PERCEPTRON; one that does not fit the table raises WeightsError."""
        return self._network

    @network.setter
    def network(self, network: Perceptron) -> None:
        symmetry = symmetry_of(self.game)
        check_perceptron(network, self.table, 1 if symmetry is None else len(symmetry.places))
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
        views = check_views(self.game, views, self.num_players)
        if rngs is None:
            rngs = spawn_rngs(self.rng, len(views))
        check_rngs(rngs, len(views))
        for index in range(len(views)):
            yield self._run_races(views[index : index + 1], rngs[index])

    def _run_races(self, view: np.ndarray, rng: np.ndarray) -> list[Race]:
        deadline = None if self.ms is None else time.perf_counter() + self.ms / 1000
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
        gain, error = gains(np.sum([run.sums for run in runs], axis=0))
        gain[~np.any([run.active for run in runs], axis=0)] = -np.inf
        best = int(np.argmax(gain))
        if gain[best] <= self.settings.caution * (error[best] ** 2 + self.settings.bias**2):
            best = runs[0].reference
        return int(runs[0].actions[best])


def check_budget(**budget: float | None) -> None:
    """Raise ValueError for both `playouts` and `ms`, or a number that is not above 0 and finite."""
    playouts, ms = budget["playouts"], budget["ms"]
    if playouts is not None and ms is not None:
        raise ValueError(
            f"playouts={playouts}, ms={ms}: give a budget in playouts or in ms, not in both"
        )
    for name, value in budget.items():
        if value is not None and not 0 < value < math.inf:
            raise ValueError(f"{name}={value}: must be above 0")


def check_numbers(**options: float | None) -> None:
    """Raise ValueError for an option that is not 0 to LARGEST_OPTION; None is the default."""
    for name, value in options.items():
        if value is not None and not 0 <= value <= LARGEST_OPTION:
            raise ValueError(f"{name}={value}: allowed are 0 to {LARGEST_OPTION:,}")


def default_policy(game: Game) -> str:
    """Return the playout policy of a search whose network, if any, has no value."""
    return "random" if heuristic_action_of(game) is None else "heuristic"


def check_policy(game: Game, policy: str) -> None:
    """Raise ValueError for a playout policy that a game does not have; name those it has."""
    allowed = [p for p in POLICIES if p != "heuristic" or heuristic_action_of(game) is not None]
    if policy not in allowed:
        raise ValueError(f"policy={policy!r}: allowed for {game.name} are {sorted(allowed)}")


class MonteCarlo(Search):
    """Flat Monte Carlo search: plays out all actions in the same random games, takes the best."""


class ISMCTS(Search):
    """Information-set Monte Carlo tree search: Monte Carlo search with a tree for each action."""

    tree = True
