"""The observation: slices of one int8 vector, each declared beside the function that writes it.

The observation space and the table in the docs follow from these declarations. Seats are relative:
0 is the viewer, 1 the next seat clockwise. The vector holds only what the viewer may know (section
8): public information, their own hand and picks, and what they remember.
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.compiling import copy_counts, inlined
from gubs_env.engine.seats import NOBODY, seat_at, steps_to
from gubs_env.engine.slices import OTHERS, PLAYERS, join, slices_of, writes
from gubs_env.games.gubs.cards import NUM_COLONY_KINDS, NUM_HAND_KINDS, NUM_KINDS
from gubs_env.games.gubs.legal import is_inner_pick
from gubs_env.games.gubs.rules import MAX_CARDS, MAX_SLOTS
from gubs_env.games.gubs.score import points as points_of
from gubs_env.games.gubs.state import MOST_RETURNS, Phase, option_fields

NUM_PHASES = 10  # without Phase.OVER, where nobody decides
NUM_EVENTS = NUM_KINDS - NUM_HAND_KINDS


@writes(
    ("hand", (NUM_HAND_KINDS,), MAX_CARDS, "cards of each kind in your hand"),
    ("hand_sizes", (PLAYERS,), MAX_CARDS, "cards in each hand"),
    ("known_hands", (OTHERS, NUM_HAND_KINDS), MAX_CARDS,
     "at least so many of each kind are in the hand of seat 1, 2, …, as far as you saw"),
)  # fmt: skip
def write_hands(state, viewer, out, hand, hand_sizes, known_hands):
    copy_counts(out, hand, state.hand[viewer])
    for steps in range(state.num_players):
        out[hand_sizes + steps] = state.hand_size[seat_at(state, viewer, steps)]
    for steps in range(1, state.num_players):
        known = state.known[viewer, seat_at(state, viewer, steps)]
        known_hands = copy_counts(out, known_hands, known)


@writes(
    ("colonies", (PLAYERS, MAX_SLOTS, NUM_COLONY_KINDS), MAX_CARDS,
     "cards of each kind at each place; a Ring counts once on each Gub beneath it"),
    ("points", (PLAYERS,), MAX_SLOTS,
     "points of each colony: Free Gubs, Protected Gubs and the Elder"),
)  # fmt: skip
def write_colonies(state, viewer, out, colonies, points):
    for steps in range(state.num_players):
        colonies = copy_counts(out, colonies, state.colony[seat_at(state, viewer, steps)])
    for steps in range(state.num_players):
        out[points + steps] = points_of(state, seat_at(state, viewer, steps))


@writes(
    ("discard_pile", (NUM_KINDS,), MAX_CARDS, "cards of each kind in the discard pile"),
    ("letters", (3,), 1, "the Letters G, U, B laid open"),
    ("deck_size", (1,), MAX_CARDS, "cards in the deck"),
    ("deck_top", (3, NUM_KINDS), 1, "the top three cards, top first, one-hot where you know them"),
)
def write_piles(state, viewer, out, discard_pile, letters, deck_size, deck_top):
    copy_counts(out, discard_pile, state.discard_pile)
    copy_counts(out, letters, state.letters)
    out[deck_size] = state.deck_size
    for depth in range(state.known_top[viewer]):
        out[deck_top + depth * NUM_KINDS + state.deck[state.deck_size - 1 - depth]] = 1


@writes(
    ("turn", (PLAYERS,), 1, "whose turn it is, one-hot"),
    ("skipped", (PLAYERS,), 1, "who skipped the draw on their last turn"),
    ("decision", (NUM_PHASES,), 1, "your decision, one-hot by Phase; zeros when you have none"),
)
def write_turn(state, viewer, out, turn, skipped, decision):
    out[turn + steps_to(state, viewer, state.turn)] = 1
    for steps in range(state.num_players):
        out[skipped + steps] = state.skipped[seat_at(state, viewer, steps)]
    if state.actor == viewer and state.phase != Phase.OVER:
        out[decision + state.phase] = 1


@writes(
    ("played", (NUM_KINDS,), 1, "the card announced, or the card you are playing, one-hot"),
    ("played_as", (NUM_KINDS,), 1, "the kind that card counts as, one-hot"),
)
def write_card(state, viewer, out, played, played_as):
    if sees_move(state, viewer):
        out[played + state.played] = 1
        out[played_as + state.played_as] = 1


@inlined
def sees_move(state, viewer):
    """Return whether the viewer sees the move: everybody once announced, before that its player."""
    return state.announced or (is_inner_pick(state.phase) and viewer == state.turn)


@writes(
    ("target_seats", (PLAYERS,), 1, "the seat that card is aimed at as a whole"),
    ("target_places", (PLAYERS, MAX_SLOTS), 1, "the places that card is aimed at"),
    ("target_deck", (1,), 1, "that card is aimed at the deck"),
    ("target_card", (NUM_COLONY_KINDS,), 1, "the kind of card meant at the place, one-hot"),
    ("ordered", (1,), 2, "cards you have put back with the Scout so far"),
)
def write_targets(
    state, viewer, out, target_seats, target_places, target_deck, target_card, ordered
):
    if not sees_move(state, viewer):
        return
    for target in range(state.num_targets):
        seat, slot = state.target_seat[target], state.target_slot[target]
        if seat == NOBODY:
            out[target_deck] = 1
        elif slot < 0:
            out[target_seats + steps_to(state, viewer, seat)] = 1
        else:
            out[target_places + steps_to(state, viewer, seat) * MAX_SLOTS + slot] = 1
    if state.target_card >= 0:
        out[target_card + state.target_card] = 1
    if state.phase == Phase.ORDER and viewer == state.turn:
        out[ordered] = state.ordered


@writes(
    ("cured", (PLAYERS,), 1, "who keeps their hand in the current Gargok Plague"),
    ("passed", (PLAYERS,), 1, "who passed in the current window (rule option ask_everyone)"),
)
def write_answers(state, viewer, out, cured, passed):
    for steps in range(state.num_players):
        seat = seat_at(state, viewer, steps)
        out[cured + steps] = state.cured[seat]
        out[passed + steps] = has_passed(state, seat)


@inlined
def has_passed(state, seat):
    """Return whether everybody saw a seat pass in the current window or question [G6]."""
    asked_openly = state.ask_everyone and (state.phase == Phase.ANSWER or state.phase == Phase.CURE)
    if not asked_openly or state.cured[seat]:
        return False
    first = 1 if state.phase == Phase.ANSWER and state.played < NUM_HAND_KINDS else 0
    return first <= steps_to(state, state.turn, seat) < state.asked - 1


@writes(
    ("phase", (NUM_PHASES,), 1, "the decision that is due, as far as you know, one-hot"),
    ("awaited", (PLAYERS,), 1, "who has to make it, one-hot; zeros where you may not know"),
)
def write_due(state, viewer, out, phase, awaited):
    if state.phase != Phase.OVER:
        shown = state.phase if sees_move(state, viewer) else phase_shown(state.phase)
        out[phase + shown] = 1
        if state.actor == viewer or (state.actor != NOBODY and awaits_openly(state)):
            out[awaited + steps_to(state, viewer, state.actor)] = 1


@inlined
def phase_shown(phase):
    """Return the phase as others see it: they do not see the picks inside a move."""
    return Phase.PLAY if is_inner_pick(phase) else phase


@inlined
def awaits_openly(state):
    """Return whether everybody knows whose decision is due [G6]."""
    if state.phase == Phase.ANSWER or state.phase == Phase.CURE:
        return state.ask_everyone == 1
    return state.phase != Phase.MERCHANT


@writes(
    ("letter_range", (3, 2), MAX_CARDS,
     "for each third of the deck, the lowest first: places from the top (1) of the first and "
     "the last card that can be its Letter; zeros once it was drawn"),
    ("letter_loose", (3,), 1, "the Letters G, U, B that can lie anywhere in the deck"),
    ("returned", (NUM_EVENTS,), MOST_RETURNS,
     "how often each Event turned up and went back when cards were last dealt or drawn anew"),
)  # fmt: skip
def write_letters(state, viewer, out, letter_range, letter_loose, returned):
    for third in range(3):
        if state.third_end[third] > 0:
            out[letter_range + 2 * third] = state.deck_size - state.third_end[third] + 1
            out[letter_range + 2 * third + 1] = state.deck_size - state.third_start[third]
    copy_counts(out, letter_loose, state.letter_loose)
    copy_counts(out, returned, state.returned)


@writes(
    ("rules", (len(option_fields),), 1, f"rule options, as flags: {', '.join(option_fields)}"),
    ("deck", (NUM_KINDS,), MAX_CARDS, "cards of each kind in the full deck"),
)
def write_rules(state, viewer, out, rules, deck):
    out[rules] = state.letters_anywhere
    out[rules + 1] = state.flood_to_deck
    out[rules + 2] = state.plague_redraw
    out[rules + 3] = state.stacked_barricades
    out[rules + 4] = state.ask_everyone
    out[rules + 5] = state.margin_reward
    copy_counts(out, deck, state.composition)


WRITERS = (
    write_hands, write_colonies, write_piles, write_turn, write_card, write_targets, write_answers,
    write_due, write_letters, write_rules,
)  # fmt: skip
observation_slices, write_observation = slices_of(WRITERS), join(WRITERS)


def lead(observations: np.ndarray, num_players: int) -> np.ndarray:
    """Return the viewer's points less those of the best opponent, float32[batch]."""
    points_seen = observation_slices(num_players)["points"].of(observations).astype(np.float32)
    return points_seen[:, 0] - points_seen[:, 1:].max(axis=1)
