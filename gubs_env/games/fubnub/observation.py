"""The observation: named slices of one int8 vector, declared once.

The observation space and the table in the docs follow from this declaration. Seats are relative: 0
is the viewer, 1 the next seat clockwise. There are always four; the entries of a seat that is not
at the table are zeros. The vector holds only what the viewer may know (section 9): public
information, their own hand, and what they remember.
"""

from __future__ import annotations

import numpy as np

from gubs_env._compiler.arrays import copy_counts
from gubs_env._compiler.compilation import inlined
from gubs_env.engine.seats import NOBODY, seat_at, steps_to
from gubs_env.engine.slices import Slice, lay_out
from gubs_env.games.fubnub.cards import (
    FAVOURED,
    HAND_CARDS,
    NO_CARD,
    NUM_ACTION_CARDS,
    NUM_CARDS,
    NUM_POINTS,
)
from gubs_env.games.fubnub.rules import MAX_SEATS
from gubs_env.games.fubnub.state import MOST_SWAPS, UNDEALT, Phase, is_ghost, pile_of

NUM_PHASES = 10  # without Phase.OVER, where nobody decides
MOST_HANDS = 127  # the largest int8
DIGIT = 128  # the base in which larger numbers are written


SEATS = (MAX_SEATS,)
CARDS = (NUM_CARDS,)
CARDS_OF_SEATS = (MAX_SEATS, NUM_CARDS)
POINTS = (NUM_POINTS,)
DECLARED = (
    ("decision", (NUM_PHASES,), 1, "your decision, one-hot by Phase; zeros when you have none"),
    ("mode", (4,), 1, "flags: teams, ghosts at the table, everybody alone, Full Deck"),
    ("occupied", SEATS, 1, "seats at the table, ghosts included"),
    ("hand", CARDS, 1, "your hand; zeros while you play it unseen"),
    ("drawn", CARDS, 1, "the card you just drew or took and must not give back"),
    ("trick", CARDS_OF_SEATS, 1, "the card of each seat in the current trick, one-hot"),
    ("played", CARDS_OF_SEATS, 1, "the cards of each seat in earlier tricks of this hand"),
    (
        "known",
        CARDS_OF_SEATS,
        1,
        "cards you know to be in the hands of seats 1, 2, 3, and among the undealt",
    ),
    ("favoured", CARDS, 1, "the number cards that the point card in play favours"),
    ("point_card", POINTS, 1, "the point card in play, one-hot"),
    ("point_deck", POINTS, 1, "point cards still in the deck"),
    ("owned", (MAX_SEATS, NUM_POINTS), 1, "point cards earned by each seat; in teams by its side"),
    ("limbo", POINTS, 1, "point cards in limbo"),
    ("absent", POINTS, 1, "point cards not in this game"),
    ("tricks_won", SEATS, HAND_CARDS, "tricks each seat won in this hand"),
    ("dealer", SEATS, 1, "the seat that deals, one-hot"),
    ("leader", SEATS, 1, "the seat that leads the trick, one-hot"),
    ("caller", SEATS, 1, "the seat that put the point card in play, one-hot"),
    ("ghost", SEATS, 1, "seats of ghosts"),
    ("blind", SEATS, 1, "seats that play this hand unseen"),
    ("rapid", SEATS, 1, "the seat that leads every trick of this hand, one-hot"),
    ("round", (2,), 1, "first or second round of the decision cycle, one-hot"),
    ("passed", SEATS, 1, "seats that passed in this round"),
    ("reversed", (1,), 1, "play goes counter-clockwise"),
    ("swaps_left", SEATS, MOST_SWAPS, "swaps each seat may still make in this hand"),
    ("swaps_made", SEATS, MOST_SWAPS, "swaps each seat has made in this hand"),
    ("action_gone", (NUM_ACTION_CARDS,), 1, "action cards that are no longer in the stack"),
    ("action_card", (NUM_ACTION_CARDS,), 1, "the action card revealed in this hand, one-hot"),
    (
        "target",
        (1,),
        NUM_POINTS,
        "point cards that a team needs to win; without teams, point cards in the game",
    ),
    ("hands", (1,), MOST_HANDS, f"hands dealt so far, capped at {MOST_HANDS}"),
    ("phase", (NUM_PHASES,), 1, "the decision that is due, one-hot by Phase"),
    ("awaited", SEATS, 1, "the seat that has to make it, one-hot"),
    ("tricks", (HAND_CARDS, NUM_CARDS), 1, "the cards of each earlier trick of this hand"),
    ("trick_winners", (HAND_CARDS, MAX_SEATS), 1, "the seat that won each of them, one-hot"),
    ("under", (1,), NUM_CARDS, "cards returned beneath the undealt ones"),
    (
        "showdown",
        SEATS,
        NUM_CARDS,
        "the card each seat drew for the first deal, or at the end to break a tie: 1 + its number",
    ),
    ("last_winner", SEATS, 1, "the seat that won the hand before, one-hot"),
    ("last_award", POINTS, 1, "the point cards that it won by that hand"),
    ("won", SEATS, 1, "the seats that won the game"),
    ("rules", (2,), 1, "rule options, as flags: final_tie='share', move_points"),
    ("allowed", POINTS, 1, "the point cards that those of this game are chosen from"),
    (
        "decisions_left",
        (2,),
        DIGIT - 1,
        f"decisions left before max_cycles, capped: {DIGIT} × the first number + the second",
    ),
)


