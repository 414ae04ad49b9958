"""What is left to win: an oracle that sees all cards, against the heuristic.

    python experiments/ceiling.py
    python experiments/ceiling.py --game fubnub --players 1 --rules mode=ghost

Prints the table of docs/research/oracle.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np
import tyro
from tqdm import tqdm

import gubs_agents
from gubs_agents.arena.measures import mean_with_interval, win_shares
from gubs_agents.deals import REPORT_DEALS
from gubs_env import find_game, find_table
from gubs_env.agents.parsing import parse_rules
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.choosing import LOOK
from gubs_env.support.markdown import table
from gubs_env.support.output import print_everywhere

CERTAIN = 2.0
"""Standard errors by which a move must be better than the heuristic's."""


@dataclass(frozen=True)
class Options:
    """The oracle plays out every move from the true state, with the heuristic in all seats, and
    takes the best one. It sees the cards of all hands and of the deck, but no later shuffle."""

    game: str = "bad_bad_turtle"
    """The game."""
    players: int = 2
    """Number of players."""
    rules: str = ""
    """Options of the rules."""
    deals: int = 200
    """Number of deals, each played with the oracle on every side, and once without it."""
    playouts: int = 32
    """Number of playouts of each move."""


class Oracle:
    """A table with a heuristic in all seats, and an oracle that takes one side in each game."""

    def __init__(self, options: Options) -> None:
        rules = parse_rules(options.rules, find_game(options.game))
        self.table = find_table(options.game, options.players, rules)
        self.playouts = options.playouts
        self.heuristic = gubs_agents.make("heuristic", self.table, seed=0)

    def games(self, deals: int) -> VectorEnv:
        """Return games of this table."""
        return VectorEnv(
            self.table,
            deals,
            seed=REPORT_DEALS.start,
            autoreset=False,
            skip_forced=True,
        )

    def moves(self, games: VectorEnv, rows: np.ndarray) -> np.ndarray:
        """Return the heuristic's moves in these games, int64[rows]."""
        return self.heuristic.act(games.observations[rows], games.masks[rows])

    def payoffs(self, states: np.ndarray, actions: np.ndarray, seed: int) -> np.ndarray:
        """Return the payoffs, float32[games, num_players], if these actions are played first."""
        games = self.games(len(states))
        games.set_states(states, seed=seed)
        paid = games.step(actions).rewards.copy()
        while (rows := np.flatnonzero(games.actors >= 0)).size:
            actions = np.full(len(states), LOOK)
            actions[rows] = self.moves(games, rows)
            paid += games.step(actions).rewards
        return paid

    def foreseen(self, games: VectorEnv, rows: np.ndarray, seed: int) -> np.ndarray:
        """Return the oracle's moves in these games, int64[rows]."""
        moves = self.moves(games, rows)
        if not len(rows):
            return moves
        which, legal = np.nonzero(games.masks[rows])
        chosen = np.repeat(np.arange(len(which)), self.playouts)
        states = games.states[rows][which[chosen]]
        paid = self.payoffs(states, legal[chosen], seed)
        own = paid[np.arange(len(chosen)), games.actors[rows][which[chosen]]]
        own = own.reshape(-1, self.playouts)
        mean, variance = own.mean(axis=1), own.var(axis=1, ddof=1) / self.playouts
        for k in range(len(rows)):
            mine = np.flatnonzero(which == k)
            known, best = mine[legal[mine] == moves[k]][0], mine[np.argmax(mean[mine])]
            error = np.sqrt(variance[known] + variance[best])
            if mean[best] - mean[known] > CERTAIN * error:
                moves[k] = legal[best]
        return moves

    def shares(self, deals: int, oracle: int | None) -> np.ndarray:
        """Play; return the share of each side, float64[deals, sides].

        Args:
            deals: number of games.
            oracle: the side of the oracle; None plays without it.
        """
        games = self.games(deals)
        for number in tqdm(count(), unit=" moves", leave=False):
            going = np.flatnonzero(games.actors >= 0)
            if not going.size:
                break
            actions = np.full(deals, LOOK)
            actions[going] = self.moves(games, going)
            if oracle is not None:
                own = going[self.table.sides[games.actors[going]] == oracle]
                actions[own] = self.foreseen(games, own, seed=number * 2**32)
            games.step(actions)
        winners = np.zeros((deals, self.table.num_players), bool)
        for index in range(deals):
            winners[index, list(games.outcome(index).winners)] = True
        return win_shares(winners, self.table.sides)


def main() -> None:
    options = tyro.cli(Options)
    played = Oracle(options)
    without = played.shares(options.deals, None)
    sides = range(without.shape[1])
    own = np.stack([played.shares(options.deals, side)[:, side] for side in sides], axis=1)
    rows = []
    for name, values, least in (
        ("heuristic", without, 0.0),
        ("oracle", own, 0.0),
        ("difference", own - without, -float(without.mean())),
    ):
        found = mean_with_interval(values.mean(axis=1), (least, least + 1))
        value, low, high = (100 * number for number in found)
        rows.append((name, f"{value:.1f} % ({low:.1f} – {high:.1f})"))
    print(table((f"{options.game}, {options.players} players {options.rules}", "wins"), rows))


if __name__ == "__main__":
    print_everywhere()
    main()
