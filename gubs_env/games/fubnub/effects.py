"""The effects of the action cards in Full Deck, one function each (section 7).

The winner of the hand before, `state.last_winner`, reveals the card. An effect that asks for a
decision sets the phase and who is asked. Otherwise the hand goes on with the dealer's advantage,
which the effect may have changed.
"""

from __future__ import annotations

from gubs_env.engine.cases import Cases
from gubs_env.engine.compiling import compiled
from gubs_env.games.fubnub.cards import PERFORMANCE, ActionCard
from gubs_env.games.fubnub.score import end_game
from gubs_env.games.fubnub.state import Phase, clear_number_cards
from gubs_env.games.fubnub.table import (
    award_limbo,
    deal_number_cards,
    deal_piles_anew,
    mix_with_undealt,
    pass_hands,
    pass_piles,
    put_last_award_in_limbo,
    recover_swapped,
    return_all_points,
    reveal_point_card,
)

effects = Cases(list(ActionCard))


@compiled
def ask(state, seat, phase):
    """Ask a living seat for a decision."""
    state.phase = phase
    state.asked = seat
    state.actor = state.player_at[seat]


@compiled
def redeal(state):
    """Deal all number cards anew; the dealer gets the advantage anew, nothing else is revealed."""
    clear_number_cards(state)
    deal_number_cards(state)
    state.entitled[state.dealer] = 1


@effects.of(ActionCard.SKIP)
def skip(state):
    put_last_award_in_limbo(state)


@effects.of(*(card for card in ActionCard if card.text == PERFORMANCE))
def perform(state):
    """Ask the revealer to dance, rhyme, talk, tell or sing; to decline is a Skip (F23)."""
    ask(state, state.last_winner, Phase.SOCIAL)


@effects.of(ActionCard.ELIMINATED)
def eliminated(state):
    """Begin the gecko: every seat but the dealer is asked (F24)."""
    state.turns = 0
    state.phase = Phase.GECKO_OFFER


@effects.of(ActionCard.NO_REVEAL)
def no_reveal(state):
    state.blind[state.last_winner] = 1


@effects.of(ActionCard.PEEK)
def peek(state):
    viewer = state.last_winner
    for seat in range(state.num_seats):
        if seat != viewer:
            state.known[viewer, seat] = state.hand[seat]


@effects.of(ActionCard.DO_OVER)
def do_over(state):
    ask(state, state.last_winner, Phase.KEEP)


@effects.of(ActionCard.RAPID_FIRE)
def rapid_fire(state):
    state.rapid = state.last_winner


@effects.of(ActionCard.CLEAN_UP)
def clean_up(state):
    award_limbo(state, state.last_winner)


@effects.of(ActionCard.PICK_A_PLAYER)
def pick_a_player(state):
    ask(state, state.last_winner, Phase.PICK)


@effects.of(ActionCard.DOUBLE_DIP, ActionCard.RECYCLE_BONUS, ActionCard.REFUND)
def double_advantage(state):
    """Give the revealer the advantage twice: Double Dip, Recycle Bonus, Refund (F26)."""
    state.entitled[state.last_winner] = 2


@effects.of(ActionCard.NO_TRASH, ActionCard.PARTIAL_PLAY)
def no_advantage(state):
    """Take the advantage from the revealer and undo their swap: No Trash, Partial Play (F27)."""
    seat = state.last_winner
    if seat == state.dealer and state.swapped[seat] > 0:
        recover_swapped(state)
    state.entitled[seat] = 0
    state.swapped[seat] = 0


@effects.of(ActionCard.SECOND_CHANCE, ActionCard.SLOW_DOWN)
def second_chance(state):
    """Deal the revealer a new hand: Second Chance, Slow Down; a dealer may swap again (F28)."""
    seat = state.last_winner
    mix_with_undealt(state, seat)
    if seat == state.dealer:
        state.swapped[seat] = 0
        state.entitled[seat] = 1


@effects.of(ActionCard.NEVER_HAPPENED, ActionCard.NO_WAY, ActionCard.SHIELD)
def steal(state):
    """Offer a theft if others have any point card: Never Happened, No Way, Shield (F29)."""
    for seat in range(state.num_seats):
        if seat != state.last_winner and state.owned[seat].any():
            ask(state, state.last_winner, Phase.STEAL)


@effects.of(ActionCard.RESTART_GAME)
def restart_game(state):
    state.action_gone[:] = 0
    state.direction = 1
    if state.move_points:
        return_all_points(state)
        reveal_point_card(state)
    redeal(state)


@effects.of(ActionCard.SHUFFLE)
def shuffle(state):
    if state.move_points:
        deal_piles_anew(state)
    redeal(state)


@effects.of(ActionCard.REVERSE_DIRECTION)
def reverse_direction(state):
    state.direction = -state.direction


@compiled
def swap_stacks(state, steps):
    pass_hands(state, steps)
    if state.move_points:
        pass_piles(state, steps)


@effects.of(ActionCard.STACK_SWAP_LEFT)
def stack_swap_left(state):
    swap_stacks(state, 1)


@effects.of(ActionCard.STACK_SWAP_RIGHT)
def stack_swap_right(state):
    swap_stacks(state, state.num_seats - 1)


@effects.of(ActionCard.TURTLE)
def turtle(state):
    """End the game; the hand just dealt is void, and its point card goes to nobody."""
    award_limbo(state, state.last_winner)
    end_game(state)


take_effect_of = effects.join()
