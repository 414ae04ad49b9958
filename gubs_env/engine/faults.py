"""Faults of states: the rules that a state must obey so that the game can be played on from it.

Compiled code trusts the states that it is given. The module `faults` of each game therefore finds
the first fault of a state or a view. The border refuses such a state, and the soak test looks for
faults after every decision. A fault is a pair (number, where): the number of a rule, and the card,
seat or field that breaks it.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from inspect import signature
from typing import Any

from typing_extensions import Self

from gubs_env.engine.compiling import Compiled, compile_lines

SOUND = 0
"""The number that says that a state has no fault."""
OUT_OF_RANGE = 1
"""A field lies outside the range that it declares; `where` is its index."""
NOTHING_LEGAL = 2
"""The player to decide has no legal action."""
FIRST_FAULT = 3
"""The number of the first fault that a game declares itself."""


class GameFault(IntEnum):
    """The base class of the faults that a game declares, each with its words.

    The members are numbers from FIRST_FAULT on, in order.
    """

    words: str
    """The fault in words; `words_of` fills in {where} and {card}."""

    def __new__(cls, words: Any) -> Self:
        """Return the next member; by its number, as in `Fault(3)`, the enum finds a known one."""
        member = int.__new__(cls, FIRST_FAULT + len(cls.__members__))
        member._value_ = int(member)
        member.words = words
        return member


def words_of(faults: type[GameFault], titles: Sequence[str], fault: int, where: int) -> str:
    """Return a fault in words.

    Args:
        faults: the faults of the game.
        titles: the names of the kinds of card, for {card}.
        fault: the number of the fault.
        where: the card, seat or field that breaks the rule.
    """
    card = titles[where] if 0 <= where < len(titles) else ""
    return faults(fault).words.format(where=where, card=card)


def first_fault(always: Sequence[Compiled], in_play: Sequence[Compiled], over: int) -> Compiled:
    """Compile checks into one function: (state, viewer) → the first fault that one of them finds.

    A check is a function (state) or (state, viewer) → (fault, where), (SOUND, 0) if there is none.
    `viewer` is the player whose view it is, NOBODY for a complete state.

    Args:
        always: the checks of every state, in order.
        in_play: those of a state in which somebody has to decide, after the others.
        over: the phase in which nobody has to.
    """
    lines = ["def find_fault(state, viewer):"]
    for number, check in enumerate([*always, *in_play]):
        if number == len(always):
            lines += [f"    if state.phase == {int(over)}:", f"        return {SOUND}, 0"]
        lines += [
            f"    fault = check_{number}({', '.join(signature(check).parameters)})",
            f"    if fault[0] != {SOUND}:",
            "        return fault",
        ]
    known = {f"check_{number}": check for number, check in enumerate([*always, *in_play])}
    return compile_lines([*lines, f"    return {SOUND}, 0"], known)
