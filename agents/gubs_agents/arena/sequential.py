"""A sequential test over the games of a plan, and its file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gubs_agents.arena.likelihood import State, fine_units, units
from gubs_agents.arena.measures import Measure
from gubs_agents.arena.plan import Trial
from gubs_agents.arena.records import SPRT_FILE, SPRT_FORMAT, games_of
from gubs_env.records.record import Record
from gubs_env.records.running import StopRule
from gubs_env.support.files import replace_file


class Sequential(StopRule):
    """The test of a plan, which reads its games in order.

    The state is that after the last complete deal, so it depends neither on how many games are
    played side by side nor on interruptions.
    """

    def __init__(self, plan: Trial) -> None:
        self.plan = plan
        self.state = State.at_start(plan.hypotheses, plan.games_of_deal, parts_of(plan))
        self.begun: list[Record] = []
        """The games of a deal that is not complete yet."""

    @property
    def finished(self) -> bool:
        """Whether a hypothesis is accepted, or all deals are played."""
        return self.state.decision is not None or self.state.deals == self.plan.deals

    def begin(self, records: list[Record], whole: int) -> list[Record]:
        """Return the games that a test goes on from, after reading them: all if it has ended.

        Raises:
            ValueError: for games after the one that decides the test.
        """
        ahead = Sequential(self.plan)
        if len(ahead.take(records)) < len(records):
            raise ValueError(
                f"there are {len(records):,} games, but the test ended before the last"
            )
        return self.take(records if ahead.finished else records[:whole])

    def take(self, records: Sequence[Record]) -> list[Record]:
        """Read the next games; return those up to the deal that decides the test."""
        if self.finished:
            return []
        waiting, read = [*self.begun, *records], len(self.begun)
        deals = len(waiting) // self.plan.games_of_deal
        if deals:
            before = self.state.deals
            complete = waiting[: deals * self.plan.games_of_deal]
            self.state = self.state.after(scores_of(self.plan, complete))
            deals = self.state.deals - before
        used = deals * self.plan.games_of_deal if self.finished else len(waiting)
        self.begun = [] if self.finished else waiting[deals * self.plan.games_of_deal :]
        return waiting[read:used]

    def __str__(self) -> str:
        """Describe the state for the progress bar."""
        lower, upper = self.plan.hypotheses.boundaries
        text = f"LLR {self.state.ratio:+.2f} ({lower:.2f}, {upper:.2f})"
        if not self.plan.measure.counts_wins:
            return f"{text}, {self.state.deals:,} deals"
        counts = " ".join(map(str, by_score(self.state, self.plan.measure).values()))
        return f"{text}, deals by score {counts}"

    def as_dict(self) -> dict[str, Any]:
        """Return the state as it is written to `sprt.json`."""
        state, (lower, upper) = self.state, self.plan.hypotheses.boundaries
        measure = self.plan.measure
        payoff = finite(map(measure.reported, state.share))
        return {
            "format": SPRT_FORMAT,
            **self.plan.bounds,
            "champion": self.plan.champion,
            "lower": lower,
            "upper": upper,
            "llr": state.ratio,
            "deals": state.deals,
            "games": state.deals * self.plan.games_of_deal,
            "deals_by_score": by_score(state, measure),
            "share": finite(state.share),
            "fair_share": 1 / self.plan.games_of_deal,
            "elo": finite(state.elo),
            "accepted": state.decision,
            "finished": self.finished,
            "repeatable": self.plan.repeatable,
        } | ({} if measure.counts_wins else {"payoff": payoff})

    def write(self, folder: Path) -> None:
        """Write the state to `sprt.json`."""
        replace_file(folder / SPRT_FILE, json.dumps(self.as_dict(), indent=2) + "\n")


def finite(values: Iterable[float]) -> list[float | None]:
    """Return an estimate with its interval; None where it is not finite, which JSON cannot hold."""
    return [value if np.isfinite(value) else None for value in values]


def by_score(state: State, measure: Measure) -> dict[str, int]:
    """Return the number of deals by wins of the challenger in a deal, or by its mean payoff.

    For wins of two sides all five numbers are listed, else those that are not 0.
    """
    if not measure.counts_wins:
        shares = {k: k / (len(state.counts) - 1) for k in np.flatnonzero(state.counts).tolist()}
        return {
            f"{measure.reported(share):.4g}": int(state.counts[k]) for k, share in shares.items()
        }
    listed = [k for k, deals in enumerate(state.counts) if deals or state.num_sides == 2]
    return {f"{k / state.parts:.4g}": int(state.counts[k]) for k in listed}


def parts_of(plan: Trial) -> int:
    """Return into how many equal parts a share is divided."""
    divided = units if plan.measure.counts_wins else fine_units
    return divided(plan.games_of_deal)


def scores_of(plan: Trial, records: Sequence[Record]) -> np.ndarray:
    """Return the score of the challenger in each deal, int64[deals], in `parts_of` a share.

    A game that nobody wins counts as one that all sides share. At a table with one side, the
    challenger wins what it wins by itself, and what the champion by itself does not win.

    Args:
        plan: the games.
        records: the games of complete deals.
    """
    games = games_of(records, plan.labels, plan.measure, plan.seed)
    alone = games.seatings == plan.labels.index(plan.challenger)
    if plan.table.num_sides == 1:
        shares = np.where(alone, games.shares, 1 - games.shares).ravel()
    elif not plan.measure.counts_wins:
        shares = games.shares[alone]
    else:
        nobody = games.shares.sum(axis=1, keepdims=True) == 0
        shares = np.where(nobody, 1 / plan.table.num_sides, games.shares)[alone]
    scores = np.rint(shares * parts_of(plan)).astype(np.int64)
    return scores.reshape(-1, plan.games_of_deal).sum(axis=1)
