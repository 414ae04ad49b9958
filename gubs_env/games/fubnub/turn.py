"""The course of a game: set-up, hands, the decision cycle, swaps, tricks, awards (sections 4 to 7).

A decision only sets what happens next; `go_on` plays on until somebody has to decide.
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.cases import Cases
from gubs_env.engine.choosing import choose
from gubs_env.engine.compiling import compiled, inlined
from gubs_env.engine.fields import one_more
from gubs_env.engine.seats import ANY_PLAYER, NOBODY, seat_at
from gubs_env.games.fubnub.actions import ACCEPT, DECLINE, PLAY, point_of, steps_of
from gubs_env.games.fubnub.cards import HAND_CARDS, NO_CARD, NUM_ACTION_CARDS, NUM_CARDS, RANK
from gubs_env.games.fubnub.effects import ask, take_effect_of
from gubs_env.games.fubnub.legal import write_mask
from gubs_env.games.fubnub.score import draw_from_deck, end_game, hand_winner, points
from gubs_env.games.fubnub.state import (
    Phase,
    clear_hand,
    clear_table,
    is_ghost,
    next_living,
    pile_of,
    seat_in_play,
)
from gubs_env.games.fubnub.table import (
    award_limbo,
    deal_number_cards,
    draw_undealt,
    exchange_with_undealt,
    hand_over,
    play_to_trick,
    put_last_award_in_limbo,
    put_trick_aside,
    return_point_card,
    return_under,
    reveal_point_card,
    take_blindly,
)

decisions = Cases(list(Phase)[: Phase.OVER], "state, action")
happenings = Cases(
    [Phase.DEAL, Phase.DECIDE, Phase.SWAP_OFFER, Phase.REVEAL, Phase.GECKO_OFFER, Phase.PLAY]
)


# ------------------------------------------------------------------------------ set-up (section 4)


@compiled
def set_up(state, starting_player):
    """Choose the point cards, draw for the first deal, and deal; the starting player draws first.

    ANY_PLAYER means player 0.
    """
    clear_table(state)
    for _ in range(state.point_deck.sum() - state.num_points):
        left_out = choose(state.rng, state.point_deck)
        state.point_deck[left_out] = 0
        state.absent[left_out] = 1
    draw_for_deal(state, state.seat_of[0 if starting_player == ANY_PLAYER else starting_player])
    state.phase = Phase.DEAL
    state.actor = NOBODY
    go_on(state)


@compiled
def draw_for_deal(state, first):
    """Draw a number card for every living player; the highest deals."""
    deck = np.ones(NUM_CARDS, np.int8)
    highest = -1
    for steps in range(state.num_seats):
        seat = seat_at(state, first, steps)
        if not is_ghost(state, seat):
            rank = draw_from_deck(state, seat, deck)
            if rank > highest:
                state.dealer, highest = seat, rank


@happenings.of(Phase.DEAL)
def start_hand(state):
    """Deal, and reveal a point card, which is decided on or in play at once (5.1, 5.2)."""
    clear_hand(state)
    state.hands = one_more(state.hands)
    deal_number_cards(state)
    reveal_point_card(state)
    if state.teams:
        state.entitled[state.dealer] = state.next_entitled
        state.phase = Phase.DECIDE
    else:
        state.entitled[state.dealer] = state.action_deck_used
        state.phase = Phase.SWAP_OFFER


@inlined
def round_number(state):
    """Return the number of hands dealt so far."""
    return state.hands


# --------------------------------------------------------------------- decision cycle (section 5.2)


@happenings.of(Phase.DECIDE)
def ask_next_caller(state):
    """Ask the next living seat from the left of the dealer; ghosts pass by themselves."""
    while state.turns < state.num_seats:
        state.turns += 1
        seat = seat_at(state, state.dealer, state.turns)
        if not is_ghost(state, seat):
            ask(state, seat, Phase.DECIDE)
            return
        state.passed[seat] = 1
    all_have_passed(state)


@compiled
def all_have_passed(state):
    """Reveal another point card for a second round; after that the deal is void (F8)."""
    return_point_card(state)
    if state.cycle == 0:
        state.cycle = 1
        state.turns = 0
        state.passed[:] = 0
        reveal_point_card(state)
    else:
        next_deal(state, next_living(state, state.dealer), 1)


@decisions.of(Phase.DECIDE)
def decide_call(state, action):
    if action == PLAY:
        state.caller = state.asked
        state.phase = Phase.SWAP_OFFER
    else:
        state.passed[state.asked] = 1
    state.actor = NOBODY


# ------------------------------------------------------------------- dealer advantage (section 5.3)


@happenings.of(Phase.SWAP_OFFER)
def offer_swaps(state):
    """Ask a seat that may still swap; else reveal the action card, or begin the tricks."""
    for seat in range(state.num_seats):
        if state.entitled[seat] > state.swapped[seat]:
            ask(state, seat, Phase.SWAP_OFFER)
            return
    in_stack = state.action_gone.sum() < NUM_ACTION_CARDS
    if state.action_deck_used and not state.revealed and state.last_winner != NOBODY and in_stack:
        state.phase = Phase.REVEAL
    else:
        begin_tricks(state)


@decisions.of(Phase.SWAP_OFFER)
def decide_swap(state, action):
    """Draw a card, or give up all the swaps left (F11)."""
    if action == DECLINE:
        state.entitled[state.asked] = state.swapped[state.asked]
        state.actor = NOBODY
    else:
        state.drawn = draw_undealt(state, state.asked)
        state.phase = Phase.SWAP_RETURN


@decisions.of(Phase.SWAP_RETURN)
def decide_return(state, action):
    return_under(state, state.asked, action)
    if state.asked == state.dealer:
        state.swap_drawn, state.swap_returned = state.drawn, action
    state.drawn = NO_CARD
    state.swapped[state.asked] += 1
    resume(state)


@inlined
def resume(state):
    """Go on with the hand: the swaps that are still due come next."""
    state.phase = Phase.SWAP_OFFER
    state.actor = NOBODY


# ------------------------------------------------------------------------- action cards (section 7)


@happenings.of(Phase.REVEAL)
def reveal_action_card(state):
    """Reveal an action card for the winner of the hand before, and apply its effect."""
    state.revealed = 1
    state.action_card = choose(state.rng, 1 - state.action_gone)
    state.action_gone[state.action_card] = 1
    state.phase = Phase.SWAP_OFFER
    take_effect_of(state.action_card, state)


@decisions.of(Phase.SOCIAL)
def decide_social(state, action):
    if action == DECLINE:
        put_last_award_in_limbo(state)
    resume(state)


@decisions.of(Phase.STEAL)
def decide_steal(state, action):
    if action != DECLINE:
        point = point_of(action)
        state.owned[:, point] = 0
        state.owned[state.asked, point] = 1
    resume(state)


@decisions.of(Phase.PICK)
def decide_pick(state, action):
    """Give the named seat the dealer's advantage, unless it has had it (F26)."""
    seat = seat_at(state, state.asked, steps_of(action))
    state.entitled[seat] = max(1, state.entitled[seat])
    resume(state)


