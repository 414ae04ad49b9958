"""Win rates and mean payoffs: agents against each other on deals of one's own choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.arena.measures import Measure, WinRate, mean_with_interval
from gubs_env.engine.game import Game
from gubs_env.records.playing import play_games, seat_rngs

NARROW = 0.004
"""Width of an interval below which a difference has two decimals."""


def play(
    game: Game, seating: Sequence[Any], deals: int, seed: int = 0, rules: Any = None
) -> np.ndarray:
    """Play games to the end with agent k in seat k; return payoffs float32[deals, num_players].

    Args:
        game: the game to play.
        seating: the agents, one for each seat.
        deals: number of games.
        seed: seed of the first deal; deal d is the one of `reset(seed=seed + d)`.
        rules: options of the rules; None means the default rules.

    Raises:
        ValueError: if an agent's answer is not one legal action for each decision.
    """
    deal_seeds = seed + np.arange(deals)
    seatings = np.tile(np.arange(len(seating)), (deals, 1))
    rngs = seat_rngs(deal_seeds, seatings, range(len(seating)))
    return play_games(game, seating, deal_seeds, seatings, rngs, rules)[0].payoffs


def win_rate(
    game: Game,
    agent: Any,
    opponent: Any,
    num_players: int = 2,
    deals: int = 500,
    seed: int = 0,
    rules: Any = None,
    labels: tuple[str, str] = ("agent", "opponent"),
) -> WinRate:
    """Return the win rate of `agent` against a table of `opponent`, each deal from every side.

    A side is a seat or, in games with partners, a team that one agent plays. For example,
    `win_rate(GAME, heuristic, random, 4, deals=100)` plays 400 games of Gubs: each deal four
    times, with the heuristic in another seat each time. The interval is the normal approximation
    over deals, because the games of one deal are not independent.

    Args:
        game: the game to play.
        agent: the agent to measure.
        opponent: the agent on all other sides.
        num_players: number of players at the table.
        deals: number of deals, at least 2.
        seed: seed of the first deal.
        rules: options of the rules; None means the default rules.
        labels: names of the agent and the opponent in errors.

    Raises:
        ValueError: as for `play_games`.
    """
    measure = Measure(game, num_players, rules, wins=True)
    return measure.result(shares_alone(measure, (agent, opponent), deals, seed, labels))


def measured(
    game: Game,
    agent: Any,
    opponent: Any,
    num_players: int = 2,
    deals: int = 500,
    seed: int = 0,
    rules: Any = None,
    labels: tuple[str, str] = ("agent", "opponent"),
) -> WinRate:
    """Return the win rate, or the mean payoff in a game that does not pay for the win only.

    Args:
        game: the game.
        agent: the agent to measure.
        opponent: the agent on all other sides.
        num_players: number of players.
        deals: number of deals.
        seed: seed of the first deal.
        rules: options of the rules; None means the default rules.
        labels: names of the two agents in errors.

    Raises:
        ValueError: as for `play_games`.
    """
    results = results_by_deal(game, agent, opponent, num_players, deals, seed, rules, labels)
    return Measure(game, num_players, rules).summary(results)


def results_by_deal(
    game: Game,
    agent: Any,
    opponent: Any,
    num_players: int = 2,
    deals: int = 500,
    seed: int = 0,
    rules: Any = None,
    labels: tuple[str, str] = ("agent", "opponent"),
) -> np.ndarray:
    """Return the single results whose mean `measured` returns, float64[deals, sides].

    The games of one deal, in which the agent plays one side after another, are not independent.

    Args:
        game: the game.
        agent: the agent to measure.
        opponent: the agent on all other sides.
        num_players: number of players.
        deals: number of deals.
        seed: seed of the first deal.
        rules: options of the rules; None means the default rules.
        labels: names of the two agents in errors.

    Raises:
        ValueError: as for `play_games`.
    """
    measure = Measure(game, num_players, rules)
    return measure.told(shares_alone(measure, (agent, opponent), deals, seed, labels))


class Difference(NamedTuple):
    """The difference between two agents in the same seats and deals."""

    agent: WinRate
    """The result of the agent against copies of the opponent."""
    opponent: float
    """The result of the opponent in the same seats."""
    value: float
    """The result of the agent less that of the opponent."""
    low: float
    """The lower end of the 95 % interval."""
    high: float
    """The upper end of the interval."""
    games: int
    """Number of games played."""

    def __str__(self) -> str:
        digits = 1 if self.high - self.low > NARROW else 2
        kind = f"+.{digits}%" if type(self.agent) is WinRate else "+.3f"
        parts = (format(part, kind) for part in (self.value, self.low, self.high))
        return "{} ({} – {})".format(*parts).replace("-", "−")


def difference(
    game: Game,
    agent: Any,
    opponent: Any,
    num_players: int = 2,
    deals: int = 500,
    seed: int = 0,
    rules: Any = None,
    labels: tuple[str, str] = ("agent", "opponent"),
) -> Difference:
    """Return how much more `agent` wins than `opponent` would in its place.

    Each deal is played with the agent alone on every side, and once with the opponent on all sides.
    Where one side wins every game, this is the win rate less the fair share. Where ghosts can win,
    or nobody else is at the table, there is no fair share, and only this comparison is left. Where
    payoffs differ, it is how much more the agent is paid. The interval is the normal approximation
    over deals.

    Args:
        game: the game.
        agent: as for `win_rate`.
        opponent: as for `win_rate`.
        num_players: number of players.
        deals: number of deals.
        seed: seed of the first deal.
        rules: options of the rules; None means the default rules.
        labels: names of the two agents in errors.

    Raises:
        ValueError: as for `play_games`.
    """
    measure, agents = Measure(game, num_players, rules), (agent, opponent)
    own = shares_alone(measure, agents, deals, seed, labels)
    deal_seeds, all_theirs = seed + np.arange(deals), np.full((deals, num_players), 1)
    theirs = played_shares(measure, agents, deal_seeds, all_theirs, labels)
    gains = measure.told(own) - measure.told(theirs)
    value, low, high = mean_with_interval(gains.mean(axis=1))
    in_its_place = float(measure.told(theirs).mean())
    return Difference(measure.result(own), in_its_place, value, low, high, own.size + deals)


def shares_alone(
    measure: Measure, agents: tuple[Any, Any], deals: int, seed: int, labels: tuple[str, str]
) -> np.ndarray:
    """Play every deal once with the first agent alone on each side, against copies of the second.

    Returns:
        float64[deals, num_sides]: the share of the first agent on that side, as `measure` says.
    """
    num_sides = measure.num_sides
    deal_seeds = np.repeat(seed + np.arange(deals), num_sides)
    own_sides = np.tile(np.arange(num_sides), deals)
    seatings = np.where(measure.sides == own_sides[:, None], 0, 1)
    shares = played_shares(measure, agents, deal_seeds, seatings, labels)
    return shares[np.arange(len(shares)), own_sides].reshape(deals, num_sides)


def played_shares(
    measure: Measure,
    agents: Sequence[Any],
    deal_seeds: np.ndarray,
    seatings: np.ndarray,
    labels: Sequence[str],
) -> np.ndarray:
    """Play games to the end; return each side's share, float64[games, num_sides].

    Args:
        measure: wins or payoffs, at the table.
        agents: the agents that `seatings` names by their index.
        deal_seeds: int64[games]: the seed of each deal.
        seatings: int64[games, num_players]: the agent in each seat.
        labels: names of the agents in errors.
    """
    rngs = seat_rngs(deal_seeds, seatings, range(len(agents)))
    played, _ = play_games(measure.game, agents, deal_seeds, seatings, rngs, measure.rules, labels)
    winners = [outcome.winners for outcome in played.outcomes]
    forfeits = [played.forfeits(k) for k in range(len(winners))]
    return measure.shares(played.payoffs, winners, forfeits)
