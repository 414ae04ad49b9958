"""A look back at a game that is over: how it came about, its mistakes, and its replay."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain, pairwise, takewhile
from typing import Any, NamedTuple

from gubs_env.agents.naming import YOU
from gubs_env.engine.course import PlayedMove
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.text import SeatWords
from gubs_env.play.previews import OVER
from gubs_env.play.session import Session
from gubs_env.records.record import Record
from gubs_env.replays.judging import Decision, Mistake, judge_at
from gubs_env.replays.page import page_of
from gubs_env.replays.weighing import chance_of

WORDS = {
    "changes": "How the points came about",
    "lesson": "One thing to learn",
}
"""The headings of the changes of scores and of the worst mistake."""
NO_MISTAKE = "No mistake was found beyond doubt."
LEAST_TURN = 0.1
"""The least change of a chance of winning that is a turning point."""
MOST_SETTLED = 3
"""How many times as large the step that settles a game may be, if the turning point lies before."""
MOST_LINES = 3
"""Number of lines of the log, the last ones of those that count, that tell of the turning point."""
TELLING = re.compile(rf"\b{YOU}|takes the trick", re.IGNORECASE)
"""A line that rather tells of a turning point: of what the person did or suffered, or whom it won a
trick."""
NEXT_HAND = re.compile(r"Hand (\d+): ")
"""The line of the log that begins a hand, which is no part of what the move before it brought."""


Progress = Callable[[int, int], None]
"""(steps done, steps in all) → None."""


class Moment(NamedTuple):
    """The changes that a move brought."""

    lines: list[str]
    """The lines of the log, as the person saw them."""
    before: tuple[int, ...]
    """The scores, by player; those that the game would have had if it had ended there."""
    after: tuple[int, ...]
    hand: str
    """The hand in which it was made, as "In hand 3, "; "" in a game that has none."""


def sentences(lines: Collection[str], end: str = "") -> str:
    """Return lines as sentences; one that ends with a stop, perhaps in quotes, gets no other.

    Args:
        lines: the lines.
        end: the stop after the last one.
    """
    return re.sub(r'([.!?]["”]?)[.](?!\S)', r"\1", ". ".join(lines) + end)


def mistakes(
    session: Session, seat: str, progress: Progress = lambda done, steps: None
) -> dict[str, Any]:
    """Return the mistakes of a person.

    Args:
        session: a game that is over.
        seat: the person's.
        progress: called for each decision that is weighed.

    Returns:
        JSON: those `found`, the worst first: `decision` (the number of moves before it), and as
        `told` the move that was played, the better one, by how much it is better, and why. And
        `none`, what is said to somebody without mistakes, with the decision that it names as
        `seen`; null if it names none.

    Raises:
        ValueError: while the game goes on, or if no network is installed that plays at the table.
    """
    check_over(session)
    if session.judge is None:
        judge_at(session.env.table)  # says why there is none
    decisions = _decisions(session, seat)
    found = list[tuple[int, Decision, Mistake]]()
    for done, (number, each) in enumerate(decisions):
        progress(done, len(decisions))
        if mistake := each.mistake:
            found.append((number, each, mistake))
    found.sort(key=lambda each: -each[2].weighed.cost)
    moments = _moments(session, seat)
    told = [
        (n, f"{moments[n].hand}{seat} chose “{each.played.move.text}”. {mistake.told}.")
        for n, each, mistake in found
    ]
    none, seen = _without_mistake(session, seat, moments)
    return {
        "found": [{"decision": n, "told": session.addressed(text, seat)} for n, text in told],
        "none": session.addressed(none, seat),
        "seen": seen,
    }


def ending(
    session: Session, seat: str, progress: Progress = lambda done, steps: None
) -> dict[str, Any]:
    """Return how a game came about, as its person may know it now that it is over.

    Args:
        session: a game that is over.
        seat: the person's.
        progress: called for each point of the curve.

    Returns:
        JSON. For each of `players`, partners together, their `name`, whether they have `won`, and
        whether the person is among them (`own`), their `score` (null in a game without points), and
        the `things` that lie before them in words; in a game without points, the facts about them,
        and by which move they went out. The `changes` of scores as [number of the move, what
        happened, the scores in words]. Whether the decisions can be `judged`, by `mistakes`. The
        `curve`: [number of the move, chance of winning] at each move of the person, after the one
        by which they went out, and at the end; that of equals is `even`. The `turn`, where the
        curve goes furthest towards the result before it is settled, or at all if it goes three
        times as far then: its moves `first` and `last`, the chances `before` and `after`, also as
        `told`, and what happened as `lines`: what changed scores that way, and the end, or else
        what the person did and suffered; `seen` is the move of the first of these lines. Without a
        network, and where not only the win is paid, the curve is empty, and `turn` is null. The
        titles of these parts are the `words`.

    Raises:
        ValueError: while the game goes on.
    """
    check_over(session)
    moments, settled = _moments(session, seat), _settled(session, seat)
    curve = _curve(session, seat, progress, settled)
    while between := _between(session, seat, curve, settled):
        between[len(between) // 2].is_point = True
        curve = _curve(session, seat, lambda done, steps: None, settled)
    player = session.env.possible_agents.index(seat)
    some = "some of " * (len(curve) - len(settled) < len(_own(session, seat)))
    titles = {"curve": f"Your chance of winning, at {some}your moves"}
    if turn := _turning_point(moments, curve, settled, player):
        turn["lines"] = _explained(session, moments, turn["seen"], turn["lines"])
        if turn["after"] < turn["before"] and _is_sound(session, seat, turn["first"]):
            turn["lines"].append("No mistake was found in your move")
    return {
        "words": WORDS | titles,
        "players": _players(session, seat, len(moments)),
        "changes": [
            [
                number,
                sentences(
                    _explained(
                        session,
                        moments,
                        number,
                        [line for line in moment.lines if not line.startswith(OVER)],
                    )
                ),
                _scores(session, seat, moment.after),
            ]
            for number, moment in enumerate(moments)
            if moment.after != moment.before
        ],
        "judged": session.judge is not None,
        "curve": curve,
        "even": chance_of(session.env.table, 0),
        "turn": turn,
    }


def replay_page(session: Session, seat: str, progress: Progress = lambda done, steps: None) -> str:
    """Return the replay of a game that is over as a page of HTML; raise ValueError before."""
    check_over(session)
    record = Record.of(session.env, session.names)
    return page_of(record, session.decisions, progress=progress, reader=seat).html


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
    moments, hand = list[Moment](), ""
    for first, end in pairwise(starts):
        told = [*chain.from_iterable(lines[first:end])]
        if not moments and (hand := _hand(told[:1])):  # the one that the game begins with
            del told[0]
        brought = [*takewhile(lambda line: not NEXT_HAND.match(line), told)]
        moments.append(Moment(brought, scores[first], scores[end], hand))
        hand = _hand(told) or hand
    return moments


def _hand(lines: Iterable[str]) -> str:
    """Return the hand that begins in these lines, as "In hand 3, "; "" if none does."""
    return next((f"In hand {begun[1]}, " for line in lines if (begun := NEXT_HAND.match(line))), "")


def _explained(
    session: Session, moments: Sequence[Moment], number: int, lines: list[str]
) -> list[str]:
    """Return lines from a move on, after the one that says who played what takes effect there."""
    cards = (name for name in session.card_texts if any(x.startswith(f"{name} ") for x in lines))
    if not (card := next(cards, "")):
        return lines
    before = [line for moment in moments[: number + 1] for line in moment.lines]
    named = [line for line in before + lines if re.search(rf". {re.escape(card)}\b", line)]
    return [line for line in named[-1:] if line not in lines] + lines


def _scores(session: Session, seat: str, scores: Sequence[int]) -> str:
    """Return the scores of all sides in words, as "You and Bo 1, Ada and Cleo 0"."""
    sides, known = defaultdict(list), dict[int, int]()
    for name, side, score in zip(
        session.env.possible_agents, session.env.table.sides, scores, strict=True
    ):
        sides[side].append(session.addressed(name, seat))
        known[side] = score
    return ", ".join(f"{' and '.join(names)} {known[side]}" for side, names in sides.items())


def _players(session: Session, seat: str, moves: int) -> list[dict[str, Any]]:
    """Return who sat at the table, and what each side ended with after some moves.

    A ghost is with those whose things lie before it too.
    """
    env, rows = session.env, dict[Any, dict[str, Any]]()
    outcome, names = env.outcome(), env.possible_agents
    is_scored = env.game.has_points(outcome)
    for words in env.game.table_words(session.view(seat)).seats:
        player = names.index(words.name) if words.name in names else NOBODY
        things = _things(words)
        held = re.match(r"(\d+) point", "".join(things[:1]))  # by a ghost
        score = int(held[1] if held else 0) if player == NOBODY else outcome.scores[player]
        if not is_scored:  # what lies there is on the table
            out = _out_since(session, player)
            things = [words.facts] if out is None else [words.facts, f"move {out + 1} of {moves}"]
        side = int(env.table.sides[player]) if player != NOBODY else words.name
        if player == NOBODY and things:
            side = next((key for key, row in rows.items() if row["things"] == things), side)
        row = {
            "name": session.addressed(words.name, seat),
            "own": words.name == seat,
            "won": player in outcome.winners,
            "called": "winner",
            "score": score if is_scored else None,
            "things": [session.addressed(each, seat) for each in things],
        }
        if (first := rows.setdefault(side, row)) is not row:
            first["name"] += f" and {row['name']}"
            first["own"] |= row["own"]
            first["called"] = "winners" if player != NOBODY else first["called"]
    return [*map(_without_count, rows.values())]


def _things(words: SeatWords) -> list[str]:
    """Return what lies before a seat, in words, with the number of those that are alike."""
    things = [line.text.removeprefix(f"{k:2} ") for k, line in enumerate(words.lines, 1)]
    return [f"{thing} ×{n}" if n > 1 else thing for thing, n in Counter(things).items()]


def _without_count(row: dict[str, Any]) -> dict[str, Any]:
    """Return what a side ended with, not "8 point cards: …" beside a score of 8."""
    return row | {"things": [re.sub(rf"^{row['score']} [^:]+: ", "", t) for t in row["things"]]}


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


def _decisions(session: Session, seat: str) -> list[tuple[int, Decision]]:
    """Return the moves of a person as a network judges them; none without one."""
    own = {number for number, _ in _own(session, seat)}
    return [each for each in enumerate(session.decisions) if each[0] in own]


def _without_mistake(
    session: Session, seat: str, moments: Sequence[Moment]
) -> tuple[str, int | None]:
    """Return what is said of a person's moves if no mistake is found, and which one it names."""
    if not _own(session, seat):
        return "The game ended before your first move.", None
    if not _choices(session, seat):
        return "You had nothing to choose: each of your moves was the only one.", None
    worse = [
        (weighed.cost, number, each)
        for number, each in _decisions(session, seat)
        if (weighed := each.weighed) and weighed.cost > 0
    ]
    if not worse:
        return NO_MISTAKE, None
    _, seen, largest = max(worse)
    times = ("", "Once", "Twice")[len(worse)] if len(worse) < 3 else f"{len(worse)} times"
    other = f"{times}, the network of the strongest opponents would have chosen another move."
    doubt = "The largest doubt: " * (len(worse) > 1) + moments[seen].hand.lower()
    chosen = f"{doubt}you chose “{largest.played.move.text}”"
    return f"{NO_MISTAKE} {other} {chosen[0].upper()}{chosen[1:]}. {largest.comparison}.", seen


