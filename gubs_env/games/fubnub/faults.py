"""The faults of a state of FUBNUB: what must be true between two decisions.

The ranges of single fields are declared in `state`; here are the rules across fields. A view is
checked against what its viewer could know: cards may be unknown, but there must be a complete state
behind it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from gubs_env.engine.compiling import compiled
from gubs_env.engine.faults import SOUND, GameFault, first_fault, words_of
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.games.fubnub.cards import HAND_CARDS, NO_CARD, NUM_CARDS, NUM_POINTS, RANK, ActionCard
from gubs_env.games.fubnub.determinization import unseen_cards
from gubs_env.games.fubnub.rules import MAX_SEATS
from gubs_env.games.fubnub.score import points
from gubs_env.games.fubnub.state import UNDEALT, Phase, is_ghost, pile_of, seat_in_play


class Fault(GameFault):
    """The faults that a state of FUBNUB can have."""

    SEATS = "its seats, its dealer or its player to decide are none of this table"
    EMPTY_SEAT = "something lies at seat {where}, which is not at this table"
    CARDS = "number cards are lost or doubled in this state, or it is a view"
    SHOWN = "it shows cards that its viewer cannot know: this is a state, not a view"
    HAND_SIZE = "hand_size differs from the number of cards in the hand of seat {where}"
    MEMORY = "seat {where} cannot know what it is said to know"
    TRICKS = "the tricks cannot have been played like this"
    POINTS = "point cards are lost or doubled in this state"
    LAST_HAND = "the point cards of the hand before are not where its winner has them"
    SWAPS = "seat {where} cannot have a right to these swaps, or have made them"
    PHASE = "the fields of the hand do not fit the phase"
    ACTION_CARD = (
        "the action card does not fit the phase, or the cards gone: in Full Deck an action card is "
        "revealed before the tricks begin; start from SWAP_OFFER with the card alone in the stack"
    )
    DIRECTION = (
        "play goes counter-clockwise, but Reverse Direction was not revealed in an earlier hand or "
        "in this one: it must be gone from the stack"
    )
    CALLER = "the seats that passed or called cannot have been asked in this order"
    HANDS = "the number of hands does not fit the point cards that were won"
    FIRST_DEAL = "the cards drawn for the first deal cannot be these"
    LEADER = "seat {where} does not lead this trick"
    CUT_OFF = "the game would be over: it was cut off, won, or has had max_cycles decisions"


fault_words = partial(words_of, Fault, ())

# --------------------------------------------------------------------------------------- the seats


@compiled
def fault_of_seats(state):
    n, seats = state.num_players, state.num_seats
    is_table = n <= seats <= MAX_SEATS and seats in (n, MAX_SEATS)
    is_team_table = seats == MAX_SEATS and not state.action_deck_used
    is_card_table = n == MAX_SEATS or not state.action_deck_used
    if not is_table or (state.teams and not is_team_table) or not is_card_table:
        return Fault.SEATS, 0
    players = 0
    for seat in range(MAX_SEATS):
        player = state.player_at[seat]
        if player == NOBODY:
            continue
        if seat >= seats or player != players or state.seat_of[player] != seat:
            return Fault.SEATS, seat
        players += 1
    if players != n or not 0 <= state.actor < n or state.phase > Phase.OVER:
        return Fault.SEATS, 0
    if state.seat_of[state.actor] != state.asked or state.direction == 0:
        return Fault.SEATS, 0
    if state.dealer >= seats or is_ghost(state, state.dealer):
        return Fault.SEATS, 0
    for seat in (state.caller, state.leader, state.to_play, state.rapid, state.last_winner):
        if seat >= seats:
            return Fault.SEATS, 0
    return fault_of_empty_seats(state)


@compiled
def fault_of_empty_seats(state):
    for seat in range(state.num_seats, MAX_SEATS):
        cards = state.hand[seat].sum() + state.trick[seat].sum() + state.played[seat].sum()
        rights = state.entitled[seat] + state.swapped[seat] + state.passed[seat]
        flags = state.tricks_won[seat] + state.blind[seat] + state.won[seat]
        owned = state.owned[seat].sum() + state.known[seat].sum() + state.hand_size[seat]
        unplayed = state.trick_card[seat] == NO_CARD and state.best_won[seat] < 0
        known = state.known[: state.num_seats, seat].any()
        if cards + rights + flags + owned != 0 or known or not unplayed:
            return Fault.EMPTY_SEAT, seat
    return SOUND, 0


# ----------------------------------------------------------------------------------- point cards


@compiled
def fault_of_points(state):
    in_game = 0
    for point in range(NUM_POINTS):
        places = state.point_deck[point] + state.limbo[point] + state.absent[point]
        places += state.point_card == point
        for pile in range(MAX_SEATS):
            places += state.owned[pile, point]
            if state.owned[pile, point] and pile_of(state, pile) != pile:
                return Fault.POINTS, point
        if places != 1 or state.absent[point] + state.allowed_points[point] == 0:
            return Fault.POINTS, point
        in_game += 1 - state.absent[point]
    if in_game != state.num_points:
        return Fault.POINTS, 0
    if state.phase == Phase.OVER:
        return SOUND, 0
    if state.truncated or state.won.any() or state.decisions >= state.max_cycles:
        return Fault.CUT_OFF, 0
    if state.point_card == NO_CARD or state.revealed != (state.action_card != NO_CARD):
        return Fault.PHASE, 0
    if not state.revealed and state.limbo.any():
        return Fault.POINTS, 0
    for seat in range(state.num_seats):
        if state.teams and points(state, seat) > state.num_points // 2:
            return Fault.POINTS, 0
    return fault_of_last_hand(state)


@compiled
def fault_of_last_hand(state):
    """Look for an award of the hand before that is not in the pile of its winner."""
    awarded, limbo, last = state.owned.sum(), state.limbo.sum(), state.last_award.sum()
    is_first = state.last_winner == NOBODY
    if is_first and awarded + limbo + last > 0:
        return Fault.LAST_HAND, 0
    if not is_first and (last == 0 or (last > 1 and not state.action_deck_used)):
        return Fault.LAST_HAND, 0
    pile = 0 if is_first else pile_of(state, state.last_winner)
    is_due = not state.revealed or state.phase == Phase.SOCIAL
    for point in range(NUM_POINTS):
        if is_due and state.last_award[point] and not state.owned[pile, point]:
            return Fault.LAST_HAND, point
        if limbo > 0 and state.limbo[point] != state.last_award[point]:
            return Fault.LAST_HAND, point
    # With sides, some hands bring no card (5.2).
    can_return = state.move_points and state.action_deck_used
    least = awarded + limbo if not can_return else 1 * (not is_first)
    is_possible = state.hands > least if state.teams or can_return else state.hands == least + 1
    return (SOUND, 0) if is_possible else (Fault.HANDS, 0)


# ---------------------------------------------------------------------------------- number cards


@compiled
def fault_of_cards(state):
    """Look for number cards that are lost or doubled in a complete state."""
    for card in range(NUM_CARDS):
        places = state.undealt[card] + state.under[card]
        for seat in range(state.num_seats):
            places += state.hand[seat, card] + state.trick[seat, card] + state.played[seat, card]
        if places != 1:
            return Fault.CARDS, card
    for seat in range(state.num_seats):
        if state.hand[seat].sum() != state.hand_size[seat]:
            return Fault.HAND_SIZE, seat
    if state.under.sum() != state.num_under:
        return Fault.CARDS, 0
    return SOUND, 0


@compiled
def fault_of_view(state, player):
    """Look for a view that no complete state has: the unseen cards must fill the unknown places."""
    viewer = state.seat_of[player]
    if viewer != state.asked:
        return Fault.SEATS, viewer
    for card in range(NUM_CARDS):
        places = state.hand[viewer, card] + state.known[viewer, UNDEALT, card]
        for seat in range(state.num_seats):
            places += state.trick[seat, card] + state.played[seat, card]
            places += state.known[viewer, seat, card]
        shown = state.undealt[card] + state.under[card]
        if places > 1 or shown != state.known[viewer, UNDEALT, card]:
            return Fault.SHOWN, card
    if state.hand[viewer].sum() != state.hand_size[viewer]:
        return Fault.HAND_SIZE, viewer
    unknown = state.num_under - state.under.sum()
    for seat in range(state.num_seats):
        if seat != viewer:
            hidden = state.hand_size[seat] - state.known[viewer, seat].sum()
            if hidden < 0 or state.hand[seat].any():
                return Fault.HAND_SIZE, seat
            unknown += hidden
    if state.under.sum() > state.num_under or unknown > unseen_cards(state, viewer).sum():
        return Fault.CARDS, 0
    return SOUND, 0


@compiled
def fault_of_memory(state, viewer):
    for seat in range(state.num_seats):
        remembers = viewer == NOBODY or state.seat_of[viewer] == seat
        if state.known[seat, seat].any() or (not remembers and state.known[seat].any()):
            return Fault.MEMORY, seat
        if viewer == NOBODY:
            is_wrong = (state.known[seat, UNDEALT] > state.undealt + state.under).any()
            for holder in range(state.num_seats):
                is_wrong |= (state.known[seat, holder] > state.hand[holder]).any()
            if is_wrong:
                return Fault.MEMORY, seat
    return SOUND, 0


# -------------------------------------------------------------------------------------- the tricks


@compiled
def fault_of_tricks(state):
    """Look for tricks whose cards, winners or counts contradict each other (section 5.4)."""
    done = state.tricks_won.sum()
    if done >= HAND_CARDS or (done > 0 and state.phase != Phase.PLAY):
        return Fault.TRICKS, 0
    for number in range(HAND_CARDS):
        winner = state.trick_winner[number]
        if number < done:
            if not 0 <= winner < state.num_seats or not is_trick(state, number):
                return Fault.TRICKS, number
        elif winner != NOBODY or state.tricks[number].any():
            return Fault.TRICKS, number
    for seat in range(state.num_seats):
        won, best = 0, -1
        for number in range(done):
            if state.trick_winner[number] == seat:
                won += 1
                best = max(best, highest_rank(state, number))
        is_counted = won == state.tricks_won[seat] and best == state.best_won[seat]
        if not is_counted or state.played[seat].sum() != done:
            return Fault.TRICKS, seat
    return fault_of_trick_under_way(state)


@compiled
def is_trick(state, number):
    """Return whether an earlier trick has one card of each seat, the highest of its winner."""
    highest = highest_rank(state, number)
    for seat in range(state.num_seats):
        cards = 0
        for card in range(NUM_CARDS):
            if state.tricks[number, card] and state.played[seat, card]:
                cards += 1
                is_best = RANK[state.point_card, card] == highest
                if is_best != (seat == state.trick_winner[number]):
                    return False
        if cards != 1:
            return False
    return state.tricks[number].sum() == state.num_seats


@compiled
def highest_rank(state, number):
    highest = -1
    for card in range(NUM_CARDS):
        if state.tricks[number, card]:
            highest = max(highest, RANK[state.point_card, card])
    return highest


@compiled
def fault_of_trick_under_way(state):
    in_play = state.phase == Phase.PLAY
    if not in_play and state.trick_size > 0:
        return Fault.TRICKS, 0
    if in_play and (state.leader == NOBODY or state.trick_size >= state.num_seats):
        return Fault.TRICKS, 0
    if in_play and state.leader != leader_due(state):
        return Fault.LEADER, state.leader
    if not in_play and (state.leader != NOBODY or state.to_play != NOBODY):
        return Fault.LEADER, max(state.leader, state.to_play)
    for steps in range(state.num_seats):
        seat = seat_in_play(state, max(state.leader, 0), steps)
        card = state.trick_card[seat]
        has_played = card != NO_CARD
        if has_played != (steps < state.trick_size) or state.trick[seat].sum() != has_played:
            return Fault.TRICKS, seat
        if has_played and not state.trick[seat, card]:
            return Fault.TRICKS, seat
    return SOUND, 0


@compiled
def leader_due(state):
    """Return the seat that leads the trick under way (5.4; with Rapid Fire 7)."""
    if state.rapid != NOBODY:
        return state.rapid
    done = state.tricks_won.sum()
    return state.trick_winner[done - 1] if done > 0 else seat_in_play(state, state.dealer, 1)


@compiled
def fault_of_sizes(state):
    """Look for hands of the wrong size: five cards, less those played, more those just drawn."""
    done = state.tricks_won.sum()
    for seat in range(state.num_seats):
        expected = HAND_CARDS - done - (state.trick_card[seat] != NO_CARD)
        if state.phase == Phase.SWAP_RETURN or state.phase == Phase.GECKO_GIVE:
            expected += seat == state.asked
        if state.phase == Phase.GECKO_GIVE:
            expected -= seat == state.dealer
        if state.hand_size[seat] != expected:
            return Fault.HAND_SIZE, seat
    return SOUND, 0


# ------------------------------------------------------------------------------- swaps and phases


@compiled
def fault_of_swaps(state, viewer):
    """Look for swaps that nobody is entitled to or could make, or that No Trash could not undo."""
    left, first = 0, NOBODY
    for seat in range(state.num_seats):
        due = state.entitled[seat] - state.swapped[seat]
        if due < 0 or state.entitled[seat] > most_swaps(state, seat):
            return Fault.SWAPS, seat
        if due > 0 and first == NOBODY:
            first = seat
        left += due
    asks = state.phase == Phase.SWAP_OFFER or state.phase == Phase.SWAP_RETURN
    if state.phase == Phase.DECIDE:
        due_now = left == state.next_entitled
    else:
        due_now = left == 0 or (asks and state.asked == first)
    made = state.swapped.sum()
    if not due_now or state.num_under > made or (state.num_under < made and not state.revealed):
        return Fault.SWAPS, state.dealer
    undealt = NUM_CARDS - state.num_under
    for seat in range(state.num_seats):
        undealt -= state.hand_size[seat] + state.trick[seat].sum() + state.played[seat].sum()
    if undealt < left - (state.phase == Phase.SWAP_RETURN):
        return Fault.SWAPS, state.dealer
    return (SOUND, 0) if state.revealed else fault_of_last_swap(state, viewer)


@compiled
def fault_of_last_swap(state, viewer):
    """Look for a swap of the dealer that did not leave its two cards where No Trash finds them."""
    dealer, drawn, returned = state.dealer, state.swap_drawn, state.swap_returned
    shown = viewer == NOBODY or state.seat_of[viewer] == dealer
    is_kept = shown and state.swapped[dealer] > 0
    is_told = drawn != NO_CARD and returned != NO_CARD
    if (drawn != NO_CARD or returned != NO_CARD) and not is_kept:
        return Fault.SWAPS, dealer
    can_be_undone = state.action_deck_used and state.phase != Phase.PLAY
    if not is_kept or not can_be_undone:
        return SOUND, 0
    fits = is_told and state.hand[dealer, drawn] and state.under[returned]
    return (SOUND, 0) if fits else (Fault.SWAPS, dealer)


@compiled
def most_swaps(state, seat):
    """Return how many swaps a seat can have a right to in this hand (sections 5.3 and 7)."""
    is_dealer = seat == state.dealer
    if state.teams:
        return state.next_entitled * is_dealer
    if not state.action_deck_used:
        return 0
    card, is_revealer = state.action_card, seat == state.last_winner
    if is_revealer and (card == ActionCard.NO_TRASH or card == ActionCard.PARTIAL_PLAY):
        return 0
    if is_revealer and ActionCard.DOUBLE_DIP <= card <= ActionCard.REFUND:
        return 2
    picked = card == ActionCard.PICK_A_PLAYER and not is_revealer and state.phase != Phase.PICK
    return 1 * (picked or is_dealer)


@compiled
def fault_of_phase(state):
    """Look for a decision that is not due (sections 5 and 7)."""
    phase, asked = state.phase, state.asked
    has_drawn = phase == Phase.SWAP_RETURN or phase == Phase.GECKO_GIVE
    if has_drawn != (state.drawn != NO_CARD):
        return Fault.PHASE, 0
    if state.blind[asked] or (has_drawn and not state.hand[asked, state.drawn]):
        return Fault.PHASE, 0
    if phase == Phase.DECIDE:
        due = state.teams == 1
    elif phase == Phase.SWAP_OFFER or phase == Phase.SWAP_RETURN:
        due = state.entitled[asked] > state.swapped[asked]
        due = due and (state.teams or state.action_deck_used)
    elif phase == Phase.GECKO_OFFER or phase == Phase.GECKO_GIVE:
        due = state.revealed and 0 < state.turns < state.num_seats
        due = due and asked == seat_in_play(state, state.dealer, state.turns)
    elif phase == Phase.PLAY:
        due = asked == state.to_play
        due = due and asked == seat_in_play(state, state.leader, state.trick_size)
    else:
        due = state.revealed and asked == state.last_winner
    return (SOUND, 0) if due else (Fault.PHASE, 0)


@compiled
def fault_of_calls(state):
    """Look for passes, or a call, out of their order (5.2); only with sides is anybody asked."""
    if not state.teams:
        was_asked = state.cycle + state.passed.sum() > 0 or state.caller != NOBODY
        return (Fault.CALLER, 0) if was_asked else (SOUND, 0)
    last = state.asked if state.phase == Phase.DECIDE else state.caller
    if (state.caller == NOBODY) != (state.phase == Phase.DECIDE) or is_ghost(state, last):
        return Fault.CALLER, 0
    if state.turns == 0 or last != seat_at(state, state.dealer, state.turns):
        return Fault.CALLER, 0
    for steps in range(1, state.num_seats + 1):
        if state.passed[seat_at(state, state.dealer, steps)] != (steps < state.turns):
            return Fault.CALLER, 0
    return SOUND, 0


@compiled
def fault_of_first_deal(state):
    """Look for a dealer who cannot deal now: the highest card drawn gives the first deal (4)."""
    highest = NOBODY
    for seat in range(state.num_seats):
        card = state.showdown[seat]
        if (card == NO_CARD) != is_ghost(state, seat):
            return Fault.FIRST_DEAL, seat
        for other in range(seat):
            if card != NO_CARD and state.showdown[other] == card:
                return Fault.FIRST_DEAL, seat
        if highest == NOBODY or RANK[NO_CARD, card] > RANK[NO_CARD, state.showdown[highest]]:
            highest = seat if card != NO_CARD else highest
    if state.hands == 1 and state.dealer != highest:
        return Fault.FIRST_DEAL, state.dealer
    if not state.teams and state.next_entitled != 1:
        return Fault.SWAPS, state.dealer
    is_doubled = state.next_entitled > 1
    if is_doubled and (state.last_winner == NOBODY or (state.dealer ^ state.last_winner) & 1):
        return Fault.SWAPS, state.dealer
    return SOUND, 0


@compiled
def fault_of_action_card(state):
    """Look for what only an action card brings (section 7)."""
    card, phase = state.action_card, state.phase
    is_first = state.last_winner == NOBODY
    if state.direction < 0 and (is_first or not state.action_gone[ActionCard.REVERSE_DIRECTION]):
        return Fault.DIRECTION, 0
    if not state.action_deck_used and (state.revealed or state.action_gone.any()):
        return Fault.ACTION_CARD, 0
    if state.revealed and not can_be_revealed(state):
        return Fault.ACTION_CARD, card
    must_reveal = state.action_deck_used and not is_first and not state.revealed
    if must_reveal and phase == Phase.PLAY and not state.action_gone.all():
        return Fault.ACTION_CARD, 0
    for seat in range(state.num_seats):
        is_revealer = seat == state.last_winner
        if state.blind[seat] != (is_revealer and card == ActionCard.NO_REVEAL):
            return Fault.ACTION_CARD, seat
        if (state.rapid == seat) != (is_revealer and card == ActionCard.RAPID_FIRE):
            return Fault.ACTION_CARD, seat
    is_gecko = phase == Phase.GECKO_OFFER or phase == Phase.GECKO_GIVE
    asked = state.num_seats - 1 if card == ActionCard.ELIMINATED else 0
    if not state.teams and not is_gecko and state.turns != asked:
        return Fault.ACTION_CARD, 0
    return SOUND, 0


@compiled
def can_be_revealed(state):
    """Return whether the action card revealed asks for this decision and left this behind it."""
    card, limbo = state.action_card, state.limbo.any()
    phase = Phase.GECKO_OFFER if state.phase == Phase.GECKO_GIVE else state.phase
    is_asking = Phase.SOCIAL <= phase <= Phase.GECKO_OFFER
    if state.last_winner == NOBODY or (is_asking and phase != asked_by(card)):
        return False
    if card == ActionCard.RESTART_GAME:
        return not limbo and not state.action_gone.any() and state.direction > 0
    if state.action_gone[card] == 0:
        return False
    was_social = asked_by(card) == Phase.SOCIAL and phase != Phase.SOCIAL
    return was_social or limbo == (card == ActionCard.SKIP)


@compiled
def asked_by(card):
    """Return the decision that an action card asks for; SWAP_OFFER if the hand just goes on."""
    if ActionCard.DANCE <= card <= ActionCard.SING_SOMETHING:
        return Phase.SOCIAL
    if ActionCard.NEVER_HAPPENED <= card <= ActionCard.SHIELD:
        return Phase.STEAL
    if card == ActionCard.PICK_A_PLAYER:
        return Phase.PICK
    if card == ActionCard.DO_OVER:
        return Phase.KEEP
    return Phase.GECKO_OFFER if card == ActionCard.ELIMINATED else Phase.SWAP_OFFER


@compiled
def fault_of_all_cards(state, viewer):
    return fault_of_cards(state) if viewer == NOBODY else fault_of_view(state, viewer)


find_fault = first_fault(
    (fault_of_seats, fault_of_points, fault_of_all_cards, fault_of_memory),
    (
        *(fault_of_tricks, fault_of_sizes, fault_of_swaps, fault_of_phase, fault_of_calls),
        *(fault_of_first_deal, fault_of_action_card),
    ),
    Phase.OVER,
)


def means_nothing(state: Any, field: str, entry: tuple[int, ...]) -> bool:
    """Return whether an entry is that of a seat or a side not at the table."""
    if field == "owned":
        return entry[0] >= (2 if state.teams else state.num_seats)
    by_seat = (
        *("passed", "entitled", "swapped", "tricks_won", "blind"),
        *("trick", "played", "showdown", "won"),
    )
    return field in by_seat and entry[0] >= state.num_seats
