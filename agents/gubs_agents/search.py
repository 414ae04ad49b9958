"""Players that search: they play on from determinizations of what their seat may know.

Each candidate move is played on in the same determinizations and with the same chance (common
random numbers), so that what differs is the move. A move other than that of the playout policy is
taken only when it is better by a margin that chance does not explain: moves differ little, luck a
lot. Candidates that cannot win any more drop out (Maron and Moore, "Hoeffding races", 1994).
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.by_game import heuristic_action_of, playout_horizon, symmetry_of
from gubs_agents.network import load, shipped
from gubs_agents.perceptron import (
    NO_PERCEPTRON,
    Perceptron,
    best_by_network,
    make_perceptron,
    value_by_network,
)
from gubs_agents.tree import NODE, NONE, add_node, credit, select, trusted_child
from gubs_env import find_game
from gubs_env.engine.arrays import borrowed
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
MAX_DEPTH = 24
MAX_NODES = 1 << 16
SWEEP = 8  # determinizations between two looks at the clock and the race
FEW = 256  # playouts of a candidate, before which its tree is not worth exploring


# The templates below are compiled for each game when it is first searched (`functions_of`).
templates = Templates()
template, entry_template = templates.template, templates.entry_template
heuristic_action, naming = Placeholder("heuristic_action"), Placeholder("naming")


@inlined
def no_heuristic(observation, mask, num_players, rng):
    """In place of a heuristic, in a game that has none: `check_policy` lets nobody ask for it."""
    return choose(rng, mask)


@inlined
def one_naming(observation):
    """In place of the naming of a symmetry, in a game that has none."""
    return 0


class Settings(NamedTuple):
    """What a search plays by."""

    policy: int
    """Of the playouts."""
    horizon: int
    """Own turns after which the network, or the lead, says what the game is worth; or
    TO_THE_END."""
    exploration: float
    widening: float
    margin: float
    """The worth of a point of lead."""
    caution: float
    bias: float
    """Standard deviation of what the guess at the horizon is wrong by."""


class Candidates(NamedTuple):
    """The moves between which a search decides."""

    actions: np.ndarray
    """int64[k], the legal actions."""
    reference: int
    """Index of the playout policy's own, which the others are compared to."""
    active: np.ndarray
    """bool[k]: still in the race."""
    sums: np.ndarray
    """float64[k, 5]: playouts compared, what they were worth, and differences to the reference in
    the same determinization, plain and squared; and playouts that only explored the tree."""


class Scratch(NamedTuple):
    """The memory of one search, so that no playout asks for any."""

    states: np.ndarray
    """STATE[2]: a determinization, and the game played on from it."""
    observation: np.ndarray
    """int8[observation_size]"""
    masks: np.ndarray
    """int8[2, num_actions]: legal, and not yet in the tree."""
    worth: np.ndarray
    """float32[2, num_players]: payoffs, and leads."""
    tree: np.ndarray
    """NODE[…], one root a candidate; empty for flat search."""
    size: np.ndarray
    """int64[1], nodes in use."""
    path: np.ndarray
    """int64[MAX_DEPTH + 1, 2]: a node, and who decided for it."""
    network: Perceptron


@template
def policy_action(state, mask, observation, network, policy, rng):
    """What a policy does for the seat that decides, from what that seat sees."""
    if policy == RANDOM:
        return choose(rng, mask)
    write_observation(state, state.actor, observation)
    if policy == NETWORK:
        return best_by_network(network, observation, mask, naming(observation))
    return heuristic_action(observation, mask, state.num_players, rng)


@template
def play_on(state, seat, mask, observation, network, settings, rng):
    """Play by the playout policy, to the end or to that turn of `seat` at which to stop."""
    turns = settings.horizon
    while state.phase != Phase.OVER:
        if turns > 0 and state.phase == turn_phase and state.actor == seat:
            turns -= 1
            if turns == 0:
                break
        step(state, policy_action(state, mask, observation, network, settings.policy, rng), mask)


