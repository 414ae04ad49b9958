"""Pages of Markdown: tables, and sections that are written anew between two marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from gubs_env.support.files import replace_file


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def frame(path: Path, mark: str) -> tuple[str, str]:
    """Return what stands before and after a section of a page, with its marks.

    Args:
        path: the page.
        mark: the section begins with `<!-- mark -->`, and ends with `<!-- end of mark -->`.

    Raises:
        ValueError: unless each of the two marks is on the page once.
    """
    first, last = f"<!-- {mark} -->", f"<!-- end of {mark} -->"
    text = path.read_text(encoding="utf-8")
    if text.count(first) != 1 or text.count(last) != 1:
        raise ValueError(f"{path} must hold each of the lines {first} and {last} exactly once")
    before, rest = text.split(first)
    return before + first, last + rest.split(last)[1]


def replace_section(path: Path, mark: str, section: str) -> None:
    """Replace a section of a page; arguments and errors as for `frame`."""
    before, after = frame(path, mark)
    replace_file(path, f"{before}\n\n{section}\n\n{after}")
