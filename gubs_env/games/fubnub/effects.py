"""What each action card does in Full Deck: one function a card (section 7).

The one who reveals it is the winner of the hand before, `game.last_winner`. An effect that asks for
a decision sets the phase and who is asked; otherwise the hand goes on with the dealer's advantage,
which a card may have changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gubs_env.games.compilation import dispatch, rule
from gubs_env.games.fubnub.cards import ActionCard
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


@rule
def ask(game, seat, phase):
    """The decision is that of a living seat."""
    game.phase = phase
    game.asked = seat
    game.actor = game.player_at[seat]


@rule
def redeal(game):
    """A complete redeal: all number cards anew, the dealer's advantage too, no second reveal."""
    clear_number_cards(game)
    deal_number_cards(game)
    game.entitled[game.dealer] = 1


@rule
def skip(game):
    put_last_award_in_limbo(game)


@rule
def perform(game):
    """Dance, rhyme, talk funny, tell, share an opinion, sing: or decline, which is a Skip (F23)."""
    ask(game, game.last_winner, Phase.SOCIAL)


@rule
def eliminated(game):
    """The gecko: every seat but the dealer is asked (F24)."""
    game.turns = 0
    game.phase = Phase.GECKO_OFFER


@rule
def no_reveal(game):
    game.blind[game.last_winner] = 1


@rule
def peek(game):
    viewer = game.last_winner
    for seat in range(game.num_seats):
        if seat != viewer:
            game.known[viewer, seat] = game.hand[seat]


@rule
def do_over(game):
    ask(game, game.last_winner, Phase.KEEP)


@rule
def rapid_fire(game):
    game.rapid = game.last_winner


@rule
def clean_up(game):
    award_limbo(game, game.last_winner)


@rule
def pick_a_player(game):
    ask(game, game.last_winner, Phase.PICK)


@rule
def double_advantage(game):
    """Double Dip, Recycle Bonus, Refund (F26)."""
    game.entitled[game.last_winner] = 2


@rule
def no_advantage(game):
    """No Trash, Partial Play: none for the one who reveals it; a swap is undone (F27)."""
    seat = game.last_winner
    if seat == game.dealer and game.swapped[seat] > 0:
        recover_swapped(game)
    game.entitled[seat] = 0
    game.swapped[seat] = 0


@rule
def second_chance(game):
    """Second Chance, Slow Down; a dealer is offered its swap again (F28)."""
    seat = game.last_winner
    mix_with_undealt(game, seat)
    if seat == game.dealer:
        game.swapped[seat] = 0
        game.entitled[seat] = 1


@rule
def steal(game):
    """Never Happened, No Way, Shield: if another has anything to steal (F29)."""
    for seat in range(game.num_seats):
        if seat != game.last_winner and game.owned[seat].any():
            ask(game, game.last_winner, Phase.STEAL)


@rule
def restart_game(game):
    game.action_gone[:] = 0
    game.direction = 1
    if game.move_points:
        return_all_points(game)
        reveal_point_card(game)
    redeal(game)


@rule
def shuffle(game):
    if game.move_points:
        deal_piles_anew(game)
    redeal(game)


@rule
def reverse_direction(game):
    game.direction = -game.direction


@rule
def swap_stacks(game, steps):
    pass_hands(game, steps)
    if game.move_points:
        pass_piles(game, steps)


@rule
def stack_swap_left(game):
    swap_stacks(game, 1)


@rule
def stack_swap_right(game):
    swap_stacks(game, game.num_seats - 1)


@rule
def turtle(game):
    """The game is over; the hand just dealt is void, its point card nobody's."""
    award_limbo(game, game.last_winner)
    end_game(game)


EFFECTS: dict[int, Callable[..., Any]] = {
    ActionCard.SKIP: skip,
    ActionCard.DANCE: perform,
    ActionCard.RHYME: perform,
    ActionCard.TALK_FUNNY: perform,
    ActionCard.TELL_A_JOKE: perform,
    ActionCard.TELL_A_STORY: perform,
    ActionCard.SHARE_AN_OPINION: perform,
    ActionCard.SING_SOMETHING: perform,
    ActionCard.ELIMINATED: eliminated,
    ActionCard.NO_REVEAL: no_reveal,
    ActionCard.PEEK: peek,
    ActionCard.DO_OVER: do_over,
    ActionCard.RAPID_FIRE: rapid_fire,
    ActionCard.CLEAN_UP: clean_up,
    ActionCard.PICK_A_PLAYER: pick_a_player,
    ActionCard.DOUBLE_DIP: double_advantage,
    ActionCard.RECYCLE_BONUS: double_advantage,
    ActionCard.REFUND: double_advantage,
    ActionCard.NO_TRASH: no_advantage,
    ActionCard.PARTIAL_PLAY: no_advantage,
    ActionCard.SECOND_CHANCE: second_chance,
    ActionCard.SLOW_DOWN: second_chance,
    ActionCard.NEVER_HAPPENED: steal,
    ActionCard.NO_WAY: steal,
    ActionCard.SHIELD: steal,
    ActionCard.RESTART_GAME: restart_game,
    ActionCard.SHUFFLE: shuffle,
    ActionCard.REVERSE_DIRECTION: reverse_direction,
    ActionCard.STACK_SWAP_LEFT: stack_swap_left,
    ActionCard.STACK_SWAP_RIGHT: stack_swap_right,
    ActionCard.TURTLE: turtle,
}
take_effect_of = dispatch(EFFECTS, "game")

assert list(EFFECTS) == list(ActionCard), "every action card does something"
