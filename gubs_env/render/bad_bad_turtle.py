"""Bad, Bad, Turtle in words: the table as one seat sees it, and the log of what happened."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gubs_env.games.bad_bad_turtle.actions import (
    DECLINE,
    FIRST_PICK,
    FIRST_SHIELD,
    NEVER_HAPPENED,
    NO_WAY_ASIDE,
    PASS,
    PERFORM,
)
from gubs_env.games.bad_bad_turtle.cards import FIRST_REACTION, NO_CARD, REACTIONS, Card
from gubs_env.games.bad_bad_turtle.legal import answered_card, answered_player
from gubs_env.games.bad_bad_turtle.score import Decided, outcome
from gubs_env.games.bad_bad_turtle.state import NOBODY, PENDING, UNKNOWN_CARD, Phase, seat_at
from gubs_env.games.bad_bad_turtle.view import View

DECISIONS = {
    Phase.TURN: "take your turn",
    Phase.REACT: "answer or pass",
    Phase.PICK: "pick who takes the next turn",
}
STYLES = {"bold": "1", "faint": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def player(seat: int) -> str:
    return f"player_{seat}"


def counted(kinds: Iterable[int]) -> str:
    """Cards in words, in their order, number cards counted: `Skip, number card ×2`."""
    words: dict[str, int] = {}
    for kind in kinds:
        words[Card(kind).title] = words.get(Card(kind).title, 0) + 1
    titles = [title + (f" ×{count}" if count > 1 else "") for title, count in words.items()]
    return ", ".join(titles) or "nothing"


# ------------------------------------------------------------------------------------- the table


def describe(view: View, colour: bool = False) -> str:
    """The table as the seat of a view sees it, in words; with terminal colours if asked for."""

    def paint(text: str, style: str) -> str:
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if colour else text

    game = view.game
    way = "clockwise" if game.direction > 0 else "counter-clockwise"
    lines = [
        paint(f"Bad, Bad, Turtle, seen by {player(view.seat)}", "bold")
        + f"   play goes {way}   next turn: {paint(player(game.next_turn), 'yellow')}"
    ]
    for seat in range(game.num_players):
        lines += ["", *_seat_lines(view, seat, paint)]
    lines.append("")
    if game.peeking[view.seat]:
        lines.append(f"Your stack, from the top: {_stack_words(game, view.seat)}")
    if game.modifier != NO_CARD and game.phase != Phase.OVER:
        lines.append(f"On the turn of {player(game.turn)} lies {Card(game.modifier).title}")
    lines += [paint(line, "red") for line in _pending_lines(game)]
    lines.append(paint(_decision_line(view), "cyan"))
    return "\n".join(lines)


def _seat_lines(view: View, seat: int, paint: Any) -> list[str]:
    game = view.game
    marks = ["you"] if seat == view.seat else []
    if seat == game.turn and game.phase != Phase.OVER:
        marks.append("to move")
    if seat == game.dealer:
        marks.append("dealer")
    if game.peeking[seat]:
        marks.append("may look through the own stack")
    note = f" ({', '.join(marks)})" if marks else ""
    revealed = f"   revealed: {counted(game.reveal_pile[seat, : game.reveal_size[seat]])}"
    if not game.living[seat]:
        return [paint(f"{player(seat)}{note}: eliminated", "faint"), paint(revealed, "faint")]
    sizes = f"stack {game.stack_size[seat]}, discard pile {game.discard_size[seat]}"
    lines = [f"{paint(player(seat) + note, 'bold')}: {sizes}", revealed]
    if aside := [
        card for card, holder in zip(REACTIONS, game.aside, strict=True) if holder == seat
    ]:
        lines.append(paint(f"   set aside: {counted(aside)}", "green"))
    if game.discard_seen[seat]:
        lines.append(f"   discard pile, from the top: {_discard_words(game, seat)}")
    return lines


def _stack_words(game: Any, seat: int) -> str:
    stack = game.stack[seat, : game.stack_size[seat]][::-1]
    return ", ".join(Card(kind).title for kind in stack) or "nothing"


def _discard_words(game: Any, seat: int) -> str:
    pile = game.discard_pile[seat, : game.discard_size[seat]][::-1]
    return ", ".join("?" if kind == UNKNOWN_CARD else Card(kind).title for kind in pile)


def _pending_lines(game: Any) -> list[str]:
    if game.pending == NO_CARD:
        return []
    lines = [f"Revealed: {Card(game.pending).title}, of {player(game.owner)}"]
    for level in range(game.depth):
        who, kind = player(game.reaction_player[level]), Card(game.reaction[level]).title
        target, aim = game.reaction_target[level], game.reaction_aim[level]
        lines.append(f"{who} answers: {kind} {_aim_words(game, kind, target, aim)}")
    return lines


def _aim_words(game: Any, kind: str, target: int, aim: int) -> str:
    aimed_at = Card(game.pending if aim == PENDING else aim).title
    if kind == Card.SHIELD.title:
        return f"forces {aimed_at} on {player(target)}"
    return f"on {aimed_at} of {player(target)}"


def _decision_line(view: View) -> str:
    game = view.game
    if game.phase == Phase.OVER:
        return outcome_words(game)
    if game.actor == view.seat:
        return f"You: {DECISIONS[Phase(game.phase)]}"
    return f"Waiting for {player(game.actor)}"


def outcome_words(game: Any) -> str:
    """Who won, and by what."""
    result = outcome(game)
    if result.decided_by is Decided.CUT_OFF:
        return f"The game is cut off after {game.steps} decisions"
    reason = "reveals the Turtle" if result.decided_by is Decided.TURTLE else "is the last one left"
    return f"The game is over: {player(result.winners[0])} {reason} and wins"


# --------------------------------------------------------------------------------------- the log


def narrate(before: Any, action: int, after: Any, viewer: int | None) -> list[str]:
    """One decision in words, from the rows before and after it.

    Args:
        before, after: GAME records.
        action: what the acting seat of `before` chose.
        viewer: for whose eyes; None tells what everybody saw. All that happens in a decision
            happens before everybody's eyes, so the words are the same.
    """
    lines = [f"{player(before.actor)} {_decision_words(before, action)}"]
    for kind, seat in zip(after.shown, after.shown_by, strict=True):
        if kind != NO_CARD:
            lines.append(f"{player(seat)} reveals {Card(kind).title}")
    lines += _settled_words(before, after)
    for card, was, holder in zip(REACTIONS, before.aside, after.aside, strict=True):
        if holder not in (was, NOBODY):
            lines.append(f"{player(holder)} sets {card.title} aside")
    for seat in np.flatnonzero(before.living != after.living).tolist():
        lines.append(f"{player(seat)} {'is back' if after.living[seat] else 'is eliminated'}")
    if after.deals != before.deals:
        whole = after.stack_size.sum() == after.composition.sum()
        dealt = "All cards are" if whole else "All that lies face down is"
        lines.append(f"{dealt} shuffled and dealt anew")
    if after.modifier != NO_CARD and after.phase == Phase.TURN:
        lines.append(f"{Card(after.modifier).title} lies on the turn of {player(after.turn)}")
    if after.phase == Phase.OVER:
        lines.append(outcome_words(after))
    return lines


def _settled_words(before: Any, after: Any) -> list[str]:
    """Where the cards of a window with reactions went, once they were settled."""
    on_table = [int(before.pending), *before.reaction[: before.depth].tolist()]
    asides = zip(REACTIONS, before.aside, after.aside, strict=True)
    on_table += [int(card) for card, was, holder in asides if holder == NOBODY != was]
    if len(on_table) == 1:
        return []
    left = {int(after.pending), *after.reaction[: after.depth].tolist()}
    return [
        _whither(after, kind) for kind in on_table if kind not in left and _whither(after, kind)
    ]


def _whither(game: Any, kind: int) -> str:
    """On which pile all saw a card go, or nothing."""
    for seat in range(game.num_players):
        if kind in game.reveal_pile[seat, : game.reveal_size[seat]]:
            return f"{Card(kind).title} goes to the reveal pile of {player(seat)}"
        for place in range(game.discard_size[seat]):
            seen = int(game.discard_seen[seat]) >> place & 1
            if seen and game.discard_pile[seat, place] == kind:
                return f"{Card(kind).title} goes to the discard pile of {player(seat)}"
    return ""


def _played(action: int) -> Card:
    """The set-aside card that an answer plays."""
    if action >= FIRST_SHIELD:
        return Card.SHIELD
    return Card.NEVER_HAPPENED if action == NEVER_HAPPENED else Card.NO_WAY


def _decision_words(before: Any, action: int) -> str:
    if before.phase == Phase.TURN:
        if action in (PERFORM, DECLINE):
            verb = "performs" if action == PERFORM else "declines"
            return f"{verb}: {Card(before.modifier).title}"
        laid = f" under {Card(before.modifier).title}" if before.modifier != NO_CARD else ""
        return f"takes the turn{laid}"
    if before.phase == Phase.PICK:
        return f"picks {player(seat_at(before, before.actor, action - FIRST_PICK))}"
    answered = Card(answered_card(before)).title
    if action == PASS:
        return f"lets {answered} pass"
    if action >= FIRST_SHIELD:
        target = seat_at(before, before.actor, action - FIRST_SHIELD)
        return f"plays Shield and forces {answered} on {player(target)}"
    for card, number in NO_WAY_ASIDE.items():
        if action == number:
            holder = player(before.aside[card - FIRST_REACTION])
            return f"plays No Way on the {card.title} of {holder}"
    played = _played(action).title
    return f"plays {played} on {answered} of {player(answered_player(before))}"


def state_words(game: Any) -> str:
    """All of a game in one paragraph, secrets included: for golden playthroughs and debugging."""
    lines = []
    for seat in range(game.num_players):
        stack = game.stack[seat, : game.stack_size[seat]][::-1]
        discards = game.discard_pile[seat, : game.discard_size[seat]][::-1]
        revealed = game.reveal_pile[seat, : game.reveal_size[seat]]
        lines.append(
            f"  {player(seat)} stack {len(stack)}, top: {counted(stack[:4])}; "
            f"discarded {len(discards)}, top: {counted(discards[:4])}; "
            f"revealed {counted(revealed)}"
        )
        if not game.living[seat]:
            lines[-1] += "; eliminated"
    for card, holder in zip(REACTIONS, game.aside, strict=True):
        if holder != NOBODY:
            lines.append(f"  {player(holder)} has set aside {card.title}")
    if game.phase != Phase.OVER:
        lines.append(f"  {player(game.actor)} to {Phase(game.phase).name}")
    return "\n".join(lines)


assert len(DECISIONS) == Phase.OVER
