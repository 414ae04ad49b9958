"""What an agent sees, as numbers: named slices of one int8 vector, declared once.

From this declaration come the observation space, the documentation table and `describe`. Seats are
relative: 0 is the viewer, 1 the next clockwise. All of it is lawful knowledge (section 8): the
writers below read what is public, the viewer's own hand and picks, and the viewer's own memory.
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.arrays import copy_counts
from gubs_env.engine.compilation import inlined
from gubs_env.engine.seats import NOBODY, seat_at, steps_to
from gubs_env.engine.slices import Slice, lay_out
from gubs_env.games.gubs.cards import NUM_COLONY_KINDS, NUM_HAND_KINDS, NUM_KINDS
from gubs_env.games.gubs.legal import is_inner_pick
from gubs_env.games.gubs.rules import MAX_CARDS, MAX_SLOTS
from gubs_env.games.gubs.score import points
from gubs_env.games.gubs.state import Phase

NUM_PHASES = 10  # Phase.OVER is nobody's decision


def observation_slices(num_players: int) -> dict[str, Slice]:
    """The pieces of the observation in order, by name."""
    n = num_players
    declared = (
        ("hand", (NUM_HAND_KINDS,), MAX_CARDS, "own hand, by kind"),
        ("hand_sizes", (n,), MAX_CARDS, "cards in each hand"),
        (
            "known_hands",
            (n - 1, NUM_HAND_KINDS),
            MAX_CARDS,
            "at least so many of each kind are in the hand of seat 1, 2, …, as far as you saw",
        ),
        (
            "colonies",
            (n, MAX_SLOTS, NUM_COLONY_KINDS),
            MAX_CARDS,
            "cards of each kind at each place; a Ring counts once on each Gub beneath it",
        ),
        ("points", (n,), MAX_SLOTS, "Free and Protected Gubs and the Elder of each colony"),
        ("discard_pile", (NUM_KINDS,), MAX_CARDS, "discard pile, by kind"),
        ("letters", (3,), 1, "G, U, B laid open"),
        ("deck_size", (1,), MAX_CARDS, "cards in the deck"),
        ("deck_top", (3, NUM_KINDS), 1, "the top three cards where you know them, one-hot"),
        ("turn", (n,), 1, "whose turn it is, one-hot"),
        ("skipped", (n,), 1, "who skipped the draw on its own last turn"),
        ("decision", (NUM_PHASES,), 1, "what you have to decide, one-hot by Phase; else zeros"),
        ("played", (NUM_KINDS,), 1, "the card announced, or that you are playing, one-hot"),
        ("played_as", (NUM_KINDS,), 1, "the kind it counts as, one-hot"),
        ("target_seats", (n,), 1, "the seat it is aimed at as a whole"),
        ("target_places", (n, MAX_SLOTS), 1, "the places it is aimed at"),
        ("target_deck", (1,), 1, "it is aimed at the deck"),
        ("target_card", (NUM_COLONY_KINDS,), 1, "the kind meant at the place, one-hot"),
        ("ordered", (1,), 2, "cards you put back so far with the Scout"),
        ("cured", (n,), 1, "who keeps its hand in the Gargok Plague under way"),
        ("passed", (n,), 1, "who passed in the window under way (rule option ask_everyone)"),
    )
    return lay_out(declared)


def lead(observations: np.ndarray, num_players: int) -> np.ndarray:
    """The viewer's points less those of the best opponent: float32[batch]."""
    points_seen = observation_slices(num_players)["points"].of(observations).astype(np.float32)
    return points_seen[:, 0] - points_seen[:, 1:].max(axis=1)


# Each writer fills its slices, from `at` on, and returns where the next begins.


