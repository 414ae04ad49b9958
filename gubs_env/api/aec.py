"""The PettingZoo AEC environment of a game."""

from __future__ import annotations

import copy
import json
import operator
import os
import sys
from collections.abc import Iterator
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from typing_extensions import Self

from gubs_env.api.vector import make_batch
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.compilation import announce_compilation
from gubs_env.engine.game import Game
from gubs_env.engine.position import check_states
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.seats import ANY_PLAYER

JSON_VERSION = 2
AGENT_FIELDS = (
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
)


class AECGame(AECEnv):
    """One game at a time, one seat after another: agents `player_0`, `player_1`, ….

    Observations are dicts of `observation` (int8[observation_size], the named slices of
    `observation_slices()`) and `action_mask` (int8[num_actions], zeros for whoever is not to
    decide). Rewards are paid once, at the end.

    A copy, a deep copy and a pickle keep the game under way, its random generator included.
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
        self, num_players: int | None = None, rules: Any = None, render_mode: str | None = None
    ) -> None:
        super().__init__()
        game = self.game
        num_players = game.players if num_players is None else num_players
        rules = game.rules() if rules is None else rules
        if not isinstance(rules, game.rules):
            raise TypeError(f"rules must be {game.rules.__name__}(…), not {rules!r}")
        game.check_players(num_players, rules)
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            allowed = self.metadata["render_modes"]
            raise ValueError(f"render_mode={render_mode!r}: allowed are None and {allowed}")
        announce_compilation(game.kernel.advance)
        self.num_players = int(num_players)
        self.rules: Any = rules
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self.num_players)]
        self._build_spaces()

        self._batch = make_batch(game, game.new_states(1, self.num_players, rules))
        self._states, self._observation, self._mask, self._payoffs = self._batch[:4]
        _, self._truncation, self._actor, _ = self._batch[4:]
        self._action = np.zeros(1, np.int64)
        self._undealt = self._states.copy()
        self._states["rng"] = seed_rng(None)
        self._start = self._states.copy()
        self._actions: list[int] = []

    def _build_spaces(self) -> None:
        highs = self.game.observation_highs(self.num_players)
        actions = self.game.num_actions(self.num_players)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(np.zeros_like(highs), highs, dtype=np.int8),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}

    # ---------------------------------------------------------------------------- PettingZoo

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.

        Args:
            seed: a whole number ≥ 0 makes the game reproducible; None continues from the generator
                of the game before (fresh entropy at first).
            options: `starting_player`, a seat number or agent name; by default whichever the rules
                say.

        Raises:
            ValueError: for an option that is not known, or no such seat.
        """
        starting_player = self._starting_player(options or {})
        rng = self._states["rng"].copy() if seed is None else seed_rng(operator.index(seed))
        self._states[:] = self._undealt  # a position may have left cards out of the deck
        self._states["rng"] = rng
        self.game.kernel.deal(self._states, 0, starting_player)
        self._begin()

    def set_state(self, state: Any) -> None:
        """Start a game from a state, in place of `reset`.

        Agents, rewards and the log begin anew, and `to_json` stores the game from here on. The
        next `reset` deals a full game again.

        Args:
            state: what `position` of the public module or `env.state()` returns, with the players
                and rules of this environment.

        Raises:
            ValueError: for a state of another game, number of players or rules; for a view or a
                game that is over. Nothing has changed then.
        """
        rows = check_states(self.game, state, self.num_players, self.rules)
        if len(rows) != 1:
            raise ValueError(f"{len(rows)} states: this environment plays one game")
        self._states[:] = rows
        self._begin()

    def _starting_player(self, options: dict[str, Any]) -> int:
        # PettingZoo's api_test resets with {"options": 1} and expects that to be let pass.
        if unknown := set(options) - {"starting_player", "options"}:
            raise ValueError(f"reset options {sorted(unknown)}: known is only 'starting_player'")
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
            f"or a name of {self.possible_agents}"
        )

    def _begin(self) -> None:
        """Start from the row as it lies: nothing played yet."""
        self._stepped = True  # a loop over `agent_iter` may begin (`CheckedAEC`)
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
        """Play an action of the agent to decide; None for an agent that is done.

        Raises:
            TypeError: for an action that is no whole number.
            ValueError: for one outside the space, or not legal now, or not None for an agent that
                is done. Nothing has changed then.
            RuntimeError: before `reset`, or when the game is over and all agents are gone.
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
        try:
            number = operator.index(action)
        except TypeError:
            raise TypeError(f"an action is a whole number, not {action!r}") from None
        mask = self._mask[0]
        if not 0 <= number < len(mask):
            raise ValueError(f"action {number}: the space is 0 to {len(mask) - 1}")
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
        """Whether the game is over for an agent, or it is gone already."""
        return self.terminations.get(agent, True) or self.truncations[agent]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees now, in arrays of its own; all may look, one has legal actions."""
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
        """Observation, reward since its last decision, termination, truncation and info of the
        agent to decide. Raises RuntimeError before `reset` and after the last agent is gone."""
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

    def __getattr__(self, name: str) -> Any:
        """Called for what is missing: most likely what only a dealt game has."""
        if name in (*AGENT_FIELDS, "infos", "num_agents"):
            raise AttributeError(f"{name} cannot be accessed before reset()")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _seat(self, agent: str) -> int:
        if agent not in self.possible_agents:
            raise ValueError(f"no agent is called {agent!r}: they are {self.possible_agents}")
        return self.possible_agents.index(agent)

    def render(self) -> str | None:
        """The table as the agent to decide sees it: text for "ansi", printed for "human"."""
        self._check_dealt("render")
        if self.render_mode is None:
            gymnasium.logger.warn(f"to render, make the environment with {self.metadata}")
            return None
        plain = "NO_COLOR" in os.environ or not sys.stdout.isatty()
        text = self.game.describe(self.view(self.agent_selection), not plain)
        if self.render_mode == "ansi":
            return text
        print(text, end="\n\n")
        return None

    def close(self) -> None:
        """Nothing is held open."""

    # ------------------------------------------------------------------------ what we add

    def action_name(self, action: int) -> str:
        """The name of an action, as `CARD[Lure]`; ValueError outside the space."""
        return self.game.action_name(operator.index(action), self.num_players)

    def action_index(self, name: str) -> int:
        """The action of a name, the inverse of `action_name`; ValueError for no such name."""
        return int(self.game.action_index(name, self.num_players))

    def observation_slices(self) -> dict[str, Any]:
        """The named pieces of the observation vector: name, shape, range, meaning, start."""
        return self.game.observation_slices(self.num_players)

    def view(self, agent: str) -> Any:
        """All that an agent may know, and nothing else, as a copy."""
        self._check_dealt("view")
        return self.game.view(self._states, 0, self._seat(agent))

    def describe(self, agent: str) -> str:
        """The view of an agent in words."""
        return self.game.describe(self.view(agent), False)

    def state(self) -> np.ndarray:
        """The whole game, secrets included, as a copy of its row: an oracle, not for agents."""
        self._check_dealt("state")
        return self._states[0].copy()

    def outcome(self) -> Any:
        """Scores, winners and what decided, or would if the game ended now."""
        self._check_dealt("outcome")
        return self.game.outcome(self._states[0])

    def log(self, agent: str | None = None) -> list[str]:
        """The game so far in words: what everybody saw, or what one agent saw."""
        self._check_dealt("log")
        viewer = None if agent is None else self._seat(agent)
        lines: list[str] = []
        for before, action, after in self.transitions():
            lines += self.game.narrate(before, action, after, viewer)
        return lines

    def transitions(self) -> Iterator[tuple[Any, int, Any]]:
        """Yield (state before, action, state after) of every decision so far, secrets included."""
        twin = self.clone()
        twin._states[:] = self._start
        for action in self._actions:
            before = twin._states.copy()
            twin._advance(action)
            yield before[0], action, twin._states[0]

    # ---------------------------------------------------------------- copies and storage

    def clone(self) -> Self:
        """An independent copy of the environment and its game; spaces are shared."""
        shared = {id(part): part for part in (self.observation_spaces, self.action_spaces)}
        return copy.deepcopy(self, shared)

    def to_json(self) -> str:
        """The game under way as JSON text, secrets included; `from_json` goes on identically."""
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
        """The environment that `to_json` wrote, at the same decision.

        Raises ValueError for a text of another game or version, or with an action that was not
        legal.
        """
        saved = json.loads(text)
        if (saved.get("game"), saved.get("version")) != (cls.game.name, JSON_VERSION):
            raise ValueError(
                f"not a saved game of {cls.game.name}, version {JSON_VERSION}: it says "
                f"{saved.get('game')!r}, version {saved.get('version')!r}"
            )
        env = cls(saved["num_players"], cls.game.rules(**saved["rules"]), render_mode=None)
        for name, value in saved["start"].items():
            env._states[name][0] = value
        env._begin()
        for action in saved["actions"]:
            env.step(action)
        for name, value in saved["agents"].items():
            setattr(env, name, value)
        env.render_mode = render_mode
        return env
