"""The AEC environment with the conventions of PettingZoo's standard wrappers, in one fast layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
from pettingzoo.utils.env import AECIterable
from pettingzoo.utils.env_logger import EnvLogger

from gubs_env.api.aec import AECGame, RulesT
from gubs_env.engine.game import Game
from gubs_env.support.checks import whole_number
from gubs_env.support.exclusive import in_use

ILLEGAL_REWARD = -1.0


class CheckedAEC(AECGame[RulesT]):
    """An AEC game that behaves as in TerminateIllegal, AssertOutOfBounds and OrderEnforcing.

    An illegal action ends the game with a warning; the agent that chose it gets −1, the others 0.
    An action outside the space raises AssertionError, and so does a call before `reset`. A step
    after the end warns. A loop over `agent_iter` that does not step raises AssertionError.
    """

    _stepped = False

    def step(self, action: Any) -> None:
        """Play an action; one that is not legal ends the game.

        An agent that is gone steps with None. A step after the end warns and does nothing.

        Raises:
            AssertionError: for an action outside the space, or before `reset`.
        """
        if not self._lock.acquire(False):  # not `exclusive`, which takes a twelfth of a step
            raise in_use(self)
        try:
            agents = self.__dict__.get("agents")
            if agents is None:
                EnvLogger.error_step_before_reset()
            if not agents:
                EnvLogger.warn_step_after_terminated_truncated()
                return
            self._stepped = True
            agent = self.agent_selection
            dead = self.terminations[agent] or self.truncations[agent]
            # The usual case first: `contains` alone takes longer than the game does.
            in_space = type(action) is int and 0 <= action < len(self._mask)
            # Not `assert`, which python -O leaves out.
            if not (
                in_space or (dead and action is None) or self.action_spaces[agent].contains(action)
            ):
                raise AssertionError("action is not in action space")
            if dead:
                self._was_dead_step(action)
            elif self._mask[int(action)]:
                self._play(int(action))
            else:
                EnvLogger.warn_on_illegal_move()
                self._forfeit(int(action))
        finally:
            self._lock.release()

    def _replay_illegal(self, action: int) -> None:
        if self.is_done(self.agent_selection):
            raise ValueError(f"illegal_action is {action}: the game is over before it")
        if self._mask[whole_number(action, len(self._mask))]:
            raise ValueError(f"illegal_action is {action}, which is legal at that point")
        self._forfeit(action)

    def _forfeit(self, action: int) -> None:
        """End the game for all agents; only the culprit, who chose the action, is punished."""
        culprit = self.agent_selection
        self._illegal_action = action
        self._cumulative_rewards[culprit] = 0.0
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[culprit] = ILLEGAL_REWARD
        self._accumulate_rewards()
        self._deads_step_first()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return what an agent sees, as `AECGame.observe`; AssertionError before `reset`."""
        if not self._is_dealt():
            EnvLogger.error_observe_before_reset()
        return super().observe(agent)

    def render(self) -> str | np.ndarray | None:
        """Render as `AECGame.render` does; AssertionError before `reset`."""
        if not self._is_dealt():
            EnvLogger.error_render_before_reset()
        return super().render()

    def state(self) -> np.record:
        """Return the state as `AECGame.state` does; AssertionError before `reset`."""
        if not self._is_dealt():
            EnvLogger.error_state_before_reset()
        return super().state()

    def agent_iter(self, max_iter: int = 2**63) -> Iterable[str]:
        """Return an iterable over the agents that act, in order, at most `max_iter` times.

        Raises:
            AssertionError: before `reset`; in the loop, if it does not call `step`.
        """
        if not self._is_dealt():
            EnvLogger.error_agent_iter_before_reset()
        return SteppingIterable(self, max_iter)


@cache
def checked_class(game: Game) -> type[CheckedAEC[Any]]:
    """Return such an environment of a game that has no public module."""
    return type("CheckedGame", (CheckedAEC,), {"game": game})


class SteppingIterable(AECIterable):
    """The iterable that `agent_iter` returns, which requires a step after each agent."""

    def __iter__(self) -> Iterator[str]:
        env, left = self.env, self.max_iter
        while env.agents and left > 0:
            if not env._stepped:
                raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")
            env._stepped = False
            left -= 1
            yield env.agent_selection
