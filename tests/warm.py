"""A process that has imported the packages and played every game: quick workers are its copies."""

from __future__ import annotations

from contextlib import suppress

from gubs_env import GAMES

with suppress(ModuleNotFoundError):  # without the extra `train`
    import torch._dynamo  # noqa: F401  # an optimizer imports it

    import gubs_agents.training.run  # noqa: F401

with suppress(Exception):  # a rule that fails here fails in its test too, with a report
    from gubs_agents import arena

    for game in GAMES:
        arena.tournament("random,heuristic", game, deals=2, resamples=2)