@decisions.of(Phase.KEEP)
def decide_keep(state, action):
    exchange_with_undealt(state, state.asked, action)
    resume(state)


@happenings.of(Phase.GECKO_OFFER)
def ask_next_taker(state):
    """Ask the next seat in the direction of play for the gecko; the dealer is not asked (F24)."""
    if state.turns == state.num_seats - 1:
        state.phase = Phase.SWAP_OFFER
        return
    state.turns += 1
    ask(state, seat_in_play(state, state.dealer, state.turns), Phase.GECKO_OFFER)


@decisions.of(Phase.GECKO_OFFER)
def decide_take(state, action):
    if action == ACCEPT:
        state.drawn = take_blindly(state, state.asked, state.dealer)
        state.phase = Phase.GECKO_GIVE
    else:
        state.actor = NOBODY


@decisions.of(Phase.GECKO_GIVE)
def decide_give(state, action):
    hand_over(state, state.asked, state.dealer, action)
    state.drawn = NO_CARD
    state.phase = Phase.GECKO_OFFER
    state.actor = NOBODY


# ----------------------------------------------------------------------------- tricks (section 5.4)


@compiled
def begin_tricks(state):
    state.leader = seat_in_play(state, state.dealer, 1) if state.rapid == NOBODY else state.rapid
    state.to_play = state.leader
    state.phase = Phase.PLAY


