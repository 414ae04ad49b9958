"""A recorded game as a moving picture, for places that show images only."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from gubs_env.drawing.style import LIGHT
from gubs_env.records.record import Record
from gubs_env.replays.frames import ALL_HANDS, frames_of, seen_by_one
from gubs_env.support.checks import check_number, require_extra
from gubs_env.support.files import expanded, replace_file

COLOURS = 128
"""Number of colours in the palette of a moving picture."""
SAMPLES = 6
"""Approximate number of frames that the palette is chosen from."""


def save_gif(
    record: Record,
    path: str | Path,
    eyes: str | None = None,
    first: int = 0,
    count: int = 60,
    width: int = 800,
    milliseconds: int = 1000,
) -> Path:
    """Write a game as an animated GIF, which repeats; return its path.

    Args:
        record: the game.
        path: the file, which is replaced in one step.
        eyes: the viewer, as "player_0"; None shows all hands.
        first: number of the first frame, from 0.
        count: largest number of frames, at least 1.
        width: width in pixels, at least 100.
        milliseconds: time that each frame is shown, at least 20.

    Raises:
        ModuleNotFoundError: without the extra `draw`.
        TypeError, ValueError: for a viewer or numbers that are not allowed.
        OSError: for a file that cannot be written.
    """
    require_extra("draw", "resvg_py", "PIL")
    path, who = expanded(path), ALL_HANDS if eyes is None else eyes
    agents = [f"player_{seat}" for seat in range(record.table.num_players)]
    if who not in (*agents, ALL_HANDS):
        raise ValueError(f"eyes={eyes!r}: allowed are {', '.join(agents)} or None for all hands")
    check_number("count", count, 1)
    check_number("width", width, 100)
    check_number("milliseconds", milliseconds, 20)
    frames = frames_of(record, [who])
    if eyes is not None:
        frames = seen_by_one(frames, eyes)
    check_number("first", first, 0, len(frames) - 1)
    pictures = [frame.pictures[who] for frame in frames[first : first + count]]
    replace_file(path, _animation(pictures, width, milliseconds))
    return path


def _animation(pictures: Sequence[str], width: int, milliseconds: int) -> bytes:
    """Return pictures as an animated GIF, all with one palette and of one height."""
    from PIL import Image

    from gubs_env.drawing.raster import pixels

    drawn: list[Any] = [Image.fromarray(pixels(picture, width)) for picture in pictures]
    height, images = max(image.height for image in drawn), []
    some = drawn[:: max(1, len(drawn) // SAMPLES)]
    sample = Image.new("RGB", (width, height * len(some)))
    for row, image in enumerate(some):
        sample.paste(image, (0, row * height))
    palette = sample.quantize(COLOURS)
    for image in drawn:
        canvas = Image.new("RGB", (width, height), LIGHT["mat"])
        canvas.paste(image)
        images.append(canvas.quantize(palette=palette, dither=Image.Dither.NONE))
    with BytesIO() as written:
        images[0].save(
            written,
            "GIF",
            save_all=True,
            append_images=images[1:],
            duration=milliseconds,
            loop=0,
        )
        return written.getvalue()
