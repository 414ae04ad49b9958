"""The page of a replay: one file of HTML that needs nothing else.

The page holds each line of a picture once; a frame says how its lines differ from those of the
frame before. All of it is compressed, and the browser unpacks it.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from gubs_env.agents.naming import YOU, addressed, level_of, names_at
from gubs_env.agents.registry import Judge, build, parse_agent
from gubs_env.api.aec import AECGame
from gubs_env.drawing.pages import filled_page
from gubs_env.engine.card_texts import card_help
from gubs_env.engine.table import Table
from gubs_env.engine.text import asked_of_another, of_another
from gubs_env.records.record import PERSON, Record
from gubs_env.replays.frames import ALL_HANDS, Frame, agents_of, frames_of, seen_by_one
from gubs_env.replays.judging import Decision, decisions
from gubs_env.replays.weighing import chance_of
from gubs_env.support.files import expanded, replace_file

NOTEBOOK_HEIGHT = 1100
"""Height of a replay in a notebook, in pixels."""


@dataclass(frozen=True)
class ReplayPage:
    """A game as a page of HTML, which a notebook displays."""

    html: str
    """The page."""
    title: str
    """The title: the table and who plays, as "Gubs: You · Ada, Bo, strongest"."""

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, which is replaced in one step; return its path.

        Raises:
            OSError: for a file that cannot be written.
        """
        path = expanded(path)
        replace_file(path, self.html.encode())
        return path

    def __repr__(self) -> str:
        return f"<ReplayPage: {self.title}, {len(self.html.encode()) / 1000:.0f} kB>"

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        return (
            f'<iframe srcdoc="{page}" width="100%" height="{NOTEBOOK_HEIGHT}" '
            f'style="border:0" title="{html.escape(self.title)}"></iframe>'
        )


def replay(
    game: Record | AECGame[Any],
    eyes: str | None = None,
    judge: str | Judge | None = None,
    progress: Callable[[int, int], None] = lambda done, count: None,
    source: str = "",
    reader: str | None = None,
) -> ReplayPage:
    """Return a page that replays a game.

    Args:
        game: a record, or an environment whose game is over or under way.
        eyes: the viewer, as "player_0"; the page then holds nothing that is hidden from them. None
            offers all players, and all hands open, to choose from.
        judge: a network that gives the probabilities of the moves and the expected payoff at each
            decision: an agent with a method `judge`, or its name, as "policy". None for none.
        progress: called as (actions done, actions in all).
        source: the file and the number of the record, as "games.jsonl#12"; a page for all viewers
            then shows the command that plays on from a move.
        reader: the seat of the person who is called "you" throughout; None is the viewer, or the
            only person who played.

    Raises:
        TypeError: for a game that is neither, or an agent without a method `judge`.
        ValueError: for a viewer who is not at the table, or an agent that is not installed or
            cannot play at this table.
    """
    record = _record_of(game)
    judged: Sequence[Decision] = []
    if network := _judge_of(judge, record):
        judged = decisions(record.table, network, list(record.course().moves()))
    return page_of(record, judged, eyes, progress, source, reader)


def page_of(
    record: Record,
    judged: Sequence[Decision],
    eyes: str | None = None,
    progress: Callable[[int, int], None] = lambda done, count: None,
    source: str = "",
    reader: str | None = None,
) -> ReplayPage:
    """Return a page as `replay`, with the moves of the game as a network judges them."""
    agents = agents_of(record, eyes)
    looking = [*agents, ALL_HANDS] if eyes is None else [eyes]
    frames = frames_of(record, looking, judged, progress, has_small=True)
    if eyes is not None:
        frames = seen_by_one(frames, eyes)
    people = _people(record)
    reader = reader or eyes or (people[0] if len(people) == 1 else None)
    reader = reader if reader in people else None
    title = f"{record.table.title}: {_players(record, reader)}"
    content = _content(record, frames, looking, reader)
    if source and eyes is None:  # for one viewer, the number of a move would show secret passes
        content["source"] = source
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    packed = base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()
    page = filled_page(__package__, TITLE=html.escape(title), DATA=packed)
    return ReplayPage(page, title)


def _record_of(game: Record | AECGame[Any]) -> Record:
    if isinstance(game, Record):
        return game
    if isinstance(game, AECGame):
        return Record.of(game, game.possible_agents)
    raise TypeError(f"a replay shows a record or an environment, not {game!r}")


def _judge_of(judge: str | Judge | None, record: Record) -> Judge | None:
    network: Any = build(judge, record.table) if isinstance(judge, str) else judge
    if not isinstance(network, Judge | None):
        raise TypeError(f"{judge!r} has no method judge: give a network, as judge='policy'")
    return network


# ---------------------------------------------------------------------------------- its contents


def _people(record: Record) -> list[str]:
    """Return the seats of people."""
    names = zip(agents_of(record), record.agents, strict=True)
    return [seat for seat, agent in names if agent == PERSON]


def _called(record: Record) -> dict[str, str]:
    """Return what everybody is called, by seat: by it, if it is not known who plays there."""
    called = names_at(agents_of(record), _people(record))
    return called | {seat: seat for seat in agents_of(record) if seat in record.agents}


