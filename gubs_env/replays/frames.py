"""The frames of a replay: the table before each move, as each pair of eyes sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gubs_env.api.aec import AECGame
from gubs_env.api.agents import Judge
from gubs_env.engine.moves import Move
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.view import View
from gubs_env.records import Record

ALL_HANDS = "all hands"
"""The eyes of somebody who sees everything."""
CHOICES = 6
"""The number of choices that a frame shows with their probabilities."""


@dataclass
class Choice:
    """A legal first pick of the decision, as a network sees it."""

    text: str
    probability: float
    is_chosen: bool


@dataclass
class Decision:
    """The decision of a frame."""

    agent: str
    question: str
    move: str
    """The move that was played, in words."""
    is_interrupt: bool
    """Whether it is asked of somebody whose turn it is not."""
    choices: list[Choice] = field(default_factory=list)
    """The likeliest picks, if a network judged the decision and there was a choice."""
    value: float | None = None
    """The payoff that the network expects for the agent, if it has a value head."""


@dataclass
class Frame:
    """The table before a move, or at the end."""

    pictures: dict[str, str]
    """The picture as SVG, by eyes."""
    told: dict[str, list[str]]
    """The log since the frame before, by eyes."""
    unaware: set[str] = field(default_factory=set)
    """The eyes that must not learn that anybody is asked."""
    decision: Decision | None = None
    seen: np.ndarray | None = None
    """The observation of the agent, int8[observation_size], for the network."""
    mask: np.ndarray | None = None
    """Its legal actions, int8[num_actions]."""
    pick: int = -1
    """The first pick of the move."""
    names: dict[int, str] = field(default_factory=dict)
    """The legal picks in words."""


def frames_of(
    record: Record,
    eyes: Sequence[str],
    judge: Judge | None = None,
    progress: Callable[[int, int], None] = lambda done, count: None,
) -> list[Frame]:
    """Return the frames of a game.

    Args:
        record: the game, over or under way.
        eyes: names of agents, and `ALL_HANDS`.
        judge: a network that says what it thinks of each decision, or None.
        progress: called as (decisions shown, decisions in all).
    """
    frames = []
    for frame in _walk(record, eyes):
        frames.append(frame)
        progress(len(frames), len(record.actions))
    if judge is not None:
        _judge(judge, [frame for frame in frames if frame.names])
    return frames


def seen_by_one(frames: Sequence[Frame], agent: str) -> list[Frame]:
    """Return the frames of one agent, with their own decisions only.

    Somebody else who is asked in secret, and passes, leaves no trace, not even in the number of
    frames: a player who looks at their own decisions cannot tell either (ruling G6 of Gubs).
    """
    kept: list[Frame] = []
    told: list[str] = []
    for frame in frames:
        told += frame.told[agent]
        if agent in frame.unaware:
            continue
        own = frame.decision if frame.decision and frame.decision.agent == agent else None
        if not kept or own or told or frame.pictures[agent] != kept[-1].pictures[agent]:
            kept.append(Frame({agent: frame.pictures[agent]}, {agent: told}, decision=own))
            told = []
    return kept


def _walk(record: Record, eyes: Sequence[str]) -> Iterator[Frame]:
    told = dict.fromkeys(eyes, 0)
    left, env = 0, record.env() if not record.actions else None
    for index, (env, action) in enumerate(record.replay()):
        if left == 0:
            move = _move_at(env, record.actions[index:])
            left = len(move.picks)
            frame = _frame(env, eyes, told)
            _add_decision(frame, env, action, move.text)
            yield frame
        left -= 1
    assert env is not None
    yield _frame(env, eyes, told)


def _move_at(env: AECGame[Any], actions: Sequence[int]) -> Move:
    """Return the move that these actions begin with; a single pick, if it was never completed."""
    for move in env.legal_moves():
        if tuple(actions[: len(move.picks)]) == move.picks:
            return move
    return Move(env.action_text(actions[0]), (actions[0],))


def _frame(env: AECGame[Any], eyes: Sequence[str], told: dict[str, int]) -> Frame:
    pictures, lines, unaware = {}, {}, set()
    for who in eyes:
        is_agent = who != ALL_HANDS
        if is_agent:
            view = env.view(who)
            pictures[who] = env.game.draw(view)
            if view.state.actor == NOBODY:
                unaware.add(who)
        else:
            whole = View(0, env.state(), env.game.drawing)
            pictures[who] = env.game.draw(whole, open_hands=True)
        lines[who] = env.log(who if is_agent else None, since=told[who])
        told[who] += len(lines[who])
    return Frame(pictures, lines, unaware)


def _add_decision(frame: Frame, env: AECGame[Any], action: int, move: str) -> None:
    agent = env.agent_selection
    view, seen = env.view(agent), env.observe(agent)
    turn = getattr(view.state, "turn", view.seat)
    question = env.game.question(view).removeprefix("You: ")
    frame.decision = Decision(agent, question, move, is_interrupt=int(turn) != view.seat)
    frame.seen, frame.mask, frame.pick = seen["observation"], seen["action_mask"], action
    legal = np.flatnonzero(frame.mask).tolist()
    frame.names = {pick: env.game.pick_text(view, pick) for pick in legal}


def _judge(judge: Judge, frames: Sequence[Frame]) -> None:
    if not frames:
        return
    seen = np.array([frame.seen for frame in frames])
    masks = np.array([frame.mask for frame in frames])
    probabilities, values = judge.judge(seen, masks)
    for index, frame in enumerate(frames):
        decision = frame.decision
        assert decision is not None
        if values is not None:
            decision.value = float(values[index])
        if len(frame.names) < 2:
            continue
        row = probabilities[index]
        likeliest = sorted(frame.names, key=lambda pick: -row[pick])[:CHOICES]
        if frame.pick not in likeliest:
            likeliest[-1] = frame.pick
        decision.choices = [
            Choice(frame.names[pick], float(row[pick]), pick == frame.pick) for pick in likeliest
        ]
