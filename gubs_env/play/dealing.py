"""A game from options: its table, its deal, and the agents in its seats."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any

from gubs_env.agents.parsing import names_in
from gubs_env.api.aec import AECGame, environment_of
from gubs_env.commands.common import TableOptions, shown
from gubs_env.engine.option_texts import parse_options
from gubs_env.engine.table import Table
from gubs_env.games import find_game
from gubs_env.play.opponents import make_player
from gubs_env.play.previews import ASK_EVERYONE
from gubs_env.play.session import Player
from gubs_env.support.checks import check_seed


@dataclass(frozen=True)
class DealOptions(TableOptions):
    """The game to play, its table and its deal."""

    players: Annotated[int, shown("INT", "the usual number, or more if more are named")] = 0
    """Players at the table."""
    seed: Annotated[int | None, shown("INT", "a random one")] = None
    """Seed of the deal and of the agents."""


def new_game(options: DealOptions, humans: str, agents: Sequence[str]) -> tuple[AECGame[Any], int]:
    """Deal a game, and return it with its seed.

    With several people, the rule option `ask_everyone` is on unless `options` sets it.

    Args:
        options: the table.
        humans: the value of `--humans`: a number of people, or the names of their seats.
        agents: the agents that are named; without `options.players` each gets a seat.

    Raises:
        ValueError, TypeError: for an option that is not allowed.
    """
    game = find_game(options.game)
    rules = parse_options(options.rules)
    count = int(humans) if humans.strip().isdigit() else len(names_in(humans))
    if count > 1 and ASK_EVERYONE in game.make_rules().as_dict():
        rules = {ASK_EVERYONE: True} | rules
    num_players = options.players or max(game.players, count + len(agents))
    env = environment_of(Table(game, num_players, rules))
    check_seed(options.seed)
    seed = secrets.randbelow(1 << 31) if options.seed is None else options.seed
    env.reset(seed)
    return env, seed


def seats_of(humans: str, seats: Sequence[str]) -> list[str]:
    """Return the seats of the people: the first ones for a number, else those that are named.

    Raises:
        ValueError: for too many people, or a seat that is not at the table.
    """
    if humans.strip().isdigit():
        if not 1 <= int(humans) <= len(seats):
            raise ValueError(f"--humans {humans}: allowed are 1 to {len(seats)} at this table")
        return list(seats[: int(humans)])
    named = names_in(humans)
    if not named or set(named) - set(seats) or len(set(named)) < len(named):
        raise ValueError(
            f"--humans {humans}: write a number, or different seats of {', '.join(seats)}"
        )
    return named


def seat_players(
    env: AECGame[Any], people: Sequence[str], agents: Sequence[str], think: float
) -> dict[str, Player]:
    """Return the agent of each seat that no person takes; agents repeat if there are more seats.

    Raises:
        ValueError: for more agents than seats, or an agent that is not installed.
    """
    free = [seat for seat in env.possible_agents if seat not in people]
    if len(agents) > len(free):
        raise ValueError(
            f"{len(agents)} agents are named, but {len(free)} of {env.num_players} seats are free: "
            "name fewer, or give more --players"
        )
    make, texts = cache(partial(make_player, table=env.table, seconds=think)), agents or [""]
    return {seat: make(texts[number % len(texts)]) for number, seat in enumerate(free)}
