"""Positions of Gubs set by hand: puzzles, endgames, examples and tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
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
from gubs_env.engine.text import plural
from gubs_env.games.gubs.cards import (
    BARRICADES,
    IS_EVENT,
    LETTERS,
    NUM_COLONY_KINDS,
    PLACES,
    RINGS,
    Card,
    CardType,
)
from gubs_env.games.gubs.classes import forget_classes
from gubs_env.games.gubs.game import GAME
from gubs_env.games.gubs.rules import MAX_SLOTS, Rules
from gubs_env.games.gubs.state import Phase

LETTER_NAMES = "GUB"
Colony = list[list[Card]]
"""The places of a colony, each with its cards."""


def position(
    hands: Sequence[str],
    colonies: Sequence[str] | Mapping[int, str] = (),
    deck: str = "",
    discard: str = "",
    letters: str = "",
    turn: int = 0,
    phase: Phase = Phase.PLAY,
    skipped: Sequence[int] = (),
    rest: bool = True,
    rules: Rules | None = None,
    seed: int | None = None,
) -> Any:
    """Return a state of Gubs with the cards where you name them, for `env.set_state`.

    No player remembers anything about other hands or the deck. The Letters in the deck can lie
    anywhere in it, as if they had been shuffled in (section 8 of the rules).

    >>> state = position(["Lure", "Feather"], ["Gub", "Gub; Gub + Mushroom"], deck="Letter B")

    Args:
        hands: the cards of each seat, as "Lure, Mushroom ×2"; one text for each player.
        colonies: the places of each seat, in order of arrival, separated by ";" and the cards at a
            place by "+". A Ring is named at each of its Gubs, which lie side by side.
        deck: the next cards, top first.
        discard: the discard pile.
        letters: the Letters laid open, as "GU".
        turn: the seat whose turn it is, which is also the seat to decide.
        phase: `Phase.DRAW` or `Phase.PLAY`.
        skipped: the seats that skipped the draw on their last turn.
        rest: True shuffles all cards that are not named and puts them beneath those of `deck`;
            False leaves them out of the game.
        rules: the options; None means the defaults.
        seed: seed of the shuffle and of the game that follows; None takes fresh entropy.

    Returns:
        The state, a record of `STATE`, as `env.state()` returns it.

    Raises:
        TypeError: for rules of another game.
        ValueError: for an impossible position; the message says what is wrong and where.
    """
    texts = by_seat("hands", hands, len(hands) if isinstance(hands, Sequence) else 0)
    table = Table(GAME, len(texts), rules)
    held = {place: _hand(text, place) for place, text in texts.items()}
    texts = by_seat("colonies", colonies, len(texts))
    laid = {place: _colony(text, place, table.rules) for place, text in texts.items()}
    next_cards, discarded, opened = _cards(deck, "deck"), _discarded(discard), _opened(letters)
    turn = check_seat("turn", turn, range(len(texts)))
    skippers = check_seats("skipped", skipped, range(len(texts)))
    phase = check_choice("phase", phase, (Phase.DRAW, Phase.PLAY))
    places = {"deck": next_cards, "discard": discarded, "letters": opened, **held}
    places |= {place: _cards_of(colony) for place, colony in laid.items()}
    left = cards_left(places, table.rules.composition(), lambda kind: Card(kind).title)
    if not rest:
        _check_letters(left)
    beneath = shuffled(left, rng_of(seed)) if rest else []

    state = dealt_state(table, seed, turn)
    _lay_hands(state, held.values())
    _lay_colonies(state, laid.values())
    _stack(state, [*beneath, *reversed(next_cards)])
    np.add.at(state.discard_pile, discarded, 1)
    state.letters[[letter - Card.LETTER_G for letter in opened]] = 1
    state.skipped[skippers] = 1
    state.phase = phase
    if not rest:
        state.composition -= left.astype(np.int8)
    return checked(GAME, state)


# ---------------------------------------------------------------------------- read the arguments


def _cards(text: Any, place: str) -> list[Card]:
    return [Card(kind) for kind in cards_named(text, place, Card.named)]


def _hand(text: Any, place: str) -> list[Card]:
    cards = _cards(text, place)
    for card in cards:
        if IS_EVENT[card]:
            raise ValueError(f"{place}: {card.title} is an Event; Events never enter a hand")
    return cards


def _discarded(text: Any) -> list[Card]:
    cards = _cards(text, "discard")
    for card in cards:
        if card in LETTERS:
            raise ValueError(f"discard: {card.title} is laid open or in the deck, never discarded")
    return cards


def _opened(text: Any) -> list[Card]:
    if not isinstance(text, str) or set(text) - set(LETTER_NAMES) or len(set(text)) < len(text):
        raise ValueError(f'letters={text!r}: allowed are some of G, U and B, each once, as "GU"')
    if len(text) == len(LETTERS):
        raise ValueError(f"letters={text!r}: with all Letters open the game is over")
    return [LETTERS[LETTER_NAMES.index(name)] for name in text]


def _check_letters(left: np.ndarray) -> None:
    """Raise ValueError if a Letter is missing: the deck would run out before the game ends."""
    missing = [letter.title for letter in LETTERS if left[letter]]
    if missing:
        raise ValueError(
            f"{', '.join(missing)}: with rest=False every Letter must be named, in letters or in "
            "deck; the game ends with the last of them"
        )


def _colony(text: Any, place: str, rules: Rules) -> Colony:
    """Return the places that a text like "Gub + Mushroom; Gub" names."""
    if not isinstance(text, str):
        raise ValueError(f'{place}={text!r}: name places in a text, as "Gub + Mushroom; Gub"')
    texts = [words for words in text.split(";") if words.strip()]
    colony = [_cards(words.replace("+", ","), place) for words in texts]
    if len(colony) > MAX_SLOTS:
        raise ValueError(f"{place}: {len(colony)} places, but a colony has at most {MAX_SLOTS}")
    for words, cards in zip(texts, colony, strict=True):
        if complaint := _complaint(cards, rules):
            raise ValueError(f"{place}, {words.strip()!r}: {complaint}")
    _check_rings(colony, place)
    return colony


def _complaint(cards: list[Card], rules: Rules) -> str | None:
    """Return the reason why these cards cannot lie at one place (section 1); None if they can."""
    for card in cards:
        if card >= NUM_COLONY_KINDS:
            return f"{card.title} never lies in a colony"
    gubs = [card for card in cards if card.kind.type is CardType.GUB]
    traps = [card for card in cards if card.kind.type is CardType.TRAP]
    barricades = [card for card in cards if card in BARRICADES]
    if len(gubs) != 1:
        return 'a place holds one Gub, or the Elder; separate places by ";"'
    if gubs == [Card.ESTEEMED_ELDER] and len(cards) > 1:
        return "no card lies on the Elder"
    if traps and barricades:
        return "no Gub is under a Barricade and a Trap"
    if len(traps) > 1:
        return "only a Free Gub can be trapped, so that a Gub has one Trap at most"
    if len(barricades) > 1 and not rules.stacked_barricades:
        return "the rules say stacked_barricades=False: one Barricade on a Gub at most"
    return None


def _check_rings(colony: Colony, place: str) -> None:
    """Raise ValueError unless each Ring lies on as many Gubs as it takes, side by side."""
    rings = [next((card for card in cards if card in RINGS), None) for cards in colony]
    for ring, group in groupby(rings):
        length = len(list(group))
        if ring is not None and length % PLACES[ring]:
            raise ValueError(
                f"{place}: {ring.title} lies on {plural(length, 'Gub')} side by side; it takes "
                f"{PLACES[ring]}, and is named at each of them"
            )


def _cards_of(colony: Colony) -> list[Card]:
    """Return the cards of a colony, each Ring once."""
    cards = [card for place in colony for card in place]
    for ring in RINGS:
        for _ in range(cards.count(ring) - cards.count(ring) // int(PLACES[ring])):
            cards.remove(ring)
    return cards


# -------------------------------------------------------------------------------- lay the cards


def _lay_hands(state: Any, held: Iterable[list[Card]]) -> None:
    state.hand[:] = 0
    state.hand_size[:] = 0
    for seat, cards in enumerate(held):
        np.add.at(state.hand[seat], cards, 1)
        state.hand_size[seat] = len(cards)


def _lay_colonies(state: Any, laid: Iterable[Colony]) -> None:
    state.colony[:] = 0
    for seat, colony in enumerate(laid):
        state.colony_size[seat] = len(colony)
        for slot, cards in enumerate(colony):
            np.add.at(state.colony[seat, slot], cards, 1)


def _stack(state: Any, cards: list[int]) -> None:
    """Make these cards the deck, bottom first; players know which cards it holds, not where."""
    state.deck[:] = 0
    state.deck[: len(cards)] = cards
    state.deck_size = len(cards)
    state.returned[:] = 0
    state.third_start[:] = 0
    state.third_end[:] = 0
    forget_classes(state)
    state.letter_loose[:] = [letter in cards for letter in LETTERS]
