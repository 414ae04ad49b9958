"""The common base of the tables that tests set by hand, for every game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from unittest import mock

import numpy as np

from gubs_env.engine.choosing import LOOK
from gubs_env.engine.game import Game
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.slices import size_of
from gubs_env.engine.table import Table


def unchecked(position: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return a position without its last check: tests name no cards but those they are about."""
    with mock.patch(f"{position.__module__}.checked", lambda game, state: state):
        return position(*args, **kwargs)


class SetTable:
    """One game in a batch of one; subclasses build a `position` and read the cards of places."""

    GAME: ClassVar[Game]
    STARTS: ClassVar[int] = 0
    """The player who starts a dealt game unless said otherwise."""

    def put(self, state: Any) -> None:
        """Play on from a state; it may have been made by `position`."""
        self.games = np.atleast_1d(np.asarray(state)).view(state.dtype)
        self.num_players = int(self.game.num_players)

    @classmethod
    def dealt(cls, num_players: int = 4, seed: int = 0, start: int | None = None, **rules: object):
        """Return a table with a new game, just dealt; with `start=-1` the rules say who starts."""
        table = object.__new__(cls)
        games = Table(cls.GAME, num_players, rules).new_states(1)
        games["rng"] = seed_rng(seed)
        cls.GAME.kernel.deal(games, 0, cls.STARTS if start is None else start)
        table.put(games[0])
        table.look()
        return table

    def copy(self):
        twin = object.__new__(type(self))
        twin.put(self.game.copy())
        twin.look()
        return twin

    @property
    def game(self) -> np.record:
        return self.games[0]

    @property
    def payoffs(self) -> list[float]:
        return self.GAME.payoffs(self.game).tolist()

    def observed(self, player: int, name: str) -> np.ndarray:
        """Return one slice of a player's observation."""
        slices = self.GAME.observation_slices(self.num_players)
        observation = np.zeros(size_of(slices), np.int8)
        self.GAME.kernel.observe(self.games, 0, player, observation)
        return slices[name].of(observation)

    def words(self, player: int) -> str:
        """Return the table in words, as a player sees it."""
        return self.GAME.describe(self.GAME.view(self.games, 0, player), False)

    def look(self, action: int = LOOK) -> None:
        """Play an action, or only update the mask; then check the invariants of the game."""
        batch = self.GAME.new_batch(self.games)
        self.GAME.kernel.advance(*batch, np.array([action]), 1, False, False)
        self.mask, self.rewards = batch.masks[0], batch.rewards
        self.check()

    def check(self) -> None:
        """Raise AssertionError if the state of the table is impossible."""

    @property
    def legal(self) -> set[str]:
        """The names of the legal actions."""
        return {self.name_of(int(action)) for action in np.flatnonzero(self.mask)}

    def name_of(self, action: int) -> str:
        return self.GAME.action_names(self.num_players)[action]

    def action_of(self, name: str) -> int:
        return self.GAME.action_names(self.num_players).index(name)

    def play(self, *names: str):
        """Play actions by name; each must be legal."""
        for name in names:
            action = self.action_of(name)
            assert self.mask[action], f"{name} is not legal; legal are {sorted(self.legal)}"
            self.look(action)
        return self

    def play_at_random(self, rng: np.random.Generator):
        """Play a legal action at random."""
        self.look(int(rng.choice(np.flatnonzero(self.mask))))
        return self


# ----------------------------------------------------------------------------- positions in play


def play_named(environment: Any, *names: str) -> Any:
    """Play actions by name."""
    for name in names:
        environment.step(environment.action_index(name))
    return environment


def play_to_end(environment: Any, seed: int = 0) -> Any:
    """Play at random until the game is over."""
    rng = np.random.default_rng(seed)
    while not environment.is_done(environment.agent_selection):
        mask = environment.observe(environment.agent_selection)["action_mask"]
        environment.step(int(rng.choice(np.flatnonzero(mask))))
    return environment


def check_goes_on_alike(environment: Any) -> None:
    """Assert that a clone and a copy by JSON play on like the environment."""
    again = type(environment).from_json(environment.to_json())
    twin = environment.clone()
    for other in (again, twin):
        assert other.log() == environment.log()
        assert other.state().tobytes() == environment.state().tobytes()
        assert other.agent_selection == environment.agent_selection
    play_to_end(environment)
    for other in (again, twin):
        play_to_end(other)
        assert other.rewards == environment.rewards
        assert other.log() == environment.log()


def check_resumes(module: Any, num_players: int, rules: Any = None, seed: int = 0) -> None:
    """Assert that each state of a random game is accepted, and goes on as in that game."""
    first = module.raw_env(num_players, rules)
    first.reset(seed=seed)
    states, actions, rng = [], [], np.random.default_rng(seed)
    while not first.is_done(first.agent_selection):
        states.append(first.state())
        mask = first.observe(first.agent_selection)["action_mask"]
        actions.append(int(rng.choice(np.flatnonzero(mask))))
        first.step(actions[-1])
    second = module.raw_env(num_players, rules)
    for number, state in enumerate(states):
        second.set_state(state)
        second.step(actions[number])
        after = first.state() if number + 1 == len(states) else states[number + 1]
        assert second.state().tobytes() == after.tobytes()
    assert second.rewards == first.rewards


def differing_fields(one: Any, other: Any) -> set[str]:
    """Return the names of the fields in which two states differ."""
    return {name for name in one.dtype.names if not np.array_equal(one[name], other[name])}


def reached(module: Any, num_players: int, games: int, rules: Any, wanted: Any) -> list[Any]:
    """Return the states of random games in which `wanted(state)` holds."""
    environment, found = module.raw_env(num_players, rules), []
    for seed in range(games):
        environment.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while not environment.is_done(environment.agent_selection):
            state = environment.state()
            if wanted(state):
                found.append(state)
            mask = environment.observe(environment.agent_selection)["action_mask"]
            environment.step(int(rng.choice(np.flatnonzero(mask))))
    return found
