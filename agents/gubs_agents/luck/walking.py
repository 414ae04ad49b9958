"""Games played again from their records, with the chance events on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from gubs_agents.luck.following import templates
from gubs_env._compiler.compilation import Compiled
from gubs_env.api.saved import Deal
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.chance import ChanceEvents, Events, joined
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.seats import ANY_PLAYER
from gubs_env.engine.table import Table
from gubs_env.records.playing import Replay

CAPACITY = 1 << 14
"""Number of events that are written between two calls of compiled code."""


@cache
def followers(name: str, chance: ChanceEvents) -> dict[str, Compiled]:
    """Return the loops over many games, specialised for one game."""
    return templates.specialise(f"luck of {name}", {"deal": chance.deal, "follow": chance.follow})


class Walk:
    """Recorded games of one table, played again with their chance events.

    Args:
        table: the table.
        starts: how each game begins: the seed of a deal, or a `Deal`.
        recorded: all actions of each game.
        names: names of the games in errors.

    Attributes:
        replay: the games; `replay.payoffs` holds the payoffs at the end.
        watch: a function that is called before each decision, as (games, rows, actions), with the
            rows in which a decision is made; or None.

    Raises:
        ValueError: for a game or rules whose chance events are not known.
    """

    def __init__(
        self,
        table: Table,
        starts: Sequence[int | Deal],
        recorded: Sequence[Sequence[int]],
        names: Sequence[str],
    ) -> None:
        self.chance = table.game.chance_events()
        self.chance.check_rules(table.rules)
        self.watch: Callable[[VectorEnv, np.ndarray, np.ndarray], None] | None = None
        self.replay = Replay(table, starts, recorded, names)
        self.deals, self.steps = followers(table.game.name, self.chance).values()
        self.shape = self.chance.num_features(table.num_players), self.chance.num_outcomes
        self.room = Events.empty(CAPACITY, *self.shape)
        self.tracks = self.chance.new_tracks(len(starts))
        self.states = table.new_states(len(starts))
        self.first = np.full(len(starts), ANY_PLAYER)
        for index, start in enumerate(starts):
            dealt = start if isinstance(start, Deal) else Deal(seed_rng(start), None)
            self.states["rng"][index] = dealt.rng
            if dealt.starting_player is not None:
                self.first[index] = dealt.starting_player

    def events(self) -> Iterator[Events]:
        """Yield the events of the deals, then those of each decision.

        Raises:
            ValueError: for an action that is not legal.
        """
        env, decided = self.replay.env, None
        yield self._written(self.deals, self.states, env.states, self.tracks, self.first)
        for rows, actions in self.replay.steps():
            if decided is not None:
                yield self._written(self.steps, *decided)
            if self.watch is not None:
                self.watch(env, rows, actions)
            decided = env.states.copy(), env.states, self.tracks, rows, actions
        if decided is not None:
            yield self._written(self.steps, *decided)

    def _written(self, function: Compiled, *arguments: Any) -> Events:
        """Return the events that a compiled function writes, in as many calls as it takes."""
        parts, first, count = [], 0, len(arguments[-1])
        while first < count:
            at, first = function(*arguments, self.room, self.chance.most_events, first)
            parts.append(self.room.first(at))
        return joined(parts, *self.shape)
