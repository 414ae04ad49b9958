"""Self-play for Stable-Baselines3: one learner a game, the other seats played by agents."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from gubs_env.api.agents import Agent
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.game import Game
from gubs_env.engine.rng import spawn_rngs

LEARNER = -1
STATE_ARRAYS = ("seating", "lengths", "rngs", "potentials", "standings")

Potential = Callable[[np.ndarray], np.ndarray]
"""int8[batch, observation_size] → float32[batch]: how well the viewer seems to stand."""


def win_share(payoffs: np.ndarray, sides: np.ndarray, side: int) -> float:
    """What part of the win is a side's, 0 … 1, by what the players were paid.

    All share alike where nobody was paid, and none has won where all had to pay.
    """
    best = payoffs.max()
    won = np.unique(sides[payoffs == best])
    return float(best >= 0 and side in won) / len(won)


class SelfPlayVecEnv(VecEnv):
    """`num_envs` games, in each of which the learner holds a given seat, or a random one.

    An opponent is drawn for every other seat when a game begins, and stays to its end;
    `set_opponents` changes who is drawn in games to come. Where there are partners, who are paid
    alike, an opponent holds all seats of its team; the learner has its own seat alone, as it sees
    one hand alone, and `partner` the others of its team. A step lasts until the learner next has
    something to choose: decisions with a single legal action are played for all. Its reward is what
    the learner's own seat was paid meanwhile, or what `standing` gained, and what `potential`
    gained. Finished games begin anew at once; `infos` then hold `terminal_observation`, Monitor's
    `episode` (return r, which is the payoff, decisions l, seconds t since this was made),
    `TimeLimit.truncated`, `opponents`, the labels of those it played against, and `win_share`, its
    share of the win.

    Shaping by a potential Φ adds Φ(s′) − Φ(s) to the reward of each step, with Φ = 0 at the end,
    and leaves the best policy what it was (Ng, Harada and Russell, "Policy invariance under reward
    transformations", 1999), also when Φ changes as learning goes on (Devlin and Kudenko, "Dynamic
    potential-based reward shaping", 2012).

    Args:
        game: which game.
        num_envs: how many games.
        opponents: agents by label.
        chances: of each to be drawn, by label; None: all alike.
        partner: label of the one that plays with the learner; None: drawn as an opponent is.
        num_players, rules: of the game.
        seed: of all chance: the deals, the seats, the opponents and their own chance.
        seat: the learner's; None: a random one in each game.
        standing: of which each gain is paid, to the end of the game, in place of the payoff.
        potential: for shaping, which starts with the weight `shaping` 0.

    Attributes:
        shaping: weight of the potential.
        seconds: time spent so far in "environment" and "opponents".
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Mapping[str, Agent],
        chances: Mapping[str, float] | None = None,
        partner: str | None = None,
        num_players: int | None = None,
        rules: Any = None,
        seed: int = 0,
        seat: int | None = None,
        standing: Potential | None = None,
        potential: Potential | None = None,
    ) -> None:
        num_players = game.players if num_players is None else num_players
        if seat is not None and seat not in range(num_players):
            raise ValueError(f"seat={seat!r}: allowed are None and 0 to {num_players - 1}")
        self.games = VectorEnv(
            game, num_envs, num_players, rules, seed, autoreset=False, skip_forced=True
        )
        highs = game.observation_highs(num_players)
        super().__init__(
            num_envs,
            spaces.Box(np.zeros_like(highs), highs, dtype=np.int8),
            spaces.Discrete(game.num_actions(num_players)),
        )
        self.sides = game.sides(num_players, game.rules() if rules is None else rules)
        self.num_sides = int(self.sides.max()) + 1
        self.seat, self.standing, self.potential, self.shaping = seat, standing, potential, 0.0
        self.started = time.time()
        self.seconds = {"environment": 0.0, "opponents": 0.0}
        self.rng = np.random.default_rng(seed)
        self.rngs = spawn_rngs(self.rng, num_envs)
        self.labels: list[str] = []  # of the numbers in `seating`
        self.agents: dict[str, Agent] = {}
        self.seating = np.full((num_envs, num_players), LEARNER)
        self.set_opponents(opponents, chances, partner)
        self.lengths = np.zeros(num_envs, np.int64)
        self.potentials = np.zeros(num_envs, np.float32)
        self.standings = np.zeros(num_envs, np.float32)
        self._clear_results()

    def set_opponents(
        self,
        opponents: Mapping[str, Agent],
        chances: Mapping[str, float] | None = None,
        partner: str | None = None,
    ) -> None:
        """Who is drawn in games to come. A label stands for the same opponent ever after."""
        seated = {label: self.agents[label] for label in self.seated}
        self.agents = seated | dict(opponents)
        self.labels += [label for label in opponents if label not in self.labels]
        self._drawn = np.array([self.labels.index(label) for label in opponents])
        weights = [1.0 if chances is None else chances[label] for label in opponents]
        self._chances = np.array(weights) / np.sum(weights)
        self.partner = partner

    def _seat(self, index: int) -> None:
        """Who plays in a new game: the learner in its seat, others on its side and elsewhere."""
        drawn = self.rng.choice(self._drawn, self.num_sides, p=self._chances)
        seat = self.rng.integers(self.games.num_players) if self.seat is None else self.seat
        if self.partner is not None:
            drawn[self.sides[seat]] = self.labels.index(self.partner)
        self.seating[index] = drawn[self.sides]
        self.seating[index, seat] = LEARNER
        self.lengths[index] = 0

    def _players(self) -> np.ndarray:
        """Who decides in each game: the number of an opponent, or LEARNER."""
        return self.seating[np.arange(self.num_envs), self.games.actors]

    @contextmanager
    def _timed(self, part: str):
        start = time.perf_counter()
        yield
        self.seconds[part] += time.perf_counter() - start

    # ---------------------------------------------------------------------------- the SB3 face

    def reset(self) -> np.ndarray:
        for index in range(self.num_envs):
            self.games.deal(index)
            self._seat(index)
        self.games.look()
        self._play_others()
        self.potentials, self.standings = self._potentials(), self._standings()
        self._clear_results()
        return self.games.observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        self._chosen = np.asarray(actions, np.int64)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        self._clear_results()
        self.lengths += 1
        with self._timed("environment"):
            self.games.step(self._chosen)
        self._play_others()
        with self._timed("environment"):
            potentials, standings = self._potentials(), self._standings()
            self.rewards += np.where(self.dones, 0, potentials) - self.potentials
            self.rewards += np.where(self.dones, self.ends, standings) - self.standings
            self.potentials, self.standings = potentials, standings
        return self.games.observations.copy(), self.rewards, self.dones, self.infos

    def _potentials(self) -> np.ndarray:
        if self.potential is None or self.shaping == 0:
            return np.zeros(self.num_envs, np.float32)
        return np.float32(self.shaping) * self.potential(self.games.observations)

    def _standings(self) -> np.ndarray:
        if self.standing is None:
            return np.zeros(self.num_envs, np.float32)
        return self.standing(self.games.observations)

    def _play_others(self) -> None:
        """Go on until the learner is to decide in every game."""
        while True:
            with self._timed("environment"):
                # A game dealt anew can be over at once, if nobody has anything to choose in it.
                while (finished := np.flatnonzero(self.games.actors < 0)).size:
                    self._deal_anew(finished)
                players = self._players()
            if (players == LEARNER).all():
                return
            with self._timed("opponents"):
                actions = np.full(self.num_envs, LOOK)
                for number in np.unique(players[players != LEARNER]):
                    rows = np.flatnonzero(players == number)
                    rngs = self.rngs[rows]
                    actions[rows] = self.agents[self.labels[number]].act(
                        self.games.observations[rows], self.games.masks[rows], rngs
                    )
                    self.rngs[rows] = rngs
            with self._timed("environment"):
                self.games.step(actions)

    def _deal_anew(self, finished: np.ndarray) -> None:
        for index in finished:
            if self.lengths[index]:  # else the learner had nothing to choose in all the game
                self._report(index)
            self.games.deal(index)
            self._seat(index)
        self.games.look()

    def _report(self, index: int) -> None:
        """Pay the learner for a game that is over."""
        seat = int(np.flatnonzero(self.seating[index] == LEARNER)[0])
        payoff, last = self.games.rewards[index, seat], self.games.observe(index, seat)
        self.ends[index] = payoff if self.standing is None else self.standing(last[None])[0]
        self.dones[index] = True
        others = self.seating[index, self.sides != self.sides[seat]]
        self.infos[index] = {
            "terminal_observation": last,
            "episode": {
                "r": float(payoff),
                "l": int(self.lengths[index]),
                "t": round(time.time() - self.started, 6),
            },
            "TimeLimit.truncated": bool(self.games.truncations[index]),
            "opponents": [self.labels[k] for k in others],
            "win_share": win_share(self.games.rewards[index], self.sides, self.sides[seat]),
        }

    def _clear_results(self) -> None:
        self.rewards = np.zeros(self.num_envs, np.float32)
        self.dones = np.zeros(self.num_envs, bool)
        self.ends = np.zeros(self.num_envs, np.float32)  # what the games that ended came to
        self.infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]

    def action_masks(self) -> np.ndarray:
        """Legal actions of the learner in every game: bool[num_envs, num_actions]."""
        return self.games.masks.astype(bool)

    # ------------------------------------------------------------------------------ going on later

    @property
    def seated(self) -> set[str]:
        """Labels of the opponents in games under way."""
        return {self.labels[number] for number in np.unique(self.seating) if number != LEARNER}

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """What `restore` needs to go on exactly: arrays by name, and what JSON can hold."""
        rows = self.games.states.view(np.uint8).reshape(self.num_envs, -1)
        arrays = {name: getattr(self, name).copy() for name in STATE_ARRAYS} | {"rows": rows.copy()}
        told = {
            "labels": self.labels,
            "shaping": self.shaping,
            "rng": self.rng.bit_generator.state,
        }
        return arrays, told

    def restore(self, arrays: Mapping[str, np.ndarray], told: Mapping[str, Any]) -> np.ndarray:
        """Go on from a `state`; returns the observations. All who were `seated` must be opponents.

        Raises:
            ValueError: for the state of another number of games, another game or other opponents.
        """
        rows = self.games.states.view(np.uint8).reshape(self.num_envs, -1)
        if arrays["rows"].shape != rows.shape:
            found = arrays["rows"].shape
            raise ValueError(f"the state is of games of the shape {found}, not {rows.shape}")
        seated = {told["labels"][k] for k in np.unique(arrays["seating"]) if k != LEARNER}
        if absent := seated - set(self.agents):
            raise ValueError(f"in the state's games sit opponents that are absent: {absent}")
        rows[:] = arrays["rows"]
        for name in STATE_ARRAYS:
            getattr(self, name)[:] = arrays[name]
        drawn = [self.labels[number] for number in self._drawn]
        self.labels = list(told["labels"])
        self.labels += [label for label in drawn if label not in self.labels]
        self._drawn = np.array([self.labels.index(label) for label in drawn])
        self.shaping = told["shaping"]
        self.rng.bit_generator.state = told["rng"]
        self.games.look()
        return self.games.observations.copy()

    # ------------------------------------------------------------------- what SB3 asks for besides

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        if method_name != "action_masks":
            raise AttributeError(f"these environments have no method {method_name!r}")
        masks = self.action_masks()
        return [masks[index] for index in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        values = {"render_mode": None, "action_masks": self.action_masks}
        if attr_name not in values:
            raise AttributeError(f"these environments have no attribute {attr_name!r}")
        return [values[attr_name] for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"these environments have no attribute {attr_name!r} to set")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Nothing is held open."""
