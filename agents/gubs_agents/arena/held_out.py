"""Held-out opponents: a distribution over opponents, from which a seed draws afresh.

The anchors of a protocol are few and public, so an agent can be tuned to them. Here the opponents
are drawn, as in Melting Pot (Leibo et al., "Scalable evaluation of multi-agent reinforcement
learning with Melting Pot", 2021). An opponent is an agent that is no anchor, or a mixture, from
which each seat of each game draws an agent. At a table with partners the agent sits in one seat,
and its partner is drawn as the others are.

Opponents are the sampling unit. Each of them plays deals of its own, and all its games are one
observation. The spread of these observations holds the chance of the opponents and of the deals, so
an interval over opponents is one over both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from gubs_agents.arena.measures import Measure, WinRate
from gubs_agents.arena.options import HELD_OUT_DEALS
from gubs_agents.arena.playing import results_among
from gubs_agents.deals import REPORT_DEALS, warn_of_fits
from gubs_agents.scripted.by_game import scripted_agents
from gubs_env import find_table
from gubs_env.agents.registry import build
from gubs_env.engine.rng import random_below, seed_rng
from gubs_env.engine.table import AnyTable, Table
from gubs_env.support.checks import LARGEST, check_number

VERSION = 1
"""The version of the distribution. Any change of what a seed draws is a new version."""
OPPONENTS = 100
"""Number of opponents."""
TEMPERATURES = range(50, 401)
"""The temperatures of networks, in hundredths."""
PLAYOUTS = (16, 64)
"""The budgets of searches, in playouts for a decision."""
Opponent = tuple[str, ...]
"""The texts of the agents from which an opponent draws; one text unless it is a mixture."""
Maker = Callable[[np.ndarray], str]
"""(rng) → the text of an agent, drawn at random."""
T = TypeVar("T")


class HeldOut(NamedTuple):
    """The results of an agent against held-out opponents; `against_held_out` returns it."""

    result: WinRate
    """The win rate, or the mean payoff, with its interval over opponents and deals."""
    anchors: WinRate
    """The same against the anchors, equally often each, with its interval over deals only."""
    by_opponent: np.ndarray
    """float64[opponents]: the result against each opponent, in the order in which they are given.
    Two agents that met the same opponents on the same deals are compared by the differences."""
    measure: Measure
    """The measure of results: wins, or payoffs."""


def anchors_of(table: Table) -> list[str]:
    """Return the anchors: `random`, the scripted agents, and `policy` where it is shipped."""
    return ["random", *scripted_agents(table.game), *["policy"] * _can_play("policy", table)]


def held_out(table: AnyTable, seed: int, count: int = OPPONENTS) -> list[Opponent]:
    """Draw opponents from the agents that this package has for a table.

    A third are the shipped network, which draws its actions at a temperature of 0.5 to 4. A third
    are searches of 16 or 64 playouts, which model themselves and the others as random, heuristic or
    network, and exploit that model as far as they see in a turn. A third are mixtures of one of
    these and one or two more, anchors too. What does not play at the table is left out.

    Args:
        table: the table; a game or its name stands for its usual table.
        seed: seed of the draw. Opponent k depends on the agents of the table, the seed and k only.
        count: number of opponents.

    Raises:
        TypeError: for numbers that are not whole.
        ValueError: for an unknown game, a number that is not allowed, or a table at which neither
            the network nor the search plays.
    """
    table = find_table(table)
    seed, count = check_number("seed", seed, 0), check_number("count", count, 2)
    makers = makers_of(table)
    if not makers:
        raise ValueError(f"{table}: no network is shipped and no search plays there to draw from")
    anchors = anchors_of(table)
    return [draw(seed_rng([VERSION, seed, k]), makers, anchors) for k in range(count)]


def makers_of(table: Table) -> list[Maker]:
    """Return the functions that draw agents which are no anchors, for those that play there."""
    has_network = _can_play("policy", table)
    models = ["random", *["heuristic"] * bool(scripted_agents(table.game))]
    models += ["network"] * has_network

    def network(rng: np.ndarray) -> str:
        return f"policy:draw=true+temperature={pick(rng, TEMPERATURES) / 100:g}"

    def search(rng: np.ndarray) -> str:
        playouts, policy, opponents = (pick(rng, each) for each in (PLAYOUTS, models, models))
        weights = "weights=shipped+" if "network" in (policy, opponents) else ""
        # Without caution: with it so few playouts would seldom replace the policy's action.
        return (
            f"montecarlo:playouts={playouts}+{weights}policy={policy}+opponents={opponents}"
            "+horizon=1+caution=0"
        )

    return [network] * has_network + [search] * _can_play("montecarlo", table)


def draw(rng: np.ndarray, makers: Sequence[Maker], anchors: Sequence[str]) -> Opponent:
    """Draw an opponent: one agent that is no anchor, or a mixture with such an agent in it.

    Args:
        rng: int64[4], which is advanced.
        makers: draw the agents that are no anchors.
        anchors: the agents that only a mixture holds.
    """
    mixed = random_below(rng, len(makers) + 1) == len(makers)
    others = 1 + random_below(rng, 2) if mixed else 0
    any_of = [*makers, lambda rng: pick(rng, anchors)]
    return (pick(rng, makers)(rng), *(pick(rng, any_of)(rng) for _ in range(others)))


def pick(rng: np.ndarray, among: Sequence[T]) -> T:
    """Return one of several, uniformly at random."""
    return among[random_below(rng, len(among))]


def _can_play(text: str, table: Table) -> bool:
    try:
        return build(text, table) is not None
    except ValueError:
        return False


def against_held_out(
    agent: Any,
    opponents: Sequence[str | Opponent],
    table: AnyTable = "gubs",
    deals: int = HELD_OUT_DEALS,
    seed: int = REPORT_DEALS.start,
) -> HeldOut:
    """Return the results of an agent against drawn opponents, and against the anchors beside them.

    The agent plays each deal once in each seat. All other seats, its partner's too, belong to the
    opponent; a mixture draws an agent for each of them. The first opponent plays the first deals,
    the second the next, and so on. The anchors share the same deals among themselves.

    Args:
        agent: a text such as "ismcts:playouts=50" (`parse_agent`), or an object with `act`,
            `search` or `choose`.
        opponents: those of `held_out`, or texts of other agents; at least 2.
        table: the table; a game or its name stands for its usual table.
        deals: number of deals for each opponent.
        seed: seed of the first deal.

    Raises:
        TypeError: for numbers that are not whole.
        ValueError: for an unknown game or agent, a table with one side, a number that is not
            allowed, or an agent that cannot play.
    """
    table = find_table(table)
    if table.num_sides == 1:
        raise ValueError(f"{table}: all are on one side, so there are no opponents")
    check_number("opponents", len(opponents), 2)
    total = check_number("deals", deals, 1) * len(opponents)
    seed = check_number("seed", seed, 0, LARGEST - total)
    warn_of_fits(seed, total)
    label = agent if isinstance(agent, str) else type(agent).__qualname__
    agent, measure = build(agent, table, seed), Measure(table)

    def results(of: Sequence[str | Opponent]) -> list[np.ndarray]:
        """Return the results against each opponent, float64[deals, players] each."""
        parts = np.array_split(seed + np.arange(max(total, len(of))), len(of))
        members = [(each,) if isinstance(each, str) else each for each in of]
        pairs = zip(members, parts, strict=True)
        return [among(measure, (label, agent), *each) for each in pairs]

    by_opponent = np.reshape(results(opponents), (len(opponents), -1))
    by_deal = np.concatenate(results(anchors_of(table)))
    drawn, fixed = measure.summary(by_opponent), measure.summary(by_deal)
    return HeldOut(drawn, fixed, by_opponent.mean(axis=1), measure)


def among(
    measure: Measure, agent: tuple[str, Any], opponent: Opponent, deal_seeds: np.ndarray
) -> np.ndarray:
    """Return the results of an agent in each seat in turn, float64[deals, num_players].

    Args:
        measure: wins or payoffs, and the table.
        agent: the label of the agent, and the agent.
        opponent: the agents that the other seats draw, by the seed of the deal.
        deal_seeds: the seeds of the deals.
    """
    label, player = agent
    num_players, members = measure.table.num_players, range(1, len(opponent) + 1)
    rngs = [seed_rng([VERSION, deal]) for deal in deal_seeds.tolist()]
    others = np.array([[pick(rng, members) for _ in range(num_players)] for rng in rngs])
    agents = [player, *(build(text, measure.table) for text in opponent)]
    return results_among(
        measure, agents, deal_seeds, (label, *opponent), others, np.arange(num_players)
    )
