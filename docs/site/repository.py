"""Files of the repository outside of docs/ as pages of the site: a hook of MkDocs.

The nav may name such a file by its path in the repository, or several by a pattern. Any page may
link to one, with the relative link that also works on GitHub. Markdown and notebooks become pages;
any other text is shown on a page as it is.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
DOCS = "docs/"
SHARED_STYLE = "scale.css"
ADDRESSES = {"README.md": "overview/index.html"}
"""Addresses of pages that would otherwise take that of another page."""
NAMED_LINK = re.compile(r"(?<=\[)[\w./-]+\.md(?=\]\(([^()\s#]+))")
"""The text of a link that is the name of a page's file; its group is the file that it leads to."""
LINK = re.compile(r"(?<=\]\()([^()\s#]+)(?=(?:#[^()\s]*)?\))")
FENCE = re.compile(r"^( *)```.*?^\1```", re.M | re.S)
LANGUAGES = {".py": "python", ".cff": "yaml", ".toml": "toml", ".yml": "yaml", ".json": "json"}
Nav = list[Any] | dict[str, Any] | str


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Replace the patterns in the nav by the files that they match."""
    config.nav = expanded(config.nav or [], ROOT)
    return config


def expanded(nav: list[Any], root: Path) -> list[Any]:
    """Return a nav in which each pattern is replaced by the sorted files below `root`."""
    found: list[Any] = []
    for item in nav:
        if isinstance(item, dict):
            found.append({name: _expanded_part(part, root) for name, part in item.items()})
        elif "*" in item:
            found += sorted(path.relative_to(root).as_posix() for path in root.glob(item))
        else:
            found.append(item)
    return found


def _expanded_part(part: Nav, root: Path) -> Nav:
    return expanded(part, root) if isinstance(part, list) else part


@event_priority(100)  # before the plugin of notebooks, which takes up those among the files
def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files of the repository that the nav names or a page links to, and the style that the
    site shares with the pages of games.
    """
    drawing, directories = str(ROOT / "gubs_env" / "drawing"), config.use_directory_urls
    shared = f"site/{SHARED_STYLE}"
    files.append(File(SHARED_STYLE, drawing, config.site_dir, directories, dest_uri=shared))
    queue = [path for path in named(config.nav) if path not in files.src_uris]
    pages = [file for file in files if file.src_uri.endswith(".md")]
    queue += [path for page in pages for path in linked(page.content_string, repository_path(page))]
    in_nav = set(named(config.nav))
    while queue:
        path = queue.pop()
        if not (ROOT / path).is_file() or path in _by_path(files):
            continue
        file = page_of(path, config)
        if path not in in_nav:
            file.inclusion = InclusionLevel.NOT_IN_NAV
        files.append(file)
        if path.endswith(".md"):
            queue += linked(file.content_string, path)
    return files


def named(nav: Nav | None) -> Iterator[str]:
    """Yield the paths that a nav names."""
    if isinstance(nav, str):
        yield nav
    for item in nav if isinstance(nav, list) else []:
        parts = item.values() if isinstance(item, dict) else [item]
        for part in parts:
            yield from named(part)


def linked(markdown: str, path: str) -> list[str]:
    """Return the paths in the repository that the page at a path links to."""
    folder = posixpath.dirname(path)
    targets = LINK.findall(FENCE.sub("", markdown))
    return [_joined(folder, target) for target in targets if ":" not in target]


def _joined(folder: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(folder, target))


def repository_path(file: File) -> str:
    """Return the path of a file in the repository."""
    if file.src_dir == str(ROOT):
        return file.src_uri
    return DOCS + file.src_uri


def _by_path(files: Files) -> dict[str, File]:
    return {source.get(file.src_uri, repository_path(file)): file for file in files}


source: dict[str, str] = {}
"""The file of the repository that a page shows as it is, by the name of the page."""


def page_of(path: str, config: MkDocsConfig) -> File:
    """Return the page of a file of the repository."""
    if PurePosixPath(path).suffix in (".md", ".ipynb", ".svg", ".png", ".gif"):
        address, directories = ADDRESSES.get(path), config.use_directory_urls
        return File(path, str(ROOT), config.site_dir, directories, dest_uri=address)
    name = f"source/{path}.md"
    source[name] = path
    return File.generated(config, name, content=shown(path, (ROOT / path).read_text("utf-8")))


def shown(path: str, text: str) -> str:
    """Return a page of Markdown that shows a text."""
    ticks = "`" * (3 + max(map(len, re.findall("`{3,}", text)), default=0))
    language = LANGUAGES.get(PurePosixPath(path).suffix, "text")
    head = f"---\nsearch:\n  exclude: true\nhide: [toc]\n---\n# `{path}`\n"
    return f'{head}\n{ticks} {{.{language} linenums="1"}}\n{text}\n{ticks}\n'


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead the links to files of the repository to their pages, by their titles; mark doctests."""
    if page.file.src_uri in source:
        return markdown
    path, pages = repository_path(page.file), _by_path(files)
    titles = titled(config.nav)

    def title(link: re.Match[str]) -> str:
        target = _joined(posixpath.dirname(path), link[1])
        return titles.get(target) or heading(ROOT / target) or link[0]

    def led(link: str) -> str:
        target = pages.get(_joined(posixpath.dirname(path), link))
        if target is None or ":" in link:
            return link
        return posixpath.relpath(target.src_uri, posixpath.dirname(page.file.src_uri) or ".")

    with_titles = outside_code(markdown, lambda text: NAMED_LINK.sub(title, text))
    return with_doctests(with_links(with_titles, led))


def titled(nav: Nav | None) -> dict[str, str]:
    """Return the titles that a nav gives to pages, by their path in the repository."""
    found: dict[str, str] = {}
    for item in nav if isinstance(nav, list) else []:
        for name, part in item.items() if isinstance(item, dict) else ():
            if isinstance(part, str):
                found |= {part: name, DOCS + part: name}
            else:
                found |= titled(part)
    return found


def heading(path: Path) -> str:
    """Return the first heading of a page; "" without one."""
    found = re.search(r"^# (.+)$", path.read_text("utf-8"), re.M) if path.is_file() else None
    return found[1] if found else ""


def with_links(markdown: str, led: Callable[[str], str]) -> str:
    """Return Markdown in which each link is replaced, but those in blocks of code."""
    return outside_code(markdown, lambda text: LINK.sub(lambda link: led(link[1]), text))


def outside_code(markdown: str, changed: Callable[[str], str]) -> str:
    """Return Markdown in which all but the blocks of code is changed."""
    parts, end = [], 0
    for fence in FENCE.finditer(markdown):
        parts += [changed(markdown[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, changed(markdown[end:])])


def with_doctests(markdown: str) -> str:
    """Return Markdown in which blocks of Python that are sessions of the interpreter say so."""
    return re.sub(r"^( *)```python\n(?=\1>>>)", r"\1```pycon\n", markdown, flags=re.M)
