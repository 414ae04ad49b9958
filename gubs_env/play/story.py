"""The story of a game that is over, in lines for the terminal; `afterwards` finds what it tells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gubs_env.engine.compiling import is_interpreted
from gubs_env.play.afterwards import Progress, ending, mistakes, sentences
from gubs_env.play.session import Session

MOST_CHANGES = 8
"""Number of changes of scores that are told, the last ones."""


def story(session: Session, seat: str, progress: Progress) -> Iterator[str]:
    """Yield what everybody ended with, how the points came about, and what there is to learn.

    Args:
        session: a game that is over.
        seat: that of the person who is told.
        progress: called for each step of what takes time.
    """
    if is_interpreted(session.env.game.kernel.advance):  # then weighing moves takes minutes
        session = session.copied()
        session.judge = None
    told = ending(session, seat, progress)
    players, words, turn = told["players"], told["words"], told["turn"]
    if any(player["score"] is not None for player in players):
        ranked = sorted(players, key=lambda player: (not player["won"], -(player["score"] or 0)))
        yield from ("", *map(_player, ranked), "", words["changes"])
        left = len(told["changes"]) - MOST_CHANGES
        yield from [f"  … {left} before"] * (left > 0)
        yield from (f"  {what} ({scores})" for _, what, scores in told["changes"][-MOST_CHANGES:])
    if turn:
        yield from ("", f"{turn['told']} {sentences(turn['lines'], '.')}")
    if told["judged"] and not session.is_guided:
        learnt = mistakes(session, seat, progress)
        found = [each["told"] for each in learnt["found"]]
        yield from ("", words["lesson"], f"  {(*found, learnt['none'])[0]}")


def _player(player: dict[str, Any]) -> str:
    """Return what a player ended with."""
    won = f" ({player['called']})" * player["won"]
    things = " · ".join(player["things"]) or "nothing"
    return f"{player['name']}{won} {'' if player['score'] is None else player['score']}: {things}"
