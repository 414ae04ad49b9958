"""The commands `luck` and `luck fit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro
from tqdm import tqdm

from gubs_agents.luck.adjusting import adjust
from gubs_agents.luck.comparison import markdown
from gubs_agents.luck.games import LuckOptions
from gubs_agents.luck.verdict import sprt as test
from gubs_env.commands.common import ONE_GROUP, shown
from gubs_env.support.files import replace_file

REPORT_FILE = "luck.md"


def luck(
    games: Annotated[tyro.conf.Positional[Path], shown("FILE")],
    values: Annotated[Path | None, shown("FILE", "the shipped ones")] = None,
    sprt: Annotated[str | None, shown("ELO0,ELO1", "none")] = None,
    challenger: Annotated[str | None, shown("AGENT", "none")] = None,
) -> None:
    """Report a tournament with luck taken out.

    $ gubs luck runs/arena/games.jsonl
    $ gubs luck runs/arena/games.jsonl --sprt 0,10 --challenger policy

    Prints the mean payoff of every pair of agents, plain and with luck taken out, and writes the
    same to luck.md beside the games. With --sprt it tests over the games of two agents, deal by
    deal, whether the challenger is stronger.

    Args:
        games: the results file of the arena, games.jsonl.
        values: values of outcomes, as `gubs luck fit` writes them.
        sprt: the bounds of a sequential test, as those of the arena.
        challenger: the agent that the test asks about, with --sprt.
    """
    if (sprt is None) != (challenger is None):
        raise ValueError("--sprt and --challenger: give both or neither")
    with tqdm(unit=" games") as bar:
        adjusted = adjust(games, values, bar.update)
    text = markdown(adjusted)
    if sprt is not None and challenger is not None:
        text += f"\n{test(adjusted, challenger, sprt)}\n"
    replace_file(games.with_name(REPORT_FILE), text)
    print(text)


def fit(options: Annotated[LuckOptions, ONE_GROUP]) -> None:
    """Fit the values of chance outcomes for a table.

    $ gubs luck fit --game gubs --players 2

    Plays games, then fits a network to them. Writes gubs_v0_2.safetensors and its description into
    --out. The games are kept beside them, so that the same command goes on after an interruption.
    """
    from gubs_agents.luck.learning import run  # it imports PyTorch

    print(f"values: {run(options)}")
