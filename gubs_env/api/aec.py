"""The PettingZoo AEC environment of a game."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from typing_extensions import Self

from gubs_env.api.observations import ObservationForm
from gubs_env.api.rendering import close_window, render_modes, rendered
from gubs_env.api.saved import Deal, SavedGame, compare, deal_of, ending, read_form
from gubs_env.engine.border import check_states
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.course import Course
from gubs_env.engine.fields import copied
from gubs_env.engine.game import Game
from gubs_env.engine.moves import Move, move_named, picks_of
from gubs_env.engine.options import RuleOptions, is_whole
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.seats import ANY_PLAYER, NOBODY
from gubs_env.engine.slices import Slice
from gubs_env.engine.table import Table
from gubs_env.engine.view import Picture, View
from gubs_env.support.checks import check_number, check_render_mode, check_seed, whole_number
from gubs_env.support.exclusive import Exclusive, exclusive, in_use

RulesT = TypeVar("RulesT", bound=RuleOptions)
DEALT_FIELDS = (
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
    "infos",
    "num_agents",
)
"""The attributes that only a dealt game has."""


@dataclass
class Log:
    """The game so far in words, as one reader was told it."""

    state: np.ndarray
    """STATE[1], up to which it was told."""
    decisions: int = 0
    """Number of decisions before that state."""
    lines: list[str] = field(default_factory=list)


def no_game() -> RuntimeError:
    """Return the error for a call that needs a game under way."""
    return RuntimeError("no game is under way: call reset()")


class AECGame(Exclusive, AECEnv, Generic[RulesT]):
    """One game, whose agents `player_0`, `player_1`, … decide one at a time.

    Observations are dicts of `observation` (int8[observation_size], made of the named slices of
    `observation_slices()`) and `action_mask` (int8[num_actions], all zeros for an agent that does
    not decide now). Rewards are paid once, at the end.

    A copy, a deep copy and a pickle keep the game under way, its RNG included. One thread at a time
    may use an environment; in another one, its methods raise RuntimeError.

    Args:
        num_players: number of players; None: the usual number of the game.
        rules: the options of the rules, as `Rules(…)` of the public module or a dict of options;
            None: the defaults.
        render_mode: "ansi" returns the table as text, "svg" as a picture, "rgb_array" as pixels
            (with the extra `draw`); "human" shows it after every step, in a window where there is
            a display, else as text.

    Raises:
        ValueError: for numbers of players, options or render modes that are not allowed.
        TypeError: for rules of another game.
    """

    game: ClassVar[Game]
    """The game that is played."""
    table: Table
    """The game, the number of players and the rules."""
    metadata: ClassVar[dict[str, Any]]
    """The render modes, the name and further facts, as PettingZoo asks for them."""
    _views = ("_arguments", "_bytes", "_rng", "_observation", "_mask")

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if hasattr(cls, "game"):
            cls.metadata = {
                "render_modes": render_modes("ansi", "svg", "human"),
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
        self.table = Table(self.game, num_players, rules)
        check_render_mode(render_mode, self.metadata)
        self.num_players: int = self.table.num_players
        self.rules: RulesT = self.table.rules
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self.num_players)]
        self._build_spaces()

        self._batch = self.table.new_batch()
        self._states, _, _, self._payoffs, _, self._truncation, self._actor, _ = self._batch
        self._action = np.zeros(1, np.int64)
        self._make_views()
        self._undealt = self._bytes.copy()
        self._rng[:] = seed_rng(None)
        self._start = copied(self._states)
        self._deal: Deal | None = None
        self._most = self.table.max_decisions
        self._actions: list[int] = []
        self._illegal_action: int | None = None

    def _make_views(self) -> None:
        """Make the arguments of `advance`, and arrays of the one game: its bytes, RNG and so on."""
        self._arguments = (*self._batch, self._action, 1, False, False)
        self._bytes, self._rng = self._states.view(np.uint8), self._states["rng"][0]
        self._observation, self._mask = self._batch.observations[0], self._batch.masks[0]

    def _build_spaces(self) -> None:
        form = ObservationForm(as_dict=True)
        actions = self.table.num_actions
        self.observation_spaces: dict[str, spaces.Space[Any]] = {
            agent: form.space(self.table) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}

    # ---------------------------------------------------------------------------- PettingZoo

    @property
    def unwrapped(self) -> Self:
        """This environment itself."""
        return self

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of observations; it is the same for every agent."""
        return self.observation_spaces[self.possible_agents[self._seat(agent)]]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of actions; it is the same for every agent."""
        return self.action_spaces[self.possible_agents[self._seat(agent)]]

    @exclusive
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.

        Args:
            seed: seed of the game, ≥ 0; None goes on with the RNG of the last game (at first, with
                fresh entropy).
            options: `starting_player`, the index of a player or the name of an agent; by default
                the rules choose.

        Raises:
            TypeError: for a seed that is not a whole number, or options that are not a dict.
            ValueError: for a negative seed, an unknown option or player. Nothing is dealt then.
        """
        starting_player = self._starting_player(options)
        seed = check_seed(seed)
        rng = self._rng.copy() if seed is None else seed_rng(seed)
        self._begin_dealt(Deal(rng, starting_player))

    def _begin_dealt(self, deal: Deal) -> None:
        self._bytes[:] = self._undealt  # a position may have left cards out of the deck
        self._rng[:] = deal.rng
        player = ANY_PLAYER if deal.starting_player is None else deal.starting_player
        self.game.kernel.deal(self._states, 0, player)
        self._begin(deal)

    @exclusive
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
        rows = check_states((self.table,), state)
        if len(rows) != 1:
            raise ValueError(f"{len(rows)} states: this environment plays one game; give one state")
        self._states[:] = rows
        self._begin(None)

    def _starting_player(self, options: Mapping[str, Any] | None) -> int | None:
        """Return the player that the options of `reset` name, if any."""
        if options is not None and not isinstance(options, Mapping):
            raise TypeError(f"reset options must be a dict or None, not {options!r}")
        options = options or {}
        # PettingZoo's api_test resets with {"options": 1}, which must pass.
        if unknown := [name for name in options if name not in ("starting_player", "options")]:
            raise ValueError(f"reset options {unknown}: the only one is 'starting_player'")
        if "starting_player" not in options:
            return None
        seat = options["starting_player"]
        if isinstance(seat, str) and seat in self.possible_agents:
            return self.possible_agents.index(seat)
        if is_whole(seat) and 0 <= seat < self.num_players:
            return int(seat)
        raise ValueError(
            f"starting_player={seat!r}: allowed are 0 to {self.num_players - 1}, "
            f"or one of {self.possible_agents}"
        )

    def _begin(self, deal: Deal | None) -> None:
        """Start a game from the current state; `deal` says how it was dealt, if it was."""
        self._stepped = True  # so that a loop over `agent_iter` may begin (`CheckedAEC`)
        self._start = copied(self._states)
        self._deal = deal
        self._actions = []
        self._logs: dict[int, Log] = {}
        self._illegal_action = None
        self._skip_agent_selection: str | None = None
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
        self.game.kernel.advance(*self._arguments)

    def step(self, action: Any) -> None:
        """Play an action of the acting agent; None for an agent that is done.

        Raises:
            TypeError: for an action that is not a whole number.
            ValueError: for an action outside the space or not legal now, or for an action other
                than None of an agent that is done. The environment is then unchanged.
            RuntimeError: before `reset`, or after the last agent is gone.
        """
        if not self._lock.acquire(False):  # not `exclusive`, which takes a twelfth of a step
            raise in_use(self)
        try:
            if not self.__dict__.get("agents"):
                raise no_game()
            if self.is_done(self.agent_selection):
                self._was_dead_step(action)
            else:
                self._play(self._checked(action))
        finally:
            self._lock.release()

    def _play(self, action: int) -> None:
        """Play a legal action."""
        self._actions.append(action)
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._advance(action)
        if self._actor[0] < 0:
            self._finish()
        else:
            self.agent_selection = self.possible_agents[self._actor[0]]
            if len(self._actions) >= self._most:
                raise RuntimeError(
                    f"{self.game.name}: the game goes on after {self._most} decisions, the most "
                    "that its max_decisions allows"
                )
        if self.render_mode == "human":
            self.render()

    def _checked(self, action: Any) -> int:
        number = whole_number(action, len(self._mask))
        if not self._mask[number]:
            actions = np.flatnonzero(self._mask).tolist()
            legal = ", ".join(f"{action} {self.action_name(action)}" for action in actions)
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

    @exclusive
    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return the observation of any agent, as copies; only the acting one has legal actions."""
        self._check_dealt("observe")
        seat = self._seat(agent)
        if seat == self._actor[0] and not self.is_done(agent):
            return self._seen_by_actor()
        return self._seen_by_other(seat)

    def _seen_by_actor(self) -> dict[str, np.ndarray]:
        return {"observation": self._observation.copy(), "action_mask": self._mask.copy()}

    def _seen_by_other(self, seat: int) -> dict[str, np.ndarray]:
        """Return what a player sees who does not decide now."""
        observation = np.zeros(len(self._observation), np.int8)
        self.game.kernel.observe(self._states, 0, seat, observation)
        return {"observation": observation, "action_mask": np.zeros(len(self._mask), np.int8)}

    def last(
        self, observe: bool = True
    ) -> tuple[dict[str, np.ndarray] | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, termination, truncation and info of the acting agent.

        The reward is the sum since its last decision. With `observe=False` the observation is None.

        Raises:
            RuntimeError: before `reset`, and after the last agent is gone.
        """
        if not self._lock.acquire(False):
            raise in_use(self)
        try:
            if not self.__dict__.get("agents"):
                raise no_game()
            agent = self.agent_selection
            terminated, truncated = self.terminations[agent], self.truncations[agent]
            if not observe:
                shown = None
            elif terminated or truncated:
                shown = self._seen_by_other(self.possible_agents.index(agent))
            else:
                shown = self._seen_by_actor()
            return shown, self._cumulative_rewards[agent], terminated, truncated, self.infos[agent]
        finally:
            self._lock.release()

    def _is_dealt(self) -> bool:
        return "agents" in self.__dict__

    def _check_dealt(self, call: str) -> None:
        if not self._is_dealt():
            raise RuntimeError(f"call reset() before {call}()")

    if not TYPE_CHECKING:  # else a type checker would accept every attribute

        def __getattr__(self, name: str) -> Any:
            """Name `reset` in the error for an attribute that only a dealt game has."""
            if name in DEALT_FIELDS:
                raise AttributeError(f"{name} cannot be accessed before reset()")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _seat(self, agent: str) -> int:
        if not isinstance(agent, str) or agent not in self.possible_agents:
            raise ValueError(f"no agent is called {agent!r}: they are {self.possible_agents}")
        return self.possible_agents.index(agent)

    @exclusive
    def render(self) -> str | np.ndarray | None:
        """Return or show the table as the acting agent sees it, by the render mode."""
        self._check_dealt("render")
        if self.render_mode is None:
            gymnasium.logger.warn("to render, make the environment with render_mode='ansi'")
            return None
        return rendered(self.game, self.view(self.agent_selection), self.render_mode)

    def close(self) -> None:
        """Close the window of the render mode "human", if there is one."""
        if self.render_mode == "human":
            close_window()

    # ------------------------------------------------------------------- beyond PettingZoo

    def action_name(self, action: int) -> str:
        """Return the name of an action, as `CARD[Lure]`; ValueError outside the space."""
        number = whole_number(action, len(self._mask))
        return self.table.action_name(number)

    def action_index(self, name: str) -> int:
        """Return the action with a name; ValueError if there is none."""
        return self.table.action_index(name)

    def observation_slices(self) -> dict[str, Slice]:
        """Return the named slices of the observation vector."""
        return self.table.observation_slices

    @exclusive
    def view(self, agent: str) -> View:
        """Return the view of an agent: a copy of the state without anything hidden from them."""
        self._check_dealt("view")
        return self.game.view(self._states, 0, self._seat(agent))

    @exclusive
    def describe(self, agent: str) -> str:
        """Return the view of an agent in words."""
        return self.game.describe(self.view(agent), False)

    @exclusive
    def draw(self, agent: str | None = None, open_hands: bool = False) -> Picture:
        """Return the table as a picture, SVG; notebooks show it.

        Args:
            agent: whose view to draw, who sits at the bottom; None: the acting agent's.
            open_hands: draw the whole state, all hands open: not for agents.
        """
        self._check_dealt("draw")
        agent = self.agent_selection if agent is None else agent
        if not open_hands:
            return self.game.draw(self.view(agent))
        return self.game.draw(View(self._seat(agent), self.state(), self.game), open_hands=True)

    def _repr_svg_(self) -> str | None:
        """Return the view of the acting agent for a notebook; None before `reset`."""
        return self.draw() if self._is_dealt() else None

    @exclusive
    def state(self) -> np.record:
        """Return a copy of the whole state, including private information: not for agents."""
        self._check_dealt("state")
        return copied(self._states)[0]

    @exclusive
    def outcome(self) -> Outcome:
        """Return the outcome of the game: as it ended, or as if it ended now."""
        self._check_dealt("outcome")
        return self.game.outcome(self._states[0])

    @exclusive
    def log(self, agent: str | None = None, since: int = 0) -> list[str]:
        """Return the game so far in words.

        Args:
            agent: tell what this agent saw; None tells what everybody saw.
            since: number of lines to leave out at the beginning, those read before. Lines once told
                never change, and a call takes time only for what was played since the last one.

        Raises:
            TypeError, ValueError: for an unknown agent, or a number below 0.
        """
        self._check_dealt("log")
        viewer = NOBODY if agent is None else self._seat(agent)
        since = check_number("since", since, 0)
        log = self._logs.setdefault(viewer, Log(self._start))
        if actions := self._actions[log.decisions :]:
            course = Course.of(self.game, log.state, actions)
            log.lines += chain.from_iterable(course.lines(viewer))
            log.state, log.decisions = copied(self._states), len(self._actions)
        return log.lines[since:]

    @exclusive
    def history(self, agent: str) -> np.ndarray:
        """Return the events since the start as an agent saw them, int8[events, event_size].

        Each row is one event, made of the named slices of `event_slices()`; −1 means that there is
        no such thing, or that the agent cannot know it. Seats count clockwise from the agent. The
        history tells what `log(agent)` tells.
        """
        self._check_dealt("history")
        seat, history = self._seat(agent), self.game.history
        return history.gather(
            [row for step in self.transitions() for row in history.events(*step, seat)]
        )

    def event_slices(self) -> dict[str, Slice]:
        """Return the named slices of an event of `history`."""
        return self.game.event_slices()

    @property
    def actions(self) -> list[int]:
        """All actions since the start of the game, in order."""
        return list(self._actions)

    @exclusive
    def transitions(self) -> Iterator[tuple[Any, int, Any]]:
        """Return (state before, action, state after) of every decision so far, with all secrets."""
        return self._course().transitions()

    def _course(self) -> Course:
        return Course.of(self.game, self._start, self.actions)

    # -------------------------------------------------------------------------- whole moves

    @exclusive
    def legal_moves(self) -> list[Move]:
        """Return the whole moves of the acting agent as (text, picks); none after the end.

        A move is a card with all its targets, an answer, a draw, and so on: the actions of its
        `picks`, played one after another. It ends where chance, hidden cards or another agent
        decide. Inside a move, only its completions are listed.
        """
        self._check_dealt("legal_moves")
        if self.is_done(self.agent_selection):
            return []
        return self.game.legal_moves(self.view(self.agent_selection))

    @exclusive
    def parse_move(self, text: str) -> Move:
        """Return the legal move with a text; case and spaces do not matter.

        Raises:
            TypeError: for anything but a text.
            ValueError: if there is no such move; the message names the nearest ones.
        """
        return move_named(text, self.legal_moves())

    @exclusive
    def play(self, move: str | Move | Sequence[int]) -> None:
        """Play a whole move of the acting agent: `step` with each of its picks.

        Args:
            move: one of `legal_moves()`, its text, or its picks.

        Raises:
            TypeError, ValueError: if there is no such move. The environment is then unchanged.
        """
        for pick in picks_of(move, self.legal_moves()):
            self.step(pick)

    @exclusive
    def action_text(self, action: int) -> str:
        """Return a legal action, one pick of a move, in words; seats go by their absolute names.

        Raises:
            TypeError, ValueError: for an action that is not legal.
            RuntimeError: before `reset`, and after the last agent is gone.
        """
        if not self.__dict__.get("agents"):
            raise no_game()
        if self.is_done(self.agent_selection):
            raise ValueError("the game is over: no action is legal")
        return self.game.pick_text(self.view(self.agent_selection), self._checked(action))

    # ---------------------------------------------------------------- copies and storage

    def clone(self) -> Self:
        """Return an independent copy of the environment and its game; only spaces are shared."""
        shared = {id(part): part for part in (self.observation_spaces, self.action_spaces)}
        return copy.deepcopy(self, shared)

    @exclusive
    def to_json(self) -> str:
        """Return the record of the game, a line of JSON; `from_json` continues the game exactly.

        It says how the game began, by `reset` or `set_state`, and what was played since, secrets
        included.
        """
        return self.saved().line()

    @exclusive
    def saved(self) -> SavedGame:
        """Return how the game began, and what was played since; `from_saved` plays it."""
        self._check_dealt("to_json")
        return SavedGame(
            self.table,
            copy.deepcopy(self._start if self._deal is None else self._deal),
            tuple(self.possible_agents),
            tuple(self._actions),
            self._course().choices(),
            ending(self._payoffs[0], self.outcome()) if self._actor[0] < 0 else None,
            illegal_action=self._illegal_action,
            gone=self.num_players - len(self.agents),
        )

    @classmethod
    def from_json(cls, text: str | bytes, render_mode: str | None = None) -> Self:
        """Return the environment that `to_json` wrote, at the same decision.

        The game is played again, and each action checked. A text may come from anywhere.

        Args:
            text: what `to_json` returned, or the line of a record.
            render_mode: as for the environment.

        Raises:
            ValueError: for a text of another game or format, or that contradicts itself; for an
                action that is not legal; for a render mode that is not allowed.
        """
        saved = SavedGame.read(read_form(text), cls.game)
        env = cls.from_saved(saved, render_mode)
        compare(saved, env.saved(), "the saved game")
        return env

    @classmethod
    def from_saved(cls, saved: SavedGame, render_mode: str | None = None) -> Self:
        """Return the environment at the last decision of a saved game, as `from_json` does."""
        check_render_mode(render_mode, cls.metadata)
        env = cls(saved.table.num_players, saved.table.rules)
        env._begin_saved(saved.start)
        env._replay(saved)
        env.render_mode = render_mode
        return env

    def _begin_saved(self, start: int | Deal | np.ndarray) -> None:
        if isinstance(start, np.ndarray):
            self.set_state(start)
            return
        deal = deal_of(start) if isinstance(start, int) else start
        if deal.starting_player is not None:
            self._starting_player({"starting_player": deal.starting_player})
        self._begin_dealt(deal)

    def _replay(self, saved: SavedGame) -> None:
        """Play a saved game from its beginning; raise ValueError for what cannot have happened."""
        for number, action in enumerate(saved.actions):
            if self.is_done(self.agent_selection):
                raise ValueError(
                    f"{len(saved.actions)} actions: the game is over after {number} of them"
                )
            try:
                self._play(self._checked(action))
            except ValueError as error:
                raise ValueError(f"action number {number} of the saved game: {error}") from None
        if saved.illegal_action is not None:
            self._replay_illegal(saved.illegal_action)
        most = self.num_players if self.is_done(self.agent_selection) else 0
        if not 0 <= saved.gone <= most:
            raise ValueError(f"gone is {saved.gone}: allowed is 0 to {most} at this point")
        for _ in range(saved.gone):
            self._was_dead_step(None)

    def _replay_illegal(self, action: int) -> None:
        raise ValueError(
            f"illegal_action is {action}: only env() ends a game so; load it with env.from_json"
        )


@cache
def plain_class(game: Game) -> type[AECGame[Any]]:
    """Return the AEC environment of a game in which an illegal action raises ValueError."""
    return type("PlainAEC", (AECGame,), {"game": game})


def environment_of(table: Table) -> AECGame[Any]:
    """Return an AEC environment at a table, in which an illegal action raises ValueError."""
    return plain_class(table.game)(table.num_players, table.rules)
