"""The options of a text agent: the contents of its prompts, the consequence of wrong answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from gubs_env.support.checks import Range, check_options

OBFUSCATED, FORFEIT = "obfuscated", "forfeit"
Naming = Literal["real", "obfuscated"]
OnFailure = Literal["forfeit", "random"]


@dataclass(frozen=True)
class TextOptions:
    """How a text agent is asked.

    Raises:
        ValueError: for a value that is not allowed.
    """

    list_moves: bool = False
    """Whether the prompt lists the legal moves."""
    names: Naming = "real"
    """"real", or "obfuscated": every card has an invented name, in prompts and answers."""
    names_seed: Annotated[int, Range(0)] = 0
    """Seed of the invented names."""
    attempts: Annotated[int, Range(1)] = 3
    """Number of answers that may be illegal at one decision before it has failed; as many, counted
    apart, may be unparsable. At least 1."""
    on_failure: OnFailure = "forfeit"
    """After a failed decision, "forfeit" loses the game and "random" plays a random move."""

    def __post_init__(self) -> None:
        check_options(self)
