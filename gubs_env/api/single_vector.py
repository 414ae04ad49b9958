"""The vectorised Gymnasium environment: `gymnasium.make_vec` on the compiled batch."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces, vector
from gymnasium.error import ResetNeeded
from gymnasium.vector.utils import batch_space

from gubs_env.api.checked import ILLEGAL_REWARD
from gubs_env.api.checks import check_render_mode, check_seed
from gubs_env.api.exclusive import exclusive
from gubs_env.api.observations import ObservationForm
from gubs_env.api.rendering import render_modes, rendered
from gubs_env.api.seated import SeatedGames
from gubs_env.api.single import Opponents, build_opponents, label_of
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.game import Game


class SingleAgentVectorEnv(SeatedGames, vector.VectorEnv[Any, Any, np.ndarray]):
    """`num_envs` games for one agent each; the opponents decide in batches.

    Arguments, observations, rewards and illegal actions are those of `SingleAgentEnv`.

    A finished game is dealt anew in the same step (`AutoresetMode.SAME_STEP`): `infos["final_obs"]`
    and `infos["final_info"]` then hold the last observation and info. `infos["action_mask"]`,
    int8[num_envs, num_actions], belongs to the observations that the step returns.
    """

    game: ClassVar[Game]
    """The game that is played."""
    autoreset_mode: ClassVar[vector.AutoresetMode] = vector.AutoresetMode.SAME_STEP
    """The attribute of Gymnasium's own vectorised environments, which libraries read."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.metadata = {
            "render_modes": render_modes("ansi", "svg"),
            "name": cls.game.name,
            "autoreset_mode": cls.autoreset_mode,
        }

    def __init__(
        self,
        num_envs: int = 1,
        num_players: int | None = None,
        opponents: Opponents = "random",
        seat: int | None = None,
        rules: Any = None,
        render_mode: str | None = None,
        skip_forced: bool = False,
        dtype: str = "int8",
        dict_observations: bool = False,
    ) -> None:
        check_render_mode(render_mode, self.metadata)
        super().__init__(self.game, num_envs, num_players, rules, seat, skip_forced, None)
        self.num_envs, self.render_mode = self.games.num_envs, render_mode
        num_players = self.games.num_players
        seated = build_opponents(opponents, self.game, num_players, self.games.rules)
        self.labels = [label_of(number, agent) for number, agent in enumerate(seated)]
        self.agents = dict(zip(self.labels, seated, strict=True))
        self.form = ObservationForm(dtype, dict_observations)
        self.single_observation_space = self.form.space(self.game, num_players)
        self.single_action_space = spaces.Discrete(self.game.num_actions(num_players))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._is_dealt = False

    def _seat(self, index: int) -> None:
        seat = self._learners_seat()
        num_players = self.games.num_players
        self.seating[index] = (np.arange(num_players) - seat) % num_players - 1  # LEARNER is -1

    # ----------------------------------------------------------------------------- Gymnasium

    @exclusive
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Deal every game anew.

        Args:
            seed: seed of all games and opponents; None goes on with their RNGs.
            options: must be None or empty: there are no options.

        Raises:
            TypeError, ValueError: for a seed or options that are not allowed.
        """
        if options:
            raise ValueError(f"reset options {options!r}: a vectorised environment has none")
        super().reset(seed=check_seed(seed))
        if seed is not None:
            self._reseed(seed)
        self._is_dealt = True
        self._clear()
        self._deal_all()
        return self._seen()

    @exclusive
    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play an action in every game, and then on to the agent's next decision.

        Args:
            actions: int[num_envs]. An illegal action ends its game with reward −1.

        Raises:
            ValueError: for another shape or dtype, or an action outside the space.
            ResetNeeded: before `reset`.
        """
        if not self._is_dealt:
            raise ResetNeeded("no game has been dealt yet: call reset()")
        actions = self._in_space(actions)
        legal = self.games.masks[np.arange(self.num_envs), actions] != 0
        self._clear()
        for index in np.flatnonzero(~legal).tolist():
            self._illegal[index] = True
            self._end(index, ILLEGAL_REWARD, self.games.observations[index])
            self._deal(index)
        self.lengths[legal] += 1
        self.games.step(np.where(legal, actions, LOOK))
        self._play_others()
        observations, infos = self._seen()
        return observations, self._rewards, self._terminations, self._truncations, infos

    def _in_space(self, actions: Any) -> np.ndarray:
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be whole numbers of shape ({self.num_envs},), not {actions.dtype} "
                f"of shape {actions.shape}"
            )
        last = self.games.masks.shape[1] - 1
        if outside := actions[(actions < 0) | (actions > last)].tolist():
            raise ValueError(f"action {outside[0]}: the space is 0 to {last}")
        return actions.astype(np.int64)

    def _clear(self) -> None:
        """Forget the results of the last step."""
        self._rewards = np.zeros(self.num_envs)
        self._terminations = np.zeros(self.num_envs, np.bool_)
        self._truncations = np.zeros(self.num_envs, np.bool_)
        self._illegal = np.zeros(self.num_envs, np.bool_)
        self._last = np.full(self.num_envs, None)

    def _report(self, index: int) -> None:
        seat = self._seat_of(index)
        self._truncations[index] = self.games.truncations[index]
        self._end(index, float(self.games.rewards[index, seat]), self.games.observe(index, seat))

    def _end(self, index: int, reward: float, last: np.ndarray) -> None:
        """Write the result of a game that ends with this reward and observation."""
        self._rewards[index] = reward
        self._terminations[index] = not self._truncations[index]
        self._last[index] = self.form.of(last, np.zeros_like(self.games.masks[index]))

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        masks = self.games.masks.copy()
        infos: dict[str, Any] = {"action_mask": masks}
        ended = self._terminations | self._truncations
        if ended.any():
            final: dict[str, Any] = {
                "action_mask": np.zeros_like(masks),
                "illegal_action": self._illegal,
                "_action_mask": ended,
                "_illegal_action": ended,
            }
            infos |= {"final_obs": self._last, "_final_obs": ended}
            infos |= {"final_info": final, "_final_info": ended}
        return self.form.of(self.games.observations, masks), infos

    @exclusive
    def action_masks(self) -> np.ndarray:
        """Return the legal actions of every game, bool[num_envs, num_actions]."""
        return self.games.masks.astype(bool)

    @exclusive
    def render(self) -> tuple[Any, ...] | None:
        """Return every table as its agent sees it, by the render mode."""
        if self.render_mode is None:
            return None
        seats = map(self._seat_of, range(self.num_envs))
        views = [self.game.view(self.games.states, *place) for place in enumerate(seats)]
        return tuple(rendered(self.game, view, self.render_mode) for view in views)
