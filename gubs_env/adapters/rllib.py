"""The games as environments for RLlib; needs the extra `rllib`.

config = PPOConfig().environment(RLlibEnv, env_config={"game": "gubs", "num_players": 2})
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from gymnasium import spaces

from gubs_env.games import find_table, public_module
from gubs_env.support.checks import require_extra
from gubs_env.support.exclusive import Exclusive, exclusive

require_extra("rllib", "ray", "tree")

from ray.rllib.env.multi_agent_env import MultiAgentEnv  # noqa: E402

__all__ = ["LegalActions", "RLlibEnv"]

OBSERVATIONS, ACTION_MASK = "observations", "action_mask"
"""The keys of an observation, which RLlib's own modules with action masks expect."""
OPTIONS = ("game", "num_players", "rules")


class LegalActions(spaces.Discrete):
    """The actions of a game; `sample()` draws a legal one.

    RLlib checks an environment with a sample of the action space, for which it gives no mask.

    Args:
        n: number of actions.

    Attributes:
        legal: int8[n], the actions that are legal now, which the environment keeps up to date.
    """

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.legal = np.ones(n, np.int8)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Draw an action: among the legal ones now, unless a mask or probabilities are given."""
        if mask is None and probability is None:
            mask = self.legal
        return super().sample(mask, probability)


class RLlibEnv(Exclusive, MultiAgentEnv):
    """A game as a `MultiAgentEnv` of RLlib's new API stack.

    A step returns the observation of the agent to decide alone; at the end, every agent gets its
    last observation, its payoff, and `terminateds` (or `truncateds`, at `max_cycles`). Rewards are
    0 before the end.

    Observations are dicts of `observations`, float32[observation_size], and `action_mask`,
    float32[num_actions], all zeros at the end. RLlib takes the class as it is, and so do remote
    runners, which do not know the ids that `gubs_env` registers with Gymnasium.

    Args:
        config: `game`, the name of the game ("gubs"); `num_players` and `rules`, as for the AEC
            environment.

    Raises:
        ValueError: for other keys, or for values that are not allowed.
    """

    def __init__(self, config: Mapping[str, Any] = MappingProxyType({})) -> None:
        super().__init__()
        if unknown := sorted(set(config) - set(OPTIONS)):
            raise ValueError(f"env_config has the keys {unknown}: allowed are {list(OPTIONS)}")
        table = find_table(**{"game": "gubs"} | dict(config))
        self.game = public_module(table.game.name).raw_env(table.num_players, table.rules)
        agents = self.game.possible_agents
        self.possible_agents, self.agents = list(agents), list(agents)
        highs, num_actions = table.observation_highs.astype(np.float32), table.num_actions
        space = spaces.Dict(
            {
                OBSERVATIONS: spaces.Box(np.zeros_like(highs), highs),
                ACTION_MASK: spaces.Box(0, 1, (num_actions,)),
            }
        )
        self.observation_spaces = dict.fromkeys(agents, space)
        self.actions = LegalActions(num_actions)
        self.action_spaces = dict.fromkeys(agents, self.actions)

    @exclusive
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Deal a game, and return the observation of the agent to decide."""
        self.game.reset(seed, options)
        self.agents = list(self.possible_agents)
        return self._seen([self.game.agent_selection]), {}

    @exclusive
    def step(self, action_dict: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """Play the action of the agent to decide.

        Raises:
            ValueError: for an action of another agent, or one that is not legal; nothing is played.
            RuntimeError: when the game is over.
        """
        if not self.agents:
            raise RuntimeError("no game is under way: call reset()")
        game, agent = self.game, self.game.agent_selection
        if set(action_dict) != {agent}:
            raise ValueError(f"actions of {list(action_dict)}: only {agent} decides now")
        game.step(action_dict[agent])
        if not game.is_done(agent):
            over = {"__all__": False}
            # RLlib wants a reward of an agent that decides twice in a row.
            return self._seen([game.agent_selection]), {agent: 0.0}, over, dict(over), {}
        self.agents = []
        return (
            self._seen(self.possible_agents),
            dict(game.rewards),
            dict(game.terminations) | {"__all__": any(game.terminations.values())},
            dict(game.truncations) | {"__all__": any(game.truncations.values())},
            {},
        )

    @exclusive
    def render(self) -> str:
        """Return the table as the agent to decide sees it, in words."""
        return self.game.describe(self.game.agent_selection)

    def _seen(self, agents: list[str]) -> dict[str, Any]:
        observed = {agent: self.game.observe(agent) for agent in agents}
        self.actions.legal[:] = observed[agents[0]]["action_mask"]
        return {
            agent: {
                OBSERVATIONS: each["observation"].astype(np.float32),
                ACTION_MASK: each["action_mask"].astype(np.float32),
            }
            for agent, each in observed.items()
        }
