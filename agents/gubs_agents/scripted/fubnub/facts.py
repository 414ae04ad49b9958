"""Reading an observation of FUBNUB: a compiled function for each fact.

Seats are relative: 0 is the viewer, 1 the next clockwise; partners sit at 0 and 2. `number` returns
every entry as int64.
"""

from __future__ import annotations

from gubs_env.engine.compiling import compiled, inlined
from gubs_env.games.fubnub.cards import HAND_CARDS, NO_CARD, NUM_CARDS, NUM_POINTS, RANK
from gubs_env.games.fubnub.observation import NUM_PHASES, SLICES
from gubs_env.games.fubnub.rules import MAX_SEATS

# The start of each slice
DECISION = SLICES["decision"].start
MODE = SLICES["mode"].start
OCCUPIED = SLICES["occupied"].start
HAND = SLICES["hand"].start
TRICK = SLICES["trick"].start
PLAYED = SLICES["played"].start
KNOWN = SLICES["known"].start
POINT_CARD = SLICES["point_card"].start
OWNED = SLICES["owned"].start
TRICKS_WON = SLICES["tricks_won"].start
DEALER = SLICES["dealer"].start
GHOST = SLICES["ghost"].start
BLIND = SLICES["blind"].start
FAVOURED = SLICES["favoured"].start

# ----------------------------------------------------------------------------------- the table


@inlined
def number(seen, at):
    return int(seen[at])


@inlined
def first_mark(seen, begins, length):
    """Return the index of the 1 in a one-hot slice, or `length` if there is none."""
    at = 0
    while at < length and seen[begins + at] == 0:
        at += 1
    return at


@inlined
def phase_of(seen):
    return first_mark(seen, DECISION, NUM_PHASES)


@inlined
def in_teams(seen):
    return seen[MODE] == 1


@inlined
def is_there(seen, seat):
    return seen[OCCUPIED + seat] == 1


@inlined
def is_friend(seen, seat):
    """Return whether a seat is on the viewer's side; the viewer is."""
    return seat == 0 or (seat == 2 and in_teams(seen))


@inlined
def plays_at_random(seen, seat):
    """Return whether a seat plays at random: a ghost, or a player who plays without looking."""
    return seen[GHOST + seat] + seen[BLIND + seat] > 0


@inlined
def dealer(seen):
    return first_mark(seen, DEALER, MAX_SEATS)


@compiled
def points(seen, seat):
    """Return the number of point cards in the pile of a seat, or of its side."""
    count = 0
    for point in range(NUM_POINTS):
        count += number(seen, OWNED + seat * NUM_POINTS + point)
    return count


@compiled
def owner(seen, point):
    """Return the other seat that has a point card; 0 if none has."""
    for seat in range(1, MAX_SEATS):
        if seen[OWNED + seat * NUM_POINTS + point]:
            return seat
    return 0


# ----------------------------------------------------------------------------------- number cards


@inlined
def holds(seen, card):
    return seen[HAND + card] == 1


@inlined
def is_favoured(seen, card):
    return seen[FAVOURED + card] == 1


@inlined
def point_of_hand(seen):
    """Return the point card of this hand, which is a row of RANK; the last row stands for none."""
    return first_mark(seen, POINT_CARD, NUM_POINTS)


@compiled
def ranks(seen):
    """Return the rank of each number card in this hand, int8[24]; 23 is the highest."""
    return RANK[point_of_hand(seen)]


@inlined
def is_known(seen, holder, card):
    """Return whether the viewer knows that a card is with a holder: seat 1, 2, 3, or UNDEALT."""
    return seen[KNOWN + (holder - 1) * NUM_CARDS + card] == 1


@inlined
def is_out(seen, card):
    """Return whether a card was played, in this trick or an earlier one."""
    out = 0
    for seat in range(MAX_SEATS):
        at = seat * NUM_CARDS + card
        out += number(seen, TRICK + at) + number(seen, PLAYED + at)
    return out > 0


@compiled
def card_in_trick(seen, seat):
    """Return the card of a seat in the trick, or NO_CARD if it has played none."""
    card = first_mark(seen, TRICK + seat * NUM_CARDS, NUM_CARDS)
    return card if card < NUM_CARDS else NO_CARD


@compiled
def tricks_over(seen):
    over = 0
    for seat in range(MAX_SEATS):
        over += number(seen, TRICKS_WON + seat)
    return over


@compiled
def hand_size(seen, seat):
    """Return the number of cards in the hand of a seat during the tricks."""
    has_played = 0 if card_in_trick(seen, seat) == NO_CARD else 1
    return HAND_CARDS - tricks_over(seen) - has_played
