"""The functions that Python calls, written once for all games. All take an array of games."""

from __future__ import annotations

from typing import NamedTuple

from gubs_env.games.arrays import borrowed, prefetch
from gubs_env.games.choosing import ANY_SEAT, CHOOSE, LOOK, choose, count_legal, nth_legal
from gubs_env.games.compilation import Templates
from gubs_env.games.mechanics import (
    Mechanics,
    Phase,
    Rule,
    determinize_row,
    is_truncated,
    set_up,
    step,
    veil_row,
    write_mask,
    write_observation,
    write_payoffs,
)

NOBODY = -1
GAMES_AHEAD = 2
"""How far ahead of play the memory is asked for games."""
templates = Templates()


@templates.rule
def play_forced(game, mask):
    """Play on while the player to decide has a single legal action."""
    while game.phase != Phase.OVER and count_legal(mask) == 1:
        step(game, nth_legal(mask, 0), mask)


@templates.entry
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
    truncations,
    actors,
):
    """Play decisions in every game, and write what the next player to decide sees and may do.

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
        truncations: bool[count], written: whether it was cut off.
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
        truncations[index] = False
        for _ in range(rounds):
            was_over = game.phase == Phase.OVER
            if actions[index] == LOOK:
                write_mask(game, mask)
            elif not was_over:
                chosen = actions[index]
                step(game, choose(chooser, mask) if chosen == CHOOSE else chosen, mask)
            if skip_forced:
                play_forced(game, mask)
            if game.phase == Phase.OVER and not was_over:
                write_payoffs(game, payoffs)
                dones[index] = True
                truncations[index] = is_truncated(game)
                if autoreset:
                    set_up(game, ANY_SEAT)
                    write_mask(game, mask)
            write_observation(game, game.actor, observation)
        actors[index] = NOBODY if game.phase == Phase.OVER else game.actor


@templates.entry
def deal(games, index, starting_player):
    """Set up a new game in one row, from its generator as it stands (see `Mechanics.set_up`)."""
    set_up(games[index], starting_player)


@templates.entry
def observe(games, index, player, observation):
    """Write what any player sees of one game: int8[observation_size]."""
    write_observation(games[index], player, observation)


@templates.entry
def determinize(games, index, chooser):
    """Make a view of the player to decide a complete game, by chance from int64[4]."""
    determinize_row(games[index], chooser)


@templates.entry
def veil(games, index, player):
    """Erase from one row all that a player does not know."""
    veil_row(games[index], player)


class Kernel(NamedTuple):
    """The functions above, of one game."""

    advance: Rule
    deal: Rule
    observe: Rule
    determinize: Rule
    veil: Rule


def make_kernel(game: str, mechanics: Mechanics) -> Kernel:
    """The kernel of the game that is called so."""
    bound = templates.bind(game, mechanics._asdict())
    return Kernel(*(bound[name] for name in Kernel._fields))
