"""Gubs in words: the table as one seat sees it, and the log of what happened."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np

from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.engine.text import Line, SeatWords, TableWords, player_name, plural, viewer_name
from gubs_env.engine.view import View
from gubs_env.games.gubs.actions import DECK, PASS, card_of
from gubs_env.games.gubs.cards import (
    FIRST_TRAP,
    IS_EVENT,
    LETTERS,
    NUM_HAND_KINDS,
    PLACES,
    RINGS,
    Card,
    CardType,
)
from gubs_env.games.gubs.history import cards_passed, passes_hands, took_effect
from gubs_env.games.gubs.legal import is_inner_pick, opens_window
from gubs_env.games.gubs.observation import has_passed
from gubs_env.games.gubs.rules import HAND_LIMIT
from gubs_env.games.gubs.score import outcome, points
from gubs_env.games.gubs.state import Phase

WINDOWS = (Phase.ANSWER, Phase.CURE, Phase.MERCHANT)
"""The phases in which players decide out of turn."""


def counted(counts: Iterable[int]) -> str:
    """Return cards in words, from counts by kind: `Lure, Mushroom ×2`."""
    words = [
        Card(kind).title + (f" ×{count}" if count > 1 else "")
        for kind, count in enumerate(counts)
        if count > 0
    ]
    return ", ".join(words) or "nothing"


# ------------------------------------------------------------------------------------- the table

TYPE_STYLES = {
    CardType.GUB: "bold",
    CardType.BARRICADE: "green",
    CardType.TRAP: "red",
    CardType.HAZARD: "magenta",
    CardType.TOOL: "blue",
    CardType.TOOL_OR_HAZARD: "blue",
    CardType.INTERRUPT: "cyan",
    CardType.WILD: "cyan",
    CardType.EVENT: "yellow",
}
CARD_STYLES = {card.title: TYPE_STYLES[card.kind.type] for card in Card}


def place_name(slot: int) -> str:
    """Return the name of a place in a colony; people count places from 1."""
    return f"place {slot + 1}"


def table_words(view: View) -> TableWords:
    """Return the table in words as the seat of a view sees it (see `Game.table_words`)."""
    state = view.state
    opened = [card.title[-1] if state.letters[i] else "·" for i, card in enumerate(LETTERS)]
    return TableWords(
        heading=f"Gubs, seen by {viewer_name(view.seat)}",
        middle=[
            Line(f"Letters {' '.join(opened)}", "yellow"),
            Line(f"deck {state.deck_size}"),
            Line(f"discard pile {int(state.discard_pile.sum())}"),
        ],
        seats=[_seat_words(view, seat) for seat in range(state.num_players)],
        own_seat=view.seat,
        own=_own_lines(view) if view.seat != NOBODY else [],
        notes=_notes(state),
        card_styles=CARD_STYLES,
        interrupts=state.phase in WINDOWS and view.seat == state.actor != state.turn,
    )


def _seat_words(view: View, seat: int) -> SeatWords:
    state = view.state
    shown = (
        (seat == view.seat, "you"),
        (seat == state.turn and state.phase != Phase.OVER, "has the turn"),
        (state.skipped[seat], "skipped their last draw"),
        (state.cured[seat], "keeps their hand"),
        (has_passed(state, seat), "passed"),
    )
    held = plural(int(state.hand_size[seat]), "card")
    return SeatWords(
        player_name(seat),
        [words for is_so, words in shown if is_so],
        f"{plural(points(state, seat), 'point')}, {held} in hand",
        [_place_line(state, seat, slot) for slot in range(state.colony_size[seat])],
    )


def _place_line(state: Any, seat: int, slot: int) -> Line:
    words, style = place_words(state.colony[seat, slot])
    return Line(f"{slot + 1:2} {words}", style)


def place_words(place: Any) -> tuple[str, str]:
    """Return what lies at a place in words, and their style."""
    if place[Card.ESTEEMED_ELDER]:
        return "Esteemed Elder", ""
    if ring := [kind for kind in RINGS if place[kind]]:
        return f"Gub beneath the {ring[0].title}, Trapped", "red"
    lying = place.copy()
    lying[Card.GUB] = 0
    if place[FIRST_TRAP:].any():
        return f"Gub beneath a {counted(lying)}, Trapped", "red"
    if lying.any():
        return f"Gub beneath {counted(lying)}, Protected", "green"
    return "Gub, Free", ""


def _own_lines(view: View) -> list[Line]:
    """Return the hand of the viewer, and what only they know."""
    state, lines = view.state, [f"Hand: {counted(view.state.hand[view.seat])}"]
    for seat in range(state.num_players):
        if state.known[view.seat, seat].any():
            lines.append(
                f"You know {player_name(seat)} holds: {counted(state.known[view.seat, seat])}"
            )
    if depth := int(state.known_top[view.seat]):
        top = [Card(kind).title for kind in state.deck[: state.deck_size][::-1][:depth]]
        lines.append(f"You know the top of the deck: {', '.join(top)}")
        if state.phase == Phase.ORDER and state.turn == view.seat:
            lines.append(f"Still to be put back: {', '.join(top[state.ordered :])}")
    if state.kept[view.seat] >= 0:
        lines.append(f"You keep from the Traveling Merchant: {Card(state.kept[view.seat]).title}")
    return [Line(line) for line in lines]


def _notes(state: Any) -> list[Line]:
    lines = [Line(line, "faint") for line in letter_lines(state)]
    if state.discard_pile.any():
        lines.append(Line(f"Discard pile: {counted(state.discard_pile)}", "faint"))
    if move := move_line(state):
        lines.append(Line(move, "red"))
    return lines


def letter_lines(state: Any) -> list[str]:
    """Return what everybody knows about the Letters in the deck, in words (section 8)."""
    lines = []
    size, live = int(state.deck_size), state.third_end > 0
    if live.any():
        starts, ends = state.third_start[live], state.third_end[live]
        ranges = [
            _range_words(size - int(end) + 1, size - int(start))
            for start, end in zip(starts, ends, strict=True)
        ]
        among = ", another ".join(ranges[::-1])
        lines.append(f"Counted from the top of the deck, a Letter lies {among}")
    if state.letter_loose.any():
        loose = [card.title for card, flag in zip(LETTERS, state.letter_loose, strict=True) if flag]
        lines.append(f"Anywhere in the deck: {', '.join(loose)}")
    returned = _returned(state)
    for card, is_open in zip(LETTERS, state.letters, strict=True):
        returned[card] = 0 if is_open else returned[card]  # a Letter laid open is in no deck
    if any(returned):
        lines.append(f"Turned up and went back into the deck: {counted(returned)}")
    return lines


def _range_words(first: int, last: int) -> str:
    return f"among cards {first} to {last}" if first < last else f"at card {first}"


def _returned(state: Any) -> list[int]:
    """Return by kind how many Events turned up and went back."""
    return [*[0] * NUM_HAND_KINDS, *state.returned.tolist()]


def move_line(state: Any) -> str:
    """Return the card announced or being played with its targets, in words; "" without one."""
    if state.announced:
        return f"On the table: {_move_words(state)}"
    if is_inner_pick(state.phase):
        return f"You are playing: {_move_words(state)}"
    return ""


def question_words(view: View, legal: Collection[int]) -> str:
    """Return the decision of the viewer in words, and why it is the only one, if it is.

    Args:
        legal: the legal actions of the viewer; none if they do not decide.
    """
    state = view.state
    if state.phase == Phase.OVER:
        return outcome_words(state)
    if state.actor == view.seat != NOBODY:
        return f"You: {QUESTIONS[state.phase](state, len(legal) == 1)}"
    return f"Waiting for {'the others' if state.phase in WINDOWS else player_name(state.turn)}"


def _draw_question(state: Any, is_forced: bool) -> str:
    return "your last draw was skipped: draw" if is_forced else "draw, or skip the draw"


def _play_question(state: Any, is_forced: bool) -> str:
    if not is_forced:
        return "play a card, or end the play"
    if state.hand_size[state.turn] == 0:
        return "your hand is empty: end the play"
    return "no card in your hand has a target: end the play"


def _name_question(state: Any, is_forced: bool) -> str:
    return "say what Cricket Song stands for"


def _target_question(state: Any, is_forced: bool) -> str:
    which = f"target {state.num_targets + 1} of {PLACES[state.played_as]}"
    which = which if PLACES[state.played_as] > 1 else "the target"
    return f"choose {which} for {Card(state.played_as).title}"


def _meant_question(state: Any, is_forced: bool) -> str:
    return f"choose the card that {Card(state.played_as).title} is meant for"


def _order_question(state: Any, is_forced: bool) -> str:
    return "choose the next card to lie on the deck, from the top down"


def _answer_question(state: Any, is_forced: bool) -> str:
    played = Card(state.played_as).title
    if is_forced:
        return f"your hand holds no answer to {played}: pass"
    return f"answer {played}, or let it take effect"


def _cure_question(state: Any, is_forced: bool) -> str:
    if is_forced:
        return "your hand holds no cure: pass"
    return "discard a cure and keep your hand, or lose the hand to the Plague"


def _merchant_question(state: Any, is_forced: bool) -> str:
    if is_forced:
        return "all your cards are alike: keep one"
    right = player_name(seat_at(state, state.actor, state.num_players - 1))
    return f"choose one card to keep; the rest go to {right}, on your right"


def _discard_question(state: Any, is_forced: bool) -> str:
    return (
        f"your hand holds {state.hand_size[state.turn]} cards, {HAND_LIMIT} may stay: discard one"
    )


QUESTIONS: dict[Phase, Callable[[Any, bool], str]] = {
    Phase.DRAW: _draw_question,
    Phase.PLAY: _play_question,
    Phase.NAME: _name_question,
    Phase.TARGET: _target_question,
    Phase.MEANT: _meant_question,
    Phase.ORDER: _order_question,
    Phase.ANSWER: _answer_question,
    Phase.CURE: _cure_question,
    Phase.MERCHANT: _merchant_question,
    Phase.DISCARD: _discard_question,
}
"""(state, whether a single action is legal) → the question of each phase to the one who decides."""


def outcome_words(state: Any) -> str:
    """Return who won, and what decided, in words."""
    result = outcome(state)
    names = " and ".join(player_name(seat) for seat in result.winners)
    scores = ", ".join(f"{player_name(seat)} {score}" for seat, score in enumerate(result.scores))
    verb = "share the win" if len(result.winners) > 1 else f"wins by {result.decided_by.value}"
    return f"The game is over: {names} {verb} ({scores})"


def _move_words(state: Any, before: Any = None) -> str:
    """Return a move in words, as `Lure at player_1's Gub (place 1)`.

    Args:
        before: the state before the move, for the places as they lay then.
    """
    words = Card(state.played).title
    if state.played_as != state.played:
        words += f" as {Card(state.played_as).title}"
    targets = [_target_words(state, before or state, i) for i in range(state.num_targets)]
    return f"{words} at {' and '.join(targets)}" if targets else words


def _target_words(state: Any, before: Any, index: int) -> str:
    seat, slot = int(state.target_seat[index]), int(state.target_slot[index])
    if seat == NOBODY:
        return "the deck"
    if slot < 0:
        return player_name(seat)
    lying = Card.ESTEEMED_ELDER if before.colony[seat, slot, Card.ESTEEMED_ELDER] else Card.GUB
    meant = Card(state.target_card) if state.target_card >= 0 else lying
    return f"{player_name(seat)}'s {meant.title} ({place_name(slot)})"


# --------------------------------------------------------------------------------------- the log


def narrate(before: Any, action: int, after: Any, viewer: int | None) -> list[str]:
    """Return one decision in words (see `Game.narrate`).

    Args:
        viewer: the seat that reads the words; None tells what everybody saw.
    """
    lines = [] if before.decisions else _returned_words(before)
    lines += _decision_words(before, action, after, viewer)
    if took_effect(before, action, after):
        lines += _effect_words(before, after, viewer)
        lines += _passed_words(before, action, after, viewer)
    if after.phase == Phase.OVER:
        lines.append(outcome_words(after))
    return lines


def _decision_words(before: Any, action: int, after: Any, viewer: int | None) -> list[str]:
    who, own = player_name(before.actor), viewer == before.actor
    phase = before.phase
    if phase == Phase.DRAW:
        return [f"{who} {_draw_words(before, action, viewer)}"]
    if phase in (Phase.PLAY, Phase.NAME, Phase.TARGET, Phase.MEANT):
        if phase == Phase.PLAY and action == PASS:
            return [f"{who} ends their play"]
        done = not is_inner_pick(after.phase)
        does = _outcome_of_tool(before, after)
        return [f"{who} plays {_move_words(after, before)}{does}"] if done else []
    if phase == Phase.DISCARD:
        return [f"{who} discards {Card(card_of(action)).title}"]
    if phase == Phase.ANSWER and action != PASS:
        answer, played = Card(card_of(action)).title, Card(before.played).title
        undone = "goes back into the deck" if IS_EVENT[before.played] else "is cancelled"
        return [f"{who} answers with {answer}: {played} {undone}"]
    if phase == Phase.CURE and action != PASS:
        return [f"{who} discards {Card(card_of(action)).title} and keeps their hand"]
    if phase in (Phase.ANSWER, Phase.CURE):
        return [f"{who} passes"] if own or before.ask_everyone else []
    if phase == Phase.MERCHANT:
        return [f"{who} keeps {Card(card_of(action)).title}"] if own else []
    return [f"{who} puts {Card(card_of(action)).title} next"] if own else []


def _draw_words(before: Any, action: int, viewer: int | None) -> str:
    if action != DECK:
        return "skips the draw"
    kind = before.deck[before.deck_size - 1]
    knows = viewer is not None and (viewer == before.actor or before.known_top[viewer] > 0)
    return f"draws {Card(kind).title}" if IS_EVENT[kind] or knows else "draws a card"


def _effect_words(before: Any, after: Any, viewer: int | None) -> list[str]:
    kind = after.played_as
    if kind == Card.SCOUT:
        return _scout_words(after) if viewer == after.turn else []
    if kind in LETTERS:
        return [f"{Card(kind).title} is laid open"]
    if not opens_window(after):
        return []
    redrawn = _returned_words(after) if kind == Card.GARGOK_PLAGUE else []
    line = f"{Card(kind).title} takes effect"
    told = _outcome_of(before, after)
    gone = after.discard_pile.astype(int) - before.discard_pile
    gone[after.played] -= 1
    if (gone > 0).any() and before.phase != Phase.CURE:  # not the cure of the last one asked
        told += f"; discarded: {counted(np.maximum(gone, 0))}"
    seats = range(after.num_players)
    scores = [(int(points(before, seat)), int(points(after, seat))) for seat in seats]
    changes = [f"{player_name(s)} {a} → {b}" for s, (a, b) in enumerate(scores) if a != b]
    told += f"; points: {', '.join(changes)}" if changes else ""
    return [line + (told or ": nothing changes"), *redrawn]


def _outcome_of_tool(before: Any, after: Any) -> str:
    """Return what a Tool did that nobody can answer, as everybody saw it; "" if its name tells."""
    if after.phase != Phase.PLAY or opens_window(after):
        return ""
    if after.played_as == Card.RETREAT:
        taken = after.hand_size[after.turn] - before.hand_size[after.turn] + 1
        return f": {_go(int(taken), 'card')} into their hand"
    if after.played_as == Card.HAKI_FLUTE:
        return ": what lay beneath joins their colony"
    is_cure = after.played_as == Card.AGE_OLD_CURE
    return ": one of the discarded Gubs goes into their hand" if is_cure else ""


def _go(count: int, word: str) -> str:
    """Return `1 card goes` or `2 cards go`."""
    return f"{plural(count, word)} {'goes' if count == 1 else 'go'}"


def _outcome_of(before: Any, after: Any) -> str:
    """Return what a card did, as everybody saw it, beyond its discards and points."""
    kind = after.played_as
    if kind == Card.SMAHL_THIEF:
        return ": the card goes into the player's hand"
    if kind == Card.SUPER_LURE:
        victim = after.target_seat[0]
        back = int(after.hand_size[victim] - before.hand_size[victim])
        return f": {_go(back, 'Barricade')} back into the hand" if back > 0 else ""
    if kind == Card.GARGOK_PLAGUE:
        redrawn = ", and as many cards are drawn" if after.plague_redraw else ""
        return f": every hand that was not kept goes into the deck{redrawn}"
    if kind == Card.TRAVELING_MERCHANT:
        return ": each player keeps a card, and the rest go to the right"
    drawn = 1 if before.phase == Phase.DRAW else 0
    shuffled = int(after.deck_size - before.deck_size) + drawn
    return f": {_go(shuffled, 'card')} into the deck" if shuffled > 0 else ""


def _passed_words(before: Any, action: int, after: Any, viewer: int | None) -> list[str]:
    """Return what each seat passed by the Merchant; the two whom it concerns know the cards."""
    lines = []
    for steps in range(before.num_players if passes_hands(before, after) else 0):
        giver = seat_at(before, before.turn, steps)
        taker = seat_at(before, giver, before.num_players - 1)
        cards = [cards_passed(before, action, giver, kind) for kind in range(NUM_HAND_KINDS)]
        words = counted(cards) if viewer in (giver, taker) else plural(sum(cards), "card")
        if any(cards):
            lines.append(f"{player_name(giver)} passes {words} to {player_name(taker)}")
    return lines


def _returned_words(state: Any) -> list[str]:
    """Return in words the Events that turned up when cards were dealt or drawn anew [G17]."""
    if not state.returned.any():
        return []
    return [f"{counted(_returned(state))} turned up and went back into the deck"]


def _scout_words(after: Any) -> list[str]:
    who, seat = player_name(after.turn), int(after.target_seat[0])
    if seat != NOBODY:
        return [f"{who} sees {player_name(seat)}'s hand: {counted(after.hand[seat])}"]
    seen = after.deck[after.deck_size - after.known_top[after.turn] : after.deck_size][::-1]
    return [f"{who} sees the top of the deck: {', '.join(Card(kind).title for kind in seen)}"]


assert len(QUESTIONS) == Phase.OVER
