"""Positions of FUBNUB set by hand: puzzles, endgames, examples and tests."""

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
    checked,
    dealt_state,
    is_whole,
    rng_of,
    shuffled,
)
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.table import Table
from gubs_env.engine.text import plural
from gubs_env.games.fubnub.cards import (
    HAND_CARDS,
    NO_CARD,
    NUM_ACTION_CARDS,
    NUM_CARDS,
    NUMBER_TITLES,
    POINT_TITLES,
    RANK,
    VALUES,
    ActionCard,
    point_named,
)
from gubs_env.games.fubnub.effects import ask
from gubs_env.games.fubnub.game import GAME
from gubs_env.games.fubnub.rules import Rules
from gubs_env.games.fubnub.state import Phase, is_ghost
from gubs_env.games.fubnub.turn import ask_next_caller, begin_tricks, finish_trick, play_card

COLOUR_LETTERS = "RPNG"
"""The letters of the colours in short names: Red, Purple, greeN, Gold."""
SeatTexts = Sequence[str] | Mapping[int, str]


def position(
    hands: SeatTexts,
    point_card: str,
    piles: SeatTexts = (),
    point_deck: str | None = None,
    tricks: Sequence[str] = (),
    dealer: int | None = None,
    caller: int | None = None,
    swaps: int = 1,
    direction: int = 1,
    last_winner: int | None = None,
    last_award: str = "",
    action_stack: str | None = None,
    phase: Phase = Phase.PLAY,
    num_players: int | None = None,
    rest: bool = True,
    rules: Rules | None = None,
    seed: int | None = None,
) -> Any:
    """Return a state of FUBNUB in the middle of a hand, for `env.set_state`.

    Name a number card as "Gold 2" or "G2"; the letters are R, P, N (green) and G (gold). Separate
    the cards of a text by commas or, in the short form, by spaces. No player has seen the cards of
    another in this hand.

    >>> hands = ["R1 R2 R3 R4 R5", "P1 P2 P3 P4 P5", "N1 N2 N3 N4 N5", "G1 G2 G3 G4 G5"]
    >>> state = position(hands, "Twos", piles=["Odds", "Evens, Red"])

    Args:
        hands: the cards of each seat, ghosts included; all hold equally many.
        point_card: the point card in play.
        piles: the point cards earned by each seat, in teams by each side.
        point_deck: the point cards not revealed yet; None means all that are not named elsewhere,
            or a random choice of them if `rules.num_points` needs fewer.
        tricks: the tricks of this hand so far, each with one card of every seat, in the order of
            the seats. The highest card won each trick; the winner of the last one leads.
        dealer: the seat that deals; None means the last living seat.
        caller: the seat that put the point card in play, in modes of two sides; None means the
            first that was asked.
        swaps: how often the dealer may swap before the tricks begin: 1, or 2 after a sweep or a fub
            of the dealer's side.
        direction: the direction of play in Full Deck, 1 clockwise, or −1 once Reverse Direction is
            gone from the stack.
        last_winner: the seat that won the hand before, which reveals an action card in Full Deck.
            None means the first seat that has a pile, or, without piles, that this is the first
            hand.
        last_award: the point cards that `last_winner` won by the hand before; empty means all of
            its pile in Full Deck, and else the last card named there.
        action_stack: the action cards not revealed yet; None means all, but without Reverse
            Direction where it has turned play round.
        phase: `Phase.PLAY`, `Phase.SWAP_OFFER` (the dealer is asked) or `Phase.DECIDE`.
        num_players: the number of living players; None means the number that the mode needs, or as
            many as `hands` has.
        rest: True fills up hands that are too short, at random, from the cards that are not named;
            False forbids such hands.
        rules: the options; None means the defaults.
        seed: seed of the cards filled in and of the game that follows; None takes fresh entropy.

    Returns:
        The state, a record of `STATE`, as `env.state()` returns it.

    Raises:
        TypeError: for rules of another game.
        ValueError: for an impossible position; the message says what is wrong and where.
    """
    rng = rng_of(seed)
    state = _without_cards(dealt_state(_table(hands, num_players, rules), seed))
    phase = check_choice("phase", phase, (Phase.PLAY, Phase.SWAP_OFFER, Phase.DECIDE))
    check_choice("direction", direction, (1, -1) if state.action_deck_used else (1,))
    state.direction = direction
    _name_dealer(state, dealer)
    earned = _lay_points(state, point_card, piles, point_deck, rng)
    _lay_number_cards(state, hands, tricks, rest, rng)
    _lay_hand_before(state, earned, last_winner, last_award)
    _lay_action_cards(state, action_stack)
    _call(state, caller, phase)
    _stand_at(state, phase, swaps, rng)
    return checked(GAME, state)


