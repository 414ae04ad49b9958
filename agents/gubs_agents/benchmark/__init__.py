"""The benchmark: a frozen protocol, one score, and results that anybody can verify.

    gubs benchmark package.module:Agent

docs/benchmark.md describes it. The protocol "tiny" takes seconds, so that a test can play it with
an agent of your own:

>>> from gubs_agents import benchmark
>>> result = benchmark.run("heuristic", protocol="tiny")
>>> round(result.score.value, 6)
100.0
"""

from gubs_env.support.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__)
