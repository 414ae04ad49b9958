"""The options of the searching agents, and their defaults in each game."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

from gubs_agents.scripted.by_game import scripted_in
from gubs_agents.search.playouts import HEURISTIC, NETWORK, RANDOM, TO_THE_END, Settings
from gubs_env.engine.table import Table
from gubs_env.support.checks import Range, check_options

POLICIES = {"random": RANDOM, "heuristic": HEURISTIC, "network": NETWORK}
FAR_BIAS = 2 / 3  # standard deviation of the error at the far horizon, in that at the horizon
BUDGET = Range(0, 10**15, open=True)
AMOUNT = Range(0, 1_000_000)  # larger ones would overflow in sums of worths
T = TypeVar("T")


@dataclass(frozen=True)
class SearchOptions:
    """The options of a search.

    Raises:
        ValueError: for both `playouts` and `ms`, or a value that is not allowed.
    """

    playouts: Annotated[float | None, BUDGET] = None
    """Number of playouts for a decision; by default 1000. Give `playouts` or `ms`."""
    ms: Annotated[float | None, BUDGET] = None
    """Milliseconds for a decision. Such a decision cannot be repeated exactly."""
    policy: str | None = None
    """Playout policy, "heuristic", "random" or "network"; by default the network if it has a value,
    else the heuristic, or "random" in a game without one."""
    opponents: str | None = None
    """Playout policy of the other sides, as `policy`; by default the same."""
    weights: str | Path | None = None
    """A network, "shipped" or FILE.safetensors. Its action is the one that others must beat. Its
    value, if it has one, estimates the payoff at the horizon."""
    beliefs: str | Path | None = None
    """Beliefs about hidden hands, "shipped" or FILE.safetensors, as `gubs beliefs` learns them; by
    default all hands that fit are equally likely."""
    horizon: Annotated[int | None, AMOUNT] = None
    """Number of own turns, in FUBNUB of hands, to play before the network's value, or without one
    the lead, estimates the payoff; 0 plays to the end. By default 2 with a value, else the game's
    own default."""
    far_horizon: Annotated[int | None, AMOUNT] = None
    """Number of own turns, or of hands, after which the payoff is estimated once more, when the
    policy's action has 256 playouts; 0 for none. By default 5 with a value and the default horizon,
    else 0."""
    threads: Annotated[int, Range(1, 1024)] = 1
    """Number of parallel races; their results are added up (root parallelism)."""
    caution: Annotated[float, AMOUNT] = 12.0
    """An action replaces the policy's action if its gain is above `caution` times the squared
    standard error. This is Bayes' rule for a normal prior over gains with mean −m and standard
    deviation s, where `caution` is m / s²."""
    bias: Annotated[float | None, AMOUNT] = None
    """Standard deviation of the error of the estimate at the horizon, which further playouts do not
    reduce; added to the standard error. By default 0.03 with a horizon, else 0. At the far horizon
    it is two thirds of that."""
    exploration: Annotated[float, AMOUNT] = 0.7
    """Weight of the confidence bound in the tree, in parts of the most that the game pays."""
    widening: Annotated[float, AMOUNT] = 0.5
    """A node of the tree has at most 1 + widening × √visits children."""
    margin: Annotated[float | None, AMOUNT] = None
    """Worth of each point of lead, added to the payoff. By default 0.25, or 0 if a network's value
    estimates the payoff, because the value does not include leads."""

    def __post_init__(self) -> None:
        check_options(self)
        if self.playouts is not None and self.ms is not None:
            raise ValueError(
                f"playouts={self.playouts:g}, ms={self.ms:g}: give a budget in playouts or in ms, "
                "not in both"
            )

    def settings(self, table: Table, has_value: bool) -> Settings:
        """Return the options as compiled functions read them, with the defaults in place of None.

        Args:
            table: the table.
            has_value: whether the search has a network with a value.

        Raises:
            ValueError: for a policy that the game does not have, or the policy "network" without
                weights; for a far horizon that is not beyond the horizon.
        """
        game = table.game
        known = scripted_in(game)
        allowed = [name for name in POLICIES if name != "heuristic" or known.heuristic]
        scripted = "heuristic" if "heuristic" in allowed else "random"
        policy = or_else(self.policy, "network" if has_value else scripted)
        opponents = or_else(self.opponents, policy)
        for option, name in (("policy", policy), ("opponents", opponents)):
            if name not in allowed:
                raise ValueError(
                    f"{option}={name!r}: allowed for {game.name} are {sorted(allowed)}"
                )
            if name == "network" and self.weights is None:
                raise ValueError(
                    f"{option}='network' needs a network: give weights='shipped' or "
                    "weights=FILE.safetensors"
                )
        horizon = or_else(self.horizon, 2 if has_value else known.horizon)
        far_horizon = or_else(self.far_horizon, 5 if has_value and self.horizon is None else 0)
        if far_horizon and not 0 < horizon < far_horizon:
            raise ValueError(
                f"far_horizon={far_horizon}: must be 0, or above a horizon that is not 0; "
                f"horizon={horizon}"
            )
        bias = or_else(self.bias, 0.0 if horizon == TO_THE_END else 0.03)
        return Settings(
            policy=POLICIES[policy],
            opponents=POLICIES[opponents],
            horizon=horizon,
            far_horizon=far_horizon,
            unit=1 / table.max_payoff,
            exploration=self.exploration,
            widening=self.widening,
            margin=or_else(self.margin, 0.0 if has_value and horizon else 0.25),
            caution=self.caution,
            bias=bias,
            far_bias=bias * (FAR_BIAS if far_horizon else 1),
        )


def or_else(value: T | None, default: T) -> T:
    """Return a value, or the default in place of None."""
    return default if value is None else value
