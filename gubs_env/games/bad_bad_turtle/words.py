"""Bad, Bad, Turtle in words: the table as one seat sees it, and the log of what happened."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import groupby
from typing import Any

from gubs_env.engine.history import Row
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.engine.text import Line, SeatWords, TableWords, player_name, plural, viewer_name
from gubs_env.engine.view import View
from gubs_env.games.bad_bad_turtle.actions import (
    DECLINE,
    FIRST_PICK,
    FIRST_SHIELD,
    NO_WAY_ASIDE,
    PASS,
    PERFORM,
)
from gubs_env.games.bad_bad_turtle.cards import FIRST_REACTION, NO_CARD, REACTIONS, Card, CardType
from gubs_env.games.bad_bad_turtle.history import (
    CARD,
    KIND,
    OPEN_PILE,
    SEAT,
    WHOLE_DECK,
    Event,
    history,
    played_card,
)
from gubs_env.games.bad_bad_turtle.legal import answered_card, answered_player
from gubs_env.games.bad_bad_turtle.score import Decided, outcome
from gubs_env.games.bad_bad_turtle.state import PENDING, UNKNOWN_CARD, Phase
from gubs_env.games.bad_bad_turtle.turn import num_discarded


def counted(kinds: Iterable[int]) -> str:
    """Return cards in words, in order of arrival, equal ones counted: `Skip, number card ×2`."""
    words: dict[str, int] = {}
    for kind in kinds:
        words[Card(kind).title] = words.get(Card(kind).title, 0) + 1
    titles = [title + (f" ×{count}" if count > 1 else "") for title, count in words.items()]
    return ", ".join(titles) or "nothing"


def in_order(kinds: Iterable[int]) -> str:
    """Return a pile in words, card by card; equal cards in a row are counted."""
    runs = [(Card(kind).title, len(list(cards))) for kind, cards in groupby(kinds)]
    return ", ".join(title + (f" ×{n}" if n > 1 else "") for title, n in runs) or "nothing"


# ------------------------------------------------------------------------------------- the table

TYPE_STYLES = {
    CardType.SOCIAL: "magenta",
    CardType.MODIFIER: "blue",
    CardType.OWN: "green",
    CardType.TABLE: "yellow",
    CardType.SET_ASIDE: "cyan",
    CardType.ENDING: "red",
    CardType.NUMBER: "faint",
}
CARD_STYLES = {card.title: TYPE_STYLES[card.kind.type] for card in Card}


def table_words(view: View) -> TableWords:
    """Return the table in words as the seat of a view sees it (see `Game.table_words`)."""
    state = view.state
    way, next_turn = way_words(state)
    own = []
    if view.seat != NOBODY and state.peeking[view.seat]:
        own.append(Line(f"Your stack, from the top: {_stack_words(state, view.seat)}"))
    return TableWords(
        heading=f"Bad, Bad, Turtle, seen by {viewer_name(view.seat)}",
        middle=[
            Line(way),
            Line(next_turn, "yellow"),
        ],
        seats=[_seat_words(view, seat) for seat in range(state.num_players)],
        own_seat=view.seat,
        own=own,
        notes=_notes(state),
        card_styles=CARD_STYLES,
        interrupts=state.phase == Phase.REACT and view.seat == state.actor != state.owner,
    )


def _seat_words(view: View, seat: int) -> SeatWords:
    state = view.state
    shown = (
        (seat == view.seat, "you"),
        (seat == state.turn and state.phase != Phase.OVER, "has the turn"),
        (seat == state.dealer, "dealer"),
        (state.peeking[seat], "may look through their own stack"),
    )
    marks = [words for is_so, words in shown if is_so]
    pile = state.reveal_pile[seat, : state.reveal_size[seat]]
    revealed = f"revealed, from the top: {in_order(pile[::-1])}"
    if not state.living[seat]:
        lines = [Line(revealed, "faint")]
        return SeatWords(player_name(seat), marks, "eliminated", lines, style="faint")
    lines = [Line(revealed)]
    if aside := [
        card for card, holder in zip(REACTIONS, state.aside, strict=True) if holder == seat
    ]:
        lines.append(Line(f"set aside: {counted(aside)}", "green"))
    if state.discard_seen[seat]:
        lines.append(Line(f"discard pile, from the top: {_discard_words(state, seat)}"))
    sizes = f"stack {state.stack_size[seat]}, discard pile {state.discard_size[seat]}"
    return SeatWords(player_name(seat), marks, sizes, lines)


def _notes(state: Any) -> list[Line]:
    lines = [Line(line) for line in modifier_lines(state)]
    return lines + [Line(line, "red") for line in pending_lines(state)]


def modifier_lines(state: Any) -> list[str]:
    """Return the card that lies on the turn in words, if one does."""
    if state.modifier == NO_CARD or state.phase == Phase.OVER:
        return []
    return [f"On the turn of {player_name(state.turn)} lies {Card(state.modifier).title}"]


def way_words(state: Any) -> list[str]:
    """Return the direction of play and the next turn in words."""
    way = "clockwise" if state.direction > 0 else "counter-clockwise"
    return [f"play goes {way}", f"next turn: {player_name(state.next_turn)}"]


def _stack_words(state: Any, seat: int) -> str:
    stack = state.stack[seat, : state.stack_size[seat]][::-1]
    return ", ".join(Card(kind).title for kind in stack) or "nothing"


def _discard_words(state: Any, seat: int) -> str:
    pile = state.discard_pile[seat, : state.discard_size[seat]][::-1]
    return ", ".join("?" if kind == UNKNOWN_CARD else Card(kind).title for kind in pile)


def pending_lines(state: Any) -> list[str]:
    """Return the revealed card and what was played on it, in words."""
    if state.pending == NO_CARD:
        return []
    lines = [f"Revealed: {player_name(state.owner)}'s {Card(state.pending).title}"]
    for level in range(state.depth):
        who, kind = player_name(state.reaction_player[level]), Card(state.reaction[level]).title
        target, aim = state.reaction_target[level], state.reaction_aim[level]
        lines.append(f"{who} answers: {kind} {_aim_words(state, kind, target, aim)}")
    return lines


def _aim_words(state: Any, kind: str, target: int, aim: int) -> str:
    aimed_at = Card(state.pending if aim == PENDING else aim).title
    if kind == Card.SHIELD.title:
        return f"forces {aimed_at} on {player_name(target)}"
    return f"on {player_name(target)}'s {aimed_at}"


def question_words(view: View, legal: Collection[int]) -> str:
    """Return the decision of the viewer in words.

    Args:
        legal: the legal actions of the viewer; none if they do not decide.
    """
    state = view.state
    if state.phase == Phase.OVER:
        return outcome_words(state)
    if state.actor != view.seat:
        return f"Waiting for {player_name(state.actor)}"
    return f"You: {QUESTIONS[state.phase](state)}"


def _turn_question(state: Any) -> str:
    if state.modifier == NO_CARD:
        return "take your turn: discard up to two cards unseen, then reveal one"
    card = Card(state.modifier)
    if card.kind.type is CardType.SOCIAL:
        return f"{card.title} lies on your turn: perform, or decline and lose the turn"
    return f"take your turn under {card.title}"


def _react_question(state: Any) -> str:
    return f"answer {Card(answered_card(state)).title}, or let it pass"


def _pick_question(state: Any) -> str:
    return "pick who takes the next turn"


QUESTIONS: dict[Phase, Callable[[Any], str]] = {
    Phase.TURN: _turn_question,
    Phase.REACT: _react_question,
    Phase.PICK: _pick_question,
}
"""(state) → the question of each phase to the one who decides."""


def outcome_words(state: Any) -> str:
    """Return who won, and what decided, in words."""
    result = outcome(state)
    if result.decided_by is Decided.CUT_OFF:
        return f"The game is cut off after {state.decisions} decisions"
    reason = "reveals the Turtle" if result.decided_by is Decided.TURTLE else "is the last one left"
    return f"The game is over: {player_name(result.winners[0])} {reason} and wins"


# --------------------------------------------------------------------------------------- the log


def narrate(before: Any, action: int, after: Any, viewer: int | None) -> list[str]:
    """Return one decision in words (see `Game.narrate`).

    Args:
        viewer: the seat that reads the words; None tells what everybody saw. Everybody sees all
            that happens in a decision, so the words are the same.
    """
    _, *happened = history.events(before, action, after, 0)
    lines = [f"{player_name(before.actor)} {_decision_words(before, action)}"]
    lines += [_event_words(after, event) for event in happened if event[KIND] != Event.OVER]
    return [*lines, outcome_words(after)] if after.phase == Phase.OVER else lines


def _event_words(state: Any, event: Row) -> str:
    """Return what followed a decision in words, from an event as seat 0 saw it."""
    kind, who = event[KIND], player_name(event[SEAT])
    if kind in (Event.BACK, Event.ELIMINATED):
        return f"{who} is {'back' if kind == Event.BACK else 'eliminated'}"
    if kind == Event.DEAL:
        dealt = "All cards are" if event[WHOLE_DECK] else "All that lies face down is"
        return f"{dealt} shuffled and dealt anew"
    card = Card(event[CARD])
    if kind == Event.REVEAL:
        return f"{who} reveals {_revealed_words(state, card)}"
    if kind == Event.SET_ASIDE:
        return f"{who} sets {card.title} aside"
    if kind == Event.SETTLE:
        pile = "reveal" if event[OPEN_PILE] else "discard"
        return f"{card.title} goes to the {pile} pile of {who}"
    return f"{card.title} lies on the turn of {who}"


UNTOLD = (CardType.NUMBER, CardType.SET_ASIDE, CardType.ENDING)
"""Cards whose effect has a line of its own, or none."""


def _revealed_words(state: Any, card: Card) -> str:
    """Return a revealed card, and what it does if it stands."""
    if state.younger or card.kind.type in UNTOLD:
        return card.title
    return f'{card.title}: "{card.text}"'


def _discarded_words(before: Any) -> str:
    """Return how many cards a turn discards, which nobody sees."""
    if before.modifier == Card.SLOW_DOWN:
        return ""  # the stack grows first
    kind = Card.BLANK if before.modifier == NO_CARD else before.modifier
    count = int(num_discarded(before, before.turn, kind))
    return f" and discards {plural(count, 'card')} unseen" if count > 0 else ""


def _decision_words(before: Any, action: int) -> str:
    if before.phase == Phase.TURN:
        if action in (PERFORM, DECLINE):
            verb = "performs" if action == PERFORM else "declines"
            return f"{verb}: {Card(before.modifier).title}"
        laid = f" under {Card(before.modifier).title}" if before.modifier != NO_CARD else ""
        return f"takes the turn{laid}{_discarded_words(before)}"
    if before.phase == Phase.PICK:
        picked = seat_at(before, before.actor, action - FIRST_PICK)
        return f"picks {_whom(before, picked)}"
    answered = Card(answered_card(before)).title
    if action == PASS:
        return f"lets {answered} pass"
    if action >= FIRST_SHIELD:
        target = seat_at(before, before.actor, action - FIRST_SHIELD)
        return f"plays Shield and forces {answered} on {_whom(before, target)}"
    for card, number in NO_WAY_ASIDE.items():
        if action == number:
            holder = int(before.aside[card - FIRST_REACTION])
            return f"plays No Way on {player_name(holder)}'s {card.title}"
    played, owner = Card(played_card(action)).title, answered_player(before)
    whose = "their own" if owner == before.actor else f"{player_name(owner)}'s"
    return f"plays {played} on {whose} {answered}"


def _whom(before: Any, seat: int) -> str:
    return "themselves" if seat == before.actor else player_name(seat)


assert len(QUESTIONS) == Phase.OVER
