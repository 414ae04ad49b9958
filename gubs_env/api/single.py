"""The Gymnasium environment: one agent, the other seats played for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np

from gubs_env.api.aec import AECGame
from gubs_env.api.agents import Agent, make
from gubs_env.api.checked import ILLEGAL_REWARD


class SingleAgentEnv(gymnasium.Env):
    """One seat is the agent's; a step lasts until its next decision.

    The observation is the vector of the AEC environment, seat-relative, int8. Legal actions are
    `action_masks()`, also in `info["action_mask"]`; an action that is not legal ends the game with
    reward −1 and `info["illegal_action"]`, after PettingZoo's convention. Else the reward is the
    payoff of the agent's seat, at the end.

    A game that is over before the agent has had a decision is no episode: another is dealt.

    Args:
        num_players, rules, render_mode: as for the AEC environment.
        opponents: one for each other seat, clockwise from the agent: an `Agent`, or the name of an
            installed one (`api.agents`); or a single name for all seats. None: uniformly random
            ones, which follow the seed of `reset`; others follow their own.
        seat: the agent's; None draws it for each game.

    Raises:
        ValueError: for a number of opponents or a seat that does not fit the table, or a name that
            no installed agent has.
    """

    aec: ClassVar[type[AECGame]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.metadata = cls.aec.metadata

    def __init__(
        self,
        num_players: int | None = None,
        opponents: str | Sequence[str | Agent] | None = None,
        seat: int | None = None,
        rules: Any = None,
        render_mode: str | None = None,
    ) -> None:
        self.table = self.aec(num_players, rules=rules)
        num_players = self.table.num_players
        self.render_mode = render_mode
        if isinstance(opponents, str):
            opponents = [opponents] * (num_players - 1)
        if opponents is not None and len(opponents) != num_players - 1:
            raise ValueError(f"{num_players} players: {num_players - 1} opponents are needed")
        if seat is not None and seat not in range(num_players):
            raise ValueError(f"seat={seat!r}: allowed are None and 0 to {num_players - 1}")
        self.seat = seat
        self.opponents = None if opponents is None else [self._opponent(one) for one in opponents]
        first = self.table.possible_agents[0]
        self.observation_space = self.table.observation_spaces[first].spaces["observation"]
        self.action_space = self.table.action_space(first)

    def _opponent(self, opponent: str | Agent) -> Agent:
        if not isinstance(opponent, str):
            return opponent
        agent = make(opponent, self.aec.game, self.table.num_players)
        if not hasattr(agent, "act"):
            raise ValueError(f"opponent {opponent!r} searches; allowed are agents that act at once")
        return agent

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal a new game; `options` as for the AEC environment."""
        super().reset(seed=seed)
        while True:
            self._deal(options)
            observation, info = self._until_own_decision()
            if self._mask.any():
                return observation, info

    def _deal(self, options: dict[str, Any] | None) -> None:
        seats = self.table.num_players
        seat = int(self.np_random.integers(seats)) if self.seat is None else self.seat
        self.agent = self.table.possible_agents[seat]
        self.table.reset(seed=int(self.np_random.integers(2**31)), options=options)

    def _until_own_decision(self) -> tuple[np.ndarray, dict[str, Any]]:
        table = self.table
        own = table.possible_agents.index(self.agent)
        while not self.table.is_done(self.agent) and table.agent_selection != self.agent:
            seen = table.observe(table.agent_selection)
            steps = (table.possible_agents.index(table.agent_selection) - own) % table.num_players
            table.step(self._opponents_action(steps, seen["observation"], seen["action_mask"]))
        seen = table.observe(self.agent)
        self._mask = seen["action_mask"]
        return seen["observation"], {"action_mask": self._mask}

    def _opponents_action(self, steps: int, observation: np.ndarray, mask: np.ndarray) -> int:
        if self.opponents is None:
            return int(self.np_random.choice(np.flatnonzero(mask)))
        return int(self.opponents[steps - 1].act(observation[None], mask[None])[0])

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play an action of the agent, then all that comes before its next decision."""
        if not self._mask[action]:
            seen = self.table.observe(self.agent)["observation"]
            self._mask = np.zeros_like(self._mask)
            info = {"action_mask": self._mask, "illegal_action": int(action)}
            return seen, ILLEGAL_REWARD, True, False, info
        self.table.step(action)
        observation, info = self._until_own_decision()
        terminated = self.table.terminations[self.agent]
        truncated = self.table.truncations[self.agent]
        reward = self.table.rewards[self.agent] if self.table.is_done(self.agent) else 0.0
        return observation, reward, terminated, truncated, info

    def action_masks(self) -> np.ndarray:
        """Which actions are legal: bool[num_actions]; sb3-contrib asks for them by this name."""
        return self._mask.astype(bool)

    def render(self) -> str | None:
        """The table as the agent sees it: text for "ansi", printed for "human"."""
        text = self.table.describe(self.agent)
        if self.render_mode == "human":
            print(text, end="\n\n")
        return text if self.render_mode == "ansi" else None
