"""Pages of HTML that show pictures, each one text with its style and scripts inside."""

from __future__ import annotations

import re
from importlib.resources import files

OWN = {"STYLE": "page.css", "SCRIPT": "page.js"}
"""The files beside a `page.html`, by their names in it."""
COMMON = {"COMMON_STYLE": "pages.css", "COMMON_SCRIPT": "pages.js"}
"""The files that all pages share, by their names in a page."""


def filled_page(package: str, **texts: str) -> str:
    """Return the page of a package: its `page.html` with every `@NAME@` replaced.

    An `@NAME@` inside such a text stays as it is.

    Args:
        package: the name of the package.
        texts: markup for the names that are not in OWN or COMMON.

    Raises:
        KeyError: for a name in the page that has no text.
    """
    given = dict(texts)
    for folder, named in ((package, OWN), (__name__.rpartition(".")[0], COMMON)):
        given |= {name: _text(folder, file) for name, file in named.items()}
    return re.sub(r"@([A-Z_]+)@", lambda name: given[name[1]], _text(package, "page.html"))


def _text(package: str, file: str) -> str:
    return files(package).joinpath(file).read_text(encoding="utf-8")
