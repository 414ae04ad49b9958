"""Reinforcement-learning environments for the card game Gubs and its family.

Each game has a module:

- `gubs_env.gubs_v0`: Gubs, for 2 to 6 players
- `gubs_env.fubnub_v0`: FUBNUB, for 1 to 4 players
- `gubs_env.bad_bad_turtle_v0`: Bad, Bad, Turtle, for 2 to 8 players

The module holds `env` and `raw_env` (PettingZoo), `vector_env` (many games in one array),
`single_agent_env` (Gymnasium), the `Rules`, the cards, and `position`.

`record` plays games of agents into a file, `read_records` and `read_record` read it, `replay` makes
a page of a game, and `to_parquet` a data set of all, which `load_dataset` reads.

>>> from gubs_env import gubs_v0
>>> env = gubs_v0.env(num_players=4)

Importing this package registers the games with Gymnasium ("gubs_env/Gubs-v0") and with PettingZoo
("gubs_env/gubs_v0").
"""

from __future__ import annotations

import sys
from typing import Any

import gymnasium
import pettingzoo

from gubs_env.api.registering import register
from gubs_env.games import GAMES
from gubs_env.support.lazy import attach_stub
from gubs_env.support.version import __version__ as __version__

__getattr__, __dir__, __all__ = attach_stub(__name__)


def _register_pictures() -> None:
    """Let a running notebook show wrapped environments: wrappers hide methods with a `_`."""
    shell: Any = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if hasattr(shell, "display_formatter"):
        svg = shell.display_formatter.formatters["image/svg+xml"]
        for wrapper in (gymnasium.Wrapper, pettingzoo.utils.BaseWrapper):
            svg.for_type(wrapper, _picture)


def _picture(env: Any) -> str | None:
    draw = getattr(env.unwrapped, "_repr_svg_", None)
    return draw() if draw else None


for _name in GAMES:
    register(f"{_name}_v0", f"gubs_env.{_name}_v0")
_register_pictures()
