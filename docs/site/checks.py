"""Checks of the site, whose warnings fail a strict build: a hook of MkDocs.

Every public object on a page of the reference has a docstring, and no page loads anything from
another host.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import griffe
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
LOG = logging.getLogger("mkdocs.hooks.checks")
DOCUMENTED = re.compile(r"^::: ([\w.]+)$", re.M)
ENUMERATIONS = ("Enum", "IntEnum", "StrEnum")
LOADED = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\ssrc=\"?(?:https?:)?//[^\">\s]+"
    r"|<link\b(?![^>]*rel=\"?(?:canonical|next|prev|alternate))[^>]*\shref=\"?(?:https?:)?//[^\">\s]+"
    r"|@import\s[^;]*//[^;]*"
)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> None:
    """Warn of every public object on a page without a docstring."""
    for name in DOCUMENTED.findall(markdown):
        for path in undocumented(name, [str(ROOT), str(ROOT / "agents")]):
            LOG.warning("%s: %s has no docstring", page.file.src_uri, path)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> None:
    """Warn of everything that a page loads from another host."""
    for loaded in LOADED.findall(output):
        LOG.warning("%s loads from another host: %s", page.file.src_uri, loaded)


def undocumented(name: str, search_paths: Sequence[str]) -> list[str]:
    """Return the public objects without a docstring: `name`, and everything inside it."""
    return list(_without_docstring(_collected(name.partition(".")[0], tuple(search_paths))[name]))


@cache
def _collected(package: str, search_paths: tuple[str, ...]) -> griffe.ModulesCollection:
    loader = griffe.GriffeLoader(search_paths=search_paths)
    loader.load(package)
    loader.resolve_aliases(implicit=False, external=False)
    return loader.modules_collection


def _without_docstring(found: griffe.Object | griffe.Alias) -> Iterator[str]:
    if isinstance(found, griffe.Alias):
        found = found.final_target
    if not found.has_docstring:
        yield found.path
    told = _attributes(found)
    for name, member in found.members.items():
        if name not in told and _is_public(member, found):
            yield from _without_docstring(member)


def _is_public(member: griffe.Object | griffe.Alias, parent: griffe.Object | griffe.Alias) -> bool:
    """Return whether a member needs a docstring.

    Special methods need none, nor do members of an enumeration, imported names that `__all__` does
    not list, and attributes that a method sets: the docstring of the class lists the public ones.
    """
    if member.is_alias:
        return member.name in (parent.exports or ())
    if member.is_module or not member.is_public or member.name.startswith("__"):
        return False
    if not member.is_attribute:
        return True
    return not (_is_enumeration(parent) or _is_set_in_method(member, parent))


def _is_enumeration(found: griffe.Object | griffe.Alias) -> bool:
    if not isinstance(found, griffe.Class):
        return False
    bases = [str(base) for each in (found, *found.mro()) for base in each.bases]
    return any(base in ENUMERATIONS for base in bases)


def _is_set_in_method(
    member: griffe.Object | griffe.Alias, parent: griffe.Object | griffe.Alias
) -> bool:
    own = [each for each in parent.members.values() if not each.is_alias]
    methods = [each for each in own if each.is_function]
    return any(
        (each.lineno or 0) <= (member.lineno or 0) <= (each.endlineno or 0) for each in methods
    )


def _attributes(found: griffe.Object | griffe.Alias) -> set[str]:
    """Return the attributes that the docstring of a class or a module lists."""
    if found.docstring is None:
        return set()
    sections = found.docstring.parse("google", warnings=False)
    kind = griffe.DocstringSectionKind.attributes
    return {item.name for section in sections if section.kind is kind for item in section.value}
