"""Every case has exactly one function, or the module that registers them does not import."""

from __future__ import annotations

from enum import IntEnum
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from gubs_env.engine.cases import Cases


class Kind(IntEnum):
    ONE = 0
    TWO = 1
    THREE = 2
    PLAIN = 7


def effects() -> Cases:
    return Cases([Kind.ONE, Kind.TWO, Kind.THREE])


def test_the_effect_of_a_kind_is_called():
    cards = effects()

    @cards.of(Kind.ONE, Kind.THREE)
    def add(state):
        state[0] += 1

    @cards.of(Kind.TWO)
    def subtract(state):
        state[0] -= 10

    take_effect, state = cards.join(), np.zeros(1, np.int64)
    for kind, expected in ((Kind.ONE, 1), (Kind.TWO, -9), (Kind.THREE, -8), (Kind.PLAIN, -8)):
        take_effect(int(kind), state)
        assert state[0] == expected


def test_a_kind_without_an_effect_is_an_error():
    cards = effects()
    cards.of(Kind.TWO)(lambda state: None)
    with pytest.raises(TypeError, match="no function is registered for ONE, THREE"):
        cards.join()


def test_a_kind_with_two_effects_is_an_error():
    cards = effects()
    cards.of(Kind.ONE, Kind.TWO)(lambda state: None)
    with pytest.raises(TypeError, match=r"Kind\.TWO.* has a function already"):
        cards.of(Kind.TWO)


def test_an_unknown_kind_is_an_error():
    with pytest.raises(
        TypeError, match=r"Kind\.PLAIN.* must not have a function here: only ONE, TWO"
    ):
        effects().of(Kind.PLAIN)


ONE_OF_EACH = {"gubs": "Card.SCOUT", "fubnub": "ActionCard.PEEK", "bad_bad_turtle": "Card.PEEK"}


def import_edited(game: str, old: str, new: str) -> None:
    """Run the source of a game's effects with a change, as an import would."""
    module = import_module(f"gubs_env.games.{game}.effects")
    source = Path(module.__file__ or "").read_text()
    assert source.count(old) == 1
    scratch = ModuleType(f"{module.__name__}_edited")
    exec(compile(source.replace(old, new), module.__file__ or "", "exec"), scratch.__dict__)


@pytest.mark.parametrize("game", ONE_OF_EACH)
def test_a_card_of_a_game_with_no_effect_or_with_two_cannot_be_imported(game):
    card = ONE_OF_EACH[game]
    decorator = f"@effects.of({card})\n"
    with pytest.raises(TypeError, match=f"no function is registered for {card.partition('.')[2]}$"):
        import_edited(game, decorator, "")
    with pytest.raises(TypeError, match="has a function already"):
        import_edited(game, "take_effect_of =", f"effects.of({card})\ntake_effect_of =")
