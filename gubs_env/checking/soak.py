"""The soak test: random games at random tables, with the invariants of all games checked.

Every decision is followed by the compiled checks: each field in its range and all rules across
fields (`faults`), the mask, the range of the observation, the payoffs, the bound on the length.
The rules are compiled first. A thorough soak adds, in Python, for some decisions of each game: what
a view hides, determinization, that what a player is asked or told is no secret, what is public
shows, copies as JSON, and the same game played alone. A few games are also played interpreted:
where that makes another number, or reads or writes outside an array, compiled code goes on in
silence.

An exception of the rules is a violation too. Each violation names the seed, which is the number of
the chunk, the game, the players and the rules, and the decision and the game where it first was.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from gubs_env.api.aec import environment_of
from gubs_env.engine.border import check_views, fault_text, faults_of
from gubs_env.engine.choosing import CHOOSE, LOOK, WAIT
from gubs_env.engine.defaults import OPEN_ACTIONS
from gubs_env.engine.faults import SOUND
from gubs_env.engine.fields import COMMON_FIELDS, Seen
from gubs_env.engine.game import Game
from gubs_env.engine.kernel import Batch
from gubs_env.engine.rng import spawn_rngs
from gubs_env.engine.seats import ANY_PLAYER, NOBODY
from gubs_env.engine.table import Table, sample_table
from gubs_env.engine.text import printable
from gubs_env.exact.tree import Decision, Draw, Tree
from gubs_env.support.errors import blamed, described

GAMES_AT_ONCE, THOROUGH_GAMES_AT_ONCE = 4096, 64
STILL_GOING = 0.7
"""The share of games still going below which those that are over are dropped."""
MOST_STATES = 20_000
"""The most states of a game that are listed, to hold draws against them."""
MOST_LINES = 2_000_000
"""The most lines of rules that a decision takes, interpreted; one that takes more has no end."""
INTERPRETED_GAMES = 3
"""The number of games of a chunk that a thorough soak also plays interpreted."""
LOOKS = 4
"""The number of decisions of a game, in the mean, that a thorough soak looks at."""
TOLD = "a player is told what no observation shows"


class Chunk(NamedTuple):
    """The games of one random table, played side by side."""

    number: int
    table: Table
    games: int
    cut_off: int
    """The number of games that were cut off."""
    decisions: int
    seconds: float
    violations: list[str]


def soak(games: list[Game], count: int, first: int = 0, thorough: bool = False) -> Iterator[Chunk]:
    """Play chunk after chunk until `count` games are over.

    Args:
        games: the games, which take turns.
        count: number of games to play.
        first: number of the first chunk, which determines its table and its deals; a soak that was
            interrupted goes on from the chunk after the last.
        thorough: check all invariants, in Python too.
    """
    number = first
    while count > 0:
        chunk = play_chunk(games[number % len(games)], number, thorough, count)
        yield chunk
        count -= chunk.games
        number += 1


def play_chunk(game: Game, number: int, thorough: bool, most_games: int) -> Chunk:
    """Play the games of one chunk to their ends."""
    started = time.perf_counter()
    games = Inspection(game, number, thorough, most_games)
    try:
        games.play()
    except Exception as error:  # whatever the rules of a game raise
        games.report(f"it cannot be played: {described(error)}", True)
    seconds = time.perf_counter() - started
    cut_off, decisions = games.cut_off, games.decisions
    return Chunk(number, games.table, games.count, cut_off, decisions, seconds, games.violations)


class Inspection:
    """The games of a chunk that are not over, and the violations so far."""

    def __init__(self, game: Game, number: int, thorough: bool, most_games: int) -> None:
        self.number, self.thorough = number, thorough
        self.rng = np.random.default_rng(number)
        with blamed(f"seed {number}: {game.name} draws no table"):
            self.table = sample_table(game, self.rng)
        self.table.game.kernel.wait()
        self.count = min(THOROUGH_GAMES_AT_ONCE if thorough else GAMES_AT_ONCE, most_games)
        self.numbers = np.arange(self.count)
        self.rounds = self.decisions = self.cut_off = 0
        self.first: dict[str, str] = {}
        """The decision and the game in which each kind of violation was first."""
        self.times = Counter[str]()
        self.followed: dict[tuple[Any, ...], np.ndarray] = {}
        """A state for each thing that a player knew (`follows`)."""
        self.used: dict[str, np.ndarray] = {}
        """Which entries of each field some game has used: they were not all their least value."""
        self.known: dict[tuple[int, int], bytes] = {}
        """A digest of what each player of each game has seen, by (number of the game, player)."""
        self.decided: dict[tuple[int, bytes], tuple[Any, int, Any, int]] = {}
        """The last decision for each thing that a player has seen (`tells`)."""

    def play(self) -> None:
        """Deal, and play all games to their ends."""
        if self.thorough:
            self.rehearse()
        self.deal()
        while (self.batch.actors != NOBODY).any() and self.rounds <= self.bound:
            self.play_decision()
        if self.cut_off == self.count and not hasattr(self.table.rules, "max_cycles"):
            self.report(f"no game ends before its bound of {self.bound} decisions", True)

    def rehearse(self) -> None:
        """Play a few games interpreted: compiled code writes beyond arrays, and hears no Ctrl-C."""
        kernel, batch = self.table.game.kernel.interpreted, self.table.new_batch(INTERPRETED_GAMES)
        batch.states["rng"] = spawn_rngs(self.rng, INTERPRETED_GAMES)
        batch.rngs[:] = spawn_rngs(self.rng, INTERPRETED_GAMES)
        for index in range(INTERPRETED_GAMES):
            with ending(MOST_LINES):
                kernel.deal(batch.states, index, ANY_PLAYER)
        kernel.advance(*batch, np.full(INTERPRETED_GAMES, LOOK), 1, False, False)
        while (batch.actors != NOBODY).any():
            actions = np.where(batch.actors == NOBODY, WAIT, CHOOSE)
            with ending(MOST_LINES):
                kernel.advance(*batch, actions, 1, False, False)

    def deal(self) -> None:
        table, kernel = self.table, self.table.game.kernel
        self.highs, self.bound = table.observation_highs, table.max_decisions
        self.batch = batch = table.new_batch(self.count)
        batch.states["rng"] = spawn_rngs(self.rng, self.count)
        first = batch.states[:1].copy()
        for index in range(self.count):
            kernel.deal(batch.states, index, ANY_PLAYER)
        if self.thorough:
            kernel.interpreted.deal(first, 0, ANY_PLAYER)
            differs = differing(self, first, batch.states[:1])
            self.report(f"interpreted it deals another {differs}", bool(differs))
        batch.rngs[:] = spawn_rngs(self.rng, self.count)
        self.history = History(table, batch.states) if self.thorough else None
        kernel.advance(*batch, np.full(self.count, LOOK), 1, False, False)
        self.check()

    def play_decision(self) -> None:
        """Play a random decision in every game that is not over, and check."""
        batch, going = self.batch, self.batch.actors != NOBODY
        self.decisions += int(going.sum())
        self.rounds += 1
        counted = batch.states["decisions"] + going
        before = batch.states.copy() if self.thorough else batch.states
        if self.history is None:
            actions, alone = np.where(going, CHOOSE, LOOK), {}
        else:
            actions = np.where(going, random_actions(self.rng, batch.masks), LOOK)
            self.history.add(self.numbers[going], actions[going])
            alone = self.interpret(going, actions)
        self.table.game.kernel.advance(*batch, actions, 1, False, False)
        self.report("decisions does not count", batch.states["decisions"] != counted)
        self.cut_off += int(batch.truncations.sum())
        self.report("a game is too long", self.rounds > self.bound and ~batch.dones)
        self.check()
        self.check_ends()
        if self.history is not None:
            over = np.flatnonzero(batch.dones)
            self.report("played alone", self.history.replay(self.numbers[over], batch, over))
            self.compare(alone)
            for row in np.flatnonzero(batch.actors != NOBODY).tolist():
                told = self.tells(row, before[row : row + 1].copy(), int(actions[row]))
                self.report(f"{TOLD}: {told}", bool(told), row)
            self.look_closely()
        self.drop_finished()

    def interpret(self, going: np.ndarray, actions: np.ndarray) -> dict[int, Batch]:
        """Play the next decision of a few games interpreted; return each by its row."""
        game, played = self.table.game, dict[int, Batch]()
        for row in np.flatnonzero(going & (self.numbers < INTERPRETED_GAMES)).tolist():
            played[row] = alone = game.new_batch(self.batch.states[row : row + 1].copy())
            game.kernel.interpreted.advance(*alone, actions[row : row + 1], 1, False, False)
        return played

    def compare(self, alone: dict[int, Batch]) -> None:
        """Check that games are the same interpreted, given by their rows, and compiled."""
        for row, one in alone.items():
            for name, array in one._asdict().items():
                compiled = getattr(self.batch, name)[row : row + 1]
                if name != "rngs" and array.tobytes() != compiled.tobytes():
                    which = differing(self, array, compiled) if name == "states" else name
                    self.report(f"interpreted it is another game: {which} differs", True, row)

    def drop_finished(self) -> None:
        """Drop the games that are over, once they are many: copying the others takes time."""
        going = self.batch.actors != NOBODY
        if going.any() and going.mean() < STILL_GOING:
            self.batch = Batch(*(array[going] for array in self.batch))
            self.numbers = self.numbers[going]

    # ------------------------------------------------------------------------------- invariants

    def report(self, what: str, wrong: Any, row: int | None = None) -> None:
        """Record a violation, if anything is wrong.

        Args:
            what: what is violated.
            wrong: whether it is: an array with a row for each game, or one value.
            row: the row of the game if it is one value; None for all games.
        """
        if not np.any(wrong):
            return
        if np.ndim(wrong):
            row = np.argwhere(wrong)[0][0]
        game = "" if row is None else f" of game {self.numbers[row] + 1} of {self.count}"
        self.first.setdefault(what, f"decision {self.rounds}{game}")
        self.times[what] += 1

    @property
    def violations(self) -> list[str]:
        """All violations, each kind in a line."""
        game, num_players, rules = self.table.game, self.table.num_players, self.table.rules
        place = f"seed {self.number}: {game.name}, {num_players} players, {rules.as_dict()}"
        often = {what: f", ×{times}" for what, times in self.times.items() if times > 1}
        return [
            printable(f"{place}: {what} ({where}{often.get(what, '')})")
            for what, where in self.first.items()
        ]

    def check(self) -> None:
        """Check what compiled code and NumPy can check after every decision."""
        game, batch, over = self.table.game, self.batch, self.batch.actors == NOBODY
        for field in game.state_fields if self.thorough else ():
            used = (batch.states[field.name] != field.low).any(0)
            self.used[field.name] = used | self.used.get(field.name, False)
        faults = faults_of(game, batch.states, np.full(len(batch.states), NOBODY))
        for fault, where in np.unique(faults[faults[:, 0] != SOUND], axis=0).tolist():
            self.report(fault_text(game, fault, where), (faults == (fault, where)).all(1))
        is_legal = batch.masks.any(1)
        self.report("nothing is legal", ~(over | is_legal))
        self.report("something is legal after the end", over & is_legal)
        self.report("a mask is not 0 or 1", batch.masks & ~1)
        self.report("an observation is negative", batch.observations < 0)
        self.report("an observation leaves its range", batch.observations > self.highs)

    def check_ends(self) -> None:
        """Check the payoffs of the games that just ended, and that no other game pays."""
        rewards, pays = self.batch.rewards, self.batch.rewards.any(1)
        self.report("a game that goes on pays", pays & ~self.batch.dones)
        self.report("a game that was cut off pays", pays & self.batch.truncations)
        is_finite = np.isfinite(rewards).all(1)
        self.report("payoffs are not finite", ~is_finite)
        most = self.table.max_payoff
        self.report(f"a payoff exceeds max_payoff, {most}", np.abs(rewards) > most + 1e-4)
        if self.thorough and self.batch.dones.any():
            row = int(self.batch.dones.argmax())
            after = self.batch.states[row : row + 1].copy()
            self.table.game.payoffs(after[0])
            changed = differing(self, after, self.batch.states[row : row + 1])
            self.report(f"payoffs changes {changed}", bool(changed), row)
        partners = [rewards[:, self.table.sides == side] for side in range(self.table.num_sides)]
        differ = np.any([(paid != paid[:, :1]).any(1) for paid in partners], axis=0)
        self.report("partners are not paid the same", differ & is_finite)
        if self.table.is_zero_sum:
            sums = rewards.sum(1, where=is_finite[:, None])
            self.report("payoffs do not sum to zero", np.abs(sums) > 1e-4)

    def look_closely(self) -> None:
        """Check in Python, in a few of the games."""
        share = LOOKS / max(LOOKS, self.bound if self.bound < 200 else 100)
        chosen = self.rng.random(len(self.batch.states)) < share
        for row in np.flatnonzero(chosen & (self.batch.actors != NOBODY)).tolist():
            state = self.batch.states[row : row + 1]
            for what, check in CLOSE_CHECKS.items():
                try:
                    fault = check(self, state)
                except Exception as error:  # as for `play_chunk`; other checks may say more
                    self.report(f"looked at closely: {described(error)}", True, row)
                else:
                    self.report(f"{what}: {fault}", bool(fault), row)
            if self.table.game.history is OPEN_ACTIONS:
                fault = self.follows(row, state)
                self.report(f"{fault} is seen, and follows from nothing that is", bool(fault), row)

    def tells(self, row: int, before: np.ndarray, action: int) -> str:
        """Return what told two players different things who had seen the same; "" if nothing did.

        It is columns of the events, or narrate, which tell of a decision.
        """
        game, after = self.table.game, self.batch.states[row : row + 1].copy()
        is_open, wrong = game.history is OPEN_ACTIONS, set[str]()
        for player, observation in enumerate(observations_of(self, after)):
            place = int(self.numbers[row]), player
            if place not in self.known:
                self.known[place] = observations_of(self, before)[player].tobytes()
            own = action if is_open or player == before["actor"][0] else NOBODY
            seen = self.known[place] + observation.tobytes() + bytes([own + 1])
            self.known[place] = blake2b(seen).digest()
            decision = before[0], action, after[0], player
            first = self.decided.setdefault((player, self.known[place]), decision)
            if first is not decision:
                wrong |= telling_parts(game, first, decision)
        return ", ".join(sorted(wrong))

    def follows(self, row: int, state: np.ndarray) -> str:
        """Return the fields that follow from the others and differ where a player knows no more."""
        assert self.history is not None
        own = self.table.game.state_fields[len(COMMON_FIELDS) :]
        names = [field.name for field in own if field.seen is Seen.FOLLOWS]
        played = tuple(self.history.actions[self.numbers[row]])
        wrong = set[str]()
        for player, observation in enumerate(observations_of(self, state)):
            known = player, played, observation.tobytes()
            before = self.followed.setdefault(known, state.copy())
            wrong |= {name for name in names if (before[name] != state[name]).any()}
        return ", ".join(sorted(wrong))


@contextmanager
def ending(most_lines: int) -> Iterator[None]:
    """Raise RuntimeError in code that runs through more lines than that."""
    left, before = most_lines, sys.gettrace()

    def count(*_: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise RuntimeError(f"it does not come to an end in {most_lines:,} lines")
        return count

    sys.settrace(count)
    try:
        yield
    finally:
        sys.settrace(before)


def random_actions(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    """Return a legal action of every mask, uniformly at random, int64[count]."""
    return (masks * (1 - rng.random(masks.shape))).argmax(1)


class History:
    """The starts and the actions of all games of a chunk, to play each of them alone."""

    def __init__(self, table: Table, states: np.ndarray) -> None:
        self.env = environment_of(table)
        self.starts = states.copy()
        self.actions: list[list[int]] = [[] for _ in states]

    def add(self, numbers: np.ndarray, actions: np.ndarray) -> None:
        for number, action in zip(numbers.tolist(), actions.tolist(), strict=True):
            self.actions[number].append(action)

    def replay(self, numbers: np.ndarray, batch: Batch, rows: np.ndarray) -> np.ndarray:
        """Return which games, played alone, differ from those in the batch, bool[games]."""
        env, wrong = self.env, np.zeros(len(batch.states), bool)
        for number, row in zip(numbers.tolist(), rows.tolist(), strict=True):
            env.set_state(self.starts[number])
            for action in self.actions[number]:
                env.step(action)
            rewards = [env.rewards[agent] for agent in env.possible_agents]
            wrong[row] = env.state().tobytes() != batch.states[row].tobytes()
            wrong[row] |= not np.array_equal(
                np.array(rewards, np.float32), batch.rewards[row], equal_nan=True
            )
        return wrong


# ------------------------------------------------------------------------- checks of single states


def observations_of(games: Inspection, state: np.ndarray) -> np.ndarray:
    """Return what every player sees of one state, int8[num_players, observation_size]."""
    table = games.table
    observations = np.zeros((table.num_players, len(games.highs)), np.int8)
    for player in range(table.num_players):
        table.game.kernel.observe(state, 0, player, observations[player])
    return observations


def differing(games: Inspection, one: np.ndarray, other: np.ndarray) -> str:
    """Return the names of the fields in which two states differ; "" if there are none."""
    fields = [field.name for field in games.table.game.state_fields]
    return ", ".join(name for name in fields if (one[name] != other[name]).any())


def slices_differing(games: Inspection, one: np.ndarray, other: np.ndarray) -> str:
    """Return the names of the slices in which two observations differ; "" if there are none."""
    slices = games.table.observation_slices.items()
    return ", ".join(name for name, piece in slices if (piece.of(one) != piece.of(other)).any())


def views_hide(games: Inspection, state: np.ndarray) -> str:
    """Return what the view of a player shows or hides wrongly; "" if it hides what it must."""
    observations, kernel = observations_of(games, state), games.table.game.kernel
    again = np.zeros_like(observations[0])
    for player, observation in enumerate(observations):
        view = state.copy()
        kernel.hide(view, 0, player)
        once = view.copy()
        kernel.observe(view, 0, player, again)
        if fault := slices_differing(games, observation, again):
            return f"the observation of its viewer differs in {fault}"
        kernel.hide(view, 0, player)
        if fault := differing(games, once, view):
            return f"hiding twice changes {fault}"
        if view["rng"].any():
            return "it shows rng"
    return ""


def determinizes(games: Inspection, state: np.ndarray) -> str:
    """Return what is wrong with a state drawn for the player to decide; "" if nothing is."""
    table, game, actor = games.table, games.table.game, int(state["actor"][0])
    view = state.copy()
    game.kernel.hide(view, 0, actor)
    drawn = check_views(table, view)
    other, rng = drawn.copy(), spawn_rngs(games.rng, 1)
    other["rng"] = spawn_rngs(games.rng, 1)
    game.kernel.determinize(other, 0, rng[0].copy())
    game.kernel.determinize(drawn, 0, rng[0])
    if other.tobytes() != drawn.tobytes():
        return "it is drawn from state.rng: draw from rng"
    fault, where = faults_of(game, drawn, np.full(1, NOBODY))[0].tolist()
    if fault != SOUND:
        return fault_text(game, fault, where)
    reachable = reachable_states(table)
    if reachable is not None and _key(drawn) not in reachable:
        return "no game leads there"
    ours, theirs = observations_of(games, state)[actor], observations_of(games, drawn)[actor]
    if wrong := slices_differing(games, ours, theirs):
        return f"its observation differs in {wrong}"
    game.kernel.hide(drawn, 0, actor)
    wrong = differing(games, drawn, view)
    return f"{wrong} is drawn anew, and yet in the view" if wrong else ""


def asks_openly(games: Inspection, state: np.ndarray) -> str:
    """Return what tells the player to decide a secret by what it lets them do; "" if nothing does.

    What they may do is held against what they may in their view, and in a state drawn for it.
    """
    game, actor = games.table.game, int(state["actor"][0])
    view = state.copy()
    game.kernel.hide(view, 0, actor)
    drawn = view.copy()
    game.kernel.determinize(drawn, 0, spawn_rngs(games.rng, 1)[0])
    mask = mask_of(game, state)
    for other in (view, drawn):
        if (mask != mask_of(game, other)).any():
            return f"the mask tells {telling_field(game, state, other)}"
    return ""


def tells_openly(games: Inspection, state: np.ndarray) -> str:
    """Return what tells a player a secret of a decision, as `Inspection.tells`; "" if nothing does.

    The decision is played in a state drawn for the player to decide too. Whoever sees the same in
    both is told the same.
    """
    game, drawn = games.table.game, state.copy()
    game.kernel.hide(drawn, 0, int(state["actor"][0]))
    game.kernel.determinize(drawn, 0, spawn_rngs(games.rng, 1)[0])
    drawn["decisions"] = state["decisions"]  # a view may hide it: who decided can be a secret
    actions = random_actions(games.rng, mask_of(game, state)[None])
    decisions, seen, wrong = [], [], set[str]()
    for before in (state, drawn):
        batch = game.new_batch(before.copy())
        game.kernel.advance(*batch, actions, 1, False, False)
        if batch.actors[0] == NOBODY:  # an end shows what was hidden
            return ""
        decisions.append((before[0], int(actions[0]), batch.states[0]))
        seen.append(np.hstack([observations_of(games, each) for each in (before, batch.states)]))
    for player in np.flatnonzero((seen[0] == seen[1]).all(1)).tolist():
        one, other = ((*decision, player) for decision in decisions)
        wrong |= telling_parts(game, one, other)
    return ", ".join(sorted(wrong))


def telling_parts(game: Game, one: tuple[Any, ...], other: tuple[Any, ...]) -> set[str]:
    """Return what tells two decisions differently: columns of the events, and narrate."""
    history = game.history
    events, others = (history.gather(history.events(*decision)) for decision in (one, other))
    if len(events) != len(others):
        parts = {"the number of events"}
    else:
        columns = history.slices.items()
        parts = {name for name, at in columns if (at.of(events) != at.of(others)).any()}
    return parts | ({"narrate"} if game.narrate(*one) != game.narrate(*other) else set())


def mask_of(game: Game, state: np.ndarray) -> np.ndarray:
    """Return the legal actions in one state, int8[num_actions]."""
    batch = game.new_batch(state.copy())
    game.kernel.advance(*batch, np.full(1, LOOK), 1, False, False)
    return batch.masks[0]


def telling_field(game: Game, state: np.ndarray, other: np.ndarray) -> str:
    """Return the first field whose value in another state changes the mask of a state."""
    mask = mask_of(game, state)
    for field in game.state_fields:
        changed = state.copy()
        changed[field.name] = other[field.name]
        if (mask != mask_of(game, changed)).any():
            return field.name
    return "several fields together"


@lru_cache(maxsize=16)
def reachable_states(table: Table) -> set[bytes] | None:
    """Return all states of a small game in which somebody decides; None if they are too many."""
    try:
        tree = Tree(table, explicit=True)
    except ValueError:
        return None
    keys: set[bytes] = set()
    ahead: list[Decision | Draw] = [tree.root()]
    while ahead:
        node = ahead.pop()
        if isinstance(node, Draw):
            ahead += [node.after(number) for number in range(len(node.outcomes))]
        elif node.seat != NOBODY and (key := _key(node.states)) not in keys:
            keys.add(key)
            ahead += [node.after(action) for action in node.legal]
        if len(keys) > MOST_STATES:
            return None
    return keys


def _key(states: np.ndarray) -> bytes:
    states = states.copy()
    states["rng"] = 0
    return states.tobytes()


def public_facts_show(games: Inspection, state: np.ndarray) -> str:
    """Return a public field of which a change does not show in every observation; "" if none."""
    before, game = observations_of(games, state), games.table.game
    sizes = game.size_options  # these show by the length of an observation
    fields = [field for field in game.state_fields if field.name not in sizes]
    public = [field for field in fields if field.seen is Seen.BY_ALL]
    field = public[int(games.rng.integers(len(public)))]
    entry = tuple(int(games.rng.integers(size)) for size in field.shape)
    if game.means_nothing(state[0], field.name, entry) or not games.used[field.name][entry]:
        return ""
    place = (field.name, (0, *entry))
    now, altered = int(state[place[0]][place[1]]), state.copy()
    beside = -now if field.low == -field.high else now + (1 if now < field.high else -1)
    altered[place[0]][place[1]] = beside
    shows = (before != observations_of(games, altered)).any(1).all()
    low, high = sorted((now, beside))
    words = f"{field.name}{list(entry) or ''}, whose observation is the same for {low} and {high}"
    return "" if shows else words


def sound_states_play(games: Inspection, state: np.ndarray) -> str:
    """Return what goes wrong in a state in which a field is at an end of its range.

    Rules across fields that allow it must hold for whatever the others rely on: interpreted, an
    index out of range is an error, and compiled, it would be another memory's. "" if nothing does.
    """
    game, rng = games.table.game, games.rng
    own = game.state_fields[len(COMMON_FIELDS) :]
    fields = [field for field in own if field.name not in game.size_options]
    field = fields[int(rng.integers(len(fields)))]
    entry = tuple(int(rng.integers(size)) for size in field.shape)
    altered, end = state.copy(), (field.low, field.high)[int(rng.integers(2))]
    altered[field.name][(0, *entry)] = end
    words = f"where {field.name}{list(entry) or ''} is {end}"
    alone, compiled = game.new_batch(altered.copy()), game.new_batch(altered.copy())
    alone.rngs[:] = compiled.rngs[:] = spawn_rngs(rng, 1)
    faults, kernel = np.zeros((1, 2), np.int64), game.kernel.interpreted
    try:
        with ending(MOST_LINES):
            kernel.check(alone.states, np.full(1, NOBODY), alone.masks[0], faults)
            for action in (LOOK, CHOOSE) if faults[0, 0] == SOUND else ():
                kernel.advance(*alone, np.full(1, action), 1, False, False)
    except Exception as error:  # whatever the rules of a game raise
        return f"{words}, which is_sound allows: {described(error)}"
    if faults[0, 0] != SOUND:
        return ""
    for action in (LOOK, CHOOSE):
        game.kernel.advance(*compiled, np.full(1, action), 1, False, False)
    parts = zip(alone._fields, alone, compiled, strict=True)
    wrong = [name for name, one, other in parts if one.tobytes() != other.tobytes()]
    return f"{words}, {', '.join(wrong)} differ interpreted and compiled" if wrong else ""


def survives_json(games: Inspection, state: np.ndarray) -> str:
    """Return the fields of a game saved as JSON that differ when it is read again."""
    assert games.history is not None
    env = games.history.env
    env.set_state(state)
    text = env.to_json()
    again = type(env).from_json(text)
    if again.to_json() != text:
        return "its text"
    return differing(games, np.array([again.state()]), np.array([env.state()]))


CLOSE_CHECKS: dict[str, Callable[[Inspection, np.ndarray], str]] = {
    "a view hides too little or too much": views_hide,
    "a drawn state is wrong": determinizes,
    "a secret is told": asks_openly,
    TOLD: tells_openly,
    "a public fact does not show": public_facts_show,
    "a state cannot be played": sound_states_play,
    "a saved game differs": survives_json,
}
"""What is checked in Python, each with a function that returns what is wrong, or an empty text."""
