"""A look back at a game that is over: its replay, and the worst decisions of a person."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np

from gubs_env.agents.registry import EstimatingAgent, Judge, levels, parse_agent
from gubs_env.engine.moves import Move
from gubs_env.engine.view import View
from gubs_env.play.session import HINTS, Session
from gubs_env.records.record import Record
from gubs_env.replays.judging import Judgement, judge_all, picks_at
from gubs_env.replays.page import replay

MOST_MISTAKES = 3
"""Number of decisions that are told."""
MOST_LOOKED_AT = 8
"""Number of decisions that a search looks at; those that it finds no worse are not told."""
LEAST_DIFFERENCE = 0.1
"""The least difference between the probabilities of two moves that makes one a mistake."""


def mistakes(session: Session, seat: str) -> list[dict[str, Any]]:
    """Return the decisions of a person that a network would most have made otherwise.

    Args:
        session: a game that is over.
        seat: the person's.

    Returns:
        The worst first, as JSON: `decision` (the number of moves before it), `question`, the moves
        `played` and `better` in words, their `chances` by the network, and their `worths` by the
        search that gives hints, −1 to 1, or None.

    Raises:
        ValueError: while the game goes on, or if no network is installed that plays at the table.
    """
    judge = judge_at(session)
    decisions = list(_decisions(session, seat))
    judged = judge_all(judge, [picks for _, _, picks, _ in decisions])
    candidates = []
    for (number, view, picks, played), judgement in zip(decisions, judged, strict=True):
        better = _best(picks.moves, judgement)
        chances = [judgement.probabilities[move.picks] for move in (played, better)]
        if chances[1] - chances[0] > LEAST_DIFFERENCE:
            candidates.append((chances[1] - chances[0], number, view, played, better, chances))
    candidates.sort(key=lambda each: -each[0])
    worst: list[dict[str, Any]] = []
    for _, number, view, played, better, chances in candidates[:MOST_LOOKED_AT]:
        worths = _worths(session, view, played, better)
        if len(worst) < MOST_MISTAKES and (worths is None or worths[1] > worths[0]):
            worst.append(
                {
                    "decision": number,
                    "question": session.addressed(view.game.question(view), seat),
                    "played": session.addressed(played.text, seat),
                    "better": session.addressed(better.text, seat),
                    "chances": [round(chance, 3) for chance in chances],
                    "worths": worths,
                }
            )
    return worst


def replay_page(session: Session, seat: str) -> str:
    """Return the replay of a game that is over as a page of HTML; raise ValueError before."""
    _check_over(session)
    try:
        judge: Judge | None = judge_at(session)
    except ValueError:
        judge = None
    return replay(Record.of(session.env, session.names), judge=judge).html


AFTERWARDS: dict[str, Callable[[Session, str], Any]] = {"mistakes": mistakes, "replay": replay_page}
"""The looks back by their names: (session, seat) → JSON, or a page of HTML."""


def judge_at(session: Session) -> Judge:
    """Return the network that judges a game; raise ValueError as `mistakes` does."""
    _check_over(session)
    table = session.env.table
    for agent in map(parse_agent, chain.from_iterable(levels().values())):
        with suppress(ValueError, FileNotFoundError):
            is_declared = getattr(agent.factory(table.game), "judges", False)
            if is_declared and isinstance(judge := agent(table), Judge):
                return judge
    raise ValueError("no network is installed that could judge this game")


def _check_over(session: Session) -> None:
    if not session.is_over:
        raise ValueError("the game is not over yet")


def _decisions(session: Session, seat: str) -> Any:
    """Yield (moves before it, view, its picks, the move) for each real choice of a seat."""
    course, player = session.env.saved().course(), session.env.possible_agents.index(seat)
    for count, played in enumerate(course.moves()):
        if played.view.seat == player and len(played.legal) > 1 and played.index is not None:
            states = course.batch.states[played.number : played.number + 1]
            yield count, played.view, picks_at(course.game, states, played.legal), played.move


def _best(moves: list[Move], judgement: Judgement) -> Move:
    return max(moves, key=lambda move: judgement.probabilities[move.picks])


def _worths(session: Session, view: View, played: Move, better: Move) -> list[float] | None:
    """Return the worths of the first picks of two moves; None if they are not known to differ."""
    adviser = session.adviser
    if adviser is None or not isinstance(adviser.agent, EstimatingAgent):
        return None
    _, worths = adviser.agent.estimate(np.array([view.state]), session.rngs[HINTS][None])
    pair = [float(worths[0, move.picks[0]]) for move in (played, better)]
    is_known = played.picks[0] != better.picks[0] and not np.isnan(pair).any()
    return [round(worth, 2) for worth in pair] if is_known else None
