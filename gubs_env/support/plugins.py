"""Games, agents and commands that packages bring, found by name through entry points.

What this project brings comes first, and nobody replaces it. Of two other packages with one name,
the first in alphabetical order has it. What cannot be used is left out and said once, in a line
that names its package; everything else works.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import Distribution, EntryPoint, distributions
from typing import NamedTuple, TypeVar

from gubs_env.support.errors import blamed
from gubs_env.support.output import HOUSE, warn_once

T = TypeVar("T")


class Plugin(NamedTuple):
    """An entry point of an installed package."""

    name: str
    package: str
    """The package with its version, as "theirs 1.0"; HOUSE for ours."""
    point: EntryPoint

    def __str__(self) -> str:
        return f"{self.name!r} of {self.package}"


def plugins(*groups: str) -> list[Plugin]:
    """Return the entry points of some groups: ours first, the others by package and name."""
    offers: list[Plugin] = []
    names: set[str] = set()
    for package in distributions():
        with leaving_out(f"the package {getattr(package, '_path', '')} cannot be read"):
            # As in `importlib.metadata.entry_points`, the first package of a name hides others.
            name = getattr(package, "_normalized_name", None) or package.name
            is_first = name not in names and not name.startswith("~")  # so pip marks broken ones
            names.add(name)
            text = package.read_text("entry_points.txt") or ""
            if is_first and any(group in text for group in groups):
                points = [point for point in package.entry_points if point.group in groups]
                offers += [Plugin(point.name, _called(package, name), point) for point in points]
    return sorted(offers, key=lambda each: (each.package != HOUSE, each.package, each.name))


def _called(package: Distribution, name: str) -> str:
    """Return the name of a package, and its version if it tells one."""
    is_plain = name == HOUSE or "Version" not in package.metadata
    return name if is_plain else f"{name} {package.version}"


def first_of_each(
    kind: str, offers: Iterable[tuple[str, str, T]], reserved: Collection[str] = ()
) -> dict[str, T]:
    """Return what packages offer by name; say which of two with one name is left out.

    Args:
        kind: what they offer, as "game".
        offers: a name, the package as in `Plugin`, and what it offers, the first of a name first.
        reserved: names that HOUSE alone may offer.
    """
    owners, offered = dict.fromkeys(reserved, HOUSE), {}
    for name, package, offer in offers:
        if not name or not name.isprintable():
            reason = "the name is not printable"
        elif name in offered or owners.get(name, package) != package:
            reason = f"{owners[name]} has this name"
        else:
            owners[name], offered[name] = package, offer
            continue
        warn_once(f"the {kind} {name!r} of {package} is left out: {reason}")
    return offered


@contextmanager
def leaving_out(what: str) -> Iterator[None]:
    """Say once what code of a package raises (`blamed`), and go on without it."""
    try:
        with blamed(what):
            yield
    except ValueError as error:
        warn_once(str(error))
