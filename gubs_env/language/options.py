"""The options of a text agent: the contents of its prompts, the consequence of wrong answers."""

from __future__ import annotations

from dataclasses import dataclass

REAL, OBFUSCATED = "real", "obfuscated"
NAMES = (REAL, OBFUSCATED)
FORFEIT, RANDOM = "forfeit", "random"
ON_FAILURE = (FORFEIT, RANDOM)


@dataclass(frozen=True)
class TextOptions:
    """How a text agent is asked.

    Raises:
        TypeError: for a switch that is not True or False, or a number that is not whole.
        ValueError: for a value that is not allowed.
    """

    list_moves: bool = False
    """Whether the prompt lists the legal moves."""
    names: str = REAL
    """"real", or "obfuscated": every card has an invented name, in prompts and answers."""
    names_seed: int = 0
    """Seed of the invented names."""
    attempts: int = 3
    """Number of answers that may be illegal at one decision before it has failed; as many, counted
    apart, may be unparsable. At least 1."""
    on_failure: str = FORFEIT
    """After a failed decision, "forfeit" loses the game and "random" plays a random move."""

    def __post_init__(self) -> None:
        if not isinstance(self.list_moves, bool):
            raise TypeError(f"list_moves={self.list_moves!r}: must be True or False")
        for name, least in (("names_seed", 0), ("attempts", 1)):
            value = getattr(self, name)
            if type(value) is not int:
                raise TypeError(f"{name}={value!r}: must be a whole number")
            if value < least:
                raise ValueError(f"{name}={value}: must be at least {least}")
        for name, allowed in (("names", NAMES), ("on_failure", ON_FAILURE)):
            if not isinstance(getattr(self, name), str) or getattr(self, name) not in allowed:
                raise ValueError(
                    f"{name}={getattr(self, name)!r}: allowed are {', '.join(allowed)}"
                )
