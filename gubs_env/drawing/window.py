"""The one window of a process, which shows the last picture if there is a display."""

from __future__ import annotations

import os
import sys
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gubs_env.drawing.layout import WIDTH
from gubs_env.drawing.raster import png

SHARE = 0.85
"""Largest share of the width and the height of the screen that a picture takes."""
_open: dict[str, Any] = {}
"""The window and its label, once it is open; `CLOSED` once somebody has closed it."""
CLOSED = "closed"


def has_display() -> bool:
    """Return whether there may be a display, as always on Windows and macOS."""
    return sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


def show(draw: Callable[[], str], title: str) -> bool:
    """Show a picture in the window, which the first picture opens.

    Args:
        draw: returns the picture as SVG; called only where there is a display.
        title: the title of the window.

    Returns:
        Whether it is shown: False without a display, tkinter or the extra `draw`, and after
        somebody has closed the window.
    """
    if CLOSED in _open or not has_display():
        return False
    try:
        import tkinter

        import resvg_py  # noqa: F401  (before a window opens that could show nothing)
    except ImportError:
        return False
    svg = draw()
    try:
        _draw(tkinter, svg, title)
    except tkinter.TclError:  # no display after all, or somebody closed the window
        _open.clear()
        _open[CLOSED] = True
        return False
    return True


def _draw(tkinter: Any, svg: str, title: str) -> None:
    if not _open:
        window = tkinter.Tk()
        label = tkinter.Label(window, borderwidth=0)
        label.pack()
        _open.update(window=window, label=label)
    window, label = _open["window"], _open["label"]
    high = window.winfo_screenheight() * SHARE
    wide = min(WIDTH, window.winfo_screenwidth() * SHARE)
    height = float(svg.partition(' height="')[2].partition('"')[0])
    image = tkinter.PhotoImage(
        master=window, data=b64encode(png(svg, int(min(wide, high * WIDTH / height))))
    )
    label.configure(image=image)
    label.image = image  # Tk does not keep it
    window.title(title)
    window.update()


def close() -> None:
    """Close the window, if it is open; the next picture opens one again."""
    window = _open.get("window")
    _open.clear()
    if window is not None:
        with suppress(Exception):  # somebody has closed it: TclError, of a module not imported here
            window.destroy()