@template
def walk_tree(state, mask, observation, scratch, settings, explores, rng):
    """From the root, path[0], to a new node, playing its moves; returns the length of the path."""
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
    """What a game under way seems worth: what the network thinks, if it does, else the leads.

    The network is asked for `seat` and its partners; the other sides share the rest.
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
    """What the end of a game is worth to each seat: payoffs, and a little for every point of lead.

    Leads tell moves apart in half the playouts that wins alone need.
    """
    write_payoffs(state, worth[0])
    write_leads(state, worth[1])
    for seat in range(state.num_players):
        worth[0, seat] += margin * worth[1, seat]


@template
def play_candidate(deal, action, root, scratch, settings, explores, rng):
    """Play an action, then to the end; returns what that was worth to the seat that decided.

    Args:
        deal: a determinization, left alone.
        root: of the action in the tree.
        explores: whether to try what may be better, or play what is known to be good.
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
    """Play every active candidate on from one determinization with the same chance.

    Args:
        values: float64[k], written: what each was worth.
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
    """Play every active candidate on from a number of determinizations, and add up.

    Once they have been compared often, one determinization more explores their trees. It is not
    added up: what one tries would blur the comparison, and each tries something else.

    Args:
        view: STATE[1], of the seat to decide.
        candidates: `Candidates`; its sums are added to.
        scratch: `Scratch`, written.
        settings: `Settings`.
        rng: int64[4], the generator, moved on.
        determinizations: how many.
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
    """Write the legal actions of the seat to decide; returns the policy's."""
    write_mask(view[0], mask)
    return policy_action(view[0], mask, observation, network, policy, rng)


class Functions(NamedTuple):
    """The entries above, of one game."""

    look: Compiled
    sweep: Compiled


def placeholders_of(game: Game) -> dict[str, Any]:
    """Return what the placeholders of the templates stand for in a game."""
    symmetry = symmetry_of(game)
    own = {
        "heuristic_action": heuristic_action_of(game) or no_heuristic,
        "naming": symmetry.naming if symmetry else one_naming,
    }
    offered = game.mechanics._asdict()
    return own | {slot: offered[slot] for slot in templates.placeholders - set(own)}


@cache
def functions_of(game: Game) -> Functions:
    """The entries for a game, which are compiled when they are first called."""
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
        """Played so far."""
        return int(self.candidates.sums[:, [0, 4]].sum())

    def run(self, playouts: int | None, deadline: float | None) -> Race:
        """Play until so many playouts are done, or a moment of `time.perf_counter` has come."""
        while self.candidates.active.sum() > 1:
            if playouts is not None and self.playouts >= playouts:
                break
            if deadline is not None and time.perf_counter() >= deadline:
                break
            self.sweep(self.view, self.candidates, self.scratch, self.settings, self.rng, SWEEP)
            self._drop_the_beaten()
        return self

    def _drop_the_beaten(self) -> None:
        """Those that by two standard errors are worse than the best drop out of the race."""
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
        network=network._replace(values=np.zeros_like(network.values)),
    )


