"""The observation: named slices of one int8 vector, declared once.

The observation space and the table in the docs follow from this declaration. Seats are relative: 0
is the viewer, 1 the next seat clockwise. The vector holds only what the viewer may know (section
12): cards face up, cards that everybody saw go face down, and their own stack while they may look.
"""

from __future__ import annotations

from gubs_env._compiler.compilation import inlined
from gubs_env.engine.seats import NOBODY, seat_at, steps_to
from gubs_env.engine.slices import Slice, lay_out
from gubs_env.games.bad_bad_turtle.cards import (
    FIRST_REACTION,
    MAX_CARDS,
    NO_CARD,
    NUM_ACTION_CARDS,
    NUM_KINDS,
    NUM_MODIFIERS,
    NUM_REACTIONS,
    PRINTED_DECK,
    Card,
)
from gubs_env.games.bad_bad_turtle.rules import MAX_PLAYERS
from gubs_env.games.bad_bad_turtle.state import MAX_SHOWN, PENDING, Phase

NUM_PHASES = 3  # without Phase.OVER, where nobody decides
MOST_DEALS = 127  # the largest int8
NUM_AIMS = 1 + NUM_REACTIONS  # the pending card, or a reaction card
DIGIT = 128  # the base in which larger numbers are written


def observation_slices(num_players: int) -> dict[str, Slice]:
    """Return the slices of the observation in order, by name."""
    n = num_players
    blanks = int(PRINTED_DECK[Card.BLANK])
    declared = (
        ("decision", (NUM_PHASES,), 1, "your decision, one-hot by Phase; zeros when you have none"),
        ("younger", (1,), 1, "action cards are ignored (rule option younger)"),
        (
            "decisions_left",
            (2,),
            DIGIT - 1,
            f"decisions left before max_cycles, capped: {DIGIT} × the first number + the second",
        ),
        ("clockwise", (1,), 1, "play goes clockwise"),
        ("living", (n,), 1, "players who are not eliminated"),
        ("dealer", (n,), 1, "who dealt, one-hot"),
        ("turn", (n,), 1, "whose turn it is, one-hot"),
        ("next_turn", (n,), 1, "who takes the next turn, as things stand, one-hot"),
        ("modifier", (NUM_MODIFIERS,), 1, "the social card or turn modifier on this turn, one-hot"),
        ("looking", (n,), 1, "who may look through their own stack (Peek)"),
        ("pending", (NUM_ACTION_CARDS,), 1, "the revealed card that is not settled yet, one-hot"),
        ("owner", (n,), 1, "the owner of that card, one-hot"),
        ("shielded", (1,), 1, "a Shield has forced that card on its owner"),
        (
            "answered",
            (NUM_REACTIONS,),
            1,
            "the reaction that this window is about, one-hot; zeros if about the revealed card",
        ),
        (
            "reaction_players",
            (NUM_REACTIONS, n),
            1,
            "who played each reaction that is not settled yet",
        ),
        ("reaction_targets", (NUM_REACTIONS, n), 1, "the seat that each of these is aimed at"),
        (
            "reaction_aims",
            (NUM_REACTIONS, NUM_AIMS),
            1,
            "the card that each is aimed at: the revealed card, or a reaction",
        ),
        ("set_aside", (NUM_REACTIONS, n), 1, "who has Never Happened, No Way, Shield set aside"),
        ("stack_sizes", (n,), MAX_CARDS, "cards in each stack"),
        ("discard_sizes", (n,), MAX_CARDS, "cards in each discard pile"),
        ("blanks", (n,), blanks, "number cards in each reveal pile"),
        (
            "revealed",
            (n, NUM_ACTION_CARDS),
            MAX_CARDS,
            "place from the top (1) of each action card in each reveal pile",
        ),
        (
            "discards_seen",
            (n, NUM_ACTION_CARDS),
            MAX_CARDS,
            "place from the top (1) of each action card that all saw enter a discard pile",
        ),
        (
            "own_stack",
            (NUM_ACTION_CARDS,),
            MAX_CARDS,
            "while you may look: place from the top (1) of each action card in your stack",
        ),
        ("removed", (NUM_ACTION_CARDS,), 1, "action cards left out of the game"),
        ("phase", (NUM_PHASES,), 1, "the decision that is due, one-hot by Phase"),
        ("awaited", (n,), 1, "who has to make it, one-hot"),
        (
            "polled",
            (NUM_REACTIONS + 1,),
            MAX_PLAYERS,
            "players considered so far in the window of the revealed card, and of each reaction to "
            "it, first to last",
        ),
        (
            "discards_known",
            (n, MAX_CARDS),
            1,
            "places from the top of each discard pile whose card all saw enter; a number card if "
            "no action card of `discards_seen` lies there",
        ),
        ("shown", (MAX_SHOWN,), NUM_KINDS, "cards revealed in the last decision: 1 + their kind"),
        ("shown_by", (MAX_SHOWN,), n, "who revealed each: 1 + their seat"),
        ("deals", (1,), MOST_DEALS, f"how often cards were dealt, capped at {MOST_DEALS}"),
        ("winner", (n,), 1, "who won, one-hot"),
    )
    return lay_out(declared)


