"""The arena: tournaments between agents on the same deals, from every seat (docs/arena.md).

    gubs arena --agents random,heuristic --deals 500

>>> from gubs_agents import arena
>>> result = arena.tournament("random,heuristic", deals=20)
>>> dict(zip(result.labels, result.numbers.share.value.round(2).tolist()))
{'heuristic': 0.92, 'random': 0.08}
"""

from gubs_env.support.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__)
