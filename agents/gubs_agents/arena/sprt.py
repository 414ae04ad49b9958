"""The sequential test: is one agent stronger than another, in as few games as it takes?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gubs_agents.arena.field import AnyField
from gubs_agents.arena.likelihood import H0, H1, State, make_hypotheses, verdict_on
from gubs_agents.arena.options import PlayOptions
from gubs_agents.arena.plan import Trial, make_plan
from gubs_agents.arena.sequential import Sequential
from gubs_agents.arena.tournament import play_plan
from gubs_env.support.checks import require_extra

if TYPE_CHECKING:
    from gubs_env.games import AnyTable

STATUS = {H1: 0, H0: 1, None: 3}
"""Exit status of a test by the accepted hypothesis; 2 is that of errors."""


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
