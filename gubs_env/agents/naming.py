"""What people and agents are called at the table, and texts that name them so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gubs_env.agents.registry import levels, parse_agent
from gubs_env.engine.text import Line, SeatWords, TableWords

GIVEN = ("Ada", "Bo", "Cleo", "Dax", "Eli", "Fay", "Gus", "Hal")
"""The names of agents, by seat."""
YOU = "you"
IRREGULAR = {"has": "have", "is": "are", "was": "were", "does": "do"}
"""Verbs of the third person, and what they are after "you"."""
STARTS = frozenset('.:;>"(')
"""The characters after which a sentence, or a text by itself, begins."""
SEAT = re.compile(r"player_(\d+)('s)?( [a-z]+s\b)?")


def names_at(seats: Sequence[str], people: Sequence[str]) -> dict[str, str]:
    """Return what everybody is called, by seat: agents by given names, people by their number.

    Agents are named clockwise from the first person, so that they keep their names when all move on
    by a seat.
    """
    first = seats.index(people[0]) if people else 0
    around = [*seats[first:], *seats[:first]]
    agents = dict(zip((seat for seat in around if seat not in people), GIVEN * 2, strict=False))
    return {seat: agents.get(seat) or f"Player {number + 1}" for number, seat in enumerate(seats)}


def level_of(agent: str) -> str:
    """Return the level of an agent by its name without options, as "hard"; "" if it has none."""
    for level, texts in levels().items():
        if agent in (parse_agent(text).name for text in texts):
            return level
    return ""


def addressed(text: str, names: Mapping[str, str], reader: str | None) -> str:
    """Return a text in which everybody is called by their name, and the reader "you".

    Args:
        text: one that names seats, as `player_0 plays Lure at player_1's Gub`.
        names: what everybody is called, by seat.
        reader: the seat of the reader; None for somebody without one.
    """

    def named(match: re.Match[str]) -> str:
        seat, own_thing, verb = f"player_{match[1]}", match[2] or "", match[3] or ""
        if seat != reader:
            return names.get(seat, seat) + own_thing + verb
        before = said[: match.start()].rstrip(" ")[-1:]
        word = "your" if own_thing else YOU
        if not before or before in STARTS:
            word = word.capitalize()
        return word + (verb if own_thing else second_person(verb))

    said = text
    if reader:
        said = re.sub(rf'(?:^|: |[>"]){reader}(?: |\'s decision: )[^"<]*', second_persons, text)
    return re.sub(r"\bthe (\w+(?: pile)?) of you\b", r"your \1", SEAT.sub(named, said))


def second_persons(sentence: re.Match[str]) -> str:
    """Return a sentence about somebody with what follows their first verb as after "you".

    It ends before a quotation, such as that of a card's rule, which speaks of somebody else.
    """
    said = re.sub(r"(?<= and)( [a-z]+s)\b", lambda verb: second_person(verb[1]), sentence[0])
    return said.replace(" their ", " your ").replace(" themselves", " yourself")


def second_person(verb: str) -> str:
    """Return a verb of the third person, after a space, as it follows "you"."""
    word = verb[1:]
    if word in IRREGULAR:
        return f" {IRREGULAR[word]}"
    if word.endswith("ies"):
        return f" {word[:-3]}y"
    if re.search("(s|sh|ch|x|o)es$", word):
        return f" {word[:-2]}"
    return verb.removesuffix("s")


def addressed_table(table: TableWords, names: Mapping[str, str], reader: str | None) -> TableWords:
    """Return a table in words in which everybody is called by their name."""

    def say(text: str) -> str:
        return addressed(text, names, reader)

    def say_all(lines: Sequence[Line]) -> list[Line]:
        return [line._replace(text=say(line.text)) for line in lines]

    def marks(seat: SeatWords) -> list[str]:
        """Return the marks of a seat; those of the reader's say what "you" do."""
        if seat.name != reader:
            return list(map(say, seat.marks))
        sentences = [say(f"{reader} {mark}") for mark in seat.marks if mark != YOU]
        return [sentence.removeprefix(f"{YOU.capitalize()} ") for sentence in sentences]

    seats = [
        SeatWords(say(seat.name), marks(seat), say(seat.facts), say_all(seat.lines), seat.style)
        for seat in table.seats
    ]
    return table._replace(
        heading=say(table.heading),
        seats=seats,
        middle=say_all(table.middle),
        private=say_all(table.private),
        notes=say_all(table.notes),
    )
