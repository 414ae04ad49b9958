"""Points, winners and payoffs (section 7)."""

from __future__ import annotations

from enum import Enum
from typing import Any

from gubs_env.engine.compiling import inlined
from gubs_env.engine.outcome import Outcome
from gubs_env.games.gubs.cards import Card
from gubs_env.games.gubs.table import is_trapped


@inlined
def points(state, seat):
    """Return the points of a colony: one for each Free or Protected Gub, and for the Elder."""
    count = 0
    for slot in range(state.colony_size[seat]):
        if not is_trapped(state, seat, slot):
            count += 1
    return count


@inlined
def has_elder(state, seat):
    for slot in range(state.colony_size[seat]):
        if state.colony[seat, slot, Card.ESTEEMED_ELDER] > 0:
            return True
    return False


@inlined
def rank(state, seat):
    """Return a number that ranks seats: by points, then the Elder, then the fewest cards held."""
    return points(state, seat) * 1000 + 500 * has_elder(state, seat) - state.hand_size[seat]


@inlined
def best_rank(state):
    best = rank(state, 0)
    for seat in range(1, state.num_players):
        best = max(best, rank(state, seat))
    return best


@inlined
def write_leads(state, leads):
    """Write the points of each seat less those of the best other seat, float32[num_players]."""
    for seat in range(state.num_players):
        best_other = 0
        for other in range(state.num_players):
            if other != seat:
                best_other = max(best_other, points(state, other))
        leads[seat] = points(state, seat) - best_other


@inlined
def write_payoffs(state, payoffs):
    """Write the payoffs by seat, float32[num_players]: shares of the win, or margins of points."""
    if state.margin_reward:
        write_leads(state, payoffs)
        return
    n, best, winners = state.num_players, best_rank(state), 0
    for seat in range(n):
        winners += rank(state, seat) == best
    for seat in range(n):
        share = 1 / winners if rank(state, seat) == best else 0.0
        payoffs[seat] = (n * share - 1) / (n - 1)


class Decided(Enum):
    """The criterion that decided a game."""

    POINTS = "points"
    ELDER = "Elder"
    HAND_SIZE = "hand size"
    SHARED = "shared"


def outcome(state: Any) -> Outcome:
    """Return the outcome: as the game ended, or as if it ended now."""
    seats = range(state.num_players)
    scores = tuple(int(points(state, seat)) for seat in seats)
    ranks = [int(rank(state, seat)) for seat in seats]
    winners = tuple(seat for seat in seats if ranks[seat] == max(ranks))
    if len(winners) > 1:
        decided_by = Decided.SHARED
    elif scores.count(max(scores)) == 1:
        decided_by = Decided.POINTS
    else:
        decided_by = Decided.ELDER if has_elder(state, winners[0]) else Decided.HAND_SIZE
    return Outcome(scores, winners, decided_by)
