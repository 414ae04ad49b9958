"""The compiled functions that Python calls. All take an array of games."""

from __future__ import annotations

from gubs_env.games.arrays import borrowed, prefetch
from gubs_env.games.bad_bad_turtle import turn
from gubs_env.games.bad_bad_turtle.determinization import determinize_row
from gubs_env.games.bad_bad_turtle.legal import write_mask
from gubs_env.games.bad_bad_turtle.observation import write_observation
from gubs_env.games.bad_bad_turtle.score import write_payoffs
from gubs_env.games.bad_bad_turtle.state import NOBODY, Phase
from gubs_env.games.bad_bad_turtle.view import veil_row
from gubs_env.games.choosing import ANY_SEAT, CHOOSE, LOOK, choose
from gubs_env.games.compilation import entry

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
    """Play decisions in every game, and write what the next seat to decide sees and may do.

    Args:
        games: GAME[count].
        actions: int64[count], each a legal action, LOOK or CHOOSE.
        rounds: decisions to play in each game; more than one only with CHOOSE.
        choosers: int64[count, 4], generators for CHOOSE; the games' own are not touched by it.
        autoreset: deal a game that ends anew, from its own generator.
        skip_forced: play decisions with a single legal action at once.
        observations: int8[count, observation_size], written.
        masks: int8[count, num_actions], written; all zero for a game that is over.
        rewards: float32[count, num_players], written: payoffs where a game ended, else zeros.
        dones: bool[count], written: whether a game ended.
        actors: int64[count], written: the seat to decide, −1 for a game that is over.
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
                    turn.set_up(game, ANY_SEAT)
                    write_mask(game, mask)
            write_observation(game, game.actor, observation)
        actors[index] = NOBODY if game.phase == Phase.OVER else game.actor


@entry
def deal(games, index, starting_seat):
    """Set up a new game in one row, from its generator as it stands (see `set_up`)."""
    turn.set_up(games[index], starting_seat)


@entry
def observe(games, index, viewer, observation):
    """Write what any seat sees of one game: int8[observation_size]."""
    write_observation(games[index], viewer, observation)


@entry
def determinize(games, index, chooser):
    """Make a view of the seat to decide a complete game, by chance from int64[4] (see `view`)."""
    determinize_row(games[index], chooser)


@entry
def veil(games, index, viewer):
    """Erase from one row all that a seat does not know (see `view`)."""
    veil_row(games[index], viewer)
