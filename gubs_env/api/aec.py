"""The PettingZoo AEC environment of a game."""

from __future__ import annotations

import copy
import json
import operator
import os
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from typing_extensions import Self

from gubs_env.api.observations import ObservationForm
from gubs_env.api.vector import make_batch
from gubs_env.engine.border import check_states
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.game import Game, RuleOptions
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.seats import ANY_PLAYER
from gubs_env.engine.slices import Slice
from gubs_env.engine.view import View

RulesT = TypeVar("RulesT", bound=RuleOptions)
JSON_VERSION = 2
AGENT_FIELDS = (
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
)


def whole_number(action: Any, count: int) -> int:
    """Return an action of a space of `count` actions as an int.

    Raises:
        TypeError: for something that is not a whole number.
        ValueError: for a number outside the space.
    """
    try:
        number = operator.index(action)
    except TypeError:
        raise TypeError(f"an action must be a whole number, not {action!r}") from None
    if not 0 <= number < count:
        raise ValueError(f"action {number}: the space is 0 to {count - 1}")
    return number


def check_render_mode(render_mode: str | None, metadata: Mapping[str, Any]) -> None:
    """Raise ValueError for a render mode that an environment does not have."""
    allowed = metadata["render_modes"]
    if render_mode is not None and render_mode not in allowed:
        raise ValueError(f"render_mode={render_mode!r}: allowed are None and {allowed}")


