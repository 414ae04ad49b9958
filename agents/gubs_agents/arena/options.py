"""The options of a run, which commands and calls in Python share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from gubs_agents.deals import REPORT_DEALS
from gubs_env.commands.common import shown
from gubs_env.support.checks import Range, check_options
from gubs_env.support.cluster import ProcessOptions, check_backend
from gubs_env.support.files import expanded
from gubs_env.support.limits import LONGEST

DEALS, SEATS_DEALS, MOST_DEALS, STANDARD_DEALS, HELD_OUT_DEALS = 500, 10_000, 100_000, 1000, 2
"""Numbers of deals: of a tournament, of --seats, of a test at most, of the leaderboard, and of each
held-out opponent."""


@dataclass(frozen=True, kw_only=True)
class DealOptions:
    """Which deals are played, and how often."""

    deals: Annotated[
        int,
        shown(
            "INT",
            f"{DEALS}; {STANDARD_DEALS} for the leaderboard, {SEATS_DEALS} for --seats, "
            f"{HELD_OUT_DEALS} an opponent for --held-out",
        ),
        Range(0),
    ] = 0
    """Number of deals; the largest number for --sprt."""
    matches: Annotated[int, shown("INT", "all of them"), Range(0)] = 0
    """Matches that each deal is played in, which are dealt out in turn."""
    seed: Annotated[int, Range(0)] = REPORT_DEALS.start
    """Seed of the first deal."""


@dataclass(frozen=True, kw_only=True)
class OutputOptions(ProcessOptions):
    """Where the games are kept and played; the results do not depend on it."""

    out: Annotated[Path | None, shown("FOLDER")] = None
    """Folder of the results."""
    resume: bool = False
    """Continue the run in the folder; give the same options as before."""

    def check(self) -> None:
        """Check all options; a folder that is a text becomes a path.

        Raises:
            ValueError: for an option that is not allowed.
            ModuleNotFoundError: for Ray without the extra `ray`.
        """
        if self.out is not None:
            object.__setattr__(self, "out", expanded(self.out))
        check_options(self)
        check_backend(self.backend, self.processes)


@dataclass(frozen=True, kw_only=True)
class ArenaOptions(OutputOptions):
    """Where the games are kept, and how they are played; the results do not depend on it."""

    batch: Annotated[int, shown("INT", "1024, or 8 for agents that search or write"), Range(0)] = 0
    """Games that a process plays side by side."""
    timeout: Annotated[float, shown("SECONDS"), Range(0, LONGEST)] = 0.0
    """Seconds for one call of an agent, which asks for up to BATCH decisions; 0 means no limit."""


@dataclass(frozen=True, kw_only=True)
class PlayOptions(ArenaOptions, DealOptions):
    """The options of `tournament` and `sprt`.

    No result depends on `backend`, `processes` and `batch`, if the agents draw from the RNGs that
    they are given, and no others.

    Raises:
        ValueError: for an option that is not allowed.
        ModuleNotFoundError: for Ray without the extra `ray`.
    """

    def __post_init__(self) -> None:
        self.check()
