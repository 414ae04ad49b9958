"""Games played again from their records, with the chance events on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from gubs_env.api.saved import Deal, deal_of
from gubs_env.engine.chance import ChanceEvents, Events, joined
from gubs_env.engine.compiling import Compiled, Placeholder, Templates
from gubs_env.engine.seats import ANY_PLAYER
from gubs_env.engine.table import Table
from gubs_env.records.playing import Replay

CAPACITY = 1 << 14
"""Number of events that are written between two calls of compiled code."""
templates = Templates()
follow = Placeholder("follow")


@templates.entry_template
def follow_all(states, after, tracks, rows, actions, events, most, first):
    """Write the events of the deal, or of one decision, in each of some games.

    Args:
        states: STATE[count], copies of the states before it, overwritten.
        after: STATE[count], the states after it.
        tracks: int8[count, …]: what is remembered between decisions, brought up to date.
        rows: int64[…], the games that go on.
        actions: int64[…], the actions in these; of a deal the starting players, each a seat or
            ANY_PLAYER.
        events: `Events`, written from 0 on.
        most: the most events of a deal or decision.
        first: the first row.

    Returns:
        The number of events, and the row at which there was no more room.
    """
    at = 0
    for number in range(first, len(rows)):
        if at + most > len(events.games):
            return at, number
        index, before = rows[number], at
        at = follow(states[index], after[index], tracks[index], actions[number], events, at)
        events.games[before:at] = index
    return at, len(rows)


@cache
def followers(name: str, chance: ChanceEvents) -> list[Compiled]:
    """Return `follow_all` for the deals of a game, and for its decisions."""
    functions = {"deals": chance.deal, "decisions": chance.follow}
    return [
        templates.specialise(f"{what} of {name}", {"follow": function})["follow_all"]
        for what, function in functions.items()
    ]


class Walk(Replay):
    """Recorded games of one table, played again with their chance events.

    Args:
        table: the table.
        starts: how each game begins: the seed of a deal, or a `Deal`.
        recorded, names: as for `Replay`.

    Attributes:
        tracks: int8[games, …]: what is remembered between decisions.

    Raises:
        ValueError: for a game or rules whose chance events are not known.
    """

    def __init__(self, table: Table, starts: Sequence[int | Deal], *recorded: Any) -> None:
        self.chance = table.game.chance_events()
        self.chance.check_rules(table.rules)
        super().__init__(table, starts, *recorded)
        num_features = self.chance.num_features(table.num_players)
        self.room = Events.empty(CAPACITY, num_features, self.chance.num_outcomes)
        self.tracks = self.chance.new_tracks(len(starts))
        self.states = table.new_states(len(starts))
        deals = [start if isinstance(start, Deal) else deal_of(start) for start in starts]
        self.states["rng"] = [deal.rng for deal in deals]
        players = [deal.starting_player for deal in deals]
        self.starters = np.array([ANY_PLAYER if player is None else player for player in players])

    def events(self) -> Iterator[Events]:
        """Yield the events of the deals, then those of each decision.

        Raises:
            ValueError: for an action that is not legal.
        """
        env = self.env
        deal, decide = followers(env.game.name, self.chance)
        due = deal, self.states, env.states, self.tracks, np.arange(env.num_envs), self.starters
        for rows, actions in self.steps():
            yield self.written(*due)
            due = decide, env.states.copy(), env.states, self.tracks, rows, actions
        yield self.written(*due)

    def written(self, follow_games: Compiled, *games: np.ndarray) -> Events:
        """Return the events that `follow_all` writes of some games, in as many calls as it takes.

        Args:
            follow_games: one of `followers`.
            games: its first arguments, up to the actions.
        """
        parts, first = [self.room.first(0)], 0
        while first < len(games[-1]):
            at, first = follow_games(*games, self.room, self.chance.most_events, first)
            parts.append(self.room.first(at))
        return joined(parts)
