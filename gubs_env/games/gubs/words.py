"""Gubs in words: the table as one seat sees it, and the log of what happened."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import Enum
from itertools import groupby
from typing import Any

import numpy as np

from gubs_env.engine.history import NONE
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.engine.text import Line, SeatWords, TableWords, player_name, plural, viewer_name
from gubs_env.engine.view import View
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
from gubs_env.games.gubs.history import Event, history
from gubs_env.games.gubs.legal import is_inner_pick, opens_window
from gubs_env.games.gubs.observation import has_passed
from gubs_env.games.gubs.rules import HAND_LIMIT
from gubs_env.games.gubs.score import Decided, outcome, points
from gubs_env.games.gubs.state import Phase

WINDOWS = (Phase.ANSWER, Phase.CURE, Phase.MERCHANT)
"""The phases in which players decide out of turn."""


def counted(counts: Iterable[int]) -> str:
    """Return cards in words, from counts by kind: `Lure, Mushroom ×2`."""
    return listed(enumerate(counts))


def listed(cards: Iterable[tuple[int, int]]) -> str:
    """Return cards in words, from pairs of a kind, or NONE if it is unknown, and a count."""
    return ", ".join(_several(kind, count) for kind, count in cards if count > 0) or "nothing"


def _several(kind: int, count: int) -> str:
    if kind == NONE:
        return plural(count, "card")
    return Card(kind).title + (f" ×{count}" if count > 1 else "")


def _turned_up(kind: int, times: int) -> str:
    return Card(kind).title + (f" ({times} times)" if times > 1 else "")


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


ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh"),
    *("eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth"),
)


def place_name(slot: int) -> str:
    """Return the name of a place in a colony; people count places from 1."""
    return f"place {slot + 1}"


def names_in(state: Any, seat: int) -> list[str]:
    """Return what everything in a colony is called: `Gub`, or `second Gub` of several."""
    elders = state.colony[seat, : state.colony_size[seat], Card.ESTEEMED_ELDER].tolist()
    if len(elders) - sum(elders) < 2:
        return [Card.ESTEEMED_ELDER.title if elder else Card.GUB.title for elder in elders]
    ordinals = iter(ORDINALS)
    return [
        Card.ESTEEMED_ELDER.title if elder else f"{next(ordinals)} {Card.GUB.title}"
        for elder in elders
    ]


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
        private=_own_lines(view) if view.seat != NOBODY else [],
        notes=_notes(view),
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
            known = counted(state.known[view.seat, seat])
            lines.append(f"You know {player_name(seat)} holds: {known}")
    if top := [card.title for card in known_top(view)]:
        lines.append(f"You know the top of the deck: {', '.join(top)}")
        if state.phase == Phase.ORDER and state.turn == view.seat:
            lines.append(f"Still to be put back: {', '.join(top[state.ordered :])}")
    if state.kept[view.seat] >= 0:
        lines.append(f"You keep from the Traveling Merchant: {Card(state.kept[view.seat]).title}")
    return [Line(line) for line in lines]


def known_top(view: View) -> list[Card]:
    """Return the cards at the top of the deck that the viewer knows, from the top down."""
    depth = 0 if view.seat == NOBODY else view.state.known_top[view.seat]
    return [Card(kind) for kind in view.state.deck[: view.state.deck_size][::-1][:depth]]


def _notes(view: View) -> list[Line]:
    state, lines = view.state, [Line(line, "faint") for line in letter_lines(view)]
    if state.discard_pile.any():
        lines.append(Line(f"Discard pile: {counted(state.discard_pile)}", "faint"))
    if move := move_line(state):
        lines.append(Line(move, "red"))
    return lines


def letter_ranges(view: View) -> list[tuple[int, int]]:
    """Return where each Letter of a third can lie as far as the viewer knows, from the top down.

    Returns:
        The first and the last card that it can be, counted from 1 at the top of the deck. A Letter
        among the top cards that the viewer knows has one place, and each other one lies below them.
    """
    state, top = view.state, known_top(view)
    size, live = int(state.deck_size), state.third_end > 0
    starts, ends = state.third_start[live].tolist(), state.third_end[live].tolist()
    thirds = [(size - end + 1, size - start) for start, end in zip(starts, ends, strict=True)]
    loose = _loose_letters(state)
    seen = [at for at, card in enumerate(top, 1) if card in LETTERS and card not in loose]
    unseen = thirds[::-1][len(seen) :]  # the Letters seen are those of the highest thirds
    return [(at, at) for at in seen] + [(max(first, len(top) + 1), last) for first, last in unseen]


def _loose_letters(state: Any) -> list[Card]:
    """Return the Letters that were shuffled in, and can lie anywhere in the deck."""
    return [card for card, flag in zip(LETTERS, state.letter_loose, strict=True) if flag]


def letter_lines(view: View, is_current: bool = False) -> list[str]:
    """Return what the viewer knows about the Letters in the deck, in words (section 8).

    Args:
        view: the view.
        is_current: whether to leave out the Events that turned up again since they went back.
    """
    lines, state, top = [], view.state, known_top(view)
    if among := ", another ".join(_range_words(*each) for each in letter_ranges(view)):
        lines.append(f"Counted from the top of the deck, a Letter lies {among}")
    if loose := [card.title for card in _loose_letters(state) if card not in top]:
        where = f"below the top {plural(len(top), 'card')} of" if top else "in"
        lines.append(f"Anywhere {where} the deck: {', '.join(loose)}")
    returned = state.returned.copy()
    returned[-len(LETTERS) :][state.letters == 1] = 0  # a Letter laid open is in no deck
    if is_current:
        lying = state.discard_pile.copy()
        lying[state.played] += state.announced
        returned[(lying == state.composition)[NUM_HAND_KINDS:]] = 0
    if returned.any():
        events = [
            _turned_up(kind, times)
            for kind, times in enumerate(returned.tolist(), NUM_HAND_KINDS)
            if times
        ]
        lines.append(f"Turned up and went back into the deck: {', '.join(events)}")
    return lines


def _range_words(first: int, last: int) -> str:
    return f"among cards {first} to {last}" if first < last else f"at card {first}"


def move_line(state: Any) -> str:
    """Return the card announced or being played with its targets, in words; "" without one."""
    if state.announced:
        return f"On the table: {_move_words(state, state)}"
    if is_inner_pick(state.phase):
        return f"You are playing: {_move_words(state, state)}"
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
        return f"You: {_question(state, len(legal) == 1)}"
    return f"Waiting for {'the others' if state.phase in WINDOWS else player_name(state.turn)}"


QUESTIONS = {
    Phase.DRAW: ("draw, or skip the draw", "your last draw was skipped: draw"),
    Phase.PLAY: ("play a card, or end the play", "{reason}: end the play"),
    Phase.NAME: ("say what Cricket Song stands for", ""),
    Phase.TARGET: ("choose {which} for {card}{chosen}", ""),
    Phase.MEANT: ("choose what {card} does there", ""),
    Phase.ORDER: ("choose the next card to lie on the deck, from the top down", ""),
    Phase.ANSWER: (
        "answer {card}, or let it take effect",
        "your hand holds no answer to {card}: pass",
    ),
    Phase.CURE: (
        "discard a cure and keep your hand, or lose the hand to the Plague",
        "your hand holds no cure: pass",
    ),
    Phase.MERCHANT: (
        "choose one card to keep; the rest go to {right}, on your right",
        "your hand holds one {kept}",
    ),
    Phase.DISCARD: ("your hand holds {held} cards, {limit} may stay: discard one", ""),
}
"""The question of each phase, and the other words for it, if any, if a single action is legal."""


def _question(state: Any, is_forced: bool) -> str:
    free, forced = QUESTIONS[state.phase]
    held, places = state.hand_size[state.turn], PLACES[state.played_as]
    num_chosen = state.num_targets if state.phase == Phase.TARGET else 0
    chosen = [_target_words(state, state, index) for index in range(num_chosen)]
    return ((is_forced and forced) or free).format(
        card=_title(state.played_as),
        which=f"the {ORDINALS[len(chosen)]} of {places} Gubs" if places > 1 else "the target",
        chosen=f", which traps {' and '.join(chosen)} too" if chosen else "",
        reason="no card in your hand can be played now" if held else "your hand is empty",
        right=player_name(seat_at(state, state.actor, state.num_players - 1)),
        held=held,
        kept="card: keep it" if state.hand_size[state.actor] == 1 else "kind of card: keep one",
        limit=HAND_LIMIT,
    )


HOW: dict[Enum, str] = {
    Decided.POINTS: "wins by points",
    Decided.ELDER: "wins the tie by the Elder",
    Decided.HAND_SIZE: "wins the tie by the fewest cards in hand",
    Decided.SHARED: "share the win",
}


def outcome_words(state: Any) -> str:
    """Return who won, and what decided, in words."""
    result = outcome(state)
    names = " and ".join(player_name(seat) for seat in result.winners)
    scores = ", ".join(f"{player_name(seat)} {score}" for seat, score in enumerate(result.scores))
    how, tied = HOW[result.decided_by], result.scores.count(max(result.scores))
    if 1 < len(result.winners) < tied:
        how += " by the fewest cards in hand"
    return f"The game is over: {names} {how} ({scores})"


def _move_words(before: Any, state: Any) -> str:
    """Return a move in words, as `Lure at player_1's second Gub` or `Mushroom on …`.

    Args:
        before: a state in which the targets are where they were when it was played.
        state: the state in which it has been played, in part or whole.
    """
    words = Card(state.played).title
    if state.played_as != state.played:
        words += f" as {Card(state.played_as).title}"
    targets = [_target_words(before, state, i) for i in range(state.num_targets)]
    aimed = "on" if _is_laid(state) else "at"
    return f"{words} {aimed} {' and '.join(targets)}" if targets else words


def _is_laid(state: Any) -> bool:
    """Return whether the move lays a Barricade on a Gub."""
    return Card(state.played_as).kind.type is CardType.BARRICADE and state.target_card == Card.GUB


def _target_words(before: Any, state: Any, index: int) -> str:
    seat, slot, card = state.target_seat[index], state.target_slot[index], state.target_card
    if seat == NOBODY:
        return "the deck"
    if slot < 0:
        return player_name(seat)
    named = f"{player_name(seat)}'s {names_in(before, seat)[slot]}"
    is_whole = card < 0 or card in (Card.GUB, Card.ESTEEMED_ELDER)
    return named if is_whole else f"the {Card(card).title} on {named}"


# --------------------------------------------------------------------------------------- the log


SENTENCES = {
    Event.DRAW: "{who} draws {card}",
    Event.SKIP: "{who} skips the draw",
    Event.PLAY: "{who} {plays} {move}",
    Event.END_PLAY: "{who} ends their play",
    Event.DISCARD: "{who} discards {card}",
    Event.ANSWER: "{who} answers with {card}: {answered} {undone}",
    Event.PASS: "{who} passes",
    Event.CURE: "{who} discards {card} and keeps their hand",
    Event.KEEP: "{who} keeps {card}",
    Event.ORDER: "{who} puts {card} next",
    Event.SEE: "{who} sees {scouted}: {cards}",
    Event.EFFECT: "{card} {effect}",
    Event.GONE: "; discarded: {cards}",
    Event.POINTS: "{points}",
    Event.RETURN: "{dealt}{turned_up} turned up and went back into the deck",
    Event.OVER: "{ending}",
    Event.PASSED: "{who} passes {cards} to {target}",
}
"""The words of each kind of event; those of GONE and POINTS continue the line of an EFFECT."""
OUTCOMES = {
    Card.SMAHL_THIEF: "the stolen card goes into the hand of whoever played the Thief",
    Card.HAKI_FLUTE: "what lay beneath joins the colony of whoever played the Flute",
    Card.AGE_OLD_CURE: "one of the discarded Gubs goes into their hand",
    Card.GARGOK_PLAGUE: "every hand that was not kept goes into the deck",
    Card.TRAVELING_MERCHANT: "each player keeps a card, and the rest go to the right",
}
"""The outcomes of some cards, beyond discards and points."""


def narrate(before: Any, action: int, after: Any, viewer: int) -> list[str]:
    """Return one decision in words (see `Game.narrate`)."""
    lines: list[str] = []
    events = history.records(before, action, after, viewer)
    for (kind, _), group in groupby(events, lambda e: (e.kind, e.kind == Event.PASSED and e.seat)):
        words = _event_words(list(group), before, after, viewer)
        lines.append(lines.pop() + words if kind in (Event.GONE, Event.POINTS) else words)
    return [f"{line}: nothing changes" if line.endswith("takes effect") else line for line in lines]


def _event_words(events: list[Any], before: Any, after: Any, viewer: int) -> str:
    """Return the events of one line in words, as a seat or NOBODY saw them."""

    def name(steps: int) -> str:
        return player_name(seat_at(after, viewer, steps))

    event = events[0]
    kind, answered, target = event.kind, event.target_card, name(event.target_seats[0])
    return SENTENCES[kind].format(
        who=name(event.seat),
        card=_title(event.card),
        cards=listed((each.card, each.count) for each in events),
        turned_up=", ".join(_turned_up(e.card, e.count) for e in events if e.kind == Event.RETURN),
        dealt="While hands were dealt, " * bool(before.decisions == 0),
        target=target,
        answered=_title(answered),
        undone="goes back into the deck" if IS_EVENT[answered] else "is cancelled",
        scouted="the top of the deck" if event.target_deck == 1 else f"{target}'s hand",
        points=_points_words((seat_at(after, viewer, e.seat), *e.points) for e in events),
        plays="lays" if kind == Event.PLAY and _is_laid(after) else "plays",
        move=_played_words(before, after) if kind == Event.PLAY else "",
        effect=_effect_words(before, after) if kind == Event.EFFECT else "",
        ending=outcome_words(after) if kind == Event.OVER else "",
    )


def _title(kind: int) -> str:
    return "a card" if kind == NONE else Card(kind).title


def _played_words(before: Any, after: Any) -> str:
    """Return a move in words, and all that a card does which nobody can answer."""
    words = _move_words(before, after)
    if opens_window(after):
        return words
    gone = after.discard_pile.astype(int) - before.discard_pile
    gone[after.played] -= 1
    kinds = np.flatnonzero(gone > 0).tolist()
    discarded = f"; discarded: {listed((kind, gone[kind]) for kind in kinds)}" if kinds else ""
    seats = range(after.num_players)
    changed = _points_words((seat, points(before, seat), points(after, seat)) for seat in seats)
    return words + _card_outcome(before, after) + discarded + changed


def _points_words(changes: Iterable[tuple[int, int, int]]) -> str:
    """Return changes of points in words, from (seat, before, after); "" if there are none."""
    told = ", ".join(f"{player_name(s)} {had} → {has}" for s, had, has in changes if had != has)
    return f"; points: {told}" if told else ""


def _effect_words(before: Any, after: Any) -> str:
    """Return the outcome of a card that took effect."""
    is_letter = after.played_as in LETTERS
    if is_letter:
        return "is laid open and ends the game" if after.phase == Phase.OVER else "is laid open"
    return f"takes effect{_card_outcome(before, after)}"


def _card_outcome(before: Any, after: Any) -> str:
    """Return the outcome of the card played, beyond discards and points; "" if there is none."""
    kind, grown = after.played_as, after.hand_size - before.hand_size
    moved = ""
    if kind == Card.GARGOK_PLAGUE and after.plague_redraw:
        moved = "and as many cards are drawn"
    elif kind in (Card.SUPER_LURE, Card.SMAHL_THIEF):
        seat = after.target_seat[0]
        moved = _moved_words(grown[seat], "Barricade", f"back into {player_name(seat)}'s hand")
    elif kind == Card.RETREAT:
        moved = _moved_words(grown[after.turn] + 1, "card", "into their hand")
    elif kind not in OUTCOMES:
        count = after.deck_size - before.deck_size + (before.phase == Phase.DRAW)
        moved = _moved_words(count, "card", "into the deck")
    told = ", ".join(filter(None, (OUTCOMES.get(kind), moved)))
    return f": {told}" if told else ""


def _moved_words(count: int, word: str, place: str) -> str:
    return f"{plural(count, word)} {'goes' if count == 1 else 'go'} {place}" if count > 0 else ""


assert len(QUESTIONS) == Phase.OVER
