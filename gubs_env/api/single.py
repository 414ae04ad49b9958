"""The Gymnasium environment: one agent decides, and opponents hold the other seats."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded

from gubs_env.agents.asking import ask, check_answer, next_decision
from gubs_env.agents.memory import Memory
from gubs_env.agents.registry import AnyAgent, build, check_memory
from gubs_env.api.aec import AECGame
from gubs_env.api.checked import ILLEGAL_REWARD
from gubs_env.api.observations import ObservationForm
from gubs_env.api.rendering import close_window, rendered
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.rng import spawn_rngs
from gubs_env.engine.slices import Slice
from gubs_env.engine.table import Table
from gubs_env.engine.view import View
from gubs_env.support.checks import (
    check_render_mode,
    check_seat,
    check_seed,
    check_switch,
    whole_number,
)
from gubs_env.support.exclusive import Exclusive, exclusive

if TYPE_CHECKING:
    from gubs_env.agents.text_game import TextGame

Opponents = str | AnyAgent | Sequence[str | AnyAgent]


def build_opponents(given: Opponents, table: Table) -> list[AnyAgent]:
    """Return an opponent for each other seat, clockwise from the agent.

    Args:
        given: one opponent for all seats, or one for each: an agent, or a text such as "heuristic"
            or "ismcts:playouts=50" (`parse_agent`).
        table: the table.

    Raises:
        ValueError: for another number of opponents, or a text that names no agent.
        TypeError: for something that is not an agent.
    """
    others = table.num_players - 1
    if isinstance(given, str) or not isinstance(given, Sequence):
        return [build(given, table)] * others
    if len(given) != others:
        raise ValueError(
            f"{table.num_players} players: {others} opponents are needed, not {len(given)}"
        )
    return [build(one, table) for one in given]


def label_of(number: int, opponent: AnyAgent) -> str:
    """Return the name of an opponent in errors; they are numbered from 0, clockwise."""
    return f"opponent {number + 1}, {type(opponent).__name__}"


class SingleAgentEnv(Exclusive, gymnasium.Env[Any, Any]):
    """A game for one agent: a step lasts until the next decision of its seat.

    The observation is seat-relative, as in the AEC environment. The legal actions are
    `action_masks()`, and also `info["action_mask"]`, int8[num_actions]. The reward is the payoff of
    the agent's seat at the end of the game. An illegal action ends the game with reward −1, after
    PettingZoo's convention; `info["illegal_action"]` is then true. A game that ends before the
    agent's first decision does not count as an episode: another game is dealt.

    Args:
        num_players: number of players; None: the usual number of the game.
        rules: the options of the rules, as for the AEC environment.
        opponents: one opponent for all other seats, or one for each, clockwise from the agent:
            names with options ("heuristic", "ismcts:playouts=50") or agents. Their RNGs follow the
            seed of `reset`.
        seat: the agent's seat; None draws one for each game.
        skip_forced: play the agent's decisions with a single legal action at once.
        dtype: "int8" or "float32", the dtype of observations.
        dict_observations: return observations as a dict of `observation` and `action_mask`.
        render_mode: as for the AEC environment, seen by the agent.

    Raises:
        ValueError: for a value that is not allowed, or a name that no installed agent has.
        TypeError: for an opponent that is not an agent, or rules of another game.
    """

    aec: ClassVar[type[AECGame[Any]]]
    """The class of the AEC environment that holds the game."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.metadata = cls.aec.metadata

    def __init__(
        self,
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
        self.aec_env = self.aec(num_players, rules=rules)
        self.table = table = self.aec_env.table
        self.seat = check_seat(seat, table.num_players)
        self.opponents = build_opponents(opponents, table)
        for number, opponent in enumerate(self.opponents):
            check_memory(opponent, label_of(number, opponent))
        self.skip_forced = check_switch("skip_forced", skip_forced)
        self.render_mode = render_mode
        self.form = ObservationForm(dtype, dict_observations)
        self.observation_space = self.form.space(table)
        self.action_space = self.aec_env.action_space(self.aec_env.possible_agents[0])
        self._mask = np.zeros(table.num_actions, np.int8)

    # ----------------------------------------------------------------------------- Gymnasium

    @exclusive
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Deal a new game; `options` as for the AEC environment.

        Raises:
            TypeError, ValueError: for a seed or options that are not allowed.
        """
        super().reset(seed=check_seed(seed))
        while True:
            self._deal(options)
            observation, info = self._play_on()
            if self._mask.any():
                break
        self._render_for_people()
        return observation, info

    def _deal(self, options: dict[str, Any] | None) -> None:
        seats = self.aec_env.num_players
        seat = int(self.np_random.integers(seats)) if self.seat is None else self.seat
        self.agent = self.aec_env.possible_agents[seat]
        self.aec_env.reset(seed=int(self.np_random.integers(2**31)), options=options)
        self._rngs = spawn_rngs(self.np_random, seats - 1)
        self._memories = [Memory() for _ in self.opponents]
        self._text: TextGame | None = None

    def _play_on(self) -> tuple[Any, dict[str, Any]]:
        """Play on to the agent's next decision or the end; return its observation and info."""
        env = self.aec_env
        while not env.is_done(self.agent):
            observed = env.observe(env.agent_selection)
            legal = np.flatnonzero(observed["action_mask"])
            is_own = env.agent_selection == self.agent
            if len(legal) == 1 and (self.skip_forced or not is_own):
                env.step(int(legal[0]))
            elif is_own:
                break
            else:
                env.step(self._opponents_action(observed))
        observed = env.observe(self.agent)
        self._mask = observed["action_mask"]
        return self.form.of(observed["observation"], self._mask), self._info(is_illegal=False)

    def _opponents_action(self, observed: dict[str, np.ndarray]) -> int:
        env = self.aec_env
        seats = [env.possible_agents.index(name) for name in (env.agent_selection, self.agent)]
        number = (seats[0] - seats[1]) % env.num_players - 1
        opponent = self.opponents[number]
        recall = partial(self._memories[number].recall, opponent)
        decision = next_decision(env, observed, self._rngs[number], self._as_text, recall)
        answer = ask(opponent, decision)
        check_answer(answer, observed["action_mask"][None], label_of(number, opponent))
        return int(answer[0])

    def _as_text(self) -> TextGame:
        """Return the game as text, which is made for the first opponent that answers in text."""
        from gubs_env.agents.text_game import TextGame

        if self._text is None:
            self._text = TextGame(self.aec_env, skip_forced=False)
        return self._text

    def _info(self, is_illegal: bool) -> dict[str, Any]:
        return {"action_mask": self._mask, "illegal_action": np.bool_(is_illegal)}

    @exclusive
    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action of the agent, and then on to its next decision.

        Raises:
            TypeError: for an action that is not a whole number.
            ValueError: for an action outside the space.
            ResetNeeded: before `reset`, or when the game is over.
        """
        if not self._mask.any():
            raise ResetNeeded("no game is under way: call reset()")
        number = whole_number(action, len(self._mask))
        if not self._mask[number]:
            return self._forfeit()
        self.aec_env.step(number)
        observation, info = self._play_on()
        self._render_for_people()
        terminated = self.aec_env.terminations[self.agent]
        truncated = self.aec_env.truncations[self.agent]
        reward = self.aec_env.rewards[self.agent] if terminated or truncated else 0.0
        return observation, reward, terminated, truncated, info

    def _forfeit(self) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._mask = np.zeros_like(self._mask)
        observation = self.aec_env.observe(self.agent)["observation"]
        info = self._info(is_illegal=True)
        return self.form.of(observation, self._mask), ILLEGAL_REWARD, True, False, info

    @exclusive
    def action_masks(self) -> np.ndarray:
        """Return the legal actions, bool[num_actions]; sb3-contrib calls it by this name."""
        return self._mask.astype(bool)

    @exclusive
    def render(self) -> str | np.ndarray | None:
        """Return or show the table as the agent sees it, by the render mode."""
        if self.render_mode is None:
            gymnasium.logger.warn("to render, make the environment with render_mode='ansi'")
            return None
        return rendered(self.aec_env.game, self.view(), self.render_mode)

    def close(self) -> None:
        """Close the window of the render mode "human", if there is one."""
        if self.render_mode == "human":
            close_window()

    def _render_for_people(self) -> None:
        if self.render_mode == "human":
            self.render()

    # -------------------------------------------------------------------- beyond Gymnasium

    def action_name(self, action: int) -> str:
        """Return the name of an action, as `CARD[Lure]`; ValueError outside the space."""
        return self.aec_env.action_name(action)

    def action_index(self, name: str) -> int:
        """Return the action with a name; ValueError if there is none."""
        return self.aec_env.action_index(name)

    def observation_slices(self) -> dict[str, Slice]:
        """Return the named slices of the observation vector."""
        return self.aec_env.observation_slices()

    @exclusive
    def view(self) -> View:
        """Return the agent's view of the game."""
        return self.aec_env.view(self._dealt_agent())

    @exclusive
    def describe(self) -> str:
        """Return the agent's view in words."""
        return self.aec_env.describe(self._dealt_agent())

    @exclusive
    def draw(self) -> str:
        """Return the agent's view as a picture, SVG."""
        return self.aec_env.draw(self._dealt_agent())

    def _repr_svg_(self) -> str | None:
        """Return the agent's view for a notebook; None before `reset`."""
        return self.draw() if hasattr(self, "agent") else None

    @exclusive
    def log(self) -> list[str]:
        """Return the game so far in words, as the agent saw it."""
        return self.aec_env.log(self._dealt_agent())

    @exclusive
    def outcome(self) -> Outcome:
        """Return the outcome of the game: as it ended, or as if it ended now."""
        return self.aec_env.outcome()

    def _dealt_agent(self) -> str:
        if not hasattr(self, "agent"):
            raise ResetNeeded("no game has been dealt yet: call reset()")
        return self.agent
