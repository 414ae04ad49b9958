"""The games, each in a folder of its own, and finding one by its name.

Another package adds a game by an entry point of the group `gubs_env.games`. It names a module with
the record `GAME`, as the modules `gubs_env.gubs_v0` and so on have it:

    [project.entry-points."gubs_env.games"]
    kuhn_poker_v0 = "kuhn_poker"
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gubs_env.support.errors import blamed
from gubs_env.support.output import warn_once
from gubs_env.support.plugins import Plugin, first_of_each, plugins

if TYPE_CHECKING:
    from gubs_env.engine.game import Game
    from gubs_env.engine.table import AnyTable, Table

GROUP = "gubs_env.games"
VERSION = "_v0"
GAMES = ("gubs", "fubnub", "bad_bad_turtle")
"""The games of this package; each has a public module of that name and its version: `gubs_v0`."""


def game_names() -> tuple[str, ...]:
    """Return the names of all games, those of other packages last."""
    return (*GAMES, *(name.removesuffix(VERSION) for name in _brought()))


def all_games() -> list[Game]:
    """Return the records of all games; say which cannot be loaded."""
    games = []
    for name in game_names():
        try:
            games.append(find_game(name))
        except ValueError as error:
            warn_once(str(error))
    return games


def find_game(game: str | Game) -> Game:
    """Return the record of a game by its name, as "gubs" or "gubs_v0"; a record is returned as is.

    Raises:
        ValueError: for a name that no game has, or a game that cannot be loaded.
    """
    return game if not isinstance(game, str) else public_module(game).GAME


def find_table(game: AnyTable = "gubs", num_players: int | None = None, rules: Any = None) -> Table:
    """Return the table of a game; a table is returned as it is.

    Args:
        game: the game, its name, a table, or the text of one (`Table.citation`).
        num_players: number of players; None: the usual number of the game.
        rules: the options of the rules, as `Rules(…)` of the public module or a mapping of options;
            None: the defaults.

    Raises:
        TypeError: for rules of another game; for a number of players or rules beside a table; for
            anything that is no game.
        ValueError: as for `find_game`; for options that are not allowed, or rules that do not allow
            this number of players; for a citation whose hash is that of another table.
    """
    from gubs_env.engine.game import Game  # which takes time to import
    from gubs_env.engine.table import Table

    if isinstance(game, str) and ":" in game:
        game = _cited(game)
    if isinstance(game, Table):
        if num_players is not None or rules is not None:
            raise TypeError(f"{game} is a table: it has its number of players and its rules")
        return game
    record = find_game(game)
    if not isinstance(record, Game):
        raise TypeError(f"{game!r} is no table: give `find_table(…)`, `env.table` or a game's name")
    return Table(record, num_players, rules)


def _cited(text: str) -> Table:
    """Return the table of a citation."""
    from gubs_env.engine.option_texts import parse_options
    from gubs_env.engine.table import Table

    named, _, given = text.partition("#")
    name, _, options = named.partition(":")
    rules = parse_options(options)
    table = Table(find_game(name), rules.pop("players", None), rules)
    if given and given != (true := table.citation.partition("#")[2]):
        raise ValueError(
            f"{text!r}: this table has the hash {true}, not {given}: its text was changed, or an "
            "option has another default now"
        )
    return table


def public_module(name: str) -> ModuleType:
    """Return the public module of a game, which holds `GAME`, by the name of the game.

    Raises:
        ValueError: as for `find_game`.
    """
    full = _full(name)
    if full.removesuffix(VERSION) in GAMES:
        return import_module(f"gubs_env.{full}")
    plugin = _brought().get(full)
    if plugin is None:
        raise ValueError(f"no game is called {name!r}: there are {', '.join(sorted(game_names()))}")
    with blamed(f"the game {plugin} cannot be loaded"):
        from gubs_env.engine.game import Game  # which takes time to import

        module: ModuleType = plugin.point.load()
        if not isinstance(module.GAME, Game):
            raise TypeError(f"its GAME is of the type {type(module.GAME).__name__}")
        if module.GAME.name != full:
            raise ValueError(f"its GAME is called {module.GAME.name!r}, not {full!r}")
        return module


def _full(name: str) -> str:
    return name if name.endswith(VERSION) else name + VERSION


@cache
def _brought() -> dict[str, Plugin]:
    """Return the games of other packages by their full names."""
    offers = [(_full(plugin.name), plugin.package, plugin) for plugin in plugins(GROUP)]
    return first_of_each("game", offers, [_full(name) for name in GAMES])