def _settled(session: Session, seat: str) -> dict[int, str]:
    """Return how a game was settled for a person, by the number of moves until then, in order."""
    out = _out_since(session, session.env.possible_agents.index(seat))
    end = sum(1 for _ in session.env.saved().course().moves())
    told = {} if out is None else {out + 1: "Decided when you went out"}
    return told | {end: "Decided after your last move"}


def _is_sound(session: Session, seat: str, number: int) -> bool:
    """Return whether a person had a choice at a move, and made no mistake there."""
    chosen = number in {number for number, _ in _choices(session, seat)}
    return chosen and not dict(_decisions(session, seat))[number].mistake


def _curve(
    session: Session, seat: str, progress: Progress, settled: Collection[int]
) -> list[list[float]]:
    """Return the person's chance of winning at each of their moves, and once it was settled."""
    table, saved = session.env.table, session.env.saved()
    if session.judge is None or saved.outcome is None:
        return []
    decisions, points = _decisions(session, seat), list[tuple[int, float]]()
    for done, (number, each) in enumerate(decisions):
        progress(done, len(decisions))
        if each.value is not None:
            points.append((number, each.value))
    paid = saved.outcome.payoffs[session.env.possible_agents.index(seat)]
    points += [(number, paid) for number in settled]
    chances = [(number, chance_of(table, payoff)) for number, payoff in points]
    return [[number, round(chance, 3)] for number, chance in chances if chance is not None]


