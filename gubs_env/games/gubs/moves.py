"""Moves and picks of Gubs in words, as the player to decide reads them.

The words name players, as in player_2. Actions count seats from the player to decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gubs_env.engine.seats import NOBODY
from gubs_env.engine.text import player_name
from gubs_env.engine.view import View
from gubs_env.games.gubs.actions import ACTIONS_PER_SEAT, DECK, FIRST_CARD, FIRST_SEAT, PASS
from gubs_env.games.gubs.cards import (
    LAID_TYPES,
    MEANT_THINGS,
    OTHERS_AIMS,
    OWN_AIMS,
    PLACES,
    Card,
    CardType,
)
from gubs_env.games.gubs.legal import is_inner_pick, things_at
from gubs_env.games.gubs.state import Phase
from gubs_env.games.gubs.words import names_in, place_words

Target = tuple[int, int]
"""(absolute seat, slot); slot −1 means the whole seat, and seat NOBODY the deck."""
TITLES = tuple(card.title for card in Card)
TYPES = tuple(card.kind.type for card in Card)
GUB, ELDER, CRICKET_SONG = map(int, (Card.GUB, Card.ESTEEMED_ELDER, Card.CRICKET_SONG))

AT_PLACES: dict[int, str] = {
    Card.LURE: "lure {}",
    Card.LIGHTNING: "discard {}",
    Card.SMAHL_THIEF: "take {} into your hand",
    Card.HAKI_FLUTE: "break {}",
    Card.SPEAR: "discard {}",
}
"""The effect of each card that names places, or cards at places; {} stands for them."""
AT_SEATS: dict[int, str] = {
    Card.SUPER_LURE: "lure every Free and Protected Gub of {}",
    Card.CYCLONE: "discard every Barricade of {}",
    Card.LIGHTNING: "discard the hand of {}",
    Card.SCOUT: "look at the hand of {}",
}
"""The effect of each card that names a seat; {} stands for it."""
WITHOUT_TARGET: dict[int, str] = {
    Card.GUB: "Lay a Gub in your colony",
    Card.ESTEEMED_ELDER: "Lay the Esteemed Elder in your colony",
    Card.OMEN_BEETLE: "discard every Mushroom in play and every Gub beneath one",
    Card.RETREAT: "take every card on your side into your hand, save the Elder",
    Card.AGE_OLD_CURE: "take a Gub from the discard pile",
}
"""The effect of each card that names no target; a capital letter begins a complete text."""
PASSES = {
    Phase.DRAW: "Skip the draw",
    Phase.PLAY: "End your play",
    Phase.CURE: "Pass: lose your hand to the Plague",
}
"""The words for passing, by phase; passing in other phases lets a card take effect."""


class Play(NamedTuple):
    """The facts about the table that the words of a play need, read once for all moves."""

    viewer: int
    num_players: int
    played: int | None
    """The card being played, if the move has begun."""
    stands_for: int | None
    """The kind that it stands for, if the move has named it."""
    targets: tuple[Target, ...]
    """The targets that the move has named."""
    names: tuple[list[str], ...]
    """The names of all Gubs in each colony."""


def move_texts(view: View, moves: Sequence[tuple[int, ...]]) -> list[str]:
    """Return whole moves of the viewer in words (see `Game.move_texts`)."""
    phase = Phase(view.state.phase)
    if phase is not Phase.PLAY and not is_inner_pick(phase):
        return [_choice_text(view, phase, picks) for picks in moves]
    play = _begun(view, phase)
    end = PASSES[Phase.PLAY]
    return [end if picks[0] == PASS else _play_text(play, picks) for picks in moves]


def pick_text(view: View, action: int) -> str:
    """Return one legal pick of the viewer in words (see `Game.pick_text`)."""
    phase = Phase(view.state.phase)
    if phase is Phase.TARGET:
        return _aim_text(view, action)
    if phase is Phase.PLAY and action != PASS:
        return f"Play {_title(action)}"
    if phase is Phase.NAME:
        return f"As {_title(action)}"
    if phase is Phase.MEANT:
        return f"the {_title(action)}"
    if phase is Phase.ORDER:
        return f"{_title(action)} next"
    return move_texts(view, [(action,)])[0]


def _title(action: int) -> str:
    """Return the title of the kind that an action `CARD[…]` names."""
    return TITLES[action - FIRST_CARD]


# ------------------------------------------------------------------------------------ other choices


def _choice_text(view: View, phase: Phase, picks: tuple[int, ...]) -> str:
    """Return the words of a move that plays no card on its player's turn."""
    first = picks[0]
    if first == PASS:
        return PASSES.get(phase) or f"Pass: let {TITLES[view.state.played_as]} take effect"
    if phase is Phase.DRAW:
        return "Draw a card"
    if phase is Phase.ORDER:
        return f"Put back, top first: {', '.join(_order(view, picks))}"
    if phase is Phase.ANSWER:
        return f"Answer {TITLES[view.state.played_as]} with {_title(first)}"
    if phase is Phase.CURE:
        return f"Keep your hand: discard the {_title(first)}"
    if phase is Phase.MERCHANT:
        is_last = view.state.hand_size[view.seat] == 1
        return f"Keep {_title(first)}{'' if is_last else ' and pass on the rest'}"
    return f"Discard {_title(first)}"


