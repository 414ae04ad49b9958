"""The sequential test: is one agent stronger than another, in as few games as it takes?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gubs_agents.arena.field import AnyField
from gubs_agents.arena.likelihood import FINE, H0, H1, State, make_hypotheses, units, verdict_on
from gubs_agents.arena.measures import Measure
from gubs_agents.arena.options import PlayOptions
from gubs_agents.arena.plan import Trial, make_plan
from gubs_agents.arena.records import SPRT_FILE, SPRT_FORMAT, games_of
from gubs_agents.arena.tournaments import play_plan
from gubs_env.engine.table import AnyTable
from gubs_env.records.record import Record
from gubs_env.records.running import StopRule
from gubs_env.support.checks import require_extra
from gubs_env.support.files import write_json

STATUS = {H1: 0, H0: 1, None: 3}
"""Exit status of a test by the accepted hypothesis; 2 is that of errors."""


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
        write_json(folder / SPRT_FILE, self.as_dict())


@dataclass(frozen=True)
class Verdict:
    """A finished sequential test."""

    plan: Trial
    """The agents, the hypotheses and the deals; `plan.deals` is the largest number of deals."""
    state: State
    """The counts, the log-likelihood ratio and the estimates."""

    @property
    def accepted(self) -> str | None:
        """H0 or H1, whichever is accepted; None if all deals were played without a decision."""
        return self.state.decision

    def __str__(self) -> str:
        """Describe the result in a sentence or two."""
        plan, state = self.plan, self.state
        lower, upper = plan.hypotheses.boundaries
        elo, elo_low, elo_high = state.elo
        verdict = verdict_on(self.accepted, plan.hypotheses, plan.challenger, plan.champion)
        return (
            f"{verdict}. LLR {state.ratio:+.2f} ({lower:+.2f}, {upper:+.2f}) "
            f"after {state.deals:,} deals, {state.deals * plan.games_of_deal:,} games. "
            f"{plan.measure.sentence(state.share, plan.games_of_deal)}; "
            f"{elo:+.0f} Elo points ({elo_low:+.0f} … {elo_high:+.0f}), an estimate that is biased "
            "because the result decided when to stop."
            + " Not repeatable: an agent has a budget in milliseconds."
            * (not plan.repeatable)
        )


def sprt(
    agents: AnyField,
    elo: str | tuple[float, float] = (0, 10),
    table: AnyTable = "gubs",
    *,
    alpha: float = 0.05,
    beta: float = 0.05,
    progress: bool = False,
    **options: Any,
) -> Verdict:
    """Test whether the first of two agents is stronger than the second.

    The test accepts H1 (stronger by at least the second bound) or H0 (by at most the first) as soon
    as the games played so far suffice. docs/arena.md describes it.

    Args:
        agents: the challenger and the champion, in this order; as for `tournament`.
        elo: the two bounds in Elo points: a pair, or a text such as "0,10".
        table: as for `tournament`.
        alpha: probability of accepting H1 for a challenger at the first bound, below 0.5.
        beta: probability of accepting H0 for a challenger at the second bound, below 0.5.
        progress: show a progress bar.
        options: those of `PlayOptions` by name, without `matches`. `deals` is the largest number of
            deals: the test ends undecided after them. `out` gets the games, and the state of the
            test, `sprt.json`. The verdict does not depend on how many games are played side by
            side: it reads them in order, and games after the deciding deal are dropped.

    Raises:
        ValueError: for bounds or probabilities that are not allowed, for a number of agents other
            than two, and as for `tournament`.
        TypeError, OSError, TimeoutError, ModuleNotFoundError, RuntimeError: as for `tournament`.
    """
    require_extra("arena", "tqdm")
    chosen, hypotheses = PlayOptions(**options), make_hypotheses(elo, alpha, beta)
    plan = make_plan(agents, table, chosen, hypotheses)
    assert isinstance(plan, Trial)
    test = Sequential(plan)
    play_plan(plan, chosen, progress, test)
    return Verdict(plan, test.state)


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
    return units(plan.games_of_deal, 1 if plan.measure.counts_wins else FINE)


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
