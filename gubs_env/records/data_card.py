"""The card of a data set: a page that says what the Parquet files hold and how they were made.

It has the format of Hugging Face's dataset cards (https://huggingface.co/docs/hub/datasets-cards):
Markdown after a header of YAML.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gubs_env.agents.parsing import unusual_options
from gubs_env.games import find_game
from gubs_env.records.record import Record
from gubs_env.support.files import replace_file
from gubs_env.support.markdown import table

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
"""The columns that are not part of a state."""

READING = """## Reading

```python
import gubs_env

data = gubs_env.load_dataset("FOLDER")  # checks the files; needs gubs_env[data]
arrays = data.arrays(["observation", "action_mask", "action"], split="train")
batches = data.torch(["observation", "action_mask", "action"], split="train", batch_size=1024)
```

Each file holds the names of actions, phases and slices as JSON under the key `gubs_env` of its
metadata."""
BELIEF = """## Guessing hidden cards

The states say what was hidden, so the data are a benchmark for belief models: mean negative
log-likelihood of an opponent's true hand, in nats for each hidden card, given what the player to
decide sees. docs/research/hidden-hands.md of gubs_env defines it and gives baselines."""


@dataclass
class Contents:
    """Counts of the games in a data set."""

    games: int = 0
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
        self.under_way += record.outcome is None
        self.seats.update(record.agents)
        self.versions.add(record.version)
        if record.seed is not None:
            known = [*self.seeds, record.seed]
            self.seeds = [min(known), max(known)]


def write_card(
    folder: Path, told: Mapping[str, Any], contents: Contents, rows: int, made_by: str
) -> None:
    """Write the card of a folder, unless it has one that somebody else wrote or edited.

    Args:
        folder: the folder of the Parquet files.
        told: the metadata of its first file.
        contents: the games.
        rows: number of decisions.
        made_by: how the games were made: a command, or other text.

    Raises:
        OSError: if it cannot be written.
    """
    path = folder / CARD_FILE
    if path.exists() and MARK not in path.read_text(encoding="utf-8", errors="replace"):
        return
    replace_file(path, card_of(told, contents, rows, made_by))


def card_of(told: Mapping[str, Any], contents: Contents, rows: int, made_by: str) -> str:
    """Return the text of a card; the arguments are those of `write_card`."""
    title = f"{find_game(told['game']).title}, {told['num_players']} players"
    agents = sorted(contents.seats)
    parts = [
        header(f"{title}: games of {', '.join(agents)}", rows),
        MARK,
        f"# {title}: games of {', '.join(map(code, agents))}",
        f"{contents.games:,} games of `{told['game']}` with {rows:,} decisions: one row for each, "
        "with everything that the environment showed the player who decided.",
        facts(told, contents, rows),
        f"Made with version {told['version']} of [gubs_env](https://pypi.org/project/gubs_env), by",
        f"```bash\n{made_by}\n```",
        "## Columns",
        columns(told),
        limits(told, contents),
        READING,
        BELIEF if told["state"] else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def header(title: str, rows: int) -> str:
    """Return the YAML that Hugging Face reads."""
    return f"""---
pretty_name: {json.dumps(title, ensure_ascii=False)}
license: mit
task_categories:
- reinforcement-learning
tags:
- card-game
- imperfect-information
- offline-reinforcement-learning
- gubs_env
size_categories:
- {size_category(rows)}
configs:
- config_name: default
  data_files:
  - split: train
    path: games-*.parquet
---"""


def size_category(rows: int) -> str:
    """Return Hugging Face's category of a number of rows, as `1K<n<10K`."""
    below = [name for limit, name in SIZES.items() if limit <= rows]
    above = [name for limit, name in SIZES.items() if limit > rows]
    return f"{below[-1] if below else 'n'}<{'n<' * bool(below)}{above[0]}" if above else "n>100M"


def facts(told: Mapping[str, Any], contents: Contents, rows: int) -> str:
    """Return the table of facts."""
    seats = ", ".join(f"{code(name)} ({n:,} seats)" for name, n in sorted(contents.seats.items()))
    seeds = "none: no game began with the seed of a deal"
    if contents.seeds:
        seeds = "{:,} to {:,}".format(*contents.seeds)
    changed = unusual_options(find_game(told["game"]).rules(**told["rules"]))
    lines = {
        "environment": f"`{told['game']}`, {told['num_players']} players",
        "rules": code(json.dumps(changed, sort_keys=True)) if changed else "the official ones",
        "games": f"{contents.games:,}, of which {contents.under_way:,} are under way",
        "decisions": f"{rows:,}",
        "agents": seats,
        "seeds of the deals": seeds,
        "schema": f"`{told['schema']}`",
        "recorded by": f"gubs_env {', '.join(sorted(contents.versions))}",
        "licence": "MIT, as the code; the game and its names belong to their owners",
    }
    return table(["fact", "value"], lines.items())


def columns(told: Mapping[str, Any]) -> str:
    """Return the table of columns."""
    absent = {"legal_moves", "move"} - {*told.get("moves", [])}
    absent |= {"history"} - told.keys()
    lines = {f"`{name}`": text for name, text in MEANINGS.items() if name not in absent}
    for part in told["state"]:
        shape = f", {part['dtype']}{part['shape']}" if part["shape"] else f", {part['dtype']}"
        lines[f"`state.{part['name']}`"] = f"**hidden state**{shape}: {part['meaning']}"
    return table(["column", "meaning"], lines.items())


def limits(told: Mapping[str, Any], contents: Contents) -> str:
    """Return what the data must not be used for, or does not hold."""
    lines = [
        "## Splits and limits",
        "- One file split, `train`. `gubs_env.load_dataset` divides it by deal: all games of a "
        "deal fall on the same side, which a hash of its seed determines.",
        "- The decisions are those of the agents above. Positions that they avoid are rare.",
        "- A single legal action is a row too: keep the rows in which `action_mask` has two or "
        "more ones to learn decisions.",
    ]
    if told["state"]:
        lines.append(
            "- **The columns `state.…` hold private information:** hands, deck and random number "
            "generator. They are for critics and for learning to infer hidden cards. An agent "
            "that plays must not read them."
        )
    if contents.under_way:
        lines.append(f"- {contents.under_way:,} games are under way: their `returns` are null.")
    return lines[0] + "\n\n" + "\n".join(lines[1:])


def code(text: str) -> str:
    """Return a text as code of Markdown, also in a table."""
    quotes = "``" if "`" in text else "`"
    return f"{quotes}{text}{quotes}".replace("|", "\\|")
