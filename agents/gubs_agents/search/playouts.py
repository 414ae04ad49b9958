"""The compiled part of search: every candidate is played out in the same determinizations.

`search` holds the agents. They are apart so that an edit of an agent compiles nothing anew.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.networks.perceptron import Perceptron, best_by_network, value_by_network
from gubs_agents.scripted.by_game import scripted_in
from gubs_agents.search.nodes import NODE, NONE, add_node, credit, select, trusted_child
from gubs_env.engine.choosing import choose
from gubs_env.engine.compiling import Compiled, Placeholder, Templates, borrowed, inlined
from gubs_env.engine.game import Game
from gubs_env.engine.mechanics import (
    Phase,
    determinize_row,
    num_sides,
    round_number,
    side_of,
    step,
    turn_phase,
    write_leads,
    write_mask,
    write_observation,
    write_payoffs,
)
from gubs_env.engine.rng import next_word, spawn_into
from gubs_env.engine.table import Table

RANDOM, HEURISTIC, NETWORK = range(3)
TO_THE_END = 0
MAX_DEPTH = 24
MAX_NODES = 1 << 16
FEW = 256  # playouts of a candidate before its tree is explored, and before the far horizon counts
DRAWS = 16  # determinizations of which beliefs choose one


# The templates below are specialised for a game when it is first searched (`functions_of`).
templates = Templates()
template, entry_template = templates.template, templates.entry_template
heuristic_action, naming = Placeholder("heuristic_action"), Placeholder("naming")
heuristic_weights = Placeholder("heuristic_weights")
likelihood_of_hands = Placeholder("likelihood_of_hands")


@inlined
def no_heuristic(observation, mask, num_players, rng, weights):
    """Take the place of the heuristic in a game without one; no options let a search call it."""
    return choose(rng, mask)


@inlined
def one_naming(observation):
    """Return 0, the only way of a game without a symmetry."""
    return 0


@inlined
def by_weights(state, beliefs):
    """Return the log likelihood of the hands of a state under beliefs, up to a constant."""
    total = 0.0
    for seat in range(beliefs.shape[0]):
        for kind in range(beliefs.shape[1]):
            total += beliefs[seat, kind] * state.hand[seat, kind]
    return total


@inlined
def without_hands(state, beliefs):
    """Take the place of `by_weights` in a game without hands, which has no beliefs."""
    return 0.0


class Settings(NamedTuple):
    """The options of a search, as `Search` documents them."""

    policy: int
    """The playout policy of the side that decides: RANDOM, HEURISTIC or NETWORK."""
    opponents: int
    """The playout policy of the other sides."""
    horizon: int
    """Number of own turns, or of rounds, to play before the network or the lead estimates the
    payoff; or TO_THE_END."""
    far_horizon: int
    """Number of own turns, or of rounds, to play before a second estimate, once the reference has
    FEW playouts; 0 for none."""
    unit: float
    """One divided by the most that a game pays: the worth of a game is counted in parts of that."""
    exploration: float
    widening: float
    margin: float
    """Worth of a point of lead."""
    caution: float
    bias: float
    """Standard deviation of the error of the estimate at the horizon."""
    far_bias: float
    """The same at the far horizon; `bias` without one."""


class Candidates(NamedTuple):
    """The legal actions of one decision, and their results so far."""

    actions: np.ndarray
    """int64[k]: the legal actions."""
    reference: int
    """Index of the playout policy's action; the others are compared to it."""
    active: np.ndarray
    """bool[k]: the candidates still in the race."""
    sums: np.ndarray
    """float64[k, 8]: sums over playouts. Columns: number of playouts compared, their worth, the
    difference to the reference in the same determinization, the square of that difference; the
    number of playouts that only explored the tree; the number of playouts that went on to the far
    horizon, by how much the difference to the reference changed there, and the square of that."""


class Reader(NamedTuple):
    """The buffers of the seat to decide, and the network that reads them."""

    mask: np.ndarray
    """int8[num_actions]: the legal actions."""
    observation: np.ndarray
    """int8[observation_size], written when a policy reads it."""
    network: Perceptron


class Scratch(NamedTuple):
    """The buffers of one search, so that playouts allocate no memory."""

    states: np.ndarray
    """STATE[2]: a determinization, and the game played on from it."""
    beliefs: np.ndarray
    """float64[num_seats, kinds], as `Beliefs.weights` returns it; float64[0, 0] without beliefs."""
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
def policy_action(state, reader, policy, rng):
    """Return the action of a policy for the seat to decide, given only what that seat sees."""
    mask, observation = reader.mask, reader.observation
    if policy == RANDOM:
        return choose(rng, mask)
    write_observation(state, state.actor, observation)
    if policy == NETWORK:
        return best_by_network(reader.network, observation, mask, naming(observation))
    return heuristic_action(observation, mask, state.num_players, rng, heuristic_weights)


