"""Bad, Bad, Turtle in words: the table as one seat sees it, and the log of what happened."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import Any

from gubs_env.engine.history import NONE
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.text import Line, SeatWords, TableWords, player_name, plural, viewer_name
from gubs_env.engine.view import View
from gubs_env.games.bad_bad_turtle.cards import FIRST_REACTION, NO_CARD, REACTIONS, Card, CardType
from gubs_env.games.bad_bad_turtle.history import Event, history
from gubs_env.games.bad_bad_turtle.legal import answered_card
from gubs_env.games.bad_bad_turtle.score import Decided, outcome
from gubs_env.games.bad_bad_turtle.state import PENDING, UNKNOWN_CARD, Phase
from gubs_env.games.bad_bad_turtle.turn import num_discarded


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
    private = []
    if view.seat != NOBODY and state.peeking[view.seat]:
        stack = state.stack[view.seat, : state.stack_size[view.seat]][::-1]
        titles = ", ".join(Card(kind).title for kind in stack) or "nothing"
        private.append(Line(f"Your stack, from the top: {titles}"))
    return TableWords(
        heading=f"Bad, Bad, Turtle, seen by {viewer_name(view.seat)}",
        middle=[Line(*line) for line in zip(way_words(state), ("", "yellow"), strict=False)],
        seats=[_seat_words(view, seat) for seat in range(state.num_players)],
        own_seat=view.seat,
        private=private,
        notes=_notes(state),
        card_styles=CARD_STYLES,
        interrupts=state.phase == Phase.REACT and view.seat == state.actor != state.owner,
    )


def _seat_words(view: View, seat: int) -> SeatWords:
    state = view.state
    goes_on = state.phase != Phase.OVER
    shown = (
        (seat == view.seat, "you"),
        (goes_on and seat == state.turn, "has the turn"),
        (goes_on and seat == state.dealer, "dealer"),
        (goes_on and state.peeking[seat], "may look through their own stack"),
    )
    marks = [words for is_so, words in shown if is_so]
    pile = state.reveal_pile[seat, : state.reveal_size[seat]]
    revealed = f"revealed, from the top: {in_order(pile[::-1])}"
    if not state.living[seat]:
        lines, facts = [Line(revealed, "faint")], end_words(state, seat) or "eliminated"
        return SeatWords(player_name(seat), marks, facts, lines, style="faint")
    lines = [Line(revealed)]
    if aside := set_aside_by(state, seat):
        lines.append(Line(f"set aside: {in_order(aside)}", "green"))
    if state.discard_seen[seat]:
        lines.append(Line(f"discard pile, from the top: {_discard_words(state, seat)}"))
    sizes = f"stack {state.stack_size[seat]}, discard pile {state.discard_size[seat]}"
    return SeatWords(player_name(seat), marks, end_words(state, seat) or sizes, lines)


def end_words(state: Any, seat: int) -> str:
    """Return how the game has ended for a seat, in words; "" while it goes on."""
    if state.phase != Phase.OVER:
        return ""
    if not state.living[seat]:
        return "out by the card Eliminated, whose owner leaves the game"
    by_turtle = outcome(state).decided_by is Decided.TURTLE
    if seat == state.winner:
        return "by revealing the Turtle" if by_turtle else "as the last one left"
    return "still in, no Turtle" if by_turtle else "still in"


def set_aside_by(state: Any, seat: int) -> list[Card]:
    """Return the cards that a seat has set aside."""
    return [card for card in REACTIONS if state.aside[card - FIRST_REACTION] == seat]


def _notes(state: Any) -> list[Line]:
    pending = [Line(line, "red") for line in pending_lines(state)]
    return [*map(Line, modifier_lines(state)), *pending]


def modifier_lines(state: Any) -> list[str]:
    """Return the card that lies on the turn in words, if one does."""
    if state.modifier == NO_CARD or state.phase == Phase.OVER:
        return []
    return [f"{Card(state.modifier).title} lies on the turn of {player_name(state.turn)}"]


def way_words(state: Any) -> list[str]:
    """Return the direction of play and the next turn in words; nothing once the game is over."""
    if state.phase == Phase.OVER:
        return []
    way = "clockwise" if state.direction > 0 else "counter-clockwise"
    return [f"play goes {way}", f"next turn: {player_name(state.next_turn)}"]


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
        is_out = view.seat != NOBODY and not state.living[view.seat]
        return f"{'You are out. ' * is_out}Waiting for {player_name(state.actor)}"
    return f"You: {_question(state)}"


def _question(state: Any) -> str:
    """Return the question to the one who decides."""
    if state.phase == Phase.REACT:
        return f"answer {Card(answered_card(state)).title}, or let it stand"
    if state.phase == Phase.PICK:
        return "pick who takes the next turn"
    if state.modifier == NO_CARD:
        count = int(num_discarded(state, state.turn, Card.BLANK))
        discards = f"discard {plural(count, 'card')} unseen, then " if count else ""
        return f"take your turn: {discards}reveal {'one' if count else 'a card'}"
    card = Card(state.modifier)
    if card.kind.type is CardType.SOCIAL:
        perform = "perform (aloud or not), or decline and lose the turn"
        return f"{card.title} lies on your turn: {perform}"
    rule = card.text.removeprefix("The next turn ").rstrip(".")
    rule = re.sub(r"(^| and )(\w+)s\b", r"\1\2", rule)  # "reveals" as "reveal"
    rule = re.sub(r"\b(its player's|its|their)\b", "your", rule)
    return f"take your turn under {card.title}: {rule}"


def outcome_words(state: Any) -> str:
    """Return who won, and what decided, in words."""
    result = outcome(state)
    if result.decided_by is Decided.CUT_OFF:
        return f"The game is cut off after {state.decisions} decisions"
    reason = "reveals the Turtle" if result.decided_by is Decided.TURTLE else "is the last one left"
    return f"The game is over: {player_name(result.winners[0])} {reason} and wins"


# --------------------------------------------------------------------------------------- the log


SENTENCES = {
    Event.TURN: "{who} takes the turn{modifier}{discards}",
    Event.PERFORM: "{who} performs: {card}",
    Event.DECLINE: "{who} declines: {card}, and gives up the turn",
    Event.PICK: "{who} picks {whom}",
    Event.PASS: "{who} lets {answered} stand{fate}",
    Event.REACT: "{who} plays {reaction}",
    Event.REVEAL: "{who} reveals {article}{card}{effect}",
    Event.SETTLE: "{card} goes to the {pile} pile of {who}{fate}",
    Event.SET_ASIDE: "{who} sets {card} aside",
    Event.ELIMINATED: "{who} is eliminated",
    Event.BACK: "{who} is back",
    Event.DEAL: "{dealt} shuffled and dealt anew",
    Event.MODIFIER: "{card} lies on the turn of {who}",
}
"""The words of each kind of event."""


def narrate(before: Any, action: int, after: Any, viewer: int) -> list[str]:
    """Return one decision in words (see `Game.narrate`), which are the same for all viewers."""
    events = history.records(before, action, after, 0)
    fate = _fate(before, after, events[0])
    cause = _cause(before, events, fate)
    told = [event for event in events if event.kind != Event.OVER]
    lines = [_event_words(before, after, event, fate, cause) for event in told]
    return [*lines, outcome_words(after)] if after.phase == Phase.OVER else lines


UNTOLD = (CardType.NUMBER, CardType.SET_ASIDE, CardType.ENDING)
"""Cards whose effect has a line of its own, or none."""
TAKES_EFFECT, NO_EFFECT = ": it takes effect", ": it has no effect"
LACKS = {
    Card.DOUBLE_DIP: "its owner's stack is empty",
    Card.RECYCLE_BONUS: "its owner's discard pile is empty",
    Card.REFUND: "its owner's discard pile is empty",
    Card.CLEAN_UP: "its owner has revealed no other card",
    Card.DO_OVER: "its owner has revealed no other card",
}
"""The reasons for which cards that take effect may do nothing."""


def _fate(before: Any, after: Any, decision: Any) -> str:
    """Return what has become of the pending card by a decision, in words; "" if it is still pending
    or its effect has a line of its own.
    """
    if before.pending in (NO_CARD, after.pending):
        return ""
    cards = [before.pending, *before.reaction[: before.depth]]
    aims = [before.pending if aim == PENDING else aim for aim in before.reaction_aim]
    aims = aims[: before.depth]
    if decision.kind == Event.REACT:
        cards.append(decision.card)
        aims.append(decision.target_card)
    is_overruled = False
    for card, aim in zip(cards[-2::-1], aims[::-1], strict=True):  # the last one settles first
        is_overruled = aim == card and not is_overruled
    if is_overruled and cards[1] != Card.SHIELD:
        return NO_EFFECT
    if Card(before.pending).kind.type in UNTOLD:
        return ""
    lacking = _lacking_words(before, after, before.pending, is_certain=len(cards) == 1)
    return TAKES_EFFECT + lacking


def _lacking_words(before: Any, after: Any, kind: int, is_certain: bool) -> str:
    """Return why a card that takes effect does nothing, in words; "" if it does something.

    Args:
        is_certain: whether it is the first card that takes effect after `before`, with no answers
            before it, so that the sizes of all piles are known.
    """
    if kind not in LACKS:
        return ""
    shown, is_pending = after.shown.tolist(), kind == before.pending
    seat = before.owner if is_pending else before.turn
    if kind in (Card.DOUBLE_DIP, Card.RECYCLE_BONUS):
        lacks = shown[0 if is_pending else shown.index(kind) + 1] == NO_CARD
    elif kind == Card.REFUND:
        moved = 0 if is_pending else _num_discarded(before) - (before.modifier == Card.NO_TRASH)
        lacks = is_certain and before.discard_size[seat] + moved == 0
    else:
        is_gone = before.modifier == Card.SLOW_DOWN and not is_pending
        lacks = is_certain and (is_gone or before.reveal_size[seat] == 0)
    return f", but {LACKS[Card(kind)]}" if lacks else ""


def _cause(before: Any, events: Sequence[Any], fate: str) -> str:
    """Return the first words about a new deal, with its reason if no other line tells it."""
    is_out = any(event.kind == Event.ELIMINATED for event in events)
    shown = [event.card for event in events if event.kind == Event.REVEAL]
    stands = before.pending == Card.SHUFFLE and fate == TAKES_EFFECT
    is_told = is_out or stands or (Card.SHUFFLE in shown and not before.younger)
    return "All" if is_told else "A stack is empty: all"


def _event_words(before: Any, after: Any, event: Any, fate: str, cause: str) -> str:
    """Return an event in words, as seat 0 saw it."""
    kind, seat, target = event.kind, event.seat, event.target_seat
    card, answered = (
        "" if kind == NONE else Card(kind).title for kind in (event.card, event.target_card)
    )
    whom = "themselves" if target == seat else player_name(target)
    whose = "their own" if target == seat else f"{player_name(target)}'s"
    return SENTENCES[kind].format(
        who=player_name(seat),
        card=card,
        article="a " if event.card == Card.BLANK else "",
        whom=whom,
        answered=answered,
        modifier=f" under {card}" if card else "",
        discards=_discarded_words(before) if kind == Event.TURN else "",
        reaction=f"{card} and forces {answered} on {whom}"
        if event.card == Card.SHIELD
        else f"{card} on {whose} {answered}",
        effect=_effect_words(before, after, event.card) if kind == Event.REVEAL else "",
        pile="reveal" if event.open_pile == 1 else "discard",
        fate=fate if before.pending in (event.card, event.target_card) else "",
        dealt="All cards are" if event.whole_deck == 1 else f"{cause} that lies face down is",
    )


def _effect_words(before: Any, after: Any, kind: int) -> str:
    """Return what a revealed card does if it stands, and why it did nothing."""
    card = Card(kind)
    if after.younger or card.kind.type in UNTOLD:
        return ""
    is_certain = before.pending == NO_CARD and after.shown[0] == kind
    lacking = "" if kind == after.pending else _lacking_words(before, after, kind, is_certain)
    return f': "{card.text}"{lacking}'


def _discarded_words(before: Any) -> str:
    """Return how many cards a turn discards unseen, after Slow Down has shuffled others into the
    stack, or that it has nothing to reveal.
    """
    if before.modifier == Card.NO_TRASH and not before.discard_size[before.turn]:
        return " and reveals nothing: the discard pile is empty"
    revealed, count = int(before.reveal_size[before.turn]), _num_discarded(before)
    shuffled = ""
    if before.modifier == Card.SLOW_DOWN and revealed:
        shuffled = f", shuffling {plural(revealed, 'revealed card')} into the stack,"
    discards = f" and discards {plural(count, 'card')} unseen" if count > 0 else ""
    return (shuffled + discards).removesuffix(",")


def _num_discarded(before: Any) -> int:
    """Return how many cards a turn discards unseen."""
    kind = Card.BLANK if before.modifier == NO_CARD else before.modifier
    grown = before.copy()
    if kind == Card.SLOW_DOWN:
        grown.stack_size[grown.turn] += grown.reveal_size[grown.turn]
    return max(0, int(num_discarded(grown, grown.turn, kind)))
