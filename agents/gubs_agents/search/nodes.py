"""The tree of information-set Monte Carlo tree search, as rows of one array.

There is one tree for all determinizations (Cowling, Powley and Whitehouse, "Information set Monte
Carlo tree search", 2012). Each walk down the tree uses another determinization, in which other
actions are legal, so each action counts how often it was *available*. New actions are added as the
visits grow (progressive widening: Coulom, "Computing Elo ratings of move patterns", 2007), the
playout policy's action first.
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.choosing import count_legal
from gubs_env.engine.compiling import compiled, inlined
from gubs_env.engine.fields import row_dtype

NODE = row_dtype(
    [
        ("decision", np.int64),  # seat and phase; only children of one decision are compared
        ("action", np.int64),
        ("visits", np.int64),
        ("available", np.int64),
        ("total", np.float64),  # payoffs of the seat that decided
        ("first_child", np.int64),
        ("next_sibling", np.int64),
    ]
)
NONE = -1


@compiled
def add_node(tree, size, parent, decision, action):
    """Add a child of `parent`, or a root if that is NONE, and return its index.

    Args:
        tree: NODE[capacity], written; there must be room.
        size: int64[1], the number of nodes in use; grows by one.
        parent: index of a node, or NONE.
        decision: number of the seat and phase that decide.
        action: the action that leads to the child.
    """
    index = size[0]
    size[0] += 1
    node = tree[index]
    node.decision = decision
    node.action = action
    node.visits = node.available = 0
    node.total = 0.0
    node.first_child = node.next_sibling = NONE
    if parent != NONE:
        node.next_sibling = tree[parent].first_child
        tree[parent].first_child = index
    return index


@inlined
def is_offered(node, decision, mask):
    return node.decision == decision and mask[node.action] != 0


@compiled
def select(tree, parent, decision, mask, untried, exploration, widening):
    """Return the child to visit, or NONE to try a new action; count legal children as available.

    Args:
        tree: NODE[capacity], written.
        parent: index of the node to select below.
        decision: number of the seat and phase that decide.
        mask: int8[num_actions], the legal actions.
        untried: int8[num_actions], written: the legal actions that have no child yet.
        exploration: weight of the confidence bound.
        widening: the node has at most 1 + widening × √visits children.
    """
    untried[:] = mask
    visits, children = 0, 0
    index = tree[parent].first_child
    while index != NONE:
        node = tree[index]
        if is_offered(node, decision, mask):
            untried[node.action] = 0
            node.available += 1
            visits += node.visits
            children += 1
        index = node.next_sibling
    if children < count_legal(mask) and children <= widening * np.sqrt(visits):
        return NONE
    return best_child(tree, parent, decision, mask, exploration)


@compiled
def trusted_child(tree, parent, decision, mask, preferred, caution):
    """Return the child to play without exploring: the preferred action's, or a clearly better one.

    A child is clearly better if its gain is above `caution` times the squared standard error, for
    payoffs of variance 1. Returns NONE if the preferred action has no child yet.
    """
    trusted = NONE
    index = tree[parent].first_child
    while index != NONE:
        node = tree[index]
        if node.action == preferred and is_offered(node, decision, mask):
            trusted = index
        index = node.next_sibling
    if trusted == NONE:
        return NONE
    reference, best = tree[trusted], 0.0
    index = tree[parent].first_child
    while index != NONE:
        node = tree[index]
        if node.action != preferred and is_offered(node, decision, mask):
            gain = node.total / node.visits - reference.total / reference.visits
            excess = gain - caution * (1 / node.visits + 1 / reference.visits)
            if excess > best:
                trusted, best = index, excess
        index = node.next_sibling
    return trusted


@compiled
def best_child(tree, parent, decision, mask, exploration):
    """Return the child with the highest upper confidence bound (UCB1 over availability)."""
    best, best_bound = NONE, -np.inf
    index = tree[parent].first_child
    while index != NONE:
        node = tree[index]
        if is_offered(node, decision, mask):
            mean = node.total / node.visits
            bound = mean + exploration * np.sqrt(np.log(node.available) / node.visits)
            if bound > best_bound:
                best, best_bound = index, bound
        index = node.next_sibling
    return best


@compiled
def credit(tree, path, length, payoffs):
    """Add the payoffs of a game to every node on the path, each for the seat that decided there.

    Args:
        tree: NODE[capacity], written.
        path: int64[…, 2]: nodes, and the seats that decided for them.
        length: number of entries of `path` that count.
        payoffs: float32[num_players].
    """
    for depth in range(length):
        node = tree[path[depth, 0]]
        node.visits += 1
        node.total += payoffs[path[depth, 1]]
