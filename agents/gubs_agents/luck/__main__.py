"""Report a tournament with luck taken out.

$ python -m gubs_agents.luck runs/arena/games.jsonl
$ python -m gubs_agents.luck runs/arena/games.jsonl --sprt 0,10 --challenger policy

Prints the mean payoff of every pair of agents, plain and with luck taken out, and writes the same
to luck.md beside the games. With --sprt it tests over the games of two agents, deal by deal,
whether the challenger is stronger.
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
from gubs_agents.luck.sequential import sprt
from gubs_env.commands.common import PATHS, one_line_errors, print_everywhere, shown
from gubs_env.support.checks import require_extra
from gubs_env.support.files import replace_file

REPORT_FILE = "luck.md"


@dataclass(frozen=True)
class Options:
    """Report a tournament with luck taken out: every pair of agents, plain and corrected."""

    games: Annotated[tyro.conf.Positional[Path], shown("FILE")]
    """The results file of the arena, games.jsonl."""
    values: Annotated[Path | None, shown("FILE", "the shipped ones")] = None
    """Values of outcomes, as python -m gubs_agents.luck.fit writes them."""
    sprt: Annotated[str | None, shown("ELO0,ELO1")] = None
    """The bounds of a sequential test, as those of the arena."""
    challenger: Annotated[str | None, shown("AGENT")] = None
    """The agent that the test asks about, with --sprt."""


def report(given: Options) -> str:
    """Return the report, and write it beside the games.

    Raises:
        ValueError: for one of --sprt and --challenger without the other, and as for `adjust` and
            `sprt`.
        OSError: as for `adjust`.
    """
    if (given.sprt is None) != (given.challenger is None):
        raise ValueError("--sprt and --challenger: give both or neither")
    with tqdm(unit=" games") as bar:
        adjusted = adjust(given.games, given.values, bar.update)
    text = markdown(adjusted)
    if given.sprt is not None and given.challenger is not None:
        text += f"\n{sprt(adjusted, given.challenger, given.sprt)}\n"
    replace_file(given.games.with_name(REPORT_FILE), text)
    return text


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    print_everywhere()
    given = tyro.cli(Options, args=arguments, prog="python -m gubs_agents.luck", registry=PATHS)
    try:
        with one_line_errors("luck"):
            require_extra("arena", "choix")
            text = report(given)
    except KeyboardInterrupt:
        sys.exit(130)
    print(text)


if __name__ == "__main__":
    main()
