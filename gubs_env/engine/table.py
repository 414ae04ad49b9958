"""The table at which people play: a game, a number of players, and the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from gubs_env.engine.game import Game
from gubs_env.engine.kernel import Batch
from gubs_env.engine.option_texts import options_text
from gubs_env.engine.options import changed_options
from gubs_env.engine.slices import Slice, highs_of, size_of

HASH_DIGITS = 12
"""Number of digits of the hash in a citation."""


@dataclass(frozen=True, init=False, repr=False)
class Table:
    """A game with a number of players and rules that can be played together.

    Tables are equal if these three are; they can be pickled, and be keys of a dict.

    Args:
        game: the game.
        num_players: number of players; None: the usual number of the game.
        rules: the `Rules` of the game, or a mapping of options; None: the defaults.

    Raises:
        TypeError: for rules of another game.
        ValueError: for an option that is not allowed, or rules that do not allow this number of
            players.
    """

    game: Game
    """The game that is played."""
    num_players: int
    """Number of players."""
    rules: Any
    """The `Rules` of the game."""

    def __init__(self, game: Game, num_players: int | None = None, rules: Any = None) -> None:
        num_players = game.players if num_players is None else num_players
        rules = game.make_rules(rules)
        game.check_players(num_players, rules)
        for name, value in (("game", game), ("num_players", int(num_players)), ("rules", rules)):
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (self.game, self.num_players, self.rules)

    def __hash__(self) -> int:
        return hash((self.game.name, self.num_players))  # options can be mappings

    def __str__(self) -> str:
        players = f"{self.num_players} player" + "s" * (self.num_players != 1)
        return ", ".join([f"{self.game.name} with {players}", *self.changed_options()])

    def __repr__(self) -> str:
        return f"<Table: {self}>"

    def changed_options(self, names: Iterable[str] | None = None) -> list[str]:
        """Return the options that do not have their default value, each as option=value.

        Args:
            names: the options to look at; None: all.
        """
        changed = changed_options(self.rules)
        names = changed if names is None else names
        return [f"{name}={changed[name]}" for name in names if name in changed]

    @property
    def title(self) -> str:
        """The title of the game and the options that are not the default, for people."""
        names = self.rules.titles
        return ", ".join([self.game.title, *(names.get(o, o) for o in self.changed_options())])

    @property
    def name(self) -> str:
        """The name of files for this table: `gubs_v0_4`, or with `table_options` that are not the
        default, `fubnub_v0_2_ghost`."""
        options = self.changed_options(self.game.table_options)
        values = [text.partition("=")[2] for text in options]
        return "_".join([self.game.name, str(self.num_players), *values])

    @property
    def citation(self) -> str:
        """The table as a text that a paper can cite: `gubs_v0:players=2+letters=anywhere#b0f3…`.

        It names the game, the players and the rules that are not the default, and ends with the
        first digits of its SHA-256. It is the same in every process and on every machine, and
        `find_table` and the option `--game` of all commands read it.
        """
        changed = sorted(changed_options(self.rules).items())
        ordered = {
            name: dict(sorted(value.items())) if isinstance(value, Mapping) else value
            for name, value in changed
        }
        text = f"{self.game.name}:{options_text({'players': self.num_players} | ordered)}"
        return f"{text}#{sha256(text.encode()).hexdigest()[:HASH_DIGITS]}"

    def with_rules(self, rules: Any) -> Table:
        """Return the table of the same game and players with other rules."""
        return replace(self, rules=rules)

    def varied(self, rng: np.random.Generator) -> Table:
        """Return the table with random values of `Game.varied_options`."""
        return self.with_rules(self.game.vary_rules(rng, self))

    # ------------------------------------------------------------------------- sides and payoffs

    @cached_property
    def sides(self) -> np.ndarray:
        """The side of each player, int64[num_players], numbered from 0; partners share a side."""
        sides = np.asarray(self.game.sides(self))
        sides.flags.writeable = False
        return sides

    @property
    def num_sides(self) -> int:
        """Number of sides that have a player."""
        return int(self.sides.max()) + 1

    @property
    def max_payoff(self) -> float:
        """The most that a game pays a player or costs them."""
        return self.game.max_payoff(self)

    @property
    def pays_wins(self) -> bool:
        """Whether a game pays for the win only, so that more wins are more payoff."""
        return self.max_payoff == 1

    @property
    def is_zero_sum(self) -> bool:
        """Whether the payoffs of a finished game sum to zero."""
        return self.game.is_zero_sum(self)

    @property
    def max_decisions(self) -> int:
        """An upper bound on the number of decisions in a game."""
        return self.game.max_decisions(self)

    # -------------------------------------------------------------------- actions, observations

    @property
    def action_names(self) -> tuple[str, ...]:
        """The names of all actions, in order."""
        return self.game.action_names(self.num_players, self.rules)

    @property
    def num_actions(self) -> int:
        """The size of the action space."""
        return len(self.action_names)

    def action_name(self, action: int) -> str:
        """Return the name of an action; raise ValueError for one that is not in the space."""
        names = self.action_names
        if not 0 <= action < len(names):
            raise ValueError(f"action {action}: allowed are 0 to {len(names) - 1}")
        return names[action]

    def action_index(self, name: str) -> int:
        """Return the action of a name, in letters of any case.

        Raises:
            TypeError: for anything but a text.
            ValueError: for a name that no action has.
        """
        if not isinstance(name, str):
            raise TypeError(f"the name of an action is a text, not {name!r}")
        wanted = _plain(name)
        for action, known in enumerate(self.action_names):
            if _plain(known) == wanted:
                return action
        raise ValueError(f"no action is called {name!r}: names are {', '.join(self.action_names)}")

    @property
    def observation_slices(self) -> dict[str, Slice]:
        """The named slices of the observation."""
        return self.game.observation_slices(self.num_players, self.rules)

    @property
    def observation_size(self) -> int:
        """The length of the observation vector."""
        return size_of(self.observation_slices)

    @property
    def observation_highs(self) -> np.ndarray:
        """The largest value of each entry, int8[observation_size]; the least is 0."""
        return highs_of(self.observation_slices)

    # ----------------------------------------------------------------------------------- states

    def new_states(self, count: int) -> np.ndarray:
        """Return states before anything is dealt, STATE[count]."""
        return self.game.new_states(count, self)

    def new_batch(self, count: int = 1) -> Batch:
        """Return empty arrays for games before anything is dealt."""
        return self.game.new_batch(self.new_states(count))


AnyTable = str | Game | Table
"""A table; or a game or its name, which stands for its usual table."""


def sample_table(game: Game, rng: np.random.Generator) -> Table:
    """Return a table with a random number of players and random rules that allow it."""
    return Table(game, *game.sample_table(rng)).varied(rng)


def _plain(name: str) -> str:
    return "".join(name.split()).casefold()