def _labels(record: Record, reader: str | None) -> dict[str, str]:
    """Return names with the levels of agents, by seat, as "Ada, strongest"; "You" for a reader."""
    labels = _called(record) | ({reader: YOU.capitalize()} if reader else {})
    for seat, agent in zip(agents_of(record), record.agents, strict=True):
        if agent not in (PERSON, seat):
            labels[seat] += f", {_level(agent)}"
    return labels


def _players(record: Record, reader: str | None) -> str:
    """Return who plays, as "You · Ada, Bo, strongest": those of one level together."""
    alike: dict[str, list[str]] = {}
    for label in _labels(record, reader).values():
        name, *level = label.split(", ")
        alike.setdefault(", ".join(level), []).append(name)
    return " · ".join(", ".join(filter(None, [*names, level])) for level, names in alike.items())


def _level(agent: str) -> str:
    """Return the level of an agent, or its name without options."""
    try:
        name = parse_agent(agent).name
    except ValueError:  # of a record that somebody has written
        return agent
    return level_of(name) or name


def _content(
    record: Record, frames: Sequence[Frame], eyes: Sequence[str], reader: str | None
) -> dict[str, Any]:
    """Return what the script of the page reads; the script says what each key means."""
    called = _called(record)

    @cache
    def say(text: str) -> str:
        return addressed(text, called, reader)

    first = frames[0].pictures[eyes[0]].splitlines()
    symbols: dict[str, None] = {}

    def drawn(picture: str) -> list[str]:
        symbol_lines, pieces = _parts(picture)
        symbols.update(dict.fromkeys(symbol_lines))
        return list(map(say, pieces))

    shown = {
        "frames": {who: [drawn(frame.pictures[who]) for frame in frames] for who in eyes},
        "small": {who: [drawn(frame.small[who]) for frame in frames] for who in eyes},
        "low": {who: [drawn(frame.low[who]) for frame in frames] for who in eyes},
    }
    asked = {who: [say(frame.asked[who]) for frame in frames] for who in eyes}
    pictures = [picture for size in shown.values() for who in eyes for picture in size[who]]
    lines = sorted({*chain(*pictures, *asked.values())})  # packs best: similar ones lie together
    numbers = {line: number for number, line in enumerate(lines)}
    return {
        "eyes": list(eyes),
        "first": next((who for who in (reader, *_people(record)) if who in eyes), eyes[0]),
        "scale": _scale(record),
        "even": chance_of(record.table, 0),
        "cards": card_help(record.table.game),
        "agents": _labels(record, reader),
        "style": next(line for line in first if line.startswith("<style>")),
        "symbols": list(symbols),
        "lines": lines,
        **{
            size: {
                who: list(_changes([numbers[line] for line in each] for each in by[who]))
                for who in eyes
            }
            for size, by in shown.items()
        },
        "asked": {who: [numbers[line] for line in asked[who]] for who in eyes},
        "log": {who: [[*map(say, frame.lines[who])] for frame in frames] for who in eyes},
        "decisions": [_decision(frame, record.table, say, reader) for frame in frames],
    }


def _scale(record: Record) -> list[float]:
    """Return what a winner and a loser are paid in this game; 1 and −1 if it has no winner."""
    payoffs = record.outcome.payoffs if record.outcome else ()
    best, worst = max(payoffs, default=0.0), min(payoffs, default=0.0)
    return [1.0, -1.0] if best == worst else [round(best, 4), round(worst, 4)]


def _parts(picture: str) -> tuple[list[str], list[str]]:
    """Return the symbols of a picture, and its first line with its pieces, each a line."""
    lines = picture.splitlines()
    start, end = lines.index("<defs>"), lines.index("</defs>")
    return lines[start + 1 : end], [lines[0], *lines[end + 1 : -1]]


def _changes(pictures: Iterable[list[int]]) -> Iterator[list[int]]:
    """Yield for each picture, made of numbered lines, how it differs from the one before.

    Yields:
        [lines kept at the beginning, lines kept at the end, the lines between them …].
    """
    before = list[int]()
    for after in pictures:
        most = min(len(before), len(after))
        head = next((k for k in range(most) if before[k] != after[k]), most)
        most -= head
        tail = next((k for k in range(most) if before[-1 - k] != after[-1 - k]), most)
        yield [head, tail, *after[head : len(after) - tail]]
        before = after


def _decision(
    frame: Frame, table: Table, say: Callable[[str], str], reader: str | None
) -> dict[str, Any] | None:
    """Return the decision of a frame; `say` returns a text with the names of people and agents."""
    if frame.played is None:
        return None
    view, choices, value = frame.played.view, frame.choices, frame.value

    # questions and moves address who decides, and "you" are the reader
    is_other = reader not in (None, f"player_{view.seat}")
    question = view.game.question(view)
    asked = asked_of_another(question) if is_other else question.removeprefix("You: ")

    def said(text: str) -> str:
        return say(of_another(text) if is_other else text)

    chance = None if value is None else chance_of(table, value)
    return {
        "agent": f"player_{view.seat}",
        "question": say(asked),
        "move": said(frame.played.move.text),
        "interrupt": int(getattr(view.state, "turn", view.seat)) != view.seat,
        "mistake": said(frame.mistake.told) if frame.mistake else "",
        "comparison": said(frame.comparison),
        "choices": [
            [said(each.text), round(each.probability, 4), each.is_chosen] for each in choices
        ],
        "value": None if value is None else round(value, 4),
        "chance": None if chance is None else round(chance, 3),
    }