@template
def playout_action(state, seat, reader, settings, rng):
    """Return the action of the playout policy in a search for `seat`."""
    is_own = side_of(state, state.actor) == side_of(state, seat)
    policy = settings.policy if is_own else settings.opponents
    return policy_action(state, reader, policy, rng)


@template
def play_on(state, seat, left, last_round, reader, settings, rng):
    """Play with the playout policy until `seat`, who decided in the round `last_round`, has had
    `left` more turns, or rounds; or to the end of the game.
    """
    while state.phase != Phase.OVER:
        is_own_turn = state.phase == turn_phase and state.actor == seat
        if left > 0 and (is_own_turn or round_number(state) != last_round):
            left, last_round = left - 1, round_number(state)
            if left == 0:
                break
        step(state, playout_action(state, seat, reader, settings, rng), reader.mask)


@template
def walk_tree(state, reader, scratch, settings, explores, rng):
    """Walk from the root, path[0], to a new node and play the actions; return the path's length."""
    tree, size, path, untried = scratch.tree, scratch.size, scratch.path, scratch.masks[1]
    mask, seat, length = reader.mask, path[0, 1], 1
    exploration, widening = settings.exploration, settings.widening
    while state.phase != Phase.OVER and length < MAX_DEPTH and size[0] < len(tree):
        parent, decision = path[length - 1, 0], state.phase * state.num_players + state.actor
        path[length, 1] = state.actor
        action = playout_action(state, seat, reader, settings, rng)
        if explores:
            index = select(tree, parent, decision, mask, untried, exploration, widening)
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
def write_guess(state, seat, reader, margin, worth):
    """Write the estimated worth of a game under way: the network's value if it has one, else leads.

    The network's value counts for `seat` and its partners; the other sides share its negative.
    """
    network, observation = reader.network, reader.observation
    if not network.has_value:
        write_leads(state, worth[0])
        for player in range(state.num_players):
            worth[0, player] *= margin
        return
    write_observation(state, seat, observation)
    value = value_by_network(network, observation, len(reader.mask), naming(observation))
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
def assess(state, seat, reader, settings, worth):
    """Return the worth of a game to a seat: what it pays, or an estimate if it is under way.

    It is in parts of the most that a game pays, as `caution` and its like expect.
    """
    if state.phase == Phase.OVER:
        write_worth(state, settings.margin, worth)
    else:
        write_guess(state, seat, reader, settings.margin, worth)
    for player in range(state.num_players):
        worth[0, player] *= settings.unit
    return worth[0, seat]


@template
def play_candidate(deal, action, root, scratch, settings, explores, goes_on, rng):
    """Play an action and play out the game; return its worth to the seat that decided, at the
    horizon and at the far horizon.

    Args:
        deal: a determinization, a state; not changed.
        action: the candidate to play.
        root: index of the candidate's root in the tree.
        scratch: `Scratch`, written.
        settings: `Settings`.
        explores: whether the tree explores, or plays the actions that it trusts.
        goes_on: whether to play on to the far horizon; else both worths are the same.
        rng: int64[4], the RNG, advanced.
    """
    scratch.states[1] = deal
    state, seat = scratch.states[1], deal.actor
    mask, worth = borrowed(scratch.masks[0]), scratch.worth
    reader = Reader(mask, borrowed(scratch.observation), scratch.network)
    has_tree, length = len(scratch.tree) > 0, 1
    scratch.path[0] = root, seat
    step(state, action, mask)
    if has_tree:
        length = walk_tree(state, reader, scratch, settings, explores, rng)
    begun, left = round_number(deal), settings.horizon
    play_on(state, seat, left, begun, reader, settings, rng)
    near = far = assess(state, seat, reader, settings, worth)
    if has_tree:
        credit(scratch.tree, scratch.path, length, worth[0])
    if goes_on and state.phase != Phase.OVER:
        begun, left = round_number(state), settings.far_horizon - settings.horizon
        step(state, playout_action(state, seat, reader, settings, rng), mask)
        play_on(state, seat, left, begun, reader, settings, rng)
        far = assess(state, seat, reader, settings, worth)
    return near, far