def number_card(title: str) -> int:
    """Return the number card of a title, as "Gold 2" or "G2"; raise ValueError if there is none."""
    for card, name in enumerate(NUMBER_TITLES):
        short = f"{COLOUR_LETTERS[card // VALUES]}{card % VALUES + 1}"
        if title.casefold() in (name.casefold(), short.casefold()):
            return card
    raise ValueError(
        f"no number card is called {title!r}: they are Red, Purple, Green and Gold 1 to {VALUES}, "
        "in short R1, P1, N1 and G1"
    )


# ---------------------------------------------------------------------------------- seats, sides


def _table(hands: Any, num_players: int | None, rules: Any) -> Table:
    """Return the table; without a number of players, the mode or the hands decide it."""
    mode = GAME.make_rules(rules).mode
    if num_players is None and mode in ("royal", "full") and isinstance(hands, Sequence):
        num_players = len(hands)
    elif num_players is None and mode in ("ghost", "ghost_royal"):
        raise ValueError(f"num_players: say how many living players mode {mode!r} has")
    return Table(GAME, num_players, rules)


def _without_cards(state: Any) -> Any:
    """Take the cards out of a newly dealt state, and return it."""
    for name in ("hand", "hand_size", "undealt", "trick", "trick_size", "entitled", "passed"):
        state[name] = 0
    for name in ("point_deck", "owned", "absent", "turns"):
        state[name] = 0
    state.trick_card[:] = NO_CARD
    return state


def _living(state: Any) -> list[int]:
    return [seat for seat in range(state.num_seats) if not is_ghost(state, seat)]


def _name_dealer(state: Any, dealer: int | None) -> None:
    """Name the dealer, and give them the highest of the cards drawn for the first deal."""
    living, drawn = _living(state), state.showdown
    best = max(living, key=lambda seat: RANK[NO_CARD, drawn[seat]])
    if dealer is None:
        dealer = living[-1]
    state.dealer = check_seat("dealer", dealer, living, ", no ghost deals")
    drawn[[dealer, best]] = drawn[[best, dealer]]


# ---------------------------------------------------------------------------------- point cards


def _points(text: Any, place: str) -> list[int]:
    return cards_named(text, place, point_named)


def _lay_points(
    state: Any, point_card: Any, piles: Any, point_deck: Any, rng: np.random.Generator
) -> list[list[int]]:
    """Lay the point cards, the others being absent; return those of each pile, as named."""
    num_piles = 2 if state.teams else int(state.num_seats)
    texts = by_seat("piles", piles, num_piles)
    earned = {place: _points(text, place) for place, text in texts.items()}
    in_play = _points(point_card, "point_card")
    if len(in_play) != 1:
        raise ValueError(f"point_card={point_card!r}: one point card is in play; name it")
    state.point_card = in_play[0]
    places = {"point_card": in_play, **earned}
    if point_deck is not None:
        places["point_deck"] = _points(point_deck, "point_deck")
    left = cards_left(places, state.allowed_points, POINT_TITLES.__getitem__)
    due = int(state.num_points) - sum(map(len, places.values()))
    if due < 0 or (point_deck is not None and due > 0):
        raise ValueError(
            f"{state.num_points - due} point cards are named, but {state.num_points} are in the "
            "game (rules.num_points)"
        )
    for pile, (place, cards) in enumerate(earned.items()):
        state.owned[pile, cards] = 1
        if state.teams and len(cards) > state.num_points // 2:
            raise ValueError(f"{place}: with {len(cards)} point cards the game is won")
    drawn = shuffled(left, rng)[:due]
    state.point_deck[drawn + places.get("point_deck", [])] = 1
    state.absent[:] = 1 - state.point_deck - state.owned.sum(0)
    state.absent[state.point_card] = 0
    return list(earned.values())


def _lay_hand_before(
    state: Any, earned: list[list[int]], last_winner: int | None, last_award: str
) -> None:
    """Record who won the hand before, and which point cards of the pile that hand brought."""
    owners = [pile for pile, cards in enumerate(earned) if cards]
    if last_winner is None and not owners:
        if last_award:
            raise ValueError(f"last_award={last_award!r}: name the seat that won it, last_winner")
        return
    winner = owners[0] if last_winner is None else last_winner
    state.last_winner = check_seat("last_winner", winner, range(state.num_seats))
    pile = earned[winner & 1 if state.teams else winner]
    award = _points(last_award, "last_award") or (pile if state.action_deck_used else pile[-1:])
    if not award or not set(award) <= set(pile):
        raise ValueError(
            f"last_award={last_award!r}: name at least one point card, all of them in the "
            f"pile of seat {winner}, which won the hand before"
        )
    state.last_award[award] = 1
    state.hands = 1 + state.owned.sum()


# ---------------------------------------------------------------------------------- number cards


def _numbers(text: Any, place: str) -> list[int]:
    """Return the number cards of a text; spaces can separate their short names."""
    if isinstance(text, str) and all(len(word) == 2 for word in text.replace(",", " ").split()):
        text = ", ".join(text.replace(",", " ").split())
    return cards_named(text, place, number_card)


