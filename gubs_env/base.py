"""Everything that a game of your own is made of: see docs/adding.md."""

from __future__ import annotations

from gubs_env.api.environments import Environments, environments
from gubs_env.engine.base import define_game
from gubs_env.engine.compilation import compiled, inlined
from gubs_env.engine.fields import Field, Seen
from gubs_env.engine.options import RuleOptions
from gubs_env.engine.rng import random_below, shuffle
from gubs_env.engine.seats import NOBODY, seat_at, steps_to

__all__ = [
    "NOBODY",
    "Environments",
    "Field",
    "RuleOptions",
    "Seen",
    "compiled",
    "define_game",
    "environments",
    "inlined",
    "random_below",
    "seat_at",
    "shuffle",
    "steps_to",
]
