"""The card of a data set: a page that says what the Parquet files hold and how they were made.

It has the format of Hugging Face's dataset cards (https://huggingface.co/docs/hub/datasets-cards):
Markdown after a header of YAML.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from gubs_env.engine.options import changed_options
from gubs_env.games import find_game
from gubs_env.records.record import Record
from gubs_env.support.files import replace_file
from gubs_env.support.markdown import table

CARD = files(__package__).joinpath("data_card.md")
"""The text of a card, with the names of what is filled in."""
CARD_FILE = "_README.md"
"""The card in a folder of Parquet files, whose readers skip names that begin with an underscore."""
MARK = "<!-- Written by gubs_env. Without this line the card is yours and is never replaced. -->"
SIZES = {10**3: "1K", 10**4: "10K", 10**5: "100K", 10**6: "1M", 10**7: "10M", 10**8: "100M"}
"""Hugging Face's names for numbers of rows."""
MEANINGS = {
    "game": "number of the game, from 0",
    "seed": "seed of the deal: `reset(seed=…)`; null for a game that began in another way",
    "decision": "number of the decision in its game, from 0",
    "seat": "the seat that decides",
    "agent": "the agent in that seat",
    "phase": "the kind of decision; `phases` of the metadata names it",
    "observation": "the observation of that seat; `observation` of the metadata names its slices",
    "action_mask": "1 for each legal action; often there is only one",
    "action": "the action that was played; `actions` of the metadata names it",
    "returns": "payoff of that seat at the end of the game; null if the game is under way",
    "legal_moves": "the legal moves in words, as the seat knows them; null inside a move",
    "history": "the last events that the seat has seen, the newest last; `history` of the metadata "
    "names their number and slices",
    "move": "the index in `legal_moves` of the move that was played; null inside a move, and for a "
    "move that was not completed",
}
"""The columns that are not part of a state, in the order of the files."""
OPTIONAL = {"legal_moves", "history", "move"}
"""Those of them that not every data set has."""
HIDDEN_STATE = """
- **The columns `state.…` hold private information:** hands, deck and random number generator. \
They are for critics and for learning to infer hidden cards. An agent that plays must not read \
them."""
"""The warning in the card of a data set with states."""
UNDER_WAY = "\n- {:,} games are under way: their `returns` are null."
BELIEF = """

## Guessing hidden cards

The states say what was hidden, so the data are a benchmark for belief models: mean negative
log-likelihood of an opponent's true hand, in nats for each hidden card, given what the player to
decide sees. docs/research/hidden-hands.md of gubs_env defines it and gives baselines."""
"""The last section of such a card."""


@dataclass
class Contents:
    """Counts of the games in a data set."""

    games: int = 0
    decisions: int = 0
    """Number of decisions, each of which is a row."""
    under_way: int = 0
    """Number of games that were not over when they were recorded."""
    seats: Counter[str] = field(default_factory=Counter)
    """Number of seats that each agent took, by name."""
    seeds: list[int] = field(default_factory=list)
    """The smallest and the largest seed; empty without any."""
    versions: set[str] = field(default_factory=set)
    """The versions of the package that recorded the games."""

    def count(self, record: Record) -> None:
        """Count one more game."""
        self.games += 1
        self.decisions += len(record.actions)
        self.under_way += record.outcome is None
        self.seats.update(record.agents)
        self.versions.add(record.version)
        if record.seed is not None:
            known = [*self.seeds, record.seed]
            self.seeds = [min(known), max(known)]


def write_card(
    folder: Path, version: str, meta: Mapping[str, Any], contents: Contents, made_by: str
) -> None:
    """Write the card of a folder, unless it has one that somebody else wrote or edited.

    Args:
        folder: the folder of the Parquet files.
        version: the name and the version of the data set.
        meta: the metadata of its first file.
        contents: the games.
        made_by: how the games were made: a command, or other text.

    Raises:
        OSError: if it cannot be written.
    """
    path = folder / CARD_FILE
    if path.exists() and MARK not in path.read_text(encoding="utf-8", errors="replace"):
        return
    title = title_of(meta)
    agents, under_way = sorted(contents.seats), contents.under_way
    text = CARD.read_text(encoding="utf-8").format(
        pretty_name=json.dumps(f"{title}: games of {', '.join(agents)}", ensure_ascii=False),
        size_category=size_category(contents.decisions),
        mark=MARK,
        title=title,
        agents=", ".join(map(code, agents)),
        games=contents.games,
        game=meta["game"],
        rows=contents.decisions,
        facts=facts(version, meta, contents),
        version=meta["version"],
        made_by=made_by,
        columns=table(
            ["column", "meaning"], [(code(name), text) for name, text in columns(meta).items()]
        ),
        hidden_state=HIDDEN_STATE if meta["state"] else "",
        under_way=UNDER_WAY.format(under_way) if under_way else "",
        belief=BELIEF if meta["state"] else "",
    )
    replace_file(path, text)


def size_category(rows: int) -> str:
    """Return Hugging Face's category of a number of rows, as `1K<n<10K`."""
    below = [name for limit, name in SIZES.items() if limit <= rows]
    above = [name for limit, name in SIZES.items() if limit > rows]
    return f"{below[-1] if below else 'n'}<{'n<' * bool(below)}{above[0]}" if above else "n>100M"


def title_of(meta: Mapping[str, Any]) -> str:
    """Return the game and its number of players."""
    return f"{find_game(meta['game']).title}, {meta['num_players']} players"


def facts(version: str, meta: Mapping[str, Any], contents: Contents) -> str:
    """Return the table of facts."""
    seats = ", ".join(f"{code(name)} ({n:,} seats)" for name, n in sorted(contents.seats.items()))
    seeds = "none: no game began with the seed of a deal"
    if contents.seeds:
        seeds = "{:,} to {:,}".format(*contents.seeds)
    changed = changed_options(find_game(meta["game"]).rules(**meta["rules"]))
    lines = {
        "name and version": f"`{version}`",
        "environment": f"`{meta['game']}`, {meta['num_players']} players",
        "rules": code(json.dumps(changed, sort_keys=True)) if changed else "the official ones",
        "games": f"{contents.games:,}, of which {contents.under_way:,} are under way",
        "decisions": f"{contents.decisions:,}",
        "agents": seats,
        "seeds of the deals": seeds,
        "schema": f"`{meta['schema']}`",
        "recorded by": f"gubs_env {', '.join(sorted(contents.versions))}",
        "licence": "MIT, as the code; the game and its names belong to their owners",
    }
    return table(["fact", "value"], lines.items())


def columns(meta: Mapping[str, Any]) -> dict[str, str]:
    """Return what each column means, by its name."""
    left_out = OPTIONAL - {*meta.get("moves", []), *(["history"] * ("history" in meta))}
    found = {name: text for name, text in MEANINGS.items() if name not in left_out}
    for part in meta["state"]:
        shape = f", {part['dtype']}{part['shape']}" if part["shape"] else f", {part['dtype']}"
        found[f"state.{part['name']}"] = f"**hidden state**{shape}: {part['meaning']}"
    return found


def code(text: str) -> str:
    """Return a text as code of Markdown, also in a table."""
    quotes = "``" if "`" in text else "`"
    return f"{quotes}{text}{quotes}".replace("|", "\\|")
