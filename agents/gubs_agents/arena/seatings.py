"""Who sits where: the tables at which every deal is played.

A *match* is a set of agents at all the tables that give each of them the same chances. A deal is
played in every match, which makes it a duplicate tournament: the luck of the cards falls on all
alike.

2 players
    Every two agents, in both seatings.

3 and more players
    *Duels*: for every ordered pair (A, B), A alone in each seat against n − 1 copies of B.

    *Mixed tables*, in a field of at least n agents: every n of them, in all n! orders for n ≤ 4.
    For n > 4 in the n rotations of one order, a cyclic Latin square: each agent sits once in each
    seat; the order is drawn anew for each deal.

Where players take long, each deal may be played in some of the matches only. These are dealt out
like cards, so that over many deals all are played equally often.

Where there are partners, a whole team counts as one player: its seats are held by the same agent.
"""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np

MOST_PLAYERS_PERMUTED = 4
Match = list[tuple[int, ...]]
"""Tables, as agents by side."""


def duels(num_agents: int, num_sides: int) -> list[Match]:
    """The matches between two agents."""
    if num_sides == 2:
        return [list(permutations(pair)) for pair in combinations(range(num_agents), 2)]
    return [
        [tuple(alone if side == own else other for side in range(num_sides))
         for own in range(num_sides)]
        for alone, other in permutations(range(num_agents), 2)
    ]  # fmt: skip


def mixed_tables(num_agents: int, num_sides: int, deal_seed: int) -> list[Match]:
    """The matches of `num_sides` different agents; none for two sides."""
    if num_sides == 2:
        return []
    tables = combinations(range(num_agents), num_sides)
    if num_sides <= MOST_PLAYERS_PERMUTED:
        return [list(permutations(table)) for table in tables]
    rng = np.random.default_rng(deal_seed)
    orders = [rng.permutation(table) for table in tables]
    return [
        [tuple(np.roll(order, -turns).tolist()) for turns in range(num_sides)] for order in orders
    ]


def matches_of_deal(
    num_agents: int, num_sides: int, deal_seed: int, matches: int | None = None
) -> list[Match]:
    """The matches in which a deal is played: all, or so many of them."""
    plan = duels(num_agents, num_sides) + mixed_tables(num_agents, num_sides, deal_seed)
    if matches is None or matches >= len(plan):
        return plan
    deals = len(plan) // matches  # to which the shuffled matches are dealt out
    order = np.random.default_rng(deal_seed // deals).permutation(len(plan))
    start = deal_seed % deals * matches
    return [plan[k] for k in order[start : start + matches]]


def seatings_of_deal(
    num_agents: int, sides: np.ndarray, deal_seed: int, matches: int | None = None
) -> np.ndarray:
    """The seatings of a deal, int64[seatings, num_players]: the number of the agent in each seat.

    Args:
        sides: int64[num_players], as `Game.sides` gives them.
        matches: how many, or None for all.
    """
    drawn = matches_of_deal(num_agents, int(sides.max()) + 1, deal_seed, matches)
    return np.array([table for match in drawn for table in match], np.int64)[:, sides]