@happenings.of(Phase.PLAY)
def play_next(state):
    """Let the next seat play; a ghost or an unseen hand plays a random card by itself."""
    if state.trick_size == state.num_seats:
        finish_trick(state)
        return
    seat = state.to_play
    if is_ghost(state, seat) or state.blind[seat]:
        play_card(state, seat, choose(state.rng, state.hand[seat]))
    else:
        ask(state, seat, Phase.PLAY)


@inlined
def play_card(state, seat, card):
    play_to_trick(state, seat, card)
    state.to_play = seat_in_play(state, seat, 1)


@decisions.of(Phase.PLAY)
def decide_card(state, action):
    play_card(state, state.asked, action)
    state.actor = NOBODY


@compiled
def finish_trick(state):
    """Give the trick to the highest card, which leads the next; the last one ends the hand."""
    winner, highest = NOBODY, -1
    for seat in range(state.num_seats):
        rank = RANK[state.point_card, state.trick_card[seat]]
        if rank > highest:
            winner, highest = seat, rank
    state.best_won[winner] = max(state.best_won[winner], highest)
    put_trick_aside(state, winner)
    state.leader = winner if state.rapid == NOBODY else state.rapid
    state.to_play = state.leader
    if state.tricks_won.sum() == HAND_CARDS:
        award(state)


# -------------------------------------------------------- award and next dealer (sections 5.5, 5.6)


@compiled
def award(state):
    """Award the point card and all in limbo to the winner; go on to the next deal or the end."""
    winner = hand_winner(state)
    state.limbo[state.point_card] = 1
    state.point_card = NO_CARD
    state.last_winner = winner
    state.last_award[:] = state.limbo
    award_limbo(state, pile_of(state, winner))
    if is_decided(state, winner):
        end_game(state)
    elif state.teams:
        next_deal_in_teams(state, winner)
    else:
        next_deal(state, next_living(state, state.dealer), 1)


@inlined
def is_decided(state, winner):
    """Return whether a team has the majority of the point cards or, without teams, all are gone."""
    if state.teams:
        return points(state, winner) > state.num_points // 2
    return state.point_deck.sum() == 0


@compiled
def next_deal(state, dealer, swaps):
    state.dealer = dealer
    state.next_entitled = swaps
    state.phase = Phase.DEAL
    state.actor = NOBODY


@compiled
def next_deal_in_teams(state, winner):
    """Choose the next dealer: the caller after a sweep, a winner after a fub; both swap twice."""
    fubbed = (winner ^ state.caller) & 1
    tricks = state.tricks_won[winner] + state.tricks_won[winner ^ 2]
    if fubbed and is_ghost(state, winner) and is_ghost(state, winner ^ 2):
        next_deal(state, next_living(state, state.dealer), 1)  # F15
    elif fubbed:
        seat = seat_at(state, state.dealer, 1)
        while is_ghost(state, seat) or (seat ^ winner) & 1:
            seat = seat_at(state, seat, 1)
        next_deal(state, seat, 2)
    elif tricks == HAND_CARDS:
        next_deal(state, state.caller, 2)
    else:
        next_deal(state, next_living(state, state.dealer), 1)


# ------------------------------------------------------------------------------------------ a step


decide = decisions.join()
happen = happenings.join()


@compiled
def go_on(state):
    """Play on until somebody has to decide."""
    while state.actor == NOBODY:
        happen(state.phase, state)


@compiled
def step(state, action, mask):
    """Play a legal action and all that follows from it until a player has to decide.

    `mask`, int8[num_actions], is written for that player; it is all zeros once the game is over.
    """
    state.decisions += 1
    decide(state.phase, state, action)
    go_on(state)
    if state.phase != Phase.OVER and state.decisions >= state.max_cycles:
        state.phase = Phase.OVER
        state.truncated = 1
    write_mask(state, mask)