class AECGame(AECEnv, Generic[RulesT]):
    """One game, whose agents `player_0`, `player_1`, … decide one at a time.

    Observations are dicts of `observation` (int8[observation_size], made of the named slices of
    `observation_slices()`) and `action_mask` (int8[num_actions], all zeros for an agent that does
    not decide now). Rewards are paid once, at the end.

    A copy, a deep copy and a pickle keep the game under way, its RNG included.

    Args:
        num_players: number of players; None: the usual number of the game.
        rules: the options of the rules, as `Rules(…)` of the public module or a dict of options;
            None: the defaults.
        render_mode: "ansi" returns the table as text, "human" prints it after every step.

    Raises:
        ValueError: for numbers of players, options or render modes that are not allowed.
        TypeError: for rules of another game.
    """

    game: ClassVar[Game]
    metadata: ClassVar[dict[str, Any]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if hasattr(cls, "game"):
            cls.metadata = {
                "render_modes": ["ansi", "human"],
                "name": cls.game.name,
                "is_parallelizable": False,
                "render_fps": 1,
            }

    def __init__(
        self,
        num_players: int | None = None,
        rules: RulesT | Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        game = self.game
        num_players = game.players if num_players is None else num_players
        self.rules: RulesT = game.make_rules(rules)
        game.check_players(num_players, self.rules)
        check_render_mode(render_mode, self.metadata)
        self.num_players = int(num_players)
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self.num_players)]
        self._build_spaces()

        self._batch = make_batch(game, game.new_states(1, self.num_players, self.rules))
        self._states, self._observation, self._mask, self._payoffs = self._batch[:4]
        _, self._truncation, self._actor, _ = self._batch[4:]
        self._action = np.zeros(1, np.int64)
        self._undealt = self._states.copy()
        self._states["rng"] = seed_rng(None)
        self._start = self._states.copy()
        self._actions: list[int] = []

    def _build_spaces(self) -> None:
        form = ObservationForm(as_dict=True)
        actions = self.game.num_actions(self.num_players)
        self.observation_spaces: dict[str, spaces.Space[Any]] = {
            agent: form.space(self.game, self.num_players) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}

    # ---------------------------------------------------------------------------- PettingZoo

    @property
    def unwrapped(self) -> Self:
        """This environment itself."""
        return self

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.

        Args:
            seed: seed of the game, ≥ 0; None goes on with the RNG of the last game (at first, with
                fresh entropy).
            options: `starting_player`, the index of a player or the name of an agent; by default
                the rules choose.

        Raises:
            ValueError: for an unknown option or player.
        """
        starting_player = self._starting_player(options or {})
        rng = self._states["rng"].copy() if seed is None else seed_rng(operator.index(seed))
        self._states[:] = self._undealt  # a position may have left cards out of the deck
        self._states["rng"] = rng
        self.game.kernel.deal(self._states, 0, starting_player)
        self._begin()

    def set_state(self, state: Any) -> None:
        """Start a game from a state, in place of `reset`.

        Agents, rewards and the log begin anew, and `to_json` saves the game from here on. The next
        `reset` deals a full game again.

        Args:
            state: a state made by `position` of the public module or by `env.state()`, with the
                number of players and the rules of this environment.

        Raises:
            ValueError: for a state of another game, number of players or rules; for a view or a
                game that is over. The environment is then unchanged.
        """
        rows = check_states(self.game, state, self.num_players, self.rules)
        if len(rows) != 1:
            raise ValueError(f"{len(rows)} states: this environment plays one game; give one state")
        self._states[:] = rows
        self._begin()

    def _starting_player(self, options: dict[str, Any]) -> int:
        # PettingZoo's api_test resets with {"options": 1}, which must pass.
        if unknown := set(options) - {"starting_player", "options"}:
            raise ValueError(f"reset options {sorted(unknown)}: the only one is 'starting_player'")
        if "starting_player" not in options:
            return ANY_PLAYER
        seat = options["starting_player"]
        if seat in self.possible_agents:
            return self.possible_agents.index(seat)
        whole = isinstance(seat, int | np.integer) and not isinstance(seat, bool)
        if whole and 0 <= seat < self.num_players:
            return int(seat)
        raise ValueError(
            f"starting_player={seat!r}: allowed are 0 to {self.num_players - 1}, "
            f"or one of {self.possible_agents}"
        )

    def _begin(self) -> None:
        """Start a game from the current state."""
        self._stepped = True  # so that a loop over `agent_iter` may begin (`CheckedAEC`)
        self._start = self._states.copy()
        self._actions = []
        self.agents: list[str] = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._advance(LOOK)
        self.agent_selection = self.possible_agents[self._actor[0]]

    def _advance(self, action: int) -> None:
        self._action[0] = action
        self.game.kernel.advance(*self._batch, self._action, 1, False, False)

    def step(self, action: Any) -> None:
        """Play an action of the acting agent; None for an agent that is done.

        Raises:
            TypeError: for an action that is not a whole number.
            ValueError: for an action outside the space or not legal now, or for an action other
                than None of an agent that is done. The environment is then unchanged.
            RuntimeError: before `reset`, or after the last agent is gone.
        """
        self._check_under_way()
        if self.is_done(self.agent_selection):
            self._was_dead_step(action)
        else:
            self._play(self._checked(action))

    def _play(self, action: int) -> None:
        """Play a legal action."""
        self._actions.append(action)
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._advance(action)
        if self._actor[0] < 0:
            self._finish()
        else:
            self.agent_selection = self.possible_agents[self._actor[0]]
        if self.render_mode == "human":
            self.render()

    def _checked(self, action: Any) -> int:
        mask = self._mask[0]
        number = whole_number(action, len(mask))
        if not mask[number]:
            legal = ", ".join(f"{a} {self.action_name(a)}" for a in np.flatnonzero(mask).tolist())
            raise ValueError(
                f"action {number} {self.action_name(number)} is not legal for "
                f"{self.agent_selection} now; legal are: {legal}"
            )
        return number

    def _finish(self) -> None:
        self.rewards = dict(zip(self.agents, self._payoffs[0].tolist(), strict=True))
        cut_off = bool(self._truncation[0])
        self.terminations = dict.fromkeys(self.agents, not cut_off)
        self.truncations = dict.fromkeys(self.agents, cut_off)
        self._accumulate_rewards()
        self.agent_selection = self.agents[0]

    def is_done(self, agent: str) -> bool:
        """Return whether the game is over for an agent, which may be gone already."""
        return self.terminations.get(agent, True) or self.truncations[agent]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return the observation of any agent, as copies; only the acting one has legal actions."""
        self._check_dealt("observe")
        seat = self._seat(agent)
        if seat == self._actor[0] and not self.is_done(agent):
            return self._seen_by_actor()
        observation = np.zeros_like(self._observation[0])
        self.game.kernel.observe(self._states, 0, seat, observation)
        return {"observation": observation, "action_mask": np.zeros_like(self._mask[0])}

    def _seen_by_actor(self) -> dict[str, np.ndarray]:
        return {"observation": self._observation[0].copy(), "action_mask": self._mask[0].copy()}

    def last(
        self, observe: bool = True
    ) -> tuple[dict[str, np.ndarray] | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, termination, truncation and info of the acting agent.

        The reward is the sum since its last decision. With `observe=False` the observation is None.

        Raises:
            RuntimeError: before `reset`, and after the last agent is gone.
        """
        self._check_under_way()
        agent = self.agent_selection
        seen = None
        if observe:
            seen = self.observe(agent) if self.is_done(agent) else self._seen_by_actor()
        return (
            seen,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def _is_dealt(self) -> bool:
        return "agents" in self.__dict__

    def _check_dealt(self, call: str) -> None:
        if not self._is_dealt():
            raise RuntimeError(f"call reset() before {call}()")

    def _check_under_way(self) -> None:
        if not self.__dict__.get("agents"):
            raise RuntimeError("no game is under way: call reset()")

    if not TYPE_CHECKING:  # else a type checker would accept every attribute

        def __getattr__(self, name: str) -> Any:
            """Name `reset` in the error for an attribute that only a dealt game has."""
            if name in (*AGENT_FIELDS, "infos", "num_agents"):
                raise AttributeError(f"{name} cannot be accessed before reset()")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _seat(self, agent: str) -> int:
        if agent not in self.possible_agents:
            raise ValueError(f"no agent is called {agent!r}: they are {self.possible_agents}")
        return self.possible_agents.index(agent)

    def render(self) -> str | None:
        """Return the table as the acting agent sees it for "ansi", or print it for "human"."""
        self._check_dealt("render")
        if self.render_mode is None:
            gymnasium.logger.warn("to render, make the environment with render_mode='ansi'")
            return None
        plain = "NO_COLOR" in os.environ or not sys.stdout.isatty()
        text = self.game.describe(self.view(self.agent_selection), not plain)
        if self.render_mode == "ansi":
            return text
        print(text, end="\n\n")
        return None

    def close(self) -> None:
        """Do nothing: no resources are held."""

    # ------------------------------------------------------------------- beyond PettingZoo

    def action_name(self, action: int) -> str:
        """Return the name of an action, as `CARD[Lure]`; ValueError outside the space."""
        return self.game.action_name(operator.index(action), self.num_players)

    def action_index(self, name: str) -> int:
        """Return the action with a name; ValueError if there is none."""
        return int(self.game.action_index(name, self.num_players))

    def observation_slices(self) -> dict[str, Slice]:
        """Return the named slices of the observation vector."""
        return self.game.observation_slices(self.num_players)

    def view(self, agent: str) -> View:
        """Return the view of an agent: a copy of the state without anything hidden from them."""
        self._check_dealt("view")
        return self.game.view(self._states, 0, self._seat(agent))

    def describe(self, agent: str) -> str:
        """Return the view of an agent in words."""
        return self.game.describe(self.view(agent), False)

    def state(self) -> np.record:
        """Return a copy of the whole state, including private information: not for agents."""
        self._check_dealt("state")
        return self._states[0].copy()

    def outcome(self) -> Outcome:
        """Return the outcome of the game: as it ended, or as if it ended now."""
        self._check_dealt("outcome")
        return self.game.outcome(self._states[0])

    def log(self, agent: str | None = None) -> list[str]:
        """Return the game so far in words.

        Args:
            agent: tell what this agent saw; None tells what everybody saw.
        """
        self._check_dealt("log")
        viewer = None if agent is None else self._seat(agent)
        lines: list[str] = []
        for before, action, after in self.transitions():
            lines += self.game.narrate(before, action, after, viewer)
        return lines

    def history(self, agent: str) -> np.ndarray:
        """Return the events since the start as an agent saw them, int8[events, event_size].

        Each row is one event, made of the named slices of `event_slices()`; −1 means that there is
        no such thing, or that the agent cannot know it. Seats count clockwise from the agent. The
        history tells what `log(agent)` tells.
        """
        self._check_dealt("history")
        seat, history = self._seat(agent), self.game.recorded_history()
        return history.gather(
            [row for step in self.transitions() for row in history.events(*step, seat)]
        )

    def event_slices(self) -> dict[str, Slice]:
        """Return the named slices of an event of `history`."""
        return self.game.event_slices()

    def transitions(self) -> Iterator[tuple[Any, int, Any]]:
        """Yield (state before, action, state after) of every decision so far, including secrets."""
        twin = self.clone()
        twin._states[:] = self._start
        for action in self._actions:
            before = twin._states.copy()
            twin._advance(action)
            yield before[0], action, twin._states[0]

    # ---------------------------------------------------------------- copies and storage

    def clone(self) -> Self:
        """Return an independent copy of the environment and its game; only spaces are shared."""
        shared = {id(part): part for part in (self.observation_spaces, self.action_spaces)}
        return copy.deepcopy(self, shared)

    def to_json(self) -> str:
        """Return the game under way as JSON, secrets included; `from_json` continues it exactly."""
        self._check_dealt("to_json")
        return json.dumps(
            {
                "game": self.game.name,
                "version": JSON_VERSION,
                "num_players": self.num_players,
                "rules": self.rules.as_dict(),
                "start": {
                    name: self._start[name][0].tolist() for name in self._start.dtype.names or ()
                },
                "actions": self._actions,
                "agents": {name: getattr(self, name) for name in AGENT_FIELDS},
            }
        )

    @classmethod
    def from_json(cls, text: str, render_mode: str | None = None) -> Self:
        """Return the environment that `to_json` wrote, at the same decision.

        Raises:
            ValueError: for a text of another game or version, or with an action that is not legal.
        """
        saved = json.loads(text)
        if (saved.get("game"), saved.get("version")) != (cls.game.name, JSON_VERSION):
            raise ValueError(
                f"not a saved game of {cls.game.name}, version {JSON_VERSION}: it says "
                f"{saved.get('game')!r}, version {saved.get('version')!r}"
            )
        env = cls(saved["num_players"], saved["rules"], render_mode=None)
        for name, value in saved["start"].items():
            env._states[name][0] = value
        env._begin()
        for action in saved["actions"]:
            env.step(action)
        for name, value in saved["agents"].items():
            setattr(env, name, value)
        env.render_mode = render_mode
        return env
