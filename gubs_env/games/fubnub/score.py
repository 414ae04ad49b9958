"""Who takes a hand, who wins the game, payoffs (sections 5 and 6)."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from gubs_env.games.choosing import choose
from gubs_env.games.compilation import inlined, rule
from gubs_env.games.fubnub.cards import NO_CARD, NUM_CARDS, RANK
from gubs_env.games.fubnub.state import NOBODY, Phase, is_ghost, pile_of, seat_at


@inlined
def hand_winner(game):
    """The seat with most tricks, in teams one of the side with most.

    A tie goes to the highest card among the tricks the tied have won (F13).
    """
    best, best_rank = 0, -1
    for seat in range(game.num_seats):
        tricks = int(game.tricks_won[seat])
        if game.teams:
            tricks += int(game.tricks_won[seat ^ 2])
        rank = tricks * NUM_CARDS + int(game.best_won[seat])
        if rank > best_rank:
            best, best_rank = seat, rank
    return best


@inlined
def points(game, seat):
    """Point cards in the pile of a seat, or of its side."""
    return game.owned[pile_of(game, seat)].sum()


@inlined
def best_points(game):
    best = 0
    for seat in range(game.num_seats):
        best = max(best, points(game, seat))
    return best


@inlined
def draw_from_deck(game, seat, deck):
    """One number card out of a full deck, face up before a seat."""
    card = choose(game.rng, deck)
    deck[card] = 0
    game.showdown[seat] = card
    return RANK[NO_CARD, card]


@rule
def end_game(game):
    """The game is over: who won is settled, a final tie by drawing cards (F18)."""
    best = best_points(game)
    tied = 0
    for seat in range(game.num_seats):
        game.won[seat] = points(game, seat) == best
        tied += game.won[seat]
    if tied > 1 and not game.teams and not game.share_ties:
        break_tie(game)
    game.phase = Phase.OVER
    game.actor = 0
    game.asked = game.seat_of[0]


@rule
def break_tie(game):
    """Each tied seat, from the left of the dealer on, draws a card; the highest wins."""
    game.showdown[:] = NO_CARD
    deck = np.ones(NUM_CARDS, np.int8)
    winner, highest = NOBODY, -1
    for steps in range(1, game.num_seats + 1):
        seat = seat_at(game, game.dealer, steps)
        if game.won[seat]:
            rank = draw_from_deck(game, seat, deck)
            if rank > highest:
                winner, highest = seat, rank
    game.won[:] = 0
    game.won[winner] = 1


@inlined
def write_payoffs(game, payoffs):
    """float32[num_players], by player, of a game that is over (section 6).

    Zero-sum over all seats but where ghosts alone win: that costs every player 1.
    """
    winners, living_winners = 0, 0
    for seat in range(game.num_seats):
        winners += game.won[seat]
        living_winners += game.won[seat] and not is_ghost(game, seat)
    losers = game.num_seats - winners
    for player in range(game.num_players):
        if game.truncated or losers == 0:
            payoffs[player] = 0
        elif game.teams or living_winners == 0:
            payoffs[player] = 1 if game.won[game.seat_of[player]] else -1
        else:
            won = game.won[game.seat_of[player]]
            payoffs[player] = 1 / winners if won else -1 / losers


@inlined
def side_of(game, player):
    """What partners have in common: their pile."""
    return pile_of(game, game.seat_of[player])


@inlined
def num_sides(game):
    """Two teams, or every seat for itself; ghosts play too."""
    return 2 if game.teams else game.num_seats


@inlined
def write_leads(game, leads):
    """float32[num_players], by player: point cards less those of the best other side."""
    for player in range(game.num_players):
        own, best_other = game.seat_of[player], 0
        for seat in range(game.num_seats):
            if pile_of(game, seat) != pile_of(game, own):
                best_other = max(best_other, points(game, seat))
        leads[player] = points(game, own) - best_other


@inlined
def is_truncated(game):
    """Whether a game that is over was cut short by `max_cycles` (F19)."""
    return game.truncated == 1


class Decided(Enum):
    """What decided a game."""

    POINTS = "point cards"
    DRAW = "drawing cards"
    SHARED = "shared"
    NOTHING = "cut short"


class Outcome(NamedTuple):
    """How a game ended."""

    scores: tuple[int, ...]
    """Point cards of each player; partners have theirs in common."""
    winners: tuple[int, ...]
    """The players that won; none where ghosts did, or where the game was cut short."""
    decided_by: Decided
    """What decided between the winner and the best of the others."""


def outcome(game: Any) -> Outcome:
    """The outcome of a game that is over; of another, as if it ended now with its ties shared."""
    seats = [int(seat) for seat in game.seat_of[: game.num_players]]
    scores = tuple(int(points(game, seat)) for seat in seats)
    if game.truncated:
        return Outcome(scores, (), Decided.NOTHING)
    won = [int(points(game, s)) == int(best_points(game)) for s in range(game.num_seats)]
    decided_by = Decided.POINTS
    if len({int(pile_of(game, s)) for s, is_best in enumerate(won) if is_best}) > 1:
        decided_by = Decided.SHARED
    if game.phase == Phase.OVER:
        if decided_by is Decided.SHARED and not game.share_ties:
            decided_by = Decided.DRAW
        won = [bool(flag) for flag in game.won[: game.num_seats]]
    winners = tuple(player for player, seat in enumerate(seats) if won[seat])
    return Outcome(scores, winners, decided_by)


def payoffs(game: Any) -> np.ndarray:
    """Payoffs of all players of a game that is over, float32[num_players]."""
    result = np.zeros(game.num_players, np.float32)
    write_payoffs(game, result)
    return result
