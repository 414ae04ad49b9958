"""The commands `benchmark` and `benchmark freeze`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

import tyro

from gubs_agents.benchmark import anchors
from gubs_agents.benchmark.protocol import CURRENT, FOLDER, protocols
from gubs_agents.benchmark.report import markdown, ranked_in, result_files, write_pages
from gubs_agents.benchmark.results import RESULT_FILE
from gubs_agents.benchmark.running import BenchmarkOptions, run
from gubs_agents.benchmark.verifying import verify as verify_result
from gubs_env.commands.common import ONE_GROUP, shown
from gubs_env.engine.text import printable
from gubs_env.support.files import write_json

RESULTS = Path("results")
DOCS = Path("docs")
RUN = BenchmarkOptions(out=Path("runs/benchmark"))


def benchmark(
    options: Annotated[BenchmarkOptions, ONE_GROUP] = RUN,
    agent: Annotated[tyro.conf.Positional[str], shown("AGENT", "none")] = "",
    protocol: Annotated[str, shown(f"{{{','.join(protocols())}}}")] = CURRENT,
    verify: Annotated[tuple[Path, ...], shown("FILE [FILE …]", "none")] = (),
    page: bool = False,
) -> None:
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

    Args:
        agent: The agent, as name, name:option=value, package.module:Agent, or label=agent.
        protocol: The protocol; tiny takes seconds.
        verify: Check these results, or all in a folder, instead.
        page: Write the tables of docs/results.md, from the files in results/, and
            docs/benchmark.md.
    """
    if verify:
        check_results(verify, agent)
    elif page:
        write_pages(RESULTS, DOCS)
    elif not agent:
        raise ValueError("name an agent to play, or results to --verify; --help lists the options")
    else:
        result = run(agent, protocol, progress=True, **vars(options))
        print(markdown(result.as_dict()))
        print(f"\nresult and games: {(options.out or Path()) / RESULT_FILE}")


def freeze(name: tyro.conf.Positional[str]) -> None:
    """Write the anchors and the scales of a new protocol.

    A new protocol is a file in gubs_agents/benchmark/protocols in which `moves`, `sha256` and
    `scale` may hold anything: they are filled in. A protocol that was published is never frozen
    again.

    Args:
        name: the name of its file, without .json.
    """
    write_json(FOLDER / f"{name}.json", anchors.freeze(name))


def check_results(paths: Sequence[Path], agent: str) -> None:
    """Verify these results, and those in these folders; an agent is asked again if it is named."""
    files = [result_files(path) if path.is_dir() else [path] for path in paths]
    for path in chain(*files):
        # Only our own list: one that comes with a result could name any code.
        ranked = ranked_in(RESULTS) if path.parent.resolve() == RESULTS.resolve() else {}
        checked = verify_result(path, agent or ranked.get(path.stem))
        asked = "made its own again" if checked.asked else "was not asked: name it before --verify"
        print(
            f"{printable(str(path))}: all is right: {checked.games:,} games replayed, "
            f"{checked.decisions:,} decisions of the anchors made again; the agent {asked}"
        )
