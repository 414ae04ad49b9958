"""The frames of a replay: the table before each move, as each viewer sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from gubs_env.agents.registry import Judge
from gubs_env.engine.course import Course, PlayedMove
from gubs_env.engine.moves import Move
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.view import View
from gubs_env.records.record import Record
from gubs_env.replays.judging import Picks, judge_all, picks_at

ALL_HANDS = "all hands"
"""The viewer who sees the whole state."""
CHOICES = 6
"""Largest number of moves that a frame shows with their probabilities."""


LIKELY, UNLIKELY = 0.5, 0.05
"""A blunder: a network gives the move played less than UNLIKELY, and another one LIKELY or more."""


@dataclass
class Choice:
    """A legal move of the decision, as a network judges it."""

    text: str
    probability: float
    """The product of the probabilities of its picks, each after the ones before."""
    is_chosen: bool
    """Whether it is the move that was played."""


@dataclass
class Decision:
    """The decision of a frame."""

    agent: str
    """The agent that decides, as "player_0"."""
    question: str
    """The decision in words."""
    move: Move
    """The move that was played."""
    is_interrupt: bool
    """Whether the agent is asked out of turn."""
    choices: list[Choice] = field(default_factory=list)
    """The likeliest moves and the one that was played.

    It is empty without a network, and where there was only one move.
    """
    value: float | None = None
    """The payoff that the network expects for the agent; None without a network or value head."""

    @property
    def is_blunder(self) -> bool:
        """Whether a network finds the move that was played unlikely, and another one likely."""
        best = max((choice.probability for choice in self.choices), default=0.0)
        played = min((c.probability for c in self.choices if c.is_chosen), default=1.0)
        return best >= LIKELY and played < UNLIKELY


@dataclass
class Frame:
    """The table before a move, or at the end."""

    pictures: dict[str, str]
    """The picture as SVG, by viewer."""
    told: dict[str, list[str]]
    """The lines of the log since the frame before, by viewer."""
    unaware: set[str] = field(default_factory=set)
    """The viewers who must not learn that somebody is asked in secret."""
    decision: Decision | None = None
    """The decision; None at the end, and where the viewer does not decide."""


def frames_of(
    record: Record,
    eyes: Sequence[str],
    judge: Judge | None = None,
    progress: Callable[[int, int], None] = lambda done, count: None,
) -> list[Frame]:
    """Return the frames of a game, one before each move and one at its end.

    Args:
        record: the game, over or under way.
        eyes: the viewers: names of agents, or `ALL_HANDS`.
        judge: a network that judges each decision; None for none.
        progress: called as (frames made, actions in all) for every frame.

    Raises:
        ValueError: for a record with an action that is not legal.
    """
    frames, picks = [], []
    course = record.course()
    lines = {who: course.lines(_seat(who)) for who in eyes}
    played: PlayedMove | None
    before = 0
    for played in [*course.moves(), None]:
        number = played.number if played else len(course.actions)
        told = {who: islice(each, number - before) for who, each in lines.items()}
        frames.append(_frame(course, number, told))
        if played:
            frames[-1].decision = _decision(played)
            if judge is not None:
                states = course.batch.states[number : number + 1]
                picks.append(picks_at(course.game, states, played.legal))
        before = number
        progress(len(frames), len(course.actions))
    if judge is not None:
        _judge(judge, [frame.decision for frame in frames if frame.decision], picks)
    return frames


def seen_by_one(frames: Sequence[Frame], agent: str) -> list[Frame]:
    """Return the frames of one agent, with their own decisions only.

    Somebody else who is asked in secret and passes leaves no trace, not even in the number of
    frames: a player at the table does not learn of it either (ruling G6 of Gubs).
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


def _seat(who: str) -> int | None:
    """Return the seat of a viewer; None for `ALL_HANDS`."""
    return None if who == ALL_HANDS else int(who.removeprefix("player_"))


def _frame(course: Course, number: int, told: Mapping[str, Iterable[list[str]]]) -> Frame:
    """Return the frame before an action.

    Args:
        course: the game.
        number: the number of the action.
        told: by viewer, the lines of each decision since the frame before.
    """
    game, states = course.game, course.batch.states
    frame = Frame({}, {who: list(chain.from_iterable(lines)) for who, lines in told.items()})
    for who in told:
        if (seat := _seat(who)) is None:
            frame.pictures[who] = game.draw(View(0, states[number], game), open_hands=True)
            continue
        view = game.view(states, number, seat)
        frame.pictures[who] = game.draw(view)
        if view.state.actor == NOBODY:
            frame.unaware.add(who)
    return frame


def _decision(played: PlayedMove) -> Decision:
    view = played.view
    turn = getattr(view.state, "turn", view.seat)
    question = view.game.question(view).removeprefix("You: ")
    is_interrupt = int(turn) != view.seat
    return Decision(f"player_{view.seat}", question, played.move, is_interrupt)


def _judge(judge: Judge, decisions: Sequence[Decision], all_picks: Sequence[Picks]) -> None:
    judgements = judge_all(judge, all_picks)
    for decision, picks, judged in zip(decisions, all_picks, judgements, strict=True):
        decision.value = judged.value
        if len(picks.moves) > 1:
            decision.choices = _likeliest(picks.moves, decision.move, judged.probabilities)


def _likeliest(
    moves: Sequence[Move], played: Move, probabilities: Mapping[tuple[int, ...], float]
) -> list[Choice]:
    """Return the likeliest moves, the one that was played among them.

    A move that was never completed has the probability of all its completions.
    """
    ranked = sorted(moves, key=lambda move: -probabilities[move.picks])[:CHOICES]
    if played not in ranked:
        ranked[min(len(ranked), CHOICES - 1) :] = [played]
    return [Choice(move.text, probabilities[move.picks], move == played) for move in ranked]
