"""Positions set by hand: helpers for the builder of every game.

`games/<game>/position.py` builds the positions of one game.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gubs_env.engine.border import fault_text, faults_of
from gubs_env.engine.faults import SOUND
from gubs_env.engine.game import Game
from gubs_env.engine.options import is_whole
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.table import Table

CardNamed = Callable[[str], int]
"""(title) → the number of the card; raises ValueError where there is none."""
TIMES = re.compile(r"(.*\S)\s*×\s*(.*)|(.*\S)\s+x\s*([-+\d].*)")
COPIES = re.compile(r"[1-9][0-9]?")


# ----------------------------------------------------------------------------- read the arguments


def cards_named(text: Any, place: str, card_named: CardNamed) -> list[int]:
    """Return the cards of a text like "Lure, Mushroom ×2", in order; "x2" means the same as "×2".

    Args:
        text: titles separated by commas; blank for no cards.
        place: where the cards lie, for the error.
        card_named: the kinds of card of the game.

    Raises:
        ValueError: for anything but a text, a title that no card has, or a number of copies other
            than 1 to 99.
    """
    if not isinstance(text, str):
        raise ValueError(f'{place}={text!r}: name cards in a text, as "Lure, Mushroom ×2"')
    cards: list[int] = []
    for word in filter(None, map(str.strip, text.split(","))):
        match = TIMES.fullmatch(word)
        title = word if match is None else match[1] or match[3]
        times = "1" if match is None else match[2] or match[4]
        if not COPIES.fullmatch(times or ""):
            raise ValueError(
                f"{place}: {word!r}: a card is named 1 to 99 times; to name no copies, leave the "
                "title out"
            )
        try:
            cards += [card_named(title)] * int(times)
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None
    return cards


def by_seat(name: str, entries: Any, num_seats: int) -> dict[str, Any]:
    """Return the text of each seat by its place, as "hands[0]"; "" for seats not mentioned.

    Args:
        name: the name of the argument.
        entries: a list of texts, or a mapping of seats to texts.
        num_seats: number of seats.

    Raises:
        ValueError: for more entries than seats, a seat out of range, or a text in place of a list.
    """
    if isinstance(entries, Mapping):
        for seat in entries:
            check_seat(f"{name}: seat", seat, range(num_seats))
    elif isinstance(entries, str) or not isinstance(entries, Sequence):
        raise ValueError(f"{name}={entries!r}: give a list with one entry for each seat")
    elif len(entries) > num_seats:
        raise ValueError(
            f"{name} has {len(entries)} entries: there are {num_seats} seats; give one each"
        )
    texts = entries if isinstance(entries, Mapping) else dict(enumerate(entries))
    return {f"{name}[{seat}]": texts.get(seat, "") for seat in range(num_seats)}


def check_seat(name: str, seat: Any, allowed: Iterable[int], why: str = "") -> int:
    """Return a seat as an int; raise ValueError unless it is one of those allowed."""
    seats = list(allowed)
    if is_whole(seat) and seat in seats:
        return int(seat)
    raise ValueError(f"{name}={seat!r}: allowed are the seats {seats}{why}")


def check_seats(name: str, seats: Any, allowed: Iterable[int], why: str = "") -> list[int]:
    """Return seats as ints; raise ValueError unless all of them are allowed."""
    if isinstance(seats, str) or not isinstance(seats, Collection):
        raise ValueError(f"{name}={seats!r}: give a list of seats")
    allowed = list(allowed)
    return [check_seat(name, seat, allowed, why) for seat in seats]


def check_choice(name: str, value: Any, allowed: Sequence[Any]) -> Any:
    """Return the allowed number that equals a value; raise ValueError if there is none."""
    for choice in allowed:
        if is_whole(value) and value == choice:
            return choice
    words = " or ".join(getattr(choice, "name", str(choice)) for choice in allowed)
    raise ValueError(f"{name}={value!r}: allowed is {words}; play on from there to reach others")


# ------------------------------------------------------------------------------- fill in the rest


def cards_left(
    places: Mapping[str, Sequence[int]], deck: np.ndarray, title: Callable[[int], str]
) -> np.ndarray:
    """Return how many cards of each kind lie at none of these places, int64[kinds].

    Args:
        places: the cards at each place, by its name.
        deck: cards of each kind in the full deck.
        title: the name of a kind.

    Raises:
        ValueError: if more cards are named than the deck has.
    """
    counts = {place: Counter(cards) for place, cards in places.items()}
    left = np.array(deck, np.int64)
    for counted in counts.values():
        for kind, count in counted.items():
            left[kind] -= count
    for kind in np.flatnonzero(left < 0).tolist():
        where = ", ".join(
            place + (f" (×{counted[kind]})" if counted[kind] > 1 else "")
            for place, counted in counts.items()
            if counted[kind]
        )
        raise ValueError(
            f"{title(kind)} ×{deck[kind] - left[kind]}: the deck has {deck[kind]}; they were named "
            f"in {where}"
        )
    return left


def rng_of(seed: Any) -> np.random.Generator:
    """Return the RNG that draws everything that a position leaves open.

    Raises:
        ValueError: for a seed that is neither None nor a whole number ≥ 0.
    """
    if seed is not None and not (is_whole(seed) and seed >= 0):
        raise ValueError(f"seed={seed!r}: allowed are None and whole numbers from 0 on")
    return np.random.default_rng(seed)


def shuffled(counts: np.ndarray, rng: np.random.Generator) -> list[int]:
    """Return cards, given their counts by kind, in a random order."""
    return rng.permutation(np.repeat(np.arange(len(counts)), counts)).tolist()


def dealt_state(table: Table, seed: Any, start: int = 0) -> Any:
    """Return the state of a newly dealt game, for a position to overwrite.

    Its RNG is the one after `env.reset(seed=seed)`.
    """
    states = table.new_states(1)
    states["rng"] = seed_rng(seed)
    table.game.kernel.deal(states, 0, start)
    return states[0]


def checked(game: Game, state: Any) -> Any:
    """Return a finished position; raise ValueError if the rules lead to no such state."""
    fault, where = faults_of(game, np.atleast_1d(state), np.full(1, NOBODY))[0].tolist()
    if fault != SOUND:
        raise ValueError(f"no game comes to this position: {fault_text(game, fault, where)}")
    return state
