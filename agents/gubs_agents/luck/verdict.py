"""The sequential test of the arena over recorded games, with luck taken out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gubs_agents.arena.likelihood import (
    Hypotheses,
    accepted_by,
    elo_of,
    make_hypotheses,
    ratio_of_scores,
    verdict_on,
)
from gubs_agents.arena.measures import Measure, mean_with_interval
from gubs_agents.arena.ratings import FinishedGames
from gubs_agents.luck.adjusting import Adjusted
from gubs_agents.luck.comparison import corrected


@dataclass(frozen=True)
class Verdict:
    """A sequential test that read games in order, up to the deal that decided it."""

    challenger: str
    """The label of the agent that may be stronger."""
    champion: str
    """The label of the other one."""
    hypotheses: Hypotheses
    """The two bounds, and the probabilities of error."""
    scores: np.ndarray
    """float64[deals]: share of the challenger in each deal (`Measure`), with luck taken out; it can
    be below 0 or above 1."""
    num_sides: int
    """Number of sides at the table, and of games of a deal."""
    ratio: float
    """The log-likelihood ratio."""
    measure: Measure
    """The measure of results: wins, or payoffs."""

    @property
    def accepted(self) -> str | None:
        """H0 or H1, whichever is accepted; None if the games did not suffice."""
        return accepted_by(self.ratio, self.hypotheses)

    def __str__(self) -> str:
        """Describe the result in a few sentences."""
        said = verdict_on(self.accepted, self.hypotheses, self.challenger, self.champion)
        lower, upper = self.hypotheses.boundaries
        deals, shares = len(self.scores), mean_with_interval(self.scores, (0.0, 1.0))
        counted = self.measure.sentence(shares, self.num_sides)
        elo, least, most = (elo_of(share, self.num_sides) for share in shares)
        return (
            f"{said}. LLR {self.ratio:+.2f} ({lower:+.2f}, {upper:+.2f}) after {deals:,} deals, "
            f"{deals * self.num_sides:,} games. {counted}; "
            f"{elo:+.0f} Elo points ({least:+.0f} … {most:+.0f}), "
            "an estimate that is biased if the result decided when to stop."
        )


def sprt(
    adjusted: Adjusted,
    challenger: str,
    elo: str | tuple[float, float] = (0, 10),
    *,
    alpha: float = 0.05,
    beta: float = 0.05,
) -> Verdict:
    """Test whether one of two agents is stronger than the other, with luck taken out.

    The test is that of `arena.sprt`; the score of a deal has corrections of mean zero added, so
    that fewer deals decide it. The games were played before; the test reads them deal by deal.

    Args:
        adjusted: the games of two agents with their corrections.
        challenger: the label of the agent that may be stronger.
        elo: the two bounds in Elo points: a pair, or a text such as "0,10".
        alpha: probability of accepting H1 for a challenger at the first bound, below 0.5.
        beta: probability of accepting H0 for a challenger at the second bound, below 0.5.

    Raises:
        ValueError: for games of another number of agents than two, for an unknown challenger, for
            fewer than two complete deals, and for bounds or probabilities that are not allowed.
    """
    hypotheses, games = make_hypotheses(elo, alpha, beta), corrected(adjusted)
    if len(games.labels) != 2:
        raise ValueError(
            f"a test takes the games of two agents, and these are of {len(games.labels)}: "
            + ", ".join(games.labels)
        )
    if challenger not in games.labels:
        raise ValueError(f"challenger={challenger!r}: allowed are {', '.join(games.labels)}")
    (champion,) = set(games.labels) - {challenger}
    scores, num_sides = scores_of(games, games.labels.index(challenger)), games.seatings.shape[1]
    if len(scores) < 2:
        raise ValueError(f"a test takes two complete deals, and there are {len(scores)}")
    for deals in range(2, len(scores) + 1):
        ratio = ratio_of_scores(scores[:deals], hypotheses, num_sides)
        if accepted_by(ratio, hypotheses):
            break
    decided = scores[:deals]
    return Verdict(challenger, champion, hypotheses, decided, num_sides, ratio, adjusted.measure)


def scores_of(games: FinishedGames, challenger: int) -> np.ndarray:
    """Return the share of an agent in each complete deal, in order, float64[deals].

    A deal is complete if the agent has played it alone on every side.

    Args:
        games: the games, of which `shares` have luck taken out.
        challenger: index of the agent in `labels`.
    """
    num_sides = games.seatings.shape[1]
    seats = (games.seatings == challenger) & games.alone
    deals = games.deals[seats.any(axis=1)]
    totals = np.bincount(deals, weights=games.shares[seats])
    return totals[np.bincount(deals) == num_sides] / num_sides
