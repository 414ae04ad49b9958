"""The observation: slices of one int8 vector, each declared beside the function that writes it.

The observation space and the table in the docs follow from these declarations. Seats are relative:
0 is the viewer, 1 the next seat clockwise. There are always four; the entries of a seat that is not
at the table are zeros. The vector holds only what the viewer may know (section 9): public
information, their own hand, and what they remember.
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.compiling import copy_counts, inlined
from gubs_env.engine.seats import NOBODY, seat_at, steps_to
from gubs_env.engine.slices import join, slices_of, write_decisions_left, writes
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

SEATS = (MAX_SEATS,)
CARDS = (NUM_CARDS,)
CARDS_OF_SEATS = (MAX_SEATS, NUM_CARDS)
POINTS = (NUM_POINTS,)


@writes(
    ("decision", (NUM_PHASES,), 1, "your decision, one-hot by Phase; zeros when you have none"),
    ("mode", (4,), 1, "flags: teams, ghosts at the table, everybody alone, Full Deck"),
    ("occupied", SEATS, 1, "seats at the table, ghosts included"),
)
def write_table(state, viewer, out, decision, mode, occupied):
    if state.asked == viewer and state.phase != Phase.OVER:
        out[decision + state.phase] = 1
    out[mode] = state.teams
    out[mode + 1] = state.num_players < state.num_seats
    out[mode + 2] = 1 - state.teams
    out[mode + 3] = state.action_deck_used
    for steps in range(state.num_seats):
        out[occupied + steps] = 1


@writes(
    ("hand", CARDS, 1, "your hand; zeros while you play it unseen"),
    ("drawn", CARDS, 1, "the card you just drew or took and must not give back"),
    ("trick", CARDS_OF_SEATS, 1, "the card of each seat in the current trick, one-hot"),
    ("played", CARDS_OF_SEATS, 1, "the cards of each seat in earlier tricks of this hand"),
)
def write_number_cards(state, viewer, out, hand, drawn, trick, played):
    if not state.blind[viewer]:
        copy_counts(out, hand, state.hand[viewer])
    if state.asked == viewer and state.drawn != NO_CARD:
        out[drawn + state.drawn] = 1
    for steps in range(state.num_seats):
        seat = seat_at(state, viewer, steps)
        copy_counts(out, trick + steps * NUM_CARDS, state.trick[seat])
        copy_counts(out, played + steps * NUM_CARDS, state.played[seat])


@writes(
    ("known", CARDS_OF_SEATS, 1,
     "cards you know to be in the hands of seats 1, 2, 3, and among the undealt"),
)  # fmt: skip
def write_known(state, viewer, out, known):
    for steps in range(1, state.num_seats):
        holder = seat_at(state, viewer, steps)
        copy_counts(out, known + (steps - 1) * NUM_CARDS, state.known[viewer, holder])
    copy_counts(out, known + (MAX_SEATS - 1) * NUM_CARDS, state.known[viewer, UNDEALT])


@writes(
    ("favoured", CARDS, 1, "the number cards that the point card in play favours"),
    ("point_card", POINTS, 1, "the point card in play, one-hot"),
)
def write_point_card(state, viewer, out, favoured, point_card):
    if state.point_card != NO_CARD:
        copy_counts(out, favoured, FAVOURED[state.point_card])
        out[point_card + state.point_card] = 1


@writes(
    ("point_deck", POINTS, 1, "point cards still in the deck"),
    ("owned", (MAX_SEATS, NUM_POINTS), 1, "point cards earned by each seat; in teams by its side"),
    ("limbo", POINTS, 1, "point cards in limbo"),
    ("absent", POINTS, 1, "point cards not in this game"),
    ("tricks_won", SEATS, HAND_CARDS, "tricks each seat won in this hand"),
)
def write_winnings(state, viewer, out, point_deck, owned, limbo, absent, tricks_won):
    copy_counts(out, point_deck, state.point_deck)
    for steps in range(state.num_seats):
        seat = seat_at(state, viewer, steps)
        copy_counts(out, owned + steps * NUM_POINTS, state.owned[pile_of(state, seat)])
        out[tricks_won + steps] = state.tricks_won[seat]
    copy_counts(out, limbo, state.limbo)
    copy_counts(out, absent, state.absent)


@inlined
def mark_seat(state, viewer, seat, out, at):
    """Write a seat, one-hot; nothing for NOBODY."""
    if seat != NOBODY:
        out[at + steps_to(state, viewer, seat)] = 1


@writes(
    ("dealer", SEATS, 1, "the seat that deals, one-hot"),
    ("leader", SEATS, 1, "the seat that leads the trick, one-hot"),
    ("caller", SEATS, 1, "the seat that put the point card in play, one-hot"),
)
def write_trick_seats(state, viewer, out, dealer, leader, caller):
    mark_seat(state, viewer, state.dealer, out, dealer)
    mark_seat(state, viewer, state.leader, out, leader)
    mark_seat(state, viewer, state.caller, out, caller)


@writes(
    ("ghost", SEATS, 1, "seats of ghosts"),
    ("blind", SEATS, 1, "seats that play this hand unseen"),
    ("rapid", SEATS, 1, "the seat that leads every trick of this hand, one-hot"),
)
def write_special_seats(state, viewer, out, ghost, blind, rapid):
    for steps in range(state.num_seats):
        seat = seat_at(state, viewer, steps)
        out[ghost + steps] = is_ghost(state, seat)
        out[blind + steps] = state.blind[seat]
    mark_seat(state, viewer, state.rapid, out, rapid)


@writes(
    ("round", (2,), 1, "first or second round of the decision cycle, one-hot"),
    ("passed", SEATS, 1, "seats that passed in this round"),
    ("reversed", (1,), 1, "play goes counter-clockwise"),
    ("swaps_left", SEATS, MOST_SWAPS, "swaps each seat may still make in this hand"),
    ("swaps_made", SEATS, MOST_SWAPS, "swaps each seat has made in this hand"),
)
def write_round(state, viewer, out, round, passed, reversed, swaps_left, swaps_made):
    out[round + state.cycle] = 1
    out[reversed] = state.direction < 0
    for steps in range(state.num_seats):
        seat = seat_at(state, viewer, steps)
        out[passed + steps] = state.passed[seat]
        out[swaps_left + steps] = state.entitled[seat] - state.swapped[seat]
        out[swaps_made + steps] = state.swapped[seat]


@writes(
    ("action_gone", (NUM_ACTION_CARDS,), 1, "action cards that are no longer in the stack"),
    ("action_card", (NUM_ACTION_CARDS,), 1, "the action card revealed in this hand, one-hot"),
    ("target", (1,), NUM_POINTS,
     "point cards that a team needs to win; without teams, point cards in the game"),
    ("hands", (1,), MOST_HANDS, f"hands dealt so far, capped at {MOST_HANDS}"),
)  # fmt: skip
def write_action_cards(state, viewer, out, action_gone, action_card, target, hands):
    copy_counts(out, action_gone, state.action_gone)
    if state.action_card != NO_CARD:
        out[action_card + state.action_card] = 1
    out[target] = state.num_points // 2 + 1 if state.teams else state.num_points
    out[hands] = min(state.hands, MOST_HANDS)


@writes(
    ("phase", (NUM_PHASES,), 1, "the decision that is due, one-hot by Phase"),
    ("awaited", SEATS, 1, "the seat that has to make it, one-hot"),
)
def write_due(state, viewer, out, phase, awaited):
    if state.phase != Phase.OVER:
        out[phase + state.phase] = 1
        mark_seat(state, viewer, state.asked, out, awaited)


@writes(
    ("tricks", (HAND_CARDS, NUM_CARDS), 1, "the cards of each earlier trick of this hand"),
    ("trick_winners", (HAND_CARDS, MAX_SEATS), 1, "the seat that won each of them, one-hot"),
    ("under", (1,), NUM_CARDS, "cards returned beneath the undealt ones"),
    ("showdown", SEATS, NUM_CARDS,
     "the card each seat drew for the first deal, or at the end to break a tie: 1 + its number"),
)  # fmt: skip
def write_tricks(state, viewer, out, tricks, trick_winners, under, showdown):
    copy_counts(out, tricks, state.tricks)
    for trick in range(HAND_CARDS):
        winner = state.trick_winner[trick]
        mark_seat(state, viewer, winner, out, trick_winners + trick * MAX_SEATS)
    out[under] = state.num_under
    for steps in range(state.num_seats):
        out[showdown + steps] = state.showdown[seat_at(state, viewer, steps)] + 1


@writes(
    ("last_winner", SEATS, 1, "the seat that won the hand before, one-hot"),
    ("last_award", POINTS, 1, "the point cards that it won by that hand"),
    ("won", SEATS, 1, "the seats that won the game"),
)
def write_last_hand(state, viewer, out, last_winner, last_award, won):
    mark_seat(state, viewer, state.last_winner, out, last_winner)
    copy_counts(out, last_award, state.last_award)
    for steps in range(state.num_seats):
        out[won + steps] = state.won[seat_at(state, viewer, steps)]


@writes(
    ("rules", (2,), 1, "rule options, as flags: final_tie='share', move_points"),
    ("allowed", POINTS, 1, "the point cards that those of this game are chosen from"),
)
def write_rules(state, viewer, out, rules, allowed):
    out[rules] = state.share_ties
    out[rules + 1] = state.move_points
    copy_counts(out, allowed, state.allowed_points)


WRITERS = (
    write_table, write_number_cards, write_known, write_point_card, write_winnings,
    write_trick_seats, write_special_seats, write_round, write_action_cards, write_due,
    write_tricks, write_last_hand, write_rules, write_decisions_left,
)  # fmt: skip
observation_slices, write_seat = slices_of(WRITERS), join(WRITERS)
SLICES = observation_slices(MAX_SEATS)
"""The slices, which are the same for any number of players."""


@inlined
def write_observation(state, player, out):
    """Write what a player sees into `out`, int8[observation_size]."""
    write_seat(state, state.seat_of[player], out)


def lead(observations: np.ndarray, num_players: int) -> np.ndarray:
    """Return the viewer's point cards less those of the best opponent, float32[batch]."""
    piles = SLICES["owned"].of(observations).sum(axis=-1, dtype=np.float32)
    in_teams = SLICES["mode"].of(observations)[:, 0] == 1
    opponents = np.where(in_teams[:, None], piles[:, [1, 1, 3]], piles[:, 1:])
    return piles[:, 0] - opponents.max(axis=1)
