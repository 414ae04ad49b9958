"""Reading an observation of FUBNUB: a compiled function for each fact.

Seats are relative: 0 is the viewer, 1 the next clockwise; partners sit at 0 and 2. `number` returns
every entry as int64.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from gubs_env.engine.compiling import compiled, inlined
from gubs_env.games.fubnub.cards import HAND_CARDS, NO_CARD, NUM_CARDS, NUM_POINTS, RANK
from gubs_env.games.fubnub.observation import NUM_PHASES, SLICES
from gubs_env.games.fubnub.rules import MAX_SEATS

AT: Any = namedtuple("Starts", SLICES)(**{name: each.start for name, each in SLICES.items()})
"""The start of each slice of the observation."""

# ----------------------------------------------------------------------------------- the table


@inlined
def number(sight, at):
    return int(sight[at])


@inlined
def first_mark(sight, begins, length):
    """Return the index of the 1 in a one-hot slice, or `length` if there is none."""
    at = 0
    while at < length and sight[begins + at] == 0:
        at += 1
    return at


@inlined
def phase_of(sight):
    return first_mark(sight, AT.decision, NUM_PHASES)


@inlined
def in_teams(sight):
    return sight[AT.mode] == 1


@inlined
def is_there(sight, seat):
    return sight[AT.occupied + seat] == 1


@inlined
def is_friend(sight, seat):
    """Return whether a seat is on the viewer's side; the viewer is."""
    return seat == 0 or (seat == 2 and in_teams(sight))


@inlined
def plays_at_random(sight, seat):
    """Return whether a seat plays at random: a ghost, or a player who plays without looking."""
    return sight[AT.ghost + seat] + sight[AT.blind + seat] > 0


@inlined
def dealer(sight):
    return first_mark(sight, AT.dealer, MAX_SEATS)


@compiled
def points(sight, seat):
    """Return the number of point cards in the pile of a seat, or of its side."""
    count = 0
    for point in range(NUM_POINTS):
        count += number(sight, AT.owned + seat * NUM_POINTS + point)
    return count


@compiled
def owner(sight, point):
    """Return the other seat that has a point card; 0 if none has."""
    for seat in range(1, MAX_SEATS):
        if sight[AT.owned + seat * NUM_POINTS + point]:
            return seat
    return 0


# ----------------------------------------------------------------------------------- number cards


@inlined
def holds(sight, card):
    return sight[AT.hand + card] == 1


@inlined
def is_favoured(sight, card):
    return sight[AT.favoured + card] == 1


@inlined
def point_of_hand(sight):
    """Return the point card of this hand, which is a row of RANK; the last row stands for none."""
    return first_mark(sight, AT.point_card, NUM_POINTS)


@compiled
def ranks(sight):
    """Return the rank of each number card in this hand, int8[24]; 23 is the highest."""
    return RANK[point_of_hand(sight)]


@inlined
def is_known(sight, holder, card):
    """Return whether the viewer knows that a card is with a holder: seat 1, 2, 3, or UNDEALT."""
    return sight[AT.known + (holder - 1) * NUM_CARDS + card] == 1


@inlined
def is_out(sight, card):
    """Return whether a card was played, in this trick or an earlier one."""
    out = 0
    for seat in range(MAX_SEATS):
        at = seat * NUM_CARDS + card
        out += number(sight, AT.trick + at) + number(sight, AT.played + at)
    return out > 0


@compiled
def card_in_trick(sight, seat):
    """Return the card of a seat in the trick, or NO_CARD if it has played none."""
    card = first_mark(sight, AT.trick + seat * NUM_CARDS, NUM_CARDS)
    return card if card < NUM_CARDS else NO_CARD


@compiled
def best_in_trick(sight, rank):
    """Return the highest rank in the trick of the viewer's side and of the others; −1 if none."""
    ours, theirs = -1, -1
    for seat in range(MAX_SEATS):
        card = card_in_trick(sight, seat)
        if card != NO_CARD and is_friend(sight, seat):
            ours = max(ours, int(rank[card]))
        elif card != NO_CARD:
            theirs = max(theirs, int(rank[card]))
    return ours, theirs


@compiled
def tricks_over(sight):
    over = 0
    for seat in range(MAX_SEATS):
        over += number(sight, AT.tricks_won + seat)
    return over


@compiled
def hand_size(sight, seat):
    """Return the number of cards in the hand of a seat during the tricks."""
    has_played = 0 if card_in_trick(sight, seat) == NO_CARD else 1
    return HAND_CARDS - tricks_over(sight) - has_played
