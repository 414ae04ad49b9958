"""Self-play for Stable-Baselines3: one learner a game, the other seats played by agents."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from gubs_env.agents.memory import Remembered
from gubs_env.agents.registry import Agent, SearchAgent, check_memory
from gubs_env.api.seated import LEARNER, SeatedGames
from gubs_env.api.vector import make_all_rules
from gubs_env.engine.border import check_states, rules_of_games
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.fields import LONGEST_GAME
from gubs_env.engine.game import Game, stake_share
from gubs_env.engine.history import NONE
from gubs_env.engine.rng import WORD
from gubs_env.engine.slices import highs_of
from gubs_env.support.checks import check_array, check_generator
from gubs_env.support.exclusive import exclusive

__all__ = ["SelfPlayVecEnv"]

STATE_ARRAYS = ("seating", "lengths", "rngs", "potentials", "standings")

Potential = Callable[[np.ndarray], np.ndarray]
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


def win_shares(payoffs: np.ndarray, sides: np.ndarray) -> np.ndarray:
    """Return the share of the win of each side, from the payoffs of the players.

    Several winners share the win equally, and so do all sides if nobody was paid. If all payoffs
    are negative, nobody has won.

    Args:
        payoffs: float32[games, num_players].
        sides: int64[num_players], the side of each player.

    Returns:
        float64[games, num_sides], each 0 … 1.
    """
    best = payoffs.max(1, keepdims=True)
    won = [(payoffs == best)[:, sides == side].any(1) for side in range(sides.max() + 1)]
    winning = np.stack(won, axis=1)
    return (winning & (best >= 0)) / winning.sum(1, keepdims=True)


class SelfPlayVecEnv(SeatedGames, VecEnv):
    """`num_envs` games of self-play, as a `VecEnv`: the learner holds one seat in each.

    When a game begins, an opponent is drawn for every other seat, and stays to the end of the game;
    `set_opponents` changes the pool for later games. In a game with partners, who get the same
    payoff, an opponent holds all seats of its team. The learner holds only its own seat, because it
    sees only one hand, and `partner` holds the other seats of its team. With the probability
    `copies_share`, one opponent is drawn for all other sides: a table of copies.

    A step lasts until the learner's next choice: decisions with a single legal action are played at
    once, for every player. The reward is the payoff of the learner's seat (or the gain in
    `standing`), plus the gain in `potential`. A finished game is dealt anew in the same step. Its
    info then holds `terminal_observation`, `TimeLimit.truncated`, `opponents` (the labels of the
    opponents), `win_share` (the learner's share of the win, or where payoffs differ of what is at
    stake, as `stake_share` says) and Monitor's `episode`: r, the payoff; l, the number of
    decisions; t, the seconds since this environment was made.

    Shaping with a potential Φ adds Φ(s′) − Φ(s) to the reward of each step, with Φ = 0 at the end.
    The best policy stays the best (Ng, Harada and Russell, "Policy invariance under reward
    transformations", 1999), even if Φ changes during learning (Devlin and Kudenko, "Dynamic
    potential-based reward shaping", 2012).

    Args:
        game: the game.
        num_envs: number of games.
        opponents: agents by label.
        chances: probability of drawing each opponent, by label; None: all are equally likely.
        partner: label of the agent that plays with the learner; None: drawn like an opponent.
        copies_share: probability that one opponent is drawn for all other sides of a game.
        num_players: number of players; None: the usual number of the game.
        rules: the options of the rules, as for `VectorEnv`: one for all games, or a list, in which
            all must have the same sides.
        seed: seed of the deals, the seats, the choice of opponents and their RNGs (`seed` sets it
            anew).
        seat: the learner's seat; None draws one for each game.
        standing: function of the observations whose gains are the rewards, in place of the payoff.
        potential: potential for reward shaping; its weight `shaping` is 0 at first.

    Attributes:
        shaping: weight of the potential.
        endings: the ends of games in the last step, where `dones` is set.
        seconds: time spent so far in "environment" and "opponents".

    Raises:
        ValueError: for numbers, players, rules, a seat or a share that are not allowed.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Mapping[str, Agent | SearchAgent],
        chances: Mapping[str, float] | None = None,
        partner: str | None = None,
        num_players: int | None = None,
        rules: Any = None,
        seed: int = 0,
        seat: int | None = None,
        standing: Potential | None = None,
        potential: Potential | None = None,
        copies_share: float = 0.0,
    ) -> None:
        SeatedGames.__init__(self, game, num_envs, num_players, rules, seat, True, seed)
        num_players = self.games.num_players
        highs = game.observation_highs(num_players)
        VecEnv.__init__(
            self,
            num_envs,
            spaces.Box(np.zeros_like(highs), highs, dtype=np.int8),
            spaces.Discrete(game.num_actions(num_players)),
        )
        self.sides = same_sides(game, num_players, self.games.rules)
        self.num_sides = int(self.sides.max()) + 1
        self._stakes = self._read_stakes()
        self.standing, self.potential, self.shaping = standing, potential, 0.0
        self.started = time.time()
        self.set_opponents(opponents, chances, partner)
        if not 0 <= copies_share <= 1:
            raise ValueError(f"copies_share={copies_share}: must be 0 to 1")
        self.copies_share = copies_share
        self.potentials = np.zeros(num_envs, np.float32)
        self.standings = np.zeros(num_envs, np.float32)
        self.endings = Endings(
            payoffs=np.zeros(num_envs, np.float32),
            win_shares=np.zeros(num_envs),
            opponents=np.full((num_envs, num_players), LEARNER, np.int64),
            lengths=np.zeros(num_envs, np.int64),
            truncations=np.zeros(num_envs, bool),
            observations=np.zeros_like(self.games.observations),
        )
        self._clear_results()

    @exclusive
    def set_opponents(
        self,
        opponents: Mapping[str, Agent | SearchAgent],
        chances: Mapping[str, float] | None = None,
        partner: str | None = None,
    ) -> None:
        """Set the opponent pool for later games; a label must always mean the same opponent.

        Raises:
            ValueError: for no opponents, for chances that are no probabilities, or for a partner
                that is not among the opponents.
        """
        weights = check_chances(opponents, chances, partner)
        seated = {label: self.agents[label] for label in self.seated}
        self._take(seated | dict(opponents))
        self.labels += [label for label in opponents if label not in self.labels]
        self._drawn = np.array([self.labels.index(label) for label in opponents])
        bounds = (weights / weights.sum()).cumsum()
        self._bounds = bounds / bounds[-1]
        self.partner = partner

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
        made = make_all_rules(games.game, rules, games.num_envs, games.num_players)
        found = same_sides(games.game, games.num_players, made)
        if (found != self.sides).any():
            raise ValueError(
                f"rules: the sides must stay {self.sides.tolist()}, not become {found.tolist()}"
            )
        changed = games.set_rules(rules)
        self._stakes = self._read_stakes()
        self._deal(np.flatnonzero(changed))
        games.look()
        self._clear_results()
        self._play_others()
        self.potentials = np.where(changed, self._potentials(), self.potentials)
        self.standings = np.where(changed, self._standings(), self.standings)
        return changed

    def _read_stakes(self) -> np.ndarray:
        """Return the most that is paid under each rules, float64[…]; game k has entry k % count."""
        games = self.games
        rules = rules_of_games(games.rules)
        return np.array([games.game.max_payoff(games.num_players, one) for one in rules])

    def _seat(self, indices: np.ndarray) -> None:
        count, num_players = len(indices), self.games.num_players
        # One RNG draws the opponents of a game and then its seat, before those of the next game.
        if self.fixed_seat is None:
            draws, seats = draw_in_turn(self.rng, count, self.num_sides, num_players)
        else:
            draws = self.rng.random((count, self.num_sides))
            seats = np.full(count, self.fixed_seat)
        if self.copies_share:
            copied = self.rng.random(count) < self.copies_share
            draws = np.where(copied[:, None], draws[:, :1], draws)
        drawn = self._drawn[self._bounds.searchsorted(draws, side="right")]
        every = np.arange(count)
        if self.partner is not None:
            drawn[every, self.sides[seats]] = self.labels.index(self.partner)
        seating = drawn[:, self.sides]
        seating[every, seats] = LEARNER
        self.seating[indices] = seating

    # ------------------------------------------------------------------- the VecEnv interface

    @exclusive
    def reset(self) -> np.ndarray:
        """Deal every game anew, from the seed that `seed` set if any; return the observations."""
        if self._seeds[0] is not None:
            self._reseed(self._seeds[0])
        self._reset_seeds()
        self._deal_all()
        self.potentials, self.standings = self._potentials(), self._standings()
        self._clear_results()
        return self.games.observations.copy()

    @exclusive
    def step_async(self, actions: np.ndarray) -> None:
        """Take the learner's actions, int64[num_envs], for `step_wait`."""
        self._chosen = actions

    @exclusive
    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play on to the learner's next decision in every game.

        Returns:
            Observations, int8[num_envs, observation_size]; rewards, float32[num_envs]; dones,
            bool[num_envs]; and infos, as the class describes them.

        Raises:
            ValueError: for an action that is not legal; no game changes.
        """
        return *self.play(self._chosen, observe_ends=True), self._infos()

    @exclusive
    def play(
        self, actions: np.ndarray, observe_ends: bool = False
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Play a step without infos, which take longer than a short game; see `endings` instead.

        Args:
            actions: the learner's actions, int64[num_envs].
            observe_ends: write the last observations of all games that end to `endings`; without
                it, only of those that a limit ended.

        Returns:
            Observations, rewards and dones, as `step_wait` returns them.

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
        seen = np.ones(len(indices), bool) if self._observe_ends else truncations
        lasts = games.observe_all(indices[seen], seats[seen])
        self.ends[indices] = payoffs if self.standing is None else self.standing(lasts)
        self.dones[indices] = True
        own_side = self.sides == self.sides[seats][:, None]
        endings.payoffs[indices] = payoffs
        endings.win_shares[indices] = self._shares(indices, seats)
        endings.opponents[indices] = np.where(own_side, LEARNER, self.seating[indices])
        endings.lengths[indices] = self.lengths[indices]
        endings.truncations[indices] = truncations
        endings.observations[indices[seen]] = lasts

    def _infos(self) -> list[dict[str, Any]]:
        """Return the infos of the last step, as the class describes them."""
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended, seconds = np.flatnonzero(self.dones), round(time.time() - self.started, 6)
        *columns, lasts = (column[ended] for column in self.endings)
        rows = zip(ended.tolist(), *(column.tolist() for column in columns), lasts, strict=True)
        for index, payoff, share, opponents, length, truncated, last in rows:
            infos[index] = {
                "terminal_observation": last,
                "episode": {"r": payoff, "l": length, "t": seconds},
                "TimeLimit.truncated": truncated,
                "opponents": [self.labels[number] for number in opponents if number != LEARNER],
                "win_share": share,
            }
        return infos

    def _shares(self, indices: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return the learner's share of the win or the stake in games that are over, float64[…]."""
        paid, every = self.games.rewards[indices], np.arange(len(indices))
        most = self._stakes[indices % len(self._stakes)]
        wins = win_shares(paid, self.sides)[every, self.sides[seats]]
        return np.where(most == 1, wins, stake_share(paid[every, seats], most, self.num_sides))

    def _clear_results(self) -> None:
        self.rewards = np.zeros(self.num_envs, np.float32)
        self.dones = np.zeros(self.num_envs, bool)
        self.ends = np.zeros(self.num_envs, np.float32)  # the final standing in games that ended
        self._observe_ends = False

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

    @exclusive
    def action_masks(self) -> np.ndarray:
        """Return the legal actions of the learner in every game, bool[num_envs, num_actions]."""
        return self.games.masks.astype(bool)

    # --------------------------------------------------------------------- saving and restoring

    @property
    def seated(self) -> set[str]:
        """The labels of the opponents in games under way."""
        return {self.labels[number] for number in np.unique(self.seating) if number != LEARNER}

    @exclusive
    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return all that `restore` needs to continue exactly: arrays by name, a dict for JSON."""
        rows = self.games.states.view(np.uint8).reshape(self.num_envs, -1)
        arrays = {name: getattr(self, name).copy() for name in STATE_ARRAYS} | {"rows": rows.copy()}
        arrays |= {name: part.copy() for name, part in self._remembered().items()}
        told = {
            "labels": self.labels,
            "shaping": self.shaping,
            "rng": self.rng.bit_generator.state,
        }
        return arrays, told

    def _remembered(self) -> dict[str, np.ndarray]:
        """Return what all remember and are yet to be told; nothing if nobody has a memory."""
        memories, recent = self.memories, self.games.recent
        if not memories.values.size:
            return {}
        own: dict[str, np.ndarray] = {"memories": memories.values, "heard": memories.heard}
        if recent is None or not memories.num_events:
            return own
        return own | {
            "events": recent.events[:, :, -memories.num_events :],
            "counts": recent.counts,
        }

    @exclusive
    def restore(self, arrays: Mapping[str, np.ndarray], told: Mapping[str, Any]) -> np.ndarray:
        """Continue from a `state`, and return the observations.

        Raises:
            ValueError: for the state of another number of games, another game, number of players or
                rules; for anything that `state` does not return; if an opponent that was `seated`
                is missing. The environment is then unchanged.
        """
        states, labels = self._check_arrays(arrays, told), list(told["labels"])
        shaping, generator = _check_shaping(told.get("shaping")), check_generator(told.get("rng"))
        self.games.set_states(states)
        for name in STATE_ARRAYS:
            getattr(self, name)[:] = arrays[name]
        for name, part in self._remembered().items():
            part[:] = arrays[name]
        drawn = [self.labels[number] for number in self._drawn]
        self.labels = labels + [label for label in drawn if label not in labels]
        self._drawn = np.array([self.labels.index(label) for label in drawn])
        self.shaping = shaping
        self.rng.bit_generator.state = generator
        return self.games.observations.copy()

    def _check_arrays(
        self, arrays: Mapping[str, np.ndarray], told: Mapping[str, Any]
    ) -> np.ndarray:
        """Return the states of the games, after checking the arrays of a `state`."""
        if absent := {"rows", *STATE_ARRAYS, *self._remembered()} - set(arrays):
            raise ValueError(f"the state lacks the arrays {sorted(absent)}")
        bytes_of = self.games.states.view(np.uint8).reshape(self.num_envs, -1)
        rows = check_array("the rows of the games", arrays["rows"], bytes_of)
        labels = _check_labels(told.get("labels"))
        check_array("seating", arrays["seating"], self.seating, LEARNER, len(labels) - 1)
        check_array("lengths", arrays["lengths"], self.lengths, 0, LONGEST_GAME)
        check_array("rngs", arrays["rngs"], self.rngs, 0, WORD)
        check_array("potentials", arrays["potentials"], self.potentials)
        check_array("standings", arrays["standings"], self.standings)
        if not ((arrays["seating"] == LEARNER).sum(1) == 1).all():
            raise ValueError("seating: the learner must hold exactly one seat in each game")
        seated = {labels[k] for k in np.unique(arrays["seating"]) if k != LEARNER}
        if absent := seated - set(self.agents):
            raise ValueError(f"in the state's games sit opponents that are absent: {absent}")
        self._check_remembered(arrays)
        states = np.ascontiguousarray(rows).view(self.games.states.dtype).reshape(-1)
        states = check_states(self.games.game, states, self.games.num_players, self.games.rules)
        if (arrays["lengths"] > states["decisions"]).any():
            raise ValueError("lengths: the learner cannot have made more decisions than its games")
        self._check_choices(states, arrays["seating"])
        return states

    def _check_remembered(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Raise ValueError for memories and events that no opponents of these games can have."""
        own = self._remembered()
        for name in own.keys() & {"memories"}:
            check_array(name, arrays[name], own[name])
        for name in own.keys() & {"heard", "counts"}:
            check_array(name, arrays[name], own[name], 0, LONGEST_GAME)
        for name in own.keys() & {"events"}:
            events = check_array(name, arrays[name], own[name], NONE)
            if (events > highs_of(self.games.game.history.slices)).any():
                raise ValueError("events: a column holds a number that it never holds in a game")

    def _check_choices(self, states: np.ndarray, seating: np.ndarray) -> None:
        """Raise ValueError unless the learner has a choice to make in every state."""
        batch = self.games.game.new_batch(states.copy())
        looks = np.full(len(states), LOOK, np.int64)
        self.games.game.kernel.advance(*batch, looks, 1, False, False)
        deciding = seating[np.arange(len(states)), batch.actors]
        if not ((deciding == LEARNER) & (batch.masks.sum(1) > 1)).all():
            raise ValueError("the rows of the games: the learner must have a choice in each game")

    # ------------------------------------------------------------------------ the rest of VecEnv

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """Return the masks of some games for "action_masks"; AttributeError for other methods."""
        if method_name != "action_masks":
            raise AttributeError(f"these environments have no method {method_name!r}")
        masks = self.action_masks()
        return [masks[index] for index in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return "render_mode" or "action_masks" of some games; AttributeError for others."""
        values = {"render_mode": None, "action_masks": self.action_masks}
        if attr_name not in values:
            raise AttributeError(f"these environments have no attribute {attr_name!r}")
        return [values[attr_name] for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raise AttributeError: no attribute can be set."""
        raise AttributeError(f"these environments have no attribute {attr_name!r} to set")

    def set_options(self, options: Any = None) -> None:
        """Raise ValueError for options of `reset`: there are none."""
        if options and any([options] if isinstance(options, dict) else options):
            raise ValueError(f"reset options {options!r}: these environments have none")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for each game: none is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Do nothing: no resources are held."""


def draw_in_turn(
    rng: np.random.Generator, count: int, size: int, bound: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return what `rng.random(size)` and `rng.integers(bound)` return in turn, `count` times.

    The generator is NumPy's default. Of `bound` below ten, `integers` would once in 10⁹ draws draw
    again, which is left out here.

    Returns:
        float64[count, size] in 0 … 1, and int64[count] in 0 … bound − 1.
    """
    generator: Any = rng.bit_generator
    state = generator.state
    kept = state["has_uint32"]
    # A number below `bound` takes half a word; the next one takes the other half.
    halved = (np.arange(count) + kept) % 2 == 0
    ends = (size + halved).cumsum()
    words = generator.random_raw(size * count + int(halved.sum()))
    draws = words[(ends - halved - size)[:, None] + np.arange(size)] >> np.uint64(11)
    split = words[ends[halved] - 1]
    halves = np.stack([split & np.uint64(WORD), split >> np.uint64(32)], axis=1)
    halves = np.append(np.uint64(state["uinteger"]), halves)
    numbers = halves[1 - kept :][:count] * np.uint64(bound) >> np.uint64(32)
    left = {"has_uint32": (kept + count) % 2, "uinteger": int(halves[-1])}
    generator.state = generator.state | left
    return draws * 2.0**-53, numbers.astype(np.int64)


def same_sides(game: Game, num_players: int, rules: Any) -> np.ndarray:
    """Return the side of each player, int64[num_players], under the rules of any game.

    Raises:
        ValueError: if it is not the same under all of them.
    """
    sides = np.array([game.sides(num_players, one) for one in rules_of_games(rules)])
    if (sides != sides[0]).any():
        raise ValueError(
            f"rules: all games must have the same sides, not {sides[0].tolist()} and "
            f"{sides[(sides != sides[0]).any(1)][0].tolist()}"
        )
    return sides[0]


def check_chances(
    opponents: Mapping[str, Any], chances: Mapping[str, float] | None, partner: str | None
) -> np.ndarray:
    """Return the weight of each opponent, float64[len(opponents)]; their sum is above 0.

    Raises:
        ValueError: as `SelfPlayVecEnv.set_opponents` says.
    """
    if not opponents:
        raise ValueError("opponents is empty: give at least one agent")
    if partner is not None and partner not in opponents:
        raise ValueError(f"partner={partner!r}: the opponents are {list(opponents)}")
    if chances is None:
        return np.ones(len(opponents))
    if absent := [label for label in opponents if label not in chances]:
        raise ValueError(f"chances lacks the opponents {absent}")
    weights = np.array([chances[label] for label in opponents], float)
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
        raise ValueError(f"chances={dict(chances)}: must be at least 0, and one of them above 0")
    return weights


def _check_labels(labels: Any) -> list[str]:
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise ValueError("labels must be a list of texts")
    if len(set(labels)) < len(labels):
        raise ValueError("labels: a label is given twice")
    return labels


def _check_shaping(shaping: Any) -> float:
    is_number = isinstance(shaping, int | float) and not isinstance(shaping, bool)
    if not is_number or not np.isfinite(float(shaping)):
        raise ValueError(f"shaping={shaping!r}: must be a finite number")
    return shaping