@template
def deal_by_beliefs(view, scratch, rng):
    """Write a determinization to states[0]: one of DRAWS, in proportion to their likelihoods.

    As DRAWS grows this becomes the distribution that the beliefs describe (sampling-importance
    resampling, Rubin 1988). The choice adds Gumbel noise to log likelihoods, which cannot overflow.
    """
    best = -np.inf
    for _ in range(DRAWS):
        scratch.states[1] = view[0]
        determinize_row(scratch.states[1], rng)
        noise = -np.log(-np.log((next_word(rng) + 0.5) / (1 << 32)))
        score = likelihood_of_hands(scratch.states[1], scratch.beliefs) + noise
        if score > best:
            best = score
            scratch.states[0] = scratch.states[1]


@template
def play_all(view, candidates, scratch, settings, explores, goes_on, rng, values):
    """Play every active candidate in one determinization with the same random numbers.

    Args:
        view: STATE[1], of the seat to decide.
        candidates: `Candidates`, read only.
        scratch: `Scratch`, written.
        settings: `Settings`.
        explores: whether the trees explore.
        goes_on: whether to play on to the far horizon.
        rng: int64[4], the RNG, advanced.
        values: float64[k, 2], written: the worth of each active candidate at the horizon and at the
            far horizon.
    """
    deal = scratch.states[0]
    if len(scratch.beliefs) > 0:
        deal_by_beliefs(view, scratch, rng)
    else:
        scratch.states[0] = view[0]
        determinize_row(deal, rng)
    luck, same_luck = np.zeros(4, np.int64), np.zeros(4, np.int64)
    spawn_into(rng, luck)
    for candidate in np.flatnonzero(candidates.active):
        same_luck[:] = luck
        action = candidates.actions[candidate]
        values[candidate] = play_candidate(
            deal, action, candidate, scratch, settings, explores, goes_on, same_luck
        )


@templates.long_template
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
    sums, reference = candidates.sums, candidates.reference
    values = np.zeros((len(sums), 2), np.float64)
    goes_on = settings.far_horizon > 0 and sums[reference, 0] >= FEW
    for _ in range(determinizations):
        play_all(view, candidates, scratch, settings, False, goes_on, rng, values)
        for candidate in np.flatnonzero(candidates.active):
            near, far = values[candidate] - values[reference]
            sums[candidate, 0] += 1
            sums[candidate, 1] += values[candidate, 0]
            sums[candidate, 2] += near
            sums[candidate, 3] += near * near
            if goes_on:
                sums[candidate, 5] += 1
                sums[candidate, 6] += far - near
                sums[candidate, 7] += (far - near) ** 2
    if len(scratch.tree) > 0 and sums[reference, 0] >= FEW:
        play_all(view, candidates, scratch, settings, True, False, rng, values)
        for candidate in np.flatnonzero(candidates.active):
            sums[candidate, 4] += 1


@entry_template
def look(view, reader, policy, rng):
    """Write the legal actions of the seat to decide, and return the policy's action."""
    write_mask(view[0], reader.mask)
    return policy_action(view[0], reader, policy, rng)


def placeholders_of(game: Game) -> dict[str, Any]:
    """Return the functions of a game that take the place of the placeholders, by name."""
    scripted = scripted_in(game)
    heuristic, symmetry = scripted.heuristic, scripted.symmetry
    known = {
        "heuristic_action": heuristic.choose_action if heuristic else no_heuristic,
        "heuristic_weights": heuristic.weights[0] if heuristic else np.zeros(0),
        "naming": symmetry.naming if symmetry else one_naming,
        "likelihood_of_hands": without_hands if scripted.seat_field is None else by_weights,
    }
    offered = game.mechanics._asdict()
    return known | {slot: offered[slot] for slot in templates.placeholders & set(offered)}


@cache
def functions_of(game: Game) -> dict[str, Compiled]:
    """Return the entry points `look` and `sweep` for a game; each is compiled at its first call."""
    return templates.specialise(game.name, placeholders_of(game))


def make_scratch(
    table: Table, row: np.dtype, tree: bool, network: Perceptron, beliefs: np.ndarray
) -> Scratch:
    return Scratch(
        states=np.zeros(2, row),
        beliefs=beliefs,
        observation=np.zeros(table.observation_size, np.int8),
        masks=np.zeros((2, table.num_actions), np.int8),
        worth=np.zeros((2, table.num_players), np.float32),
        tree=np.zeros(MAX_NODES if tree else 0, NODE),
        size=np.zeros(1, np.int64),
        path=np.zeros((MAX_DEPTH + 1, 2), np.int64),
        network=network._replace(
            values=np.zeros_like(network.values), used=np.zeros_like(network.used)
        ),
    )
