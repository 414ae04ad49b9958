"""A look back at a game that is over: its mistakes, and its replay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gubs_env.engine.course import PlayedMove
from gubs_env.play.session import Session
from gubs_env.records.record import Record
from gubs_env.replays.judging import Judgement, judge_all, judge_at, mistake_in, picks_at
from gubs_env.replays.page import replay

MOST_MISTAKES = 3
"""Number of mistakes that are told."""
MOST_LOOKED_AT = 16
"""Number of decisions that are weighed: those at which a network prefers another move most."""


class Decision(NamedTuple):
    """A real choice of a person."""

    number: int
    """The number of moves before it."""
    played: PlayedMove
    judgement: Judgement


def mistakes(session: Session, seat: str) -> list[dict[str, Any]]:
    """Return the worst mistakes of a person.

    Args:
        session: a game that is over.
        seat: the person's.

    Returns:
        The worst first, as JSON: `decision` (the number of moves before it), the move `played` in
        words, and as `told` the better move, by how much it is better, and why.

    Raises:
        ValueError: while the game goes on, or if no network is installed that plays at the table.
    """
    _check_over(session)
    table, judge = session.env.table, session.judge or judge_at(session.env.table)
    decisions = _decisions(session, seat)
    decisions.sort(key=lambda each: -each.judgement.preferred(each.played)[0])
    found = [
        (each, mistake)
        for each in decisions[:MOST_LOOKED_AT]
        if (mistake := mistake_in(table, judge, each.played, each.judgement))
    ]
    found.sort(key=lambda each: -each[1].weighed.cost)
    return [
        {
            "decision": each.number,
            "played": session.addressed(each.played.move.text, seat),
            "told": session.addressed(mistake.told, seat),
        }
        for each, mistake in found[:MOST_MISTAKES]
    ]


def replay_page(session: Session, seat: str) -> str:
    """Return the replay of a game that is over as a page of HTML; raise ValueError before."""
    _check_over(session)
    return replay(Record.of(session.env, session.names), judge=session.judge).html


def _check_over(session: Session) -> None:
    if not session.is_over:
        raise ValueError("the game is not over yet")


def _decisions(session: Session, seat: str) -> list[Decision]:
    """Return the real choices of a person, with the judgement of a network; none without one."""
    if (judge := session.judge) is None:
        return []
    course, player = session.env.saved().course(), session.env.possible_agents.index(seat)
    chosen = [
        (number, played)
        for number, played in enumerate(course.moves())
        if played.view.seat == player and len(played.legal) > 1 and played.index is not None
    ]
    picks = [picks_at(course.game, np.array([p.view.state]), p.legal) for _, p in chosen]
    judged = judge_all(judge, picks)
    return [Decision(*each, judgement) for each, judgement in zip(chosen, judged, strict=True)]


AFTERWARDS: dict[str, Callable[[Session, str], Any]] = {
    "mistakes": mistakes,
    "replay": replay_page,
}
"""The looks back by their names: (session, seat) → JSON, or a page of HTML."""