# Each of these functions writes its slices from entry `at` on, and returns the entry after them.


@inlined
def write_course(state, viewer, out, at):
    """Write decision, younger, decisions_left, clockwise, living, dealer, turn, next_turn."""
    n = state.num_players
    if state.actor == viewer and state.phase != Phase.OVER:
        out[at + state.phase] = 1
    at += NUM_PHASES
    out[at] = state.younger
    left = min(max(state.max_cycles - state.decisions, 0), DIGIT * DIGIT - 1)
    out[at + 1] = left // DIGIT
    out[at + 2] = left % DIGIT
    out[at + 3] = state.direction == 1
    at += 4
    for steps in range(n):
        out[at + steps] = state.living[seat_at(state, viewer, steps)]
    at += n
    out[at + steps_to(state, viewer, state.dealer)] = 1
    at += n
    out[at + steps_to(state, viewer, state.turn)] = 1
    at += n
    out[at + steps_to(state, viewer, state.next_turn)] = 1
    return at + n


@inlined
def write_turn(state, viewer, out, at):
    """Write modifier, looking, pending, owner, shielded."""
    n = state.num_players
    if state.modifier != NO_CARD:
        out[at + state.modifier] = 1
    at += NUM_MODIFIERS
    for steps in range(n):
        out[at + steps] = state.peeking[seat_at(state, viewer, steps)]
    at += n
    if state.pending != NO_CARD:
        out[at + state.pending] = 1
        out[at + NUM_ACTION_CARDS + steps_to(state, viewer, state.owner)] = 1
    at += NUM_ACTION_CARDS + n
    out[at] = state.shielded
    return at + 1


@inlined
def write_reactions(state, viewer, out, at):
    """Write answered, reaction_players, reaction_targets, reaction_aims, set_aside."""
    n = state.num_players
    players = at + NUM_REACTIONS
    targets = players + NUM_REACTIONS * n
    aims = targets + NUM_REACTIONS * n
    aside = aims + NUM_REACTIONS * NUM_AIMS
    for level in range(state.depth):
        card = state.reaction[level] - FIRST_REACTION
        aim = state.reaction_aim[level]
        out[players + card * n + steps_to(state, viewer, state.reaction_player[level])] = 1
        out[targets + card * n + steps_to(state, viewer, state.reaction_target[level])] = 1
        out[aims + card * NUM_AIMS + (0 if aim == PENDING else aim - FIRST_REACTION + 1)] = 1
        if level == state.depth - 1:
            out[at + card] = 1
    for card in range(NUM_REACTIONS):
        if state.aside[card] != NOBODY:
            out[aside + card * n + steps_to(state, viewer, state.aside[card])] = 1
    return aside + NUM_REACTIONS * n


