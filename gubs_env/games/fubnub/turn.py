"""The course of a game: set-up, hands, the decision cycle, swaps, tricks, awards (sections 4 to 7).

A decision sets what is to happen next; `play_out` goes on until a player has to decide.
"""

from __future__ import annotations

import numpy as np

from gubs_env.games.choosing import ANY_SEAT, choose
from gubs_env.games.compilation import dispatch, inlined, rule
from gubs_env.games.fubnub.actions import ACCEPT, DECLINE, PLAY, point_of, steps_of
from gubs_env.games.fubnub.cards import HAND_CARDS, NO_CARD, NUM_ACTION_CARDS, NUM_CARDS, RANK
from gubs_env.games.fubnub.effects import ask, take_effect_of
from gubs_env.games.fubnub.legal import write_mask
from gubs_env.games.fubnub.score import draw_from_deck, end_game, hand_winner, points
from gubs_env.games.fubnub.state import (
    NOBODY,
    Phase,
    clear_hand,
    clear_table,
    is_ghost,
    next_living,
    pile_of,
    seat_at,
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

# ------------------------------------------------------------------------------ set-up (section 4)


@rule
def set_up(game, starting_player):
    """Choose the point cards, draw for the first deal, deal; `starting_player` draws first.

    ANY_SEAT is player 0.
    """
    clear_table(game)
    for _ in range(game.point_deck.sum() - game.num_points):
        left_out = choose(game.rng, game.point_deck)
        game.point_deck[left_out] = 0
        game.absent[left_out] = 1
    draw_for_deal(game, game.seat_of[0 if starting_player == ANY_SEAT else starting_player])
    game.phase = Phase.DEAL
    game.actor = NOBODY
    go_on(game)


@rule
def draw_for_deal(game, first):
    """Every living player draws a number card; the highest deals."""
    deck = np.ones(NUM_CARDS, np.int8)
    highest = -1
    for steps in range(game.num_seats):
        seat = seat_at(game, first, steps)
        if not is_ghost(game, seat):
            rank = draw_from_deck(game, seat, deck)
            if rank > highest:
                game.dealer, highest = seat, rank


@rule
def start_hand(game):
    """Deal and reveal a point card; it is to be decided on, or in play at once (5.1, 5.2)."""
    clear_hand(game)
    game.hands += 1
    deal_number_cards(game)
    reveal_point_card(game)
    if game.teams:
        game.entitled[game.dealer] = game.next_entitled
        game.phase = Phase.DECIDE
    else:
        game.entitled[game.dealer] = game.action_deck_used
        game.phase = Phase.SWAP_OFFER


# --------------------------------------------------------------------- decision cycle (section 5.2)


@rule
def ask_next_caller(game):
    """The next living seat from the left of the dealer; ghosts pass by themselves."""
    while game.turns < game.num_seats:
        game.turns += 1
        seat = seat_at(game, game.dealer, game.turns)
        if not is_ghost(game, seat):
            ask(game, seat, Phase.DECIDE)
            return
        game.passed[seat] = 1
    all_have_passed(game)


@rule
def all_have_passed(game):
    """Another point card for a second round; after that the deal is a misdeal (F8)."""
    return_point_card(game)
    if game.cycle == 0:
        game.cycle = 1
        game.turns = 0
        game.passed[:] = 0
        reveal_point_card(game)
    else:
        next_deal(game, next_living(game, game.dealer), 1)


@rule
def decide_call(game, action):
    if action == PLAY:
        game.caller = game.asked
        game.phase = Phase.SWAP_OFFER
    else:
        game.passed[game.asked] = 1
    game.actor = NOBODY


# ------------------------------------------------------------------- dealer advantage (section 5.3)


@rule
def offer_swaps(game):
    """Ask whoever may still swap; then the action card is revealed, or the tricks begin."""
    for seat in range(game.num_seats):
        if game.entitled[seat] > game.swapped[seat]:
            ask(game, seat, Phase.SWAP_OFFER)
            return
    in_stack = game.action_gone.sum() < NUM_ACTION_CARDS
    if game.action_deck_used and not game.revealed and game.last_winner != NOBODY and in_stack:
        game.phase = Phase.REVEAL
    else:
        begin_tricks(game)


@rule
def decide_swap(game, action):
    """Draw, or give up all the swaps left (F11)."""
    if action == DECLINE:
        game.entitled[game.asked] = game.swapped[game.asked]
        game.actor = NOBODY
    else:
        game.drawn = draw_undealt(game, game.asked)
        game.phase = Phase.SWAP_RETURN


@rule
def decide_return(game, action):
    return_under(game, game.asked, action)
    if game.asked == game.dealer:
        game.swap_drawn, game.swap_returned = game.drawn, action
    game.drawn = NO_CARD
    game.swapped[game.asked] += 1
    resume(game)


@inlined
def resume(game):
    """The hand goes on with the swaps that are still due."""
    game.phase = Phase.SWAP_OFFER
    game.actor = NOBODY


# ------------------------------------------------------------------------- action cards (section 7)


@rule
def reveal_action_card(game):
    """The winner of the hand before reveals a card, which takes effect."""
    game.revealed = 1
    game.action_card = choose(game.rng, 1 - game.action_gone)
    game.action_gone[game.action_card] = 1
    game.phase = Phase.SWAP_OFFER
    take_effect_of(game.action_card, game)


@rule
def decide_social(game, action):
    if action == DECLINE:
        put_last_award_in_limbo(game)
    resume(game)


@rule
def decide_steal(game, action):
    if action != DECLINE:
        point = point_of(action)
        game.owned[:, point] = 0
        game.owned[game.asked, point] = 1
    resume(game)


@rule
def decide_pick(game, action):
    """The seat named gets the dealer's advantage, unless it has had it (F26)."""
    seat = seat_at(game, game.asked, steps_of(action))
    game.entitled[seat] = max(1, game.entitled[seat])
    resume(game)


@rule
def decide_keep(game, action):
    exchange_with_undealt(game, game.asked, action)
    resume(game)


@rule
def ask_next_taker(game):
    """The gecko: the next seat in play from the dealer, which is not asked itself (F24)."""
    if game.turns == game.num_seats - 1:
        game.phase = Phase.SWAP_OFFER
        return
    game.turns += 1
    ask(game, seat_in_play(game, game.dealer, game.turns), Phase.GECKO_OFFER)


@rule
def decide_take(game, action):
    if action == ACCEPT:
        game.drawn = take_blindly(game, game.asked, game.dealer)
        game.phase = Phase.GECKO_GIVE
    else:
        game.actor = NOBODY


@rule
def decide_give(game, action):
    hand_over(game, game.asked, game.dealer, action)
    game.drawn = NO_CARD
    game.phase = Phase.GECKO_OFFER
    game.actor = NOBODY


# ----------------------------------------------------------------------------- tricks (section 5.4)


@rule
def begin_tricks(game):
    game.leader = seat_in_play(game, game.dealer, 1) if game.rapid == NOBODY else game.rapid
    game.to_play = game.leader
    game.phase = Phase.PLAY


@rule
def play_next(game):
    """The next seat plays: a ghost's or a blind hand by itself, card by card from its stack."""
    if game.trick_size == game.num_seats:
        finish_trick(game)
        return
    seat = game.to_play
    if is_ghost(game, seat) or game.blind[seat]:
        play_card(game, seat, choose(game.rng, game.hand[seat]))
    else:
        ask(game, seat, Phase.PLAY)


@inlined
def play_card(game, seat, card):
    play_to_trick(game, seat, card)
    game.to_play = seat_in_play(game, seat, 1)


@rule
def decide_card(game, action):
    play_card(game, game.asked, action)
    game.actor = NOBODY


@rule
def finish_trick(game):
    """The highest card wins; its seat leads next, and with the last trick the hand is decided."""
    winner, highest = NOBODY, -1
    for seat in range(game.num_seats):
        rank = RANK[game.point_card, game.trick_card[seat]]
        if rank > highest:
            winner, highest = seat, rank
    game.tricks_won[winner] += 1
    game.best_won[winner] = max(game.best_won[winner], highest)
    put_trick_aside(game)
    game.leader = winner if game.rapid == NOBODY else game.rapid
    game.to_play = game.leader
    if game.tricks_won.sum() == HAND_CARDS:
        award(game)


# -------------------------------------------------------- award and next dealer (sections 5.5, 5.6)


@rule
def award(game):
    """The point card, and all in limbo, to the winner of the hand; the next deal, or the end."""
    winner = hand_winner(game)
    game.limbo[game.point_card] = 1
    game.point_card = NO_CARD
    game.last_winner = winner
    game.last_award[:] = game.limbo
    award_limbo(game, pile_of(game, winner))
    if is_decided(game, winner):
        end_game(game)
    elif game.teams:
        next_deal_in_teams(game, winner)
    else:
        next_deal(game, next_living(game, game.dealer), 1)


@inlined
def is_decided(game, winner):
    """In teams, whether a side has most of the cards; else whether all are awarded."""
    if game.teams:
        return points(game, winner) > game.num_points // 2
    return game.point_deck.sum() == 0


@rule
def next_deal(game, dealer, swaps):
    game.dealer = dealer
    game.next_entitled = swaps
    game.phase = Phase.DEAL
    game.actor = NOBODY


@rule
def next_deal_in_teams(game, winner):
    """A sweep gives the caller the deal, a fub the winning side; both with two swaps (5.6)."""
    fubbed = (winner ^ game.caller) & 1
    tricks = game.tricks_won[winner] + game.tricks_won[winner ^ 2]
    if fubbed and is_ghost(game, winner) and is_ghost(game, winner ^ 2):
        next_deal(game, next_living(game, game.dealer), 1)  # F15
    elif fubbed:
        seat = seat_at(game, game.dealer, 1)
        while is_ghost(game, seat) or (seat ^ winner) & 1:
            seat = seat_at(game, seat, 1)
        next_deal(game, seat, 2)
    elif tricks == HAND_CARDS:
        next_deal(game, game.caller, 2)
    else:
        next_deal(game, next_living(game, game.dealer), 1)


# ------------------------------------------------------------------------------------------ a step


decide = dispatch(
    {
        Phase.PLAY: decide_card,
        Phase.DECIDE: decide_call,
        Phase.SWAP_OFFER: decide_swap,
        Phase.SWAP_RETURN: decide_return,
        Phase.SOCIAL: decide_social,
        Phase.STEAL: decide_steal,
        Phase.PICK: decide_pick,
        Phase.KEEP: decide_keep,
        Phase.GECKO_OFFER: decide_take,
        Phase.GECKO_GIVE: decide_give,
    },
    "game, action",
)
happen = dispatch(
    {
        Phase.PLAY: play_next,
        Phase.DECIDE: ask_next_caller,
        Phase.SWAP_OFFER: offer_swaps,
        Phase.DEAL: start_hand,
        Phase.REVEAL: reveal_action_card,
        Phase.GECKO_OFFER: ask_next_taker,
    },
    "game",
)


@rule
def go_on(game):
    """While nobody is to decide, the game goes on by itself."""
    while game.actor == NOBODY:
        happen(game.phase, game)


@rule
def step(game, action, mask):
    """Play a legal action and all that follows from it until a player has to decide.

    `mask`, int8[num_actions], is written for that player; it is all zero once the game is over.
    """
    game.decisions += 1
    decide(game.phase, game, action)
    go_on(game)
    if game.phase != Phase.OVER and game.decisions >= game.max_cycles:
        game.phase = Phase.OVER
        game.truncated = 1
    write_mask(game, mask)
