"""The benchmark: a frozen protocol, one score, and results that anybody can verify.

    gubs benchmark package.module:Agent

docs/benchmark.md describes it. The protocol "tiny" takes seconds, so that a test can play it with
an agent of your own:

>>> from gubs_agents import benchmark
>>> result = benchmark.run("heuristic", protocol="tiny")
>>> round(result.score.value, 6)
100.0
"""

from lazy_loader import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    submod_attrs={
        "protocol": ["Anchor", "Protocol", "Task", "Track", "load", "protocols"],
        "report": ["markdown"],
        "results": ["Result", "read_result"],
        "running": ["BenchmarkOptions", "run"],
        "scoring": ["Estimate", "TaskResult"],
        "verifying": ["Verified", "verify"],
    },
)