@inlined
def write_piles(state, viewer, out, at):
    """Write stack_sizes, discard_sizes, blanks, revealed."""
    n = state.num_players
    revealed = at + 3 * n
    for steps in range(n):
        seat = seat_at(state, viewer, steps)
        out[at + steps] = state.stack_size[seat]
        out[at + n + steps] = state.discard_size[seat]
        for place in range(state.reveal_size[seat]):
            card = state.reveal_pile[seat, place]
            if card == Card.BLANK:
                out[at + 2 * n + steps] += 1
            else:
                depth = state.reveal_size[seat] - place
                out[revealed + steps * NUM_ACTION_CARDS + card] = depth
    return revealed + n * NUM_ACTION_CARDS


@inlined
def write_face_down(state, viewer, out, at):
    """Write discards_seen, own_stack."""
    for steps in range(state.num_players):
        seat = seat_at(state, viewer, steps)
        seen = state.discard_seen[seat]
        place = 0
        while seen > 0:
            if seen & 1 and state.discard_pile[seat, place] != Card.BLANK:
                out[at + state.discard_pile[seat, place]] = state.discard_size[seat] - place
            seen >>= 1
            place += 1
        at += NUM_ACTION_CARDS
    if state.peeking[viewer]:
        for place in range(state.stack_size[viewer]):
            if state.stack[viewer, place] != Card.BLANK:
                out[at + state.stack[viewer, place]] = state.stack_size[viewer] - place
    return at + NUM_ACTION_CARDS


@inlined
def write_removed(state, out, at):
    """Write removed."""
    for card in range(NUM_ACTION_CARDS):
        out[at + card] = 1 - state.composition[card]
    return at + NUM_ACTION_CARDS


@inlined
def write_due(state, viewer, out, at):
    """Write phase, awaited, polled."""
    if state.phase != Phase.OVER:
        out[at + state.phase] = 1
        out[at + NUM_PHASES + steps_to(state, viewer, state.actor)] = 1
    at += NUM_PHASES + state.num_players
    for level in range(NUM_REACTIONS + 1):
        out[at + level] = state.polled[level]
    return at + NUM_REACTIONS + 1


@inlined
def write_discards_known(state, viewer, out, at):
    """Write discards_known."""
    for steps in range(state.num_players):
        seat = seat_at(state, viewer, steps)
        seen = state.discard_seen[seat]
        place = state.discard_size[seat]
        while seen > 0:
            place -= 1
            if seen & 1:
                out[at + place] = 1
            seen >>= 1
        at += MAX_CARDS
    return at


@inlined
def write_last_decision(state, viewer, out, at):
    """Write shown, shown_by, deals, winner."""
    for number in range(MAX_SHOWN):
        out[at + number] = state.shown[number] + 1
        if state.shown_by[number] != NOBODY:
            out[at + MAX_SHOWN + number] = steps_to(state, viewer, state.shown_by[number]) + 1
    at += 2 * MAX_SHOWN
    out[at] = min(state.deals, MOST_DEALS)
    if state.winner != NOBODY:
        out[at + 1 + steps_to(state, viewer, state.winner)] = 1
    return at + 1 + state.num_players


@inlined
def write_observation(state, viewer, out):
    """Write what `viewer` sees into `out`, int8[observation_size]; return the length written."""
    out[:] = 0
    at = write_course(state, viewer, out, 0)
    at = write_turn(state, viewer, out, at)
    at = write_reactions(state, viewer, out, at)
    at = write_piles(state, viewer, out, at)
    at = write_face_down(state, viewer, out, at)
    at = write_removed(state, out, at)
    at = write_due(state, viewer, out, at)
    at = write_discards_known(state, viewer, out, at)
    return write_last_decision(state, viewer, out, at)