def _order(view: View, picks: tuple[int, ...]) -> list[str]:
    """Return the titles of the cards that the Scout puts back, in order; the last needs no pick."""
    state = view.state
    depth = int(state.known_top[view.seat])
    left = state.deck[: state.deck_size][::-1][int(state.ordered) : depth].tolist()
    chosen = [pick - FIRST_CARD for pick in picks]
    for kind in chosen:
        left.remove(kind)
    return [TITLES[kind] for kind in [*chosen, *left]]


# ----------------------------------------------------------------------------------- playing a card


def _begun(view: View, phase: Phase) -> Play:
    """Return the facts about the play that is under way, or about one that has not begun."""
    state = view.state
    has_begun = phase is not Phase.PLAY
    targets = [
        (int(state.target_seat[index]), int(state.target_slot[index]))
        for index in range(state.num_targets if has_begun else 0)
    ]
    return Play(
        viewer=view.seat,
        num_players=int(state.num_players),
        played=int(state.played) if has_begun else None,
        stands_for=int(state.played_as) if has_begun and phase is not Phase.NAME else None,
        targets=tuple(targets),
        names=tuple(names_in(state, seat) for seat in range(state.num_players)),
    )


def _play_text(play: Play, picks: tuple[int, ...]) -> str:
    played, stands_for, targets, meant = _read(play, picks)
    phrase, title = _phrase(play, stands_for, targets, meant), TITLES[stands_for]
    if phrase[0].isupper():
        return phrase
    if played != stands_for:
        return f"{TITLES[played]} as {title}: {phrase}"
    if phrase.startswith(title.lower()):
        return phrase[0].upper() + phrase[1:]
    return f"{title}: {phrase}"


def _read(play: Play, picks: tuple[int, ...]) -> tuple[int, int, list[Target], int]:
    """Return (card played, kind it stands for, targets, kind meant) of a move, begun or not."""
    left, targets, meant = list(picks), list(play.targets), GUB
    played = left.pop(0) - FIRST_CARD if play.played is None else play.played
    stands_for = play.stands_for
    if stands_for is None:
        stands_for = left.pop(0) - FIRST_CARD if played == CRICKET_SONG else played
    for action in left:
        if action == DECK or action >= FIRST_SEAT:
            targets.append(_target(play, action))
        else:
            meant = action - FIRST_CARD
    return played, stands_for, targets, meant


def _target(play: Play, action: int) -> Target:
    if action == DECK:
        return NOBODY, -1
    steps, place = divmod(action - FIRST_SEAT, ACTIONS_PER_SEAT)
    return (play.viewer + steps) % play.num_players, place - 1


def _target_text(play: Play, target: Target, meant: int) -> str:
    """Return a target in words; `meant` is the kind meant at a place."""
    seat, slot = target
    if seat == NOBODY:
        return "the deck"
    if slot < 0:
        return player_name(seat)
    whose = "your own" if seat == play.viewer else f"{player_name(seat)}'s"
    named = f"{whose} {play.names[seat][slot]}"
    return named if meant in (GUB, ELDER) else f"the {TITLES[meant]} on {named}"


def _aim_text(view: View, action: int) -> str:
    """Return a target, what lies there, and what the card being played can do there, in words."""
    play, state = _begun(view, Phase.TARGET), view.state
    target, kind = _target(play, action), int(state.played_as)
    seat, slot = target
    if slot < 0:
        return _phrase(play, kind, [target], GUB)
    lying = place_words(state.colony[seat, slot])[0].removeprefix(Card.GUB.title)
    text = _target_text(play, target, GUB) + lying.removeprefix(Card.ESTEEMED_ELDER.title)
    if PLACES[kind] > 1:
        return text
    meant = meant_at(state, seat == play.viewer, seat, slot)
    effects = ", or ".join(_phrase(play, kind, [target], card) for card in meant)
    effects = effects.replace(_target_text(play, target, GUB), "it")
    return f"{text} ({effects[0].lower()}{effects[1:]})"


def meant_at(state: Any, is_own: bool, seat: int, slot: int) -> list[int]:
    """Return the kinds of cards at a place of one's own or another's that the card being played can
    aim at.
    """
    aims = (OWN_AIMS if is_own else OTHERS_AIMS)[state.played_as] & things_at(state, seat, slot)
    lying = np.flatnonzero(state.colony[seat, slot]).tolist()
    return [kind for kind in lying if aims & MEANT_THINGS[kind]]


def _phrase(play: Play, kind: int, targets: Sequence[Target], meant: int) -> str:
    """Return the effect of a card on its targets, in words."""
    if not targets:
        return WITHOUT_TARGET.get(kind, "play it")
    seat, slot = targets[0]
    if seat == NOBODY:
        return "look at the top of the deck" if kind == Card.SCOUT else "aim it at the deck"
    named = " and ".join(_target_text(play, target, meant) for target in targets)
    if slot < 0:
        return AT_SEATS.get(kind, "aim it at {}").format(named)
    if TYPES[kind] is CardType.BARRICADE and meant == GUB:
        return f"Lay {TITLES[kind]} on {named}"
    if TYPES[kind] is CardType.TRAP:
        return f"trap {named}"
    default = "discard {}" if TYPES[kind] in LAID_TYPES else "aim it at {}"
    return AT_PLACES.get(kind, default).format(named)
