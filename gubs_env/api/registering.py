"""Registration of the environments of a game with Gymnasium and PettingZoo, by their names only."""

from __future__ import annotations

import gymnasium
import pettingzoo


def register(name: str, module: str) -> None:
    """Register the environments of a module with Gymnasium and PettingZoo.

    Args:
        name: the name of the game, as "gubs_v0".
        module: the name of its public module.
    """
    words, version = name.rsplit("_", 1)
    title = "".join(word.capitalize() for word in words.split("_"))
    gymnasium.register(
        f"gubs_env/{title}-{version}",
        entry_point=f"{module}:single_agent_env",
        vector_entry_point=f"{module}:single_agent_vector_env",
    )
    if hasattr(pettingzoo, "register"):  # since PettingZoo 1.27
        pettingzoo.register("aec", f"gubs_env/{name}", entry_point=f"{module}:env")
