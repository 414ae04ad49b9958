"""The tree of information-set Monte-Carlo search, as rows of one array.

Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search" (2012): one tree over what
the searcher sees, walked with another determinization each time, so that a move counts how often it
was *available*. Moves are tried one after the other as visits grow (progressive widening: Coulom,
"Computing Elo ratings of move patterns", 2007), the playout policy's own first.
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.compilation import compiled, inlined

NODE = np.dtype(
    (
        np.record,
        [
            ("decision", np.int64),  # who decided what: seats and sorts of decision never mix
            ("action", np.int64),
            ("visits", np.int64),
            ("available", np.int64),
            ("total", np.float64),  # payoffs of the seat that decided
            ("first_child", np.int64),
            ("next_sibling", np.int64),
        ],
    )
)
NONE = -1


@compiled
def add_node(tree, size, parent, decision, action):
    """A new child of `parent`, or a root for NONE; returns its index. `size` is int64[1]."""
    index = size[0]
    size[0] += 1
    node = tree[index]
    node.decision = decision
    node.action = action
    node.visits = 0
    node.available = 0
    node.total = 0.0
    node.first_child = NONE
    node.next_sibling = NONE
    if parent != NONE:
        node.next_sibling = tree[parent].first_child
        tree[parent].first_child = index
    return index


@inlined
def is_offered(node, decision, mask):
    return node.decision == decision and mask[node.action] != 0


@compiled
def select(tree, parent, decision, mask, untried, exploration, widening):
    """The child to visit, or NONE to try another move; all that are legal count as available.

    `untried`, int8[num_actions], is written: the legal moves that have no child yet.
    """
    untried[:] = mask
    visits, children, moves = 0, 0, 0
    index = tree[parent].first_child
    while index != NONE:
        node = tree[index]
        if is_offered(node, decision, mask):
            untried[node.action] = 0
            node.available += 1
            visits += node.visits
            children += 1
        index = node.next_sibling
    for action in range(len(mask)):
        moves += mask[action]
    if children < moves and children <= widening * np.sqrt(visits):
        return NONE
    return best_child(tree, parent, decision, mask, exploration)


@compiled
def trusted_child(tree, parent, decision, mask, preferred, caution):
    """The child to play without exploring: that of the preferred action, or a surely better one.

    Better is a gain above `caution` times the squared standard error, for payoffs of variance 1.
    NONE where the preferred action has no child yet.
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
    """The child with the highest upper confidence bound (UCB1 over availability)."""
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
    """Add a game's payoffs to every node on the path, each from the seat that decided there.

    Args:
        path: int64[…, 2]: a node, and who decided for it; `length` of them count.
        payoffs: float32[num_players].
    """
    for depth in range(length):
        node = tree[path[depth, 0]]
        node.visits += 1
        node.total += payoffs[path[depth, 1]]
