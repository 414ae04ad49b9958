"""The history of FUBNUB: what each player saw, event by event, as the log tells it (`words`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Any

import numpy as np

from gubs_env.engine.history import NONE, History, Row, relative, rows_of
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.engine.slices import lay_out
from gubs_env.games.fubnub.actions import ACCEPT, PLAY, point_of, steps_of
from gubs_env.games.fubnub.cards import HAND_CARDS, NUM_ACTION_CARDS, NUM_CARDS, NUM_POINTS
from gubs_env.games.fubnub.rules import MAX_SEATS
from gubs_env.games.fubnub.score import outcome
from gubs_env.games.fubnub.state import Phase
from gubs_env.games.fubnub.words import laid_to_lead, laid_to_trick, trick_is_over, trick_winner

MOST = np.iinfo(np.int8).max


class Event(IntEnum):
    """The kinds of event."""

    HAND = 0  # a hand is dealt, and its point card revealed
    CALL = 1  # the point card is put in play
    PASS = 2
    NEW_POINT = 3  # all have passed, and another point card is revealed
    MISDEAL = 4  # all have passed twice
    DRAW = 5  # the dealer's advantage: a card is drawn from the undealt cards
    RETURN = 6  # a card is returned for it
    DECLINE = 7
    PERFORM = 8
    STEAL = 9
    PICK = 10  # a seat is given the dealer's advantage
    KEEP = 11  # the one card kept (Do Over)
    TAKE = 12  # a card is taken from the dealer's hand (the gecko)
    GIVE = 13  # a card is given for it
    REVEAL = 14  # an action card is revealed
    CARD = 15  # a card is played to the trick
    TRICK = 16  # a seat takes the trick
    AWARD = 17  # a seat wins a point card: a row for each
    OVER = 18  # the game is over: a row for each player, and for each ghost that has won


SLICES = lay_out(
    [
        ("kind", (1,), max(Event), "the kind of event, by `Event`"),
        ("seat", (1,), MAX_SEATS - 1, "the seat that acts, or that the event is about"),
        ("phase", (1,), Phase.OVER - 1, "the decision that was made, by `Phase`"),
        ("card", (1,), NUM_CARDS - 1, "the number card that is played, drawn, returned or given"),
        ("point_card", (1,), NUM_POINTS - 1, "the point card that is revealed, stolen or won"),
        ("action_card", (1,), NUM_ACTION_CARDS - 1, "the action card that is revealed"),
        ("target_seat", (1,), MAX_SEATS - 1, "the seat that is picked"),
        ("by_itself", (1,), 1, "a ghost or an unseen hand played the card"),
        ("count", (1,), MOST, "the number of the hand, at most 127; at the end, the score"),
        ("won", (1,), 1, "the seat has won, alone or with others"),
    ]
)
row = rows_of(SLICES)


def events(before: Any, action: int, after: Any, viewer: int) -> list[Row]:
    """Return the events of one decision as a player saw them (see `History.events`)."""
    own = int(before.seat_of[viewer])
    seen = (
        [] if before.decisions else [_hand(before, own), *_laid(before, laid_to_lead(before), own)]
    )
    seen.append(_decision(before, action, after, viewer))
    if before.phase == Phase.PLAY:
        seen += _trick(before, action, after, own)
    new_hand = after.hands != before.hands
    if new_hand:
        if before.phase == Phase.DECIDE:
            seen.append(row(kind=Event.MISDEAL))
        seen.append(_hand(after, own))
    elif after.cycle != before.cycle:
        seen.append(row(kind=Event.NEW_POINT, point_card=after.point_card))
    if after.revealed and (new_hand or not before.revealed):
        seat = relative(after, own, after.last_winner)
        seen.append(row(kind=Event.REVEAL, seat=seat, action_card=after.action_card))
    begun = before.phase != Phase.PLAY or trick_is_over(before, after)
    if after.phase == Phase.PLAY and begun:
        seen += _laid(after, laid_to_lead(after), own)
    if after.phase == Phase.OVER:
        seen += _end(after, own)
    return seen


def _hand(state: Any, own: int) -> Row:
    dealer, number = relative(state, own, state.dealer), min(int(state.hands), MOST)
    return row(kind=Event.HAND, seat=dealer, point_card=state.point_card, count=number)


def _decision(before: Any, action: int, after: Any, viewer: int) -> Row:
    """Return a decision; a card that changes hands shows to those who see it."""
    phase, own = Phase(before.phase), int(before.seat_of[viewer])
    kind, values = _accepted(phase, action, after)
    if "seat" in values:
        target = seat_at(before, before.asked, values.pop("seat"))
        values["target_seat"] = relative(before, own, target)
    sees = {before.asked, before.dealer} if kind in (Event.TAKE, Event.GIVE) else {before.asked}
    if kind in SECRET and own not in sees:
        values = {}
    return row(kind=kind, seat=relative(before, own, before.asked), phase=phase, **values)


SECRET = (Event.DRAW, Event.RETURN, Event.KEEP, Event.TAKE, Event.GIVE)
"""The events that move a card which not everybody sees."""


def _accepted(phase: Phase, action: int, after: Any) -> tuple[Event, dict[str, int]]:
    """Return the kind of a decision, and what it names; `seat` counts from who decides."""
    if phase in NAMED:
        return NAMED[phase], {"card": action}
    if phase == Phase.DECIDE:
        return (Event.CALL if action == PLAY else Event.PASS), {}
    if phase == Phase.PICK:
        return Event.PICK, {"seat": steps_of(action)}
    if phase == Phase.STEAL and point_of(action) >= 0:
        return Event.STEAL, {"point_card": point_of(action)}
    if action != ACCEPT:
        return Event.DECLINE, {}
    if phase == Phase.SOCIAL:
        return Event.PERFORM, {}
    kind = Event.DRAW if phase == Phase.SWAP_OFFER else Event.TAKE
    return kind, {"card": after.drawn}


NAMED = {
    Phase.PLAY: Event.CARD,
    Phase.SWAP_RETURN: Event.RETURN,
    Phase.KEEP: Event.KEEP,
    Phase.GECKO_GIVE: Event.GIVE,
}
"""The decisions that name a number card."""


def _laid(state: Any, laid: Iterable[tuple[int, int]], own: int) -> Iterator[Row]:
    """Yield cards that ghosts and unseen hands played by themselves."""
    for seat, card in laid:
        yield row(kind=Event.CARD, seat=relative(state, own, seat), card=card, by_itself=1)


def _trick(before: Any, action: int, after: Any, own: int) -> Iterator[Row]:
    """Yield the cards that followed without asking, the winner of the trick, and the award."""
    laid = laid_to_trick(before, action, after)
    yield from _laid(before, laid[1:], own)
    if trick_is_over(before, after):
        yield row(kind=Event.TRICK, seat=relative(before, own, trick_winner(before, laid)))
        if before.tricks_won.sum() == HAND_CARDS - 1:
            seat = relative(after, own, after.last_winner)
            for point in np.flatnonzero(after.last_award):
                yield row(kind=Event.AWARD, seat=seat, point_card=point)


def _end(state: Any, own: int) -> Iterator[Row]:
    """Yield the score of each player and who has won; nobody has in a game that was cut off."""
    scores = outcome(state).scores
    for seat in range(state.num_seats):
        player = int(state.player_at[seat])
        won = NONE if state.truncated else state.won[seat]
        if player != NOBODY or won == 1:
            score = scores[player] if player != NOBODY else NONE
            yield row(kind=Event.OVER, seat=relative(state, own, seat), count=score, won=won)


history = History(SLICES, events)
