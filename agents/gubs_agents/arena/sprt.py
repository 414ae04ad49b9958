"""The sequential test: is one agent stronger than another, in as few games as it takes?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gubs_agents.arena.likelihood import H0, H1, State, make_hypotheses, verdict_on
from gubs_agents.arena.plan import Plan, Trial, make_plan
from gubs_agents.arena.sequential import Sequential
from gubs_agents.arena.tournament import run
from gubs_agents.deals import REPORT_DEALS
from gubs_env.agents.registry import Factory
from gubs_env.records.running import make_workers
from gubs_env.support import cluster
from gubs_env.support.checks import require_extra
from gubs_env.support.cluster import LOCAL

if TYPE_CHECKING:
    from gubs_env.games import AnyTable

MOST_DEALS = 100_000
STATUS = {H1: 0, H0: 1, None: 3}
"""Exit status of a test by the accepted hypothesis; 2 is that of errors."""


@dataclass(frozen=True)
class Verdict:
    """A finished sequential test."""

    plan: Plan
    """The agents and the deals; `plan.deals` is the largest number of deals."""
    trial: Trial
    """The challenger and the hypotheses."""
    state: State
    """The counts, the log-likelihood ratio and the estimates."""

    @property
    def accepted(self) -> str | None:
        """H0 or H1, whichever is accepted; None if all deals were played without a decision."""
        return self.state.decision

    @property
    def champion(self) -> str:
        """The label of the agent that the challenger played against."""
        return next(label for label in self.plan.labels if label != self.trial.challenger)

    def __str__(self) -> str:
        """Describe the result in a sentence or two."""
        lower, upper = self.state.hypotheses.boundaries
        said = verdict_on(
            self.accepted, self.trial.hypotheses, self.trial.challenger, self.champion
        )
        measure = self.plan.measure
        elo, elo_low, elo_high = self.state.elo
        return (
            f"{said}. LLR {self.state.ratio:+.2f} "
            f"({lower:+.2f}, {upper:+.2f}) after {self.state.deals:,} deals, "
            f"{self.state.deals * self.plan.games_of_deal:,} games. "
            f"{measure.sentence(self.state.share, self.plan.games_of_deal)}; "
            f"{elo:+.0f} Elo points ({elo_low:+.0f} … {elo_high:+.0f}), an estimate that is biased "
            "because the result decided when to stop."
            + " Not repeatable: an agent has a budget in milliseconds."
            * (not self.plan.repeatable)
        )


def sprt(
    agents: str | Iterable[str] | Mapping[str, str | Factory],
    elo: str | tuple[float, float] = (0, 10),
    table: AnyTable = "gubs",
    deals: int = MOST_DEALS,
    *,
    alpha: float = 0.05,
    beta: float = 0.05,
    seed: int = REPORT_DEALS.start,
    out: str | Path | None = None,
    resume: bool = False,
    backend: str = LOCAL,
    processes: int = 1,
    batch: int | None = None,
    progress: bool = False,
    timeout: float = 0,
) -> Verdict:
    """Test whether the first of two agents is stronger than the second, deal by deal.

    The test accepts H1 (stronger by at least the second bound) or H0 (by at most the first) as soon
    as the games played so far suffice. docs/arena.md describes it.

    Args:
        agents: the challenger and the champion, in this order; as for `tournament`.
        elo: the two bounds in Elo points: a pair, or a text such as "0,10".
        table: as for `tournament`.
        deals: the largest number of deals; the test ends undecided after them.
        alpha: probability of accepting H1 for a challenger at the first bound, below 0.5.
        beta: probability of accepting H0 for a challenger at the second bound, below 0.5.
        seed: seed of the first deal; deals are played in order.
        out: folder for the games, and for the state of the test, `sprt.json`; None: no files.
        resume: continue the test in `out`.
        backend, processes, batch, progress, timeout: as for `tournament`. The verdict depends on
            none of them: it reads the games in order, and games after the deciding deal are
            dropped.

    Raises:
        ValueError: for bounds or probabilities that are not allowed, for a number of agents other
            than two, and as for `tournament`.
        OSError, TimeoutError, ModuleNotFoundError, RuntimeError: as for `tournament`.
    """
    require_extra("arena", "tqdm")
    cluster.check_backend(backend, processes)
    hypotheses = make_hypotheses(elo, alpha, beta)
    plan = make_plan(agents, table, deals, seed, None, timeout, hypotheses)
    assert plan.trial is not None
    test = Sequential(plan, plan.trial)
    run(plan, out, resume, make_workers(plan, backend, processes, batch or 0), progress, test)
    return Verdict(plan, plan.trial, test.state)
