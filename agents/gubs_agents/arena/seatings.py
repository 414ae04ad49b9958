"""The seatings of a tournament: the tables at which every deal is played.

A *match* is a set of agents together with all the tables that give each of them the same chances.
For example, agents A and B with two players: A in seat 0 and B in seat 1, and the other way round.
Every deal is played in every match, as in duplicate bridge, so that all agents get the same cards.

2 players
    Every two agents, in both seatings.

3 and more players
    *Duels*: for every ordered pair (A, B), A alone in each seat against n − 1 copies of B.

    *Mixed tables*, with at least n agents: every n different agents. For n ≤ 4 they sit in all n!
    orders. For n > 4 they sit in the n rotations of one order, a cyclic Latin square: each agent
    sits once in each seat. The order is drawn anew for each deal.

For slow agents, each deal can be played in only some of its matches. The matches are assigned to
deals in turn, so that over many deals all are played equally often.

In games with partners, a whole team counts as one player: one agent holds all its seats.
"""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np

MOST_PLAYERS_PERMUTED = 4
Match = list[tuple[int, ...]]
"""The tables of a match, each the indices of the agents by side."""


def duels(num_agents: int, num_sides: int) -> list[Match]:
    """Return the matches between two agents."""
    pairs = combinations if num_sides == 2 else permutations
    return [duel(alone, other, num_sides) for alone, other in pairs(range(num_agents), 2)]


def duel(alone: int, other: int, num_sides: int) -> Match:
    """Return the match of one agent, alone on each side in turn, against copies of another."""
    sides = range(num_sides)
    return [tuple(alone if side == place else other for side in sides) for place in sides]


def mixed_tables(num_agents: int, num_sides: int, deal_seed: int) -> list[Match]:
    """Return the matches of `num_sides` different agents; none for two sides."""
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
    """Return the matches in which a deal is played: all, or `matches` of them."""
    plan = duels(num_agents, num_sides) + mixed_tables(num_agents, num_sides, deal_seed)
    if matches is None or matches >= len(plan):
        return plan
    deals = len(plan) // matches  # consecutive deals that share one shuffled list of matches
    order = np.random.default_rng(deal_seed // deals).permutation(len(plan))
    start = deal_seed % deals * matches
    return [plan[k] for k in order[start : start + matches]]


def seatings_of_deal(
    num_agents: int, sides: np.ndarray, deal_seed: int, matches: int | None = None
) -> np.ndarray:
    """Return the seatings of a deal, int64[seatings, num_players]: the agent index in each seat.

    Args:
        num_agents: number of agents in the tournament.
        sides: int64[num_players]: the side of each player, as `Game.sides` returns it.
        deal_seed: seed of the deal.
        matches: number of matches to play the deal in; None means all.
    """
    chosen = matches_of_deal(num_agents, int(sides.max()) + 1, deal_seed, matches)
    return np.array([table for match in chosen for table in match], np.int64)[:, sides]
