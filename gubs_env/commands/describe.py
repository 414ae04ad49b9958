"""The page of a game, written from what the game declares: for a game of one's own too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from gubs_env.engine.fields import COMMON_FIELDS, Field, Seen
from gubs_env.engine.slices import Slice
from gubs_env.engine.table import Table
from gubs_env.engine.text import player_name
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
    counts = game.player_counts
    facts = [
        f"For {counts[0]}{f' to {counts[-1]}' * (len(counts) > 1)} players",
        f"here {table}{sides_text(table)}",
        f"at most {table.max_decisions:,} decisions",
        f"a player wins or loses at most {table.max_payoff:g}"
        + ", and payoffs sum to zero" * table.is_zero_sum,
        f"to be cited as `{table.citation}`",
    ]
    parts = [
        f"# {game.title}",
        game.rules_text(),
        "; ".join(facts) + ".",
        "## Actions",
        markdown.table(("number", "action"), numbered(table.action_names)),
        "## Observation",
        f"One vector of {table.observation_size} numbers, int8.",
        slices_table(table.observation_slices),
        "## Events",
        "Each is one row of the history; a column that says nothing is −1.",
        slices_table(game.event_slices()),
        "## State",
        fields_table(game.state_fields, table.new_states(1)[0]),
    ]
    if options := options_of(table.rules):
        parts += ["## Options", markdown.table(("option", "default"), options)]
    return "\n\n".join(parts) + "\n"


def sides_text(table: Table) -> str:
    """Return who plays with whom, after a comma; nothing if each plays alone."""
    if table.num_sides == table.num_players:
        return ""
    seats = [np.flatnonzero(table.sides == side).tolist() for side in range(table.num_sides)]
    return ", " + " against ".join(" and ".join(map(player_name, side)) for side in seats)


def numbered(names: Iterable[str]) -> list[tuple[str, str]]:
    return [(str(number), f"`{name}`") for number, name in enumerate(names)]


def slices_table(slices: Mapping[str, Slice]) -> str:
    """Return the table of the slices of a vector."""
    rows = [
        (f"`{name}`", str(one.start), shape_of(one.shape), f"0 … {one.high}", one.meaning)
        for name, one in slices.items()
    ]
    return markdown.table(("slice", "first entry", "shape", "range", "meaning"), rows)


def fields_table(declared: Iterable[Field], state: Any) -> str:
    """Return the table of the fields of this state, those of every game last."""
    ordered = sorted(declared, key=lambda field: field.name in {f.name for f in COMMON_FIELDS})
    rows = [
        (f"`{f.name}`", shape_of(f.shape), values_of(f, state), VIEWERS[f.seen], f.meaning)
        for f in ordered
    ]
    return markdown.table(("field", "shape", "values", "who sees it", "meaning"), rows)


def shape_of(lengths: tuple[int, ...]) -> str:
    return " × ".join(map(str, lengths)) or "one"


def values_of(field: Field, state: Any) -> str:
    """Return the range of a field, or the words for its values."""
    numbers = f"{field.low:,} … {field.high:,}".replace("-", "−")
    if entries := field.entry_names(state):
        return f"{numbers} for each of {', '.join(entries)}"
    return f"{numbers}: {', '.join(field.names)}" if field.names else numbers


def options_of(rules: Any) -> list[tuple[str, str]]:
    """Return the options of rules with their default values."""
    default = type(rules)().as_dict()
    return [(f"`{option.name}`", f"`{default[option.name]!r}`") for option in fields(rules)]
