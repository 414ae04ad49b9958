"""The benchmark: a frozen protocol, one score, and results that anybody can verify.

    python -m gubs_agents.benchmark package.module:Agent

docs/benchmark.md describes it. The protocol "tiny" takes seconds, so that a test can play it with
an agent of your own:

>>> from gubs_agents import benchmark
>>> result = benchmark.run("heuristic", protocol="tiny")
>>> round(result.score.value, 6)
100.0
"""

from __future__ import annotations

from gubs_agents.benchmark.protocol import Anchor, Protocol, Table, Track, load, protocols
from gubs_agents.benchmark.report import markdown
from gubs_agents.benchmark.results import Result, read_result
from gubs_agents.benchmark.running import run
from gubs_agents.benchmark.scoring import Estimate, TableResult
from gubs_agents.benchmark.verifying import Verified, verify

__all__ = [
    "Anchor",
    "Estimate",
    "Protocol",
    "Result",
    "Table",
    "TableResult",
    "Track",
    "Verified",
    "load",
    "markdown",
    "protocols",
    "read_result",
    "run",
    "verify",
]
