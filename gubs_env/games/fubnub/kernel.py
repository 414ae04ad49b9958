"""The compiled functions that Python calls. All take an array of games."""

from __future__ import annotations

from gubs_env.games.arrays import borrowed, prefetch
from gubs_env.games.choosing import ANY_SEAT, CHOOSE, LOOK, choose
from gubs_env.games.compilation import entry
from gubs_env.games.fubnub import turn
from gubs_env.games.fubnub.determinization import determinize_row
from gubs_env.games.fubnub.legal import write_mask
from gubs_env.games.fubnub.observation import write_observation
from gubs_env.games.fubnub.score import write_payoffs
from gubs_env.games.fubnub.state import NOBODY, Phase
from gubs_env.games.fubnub.view import veil_row

GAMES_AHEAD = 2
"""How far ahead of play the memory is asked for games."""


@entry
def advance(
    games,
    actions,
    rounds,
    choosers,
    autoreset,
    skip_forced,
    observations,
    masks,
    rewards,
    dones,
    actors,
):
    """Play decisions in every game, and write what the next player to decide sees and may do.

    Args:
        games: GAME[count].
        actions: int64[count], each a legal action, LOOK or CHOOSE.
        rounds: decisions to play in each game; more than one only with CHOOSE.
        choosers: int64[count, 4], generators for CHOOSE; the games' own are not touched by it.
        autoreset: deal a game that ends anew, from its own generator, player 0 to draw first.
        skip_forced: play decisions with a single legal action at once.
        observations: int8[count, observation_size], written.
        masks: int8[count, num_actions], written; all zero for a game that is over.
        rewards: float32[count, num_players], written: payoffs where a game ended, else zeros.
        dones: bool[count], written: whether a game ended.
        actors: int64[count], written: the player to decide, −1 for a game that is over.
    """
    for index in range(len(games)):
        prefetch(games, index + GAMES_AHEAD)
        prefetch(observations, index + GAMES_AHEAD)
        prefetch(masks, index + GAMES_AHEAD)
        game, mask, observation = (
            games[index],
            borrowed(masks[index]),
            borrowed(observations[index]),
        )
        chooser, payoffs = borrowed(choosers[index]), borrowed(rewards[index])
        payoffs[:] = 0
        dones[index] = False
        for _ in range(rounds):
            was_over = game.phase == Phase.OVER
            if actions[index] == LOOK:
                write_mask(game, mask)
            elif not was_over:
                chosen = actions[index]
                turn.step(game, choose(chooser, mask) if chosen == CHOOSE else chosen, mask)
            if skip_forced:
                turn.play_forced(game, mask)
            if game.phase == Phase.OVER and not was_over:
                write_payoffs(game, payoffs)
                dones[index] = True
                if autoreset:
                    turn.set_up(game, 0)
                    write_mask(game, mask)
            write_observation(game, game.asked, observation)
        actors[index] = NOBODY if game.phase == Phase.OVER else game.actor


@entry
def deal(games, index, starting_player):
    """Set up a new game in one row, from its generator as it stands; ANY_SEAT is the first."""
    turn.set_up(games[index], 0 if starting_player == ANY_SEAT else starting_player)


@entry
def observe(games, index, player, observation):
    """Write what any player sees of one game: int8[observation_size]."""
    write_observation(games[index], games[index].seat_of[player], observation)


@entry
def determinize(games, index, chooser):
    """Make a view of the player to decide a complete game, by chance from int64[4] (see `view`)."""
    determinize_row(games[index], games[index].asked, chooser)


@entry
def veil(games, index, player):
    """Erase from one row all that a player does not know (see `view`)."""
    veil_row(games[index], games[index].seat_of[player])
