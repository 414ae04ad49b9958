"""The commands `benchmark` and `benchmark freeze`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from gubs_agents.benchmark.freezing import write_frozen
from gubs_agents.benchmark.protocol import CURRENT, protocols
from gubs_agents.benchmark.report import markdown, ranked_in, result_files, write_pages
from gubs_agents.benchmark.results import RESULT_FILE
from gubs_agents.benchmark.running import run
from gubs_agents.benchmark.verifying import verify
from gubs_env.commands.common import ONE_GROUP, BackendName, shown
from gubs_env.engine.text import printable
from gubs_env.support.cluster import LOCAL

RESULTS = Path("results")
DOCS = Path("docs")


@dataclass(frozen=True)
class Options:
    """The options of the command."""

    agent: Annotated[tyro.conf.Positional[str], shown("AGENT", "none")] = ""
    """The agent, as name, name:option=value, package.module:Agent, or label=agent."""
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
    backend: BackendName = LOCAL
    """local, or ray: on every core of a Ray cluster, which needs the extra ray."""
    processes: int = 1
    """Number of processes that play on this machine."""
    verify: Annotated[tuple[Path, ...], shown("FILE [FILE …]", "none")] = ()
    """Check these results, or all in a folder, instead."""
    page: bool = False
    """Write the tables of docs/results.md, from the files in results/, and docs/benchmark.md."""


def benchmark(options: Annotated[Options, ONE_GROUP]) -> None:
    """Play the benchmark with an agent, or verify results.

    $ gubs benchmark heuristic
    $ gubs benchmark mine=my_package.bots:Agent --processes 2 --out runs/mine
    $ gubs benchmark my_package.bots:Agent --protocol tiny
    $ gubs benchmark --verify runs/mine/result.json

    The folder of the run gets games.jsonl and times.jsonl while it plays, and then result.json and
    result.jsonl.gz, which are what you submit.

    --verify replays the games of results, asks the anchors again, and computes the score. It also
    asks the agent if it is named, which must be deterministic, and those that results/ranked.json
    names.

    docs/benchmark.md explains the protocol, docs/benchmark_details.md the score and the files.
    """
    if options.verify:
        check_results(options)
    elif options.page:
        write_pages(RESULTS, DOCS)
    else:
        play(options)


def freeze(name: tyro.conf.Positional[str]) -> None:
    """Write the anchors and the scales of a new protocol.

    A new protocol is a file in gubs_agents/benchmark/protocols in which `moves`, `sha256` and
    `scale` may hold anything: they are filled in. A protocol that was published is never frozen
    again.

    Args:
        name: the name of its file, without .json.
    """
    write_frozen(name)


def check_results(given: Options) -> None:
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


def play(given: Options) -> None:
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
        backend=given.backend,
        processes=given.processes,
        progress=True,
    )
    print(markdown(result.as_dict()))
    print(f"\nresult and games: {given.out / RESULT_FILE}")