SLICES = lay_out(DECLARED)


def observation_slices(num_players: int) -> dict[str, Slice]:
    """Return the slices of the observation in order, by name; the same for any `num_players`."""
    return dict(SLICES)


def lead(observations: np.ndarray, num_players: int) -> np.ndarray:
    """Return the viewer's point cards less those of the best opponent, float32[batch]."""
    piles = SLICES["owned"].of(observations).sum(axis=-1, dtype=np.float32)
    in_teams = SLICES["mode"].of(observations)[:, 0] == 1
    opponents = np.where(in_teams[:, None], piles[:, [1, 1, 3]], piles[:, 1:])
    return piles[:, 0] - opponents.max(axis=1)


# Each of these functions writes its slices from entry `at` on, and returns the entry after them.


@inlined
def write_table(state, viewer, out, at):
    """Write decision, mode, occupied."""
    if state.asked == viewer and state.phase != Phase.OVER:
        out[at + state.phase] = 1
    at += NUM_PHASES
    out[at] = state.teams
    out[at + 1] = state.num_players < state.num_seats
    out[at + 2] = 1 - state.teams
    out[at + 3] = state.action_deck_used
    at += 4
    for steps in range(state.num_seats):
        out[at + steps] = 1
    return at + MAX_SEATS


@inlined
def write_number_cards(state, viewer, out, at):
    """Write hand, drawn, trick, played, known, favoured."""
    if not state.blind[viewer]:
        copy_counts(out, at, state.hand[viewer])
    at += NUM_CARDS
    if state.asked == viewer and state.drawn != NO_CARD:
        out[at + state.drawn] = 1
    at += NUM_CARDS
    for steps in range(state.num_seats):
        seat = seat_at(state, viewer, steps)
        copy_counts(out, at + steps * NUM_CARDS, state.trick[seat])
        copy_counts(out, at + (MAX_SEATS + steps) * NUM_CARDS, state.played[seat])
    at += 2 * MAX_SEATS * NUM_CARDS
    for steps in range(1, state.num_seats):
        holder = seat_at(state, viewer, steps)
        copy_counts(out, at + (steps - 1) * NUM_CARDS, state.known[viewer, holder])
    copy_counts(out, at + (MAX_SEATS - 1) * NUM_CARDS, state.known[viewer, UNDEALT])
    at += MAX_SEATS * NUM_CARDS
    if state.point_card != NO_CARD:
        copy_counts(out, at, FAVOURED[state.point_card])
    return at + NUM_CARDS


@inlined
def write_point_cards(state, viewer, out, at):
    """Write point_card, point_deck, owned, limbo, absent."""
    if state.point_card != NO_CARD:
        out[at + state.point_card] = 1
    at = copy_counts(out, at + NUM_POINTS, state.point_deck)
    for steps in range(state.num_seats):
        pile = pile_of(state, seat_at(state, viewer, steps))
        copy_counts(out, at + steps * NUM_POINTS, state.owned[pile])
    at = copy_counts(out, at + MAX_SEATS * NUM_POINTS, state.limbo)
    return copy_counts(out, at, state.absent)


