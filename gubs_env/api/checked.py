"""What PettingZoo's three standard wrappers promise, in one layer that costs little."""

from __future__ import annotations

from typing import Any

import numpy as np
from pettingzoo.utils.env import AECIterable, AECIterator
from pettingzoo.utils.env_logger import EnvLogger

from gubs_env.api.aec import AECGame

ILLEGAL_REWARD = -1.0


class CheckedAEC(AECGame):
    """An AEC game that behaves as inside TerminateIllegal, AssertOutOfBounds and OrderEnforcing.

    An illegal action ends the game with a warning, −1 for the culprit and 0 for the others. An
    action out of the space is an AssertionError, as is a call before `reset`. A step after the end
    is a warning, and a loop over `agent_iter` that does not step is an AssertionError.
    """

    _stepped = False

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        super().reset(seed, options)
        self._stepped = True

    def step(self, action: Any) -> None:
        if not self._is_dealt():
            EnvLogger.error_step_before_reset()
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        self._stepped = True
        agent = self.agent_selection
        dead = self.is_done(agent)
        # The usual case first: `contains` alone takes longer than the game does.
        in_space = type(action) is int and 0 <= action < self._mask.shape[1]
        if not in_space and not (dead and action is None):
            assert self.action_spaces[agent].contains(action), "action is not in action space"
        if dead:
            self._was_dead_step(action)
        elif self._mask[0, action]:
            self._play(int(action))
        else:
            self._forfeit(agent)

    def _forfeit(self, culprit: str) -> None:
        """The game is over for all; only the culprit pays."""
        EnvLogger.warn_on_illegal_move()
        self._cumulative_rewards[culprit] = 0.0
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[culprit] = ILLEGAL_REWARD
        self._accumulate_rewards()
        self._deads_step_first()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        if not self._is_dealt():
            EnvLogger.error_observe_before_reset()
        return super().observe(agent)

    def render(self) -> str | None:
        if not self._is_dealt():
            EnvLogger.error_render_before_reset()
        return super().render()

    def state(self) -> np.ndarray:
        if not self._is_dealt():
            EnvLogger.error_state_before_reset()
        return super().state()

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable:
        if not self._is_dealt():
            EnvLogger.error_agent_iter_before_reset()
        return SteppingIterable(self, max_iter)


class SteppingIterable(AECIterable):
    def __iter__(self) -> AECIterator:
        return SteppingIterator(self.env, self.max_iter)


class SteppingIterator(AECIterator):
    """Agents to decide, as long as each is followed by a step."""

    def __next__(self) -> str:
        agent = super().__next__()
        assert self.env._stepped, "need to call step() or reset() in a loop over `agent_iter`"
        self.env._stepped = False
        return agent
