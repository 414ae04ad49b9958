"""The frames of a replay: the table before each move, as each viewer sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice, zip_longest

from gubs_env.drawing.board import opened
from gubs_env.engine.course import Course, PlayedMove
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.view import Size, View
from gubs_env.records.record import Record
from gubs_env.replays.judging import Decision, Mistake

ALL_HANDS = "all hands"
"""The viewer who sees the whole state."""
SMALL: Size = (304, 440)
LOW: Size = (440, 374)
"""The sizes of the windows for which small pictures are drawn: a phone's, upright and lying."""
CHOICES = 6
"""Largest number of moves that a frame shows with their probabilities."""


@dataclass
class JudgedMove:
    """A legal move of the decision, as a network judges it."""

    text: str
    probability: float
    """The product of the probabilities of its picks, each after the ones before."""
    is_chosen: bool
    """Whether it is the move that was played."""


@dataclass
class Frame:
    """The table before a move, or at the end."""

    pictures: dict[str, str]
    """The picture as SVG, by viewer."""
    lines: dict[str, list[str]]
    """The lines of the log since the frame before, by viewer."""
    small: dict[str, str] = field(default_factory=dict)
    """The picture for a small window, by viewer; empty if it was not asked for."""
    low: dict[str, str] = field(default_factory=dict)
    """That for a low window."""
    asked: dict[str, str] = field(default_factory=dict)
    """The sentence that says who decides what, which a small picture does not hold."""
    unaware: set[str] = field(default_factory=set)
    """The viewers who must not learn that somebody is asked in secret."""
    played: PlayedMove | None = None
    """The move; None at the end, and where the viewer does not decide."""
    choices: list[JudgedMove] = field(default_factory=list)
    """The likeliest moves and the one that was played.

    It is empty without a network, and where there was only one move.
    """
    value: float | None = None
    """The payoff to expect for the player who decides; None without a network, and at most
    decisions without a value head."""
    mistake: Mistake | None = None
    """The mistake that the move was; None for no mistake, or without a network."""
    comparison: str = ""
    """How the move compares with the network's, in words (`Decision.comparison`)."""


def agents_of(record: Record, viewer: str | None = None) -> list[str]:
    """Return the names of the agents of a game; raise ValueError for a viewer that is none."""
    agents = [f"player_{seat}" for seat in range(record.table.num_players)]
    if viewer not in (*agents, None):
        raise ValueError(f"eyes={viewer!r}: allowed are {', '.join(agents)} or None for everybody")
    return agents


def frames_of(
    record: Record,
    eyes: Sequence[str],
    judged: Sequence[Decision] = (),
    progress: Callable[[int, int], None] = lambda done, count: None,
    has_small: bool = False,
) -> list[Frame]:
    """Return the frames of a game, one before each move and one at its end.

    Args:
        record: the game, over or under way.
        eyes: the viewers: names of agents, or `ALL_HANDS`.
        judged: the moves of the game, as a network judges them; empty without one. For one viewer,
            only their own are weighed.
        progress: called as (actions done, actions in all).
        has_small: whether to draw small pictures too.

    Raises:
        ValueError: for a record with an action that is not legal.
    """
    frames, course = list[Frame](), record.course()
    lines, before = {who: _lines(course, who) for who in eyes}, 0
    steps, moves = len(course.actions), list(course.moves())
    # drawn and weighed in turns, so that progress is even
    for played, decision in zip_longest((*moves, None), judged):
        number = played.number if played else steps
        news = {who: islice(each, number - before) for who, each in lines.items()}
        frames.append(_frame(course, number, news, has_small))
        frames[-1].played, before = played, number
        if played and decision and (len(eyes) != 1 or _seat(eyes[0]) == played.view.seat):
            frames[-1].value = decision.value
            if len(played.legal) > 1:
                frames[-1].choices = _likeliest(played, decision.judgement.probabilities)
                frames[-1].mistake, frames[-1].comparison = decision.mistake, decision.comparison
        progress(number, steps)
    return frames


def seen_by_one(frames: Sequence[Frame], agent: str) -> list[Frame]:
    """Return the frames of one agent, with their own decisions only.

    Somebody else who is asked in secret and passes leaves no trace, not even in the number of
    frames: a player at the table does not learn of it either (ruling G6 of Gubs).
    """
    kept: list[Frame] = []
    news: list[str] = []
    for frame in frames:
        news += frame.lines[agent]
        if agent in frame.unaware:
            continue
        parts = (frame.pictures, frame.small, frame.low, frame.asked)
        pictures, small, low, asked = ({agent: each[agent]} if each else {} for each in parts)
        shown = Frame(pictures, {agent: news}, small, low, asked)
        if frame.played and frame.played.view.seat == _seat(agent):
            shown = replace(
                frame, pictures=pictures, lines=shown.lines, small=small, low=low, asked=asked
            )
        if not kept or shown.played or news or shown.pictures != kept[-1].pictures:
            kept.append(shown)
            news = []
    return kept


def _seat(who: str) -> int:
    """Return the seat of a viewer; NOBODY for `ALL_HANDS`."""
    return NOBODY if who == ALL_HANDS else int(who.removeprefix("player_"))


def _lines(course: Course, who: str) -> Iterator[list[str]]:
    """Yield every decision in words, as a viewer saw it; with all hands open, as its player did."""
    if who != ALL_HANDS:
        yield from course.lines(_seat(who))
        return
    actors = course.batch.actors[:-1].tolist()
    for step, actor in zip(course.transitions(), actors, strict=True):
        yield course.game.narrate(*step, actor)


def _frame(
    course: Course, number: int, news: Mapping[str, Iterable[list[str]]], has_small: bool
) -> Frame:
    """Return the frame before an action.

    Args:
        course: the game.
        number: the number of the action.
        news: by viewer, the lines of each decision since the frame before.
        has_small: whether to draw small pictures too.
    """
    game, states = course.game, course.batch.states
    frame = Frame({}, {who: list(chain.from_iterable(lines)) for who, lines in news.items()})
    for who in news:
        seat = _seat(who)
        is_open = seat == NOBODY
        view = View(0, states[number], game) if is_open else game.view(states, number, seat)
        frame.pictures[who] = game.draw(view, open_hands=is_open)
        if has_small:
            frame.small[who] = game.draw(view, open_hands=is_open, size=SMALL)
            frame.low[who] = game.draw(view, open_hands=is_open, size=LOW)
            frame.asked[who] = opened(view, game.question) if is_open else game.question(view)
        if view.state.actor == NOBODY and not is_open:
            frame.unaware.add(who)
    return frame


def _likeliest(
    played: PlayedMove, probabilities: Mapping[tuple[int, ...], float]
) -> list[JudgedMove]:
    """Return the likeliest moves, the one that was played among them.

    A move that was never completed has the probability of all its completions.
    """
    ranked = sorted(played.legal, key=lambda move: -probabilities[move.picks])[:CHOICES]
    if played.move not in ranked:
        ranked[min(len(ranked), CHOICES - 1) :] = [played.move]
    return [
        JudgedMove(move.text, probabilities[move.picks], move == played.move) for move in ranked
    ]