def _between(
    session: Session, seat: str, curve: list[list[float]], settled: Collection[int]
) -> list[Decision]:
    """Return the person's decisions at the turning point of which no value has been asked yet."""
    if len(curve) < 2:
        return []
    _, first, last, *_ = _steepest(curve, settled)
    own = [each for number, each in _decisions(session, seat) if first < number < last]
    return [each for each in own if each.value is None and not each.is_point]


def _steepest(curve: list[list[float]], settled: Collection[int]) -> tuple[float, ...]:
    """Return the step of a curve that goes furthest towards the result, and by how much.

    That is before it is settled, unless the step that settles it is much larger.
    """
    way = 1 if curve[-1][1] > curve[0][1] else -1
    steps = [(way * (b - a), first, last, a, b) for (first, a), (last, b) in pairwise(curve)]
    most = max((step for step in steps if step[2] not in settled), default=max(steps))
    return most if most[0] >= max(LEAST_TURN, max(steps)[0] / MOST_SETTLED) else max(steps)


def _turning_point(
    moments: list[Moment], curve: list[list[float]], settled: Mapping[int, str], player: int
) -> dict[str, Any] | None:
    """Return where the curve of a player goes furthest towards the result, as JSON."""

    def gain(moment: Moment) -> int:
        gains = [after - before for before, after in zip(moment.before, moment.after, strict=True)]
        return 2 * gains[player] - sum(gains)

    if len(curve) < 2:
        return None
    way = 1 if curve[-1][1] > curve[0][1] else -1
    change, first, last, before, after = _steepest(curve, settled)
    within = [*enumerate(moments)][int(first) : int(last)]
    end = len(moments) - 1
    telling = [(at, each) for at, each in within if way * gain(each) > 0 or at == end]
    lines = [(at, line) for at, moment in telling or within for line in moment.lines]
    if not telling:
        ranked = sorted(enumerate(lines), key=lambda each: bool(TELLING.search(each[1][1])))
        lines = [line for _, line in sorted(ranked[-MOST_LINES:])]
    lines = lines[-MOST_LINES:]
    when = settled.get(int(last), "The turning point")
    when = when if change >= LEAST_TURN else "No single move decided it; the largest step"
    seen = lines[0][0] if lines else int(first)
    moves = ("", "") if last in settled else (" at one of your moves", " at the next")
    chances = f"{before:.0%}{moves[0]} to {after:.0%}{moves[1]}"
    told = f"{when}: {moments[seen].hand.lower()}your chance of winning went from {chances}."
    return {
        "first": first, "last": last, "before": before, "after": after,
        "told": told.replace("%", " %"), "lines": [line for _, line in lines],
        "seen": seen,
    }  # fmt: skip


AFTERWARDS: dict[str, Callable[[Session, str, Progress], Any]] = {
    "ending": ending,
    "mistakes": mistakes,
    "replay": replay_page,
}
"""The looks back by their names: (session, seat, progress) → JSON, or a page of HTML."""
