"""Players that search: they play on from determinizations of what their seat may know.

Each candidate move is played on in the same determinizations and with the same chance (common
random numbers), so that what differs is the move. A move other than that of the playout policy is
taken only when it is better by a margin that chance does not explain: moves differ little, luck a
lot. Candidates that cannot win any more drop out (Maron and Moore, "Hoeffding races", 1994).
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from agents.heuristic import heuristic_action
from agents.tree import NODE, NONE, add_node, credit, select
from gubs_env.games.arrays import borrowed
from gubs_env.games.choosing import choose
from gubs_env.games.compilation import announce_compilation, entry, inlined, rule
from gubs_env.games.generator import next_word, spawn_words
from gubs_env.games.gubs.actions import num_actions
from gubs_env.games.gubs.determinization import determinize_row
from gubs_env.games.gubs.legal import write_mask
from gubs_env.games.gubs.observation import observation_size, write_observation
from gubs_env.games.gubs.score import write_payoffs
from gubs_env.games.gubs.state import Phase
from gubs_env.games.gubs.turn import step

RANDOM, HEURISTIC = range(2)
POLICIES = {"random": RANDOM, "heuristic": HEURISTIC}
NUM_PHASES = len(Phase)
MAX_DEPTH = 24
MAX_NODES = 1 << 16
SWEEP = 8  # determinizations between two looks at the clock and the race


@rule
def policy_action(game, mask, observation, policy, chooser):
    """What the playout policy does for the seat that decides, from what that seat sees."""
    if policy == RANDOM:
        return choose(chooser, mask)
    write_observation(game, game.actor, observation)
    return heuristic_action(observation, mask, game.num_players, chooser)


@rule
def play_on(game, mask, observation, policy, chooser):
    """Play to the end by the playout policy."""
    while game.phase != Phase.OVER:
        step(game, policy_action(game, mask, observation, policy, chooser), mask)


@rule
def walk_tree(game, mask, observation, policy, chooser, tree, size, settings, path, seats, untried):
    """From the root path[0] down to a new node, playing its moves; returns the length of the path.

    `settings` are the exploration and the widening; seats[k] is who decided for path[k].
    """
    length = 1
    while game.phase != Phase.OVER and length < MAX_DEPTH and size[0] < len(tree):
        parent, decision = path[length - 1], game.actor * NUM_PHASES + game.phase
        seats[length] = game.actor
        index = select(tree, parent, decision, mask, untried, settings[0], settings[1])
        is_new = index == NONE
        if is_new:
            action = policy_action(game, mask, observation, policy, chooser)
            if not untried[action]:
                action = choose(chooser, untried)
            index = add_node(tree, size, parent, decision, action)
            tree[index].available = 1
        path[length] = index
        length += 1
        step(game, tree[index].action, mask)
        if is_new:
            break
    return length


@inlined
def write_worth(game, margin_weight, worth, margins):
    """What the end of a game is worth to each seat: payoffs, and a little for every point of lead.

    Leads tell moves apart in half the playouts that wins alone need.
    """
    write_payoffs(game, worth)
    if not game.margin_reward:
        game.margin_reward = 1
        write_payoffs(game, margins)
        for seat in range(game.num_players):
            worth[seat] += margin_weight * margins[seat]


@entry
def sweep(
    view,
    scratch,
    candidates,
    active,
    reference,
    sums,
    determinizations,
    policy,
    chooser,
    tree,
    size,
    settings,
    observation,
    masks,
    worth,
    margins,
):
    """Play every active candidate on from a number of determinizations.

    Args:
        view: GAME[1], of the seat to decide.
        scratch: GAME[2], written.
        candidates: int64[k], legal actions.
        active: bool[k], those to be played.
        reference: index of the candidate that the others are compared to.
        sums: float64[k, 4]: playouts, what they were worth, and differences to the reference in
            the same determinization, plain and squared; added to.
        determinizations: how many.
        policy: of the playouts.
        chooser: int64[4], the generator, moved on.
        tree: NODE[…], one root a candidate; empty for flat search.
        size: int64[1], nodes in use.
        settings: float64[3], exploration, widening, worth of a point of lead.
        observation, masks, worth, margins: int8[observation_size], int8[3, num_actions],
            float32[num_players] twice; written.
    """
    deal, game, seat = scratch[0], scratch[1], view[0].actor
    seen, untried, mask = borrowed(observation), borrowed(masks[1]), borrowed(masks[2])
    path, seats = np.zeros(MAX_DEPTH + 1, np.int64), np.zeros(MAX_DEPTH + 1, np.int64)
    luck = np.zeros(4, np.int64)
    values = np.zeros(len(candidates), np.float64)
    for _ in range(determinizations):
        scratch[0] = view[0]
        determinize_row(deal, seat, chooser)
        for word in range(4):
            luck[word] = next_word(chooser)
        for candidate in range(len(candidates)):
            if not active[candidate]:
                continue
            scratch[1] = scratch[0]
            same_luck = luck.copy()
            path[0], seats[0], length = candidate, seat, 1
            step(game, candidates[candidate], mask)
            if len(tree) > 0:
                length = walk_tree(
                    game, mask, seen, policy, same_luck, tree, size, settings, path, seats, untried
                )
            play_on(game, mask, seen, policy, same_luck)
            write_worth(game, settings[2], worth, margins)
            if len(tree) > 0:
                credit(tree, path, length, seats, worth)
            values[candidate] = worth[seat]
            sums[candidate, 0] += 1
            sums[candidate, 1] += values[candidate]
        for candidate in range(len(candidates)):
            if active[candidate]:
                difference = values[candidate] - values[reference]
                sums[candidate, 2] += difference
                sums[candidate, 3] += difference * difference


@entry
def look(view, policy, chooser, observation, masks):
    """The legal moves of the seat to decide, into masks[0]; returns the playout policy's move."""
    game, mask = view[0], masks[0]
    write_mask(game, mask)
    return policy_action(game, mask, observation, policy, chooser)


