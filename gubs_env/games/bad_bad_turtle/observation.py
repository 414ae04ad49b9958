"""The observation: slices of one int8 vector, each declared beside the function that writes it.

The observation space and the table in the docs follow from these declarations. Seats are relative:
0 is the viewer, 1 the next seat clockwise. The vector holds only what the viewer may know (section
12): cards face up, cards that everybody saw go face down, and their own stack while they may look.
"""

from __future__ import annotations

from gubs_env.engine.seats import NOBODY, seat_at, steps_to
from gubs_env.engine.slices import PLAYERS, join, slices_of, write_decisions_left, writes
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


@writes(
    ("decision", (NUM_PHASES,), 1, "your decision, one-hot by Phase; zeros when you have none"),
    ("younger", (1,), 1, "action cards are ignored (rule option younger)"),
)
def write_decision(state, viewer, out, decision, younger):
    if state.actor == viewer and state.phase != Phase.OVER:
        out[decision + state.phase] = 1
    out[younger] = state.younger


@writes(
    ("clockwise", (1,), 1, "play goes clockwise"),
    ("living", (PLAYERS,), 1, "players who are not eliminated"),
    ("dealer", (PLAYERS,), 1, "who dealt, one-hot"),
    ("turn", (PLAYERS,), 1, "whose turn it is, one-hot"),
    ("next_turn", (PLAYERS,), 1, "who takes the next turn, as things stand, one-hot"),
)
def write_course(state, viewer, out, clockwise, living, dealer, turn, next_turn):
    out[clockwise] = state.direction == 1
    for steps in range(state.num_players):
        out[living + steps] = state.living[seat_at(state, viewer, steps)]
    out[dealer + steps_to(state, viewer, state.dealer)] = 1
    out[turn + steps_to(state, viewer, state.turn)] = 1
    out[next_turn + steps_to(state, viewer, state.next_turn)] = 1


@writes(
    ("modifier", (NUM_MODIFIERS,), 1, "the social card or turn modifier on this turn, one-hot"),
    ("looking", (PLAYERS,), 1, "who may look through their own stack (Peek)"),
    ("pending", (NUM_ACTION_CARDS,), 1, "the revealed card that is not settled yet, one-hot"),
    ("owner", (PLAYERS,), 1, "the owner of that card, one-hot"),
    ("shielded", (1,), 1, "a Shield has forced that card on its owner"),
)
def write_turn(state, viewer, out, modifier, looking, pending, owner, shielded):
    if state.modifier != NO_CARD:
        out[modifier + state.modifier] = 1
    for steps in range(state.num_players):
        out[looking + steps] = state.peeking[seat_at(state, viewer, steps)]
    if state.pending != NO_CARD:
        out[pending + state.pending] = 1
        out[owner + steps_to(state, viewer, state.owner)] = 1
    out[shielded] = state.shielded


@writes(
    ("answered", (NUM_REACTIONS,), 1,
     "the reaction that this window is about, one-hot; zeros if about the revealed card"),
    ("reaction_players", (NUM_REACTIONS, PLAYERS), 1,
     "who played each reaction that is not settled yet"),
    ("reaction_targets", (NUM_REACTIONS, PLAYERS), 1, "the seat that each of these is aimed at"),
    ("reaction_aims", (NUM_REACTIONS, NUM_AIMS), 1,
     "the card that each is aimed at: the revealed card, or a reaction"),
)  # fmt: skip
def write_reactions(
    state, viewer, out, answered, reaction_players, reaction_targets, reaction_aims
):
    n = state.num_players
    for level in range(state.depth):
        card = state.reaction[level] - FIRST_REACTION
        player = steps_to(state, viewer, state.reaction_player[level])
        target = steps_to(state, viewer, state.reaction_target[level])
        aim = state.reaction_aim[level]
        out[reaction_players + card * n + player] = 1
        out[reaction_targets + card * n + target] = 1
        aimed_at = 0 if aim == PENDING else aim - FIRST_REACTION + 1
        out[reaction_aims + card * NUM_AIMS + aimed_at] = 1
        if level == state.depth - 1:
            out[answered + card] = 1


@writes(
    ("set_aside", (NUM_REACTIONS, PLAYERS), 1, "who has Never Happened, No Way, Shield set aside"),
)
def write_set_aside(state, viewer, out, set_aside):
    for card in range(NUM_REACTIONS):
        if state.aside[card] != NOBODY:
            steps = steps_to(state, viewer, state.aside[card])
            out[set_aside + card * state.num_players + steps] = 1


