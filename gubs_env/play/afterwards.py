"""A look back at a game that is over: how it came about, its mistakes, and its replay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np

from gubs_env.agents.naming import YOU
from gubs_env.engine.course import PlayedMove
from gubs_env.engine.seats import NOBODY
from gubs_env.play.session import Session
from gubs_env.records.record import Record
from gubs_env.replays.judging import (
    Judgement,
    Mistake,
    judge_all,
    judge_at,
    mistake_in,
    payoffs,
    picks_at,
)
from gubs_env.replays.page import replay
from gubs_env.replays.weighing import chance_of

MOST_MISTAKES = 3
"""Number of mistakes that are told."""
MOST_LOOKED_AT = 16
"""Number of decisions that are weighed: those at which a network prefers another move most."""
WORDS = {
    "changes": "How the points came about",
    "lesson": "One thing to learn",
    "none": "You made no clear mistake: no other move was surely better than yours.",
}
"""The headings of the changes of scores and of the worst mistake, and the sentence for a game
without a mistake, in the browser and at the terminal.
"""
NO_CHOICE = "You had nothing to choose: each of your moves was the only one."
"""That sentence for a game in which nothing could have been a mistake."""
MOST_LINES = 3
"""Number of lines of the log, the last ones of those that count, that tell of the turning point."""


Progress = Callable[[int, int], None]
"""(steps done, steps in all) → None."""


class Moment(NamedTuple):
    """The changes that a move brought."""

    lines: list[str]
    """The lines of the log, as the person saw them."""
    before: tuple[int, ...]
    """The scores, by player; those that the game would have had if it had ended there."""
    after: tuple[int, ...]


class Decision(NamedTuple):
    """A move of a person."""

    number: int
    """The number of moves before it."""
    played: PlayedMove
    judgement: Judgement


def mistakes(
    session: Session, seat: str, progress: Progress = lambda done, steps: None
) -> list[dict[str, Any]]:
    """Return the worst mistakes of a person.

    Args:
        session: a game that is over.
        seat: the person's.
        progress: called for each decision that is weighed.

    Returns:
        The worst first, as JSON: `decision` (the number of moves before it), and as `told` the move
        that was played, the better one, by how much it is better, and why.

    Raises:
        ValueError: while the game goes on, or if no network is installed that plays at the table.
    """
    check_over(session)
    table, judge = session.env.table, session.judge or judge_at(session.env.table)
    decisions = _decisions(session, _choices(session, seat))
    decisions.sort(key=lambda each: -each.judgement.preferred(each.played)[0])
    found, looked_at = list[tuple[Decision, Mistake]](), decisions[:MOST_LOOKED_AT]
    for done, each in enumerate(looked_at):
        progress(done, len(looked_at))
        if mistake := mistake_in(table, judge, each.played, each.judgement):
            found.append((each, mistake))
    found.sort(key=lambda each: -each[1].weighed.cost)
    return [
        {
            "decision": each.number,
            "told": session.addressed(
                f"You chose “{each.played.move.text}”. {mistake.told}.", seat
            ),
        }
        for each, mistake in found[:MOST_MISTAKES]
    ]


def ending(
    session: Session, seat: str, progress: Progress = lambda done, steps: None
) -> dict[str, Any]:
    """Return how a game came about, as its person may know it now that it is over.

    Args:
        session: a game that is over.
        seat: the person's.
        progress: called for each point of the curve.

    Returns:
        JSON. For each of `players` their `name`, whether they have `won`, their `score` (null in a
        game without points), and the `things` that lie before them in words; in a game without
        points, the facts about them, and by which move they went out. The `changes` of
        scores as [number of the move, what happened, the scores in words]. Whether the decisions
        can be `judged`, by `mistakes`. The `curve`: [number of the move, chance of winning] at each
        move of the person, after the one by which they went out, and at the end. The `turn`, where
        the curve changes most: its moves `first` and `last`, the chances `before` and `after`, also
        as `told`, and what happened as `lines`: what changed scores, and the end, or else what the
        person did and suffered. Without a network, and where not only the win is paid, the curve is
        empty, and `turn` is null. The titles of these parts are the `words`.

    Raises:
        ValueError: while the game goes on.
    """
    check_over(session)
    moments, curve = _moments(session, seat), _curve(session, seat, progress)
    return {
        "words": WORDS if _choices(session, seat) else WORDS | {"none": NO_CHOICE},
        "players": _players(session, seat, len(moments)),
        "changes": [
            [number, ". ".join(moment.lines), _scores(session, seat, moment.after)]
            for number, moment in enumerate(moments)
            if moment.after != moment.before
        ],
        "judged": session.judge is not None,
        "curve": curve,
        "turn": _turning_point(moments, curve),
    }


def replay_page(session: Session, seat: str, progress: Progress = lambda done, steps: None) -> str:
    """Return the replay of a game that is over as a page of HTML; raise ValueError before."""
    check_over(session)
    record = Record.of(session.env, session.names)
    return replay(record, judge=session.judge, progress=progress, reader=seat).html


def check_over(session: Session) -> None:
    """Raise ValueError while a game goes on."""
    if not session.is_over:
        raise ValueError("the game is not over yet")


def _moments(session: Session, seat: str) -> list[Moment]:
    """Return what each move of a game brought."""
    course, player = session.env.saved().course(), session.env.possible_agents.index(seat)
    lines = [[session.addressed(line, seat) for line in told] for told in course.lines(player)]
    scores = [course.game.outcome(state).scores for state in course.batch.states]
    starts = [*(played.number for played in course.moves()), len(lines)]
    return [
        Moment([*chain.from_iterable(lines[first:end])], scores[first], scores[end])
        for first, end in pairwise(starts)
    ]


def _scores(session: Session, seat: str, scores: Sequence[int]) -> str:
    """Return the scores of all players in words, as "You 1, Ada 0"."""
    names = [session.addressed(name, seat) for name in session.env.possible_agents]
    return ", ".join(f"{name} {score}" for name, score in zip(names, scores, strict=True))


def _players(session: Session, seat: str, moves: int) -> list[dict[str, Any]]:
    """Return who sat at the table, ghosts included, and what they ended with after some moves."""
    env = session.env
    outcome, names = env.outcome(), env.possible_agents
    is_scored = [*outcome.scores] != [player in outcome.winners for player in range(len(names))]
    shown = []
    for words in env.game.table_words(session.view(seat)).seats:
        player = names.index(words.name) if words.name in names else NOBODY
        things = [line.text.removeprefix(f"{k:2} ") for k, line in enumerate(words.lines, 1)]
        told = [f"{thing} ×{n}" if n > 1 else thing for thing, n in Counter(things).items()]
        if not is_scored:  # what lies there is on the table
            out = _out_since(session, player)
            told = [words.facts] if out is None else [words.facts, f"move {out + 1} of {moves}"]
        shown.append(
            {
                "name": session.addressed(words.name, seat),
                "won": player in outcome.winners,
                "score": outcome.scores[player] if is_scored and player != NOBODY else None,
                "things": [session.addressed(each, seat) for each in told],
            }
        )
    return shown


def _out_since(session: Session, player: int) -> int | None:
    """Return the number of moves before the one by which a player went out for good, if one did."""
    course = session.env.saved().course()

    def is_out(at: int) -> bool:  # the name of whoever is out is faint
        view = course.game.view(course.batch.states, at, player)
        return course.game.table_words(view).seats[player].style == "faint"

    if not is_out(len(course.actions)):
        return None
    return next(k for k, played in [*enumerate(course.moves())][::-1] if not is_out(played.number))


def _own(session: Session, seat: str) -> list[tuple[int, PlayedMove]]:
    """Return the moves of a person, with the numbers of moves before."""
    course, player = session.env.saved().course(), session.env.possible_agents.index(seat)
    return [
        (number, played)
        for number, played in enumerate(course.moves())
        if played.view.seat == player and played.index is not None
    ]


def _choices(session: Session, seat: str) -> list[tuple[int, PlayedMove]]:
    """Return those that others could have replaced."""
    return [each for each in _own(session, seat) if len(each[1].legal) > 1]


def _decisions(session: Session, chosen: list[tuple[int, PlayedMove]]) -> list[Decision]:
    """Return such moves with the judgement of a network; none without one."""
    if (judge := session.judge) is None:
        return []
    game = session.env.game
    picks = [picks_at(game, np.array([p.view.state]), p.legal) for _, p in chosen]
    judged = judge_all(judge, picks)
    return [Decision(*each, judgement) for each, judgement in zip(chosen, judged, strict=True)]


def _curve(session: Session, seat: str, progress: Progress) -> list[list[float]]:
    """Return the person's chance of winning at each of their moves, and once it was settled."""
    table, saved = session.env.table, session.env.saved()
    if (judge := session.judge) is None or saved.outcome is None:
        return []
    decisions = _decisions(session, _own(session, seat))
    points, judged = list[tuple[int, float]](), [each[1:] for each in decisions]
    for done, payoff in enumerate(payoffs(table, judge, judged)):
        progress(done, len(decisions))
        if payoff is not None:
            points.append((decisions[done].number, payoff))
    player, end = session.env.possible_agents.index(seat), sum(1 for _ in saved.course().moves())
    out = _out_since(session, player)
    settled = {end} if out is None else {out + 1, end}
    points += [(number, saved.outcome.payoffs[player]) for number in sorted(settled)]
    chances = [(number, chance_of(table, payoff)) for number, payoff in points]
    return [[number, round(chance, 3)] for number, chance in chances if chance is not None]


def _turning_point(moments: list[Moment], curve: list[list[float]]) -> dict[str, Any] | None:
    """Return where the curve changes most, as JSON."""
    steps = [(abs(b - a), first, last, a, b) for (first, a), (last, b) in pairwise(curve)]
    if not steps:
        return None
    _, first, last, before, after = max(steps)
    within = moments[int(first) : int(last)]
    end = moments[-1]
    telling = [each for each in within if each.after != each.before or each is end]
    lines = [*chain.from_iterable(moment.lines for moment in telling or within)]
    if not telling:
        lines = [line for line in lines if YOU in line.lower()] or lines
    told = f"The turning point: from {100 * before:.0f} to {100 * after:.0f} in 100."
    return {
        "first": first, "last": last, "before": before, "after": after, "told": told,
        "lines": lines[-MOST_LINES:],
    }  # fmt: skip


AFTERWARDS: dict[str, Callable[[Session, str, Progress], Any]] = {
    "ending": ending,
    "mistakes": mistakes,
    "replay": replay_page,
}
"""The looks back by their names: (session, seat, progress) → JSON, or a page of HTML."""
