"""The observation: named slices of one int8 vector, declared once.

The observation space and the table in the docs follow from this declaration. Seats are relative: 0
is the viewer, 1 the next seat clockwise. The vector holds only what the viewer may know (section
8): public information, their own hand and picks, and what they remember.
"""

from __future__ import annotations

import numpy as np

from gubs_env._compiler.arrays import copy_counts
from gubs_env._compiler.compilation import inlined
from gubs_env.engine.seats import NOBODY, seat_at, steps_to
from gubs_env.engine.slices import Slice, lay_out
from gubs_env.games.gubs.cards import NUM_COLONY_KINDS, NUM_HAND_KINDS, NUM_KINDS
from gubs_env.games.gubs.legal import is_inner_pick
from gubs_env.games.gubs.rules import MAX_CARDS, MAX_SLOTS
from gubs_env.games.gubs.score import points
from gubs_env.games.gubs.state import MOST_RETURNS, Phase, option_fields

NUM_PHASES = 10  # without Phase.OVER, where nobody decides
NUM_EVENTS = NUM_KINDS - NUM_HAND_KINDS


def observation_slices(num_players: int) -> dict[str, Slice]:
    """Return the slices of the observation in order, by name."""
    n = num_players
    declared = (
        ("hand", (NUM_HAND_KINDS,), MAX_CARDS, "cards of each kind in your hand"),
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
        (
            "points",
            (n,),
            MAX_SLOTS,
            "points of each colony: Free Gubs, Protected Gubs and the Elder",
        ),
        ("discard_pile", (NUM_KINDS,), MAX_CARDS, "cards of each kind in the discard pile"),
        ("letters", (3,), 1, "the Letters G, U, B laid open"),
        ("deck_size", (1,), MAX_CARDS, "cards in the deck"),
        (
            "deck_top",
            (3, NUM_KINDS),
            1,
            "the top three cards, top first, one-hot where you know them",
        ),
        ("turn", (n,), 1, "whose turn it is, one-hot"),
        ("skipped", (n,), 1, "who skipped the draw on their last turn"),
        ("decision", (NUM_PHASES,), 1, "your decision, one-hot by Phase; zeros when you have none"),
        ("played", (NUM_KINDS,), 1, "the card announced, or the card you are playing, one-hot"),
        ("played_as", (NUM_KINDS,), 1, "the kind that card counts as, one-hot"),
        ("target_seats", (n,), 1, "the seat that card is aimed at as a whole"),
        ("target_places", (n, MAX_SLOTS), 1, "the places that card is aimed at"),
        ("target_deck", (1,), 1, "that card is aimed at the deck"),
        ("target_card", (NUM_COLONY_KINDS,), 1, "the kind of card meant at the place, one-hot"),
        ("ordered", (1,), 2, "cards you have put back with the Scout so far"),
        ("cured", (n,), 1, "who keeps their hand in the current Gargok Plague"),
        ("passed", (n,), 1, "who passed in the current window (rule option ask_everyone)"),
        (
            "phase",
            (NUM_PHASES,),
            1,
            "the decision that is due, as far as you know, one-hot",
        ),
        ("awaited", (n,), 1, "who has to make it, one-hot; zeros where you may not know"),
        (
            "letter_range",
            (3, 2),
            MAX_CARDS,
            "for each third of the deck, the lowest first: places from the top (1) of the first "
            "and the last card that can be its Letter; zeros once it was drawn",
        ),
        ("letter_loose", (3,), 1, "the Letters G, U, B that can lie anywhere in the deck"),
        (
            "returned",
            (NUM_EVENTS,),
            MOST_RETURNS,
            "how often each Event turned up and went back when cards were last dealt or drawn anew",
        ),
        ("rules", (len(option_fields),), 1, f"rule options, as flags: {', '.join(option_fields)}"),
        ("deck", (NUM_KINDS,), MAX_CARDS, "cards of each kind in the full deck"),
    )
    return lay_out(declared)


def lead(observations: np.ndarray, num_players: int) -> np.ndarray:
    """Return the viewer's points less those of the best opponent, float32[batch]."""
    points_seen = observation_slices(num_players)["points"].of(observations).astype(np.float32)
    return points_seen[:, 0] - points_seen[:, 1:].max(axis=1)


