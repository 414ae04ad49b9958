"""The page of a game, written from what the game declares: for a game of one's own too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from gubs_env.engine.fields import COMMON_FIELDS, Field, Seen
from gubs_env.engine.slices import Slice
from gubs_env.engine.table import Table
from gubs_env.support import markdown

VIEWERS = {
    Seen.BY_ALL: "everybody",
    Seen.BY_OWNER: "the player of the entry",
    Seen.IN_PART: "each player, a part",
    Seen.BY_NOBODY: "nobody",
    Seen.FOLLOWS: "everybody, it follows from the others",
}


def page_of(table: Table) -> str:
    """Return the page of a game at a table, as Markdown: rules, actions, observation, state."""
    game = table.game
    sides = [" and ".join(f"player_{s}" for s in group) for group in partners(table)]
    facts = [
        f"{game.player_counts[0]} to {game.player_counts[-1]} players, here {table.num_players}"
        + f": {' against '.join(sides)}" * (table.num_sides < table.num_players),
        f"at most {table.max_decisions:,} decisions",
        f"a player wins or loses at most {table.max_payoff:g}"
        + ", and payoffs sum to zero" * table.is_zero_sum,
    ]
    parts = [
        f"# {game.title}",
        game.rules_text(),
        "; ".join(facts) + ".",
        "## Actions",
        markdown.table(("number", "action"), numbered(game.action_names(table.num_players))),
        "## Observation",
        f"int8[{table.observation_size}], relative to the viewer where seats are meant.",
        slices_table(table.observation_slices),
        "## Events",
        "One row of the history a decision or more; a column that says nothing is −1.",
        slices_table(game.event_slices()),
        "## State",
        fields_table(game.state_fields),
    ]
    if options := options_of(table.rules):
        parts += ["## Options", markdown.table(("option", "default"), options)]
    return "\n\n".join(parts) + "\n"


def partners(table: Table) -> list[list[int]]:
    """Return the seats of each side."""
    sides = table.sides.tolist()
    return [[seat for seat, each in enumerate(sides) if each == s] for s in sorted(set(sides))]


def numbered(names: Iterable[str]) -> list[tuple[str, str]]:
    return [(str(number), f"`{name}`") for number, name in enumerate(names)]


def slices_table(slices: Mapping[str, Slice]) -> str:
    """Return the table of the slices of a vector."""
    rows = [
        (f"`{name}`", f"{one.start}", " × ".join(map(str, one.shape)), f"0 … {one.high}", one.meaning)
        for name, one in slices.items()
    ]  # fmt: skip
    return markdown.table(("slice", "first entry", "shape", "range", "meaning"), rows)


def fields_table(declared: Iterable[Field]) -> str:
    """Return the table of the fields of a state, those of every game last."""
    ordered = sorted(declared, key=lambda field: field.name in {f.name for f in COMMON_FIELDS})
    rows = [
        (f"`{field.name}`", " × ".join(map(str, field.shape)) or "one", values_of(field),
         VIEWERS[field.seen], field.meaning)
        for field in ordered
    ]  # fmt: skip
    return markdown.table(("field", "shape", "values", "who sees it", "meaning"), rows)


def values_of(field: Field) -> str:
    """Return the range of a field, or the words for its values."""
    numbers = f"{field.low} … {field.high}"
    return f"{numbers}: {', '.join(field.names)}" if field.names else numbers


def options_of(rules: Any) -> list[tuple[str, str]]:
    """Return the options of rules with their default values."""
    default = type(rules)().as_dict()
    return [(f"`{option.name}`", f"`{default[option.name]!r}`") for option in fields(rules)]
