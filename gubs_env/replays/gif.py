"""A recorded game as a moving picture, for places that show images only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

from gubs_env.drawing.style import LIGHT
from gubs_env.records.record import Record
from gubs_env.replays.frames import ALL_HANDS, agents_of, frames_of, seen_by_one
from gubs_env.support.checks import Range, check_number, check_options, require_extra
from gubs_env.support.files import expanded, replace_file

COLOURS = 128
"""Number of colours in the palette of a moving picture."""
SAMPLES = 6
"""Approximate number of frames that the palette is chosen from."""


@dataclass(frozen=True, kw_only=True)
class GifOptions:
    """The options of `save_gif`, and of a moving picture of the command `gubs replay`."""

    first: Annotated[int, Range(0)] = 0
    """Number of the first move in the moving picture."""
    count: Annotated[int, Range(1)] = 60
    """Largest number of positions in the moving picture."""
    width: Annotated[int, Range(100)] = 800
    """Width of the moving picture, in pixels."""
    milliseconds: Annotated[int, Range(20)] = 1000
    """Time that each position of the moving picture is shown."""

    def __post_init__(self) -> None:
        check_options(self)


def save_gif(
    record: Record,
    path: str | Path,
    eyes: str | None = None,
    progress: Callable[[str, int, int], None] = lambda what, done, count: None,
    **options: int,
) -> Path:
    """Write a game as an animated GIF, which repeats; return its path.

    Args:
        record: the game.
        path: the file, which is replaced in one step.
        eyes: the viewer, as "player_0"; None shows all hands.
        progress: called as (what, done, count) for the actions and then for the pictures.
        options: options by name, those of `GifOptions`.

    Raises:
        ModuleNotFoundError: without the extra `draw`.
        TypeError, ValueError: for a viewer or numbers that are not allowed.
        OSError: for a file that cannot be written.
    """
    require_extra("draw", "resvg_py", "PIL")
    chosen = GifOptions(**options)
    path, who = expanded(path), ALL_HANDS if eyes is None else eyes
    agents_of(record, eyes)
    frames = frames_of(record, [who], progress=partial(progress, "drawing"))
    if eyes is not None:
        frames = seen_by_one(frames, eyes)
    first = check_number("first", chosen.first, 0, len(frames) - 1)
    pictures = [frame.pictures[who] for frame in frames[first : first + chosen.count]]
    told = partial(progress, "painting")
    replace_file(path, _animation(pictures, chosen.width, chosen.milliseconds, told))
    return path


def _animation(
    pictures: Sequence[str], width: int, milliseconds: int, progress: Callable[[int, int], None]
) -> bytes:
    """Return pictures as an animated GIF, all with one palette and of one height."""
    from PIL import Image

    from gubs_env.drawing.raster import pixels

    drawn = list[Any]()
    for picture in pictures:
        drawn.append(Image.fromarray(pixels(picture, width)))
        progress(len(drawn), len(pictures))
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
        more = {"append_images": images[1:], "duration": milliseconds, "loop": 0}
        images[0].save(written, "GIF", save_all=True, **more)
        return written.getvalue()
