"""Who sits where: the tables at which every deal is played.

A deal is played at every table of the plan, which makes it a duplicate tournament: the luck of the
cards falls on all alike.

2 players
    Every two agents, in both seatings.

3 and more players
    *Duels*: for every ordered pair (A, B), A alone in each seat against n − 1 copies of B.

    *Mixed tables*, in a field of at least n agents: every n of them, in all n! orders for n ≤ 4.
    For n > 4 in the n rotations of one order, a cyclic Latin square: each agent sits once in each
    seat; the order is drawn anew for each deal.

Where there are partners, a whole team counts as one player: its seats are held by the same agent.
"""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np

MOST_PLAYERS_PERMUTED = 4


def duels(num_agents: int, num_sides: int) -> list[tuple[int, ...]]:
    """Tables of two agents each, as agents by side."""
    if num_sides == 2:
        return list(permutations(range(num_agents), 2))
    return [
        tuple(alone if side == own else other for side in range(num_sides))
        for alone, other in permutations(range(num_agents), 2)
        for own in range(num_sides)
    ]


def mixed_tables(num_agents: int, num_sides: int, deal_seed: int) -> list[tuple[int, ...]]:
    """Tables of `num_sides` different agents, as agents by side; none for two sides."""
    if num_sides == 2:
        return []
    seatings: list[tuple[int, ...]] = []
    rng = np.random.default_rng(deal_seed)
    for table in combinations(range(num_agents), num_sides):
        if num_sides <= MOST_PLAYERS_PERMUTED:
            seatings += permutations(table)
        else:
            order = rng.permutation(table)
            seatings += [tuple(np.roll(order, -turns).tolist()) for turns in range(num_sides)]
    return seatings


def seatings_of_deal(num_agents: int, sides: np.ndarray, deal_seed: int) -> np.ndarray:
    """All seatings of a deal, int64[seatings, num_players]: the number of the agent in each seat.

    There are equally many for every deal.

    Args:
        sides: int64[num_players], as `Game.sides` gives them.
    """
    num_sides = int(sides.max()) + 1
    plan = duels(num_agents, num_sides) + mixed_tables(num_agents, num_sides, deal_seed)
    return np.array(plan, np.int64)[:, sides]