class Race:
    """The search of one decision on one thread: its candidates, their sums, its scratch memory."""

    def __init__(self, search: Search, view: np.ndarray, chooser: np.ndarray) -> None:
        self.search, self.view, self.chooser = search, view, chooser
        players = search.num_players
        self.observation = np.zeros(observation_size(players), np.int8)
        self.masks = np.zeros((3, num_actions(players)), np.int8)
        self.worth, self.margins = np.zeros((2, players), np.float32)
        self.scratch = np.zeros(2, view.dtype)
        first = look(view, search.policy, chooser, self.observation, self.masks)
        self.candidates = self.masks[0].nonzero()[0]
        self.reference = int(np.flatnonzero(self.candidates == first)[0])
        self.active = np.ones(len(self.candidates), np.bool_)
        self.sums = np.zeros((len(self.candidates), 4))
        self.tree = np.zeros(MAX_NODES if search.tree else 0, NODE)
        self.size = np.zeros(1, np.int64)
        if search.tree:
            for action in self.candidates:
                add_node(self.tree, self.size, NONE, 0, action)

    def run(self, playouts: int | None, deadline: float | None) -> Race:
        """Play until so many playouts are done, or a moment of `time.perf_counter` has come."""
        while len(self.candidates) > 1 and self.active.sum() > 1:
            if playouts is not None and self.sums[:, 0].sum() >= playouts:
                break
            if deadline is not None and time.perf_counter() >= deadline:
                break
            sweep(
                self.view, self.scratch, self.candidates, self.active, self.reference, self.sums,
                SWEEP, self.search.policy, self.chooser, self.tree, self.size,
                self.search.settings, self.observation, self.masks, self.worth, self.margins,
            )  # fmt: skip
            self._drop_the_beaten()
        return self

    def _drop_the_beaten(self) -> None:
        """Those that by two standard errors are worse than the best drop out of the race."""
        gain, error = gains(self.sums)
        best = np.max((gain - 2 * error)[self.active])
        self.active &= gain + 2 * error >= max(best, 0.0)
        self.active[self.reference] = True


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
        policy: "heuristic" or "random", who plays the playouts.
        threads: how many races are run side by side and added up (root parallelism).
        caution: a move is taken in place of the policy's own when its gain is above this times the
            squared standard error. That is Bayes' rule for gains that before the search are normal
            with mean −m and deviation s, where the caution is m / s².
        exploration: weight of the confidence bound in the tree, in payoffs.
        widening: a node has no more than 1 + widening × √visits moves below it.
        margin: what each point of lead at the end adds to the payoff.
    """

    tree = False

    def __init__(
        self,
        num_players: int = 2,
        seed: int | None = None,
        playouts: int | None = None,
        ms: float | None = None,
        policy: str = "heuristic",
        threads: int = 1,
        caution: float = 12.0,
        exploration: float = 0.7,
        widening: float = 0.5,
        margin: float = 0.25,
    ) -> None:
        if playouts is not None and ms is not None:
            raise ValueError("a budget is given in playouts or in ms, not in both")
        for name, value in (("playouts", playouts), ("ms", ms), ("threads", threads)):
            if value is not None and not value > 0:
                raise ValueError(f"{name}={value}: must be above 0")
        if policy not in POLICIES:
            raise ValueError(f"policy={policy!r}: allowed are {sorted(POLICIES)}")
        self.num_players, self.threads, self.caution = num_players, int(threads), caution
        self.playouts = 1000 if playouts is None and ms is None else playouts
        self.ms = ms
        self.policy = POLICIES[policy]
        self.settings = np.array([exploration, widening, margin])
        self.rng = np.random.default_rng(seed)
        announce_compilation()

    def search(self, views: np.ndarray, choosers: np.ndarray | None = None) -> np.ndarray:
        """As `SearchAgent.search`: actions int64[batch] for views GAME[batch]."""
        if choosers is None:
            choosers = spawn_words(self.rng, len(views))
        return np.array(
            [self._decide(views[i : i + 1], choosers[i]) for i in range(len(views))], np.int64
        )

    def _decide(self, view: np.ndarray, chooser: np.ndarray) -> int:
        deadline = None if self.ms is None else time.perf_counter() + self.ms / 1000
        playouts = None if self.playouts is None else -(-self.playouts // self.threads)
        seeds = np.random.default_rng(chooser.tolist())
        chooser[:] = spawn_words(seeds, 1)[0]
        races = [Race(self, view, words) for words in spawn_words(seeds, self.threads)]
        if self.threads == 1:
            races[0].run(playouts, deadline)
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(lambda race: race.run(playouts, deadline), races))
        return self._best(races)

    def _best(self, races: list[Race]) -> int:
        first = races[0]
        gain, error = gains(np.sum([race.sums for race in races], axis=0))
        gain[~np.any([race.active for race in races], axis=0)] = -np.inf
        best = int(np.argmax(gain))
        if gain[best] <= self.caution * error[best] ** 2:
            best = first.reference
        return int(first.candidates[best])


class MonteCarlo(Search):
    """Plays every move on in the same random games that fit what it knows; takes the best."""


class ISMCTS(Search):
    """Information-set Monte-Carlo tree search: the same, with a tree grown behind every move."""

    tree = True
