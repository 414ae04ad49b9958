"""Positions of Bad, Bad, Turtle set by hand: puzzles, endgames, examples and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gubs_env.engine.position import (
    by_seat,
    cards_left,
    cards_named,
    check_choice,
    check_seat,
    check_seats,
    checked,
    dealt_state,
    rng_of,
    shuffled,
)
from gubs_env.engine.table import Table
from gubs_env.games.bad_bad_turtle.cards import (
    FIRST_REACTION,
    NO_CARD,
    NUM_MODIFIERS,
    REACTIONS,
    Card,
)
from gubs_env.games.bad_bad_turtle.game import GAME
from gubs_env.games.bad_bad_turtle.rules import Rules

Piles = list[list[int]]
"""The cards of each seat's pile."""
SeatTexts = Sequence[str] | Mapping[int, str]


def position(
    stacks: SeatTexts,
    discards: SeatTexts = (),
    revealed: SeatTexts = (),
    set_aside: Mapping[str, int] | None = None,
    turn: int = 1,
    modifier: str | None = None,
    eliminated: Sequence[int] = (),
    peeking: Sequence[int] = (),
    direction: int = 1,
    dealer: int = 0,
    num_players: int | None = None,
    rest: bool = True,
    rules: Rules | None = None,
    seed: int | None = None,
) -> Any:
    """Return a state of Bad, Bad, Turtle at the start of a turn, for `env.set_state`.

    No player has seen which cards went into the discard piles.

    >>> state = position(["Skip", "blank ×2, Turtle", "blank"], rest=False)

    Args:
        stacks: the stack of each seat, top first, as "Skip, blank ×2"; a "blank" is a number card.
            A mapping {seat: text} leaves the other stacks empty.
        discards: the discard piles, top first.
        revealed: the reveal piles, in order of arrival.
        set_aside: who has each card set aside, as {"No Way": 2}.
        turn: the seat whose turn it is.
        modifier: the card that lies on the turn. If it is in no reveal pile, it goes onto the
            reveal pile of the player before.
        eliminated: the seats that are out of the game.
        peeking: the seat that may look through its own stack, in a list. If Peek is in no reveal
            pile, it goes beneath that of this seat.
        direction: the direction of play, 1 clockwise or −1, which takes Reverse Direction.
        dealer: the seat that dealt.
        num_players: the number of players; None means as many as `stacks` has.
        rest: True shuffles all cards that are not named and deals them beneath the stacks, one by
            one, clockwise from `turn`; False leaves them out of the game, and the Turtle must be
            named.
        rules: the options; None means the defaults.
        seed: seed of the shuffle and of the game that follows; None takes fresh entropy.

    Returns:
        The state, a record of `STATE`, as `env.state()` returns it.

    Raises:
        TypeError: for rules of another game.
        ValueError: for an impossible position; the message says what is wrong and where.
    """
    table = Table(GAME, _count_players(stacks) if num_players is None else num_players, rules)
    num_players = table.num_players
    living = _living(eliminated, num_players)
    turn = check_seat("turn", turn, living, ", who are not eliminated")
    check_seat("dealer", dealer, range(num_players))
    check_choice("direction", direction, (1, -1))
    lookers = check_seats("peeking", peeking, living, ", who are not eliminated")
    holders = _holders(set_aside or {}, living)
    texts = {"stacks": stacks, "discards": discards, "revealed": revealed}
    piles = {name: _piles(name, given, num_players) for name, given in texts.items()}
    if len(lookers) == 1 and not any(Card.PEEK in pile for pile in piles["revealed"]):
        piles["revealed"][lookers[0]].insert(0, Card.PEEK)
    lying_on_turn = _lay_modifier(piles["revealed"], modifier, _before(turn, living, direction))
    if table.rules.younger and (holders or lookers or lying_on_turn != NO_CARD):
        given = "set_aside, peeking and modifier"
        raise ValueError(f"{given}: with younger=True cards have no effect; leave them out")
    left = _cards_left(piles, holders, table.rules)
    if rest:
        for number, card in enumerate(shuffled(left, rng_of(seed)), living.index(turn)):
            piles["stacks"][living[number % len(living)]].append(card)
    _check_eliminated(piles["stacks"], piles["discards"], living)

    state = dealt_state(table, seed, (dealer + 1) % num_players)
    _lay_piles(state, piles)
    state.living[:num_players] = [seat in living for seat in range(num_players)]
    state.peeking[lookers] = 1
    for card, seat in holders.items():
        state.aside[card - FIRST_REACTION] = seat
    state.modifier = lying_on_turn
    state.direction = direction
    state.turn = state.actor = turn
    state.next_turn = _before(turn, living, -direction)
    if not rest:
        state.composition -= left.astype(np.int8)
    return checked(GAME, state)