@writes(
    ("stack_sizes", (PLAYERS,), MAX_CARDS, "cards in each stack"),
    ("discard_sizes", (PLAYERS,), MAX_CARDS, "cards in each discard pile"),
    ("blanks", (PLAYERS,), int(PRINTED_DECK[Card.BLANK]), "number cards in each reveal pile"),
    ("revealed", (PLAYERS, NUM_ACTION_CARDS), MAX_CARDS,
     "place from the top (1) of each action card in each reveal pile"),
)  # fmt: skip
def write_piles(state, viewer, out, stack_sizes, discard_sizes, blanks, revealed):
    for steps in range(state.num_players):
        seat = seat_at(state, viewer, steps)
        out[stack_sizes + steps] = state.stack_size[seat]
        out[discard_sizes + steps] = state.discard_size[seat]
        for place in range(state.reveal_size[seat]):
            card = state.reveal_pile[seat, place]
            if card == Card.BLANK:
                out[blanks + steps] += 1
            else:
                depth = state.reveal_size[seat] - place
                out[revealed + steps * NUM_ACTION_CARDS + card] = depth


@writes(
    ("discards_seen", (PLAYERS, NUM_ACTION_CARDS), MAX_CARDS,
     "place from the top (1) of each action card that all saw enter a discard pile"),
    ("own_stack", (NUM_ACTION_CARDS,), MAX_CARDS,
     "while you may look: place from the top (1) of each action card in your stack"),
    ("removed", (NUM_ACTION_CARDS,), 1, "action cards left out of the game"),
)  # fmt: skip
def write_action_cards(state, viewer, out, discards_seen, own_stack, removed):
    for steps in range(state.num_players):
        seat = seat_at(state, viewer, steps)
        flags = state.discard_seen[seat]
        place = 0
        while flags > 0:
            card = state.discard_pile[seat, place]
            if flags & 1 and card != Card.BLANK:
                out[discards_seen + card] = state.discard_size[seat] - place
            flags >>= 1
            place += 1
        discards_seen += NUM_ACTION_CARDS
    if state.peeking[viewer]:
        for place in range(state.stack_size[viewer]):
            if state.stack[viewer, place] != Card.BLANK:
                out[own_stack + state.stack[viewer, place]] = state.stack_size[viewer] - place
    for card in range(NUM_ACTION_CARDS):
        out[removed + card] = 1 - state.composition[card]


@writes(
    ("phase", (NUM_PHASES,), 1, "the decision that is due, one-hot by Phase"),
    ("awaited", (PLAYERS,), 1, "who has to make it, one-hot"),
    ("polled", (NUM_REACTIONS + 1,), MAX_PLAYERS,
     "players considered so far in the window of the revealed card, and of each reaction to "
     "it, first to last"),
)  # fmt: skip
def write_due(state, viewer, out, phase, awaited, polled):
    if state.phase != Phase.OVER:
        out[phase + state.phase] = 1
        out[awaited + steps_to(state, viewer, state.actor)] = 1
    for level in range(NUM_REACTIONS + 1):
        out[polled + level] = state.polled[level]


@writes(
    ("discards_known", (PLAYERS, MAX_CARDS), 1,
     "places from the top of each discard pile whose card all saw enter; a number card if "
     "no action card of `discards_seen` lies there"),
)  # fmt: skip
def write_discards_known(state, viewer, out, discards_known):
    for steps in range(state.num_players):
        seat = seat_at(state, viewer, steps)
        flags = state.discard_seen[seat]
        place = state.discard_size[seat]
        while flags > 0:
            place -= 1
            if flags & 1:
                out[discards_known + place] = 1
            flags >>= 1
        discards_known += MAX_CARDS


@writes(
    ("shown", (MAX_SHOWN,), NUM_KINDS, "cards revealed in the last decision: 1 + their kind"),
    ("shown_by", (MAX_SHOWN,), PLAYERS, "who revealed each: 1 + their seat"),
    ("deals", (1,), MOST_DEALS, f"how often cards were dealt, capped at {MOST_DEALS}"),
    ("winner", (PLAYERS,), 1, "who won, one-hot"),
)
def write_last_decision(state, viewer, out, shown, shown_by, deals, winner):
    for number in range(MAX_SHOWN):
        out[shown + number] = state.shown[number] + 1
        if state.shown_by[number] != NOBODY:
            out[shown_by + number] = steps_to(state, viewer, state.shown_by[number]) + 1
    out[deals] = min(state.deals, MOST_DEALS)
    if state.winner != NOBODY:
        out[winner + steps_to(state, viewer, state.winner)] = 1


WRITERS = (
    write_decision, write_decisions_left, write_course, write_turn, write_reactions,
    write_set_aside, write_piles, write_action_cards, write_due, write_discards_known,
    write_last_decision,
)  # fmt: skip
observation_slices, write_observation = slices_of(WRITERS), join(WRITERS)
