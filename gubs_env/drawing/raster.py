"""Pictures as pixels, by resvg: the extra `draw`."""

from __future__ import annotations

import io

import numpy as np

from gubs_env.drawing.layout import WIDTH
from gubs_env.drawing.style import LIGHT, with_colours
from gubs_env.support.files import folder_of

FONTS = folder_of("gubs_env.drawing", "fonts")
"""A subset of DejaVu Sans, so that text looks the same whatever fonts are installed."""


def png(svg: str, width: int = WIDTH) -> bytes:
    """Return a picture as PNG, `width` pixels wide, in the light colours.

    Raises:
        ModuleNotFoundError: without the extra `draw`.
    """
    import resvg_py

    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=with_colours(svg, LIGHT),
            width=width,
            skip_system_fonts=True,
            font_files=[str(FONTS / f"GubsSans-{style}.ttf") for style in ("Regular", "Bold")],
            font_family="Gubs Sans",
        )
    )


def pixels(svg: str, width: int = WIDTH) -> np.ndarray:
    """Return a picture as pixels, uint8[height, width, 3].

    Raises:
        ModuleNotFoundError: without the extra `draw`.
    """
    from PIL import Image

    with Image.open(io.BytesIO(png(svg, width))) as image:
        opaque = Image.new("RGB", image.size, LIGHT["paper"])
        opaque.paste(image, mask=image.getchannel("A"))
        return np.asarray(opaque)
