"""Points, winners and payoffs (section 7)."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from gubs_env.games.compilation import inlined
from gubs_env.games.gubs.cards import Card
from gubs_env.games.gubs.table import is_trapped


@inlined
def points(game, seat):
    """Free and Protected Gubs and the Elder in a colony, one point each."""
    count = 0
    for slot in range(game.colony_size[seat]):
        if not is_trapped(game, seat, slot):
            count += 1
    return count


@inlined
def has_elder(game, seat):
    for slot in range(game.colony_size[seat]):
        if game.colony[seat, slot, Card.ESTEEMED_ELDER] > 0:
            return True
    return False


@inlined
def rank(game, seat):
    """A number that orders seats as the rules do: points, the Elder, then fewest cards held."""
    return points(game, seat) * 1000 + 500 * has_elder(game, seat) - game.hand_size[seat]


@inlined
def write_payoffs(game, payoffs):
    """float32[num_players], by absolute seat: zero-sum shares of the win, or margins of points."""
    n = game.num_players
    for seat in range(n):
        best_other = -1000
        shared_by = 0
        best_points = 0
        for other in range(n):
            if other != seat:
                best_other = max(best_other, rank(game, other))
                best_points = max(best_points, points(game, other))
            if rank(game, other) == rank(game, seat):
                shared_by += 1
        share = 1 / shared_by if rank(game, seat) >= best_other else 0.0
        if game.margin_reward:
            payoffs[seat] = points(game, seat) - best_points
        else:
            payoffs[seat] = (n * share - 1) / (n - 1)


@inlined
def write_leads(game, leads):
    """float32[num_players], by absolute seat: points less those of the best of the others."""
    for seat in range(game.num_players):
        best_other = 0
        for other in range(game.num_players):
            if other != seat:
                best_other = max(best_other, points(game, other))
        leads[seat] = points(game, seat) - best_other


class Decided(Enum):
    """What decided a game."""

    POINTS = "points"
    ELDER = "Elder"
    HAND_SIZE = "hand size"
    SHARED = "shared"


class Outcome(NamedTuple):
    """How a game ended."""

    scores: tuple[int, ...]
    """Points of each seat."""
    winners: tuple[int, ...]
    """The seat that won, or the seats that share the win."""
    decided_by: Decided
    """What decided between the winner and the best of the others."""


def outcome(game: Any) -> Outcome:
    """The outcome if the game ended as it stands now."""
    seats = range(game.num_players)
    scores = tuple(int(points(game, seat)) for seat in seats)
    ranks = [int(rank(game, seat)) for seat in seats]
    winners = tuple(seat for seat in seats if ranks[seat] == max(ranks))
    if len(winners) > 1:
        decided_by = Decided.SHARED
    elif scores.count(max(scores)) == 1:
        decided_by = Decided.POINTS
    else:
        decided_by = Decided.ELDER if has_elder(game, winners[0]) else Decided.HAND_SIZE
    return Outcome(scores, winners, decided_by)


def payoffs(game: Any) -> np.ndarray:
    """Payoffs of all seats, float32[num_players], if the game ended as it stands now."""
    result = np.zeros(game.num_players, np.float32)
    write_payoffs(game, result)
    return result