# ---------------------------------------------------------------------------- read the arguments


def number_or_action(title: str) -> Card:
    """Return the kind of a title; "blank" is a number card. Raise ValueError if there is none."""
    return Card.BLANK if title.casefold() == "blank" else Card.named(title)


def _piles(name: str, texts: SeatTexts, num_players: int) -> Piles:
    by_place = by_seat(name, texts, num_players).items()
    return [cards_named(text, place, number_or_action) for place, text in by_place]


def _count_players(stacks: Any) -> int:
    if isinstance(stacks, Mapping | str) or not isinstance(stacks, Sequence):
        raise ValueError(f"stacks={stacks!r}: give one text for each seat, or num_players too")
    return len(stacks)


def _living(eliminated: Sequence[int], num_players: int) -> list[int]:
    """Return the seats that are not eliminated."""
    out = check_seats("eliminated", eliminated, range(num_players))
    living = [seat for seat in range(num_players) if seat not in out]
    if len(living) < 2:
        raise ValueError(f"eliminated={list(eliminated)}: with one player left the game is over")
    return living


def _holders(set_aside: Mapping[str, int], living: list[int]) -> dict[Card, int]:
    """Return the holder of each card that is set aside."""
    if not isinstance(set_aside, Mapping):
        raise ValueError(f'set_aside={set_aside!r}: say who has each card, as {{"No Way": 2}}')
    holders = {}
    for title, seat in set_aside.items():
        card = number_or_action(title)
        if card not in REACTIONS:
            allowed = ", ".join(reaction.title for reaction in REACTIONS)
            raise ValueError(f"set_aside: {card.title} is never set aside; allowed are {allowed}")
        holders[card] = check_seat(f"set_aside[{title!r}]", seat, living, ", not eliminated")
    return holders


def _before(turn: int, living: list[int], direction: int) -> int:
    """Return the living seat before `turn` in this direction of play."""
    return living[(living.index(turn) - direction) % len(living)]


def _lay_modifier(revealed: Piles, title: str | None, before: int) -> int:
    """Return the card on the turn; lay it on a reveal pile if it is on none (T9)."""
    if title is None:
        return NO_CARD
    card = number_or_action(title)
    if card >= NUM_MODIFIERS:
        allowed = ", ".join(Card(kind).title for kind in range(NUM_MODIFIERS))
        raise ValueError(f"modifier: {card.title} does not lie on a turn; allowed are {allowed}")
    if not any(card in pile for pile in revealed):
        revealed[before].append(card)
    return card


def _cards_left(piles: dict[str, Piles], holders: dict[Card, int], rules: Rules) -> np.ndarray:
    places: dict[str, Sequence[int]] = {
        f"{name}[{seat}]": cards for name in piles for seat, cards in enumerate(piles[name])
    }
    places["set_aside"] = list(holders)
    return cards_left(places, rules.composition(), lambda kind: Card(kind).title)


def _check_eliminated(stacks: Piles, discards: Piles, living: list[int]) -> None:
    """Raise ValueError for a stack or a discard pile of an eliminated player (section 8)."""
    for seat, (stack, discarded) in enumerate(zip(stacks, discards, strict=True)):
        if seat not in living and (stack or discarded):
            raise ValueError(
                f"stacks[{seat}], discards[{seat}]: the player is eliminated, and their cards were "
                "dealt to the others; only a reveal pile is left"
            )


# -------------------------------------------------------------------------------- lay the cards


def _lay_piles(state: Any, piles: dict[str, Piles]) -> None:
    """Write the piles; all but the reveal piles are named from the top."""
    state.discard_seen[:] = 0
    for name, sizes, array in (
        ("stacks", state.stack_size, state.stack),
        ("discards", state.discard_size, state.discard_pile),
        ("revealed", state.reveal_size, state.reveal_pile),
    ):
        array[:] = 0
        for seat, cards in enumerate(piles[name]):
            sizes[seat] = len(cards)
            array[seat, : len(cards)] = cards if name == "revealed" else cards[::-1]
