"""Self-play: one learner a game, the other seats played by agents of a pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gubs_env.agents.memory import Remembered
from gubs_env.agents.registry import check_memory
from gubs_env.api.pool import Pool
from gubs_env.api.seated import LEARNER, SeatedGames
from gubs_env.api.vector import tables_of
from gubs_env.engine.border import check_states
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.fields import LONGEST_GAME
from gubs_env.engine.history import NONE
from gubs_env.engine.outcome import stake_share, win_shares
from gubs_env.engine.rng import WORD
from gubs_env.engine.slices import highs_of
from gubs_env.engine.table import Table
from gubs_env.support.checks import check_array, check_generator, check_option
from gubs_env.support.exclusive import exclusive

Estimate = Callable[[np.ndarray], np.ndarray]
"""int8[batch, observation_size] → float32[batch]: an estimate of the standing of each viewer."""


class Endings(NamedTuple):
    """The ends of games, one row for each game; only rows of games that ended are written."""

    payoffs: np.ndarray
    """float32[num_envs]: the payoff of the learner's seat."""
    win_shares: np.ndarray
    """float64[num_envs]: the learner's share of the win, or of what is at stake, 0 … 1."""
    opponents: np.ndarray
    """int64[num_envs, num_players]: the opponents on the other sides, by their numbers in `labels`;
    LEARNER on the learner's side."""
    lengths: np.ndarray
    """int64[num_envs]: the decisions of the learner."""
    truncations: np.ndarray
    """bool[num_envs]: whether a limit ended the game rather than its rules."""
    observations: np.ndarray
    """int8[num_envs, observation_size]: the last observation of the learner, where it was asked
    for."""


