"""The vectorised Gymnasium environment: `gymnasium.make_vec` on the compiled batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces, vector
from gymnasium.error import ResetNeeded
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from gubs_env.api.checked import ILLEGAL_REWARD
from gubs_env.api.observations import ObservationForm
from gubs_env.api.rendering import render_modes, rendered
from gubs_env.api.seated import SeatedGames
from gubs_env.api.single import Opponents, build_opponents, label_of
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.game import Game
from gubs_env.engine.rng import spawn_rngs
from gubs_env.engine.table import Table
from gubs_env.engine.view import View
from gubs_env.support.checks import check_render_mode, check_seat, check_seeds
from gubs_env.support.exclusive import exclusive

Seeds = int | Sequence[int | None] | None


class SingleAgentVectorEnv(SeatedGames, vector.VectorEnv[Any, Any, np.ndarray]):
    """`num_envs` games for one agent each; the opponents decide in batches.

    Arguments, observations, rewards and illegal actions are those of `SingleAgentEnv`. Game k plays
    as that environment does after `reset(seed=seed + k)`, and infos have the form that Gymnasium's
    `SyncVectorEnv` gives them: `infos["action_mask"]`, int8[num_envs, num_actions], and
    `infos["illegal_action"]`, bool[num_envs], belong to the observations that are returned. All
    other arguments are those of `SingleAgentEnv`; there is no render mode "human".

    Args:
        num_envs: number of games.
        autoreset_mode: an `AutoresetMode` or its value, which says when a finished game is dealt
            anew. "SameStep": in the same step; `infos["final_obs"]` and `infos["final_info"]` then
            hold the last observation and info. "NextStep": in the next step, which ignores the
            action. "Disabled": by `reset(options={"reset_mask": …})`, before the next step. Until
            a game is dealt anew its action mask is all zeros.

    Raises:
        TypeError, ValueError: for a value that is not allowed.
    """

    game: ClassVar[Game]
    """The game that is played."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.metadata = {"render_modes": render_modes("ansi", "svg"), "name": cls.game.name}

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
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        check_render_mode(render_mode, self.metadata)
        table = Table(self.game, num_players, rules)
        super().__init__(table, num_envs, seat, skip_forced, None)
        self.num_envs, self.render_mode = self.games.num_envs, render_mode
        self.autoreset_mode = check_autoreset_mode(autoreset_mode)
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        seated = build_opponents(opponents, table)
        self.labels = [label_of(number, agent) for number, agent in enumerate(seated)]
        self._take(dict(zip(self.labels, seated, strict=True)))
        self.seats = [self.fixed_seat] * self.num_envs
        self.form = ObservationForm(dtype, dict_observations)
        self.single_observation_space = self.form.space(table)
        self.single_action_space = spaces.Discrete(table.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.rngs = np.zeros((self.num_envs, table.num_players - 1, 4), np.int64)
        self._generators = [np_random() for _ in range(self.num_envs)]
        self._lasts = np.zeros_like(self.games.observations)
        self._is_dealt = False

    # ------------------------------------------------------------------------- seats and seeds

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The generators of the games, from which seats, deals and opponents draw."""
        return tuple(generator for generator, _ in self._generators)

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seeds of these generators."""
        return tuple(int(seed) for _, seed in self._generators)

    def _seat(self, indices: np.ndarray) -> None:
        num_players = self.games.num_players
        for index in indices.tolist():
            if (seat := self.seats[index]) is None:
                seat = int(self._generators[index][0].integers(num_players))
            self.seating[index] = (np.arange(num_players) - seat) % num_players - 1  # LEARNER is -1

    def _seeds_of_deals(self, indices: np.ndarray) -> list[int]:
        seeds = []
        for index in indices.tolist():
            generator, _ = self._generators[index]
            seeds.append(int(generator.integers(2**31)))
            self.rngs[index] = spawn_rngs(generator, self.games.num_players - 1)
        return seeds

    def _rng_of(self, rows: np.ndarray, number: int) -> Any:
        return rows, number

    # ----------------------------------------------------------------------------- Gymnasium

    @exclusive
    def reset(
        self, *, seed: Seeds = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Deal every game anew, or those that a mask names.

        Args:
            seed: game k starts with `seed + k`; or a list with the seed of each game. None goes on
                with the RNG of a game.
            options: `{"reset_mask": bool[num_envs]}` names the games to deal anew, at least one.

        Returns:
            The observations of all games, and the infos of those dealt anew; `action_masks` has
            the legal actions of all.

        Raises:
            TypeError, ValueError: for a seed or options that are not allowed. Nothing has changed.
            ResetNeeded: for a mask before all games were dealt.
        """
        chosen = self._reset_mask(options)
        seeds = check_seeds(seed, self.num_envs, fresh=True) or [None] * self.num_envs
        if not self._is_dealt and not chosen.all():
            raise ResetNeeded("no game has been dealt yet: call reset() without a mask first")
        self._is_dealt = True
        self._clear()
        self.resting[chosen] = False
        for index in np.flatnonzero(chosen).tolist():
            if seeds[index] is not None:
                self._generators[index] = np_random(seeds[index])
        self._deal(np.flatnonzero(chosen))
        self.games.look(np.flatnonzero(chosen))
        self._play_others()
        return self._results(chosen)

    def _reset_mask(self, options: Mapping[str, Any] | None) -> np.ndarray:
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        if options:
            raise ValueError(
                f"reset options {options!r}: a vectorised environment has only reset_mask"
            )
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError(f"reset_mask={mask!r}: must be an array of bool")
        if mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(
                f"reset_mask={mask!r}: must have the shape ({self.num_envs},) and name a game"
            )
        return mask.copy()

    @exclusive
    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play an action in every game, and then on to the agent's next decision.

        Args:
            actions: int[num_envs]. An illegal action ends its game with reward −1.

        Raises:
            ValueError: for another shape or dtype, or an action outside the space.
            ResetNeeded: before `reset`; with `AutoresetMode.DISABLED`, while a game is over.
        """
        if not self._is_dealt:
            raise ResetNeeded("no game has been dealt yet: call reset()")
        actions, waiting = self._in_space(actions), np.flatnonzero(self.resting)
        if len(waiting) and self.autoreset_mode is AutoresetMode.DISABLED:
            raise ResetNeeded(
                f"the games {waiting.tolist()} are over: deal them anew with "
                'reset(options={"reset_mask": terminations | truncations})'
            )
        legal = self.games.masks[np.arange(self.num_envs), actions] != 0
        legal[waiting] = True
        self._clear()
        for index in np.flatnonzero(~legal).tolist():
            self._illegal[index] = True
            self._end(index, ILLEGAL_REWARD, self.games.observations[index])
        self._deal(np.flatnonzero(~legal & ~self.resting))
        legal[waiting] = False
        self.resting[waiting] = False
        self._deal(waiting)
        self.lengths[legal] += 1
        self.games.step(np.where(legal, actions, LOOK))
        self._play_others()
        observations, infos = self._results(np.ones(self.num_envs, np.bool_))
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

    def _report(self, indices: np.ndarray) -> None:
        seats = self._seats_of(indices)
        self._truncations[indices] = self.games.truncations[indices]
        rewards, lasts = self.games.rewards[indices, seats], self.games.observe(indices, seats)
        for index, reward, last in zip(indices.tolist(), rewards.tolist(), lasts, strict=True):
            self._end(index, reward, last)

    def _end(self, index: int, reward: float, last: np.ndarray) -> None:
        """Write the result of a game that ends with this reward and observation."""
        self._rewards[index] = reward
        self._terminations[index] = not self._truncations[index]
        self._lasts[index] = last
        self.resting[index] = self.autoreset_mode is not AutoresetMode.SAME_STEP

    def _results(self, informed: np.ndarray) -> tuple[Any, dict[str, Any]]:
        """Return the observations of all games, and the infos of those informed, bool[num_envs]."""
        masks = np.where(self.resting[:, None], np.int8(0), self.games.masks)
        shown = np.where(self.resting[:, None], self._lasts, self.games.observations)
        same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        none = np.zeros(self.num_envs, np.bool_)
        infos = _info(masks * informed[:, None], none if same_step else self._illegal, informed)
        ended = self._terminations | self._truncations
        if same_step and ended.any():
            blank, lasts = np.zeros_like(masks), np.full(self.num_envs, None)
            for index in np.flatnonzero(ended):
                lasts[index] = self.form.of(self._lasts[index], blank[index])
            infos |= {"final_obs": lasts, "_final_obs": ended}
            infos |= {"final_info": _info(blank, self._illegal, ended), "_final_info": ended}
        return self.form.of(shown, masks), infos

    @exclusive
    def action_masks(self) -> np.ndarray:
        """Return the legal actions of every game, bool[num_envs, num_actions]."""
        return self.games.masks.astype(bool) & ~self.resting[:, None]

    @exclusive
    def render(self) -> tuple[Any, ...] | None:
        """Return every table as its agent sees it, by the render mode."""
        return None if self.render_mode is None else self.call("render")

    # ------------------------------------------------------------------- one game after another

    @exclusive
    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return what an attribute of `SingleAgentEnv` is in each game, or what a method returns.

        Raises:
            AttributeError: for a name that the games of a vectorised environment do not have.
            ResetNeeded: for a view before `reset`.
        """
        values = [self._attribute(index, name) for index in range(self.num_envs)]
        return tuple(one(*args, **kwargs) if callable(one) else one for one in values)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each game, as `call` does."""
        return self.call(name)

    @exclusive
    def set_attr(self, name: str, values: Any) -> None:
        """Set the agent's `seat`, for games dealt later: one for all, or a list with one for each.

        Raises:
            AttributeError: for another attribute: none can be set.
            ValueError: for a seat that is not allowed, or another number of seats.
        """
        if name != "seat":
            raise AttributeError(f"the games have no attribute {name!r} to set; allowed is 'seat'")
        seats = list(values) if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(seats) != self.num_envs:
            raise ValueError(f"{len(seats)} seats: give one for all games, or {self.num_envs}")
        self.seats = [check_seat(seat, self.games.num_players) for seat in seats]

    def _attribute(self, index: int, name: str) -> Any:
        game, table = self.game, self.games.table
        known: dict[str, Callable[..., Any] | Any] = {
            "action_masks": lambda: (self.games.masks[index] != 0) & ~self.resting[index],
            "action_name": table.action_name,
            "action_index": table.action_index,
            "observation_slices": lambda: table.observation_slices,
            "table": table,
            "view": lambda: self._view(index),
            "describe": lambda: game.describe(self._view(index)),
            "draw": lambda: game.draw(self._view(index)),
            "outcome": lambda: self.games.outcome(index),
            "render": lambda: rendered(game, self._view(index), str(self.render_mode)),
            "render_mode": self.render_mode,
            "seat": self.seats[index],
            "skip_forced": self.games.skip_forced,
            "opponents": list(self.agents.values()),
            "metadata": self.metadata,
            "observation_space": self.single_observation_space,
            "action_space": self.single_action_space,
            "np_random": self._generators[index][0],
            "np_random_seed": self._generators[index][1],
        }
        if name not in known:
            raise AttributeError(f"the games have no attribute {name!r}; they have {list(known)}")
        return known[name]

    def _view(self, index: int) -> View:
        if not self._is_dealt:
            raise ResetNeeded("no game has been dealt yet: call reset()")
        return self.game.view(self.games.states, index, self._seat_of(index))


def check_autoreset_mode(mode: Any) -> AutoresetMode:
    """Return the mode of a member of `AutoresetMode` or its value; raise ValueError for others."""
    try:
        return AutoresetMode(mode)
    except ValueError:
        allowed = [known.value for known in AutoresetMode]
        raise ValueError(f"autoreset_mode={mode!r}: allowed are {allowed}") from None


def _info(masks: np.ndarray, illegal: np.ndarray, informed: np.ndarray) -> dict[str, Any]:
    """Return the infos of some games, as `SyncVectorEnv` writes them."""
    return {
        "action_mask": masks,
        "_action_mask": informed.copy(),
        "illegal_action": illegal,
        "_illegal_action": informed.copy(),
    }
