"""Pages of HTML that show pictures, each one text with its style and scripts inside."""

from __future__ import annotations

import re
from importlib.resources import files


def filled_page(package: str, page: str = "page.html", **texts: str) -> str:
    """Return a page of a package with every `@NAME@` replaced.

    An `@NAME@` inside such a text stays as it is.

    Args:
        package: the name of the package.
        page: the file of the page.
        texts: markup for the names without a dot. The others are files of the package, such as
            `page.css`, or else those beside this module, which all pages share.

    Raises:
        KeyError: for a name in the page that has no text.
        FileNotFoundError: for a file that does not exist.
    """

    def text(name: re.Match[str]) -> str:
        return _file(package, name[1]) if "." in name[1] else texts[name[1]]

    return re.sub(r"@([A-Z_]+|[a-z_]+\.[a-z]+)@", text, _file(package, page))


def _file(package: str, name: str) -> str:
    own, shared = (files(folder) / name for folder in (package, __name__.rpartition(".")[0]))
    return (own if own.is_file() else shared).read_text(encoding="utf-8")
