"""The render modes of all interfaces, which show a view as text or as a picture."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

import numpy as np

from gubs_env.engine.game import Game
from gubs_env.engine.view import View

PIXEL_PACKAGES = ("resvg_py", "PIL")
"""The packages of the extra `draw`, which the mode "rgb_array" needs."""


def render_modes(*modes: str) -> list[str]:
    """Return these render modes, and "rgb_array" where its packages are installed."""
    return [*modes, *["rgb_array"] * all(map(find_spec, PIXEL_PACKAGES))]


def rendered(game: Game, view: View, mode: str) -> str | np.ndarray | None:
    """Return a view in a render mode; show it and return None for "human".

    Returns:
        "ansi": the table as text, with colours on a terminal; "svg": the picture as SVG;
        "rgb_array": the same, uint8[height, 1200, 3].
    """
    if mode == "svg":
        return game.draw(view)
    if mode == "rgb_array":
        from gubs_env.drawing.raster import pixels

        return pixels(game.draw(view))
    plain = "NO_COLOR" in os.environ or not sys.stdout.isatty()
    text = game.describe(view, not plain)
    if mode == "ansi":
        return text
    from gubs_env.drawing.window import show

    if not show(lambda: game.draw(view), game.title):
        print(text, end="\n\n")
    return None


def close_window() -> None:
    """Close the window that the mode "human" has opened, if it has."""
    from gubs_env.drawing.window import close

    close()
