"""Reading a picture back: its cards, its words and its actions."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


class Shown(NamedTuple):
    """A card or pile of a picture."""

    name: str | None
    count: int
    where: str
    action: int | None


class Picture:
    """A picture as somebody reads it who has an XML parser."""

    def __init__(self, svg: str) -> None:
        self.root = ElementTree.fromstring(svg)
        pieces = [one for one in self.root.iter() if "data-where" in one.attrib]
        self.cards = [
            Shown(
                one.get("data-card"),
                int(one.get("data-count", 1)),
                one.attrib["data-where"],
                int(one.attrib["data-action"]) if "data-action" in one.attrib else None,
            )
            for one in pieces
        ]
        self.actions = {
            int(one.attrib["data-action"])
            for one in self.root.iter()
            if "data-action" in one.attrib
        }
        self.words = [" ".join(one.itertext()) for one in self.root.iter(f"{SVG}text")]
        self.said = [
            one.attrib["data-said"] for one in self.root.iter() if "data-said" in one.attrib
        ]

    def at(self, where: str) -> Counter[str | None]:
        """Return how many cards of each name lie at a place; a back has the name None."""
        found: Counter[str | None] = Counter()
        for card in self.cards:
            if card.where == where:
                found[card.name] += card.count
        return found
