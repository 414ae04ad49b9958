"""How commands read their options and show them in `--help`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from tyro.constructors import ConstructorRegistry, PrimitiveConstructorSpec, PrimitiveTypeInfo

from gubs_env.agents.parsing import parse_rules
from gubs_env.engine.table import Table
from gubs_env.games import find_game, find_table, game_names
from gubs_env.support.files import expanded

PATHS = ConstructorRegistry()
"""The rule by which all commands read options that are paths (`tyro.cli(…, registry=PATHS)`)."""


@PATHS.primitive_rule
def path_option(option: PrimitiveTypeInfo) -> PrimitiveConstructorSpec[Path] | None:
    """Return how a path is read: a leading ~ is the home folder, which shells expand in part."""
    if option.type is not Path:
        return None
    return PrimitiveConstructorSpec(
        nargs=1,
        metavar="PATH",
        instance_from_str=lambda words: expanded(words[0]),
        is_instance=lambda value: isinstance(value, Path),
        str_from_instance=lambda path: [str(path)],
    )


def shown(metavar: str, default: str | None = None) -> object:
    """Return the annotation of an option that `--help` shows in a given way.

    Args:
        metavar: stands for the value.
        default: what an empty value means, in words; None shows the value itself.
    """
    hint = None if default is None else f"(default: {default})"
    return tyro.conf.arg(metavar=metavar, help_behavior_hint=hint)


GameName = Annotated[str, shown(f"{{{','.join(game_names())}}}")]
GameNames = Annotated[tuple[str, ...], shown("GAME …")]
Players = Annotated[int, shown("INT", "the usual number for the game")]
Rules = Annotated[str, shown("RULES", "the official rules")]
ONE_GROUP = tyro.conf.arg(name="")
"""The annotation of a parameter that holds all options of a command."""
OffSwitch = Annotated[bool, tyro.conf.arg(help_behavior_hint="")]
"""A switch that is on; its option is called --no-…."""


@dataclass(frozen=True)
class TableOptions:
    """The game that is played, and by how many."""

    game: GameName = "gubs"
    """The game, or the text of a table (`gubs describe` prints it) for all three."""
    players: Players = 0
    """Players at the table."""
    rules: Rules = ""
    """Options of the rules, as mode=royal+num_points=7."""

    @property
    def table(self) -> Table:
        """The table of these options.

        Raises:
            ValueError: as for `gubs_env.find_table`.
        """
        game = find_game(self.game)
        return find_table(game, self.players or None, parse_rules(self.rules, game))
