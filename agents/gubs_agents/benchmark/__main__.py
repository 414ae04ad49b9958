"""Play the benchmark with an agent, or verify results.

$ gubs-benchmark heuristic
$ gubs-benchmark mine=my_package.bots:Agent --processes 2 --out runs/mine
$ gubs-benchmark my_package.bots:Agent --protocol tiny
$ gubs-benchmark --verify runs/mine/result.json

The folder of the run gets games.jsonl and times.jsonl while it plays, and then result.json and
result.jsonl.gz, which are what you submit.

docs/benchmark.md explains the protocol, the score and the files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from gubs_agents.benchmark.protocol import CURRENT, protocols
from gubs_agents.benchmark.report import markdown, ranked_in, result_files, write_pages
from gubs_agents.benchmark.results import RESULT_FILE
from gubs_agents.benchmark.running import run
from gubs_agents.benchmark.verifying import verify
from gubs_env.commands.common import PATHS, one_line_errors, print_everywhere, shown
from gubs_env.engine.text import printable
from gubs_env.support.cluster import ENGINES, LOCAL

RESULTS = Path("results")
DOCS = Path("docs")


@dataclass(frozen=True)
class CommandLine:
    """The options of the command."""

    agent: Annotated[tyro.conf.Positional[str], shown("AGENT", "none")] = ""
    """The agent: name, name:option=value, package.module:Agent, or label=agent. With --verify it is
    asked for its moves too, and must be deterministic."""
    protocol: Annotated[str, shown(f"{{{','.join(protocols())}}}")] = CURRENT
    """The protocol; tiny takes seconds."""
    track: Annotated[str, shown("{standard,language}", "by the kind of agent")] = ""
    """The track."""
    tables: Annotated[str, shown("TABLES", "all of the track")] = ""
    """Tables separated by commas, for an agent that plays at some of them only."""
    author: str = ""
    """Who submits the result, for the results page."""
    link: str = ""
    """The address of a page about the agent, for the results page."""
    out: Annotated[Path, shown("FOLDER")] = Path("runs/benchmark")
    """Folder of the run."""
    fresh: bool = False
    """Play deals that are drawn now, which nobody could know before, in place of the protocol's."""
    resume: bool = False
    """Continue the run in the folder; give the same options as before."""
    engine: Annotated[str, shown(f"{{{','.join(ENGINES)}}}")] = LOCAL
    """local, or ray: on every core of a Ray cluster, which needs the extra ray."""
    processes: int = 1
    """Number of processes that play on this machine."""
    verify: Annotated[tuple[Path, ...], shown("FILE [FILE …]", "none")] = ()
    """Check these results, or all in a folder, instead: replay their games, ask the anchors again,
    and the agents that results/ranked.json names, compute the score."""
    page: bool = False
    """Write the tables of docs/results.md, from the files in results/, and of docs/benchmark.md
    instead."""


def parse(arguments: Sequence[str] | None = None) -> CommandLine:
    """Return the options of a command line, this process's unless `arguments` are given."""
    return tyro.cli(
        tyro.conf.FlagCreatePairsOff[CommandLine],
        args=arguments, prog="gubs-benchmark", description=__doc__, registry=PATHS,
    )  # fmt: skip


def check_results(given: CommandLine) -> None:
    """Verify all results that the options name, and those in the folders that they name."""
    for path in (file for named in given.verify for file in files_in(named)):
        # Only our own list: one that comes with a result could name any code.
        ranked = ranked_in(RESULTS) if path.parent.resolve() == RESULTS.resolve() else {}
        checked = verify(path, given.agent or ranked.get(path.stem))
        asked = "made its own again" if checked.asked else "was not asked: name it before --verify"
        print(
            f"{printable(str(path))}: all is right: {checked.games:,} games replayed, "
            f"{checked.decisions:,} decisions of the anchors made again; the agent {asked}"
        )


def files_in(path: Path) -> list[Path]:
    """Return the results in a folder; a file is returned as it is."""
    return result_files(path) if path.is_dir() else [path]


def play(given: CommandLine) -> None:
    """Play the benchmark, and print its tables."""
    if not given.agent:
        raise ValueError("name an agent to play, or results to --verify; --help lists the options")
    result = run(
        given.agent,
        given.protocol,
        given.track or None,
        tables=[name.strip() for name in given.tables.split(",")] if given.tables else None,
        author=given.author,
        link=given.link,
        out=given.out,
        resume=given.resume,
        fresh=given.fresh,
        engine=given.engine,
        processes=given.processes,
        progress=True,
    )
    print(markdown(result.as_dict()))
    print(f"\nresult and games: {given.out / RESULT_FILE}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command `gubs-benchmark`."""
    print_everywhere()
    given = parse(arguments)
    # As with `python -m`, agents may be modules of the working directory.
    sys.path.insert(0, os.getcwd())
    try:
        with one_line_errors("benchmark", RuntimeError, TypeError):
            if given.verify:
                check_results(given)
            elif given.page:
                write_pages(RESULTS, DOCS)
            else:
                play(given)
    except KeyboardInterrupt:
        print("interrupted; the same command with --resume continues")
        sys.exit(130)


if __name__ == "__main__":
    main()