def _lay_number_cards(
    state: Any, hands: Any, tricks: Any, rest: bool, rng: np.random.Generator
) -> None:
    """Lay the hands and the tricks; all other number cards are undealt."""
    seats = int(state.num_seats)
    texts = by_seat("hands", hands, seats)
    held = {place: _numbers(text, place) for place, text in texts.items()}
    if isinstance(tricks, str) or not isinstance(tricks, Sequence) or len(tricks) >= HAND_CARDS:
        raise ValueError(f"tricks={tricks!r}: give a list of at most {HAND_CARDS - 1} texts")
    texts = by_seat("tricks", tricks, len(tricks))
    played = {place: _numbers(text, place) for place, text in texts.items()}
    left = cards_left(held | played, np.ones(NUM_CARDS, np.int64), NUMBER_TITLES.__getitem__)
    for place, cards in played.items():
        if len(cards) != seats:
            raise ValueError(f"{place}: {len(cards)} cards; a trick has one of each seat")
        state.trick_card[:seats] = cards
        finish_trick(state)
    undealt = _fill_hands(held, shuffled(left, rng), len(played), rest)
    for seat, cards in enumerate(held.values()):
        state.hand[seat, cards] = 1
        state.hand_size[seat] = len(cards)
    state.undealt[undealt] = 1


def _fill_hands(
    held: dict[str, list[int]], undealt: list[int], num_tricks: int, rest: bool
) -> list[int]:
    """Fill up hands that are too short from the undealt cards; return the cards left."""
    due = HAND_CARDS - num_tricks
    for place, cards in held.items():
        if len(cards) > due or (len(cards) < due and not rest):
            after = plural(num_tricks, "trick")
            raise ValueError(
                f"{place}: {len(cards)} cards, but after {after} each seat holds {due}"
            )
        cards += [undealt.pop() for _ in range(due - len(cards))]
    return undealt


# ---------------------------------------------------------------------------- action cards, phase


def _lay_action_cards(state: Any, action_stack: Any) -> None:
    """Lay the stack of action cards."""
    if not state.action_deck_used:
        if action_stack is not None:
            raise ValueError(
                "action_stack: only mode 'full' is played with action cards; leave it out"
            )
        return
    state.action_gone[ActionCard.REVERSE_DIRECTION] = state.direction < 0
    if action_stack is not None:
        stack = cards_named(action_stack, "action_stack", ActionCard.named)
        all_actions = np.ones(NUM_ACTION_CARDS, np.int64)
        cards_left({"action_stack": stack}, all_actions, lambda kind: ActionCard(kind).title)
        state.action_gone[:] = 1
        state.action_gone[stack] = 0


def _call(state: Any, caller: int | None, phase: Phase) -> None:
    """Record who put the point card in play, and that those asked before passed (section 5.2)."""
    living, seats = _living(state), int(state.num_seats)
    order = [(state.dealer + steps) % seats for steps in range(1, seats + 1)]
    if not state.teams or phase == Phase.DECIDE:
        if caller is not None:
            raise ValueError(
                f"caller={caller!r}: nobody has called in this mode or phase; leave it out"
            )
        return
    if caller is None:
        caller = next(seat for seat in order if seat in living)
    state.caller = check_seat("caller", caller, living, ", no ghost calls")
    state.turns = order.index(caller) + 1
    state.passed[order[: order.index(caller)]] = 1


def _stand_at(state: Any, phase: Phase, swaps: int, rng: np.random.Generator) -> None:
    """Ask the seat that decides first in this phase."""
    most = 2 if state.teams and phase != Phase.PLAY else 1
    if not (is_whole(swaps) and 1 <= swaps <= most):
        raise ValueError(f"swaps={swaps!r}: allowed are 1 and, with two sides before the tricks, 2")
    if phase != Phase.PLAY and state.tricks_won.any():
        raise ValueError(f"phase={phase.name}: no trick has been played at this point")
    if phase == Phase.DECIDE and not state.teams:
        raise ValueError("phase=DECIDE: the point card is put to a decision only with two sides")
    if phase == Phase.SWAP_OFFER and not (state.teams or state.action_deck_used):
        raise ValueError("phase=SWAP_OFFER: the dealer has no advantage in this mode")
    if phase == Phase.PLAY:
        if not state.tricks_won.any():
            begin_tricks(state)
        while is_ghost(state, state.to_play):
            card = rng.choice(np.flatnonzero(state.hand[state.to_play]))
            play_card(state, state.to_play, card)
        ask(state, state.to_play, Phase.PLAY)
        return
    state.leader = state.to_play = NOBODY
    state.entitled[state.dealer] = state.next_entitled = swaps
    if phase == Phase.DECIDE:
        ask_next_caller(state)
    else:
        ask(state, state.dealer, Phase.SWAP_OFFER)