def gains(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean gain over the reference, and its standard error, for each candidate: float64[k]."""
    count = np.maximum(sums[:, 0], 2)
    mean = sums[:, 2] / count
    return mean, np.sqrt(np.maximum(sums[:, 3] / count - mean**2, 0) / (count - 1))


class Search:
    """What the searching players have in common.

    Args:
        num_players: seats at the table.
        seed: of its own chance.
        playouts: how many games to play out for a decision; or
        ms: milliseconds for a decision, which makes it impossible to repeat exactly.
        policy: "heuristic", "random" or "network", who plays the playouts; by default the
            heuristic, or for a game without one at random.
        weights: "shipped" or FILE.safetensors: a network, whose move is then the one that others
            must better, and whose value, if it has one, says what a game is worth `horizon` own
            turns on.
        horizon: own turns to play on, after which the value says what the game is worth, or
            without one the lead; 0: to the end. By default 5 with a value, else what suits the
            game.
        threads: how many races are run side by side and added up (root parallelism).
        caution: a move is taken in place of the policy's own when its gain is above this times the
            squared standard error. That is Bayes' rule for gains that before the search are normal
            with mean −m and deviation s, where the caution is m / s².
        bias: standard deviation of what a guess at the horizon is wrong by, which no number of
            playouts mends; it adds to the error. By default 0.03 with a horizon, else nothing.
        exploration: weight of the confidence bound in the tree, in payoffs.
        widening: a node has no more than 1 + widening × √visits moves below it.
        margin: what each point of lead adds to the payoff; by default 0.25, or nothing with a
            network that guesses, as it is not taught to count it.
        game: the name of a game, as "gubs", or its `Game`.
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
    ) -> None:
        if playouts is not None and ms is not None:
            raise ValueError("a budget is given in playouts or in ms, not in both")
        for name, value in (("playouts", playouts), ("ms", ms), ("threads", threads)):
            if value is not None and not value > 0:
                raise ValueError(f"{name}={value}: must be above 0")
        self.game = find_game(game)
        self.functions = functions_of(self.game)
        if policy is None:
            policy = "random" if heuristic_action_of(self.game) is None else "heuristic"
        check_policy(self.game, policy)
        self.num_players, self.threads = num_players, int(threads)
        self.playouts = 1000 if playouts is None and ms is None else playouts
        self.ms = ms
        self.network, self.reference = NO_PERCEPTRON, POLICIES[policy]
        if weights is not None:
            path = shipped(self.game, num_players) if weights == "shipped" else weights
            self.network = make_perceptron(
                load(path, self.game, num_players), symmetry_of(self.game)
            )
            self.reference = NETWORK
        elif policy == "network":
            raise ValueError("policy='network' needs weights=")
        guesses = self.network.has_value
        if horizon is None:
            horizon = 5 if guesses else playout_horizon(self.game)
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

    def search(self, views: np.ndarray, rngs: np.ndarray | None = None) -> np.ndarray:
        """As `SearchAgent.search`: actions int64[batch] for views STATE[batch].

        Raises:
            ValueError: for views of another table than this was made for.
        """
        if (views["num_players"] != self.num_players).any():
            found = sorted(set(views["num_players"].tolist()))
            raise ValueError(f"views of {found} players; this searches for {self.num_players}")
        if rngs is None:
            rngs = spawn_rngs(self.rng, len(views))
        return np.array(
            [self._decide(views[i : i + 1], rngs[i]) for i in range(len(views))], np.int64
        )

    def _decide(self, view: np.ndarray, rng: np.ndarray) -> int:
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
        return self._best(races)

    def _best(self, races: list[Race]) -> int:
        runs = [race.candidates for race in races]
        gain, error = gains(np.sum([run.sums for run in runs], axis=0))
        gain[~np.any([run.active for run in runs], axis=0)] = -np.inf
        best = int(np.argmax(gain))
        if gain[best] <= self.settings.caution * (error[best] ** 2 + self.settings.bias**2):
            best = runs[0].reference
        return int(runs[0].actions[best])


def check_policy(game: Game, policy: str) -> None:
    """Raises ValueError for a playout policy that a game does not have, naming those it has."""
    allowed = [p for p in POLICIES if p != "heuristic" or heuristic_action_of(game) is not None]
    if policy not in allowed:
        raise ValueError(f"policy={policy!r}: allowed for {game.name} are {sorted(allowed)}")


class MonteCarlo(Search):
    """Plays every move on in the same random games that fit what it knows; takes the best."""


class ISMCTS(Search):
    """Information-set Monte-Carlo tree search: the same, with a tree grown behind every move."""

    tree = True