@inlined
def write_hands(state, viewer, out, at):
    """hand, hand_sizes, known_hands"""
    n = state.num_players
    at = copy_counts(out, at, state.hand[viewer])
    for steps in range(n):
        out[at + steps] = state.hand_size[seat_at(state, viewer, steps)]
    at += n
    for steps in range(1, n):
        at = copy_counts(out, at, state.known[viewer, seat_at(state, viewer, steps)])
    return at


@inlined
def write_colonies(state, viewer, out, at):
    """colonies, points"""
    n = state.num_players
    for steps in range(n):
        at = copy_counts(out, at, state.colony[seat_at(state, viewer, steps)])
    for steps in range(n):
        out[at + steps] = points(state, seat_at(state, viewer, steps))
    return at + n


@inlined
def write_piles(state, viewer, out, at):
    """discard_pile, letters, deck_size, deck_top"""
    at = copy_counts(out, at, state.discard_pile)
    at = copy_counts(out, at, state.letters)
    out[at] = state.deck_size
    at += 1
    for depth in range(state.known_top[viewer]):
        out[at + depth * NUM_KINDS + state.deck[state.deck_size - 1 - depth]] = 1
    return at + 3 * NUM_KINDS


@inlined
def write_turn(state, viewer, out, at):
    """turn, skipped, decision"""
    n = state.num_players
    out[at + steps_to(state, viewer, state.turn)] = 1
    at += n
    for steps in range(n):
        out[at + steps] = state.skipped[seat_at(state, viewer, steps)]
    at += n
    if state.actor == viewer and state.phase != Phase.OVER:
        out[at + state.phase] = 1
    return at + NUM_PHASES


@inlined
def sees_move(state, viewer):
    """A move shows when it is announced; before that, its picks show to its player alone."""
    return state.announced or (is_inner_pick(state.phase) and viewer == state.turn)


@inlined
def write_move(state, viewer, out, at):
    """played, played_as, target_seats, target_places, target_deck, target_card, ordered"""
    n = state.num_players
    seats = at + 2 * NUM_KINDS
    places = seats + n
    deck = places + n * MAX_SLOTS
    meant = deck + 1
    ordered = meant + NUM_COLONY_KINDS
    if sees_move(state, viewer):
        out[at + state.played] = 1
        out[at + NUM_KINDS + state.played_as] = 1
        for target in range(state.num_targets):
            seat, slot = state.target_seat[target], state.target_slot[target]
            if seat == NOBODY:
                out[deck] = 1
            elif slot < 0:
                out[seats + steps_to(state, viewer, seat)] = 1
            else:
                out[places + steps_to(state, viewer, seat) * MAX_SLOTS + slot] = 1
        if state.target_card >= 0:
            out[meant + state.target_card] = 1
        if state.phase == Phase.ORDER and viewer == state.turn:
            out[ordered] = state.ordered
    return ordered + 1


@inlined
def write_answers(state, viewer, out, at):
    """cured, passed"""
    n = state.num_players
    for steps in range(n):
        seat = seat_at(state, viewer, steps)
        out[at + steps] = state.cured[seat]
        out[at + n + steps] = has_passed(state, seat)
    return at + 2 * n


@inlined
def has_passed(state, seat):
    """Whether everybody saw this seat pass in the window or question under way (G6)."""
    asked_openly = state.ask_everyone and (state.phase == Phase.ANSWER or state.phase == Phase.CURE)
    if not asked_openly or state.cured[seat]:
        return False
    first = 1 if state.phase == Phase.ANSWER and state.played < NUM_HAND_KINDS else 0
    return first <= steps_to(state, state.turn, seat) < state.asked - 1


@inlined
def write_observation(state, viewer, out):
    """Write what `viewer` sees, int8[observation_size]; returns the length written."""
    out[:] = 0
    at = write_hands(state, viewer, out, 0)
    at = write_colonies(state, viewer, out, at)
    at = write_piles(state, viewer, out, at)
    at = write_turn(state, viewer, out, at)
    at = write_move(state, viewer, out, at)
    return write_answers(state, viewer, out, at)
