"""The vectorised environment: many games in one array."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import numpy as np
from typing_extensions import TypedDict

from gubs_env.agents.asking import Decisions, ask
from gubs_env.agents.memory import Memories
from gubs_env.agents.registry import AnyAgent, has_memory
from gubs_env.engine.border import blank_states, check_states, check_views, leaves_out_cards
from gubs_env.engine.choosing import CHOOSE, LOOK, WAIT
from gubs_env.engine.game import Game
from gubs_env.engine.history import RecentEvents
from gubs_env.engine.kernel import Batch
from gubs_env.engine.moves import Move, move_named, picks_of
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.seats import ANY_PLAYER
from gubs_env.engine.table import Table
from gubs_env.engine.view import View
from gubs_env.support.checks import (
    check_indices,
    check_memory,
    check_number,
    check_seed,
    check_seeds,
    check_switch,
    whole_number,
)
from gubs_env.support.exclusive import Exclusive, exclusive

ROUNDS_AT_ONCE = 64
"""Number of decisions that `play_out` plays in every game between two checks for the end."""


class Step(NamedTuple):
    """The arrays that a step writes, one row for each game."""

    observations: np.ndarray
    """int8[num_envs, observation_size]: the observation of the acting player."""
    masks: np.ndarray
    """int8[num_envs, num_actions]: the legal actions; all zeros for a game that is over."""
    rewards: np.ndarray
    """float32[num_envs, num_players]: the payoffs of games that ended in this step, else zeros."""
    dones: np.ndarray
    """bool[num_envs]: whether the game ended in this step, for either reason."""
    truncations: np.ndarray
    """bool[num_envs]: whether the game was cut off in this step, at `max_cycles`."""
    actors: np.ndarray
    """int64[num_envs]: the acting player; −1 for a game that is over."""


def tables_of(game: Game, num_players: int | None, rules: Any, count: int) -> tuple[Table, ...]:
    """Return the table of all games, or, for a list of rules, the table of each.

    Raises:
        TypeError, ValueError: as for `Table`; for a list of another length than `count`.
    """
    if isinstance(rules, list | tuple) and len(rules) != count:
        raise ValueError(f"rules for {len(rules)} games: give one for all, or {count} in a list")
    each = rules if isinstance(rules, list | tuple) else [rules]
    return tuple(Table(game, num_players, one) for one in each)


class VectorOptions(TypedDict, total=False):
    """The options of `VectorEnv` beside the tables and the number of games."""

    seed: int | Sequence[int] | None
    """The seed of the first game, game k being dealt with `seed + k`; or a list, one for each."""
    autoreset: bool
    """Whether a finished game is dealt anew in the same step."""
    threads: int
    """Number of threads."""
    skip_forced: bool
    """Whether decisions with a single legal action are played at once."""
    copy: bool
    """Whether returned arrays are copies."""
    history: int
    """Number of events of every player to keep; 0 keeps none."""


class VectorEnv(Exclusive):
    """`num_envs` games of one kind, each at a decision of its own.

    >>> from gubs_env import gubs_v0
    >>> games = gubs_v0.vector_env(1000, num_players=4, seed=0)
    >>> step = games.step(games.masks.argmax(1))
    >>> step.rewards.shape
    (1000, 4)

    The arrays of the last `Step` are attributes too: `observations`, `masks`, `rewards`, `dones`,
    `truncations` and `actors`. The next step overwrites them; with `copy=True` the returned arrays
    are copies. The games do not read these arrays: writing into them changes no game.

    One thread at a time may use an environment; in another one, its methods raise RuntimeError.
    Copies and pickles share nothing with it.

    Attributes:
        num_players: number of players in each game.
        states: STATE[num_envs], the states of the games, private information included: for tests,
            puzzles and search, not for agents. The array is read-only; `set_states` writes states,
            after checking them.
        recent: the last events of every player, if `history` is not 0: `recent.events`,
            int8[num_envs, num_players, history, event_size], the newest last, with −1 in the rows
            before the first; and `recent.counts`, int64[num_envs, num_players], the number of
            events since the start of each game. Else None.

    Args:
        tables: the table of all games; or a list with the table of each, which differ in rules
            only, and which game k keeps when it is dealt anew.
        num_envs: number of games.
        seed: game k plays like the AEC environment after `reset(seed=seed + k)`, and its next game
            like that environment after `reset()`. A list gives the seed of each game. None takes
            fresh entropy.
        autoreset: deal a finished game anew in the same step, so that its observation and mask are
            those of the new game. Without it the game stays over until `deal`.
        threads: number of threads; the results do not depend on it.
        skip_forced: play decisions with a single legal action at once. Whoever runs the loop can
            then infer from the order of decisions that a player had no choice, for example that
            they held nothing to play. No observation shows it. The first decision of a game that
            autoreset dealt is always asked, so that no game begins and ends unseen.
        copy: return copies of the arrays.
        history: number of events of every player to keep in `recent`; 0 keeps none and costs
            nothing. A game that autoreset deals begins with none.

    Raises:
        TypeError, ValueError: for numbers, seeds or switches that are not allowed.
    """

    tables: tuple[Table, ...]
    """The table of all games, in a tuple of one; or the table of each game."""
    _undealt: np.ndarray
    _views = ("states", "_batches", "_chosen_parts", "_history_parts", "_pool", "_pool_process")

    def __init__(
        self,
        tables: Table | Sequence[Table],
        num_envs: int,
        seed: int | Sequence[int] | None = None,
        autoreset: bool = True,
        threads: int = 1,
        skip_forced: bool = False,
        copy: bool = False,
        history: int = 0,
    ) -> None:
        self.num_envs = check_number("num_envs", num_envs, 1)
        self._sit_at(tables)
        self.game, self.num_players = self.table.game, self.table.num_players
        self._num_threads = check_number("threads", threads, 1)
        self.autoreset = check_switch("autoreset", autoreset)
        self.skip_forced = check_switch("skip_forced", skip_forced)
        self.copy = check_switch("copy", copy)
        seeds = check_seeds(seed, self.num_envs)
        self._check_memory(history)
        size = self.num_envs, self.num_players, history
        self.recent = RecentEvents.of(self.game.history, *size) if history else None
        states = np.resize(self._undealt, self.num_envs)
        self._batch = batch = self.game.new_batch(states)
        self._states, self._masks, self._rngs = states, batch.masks, batch.rngs
        self._chosen = np.zeros(self.num_envs, np.int64)
        self._show()
        self._make_views()
        self._closed, self._is_stale = False, np.zeros(self.num_envs, bool)
        self._rngs[:] = [seed_rng(index) for index in range(self.num_envs)]
        self.reset(int(np.random.default_rng().integers(2**62)) if seeds is None else seeds)

    def _sit_at(self, tables: Table | Sequence[Table]) -> None:
        """Take the table of all games, or that of each."""
        given = [tables] if isinstance(tables, Table) else tables
        if not isinstance(given, list | tuple) or not all(isinstance(t, Table) for t in given):
            raise TypeError(
                f"tables={tables!r}: give one Table, as find_table(…) or env.table, or a list with "
                "the table of each game"
            )
        if len(given) not in (1, self.num_envs):
            raise ValueError(f"{len(given)} tables: give one for all, or {self.num_envs} in a list")
        tables = tuple(given)
        if len({(table.game.name, table.num_players) for table in tables}) > 1:
            raise ValueError("the tables of one environment differ in rules only")
        undealt = blank_states(tables)
        for option in tables[0].game.size_options:
            before = self._undealt[option] if hasattr(self, "_undealt") else undealt[option]
            if len(values := np.unique([*undealt[option], *before])) > 1:
                raise ValueError(
                    f"rules options {option} of {', '.join(map(str, values))} in one environment: "
                    "its actions or observations depend on it, so make an environment for each"
                )
        self.tables, self._undealt = tables, undealt

    @property
    def table(self) -> Table:
        """The table of the first game; those of others may differ in rules."""
        return self.tables[0]

    def table_of(self, index: int) -> Table:
        """Return the table of one game."""
        return self.tables[index % len(self.tables)]

    def _check_memory(self, history: int) -> None:
        per_game = sum(array.nbytes for array in self.game.new_batch(self._undealt[:1]))
        if check_number("history", history, 0):
            events = self.num_players * history * self.game.history.event_size
            per_game += events + self._undealt.itemsize  # and the state before a decision
        check_memory(f"num_envs={self.num_envs}", self.num_envs * per_game)

    def _show(self) -> None:
        """Make the public arrays. Those that the games read back are apart from the games' own."""
        shown = self._batch._replace(masks=self._masks.copy())
        self._written = Step(*shown[1:-1])
        self.observations, self.masks, self.rewards = self._written[:3]
        self.dones, self.truncations, self.actors = self._written[3:]

    def _make_views(self) -> None:
        """Make the public view of the states, and divide the games among the threads."""
        self.states = self._states.view()
        self.states.flags.writeable = False
        num_parts = min(self._num_threads, self.num_envs)
        bounds = np.linspace(0, self.num_envs, num_parts + 1).astype(int)
        parts = [slice(a, b) for a, b in pairwise(bounds)]
        self._batches = [Batch(*(array[part] for array in self._batch)) for part in parts]
        self._chosen_parts = [self._chosen[part] for part in parts]
        recent, states = self.recent, self._states
        self._history_parts = [  # the last arguments of `tell`
            recent and (states[part].copy(), *(array[part] for array in recent)) for part in parts
        ]
        self._pool: ThreadPoolExecutor | None = None
        self._pool_process = 0

    @exclusive
    def reset(self, seed: int | Sequence[int] | None = None) -> Step:
        """Deal every game anew.

        Args:
            seed: game k is dealt with seed + k, or with seed[k] of a list; with None, from the
                present state of its own RNG.

        Raises:
            TypeError, ValueError: for a seed that is not allowed.
        """
        self._deal(np.arange(self.num_envs), check_seeds(seed, self.num_envs))
        return self.look()

    @exclusive
    def deal(self, index: int | np.ndarray, seed: int | Sequence[int] | None = None) -> None:
        """Deal a game anew, or several; the next `look` or `step` writes observations and masks.

        Args:
            index: index of the game; or int64[…], the games, each once.
            seed: as for `reset` of the AEC environment, or a list with that of each game; None goes
                on with the RNGs of the games.

        Raises:
            TypeError, ValueError: for an index or a seed that is not allowed.
        """
        indices = check_indices("index", index, self.num_envs)
        self._deal(indices, check_seeds(seed, len(indices)))

    def _deal(self, indices: np.ndarray, seeds: Sequence[int] | None) -> None:
        rngs = self._states["rng"][indices]
        if seeds:
            rngs[:] = [seed_rng(seed) for seed in seeds]
        self._states[indices] = self._undealt[indices % len(self._undealt)]  # with all cards again
        self._states["rng"][indices] = rngs
        deal, states = self.game.kernel.deal, self._states
        for index in indices.tolist():
            deal(states, index, ANY_PLAYER)
        self._is_stale[indices] = True
        self._forget(indices)

    @exclusive
    def set_rules(self, rules: Any) -> np.ndarray:
        """Change the rules of the games, and deal those anew whose rules were others.

        Args:
            rules: the options of the rules: one for all games, or a list with those of each.

        Returns:
            bool[num_envs]: which games were dealt anew, each from the present state of its own RNG.
            The next `look` or `step` writes their observations and masks.

        Raises:
            TypeError, ValueError: for rules that are not allowed. No game has then changed.
        """
        before = list(map(self.table_of, range(self.num_envs)))
        self._sit_at(tables_of(self.game, self.num_players, rules, self.num_envs))
        changed = np.array([self.table_of(k) != table for k, table in enumerate(before)])
        self._deal(np.flatnonzero(changed), None)
        return changed

    def _index(self, index: Any) -> int:
        return check_number("index", index, 0, self.num_envs - 1)

    @exclusive
    def set_states(self, states: Any, seed: int | None = None) -> Step:
        """Start every game from a state, in place of `reset`.

        Args:
            states: one state for all games, or STATE[num_envs], as `position` of the public module
                or `env.state()` returns them.
            seed: game k goes on with the RNG of seed + k; None keeps the RNG of each state, so that
                copies of one state get the same random numbers.

        Raises:
            ValueError: for a state of another game, number of players or rules; for a view or a
                game that is over; for another number of states; with autoreset, for a state that
                leaves out cards of the deck (`rest=False`), since the next game would miss them.
                The environment is then unchanged.
        """
        rows, seed = check_states(self.tables, states), check_seed(seed)
        if len(rows) not in (1, self.num_envs):
            raise ValueError(f"{len(rows)} states: give one, or {self.num_envs} for the games here")
        if self.autoreset and leaves_out_cards(self.game, rows, self._undealt):
            raise ValueError(
                "a state leaves out cards of the deck (rest=False), which the game dealt after it "
                "would miss: make the environment with autoreset=False"
            )
        self._states[:] = rows
        self._forget()
        if seed is not None:
            self._states["rng"] = [seed_rng(seed + index) for index in range(self.num_envs)]
        return self.look()

    @exclusive
    def look(self, indices: Any = None) -> Step:
        """Write observations and masks anew without playing.

        Args:
            indices: int[…], the games, besides those that were dealt since the last step; None:
                all of them.

        Raises:
            TypeError, ValueError: for indices that are not allowed.
        """
        self._chosen[:] = LOOK if indices is None else WAIT
        if indices is not None:
            self._chosen[check_indices("indices", indices, self.num_envs)] = LOOK
            self._chosen[self._is_stale] = LOOK
        return self._advance(1)

    @exclusive
    def step(self, actions: np.ndarray) -> Step:
        """Play one action in every game.

        Args:
            actions: int[num_envs], each legal; or LOOK (−1) to leave a game as it is; or WAIT (−3)
                to leave its observation and mask too, whatever was written into them.

        Raises:
            ValueError: for another shape or dtype, or for an action that is not legal; the message
                names the game and its legal actions. No game has then changed.
            RuntimeError: after `close`.
        """
        self._choose(actions)
        return self._advance(1)

    @exclusive
    def keep_history(self, length: int) -> None:
        """Keep at least this many events of every player from now on.

        Of a game under way, events that had been dropped do not come back.

        Args:
            length: number of events, as `history`.

        Raises:
            TypeError, ValueError: for a number that is not allowed, or too much memory.
        """
        self._check_memory(length)
        before, kept = self.recent, 0 if self.recent is None else self.recent.events.shape[2]
        if length <= kept:
            return
        size = self.num_envs, self.num_players, length
        self.recent = RecentEvents.of(self.game.history, *size)
        if before is not None:
            self.recent.events[:, :, -kept:] = before.events
            self.recent.counts[:] = before.counts
        self._make_views()

    def _forget(self, indices: np.ndarray | None = None) -> None:
        """Forget how some games, or all of them, came to where they are now."""
        if self.recent is not None:
            self.recent.clear(slice(None) if indices is None else indices)

    def _choose(self, actions: Any) -> None:
        """Copy the actions, once all of them are found legal, to where the games read them."""
        self._refresh()
        actions = np.array(actions)  # a copy, which no other thread changes after the check
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be whole numbers of shape ({self.num_envs},), not {actions.dtype} "
                f"of shape {actions.shape}"
            )
        inside = (actions >= 0) & (actions < self._masks.shape[1])
        self._chosen[:] = LOOK
        np.copyto(self._chosen, actions, casting="unsafe", where=inside)
        legal = inside & (self._masks[np.arange(self.num_envs), self._chosen] != 0)
        self._chosen[actions == WAIT] = WAIT
        fine = legal | (actions == LOOK) | (actions == WAIT)
        if not fine.all():
            self._refuse(actions, fine)

    def _refresh(self) -> None:
        """Write the masks anew, if a game was dealt since: they decide what is legal."""
        if self._is_stale.any():
            self.look()

    def _refuse(self, actions: np.ndarray, fine: np.ndarray) -> None:
        index, *others = np.flatnonzero(~fine).tolist()
        allowed = self._masks[index].nonzero()[0]
        legal = [self.table.action_name(action) for action in allowed]
        raise ValueError(
            f"game {index}: action {actions[index]} is not legal; legal are "
            f"{', '.join(legal) or 'none, the game is over'}"
            + (f"; so it is in {len(others)} more" if others else "")
        )

    def _advance(self, rounds: int) -> Step:
        if self._closed:
            raise RuntimeError("the environment is closed: make a new one")
        for ends in self._written[2:5]:  # rewards, dones and truncations of games that wait
            ends[:] = 0
        parts = self._batches, self._chosen_parts, self._history_parts, repeat(rounds)
        if len(self._batches) == 1:
            self._advance_part(self._batch, self._chosen, self._history_parts[0], rounds)
        else:
            list(self._threads().map(self._advance_part, *parts))
        self.masks[:] = self._masks
        self._is_stale[:] = False
        return Step(*(array.copy() for array in self._written)) if self.copy else self._written

    def _threads(self) -> ThreadPoolExecutor:
        """Return the threads of this process: a forked one does not inherit them."""
        if self._pool is None or self._pool_process != os.getpid():
            self._pool = ThreadPoolExecutor(len(self._batches))
            self._pool_process = os.getpid()
        return self._pool

    def _advance_part(
        self, batch: Batch, actions: np.ndarray, history: tuple[np.ndarray, ...] | None, rounds: int
    ) -> None:
        advance = self.game.kernel.advance
        if history is None:
            advance(*batch, actions, rounds, self.autoreset, self.skip_forced)
            return
        states, masks, dones, actions = batch.states, batch.masks, batch.dones, actions.copy()
        goes_on = True
        while goes_on:
            advance(*batch, actions, 1, self.autoreset, False)
            goes_on = self.game.teller(states, actions, masks, dones, self.skip_forced, *history)

    @exclusive
    def play_randomly(self, rounds: int, seed: int | None = None) -> Step:
        """Play `rounds` decisions in every game, each uniformly at random over the legal actions.

        If several games end in one row, the rewards are those of the last one.

        Args:
            rounds: number of decisions, at least 1.
            seed: seed of the choices, which do not use the RNGs of the games; None goes on from
                the last call.

        Raises:
            TypeError, ValueError: for a number or a seed that is not allowed.
            RuntimeError: for an environment with `history`.
        """
        rounds = check_number("rounds", rounds, 1)
        if self.recent is not None:
            raise RuntimeError(
                "an environment with history needs to be told the actions: choose them and call "
                "step, or make it with history=0"
            )
        self._seed_choices(seed)
        self._refresh()
        self._forget()
        self._chosen[:] = CHOOSE
        return self._advance(rounds)

    def _seed_choices(self, seed: int | None) -> None:
        if (seed := check_seed(seed)) is not None:
            self._rngs[:] = [seed_rng(seed + index) for index in range(self.num_envs)]

    @exclusive
    def observe(self, index: int | np.ndarray, seat: int | np.ndarray) -> np.ndarray:
        """Return the observation of any player of a game, or of one player of each of several.

        Args:
            index: index of the game; or int64[count], the games.
            seat: the player; or int64[count], the player of each.

        Returns:
            int8[observation_size]; or int8[count, observation_size].

        Raises:
            TypeError, ValueError: for an index or a seat that is not allowed.
        """
        indices = check_indices("index", index, self.num_envs)
        seats = check_indices("seat", seat, self.num_players)
        observations = np.zeros((len(indices), self.observations.shape[1]), np.int8)
        observe, states = self.game.kernel.observe, self._states
        for row, player, written in zip(
            indices.tolist(), seats.tolist(), observations, strict=True
        ):
            observe(states, row, player, written)
        return observations if np.ndim(index) else observations[0]

    @exclusive
    def views(self, indices: np.ndarray) -> np.ndarray:
        """Return the views of the acting players, STATE[len(indices)]: states without secrets.

        Search agents take views.

        Args:
            indices: int[…], indices of games that are not over.

        Raises:
            TypeError, ValueError: for anything else.
        """
        views = self._states[check_indices("indices", indices, self.num_envs)]
        if (over := views["phase"] == self.game.mechanics.Phase.OVER).any():
            index = np.asarray(indices)[over][0]
            raise ValueError(f"game {index} is over: it has no acting player, and no view")
        for index, seat in enumerate(views["actor"]):
            self.game.kernel.hide(views, index, seat)
        return views

    @exclusive
    def ask(
        self,
        agent: AnyAgent,
        indices: np.ndarray,
        rngs: np.ndarray,
        memories: Memories | None = None,
    ) -> np.ndarray:
        """Return the actions, unchecked, that an agent chooses in some games, int64[len(indices)].

        Args:
            agent: the agent; if it searches, it receives views.
            indices: int64[…], indices of games that are not over, each once.
            rngs: int64[len(indices), 4], an RNG for each decision, advanced by the agent.
            memories: what the agents of these games remember, written anew for an agent with a
                memory. Whoever deals a game anew clears them.

        Raises:
            TypeError: for an agent that answers in text, which a `TextVectorEnv` can ask; for an
                agent with a memory, without `memories`.
            ValueError: for an agent that is shown more events than `history` keeps.
        """
        indices = check_indices("indices", indices, self.num_envs)
        shown = self.observations[indices], self._masks[indices]
        remembered = self._remembered(agent, indices, memories)
        views, games = lambda: self.views(indices), lambda: self._as_text(indices)
        answer = ask(agent, Decisions(*shown, rngs, views, games, lambda: remembered))
        if remembered and memories:
            memories.keep(indices, self.actors[indices], remembered[0], self.recent)
        return answer

    def _remembered(self, agent: AnyAgent, indices: np.ndarray, memories: Memories | None) -> Any:
        if not has_memory(agent):
            return None
        if memories is None:
            raise TypeError(
                "an agent with a memory is asked with the memories of these games: give "
                "Memories(num_envs, num_players, agents)"
            )
        return memories.recall(agent, indices, self.actors[indices], self.recent)

    def _as_text(self, indices: np.ndarray) -> Sequence[Any]:
        raise TypeError(
            "an agent that answers in text is asked in a gubs_env.api.texts.TextVectorEnv, which "
            "follows the games in words"
        )

    @exclusive
    def outcome(self, index: int) -> Outcome:
        """Return the outcome of one game: as it ended, or as if it ended now.

        Raises:
            TypeError, ValueError: for an index that is not allowed.
        """
        return self.game.outcome(self._states[self._index(index)])

    # ------------------------------------------------------------------------------ whole moves

    @exclusive
    def legal_moves(self, index: int) -> list[Move]:
        """Return the whole moves of the acting player of one game, as `legal_moves` of the AEC
        environment does; none for a game that is over.

        Raises:
            TypeError, ValueError: for an index that is not allowed.
        """
        return self.game.legal_moves(self._acting_view(index))

    @exclusive
    def parse_move(self, index: int, text: str) -> Move:
        """Return the legal move with a text in one game; case and spaces do not matter.

        Raises:
            TypeError, ValueError: for an index that is not allowed, or if there is no such move.
        """
        return move_named(text, self.legal_moves(index))

    @exclusive
    def play(self, index: int, move: str | Move | Sequence[int]) -> Step:
        """Play a whole move in one game and leave the others as they are.

        Args:
            index: index of the game.
            move: one of `legal_moves(index)`, its text, or its picks.

        Returns:
            The step of the last pick.

        Raises:
            TypeError, ValueError: for an index that is not allowed, or if there is no such move. No
                game has then changed.
        """
        actions = np.full(self.num_envs, LOOK)
        for pick in picks_of(move, self.legal_moves(index)):
            actions[index] = pick
            step = self.step(actions)
        return step

    @exclusive
    def action_text(self, index: int, action: int) -> str:
        """Return a legal action of one game in words; seats go by their absolute names.

        Raises:
            TypeError, ValueError: for an index or an action that is not allowed.
        """
        view = self._acting_view(index)
        legal = self.game.legal_actions(view).tolist()
        if whole_number(action, self._masks.shape[1]) not in legal:
            names = ", ".join(self.table.action_name(a) for a in legal)
            raise ValueError(f"game {index}: action {action} is not legal; legal are {names}")
        return self.game.pick_text(view, int(action))

    def _acting_view(self, index: int) -> View:
        index = self._index(index)
        return self.game.view(self._states, index, int(self._states["actor"][index]))

    # ------------------------------------------------------------------------------- for search

    @exclusive
    def determinize(self, views: np.ndarray, seed: int | None = None) -> Step:
        """Replace every game by a complete one, drawn at random, that is consistent with a view.

        Args:
            views: STATE[1] for all games, or STATE[num_envs]: views of acting players, as `views`
                returns them.
            seed: seed of the draws; None goes on from the last call. The same views and seed give
                the same games.

        Raises:
            TypeError, ValueError: for views that nobody can have, for another number of views, or
                for a seed that is not allowed. The environment is then unchanged.
        """
        rows = check_views(self.table, views)
        if len(rows) not in (1, self.num_envs):
            raise ValueError(f"{len(rows)} views: give one, or {self.num_envs} for the games here")
        self._seed_choices(seed)
        self._states[:] = rows
        self._forget()
        for index in range(self.num_envs):
            self.game.kernel.determinize(self._states, index, self._rngs[index])
        return self.look()

    @exclusive
    def play_out(self, seed: int | None = None) -> np.ndarray:
        """Play every game to its end, uniformly at random over the legal actions.

        Args:
            seed: seed of the choices; None goes on from the last call.

        Returns:
            float32[num_envs, num_players]: the payoffs of the games that ended in this call.

        Raises:
            RuntimeError: for an environment with autoreset, where games never come to an end.
        """
        if self.autoreset:
            raise RuntimeError("play_out needs an environment made with autoreset=False")
        payoffs = np.zeros_like(self.rewards)
        self._seed_choices(seed)
        over = self.game.mechanics.Phase.OVER
        while (self._states["phase"] != over).any():
            self.play_randomly(ROUNDS_AT_ONCE)
            payoffs += self.rewards
        return payoffs

    @exclusive
    def close(self) -> None:
        """Stop the threads; stepping afterwards raises RuntimeError."""
        self._closed = True
        if self._pool is not None and self._pool_process == os.getpid():
            self._pool.shutdown()