@inlined
def mark_seat(state, viewer, seat, out, at):
    """Write a seat, one-hot; nothing for NOBODY."""
    if seat != NOBODY:
        out[at + steps_to(state, viewer, seat)] = 1
    return at + MAX_SEATS


@inlined
def write_seats(state, viewer, out, at):
    """Write tricks_won, dealer, leader, caller, ghost, blind, rapid."""
    ghosts = at + 4 * MAX_SEATS
    for steps in range(state.num_seats):
        seat = seat_at(state, viewer, steps)
        out[at + steps] = state.tricks_won[seat]
        out[ghosts + steps] = is_ghost(state, seat)
        out[ghosts + MAX_SEATS + steps] = state.blind[seat]
    at = mark_seat(state, viewer, state.dealer, out, at + MAX_SEATS)
    at = mark_seat(state, viewer, state.leader, out, at)
    mark_seat(state, viewer, state.caller, out, at)
    return mark_seat(state, viewer, state.rapid, out, ghosts + 2 * MAX_SEATS)


@inlined
def write_hand_course(state, viewer, out, at):
    """Write round, passed, reversed, swaps_left, swaps_made."""
    out[at + state.cycle] = 1
    at += 2
    out[at + MAX_SEATS] = state.direction < 0
    left = at + MAX_SEATS + 1
    for steps in range(state.num_seats):
        seat = seat_at(state, viewer, steps)
        out[at + steps] = state.passed[seat]
        out[left + steps] = state.entitled[seat] - state.swapped[seat]
        out[left + MAX_SEATS + steps] = state.swapped[seat]
    return left + 2 * MAX_SEATS


@inlined
def write_action_cards(state, out, at):
    """Write action_gone, action_card, target, hands."""
    at = copy_counts(out, at, state.action_gone)
    if state.action_card != NO_CARD:
        out[at + state.action_card] = 1
    at += NUM_ACTION_CARDS
    out[at] = state.num_points // 2 + 1 if state.teams else state.num_points
    out[at + 1] = min(state.hands, MOST_HANDS)
    return at + 2


@inlined
def write_due(state, viewer, out, at):
    """Write phase, awaited."""
    if state.phase != Phase.OVER:
        out[at + state.phase] = 1
        mark_seat(state, viewer, state.asked, out, at + NUM_PHASES)
    return at + NUM_PHASES + MAX_SEATS


@inlined
def write_tricks(state, viewer, out, at):
    """Write tricks, trick_winners, under, showdown."""
    at = copy_counts(out, at, state.tricks)
    for trick in range(HAND_CARDS):
        at = mark_seat(state, viewer, state.trick_winner[trick], out, at)
    out[at] = state.num_under
    at += 1
    for steps in range(state.num_seats):
        out[at + steps] = state.showdown[seat_at(state, viewer, steps)] + 1
    return at + MAX_SEATS


@inlined
def write_last_hand(state, viewer, out, at):
    """Write last_winner, last_award, won."""
    at = mark_seat(state, viewer, state.last_winner, out, at)
    at = copy_counts(out, at, state.last_award)
    for steps in range(state.num_seats):
        out[at + steps] = state.won[seat_at(state, viewer, steps)]
    return at + MAX_SEATS


@inlined
def write_rules(state, out, at):
    """Write rules, allowed, decisions_left."""
    out[at] = state.share_ties
    out[at + 1] = state.move_points
    at = copy_counts(out, at + 2, state.allowed_points)
    left = min(max(state.max_cycles - state.decisions, 0), DIGIT * DIGIT - 1)
    out[at] = left // DIGIT
    out[at + 1] = left % DIGIT
    return at + 2


@inlined
def write_observation(state, player, out):
    """Write what a player sees into `out`, int8[observation_size]; return the length written."""
    viewer = state.seat_of[player]
    out[:] = 0
    at = write_table(state, viewer, out, 0)
    at = write_number_cards(state, viewer, out, at)
    at = write_point_cards(state, viewer, out, at)
    at = write_seats(state, viewer, out, at)
    at = write_hand_course(state, viewer, out, at)
    at = write_action_cards(state, out, at)
    at = write_due(state, viewer, out, at)
    at = write_tricks(state, viewer, out, at)
    at = write_last_hand(state, viewer, out, at)
    return write_rules(state, out, at)
