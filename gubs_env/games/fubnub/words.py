"""FUBNUB in words: the table as one player sees it, and the log of what happened."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.engine.text import Line, SeatWords, TableWords, plural, viewer_name
from gubs_env.engine.view import View
from gubs_env.games.fubnub.actions import ACCEPT, DECLINE, PLAY, point_of, steps_of
from gubs_env.games.fubnub.cards import (
    FAVOURED,
    HAND_CARDS,
    NO_CARD,
    NUM_ACTION_CARDS,
    NUMBER_TITLES,
    POINT_TITLES,
    VALUES,
    ActionCard,
)
from gubs_env.games.fubnub.history import best_seat, lay_trick, reveals_point_card, trick_is_over
from gubs_env.games.fubnub.score import Decided, outcome
from gubs_env.games.fubnub.state import UNDEALT, Phase, pile_of, seat_in_play

QUESTIONS = {
    Phase.DECIDE: "put the point card in play, or pass",
    Phase.SWAP_OFFER: "draw a card for the dealer's advantage, or decline",
    Phase.SWAP_RETURN: "choose the card to return",
    Phase.SOCIAL: "perform, or decline and lose what was won",
    Phase.STEAL: "steal a point card, or decline",
    Phase.PICK: "choose who gets the dealer's advantage",
    Phase.KEEP: "choose the one card to keep",
    Phase.GECKO_OFFER: "take a card from the dealer's hand, or decline",
    Phase.GECKO_GIVE: "choose the card to give for it",
    Phase.PLAY: "play a card",
}
"""The question of each phase to the one who decides."""


def seat_name(state: Any, seat: int) -> str:
    """Return the name of a seat, as `player_1` or `ghost 1`."""
    player = int(state.player_at[seat])
    ghosts = int((state.player_at[: seat + 1] == NOBODY).sum())
    return f"ghost {ghosts}" if player == NOBODY else f"player_{player}"


def numbers(flags: np.ndarray) -> str:
    """Return number cards in words: `Red 1, Gold 2`."""
    return ", ".join(np.array(NUMBER_TITLES)[np.flatnonzero(flags)]) or "nothing"


def point_titles(flags: np.ndarray) -> str:
    """Return point cards in words: `Twos, Red`."""
    return ", ".join(np.array(POINT_TITLES)[np.flatnonzero(flags)]) or "nothing"


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
        own_seat=_own_seat(view),
        own=_own_lines(view) if view.seat != NOBODY else [],
        notes=_notes(state),
        card_styles=CARD_STYLES,
    )


def _own_seat(view: View) -> int:
    return NOBODY if view.seat == NOBODY else int(view.state.seat_of[view.seat])


def _point_card_words(state: Any) -> str:
    if state.point_card == NO_CARD:
        return "no point card"
    return f"point card {POINT_TITLES[state.point_card]}"


def _action_card_words(state: Any) -> str:
    left = NUM_ACTION_CARDS - int(state.action_gone.sum())
    shown = (
        "" if state.action_card == NO_CARD else f", revealed {ActionCard(state.action_card).title}"
    )
    return f"Action cards: {left} in the stack{shown}"


def _seat_words(view: View, seat: int) -> SeatWords:
    state, own = view.state, _own_seat(view)
    shown = (
        (seat == own, "you"),
        (state.teams and own != NOBODY and seat == own ^ 2, "partner"),
        (state.dealer == seat, "dealer"),
        (state.caller == seat, "put the card in play"),
        (state.passed[seat], "passed"),
        (state.leader == seat and state.phase == Phase.PLAY, "leads"),
        (state.blind[seat], "plays unseen"),
        (state.rapid == seat, "leads every trick"),
        (state.swapped[seat], f"swapped {state.swapped[seat]}"),
    )
    pile = state.owned[pile_of(state, seat)]
    earned = plural(int(pile.sum()), "point card")
    tricks = plural(int(state.tricks_won[seat]), "trick")
    held = plural(int(state.hand_size[seat]), "card")
    return SeatWords(
        seat_name(state, seat),
        [words for is_so, words in shown if is_so],
        f"{tricks}, {held} in hand",
        [Line(f"{earned}: {point_titles(pile)}")] if pile.any() else [],
    )


def _notes(state: Any) -> list[Line]:
    """Return what everybody sees in the middle: action card, limbo and tricks."""
    lines = []
    if state.action_deck_used:
        lines.append(Line(_action_card_words(state)))
        lines += [Line(line) for line in last_award_words(state)]
    if state.limbo.any():
        lines.append(Line(f"In limbo: {point_titles(state.limbo)}", "red"))
    for number in range(int(state.tricks_won.sum())):
        winner = seat_name(state, state.trick_winner[number])
        lines.append(Line(f"Won by {winner}: {_trick_cards(state, number)}", "faint"))
    laid = [(s, state.trick_card[s]) for s in range(state.num_seats) if state.trick_card[s] >= 0]
    if laid:
        cards = ", ".join(f"{seat_name(state, s)} {NUMBER_TITLES[card]}" for s, card in laid)
        lines.append(Line(f"Trick: {cards}"))
    return lines


def last_award_words(state: Any) -> list[str]:
    """Return in words what the hand before brought to whom, if there was one."""
    if state.last_winner == NOBODY:
        return []
    winner, award = seat_name(state, state.last_winner), point_titles(state.last_award)
    return [f"The hand before: {winner} won {award}"]


def _trick_cards(state: Any, number: int) -> str:
    """Return an earlier trick of this hand in words, card by card."""
    laid = state.tricks[number] & state.played
    return ", ".join(
        f"{seat_name(state, seat)} {NUMBER_TITLES[card]}" for seat, card in np.argwhere(laid)
    )


def _own_lines(view: View) -> list[Line]:
    state = view.state
    own = int(state.seat_of[view.seat])
    held = "played unseen" if state.blind[own] else numbers(state.hand[own])
    lines = [f"Hand: {held}"]
    if state.drawn != NO_CARD:
        lines.append(f"Just drawn, not to be given back: {NUMBER_TITLES[state.drawn]}")
    for seat in range(state.num_seats):
        if state.known[own, seat].any():
            known = numbers(state.known[own, seat])
            lines.append(f"You know {seat_name(state, seat)} holds: {known}")
    if state.known[own, UNDEALT].any():
        lines.append(f"You know among the undealt: {numbers(state.known[own, UNDEALT])}")
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
    scores = ", ".join(f"player_{player} {score}" for player, score in enumerate(result.scores))
    if state.truncated:
        return f"The game is cut off after {state.decisions} decisions ({scores})"
    names = [seat_name(state, s) for s in range(state.num_seats) if state.won[s]]
    verb = "win" if len(names) > 1 else "wins"
    how = f"{verb} by {result.decided_by.value}"
    if result.decided_by is Decided.SHARED:
        how = "share the win"
    return f"The game is over: {' and '.join(names)} {how} ({scores})"


# --------------------------------------------------------------------------------------- the log


def narrate(before: Any, action: int, after: Any, viewer: int | None) -> list[str]:
    """Return one decision in words (see `Game.narrate`).

    Args:
        viewer: the player who reads the words; None tells what everybody saw.
    """
    lines = [] if before.decisions else [*_hand_words(before), *_led_words(before)]
    lines.append(_decision_words(before, action, after, viewer))
    if before.phase == Phase.PLAY:
        lines += _trick_words(before, action, after)
    if after.hands != before.hands:
        if before.phase == Phase.DECIDE:
            lines.append("All have passed twice: a misdeal")
        lines += _hand_words(after)
    elif after.cycle != before.cycle:
        lines.append(f"All have passed: the point card is {POINT_TITLES[after.point_card]}")
    if after.revealed and (after.hands != before.hands or not before.revealed):
        who = seat_name(after, after.last_winner)
        card = ActionCard(after.action_card)
        lines.append(f'{who} reveals {card.title}: "{card.text}"')
        if reveals_point_card(after):
            lines.append(f"The point card is {POINT_TITLES[after.point_card]}")
    if after.phase == Phase.PLAY and (before.phase != Phase.PLAY or trick_is_over(before, after)):
        lines += _led_words(after)
    if after.phase == Phase.OVER:
        lines.append(outcome_words(after))
    return lines


def _hand_words(state: Any) -> list[str]:
    """Return the words for a new hand."""
    dealer, point = seat_name(state, state.dealer), POINT_TITLES[state.point_card]
    return [f"Hand {state.hands}: {dealer} deals; the point card is {point}"]


def _decision_words(before: Any, action: int, after: Any, viewer: int | None) -> str:
    own = viewer == before.actor
    who = f"player_{before.actor}"
    phase = before.phase
    if phase == Phase.PLAY:
        return f"{who} plays {NUMBER_TITLES[action]}"
    if phase == Phase.DECIDE:
        return f"{who} puts the point card in play" if action == PLAY else f"{who} passes"
    if phase == Phase.SWAP_RETURN:
        return f"{who} returns {NUMBER_TITLES[action] if own else 'a card'}"
    if phase == Phase.STEAL and action != DECLINE:
        return f"{who} steals {POINT_TITLES[point_of(action)]}"
    if phase == Phase.PICK:
        named = seat_name(before, seat_at(before, before.asked, steps_of(action)))
        return f"{who} gives {named} the dealer's advantage"
    if phase == Phase.KEEP:
        return f"{who} keeps {NUMBER_TITLES[action] if own else 'one card'} and takes the undealt"
    if phase == Phase.GECKO_GIVE:
        sees = own or viewer == before.player_at[before.dealer]
        return f"{who} gives {NUMBER_TITLES[action] if sees else 'a card'} for it"
    return f"{who} {_answer_words(before, action, after, viewer)}"


def _answer_words(before: Any, action: int, after: Any, viewer: int | None) -> str:
    """Return the words for accepting or declining an offer."""
    if action != ACCEPT:
        return "declines"
    if before.phase == Phase.SOCIAL:
        return "performs"
    own = viewer == before.actor
    if before.phase == Phase.SWAP_OFFER:
        return f"draws {NUMBER_TITLES[after.drawn] if own else 'a card'}"
    sees = own or viewer == before.player_at[before.dealer]
    return f"takes {NUMBER_TITLES[after.drawn] if sees else 'a card'} from the dealer's hand"


def _trick_words(before: Any, action: int, after: Any) -> list[str]:
    """Return in words the cards that were then played without asking, the winner and the award."""
    trick = before.trick_card.copy()
    laid = range(1, lay_trick(before, action, after, trick))
    seats = [seat_in_play(before, before.asked, steps) for steps in laid]
    lines = [_laid_words(before, seat, trick[seat]) for seat in seats]
    if trick_is_over(before, after):
        lines.append(_taken_words(before, trick))
        if before.tricks_won.sum() == HAND_CARDS - 1:
            awarded = point_titles(after.last_award)
            lines.append(f"{seat_name(after, after.last_winner)} wins {awarded}")
    return lines


def _taken_words(state: Any, trick: np.ndarray) -> str:
    """Return who takes a trick with which card, and which rule decided (section 2)."""
    best = best_seat(state, trick)
    card, others = int(trick[best]), np.delete(trick[: state.num_seats], best)
    favoured = FAVOURED[state.point_card]
    rivals = others[favoured[others] == favoured[card]]
    if not rivals.size:
        why = "the only card that the point card favours"
    elif (rivals % VALUES == card % VALUES).any():
        why = "the stronger colour of two equal values"
    else:
        why = "the highest value"
    if favoured[card] and rivals.size:
        why += " among the favoured cards"
    return f"{seat_name(state, best)} takes the trick with {NUMBER_TITLES[card]}, {why}"


def _laid_words(state: Any, seat: int, card: int) -> str:
    return f"{seat_name(state, seat)} plays {NUMBER_TITLES[card]}"


def _led_words(state: Any) -> list[str]:
    """Return in words the cards that were played without asking at the beginning of a trick."""
    seats = [seat_in_play(state, state.leader, steps) for steps in range(state.trick_size)]
    return [_laid_words(state, seat, state.trick_card[seat]) for seat in seats]


assert len(QUESTIONS) == Phase.OVER
