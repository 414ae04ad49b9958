"""What a game must offer so that every face here works with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gubs_env.games.mechanics import Mechanics


def each_alone(num_players: int, rules: Any) -> np.ndarray:
    """For games without partners."""
    return np.arange(num_players)


@dataclass(frozen=True)
class Game:
    """The functions of one game. `games` is always an array of rows, one row a game.

    A row has fields `rng` (int64[4], the game's own generator), `actor` (the seat to decide),
    `phase` (what), `num_players` and whatever else the game keeps. Seats are numbered along the
    players; what else sits at the table of a game is its own affair.
    """

    name: str
    """The name of its public module."""
    players: int
    """Players at a table unless said otherwise."""
    rules: type
    """Dataclass of the rule options, with `as_dict()`."""
    check_players: Callable[[int, Any], None]
    """(num_players, rules): raises ValueError unless these can be played together."""
    new_games: Callable[[int, int, Any], np.ndarray]
    """(count, num_players, rules) → rows before anything is dealt."""
    mechanics: Mechanics
    """The compiled rules, for those who play on by themselves."""
    deal: Callable[[np.ndarray, int, int], None]
    """(games, index, starting_seat): set up a new game from the row's generator; ANY_SEAT lets the
    rules say who starts."""
    advance: Callable[..., None]
    """(games, actions, rounds, choosers, autoreset, skip_forced, observations, masks, rewards,
    dones, truncations, actors): play decisions in every game and write what follows."""
    observe: Callable[[np.ndarray, int, int, np.ndarray], None]
    """(games, index, seat, observation): write what a seat sees."""
    veil: Callable[[np.ndarray, int, int], None]
    """(games, index, seat): erase from a row all that a seat may not know."""
    determinize: Callable[[np.ndarray, int, np.ndarray], None]
    """(views, index, chooser): fill in the secrets of a view of the seat to decide, at random."""
    make_view: Callable[[int, Any], Any]
    """(seat, row from which all is erased that it may not know) → what the seat may know."""
    outcome: Callable[[Any], Any]
    """(row) → scores, winners and what decided."""
    num_actions: Callable[[int], int]
    """(num_players) → size of the action space."""
    action_name: Callable[[int, int], str]
    """(action, num_players) → its name."""
    action_index: Callable[[str, int], int]
    """(name, num_players) → the action; inverse of `action_name`."""
    observation_slices: Callable[[int], dict[str, Any]]
    """(num_players) → the named pieces of the observation."""
    observation_highs: Callable[[int], np.ndarray]
    """(num_players) → largest value of each entry of an observation, int8[size]; the least is 0."""
    lead: Callable[[np.ndarray, int], np.ndarray]
    """(observations, num_players) → float32[batch]: how far the viewer is ahead of the best of the
    others, in points, as it sees it."""
    describe: Callable[[Any, bool], str]
    """(view, colour) → the table in words."""
    narrate: Callable[[Any, int, Any, int | None], list[str]]
    """(before, action, after, seat or None) → one decision in words."""
    sides: Callable[[int, Any], np.ndarray] = each_alone
    """(num_players, rules) → the side of each player, int64[num_players], numbered from 0.
    Partners, who win and lose together, share one; `Mechanics.side_of` says so of a row."""

    def view(self, games: np.ndarray, index: int, seat: int) -> Any:
        """What a seat may know of a game, as a copy."""
        copy = games[index : index + 1].copy()
        self.veil(copy, 0, seat)
        return self.make_view(seat, copy[0])
