"""Report a tournament with luck taken out.

$ python -m gubs_agents.luck runs/arena/games.jsonl

Prints the mean payoff of every pair of agents, plain and with luck taken out, and writes the same
to luck.md beside the games.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from tqdm import tqdm

from gubs_agents.luck.adjusting import adjust
from gubs_agents.luck.report import markdown
from gubs_env.api.checks import require_extra
from gubs_env.api.files import replace_file
from gubs_env.commands import one_line_errors, shown

REPORT_FILE = "luck.md"


@dataclass(frozen=True)
class Options:
    """Report a tournament with luck taken out: every pair of agents, plain and corrected."""

    games: Annotated[tyro.conf.Positional[Path], shown("FILE")]
    """The results file of the arena, games.jsonl."""
    values: Annotated[Path | None, shown("FILE", "the shipped ones")] = None
    """Values of outcomes, as python -m gubs_agents.luck.fit writes them."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    given = tyro.cli(Options, args=arguments, prog="python -m gubs_agents.luck")
    try:
        with one_line_errors("luck"):
            require_extra("arena", "choix")
            with tqdm(unit=" games") as bar:
                text = markdown(adjust(given.games, given.values, bar.update))
            replace_file(given.games.with_name(REPORT_FILE), text)
    except KeyboardInterrupt:
        sys.exit(130)
    print(text)


if __name__ == "__main__":
    main()