class SelfPlay(SeatedGames):
    """`num_envs` games of self-play: the learner holds one seat in each, a pool the others.

    The arguments and attributes are those of `SelfPlayVecEnv`, which is this with the interface of
    Stable-Baselines3.
    """

    def __init__(
        self,
        tables: Table | Sequence[Table],
        num_envs: int,
        pool: Pool,
        seed: int = 0,
        seat: int | None = None,
        standing: Estimate | None = None,
        potential: Estimate | None = None,
    ) -> None:
        SeatedGames.__init__(self, tables, num_envs, seat, True, seed)
        self.num_envs = self.games.num_envs
        self.sides, self.num_sides = same_sides(self.games.tables), self.games.table.num_sides
        self.standing, self.potential, self.shaping = standing, potential, 0.0
        self.set_pool(pool)
        num_envs = self.num_envs
        self.potentials = np.zeros(num_envs, np.float32)
        self.standings = np.zeros(num_envs, np.float32)
        self.endings = Endings(
            payoffs=np.zeros(num_envs, np.float32),
            win_shares=np.zeros(num_envs),
            opponents=np.full_like(self.seating, LEARNER),
            lengths=np.zeros(num_envs, np.int64),
            truncations=np.zeros(num_envs, bool),
            observations=np.zeros_like(self.games.observations),
        )
        self._clear_results()

    @exclusive
    def set_pool(self, pool: Pool) -> None:
        """Set the opponents of later games."""
        self._take({label: self.agents[label] for label in self.seated} | dict(pool.agents))
        self.labels += [label for label in pool.agents if label not in self.labels]
        self.pool = pool

    @exclusive
    def set_rules(self, rules: Any) -> np.ndarray:
        """Change the rules of the games; those whose rules were others are dealt and seated anew.

        Nothing is reported of the games that were under way there.

        Args:
            rules: the options of the rules: one for all games, or a list with those of each, all
                with the sides of before.

        Returns:
            bool[num_envs]: which games were dealt anew. The learner is to decide in all games.

        Raises:
            TypeError, ValueError: for rules that are not allowed. No game has then changed.
        """
        games = self.games
        sides = same_sides(tables_of(games.game, games.num_players, rules, games.num_envs))
        if (sides != self.sides).any():
            raise ValueError(
                f"rules: the sides must stay {self.sides.tolist()}, not become {sides.tolist()}"
            )
        changed = games.set_rules(rules)
        self._deal(np.flatnonzero(changed))
        games.look()
        self._clear_results()
        self._play_others()
        self.potentials = np.where(changed, self._potentials(), self.potentials)
        self.standings = np.where(changed, self._standings(), self.standings)
        return changed

    def _seat(self, indices: np.ndarray) -> None:
        numbers = [*map(self.labels.index, self.pool.agents), LEARNER]
        places = self.pool.draw(self.rng, len(indices), self.sides, self.fixed_seat)
        self.seating[indices] = np.array(numbers)[places]

    # ----------------------------------------------------------------------------------- playing

    @exclusive
    def start(self) -> np.ndarray:
        """Deal every game anew, and return the observations."""
        self._deal_all()
        self.potentials, self.standings = self._potentials(), self._standings()
        self._clear_results()
        return self.games.observations.copy()

    @exclusive
    def play(
        self, actions: np.ndarray, observe_ends: bool = False
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Play on to the learner's next decision in every game; see `endings` for those that ended.

        Args:
            actions: the learner's actions, int64[num_envs].
            observe_ends: write the last observations of all games that end to `endings`; without
                it, only of those that a limit ended.

        Returns:
            Observations, int8[num_envs, observation_size]; rewards, float32[num_envs]; and dones,
            bool[num_envs].

        Raises:
            ValueError: for an action that is not legal; no game changes.
        """
        if (np.asarray(actions) == LOOK).any():
            raise ValueError(f"action {LOOK}: the learner must choose a legal action in every game")
        with self._timed("environment"):
            self.games.step(actions)
        self._clear_results()
        self._observe_ends = observe_ends or self.standing is not None
        self.lengths += 1
        self._play_others()
        with self._timed("environment"):
            potentials, standings = self._potentials(), self._standings()
            self.rewards += np.where(self.dones, 0, potentials) - self.potentials
            self.rewards += np.where(self.dones, self.ends, standings) - self.standings
            self.potentials, self.standings = potentials, standings
        return self.games.observations.copy(), self.rewards, self.dones

    def _potentials(self) -> np.ndarray:
        if self.potential is None or self.shaping == 0:
            return np.zeros(self.num_envs, np.float32)
        return np.float32(self.shaping) * self.potential(self.games.observations)

    def _standings(self) -> np.ndarray:
        if self.standing is None:
            return np.zeros(self.num_envs, np.float32)
        return self.standing(self.games.observations)

    def _report(self, indices: np.ndarray) -> None:
        if not len(indices):
            return
        seats, games, endings = self._seats_of(indices), self.games, self.endings
        payoffs, truncations = games.rewards[indices, seats], games.truncations[indices]
        shown = np.ones(len(indices), bool) if self._observe_ends else truncations
        lasts = games.observe(indices[shown], seats[shown])
        self.ends[indices] = payoffs if self.standing is None else self.standing(lasts)
        self.dones[indices] = True
        with_learner = self.sides == self.sides[seats][:, None]
        endings.payoffs[indices] = payoffs
        endings.win_shares[indices] = self._shares(indices, seats)
        endings.opponents[indices] = np.where(with_learner, LEARNER, self.seating[indices])
        endings.lengths[indices] = self.lengths[indices]
        endings.truncations[indices] = truncations
        endings.observations[indices[shown]] = lasts

    def _shares(self, indices: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return the learner's share of the win or the stake in games that are over, float64[…]."""
        payoffs, every = self.games.rewards[indices], np.arange(len(indices))
        most = np.array([self.games.table_of(index).max_payoff for index in indices.tolist()])
        wins = win_shares(are_best(payoffs), self.sides)[every, self.sides[seats]]
        stakes = stake_share(payoffs[every, seats], most, self.num_sides)
        return np.where(most == 1, wins, stakes)

    def _clear_results(self) -> None:
        self.rewards = np.zeros(self.num_envs, np.float32)
        self.dones = np.zeros(self.num_envs, bool)
        self.ends = np.zeros(self.num_envs, np.float32)  # the final standing in games that ended
        self._observe_ends = False

    @exclusive
    def action_masks(self) -> np.ndarray:
        """Return the legal actions of the learner in every game, bool[num_envs, num_actions]."""
        return self.games.masks.astype(bool)

    # ---------------------------------------------------------------------- a learner with a memory

    @exclusive
    def remember_for(self, learner: Any) -> None:
        """Keep a memory for the learner, as for the opponents.

        Args:
            learner: an object with `memory_size` and `num_events`, as a `MemoryAgent` has them.

        Raises:
            ValueError: for sizes that are not allowed.
        """
        check_memory(learner, "the learner")
        self.learner = learner
        self._take(self.agents)

    @exclusive
    def recall(self) -> Remembered:
        """Return what the learner remembers of every game, and the events since its last decision.

        Returns:
            Copies: float32[num_envs, memory_size], 0 at the first decision of a game, and
            int8[num_envs, num_events, event_size], as `MemoryAgent.act` gets them.
        """
        every = np.arange(self.num_envs)
        return self.memories.recall(self.learner, every, self._seats_of(every), self.games.recent)

    @exclusive
    def keep(self, memories: np.ndarray) -> None:
        """Keep what the learner has made of the memories of `recall`, before it plays on."""
        every = np.arange(self.num_envs)
        self.memories.keep(every, self._seats_of(every), memories, self.games.recent)

    # --------------------------------------------------------------------- saving and restoring

    @property
    def seated(self) -> set[str]:
        """The labels of the opponents in games under way."""
        return {self.labels[number] for number in np.unique(self.seating) if number != LEARNER}

    @exclusive
    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return all that `restore` needs to continue exactly: arrays by name, a dict for JSON."""
        arrays = {name: part.copy() for name, (part, *_) in self._parts(self.labels).items()}
        rng = self.rng.bit_generator.state
        return arrays, {"labels": self.labels, "shaping": self.shaping, "rng": rng}

    def _parts(self, labels: list[str]) -> dict[str, tuple[Any, ...]]:
        """Return the arrays of the state by name, each with the least and the largest number that
        it may hold, if there is one. What agents remember is among them if one has a memory."""
        parts: dict[str, tuple[Any, ...]] = {
            "rows": (self.games.states.view(np.uint8).reshape(self.num_envs, -1),),
            "seating": (self.seating, LEARNER, len(labels) - 1),
            "lengths": (self.lengths, 0, LONGEST_GAME),
            "rngs": (self.rngs, 0, WORD),
            "potentials": (self.potentials,),
            "standings": (self.standings,),
        }
        memories, recent = self.memories, self.games.recent
        if memories.values.size:
            parts["memories"] = (memories.values,)
            parts["heard"] = (memories.heard, 0, LONGEST_GAME)
            if recent is not None and memories.num_events:
                parts["events"] = (recent.events[:, :, -memories.num_events :], NONE)
                parts["counts"] = (recent.counts, 0, LONGEST_GAME)
        return parts

    @exclusive
    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, Any]) -> np.ndarray:
        """Continue from a `state`, and return the observations.

        Raises:
            ValueError: for the state of another number of games, another game, number of players or
                rules; for anything that `state` does not return; if an opponent that was `seated`
                is missing. The environment is then unchanged.
        """
        labels = _check_labels(numbers.get("labels"))
        states = self._check_arrays(arrays, labels)
        shaping = check_option("shaping", numbers.get("shaping"), float)
        generator = check_generator(numbers.get("rng"))
        self.games.set_states(states)
        for name, (part, *_) in self._parts(labels).items():
            if name != "rows":
                part[:] = arrays[name]
        self.labels = labels + [label for label in self.pool.agents if label not in labels]
        self.shaping = shaping
        self.rng.bit_generator.state = generator
        return self.games.observations.copy()

    def _check_arrays(self, arrays: Mapping[str, np.ndarray], labels: list[str]) -> np.ndarray:
        """Return the states of the games, after checking the arrays of a `state`."""
        parts = self._parts(labels)
        if absent := parts.keys() - arrays.keys():
            raise ValueError(f"the state lacks the arrays {sorted(absent)}")
        for name, (part, *limits) in parts.items():
            check_array(
                "the rows of the games" if name == "rows" else name, arrays[name], part, *limits
            )
        seating, slices = arrays["seating"], self.games.game.history.slices
        if not ((seating == LEARNER).sum(1) == 1).all():
            raise ValueError("seating: the learner must hold exactly one seat in each game")
        if absent := {labels[k] for k in np.unique(seating) if k != LEARNER} - self.agents.keys():
            raise ValueError(f"in the state's games sit opponents that are absent: {absent}")
        if "events" in parts and (arrays["events"] > highs_of(slices)).any():
            raise ValueError("events: a column holds a number that it never holds in a game")
        states = np.ascontiguousarray(arrays["rows"]).view(self.games.states.dtype).reshape(-1)
        states = check_states(self.games.tables, states)
        if (arrays["lengths"] > states["decisions"]).any():
            raise ValueError("lengths: the learner cannot have made more decisions than its games")
        self._check_choices(states, seating)
        return states

    def _check_choices(self, states: np.ndarray, seating: np.ndarray) -> None:
        """Raise ValueError unless the learner has a choice to make in every state."""
        batch = self.games.game.new_batch(states.copy())
        looks = np.full(len(states), LOOK, np.int64)
        self.games.game.kernel.advance(*batch, looks, 1, False, False)
        deciding = seating[np.arange(len(states)), batch.actors]
        if not ((deciding == LEARNER) & (batch.masks.sum(1) > 1)).all():
            raise ValueError("the rows of the games: the learner must have a choice in each game")


def are_best(payoffs: np.ndarray) -> np.ndarray:
    """Return who was paid most, bool[games, num_players]; nobody where all payoffs are negative.

    Args:
        payoffs: float32[games, num_players].
    """
    best = payoffs.max(1, keepdims=True)
    return (payoffs == best) & (best >= 0)


def same_sides(tables: Sequence[Table]) -> np.ndarray:
    """Return the side of each player, int64[num_players], at all tables.

    Raises:
        ValueError: if it is not the same at all of them.
    """
    for table in tables:
        if (table.sides != tables[0].sides).any():
            raise ValueError(
                f"rules: all games must have the same sides, not {tables[0].sides.tolist()} and "
                f"{table.sides.tolist()}"
            )
    return tables[0].sides


def _check_labels(labels: Any) -> list[str]:
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise ValueError("labels must be a list of texts")
    if len(set(labels)) < len(labels):
        raise ValueError("labels: a label is given twice")
    return list(labels)
