"""Registration of the environments of a game with Gymnasium and PettingZoo, by their names only."""

from __future__ import annotations

import gymnasium
import pettingzoo


def register(name: str, module: str) -> None:
    """Register the environments of a module with Gymnasium and PettingZoo.

    Args:
        name: the name of the game, as "gubs_v0".
        module: the name of its public module.

    Raises:
        ValueError: for the name of a game of this project.
    """
    single, many = f"{module}:single_agent_env", f"{module}:single_agent_vector_env"
    known = gymnasium.registry.get(env_id := environment_id(name))
    if known and str(known.entry_point).startswith("gubs_env.") and module != f"gubs_env.{name}":
        raise ValueError(f"{module} cannot register {name}: gubs_env has this name")
    if known and known.entry_point == single:
        return
    gymnasium.register(env_id, entry_point=single, vector_entry_point=many)
    if hasattr(pettingzoo, "register"):  # since PettingZoo 1.27
        pettingzoo.register("aec", f"gubs_env/{name}", entry_point=f"{module}:env")


def environment_id(name: str) -> str:
    """Return the name of a game in Gymnasium, as "gubs_env/BadBadTurtle-v0"."""
    words, version = name.rsplit("_", 1)
    return f"gubs_env/{''.join(word.capitalize() for word in words.split('_'))}-{version}"