# Each of these functions writes its slices from entry `at` on, and returns the entry after them.


@inlined
def write_hands(state, viewer, out, at):
    """Write hand, hand_sizes, known_hands."""
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
    """Write colonies, points."""
    n = state.num_players
    for steps in range(n):
        at = copy_counts(out, at, state.colony[seat_at(state, viewer, steps)])
    for steps in range(n):
        out[at + steps] = points(state, seat_at(state, viewer, steps))
    return at + n


@inlined
def write_piles(state, viewer, out, at):
    """Write discard_pile, letters, deck_size, deck_top."""
    at = copy_counts(out, at, state.discard_pile)
    at = copy_counts(out, at, state.letters)
    out[at] = state.deck_size
    at += 1
    for depth in range(state.known_top[viewer]):
        out[at + depth * NUM_KINDS + state.deck[state.deck_size - 1 - depth]] = 1
    return at + 3 * NUM_KINDS


@inlined
def write_turn(state, viewer, out, at):
    """Write turn, skipped, decision."""
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
    """Return whether the viewer sees the move: everybody once announced, before that its player."""
    return state.announced or (is_inner_pick(state.phase) and viewer == state.turn)


@inlined
def write_move(state, viewer, out, at):
    """Write played, played_as, target_seats, target_places, target_deck, target_card, ordered."""
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
    """Write cured, passed."""
    n = state.num_players
    for steps in range(n):
        seat = seat_at(state, viewer, steps)
        out[at + steps] = state.cured[seat]
        out[at + n + steps] = has_passed(state, seat)
    return at + 2 * n


@inlined
def has_passed(state, seat):
    """Return whether everybody saw a seat pass in the current window or question [G6]."""
    asked_openly = state.ask_everyone and (state.phase == Phase.ANSWER or state.phase == Phase.CURE)
    if not asked_openly or state.cured[seat]:
        return False
    first = 1 if state.phase == Phase.ANSWER and state.played < NUM_HAND_KINDS else 0
    return first <= steps_to(state, state.turn, seat) < state.asked - 1


@inlined
def awaits_openly(state):
    """Return whether everybody knows whose decision is due [G6]."""
    if state.phase == Phase.ANSWER or state.phase == Phase.CURE:
        return state.ask_everyone == 1
    return state.phase != Phase.MERCHANT


@inlined
def write_due(state, viewer, out, at):
    """Write phase, awaited."""
    if state.phase != Phase.OVER:
        phase = state.phase if sees_move(state, viewer) else phase_shown(state.phase)
        out[at + phase] = 1
        if state.actor == viewer or (state.actor != NOBODY and awaits_openly(state)):
            out[at + NUM_PHASES + steps_to(state, viewer, state.actor)] = 1
    return at + NUM_PHASES + state.num_players


@inlined
def phase_shown(phase):
    """Return the phase as others see it: they do not see the picks inside a move."""
    return Phase.PLAY if is_inner_pick(phase) else phase


@inlined
def write_letters(state, out, at):
    """Write letter_range, letter_loose, returned."""
    for third in range(3):
        if state.third_end[third] > 0:
            out[at + 2 * third] = state.deck_size - state.third_end[third] + 1
            out[at + 2 * third + 1] = state.deck_size - state.third_start[third]
    at = copy_counts(out, at + 6, state.letter_loose)
    return copy_counts(out, at, state.returned)


@inlined
def write_rules(state, out, at):
    """Write rules, deck."""
    out[at] = state.letters_anywhere
    out[at + 1] = state.flood_to_deck
    out[at + 2] = state.plague_redraw
    out[at + 3] = state.stacked_barricades
    out[at + 4] = state.ask_everyone
    out[at + 5] = state.margin_reward
    return copy_counts(out, at + 6, state.composition)


@inlined
def write_observation(state, viewer, out):
    """Write what `viewer` sees into `out`, int8[observation_size]; return the length written."""
    out[:] = 0
    at = write_hands(state, viewer, out, 0)
    at = write_colonies(state, viewer, out, at)
    at = write_piles(state, viewer, out, at)
    at = write_turn(state, viewer, out, at)
    at = write_move(state, viewer, out, at)
    at = write_answers(state, viewer, out, at)
    at = write_due(state, viewer, out, at)
    at = write_letters(state, out, at)
    return write_rules(state, out, at)
