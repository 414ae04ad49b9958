"""FUBNUB in words: the table as one player sees it, and the log of what happened."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from itertools import groupby
from typing import Any

import numpy as np

from gubs_env.engine.history import NONE
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.engine.text import Line, SeatWords, TableWords, Trick, plural, viewer_name
from gubs_env.engine.view import View
from gubs_env.games.fubnub.cards import (
    FAVOURED,
    HAND_CARDS,
    NO_CARD,
    NUM_ACTION_CARDS,
    NUMBER_TITLES,
    POINT_TITLES,
    RANK,
    VALUES,
    ActionCard,
    Colour,
)
from gubs_env.games.fubnub.history import MOST, Event, history, seat_of
from gubs_env.games.fubnub.score import Decided, outcome, points
from gubs_env.games.fubnub.state import MOST_SWAPS, UNDEALT, Phase, pile_of

QUESTIONS = {
    Phase.DECIDE: "put the point card in play, or pass",
    Phase.SWAP_OFFER: "draw a card for the dealer's advantage, or decline",
    Phase.SWAP_RETURN: "choose the card to return",
    Phase.SOCIAL: "perform (aloud or not), or decline and lose what was won",
    Phase.STEAL: "steal a point card, or decline",
    Phase.PICK: "choose who gets the dealer's advantage",
    Phase.KEEP: "choose the one card to keep",
    Phase.GECKO_OFFER: "take a card from the dealer's hand, or decline",
    Phase.GECKO_GIVE: "choose the card to give for it",
    Phase.PLAY: "play a card",
}
"""The question of each phase to the one who decides."""


COLOURS = ", ".join(colour.name.capitalize() for colour in reversed(Colour))
STRENGTHS = f"value decides, then colour: {COLOURS}."
"""The comparison of two cards if the point card favours both or neither."""


def seat_name(state: Any, seat: int) -> str:
    """Return the name of a seat, as `player_1` or `ghost 1`."""
    player = int(state.player_at[seat])
    ghosts = int((state.player_at[: seat + 1] == NOBODY).sum())
    return f"ghost {ghosts}" if player == NOBODY else f"player_{player}"


def side_name(state: Any, seat: int) -> str:
    """Return the names of the seats of a side, as `player_0 and player_2`."""
    seats = sorted((seat, seat ^ 2)) if state.teams else [seat]
    return " and ".join(seat_name(state, each) for each in seats)


def numbers(flags: np.ndarray) -> str:
    """Return number cards in words: `Red 1, Gold 2`."""
    return ", ".join(np.array(NUMBER_TITLES)[np.flatnonzero(flags)]) or "nothing"


def point_titles(flags: np.ndarray) -> str:
    """Return point cards in words: `Twos, Red`."""
    return ", ".join(np.array(POINT_TITLES)[np.flatnonzero(flags)]) or "nothing"


def strength_words(state: Any, card: int) -> str:
    """Return what makes a number card strong in this hand, in words (section 2)."""
    point, title = int(state.point_card), NUMBER_TITLES[card]
    if point == NO_CARD:
        return f"{title}: {STRENGTHS}"
    is_favoured = FAVOURED[point, card]
    beats = "it beats cards without a heart" if is_favoured else "cards with a heart beat it"
    favour = f"{'' if is_favoured else 'not '}favoured by {POINT_TITLES[point]}"
    return f"{title}: {favour}, {beats}. Then {STRENGTHS}"


# ------------------------------------------------------------------------------------- the table

COLOUR_STYLES = {"Red": "red", "Purple": "magenta", "Green": "green", "Gold": "yellow"}
CARD_STYLES = {title: COLOUR_STYLES[title.split()[0]] for title in NUMBER_TITLES}


def table_words(view: View) -> TableWords:
    """Return the table in words as the player of a view sees it (see `Game.table_words`)."""
    state = view.state
    return TableWords(
        heading=f"FUBNUB, seen by {viewer_name(view.seat)}",
        middle=[
            Line(f"hand {state.hands}"),
            Line(_point_card_words(state), "yellow"),
            Line(f"point deck {int(state.point_deck.sum())}"),
        ],
        seats=[_seat_words(view, seat) for seat in range(state.num_seats)],
        own_seat=int(seat_of(view.state, view.seat)),
        private=_own_lines(view) if view.seat != NOBODY else [],
        notes=_notes(state),
        card_styles=CARD_STYLES,
    )


def _point_card_words(state: Any) -> str:
    if state.point_card == NO_CARD:
        return "no point card"
    return f"point card {POINT_TITLES[state.point_card]}"


def _seat_words(view: View, seat: int) -> SeatWords:
    state, own_seat = view.state, seat_of(view.state, view.seat)
    has_led = state.trick_card[seat] != NO_CARD
    shown = (
        (seat == own_seat, "you"),
        (state.teams and own_seat != NOBODY and seat == own_seat ^ 2, "partner"),
        (state.dealer == seat, "dealer"),
        (state.caller == seat, "put the point card in play"),
        (state.passed[seat], "passed"),
        (state.leader == seat and state.phase == Phase.PLAY, "led" if has_led else "leads"),
        (state.blind[seat], "plays unseen"),
        (state.rapid == seat, "leads every trick"),
        (state.swapped[seat], f"swapped {plural(int(state.swapped[seat]), 'card')}"),
    )
    pile = state.owned[pile_of(state, seat)]
    earned = plural(int(pile.sum()), "point card")
    tricks = plural(int(state.tricks_won[seat]), "trick")
    held = plural(int(state.hand_size[seat]), "card")
    return SeatWords(
        seat_name(state, seat),
        [words for is_so, words in shown[: 2 if state.phase == Phase.OVER else None] if is_so],
        f"{tricks}, {held} in hand",
        [Line(f"{earned}: {point_titles(pile)}")] if pile.any() else [],
    )


def _notes(state: Any) -> list[Line]:
    """Return what everybody sees in the middle: action card, limbo and tricks."""
    lines = []
    if state.action_deck_used:
        left, card = NUM_ACTION_CARDS - int(state.action_gone.sum()), state.action_card
        shown = "" if card == NO_CARD else f", revealed {ActionCard(card).title}"
        lines.append(Line(f"Action cards: {left} in the stack{shown}"))
        lines += [Line(line) for line in last_award_words(state)]
    if state.limbo.any():
        lines.append(Line(f"In limbo: {point_titles(state.limbo)}", "red"))
    for number in range(int(state.tricks_won.sum())):
        winner = seat_name(state, state.trick_winner[number])
        cards = _trick_words(state, state.tricks[number] & state.played)
        lines.append(Line(f"Won by {winner}: {cards}", "faint"))
    if state.trick.any():
        lines.append(Line(f"Trick: {_trick_words(state, state.trick)}"))
    return lines


def last_award_words(state: Any) -> list[str]:
    """Return in words what the hand before brought to whom, if there was one."""
    if state.last_winner == NOBODY:
        return []
    winner, award = seat_name(state, state.last_winner), point_titles(state.last_award)
    return [f"The hand before: {winner} won {award}"]


def _trick_words(state: Any, cards: np.ndarray) -> str:
    """Return a trick in words, from flags of the card of each seat."""
    return ", ".join(
        f"{seat_name(state, seat)} {NUMBER_TITLES[card]}" for seat, card in np.argwhere(cards)
    )


def _own_lines(view: View) -> list[Line]:
    state = view.state
    own_seat = int(state.seat_of[view.seat])
    held = "played unseen" if state.blind[own_seat] else numbers(state.hand[own_seat])
    lines = [f"Hand: {held}"]
    if state.drawn != NO_CARD:
        lines.append(f"Just drawn, not to be given back: {NUMBER_TITLES[state.drawn]}")
    for seat in range(state.num_seats):
        if state.known[own_seat, seat].any():
            known = numbers(state.known[own_seat, seat])
            lines.append(f"You know {seat_name(state, seat)} holds: {known}")
    if state.known[own_seat, UNDEALT].any():
        lines.append(f"You know among the undealt: {numbers(state.known[own_seat, UNDEALT])}")
    return [Line(line) for line in lines]


def question_words(view: View, legal: Collection[int]) -> str:
    """Return the decision of the viewer in words, and why it is the only one, if it is.

    Args:
        legal: the legal actions of the viewer; none if they do not decide.
    """
    state = view.state
    if state.phase == Phase.OVER:
        return outcome_words(state)
    if state.actor != view.seat:
        return f"Waiting for player_{state.actor}"
    if state.phase == Phase.PLAY and len(legal) == 1:
        return "You: play the card that is left"
    return f"You: {QUESTIONS[state.phase]}"


def outcome_words(state: Any) -> str:
    """Return who won, and what decided, in words."""
    result = outcome(state)
    names = defaultdict(list)  # partners have one pile
    ghosts = np.flatnonzero(state.player_at[: state.num_seats] == NOBODY)
    for seat in (*state.seat_of[: state.num_players].tolist(), *ghosts.tolist()):
        names[pile_of(state, seat)].append(seat_name(state, seat))
    scores = ", ".join(
        f"{' and '.join(each)} {points(state, pile)}" for pile, each in names.items()
    )
    if state.truncated:
        return f"The game is cut off after {state.decisions} decisions ({scores})"
    winners = [seat_name(state, s) for s in range(state.num_seats) if state.won[s]]
    verb = "win" if len(winners) > 1 else "wins"
    how = f"{verb} by {result.decided_by.value}"
    if result.decided_by is Decided.DRAW:
        drawn = [card for card in state.showdown.tolist() if card != NO_CARD]
        drawn.sort(key=lambda card: -RANK[NO_CARD, card])
        best, *others = (NUMBER_TITLES[card] for card in drawn)
        how = f"{verb} the tie by drawing {best} against {' and '.join(others)}"
    if result.decided_by is Decided.SHARED:
        how = "share the win"
    return f"The game is over: {' and '.join(winners)} {how} ({scores})"


# --------------------------------------------------------------------------------------- the log


SENTENCES = {
    Event.HAND: "Hand {number}: {who} deals{twice}; the point card is {points}",
    Event.CALL: "{who} puts the point card in play",
    Event.PASS: "{who} passes",
    Event.NEW_POINT: "{cause} point card is {points}",
    Event.MISDEAL: "All have passed twice: a misdeal",
    Event.DRAW: "{who} draws {card}",
    Event.RETURN: "{who} returns {card}",
    Event.DECLINE: "{who} declines",
    Event.PERFORM: "{who} performs",
    Event.STEAL: "{who} steals {points}",
    Event.PICK: "{who} gives {target} the dealer's advantage",
    Event.KEEP: "{who} keeps {card} and takes the undealt",
    Event.TAKE: "{who} takes {card} from the dealer's hand",
    Event.GIVE: "{who} gives {card} for it",
    Event.REVEAL: '{who} reveals {action_card.title}: "{action_card.text}"',
    Event.CARD: "{who} plays {card}",
    Event.TRICK: "{who} takes the trick with {card}, {reason}",
}
"""The words of each kind of event but the awards of a hand and the end of the game."""


def narrate(before: Any, action: int, after: Any, viewer: int) -> list[str]:
    """Return one decision in words (see `Game.narrate`)."""
    own_seat, trick, lines = seat_of(before, viewer), before.trick_card.copy(), list[str]()
    tricks_won = before.tricks_won.copy()
    events = history.records(before, action, after, viewer)
    for (kind, steps), group in groupby(events, lambda event: (event.kind, event.seat)):
        if kind == Event.OVER:
            return [*lines, outcome_words(after)]
        same, seat = list(group), seat_at(after, own_seat, steps)
        if kind == Event.CARD:
            trick[seat] = same[0].card
        if kind == Event.TRICK:
            tricks_won[seat] += 1
        if kind == Event.AWARD:
            earned = ", ".join(POINT_TITLES[each.point_card] for each in same)
            lines.append(_award_words(before, seat, tricks_won, earned))
            continue
        reason = _reason(before, seat, trick) if kind == Event.TRICK else ""
        lines.append(_event_words(same, before, after, own_seat, reason))
    return lines


def ended_trick(before: Any, action: int, after: Any) -> Trick | None:
    """Return the trick that a decision ended, in words (see `Game.ended_trick`)."""
    laid, events = before.copy(), history.records(before, action, after, NOBODY)
    trick = laid.trick_card
    for event in events:
        seat = seat_at(after, NOBODY, event.seat)
        if event.kind == Event.TRICK:
            break
        if event.kind == Event.CARD:
            trick[seat] = event.card
            laid.trick[seat, event.card] = 1
            laid.hand[seat, event.card] = 0
            laid.hand_size[seat] -= 1
    else:
        return None
    laid.asked = laid.actor = NOBODY
    laid.trick_winner[laid.tricks_won.sum()] = seat
    laid.tricks_won[seat] += 1
    cards = [(seat_name(after, s), NUMBER_TITLES[trick[s]]) for s in range(after.num_seats)]
    kinds = [kind for (kind, _), _ in groupby(events, lambda event: (event.kind, event.seat))]
    told = dict(zip(kinds, narrate(before, action, after, NOBODY), strict=False))
    ending = []
    if Event.AWARD in told:
        ending = [f"Hand {before.hands}: {told[Event.AWARD]}"]
        ending += [told[Event.OVER]] if Event.OVER in told else []
    return Trick(seat_name(after, seat), cards, laid, ending)


def _award_words(state: Any, seat: int, tricks_won: np.ndarray, points: str) -> str:
    """Return in words who wins a hand with which tricks, and what they earn."""
    won = np.zeros(state.num_seats, int)
    for each in range(state.num_seats):
        won[pile_of(state, each)] += tricks_won[each]
    own = won[pile_of(state, seat)]
    tricks, side = plural(int(own), "trick"), side_name(state, seat)
    if state.teams:
        special = ": a sweep" if own == HAND_CARDS else ""
        special = ": a fub" if (seat ^ state.caller) & 1 else special
        return f"{side} win {tricks} to {won.sum() - own} and earn {points}{special}"
    is_tie = (won == own).sum() > 1
    tie = ", as many as another player, with the highest card among them," if is_tie else ""
    return f"{side} wins {tricks}{tie} and earns {points}"


def _event_words(events: list[Any], before: Any, after: Any, own_seat: int, reason: str) -> str:
    """Return events of one kind and seat in words; seats count from one's own."""
    event = events[0]
    kind, card = event.kind, event.card
    who, target = (
        seat_name(after, seat_at(after, own_seat, steps))
        for steps in (event.seat, event.target_seat)
    )
    unknown = "one card" if kind == Event.KEEP else "a card"
    passed = after.cycle != before.cycle and after.hands == before.hands
    return SENTENCES[kind].format(
        who=who,
        target=target,
        card=unknown if card == NONE else NUMBER_TITLES[card],
        points=", ".join(POINT_TITLES[each.point_card] for each in events),
        action_card=list(ActionCard)[event.action_card],
        number=after.hands if event.count == MOST else event.count,
        twice=" and may swap twice" if after.entitled[after.dealer] == MOST_SWAPS else "",
        cause="All have passed: the" if passed else "The",
        reason=reason,
    )


def _reason(state: Any, best: int, trick: np.ndarray) -> str:
    """Return the rule by which a seat takes a trick, in words (section 2)."""
    card, others = int(trick[best]), np.delete(trick[: state.num_seats], best)
    favoured = FAVOURED[state.point_card]
    rivals = others[favoured[others] == favoured[card]]
    if not rivals.size:
        return "the only card that the point card favours"
    alike = (rivals % VALUES == card % VALUES).any()
    why = "the stronger colour of two equal values" if alike else "the highest value"
    return why + (" among the favoured cards" if favoured[card] else "")


assert len(QUESTIONS) == Phase.OVER
