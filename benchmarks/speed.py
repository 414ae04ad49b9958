"""Measure decisions per second of processor time of every interface, beside four public libraries.

    python benchmarks/speed.py
    python benchmarks/speed.py --parts

All rows play uniformly random legal actions on one core in one run. Because the speed of a shared
machine drifts, the rounds of all rows are interleaved and the median round counts. Read the ratios,
not the numbers.
"""

from __future__ import annotations

import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, TypeVar

import numpy as np
import tyro
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from rich.progress import track

from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0
from gubs_env.support.output import print_everywhere

ROUNDS = 7
AEC_DECISIONS = 3000
BATCH_GAMES, BATCH_ROUNDS = 1024, 300
VECTOR_GAMES, VECTOR_STEPS = 4096, 40
HISTORY = 64  # events of each player
EXAMPLES = Path(__file__).parents[1] / "examples"
LENGTHS = {"kuhn_poker": 2, "liars_dice": 3, "gubs_env.gubs_v0": 200}
"""About the number of decisions in a game of uniformly random play, by module."""
Row = Callable[[], int]
Name = TypeVar("Name")


def aec(env: AECEnv) -> Row:
    """Return a row that plays a PettingZoo environment by the loop of its documentation."""
    rng = random.Random(0)
    env.reset(seed=0)

    def play() -> int:
        decisions = 0
        while decisions < AEC_DECISIONS:
            env.reset()
            for _ in env.agent_iter():
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                env.step(rng.choice(observation["action_mask"].nonzero()[0].tolist()))
                decisions += 1
        return decisions

    return play


def known_actions(env: AECEnv, last: bool = True, step: bool = True) -> Row:
    """Return a row that replays recorded games: the interface alone.

    Args:
        env: the environment.
        last: whether to call `last()` before each step.
        step: whether to play; else the games are only dealt.
    """
    rng = random.Random(0)
    env.reset(seed=0)
    games: list[list[int]] = []
    while sum(map(len, games)) < AEC_DECISIONS:
        games.append([])
        env.reset()
        while not any(env.terminations.values()):
            mask = env.observe(env.agent_selection)["action_mask"]
            games[-1].append(rng.choice(mask.nonzero()[0].tolist()))
            env.step(games[-1][-1])

    def play() -> int:
        env.reset(seed=0)
        for actions in games:
            env.reset()
            for action in actions if step else ():
                if last:
                    env.last()
                env.step(action)
        return sum(map(len, games))

    return play


class EmptyGame(AECEnv):
    """An AEC environment without a game: two actions that do nothing, two agents in turn.

    Args:
        decisions: number of decisions in a game.
    """

    metadata: ClassVar = {"render_modes": [], "name": "empty_v0"}

    def __init__(self, decisions: int) -> None:
        self.decisions = decisions
        self.possible_agents = ["player_0", "player_1"]
        self.render_mode = None
        self.space = spaces.Discrete(2)
        self.seen = {"observation": np.zeros(1, np.int8), "action_mask": np.ones(2, np.int8)}

    def observation_space(self, agent: str) -> spaces.Space:
        return self.space

    def action_space(self, agent: str) -> spaces.Space:
        return self.space

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        self.steps = 0
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        return self.seen

    def step(self, action: int) -> None:
        if self.terminations[self.agent_selection]:
            return self._was_dead_step(action)
        self.steps += 1
        self.agent_selection = self.possible_agents[self.steps % 2]
        if self.steps == self.decisions:
            self.terminations = dict.fromkeys(self.agents, True)


def empty_in_wrappers(decisions: int) -> AECEnv:
    """Return the empty game in PettingZoo's three standard wrappers."""
    inside = wrappers.TerminateIllegalWrapper(EmptyGame(decisions), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(inside))


def vector_from_python(num_players: int, history: int = 0) -> Row:
    """Return a row that steps `vector_env` from Python with recorded actions."""
    recorder = gubs_v0.vector_env(VECTOR_GAMES, num_players, seed=0)
    games = gubs_v0.vector_env(VECTOR_GAMES, num_players, seed=0, history=history)
    rng = np.random.default_rng(0)
    actions = []
    for _ in range(VECTOR_STEPS):
        masks = recorder.masks
        actions.append(np.where(masks, rng.random(masks.shape, np.float32), -1).argmax(1))
        recorder.step(actions[-1])
    start = games.states.copy()

    def play() -> int:
        games._states[:] = start
        games.look()
        for chosen in actions:
            games.step(chosen)
        return VECTOR_GAMES * VECTOR_STEPS

    return play


def compiled_batch(module: ModuleType, num_players: int, rules: Any = None) -> Row:
    """Return a row for the compiled loop, which writes mask and observation at every decision."""
    games = module.vector_env(BATCH_GAMES, num_players=num_players, rules=rules, seed=0)

    def play() -> int:
        games.play_randomly(BATCH_ROUNDS)
        return BATCH_GAMES * BATCH_ROUNDS

    return play


def rlcard_uno() -> Row:
    import rlcard

    env = rlcard.make("uno", config={"seed": 0})
    rng = random.Random(0)
    state = env.reset()[0]

    def play() -> int:
        nonlocal state
        for _ in range(AEC_DECISIONS):
            if env.is_over():
                state = env.reset()[0]
            state = env.step(rng.choice(list(state["legal_actions"])))[0]
        return AEC_DECISIONS

    return play


def connect_four() -> Row:
    from pettingzoo.classic import connect_four_v3

    return aec(connect_four_v3.env())


def open_spiel(name: str) -> Row:
    """Return a row that plays a game of OpenSpiel from Python, with observations."""
    import pyspiel

    import gubs_env.adapters.openspiel  # noqa: F401  # registers the games of this package

    game, rng = pyspiel.load_game(name), random.Random(0)
    state = game.new_initial_state()

    def play() -> int:
        nonlocal state
        decisions = 0
        while decisions < AEC_DECISIONS:
            if state.is_terminal():
                state = game.new_initial_state()
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, chances)[0])
                continue
            state.observation_tensor()
            state.apply_action(rng.choice(state.legal_actions()))
            decisions += 1
        return decisions

    return play


def pgx_batch(name: str) -> Row:
    """Return a row that plays many games of Pgx in one compiled loop.

    Like the compiled batch of this package, it writes mask and observation at every decision.
    """
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def decide(_: int, carry: tuple[Any, Any]) -> tuple[Any, Any]:
        states, key = carry
        key, choice, chance = jax.random.split(key, 3)
        logits = jnp.where(states.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(choice, logits)
        return step(states, actions, jax.random.split(chance, BATCH_GAMES)), key

    advance = jax.jit(lambda carry: jax.lax.fori_loop(0, BATCH_ROUNDS, decide, carry))
    first = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), BATCH_GAMES))
    carry = (first, jax.random.key(1))

    def play() -> int:
        nonlocal carry
        carry = jax.block_until_ready(advance(carry))
        return BATCH_GAMES * BATCH_ROUNDS

    return play


def rows() -> dict[str, Row]:
    """Return all rows by name; the first two are what the ratios refer to."""
    table: dict[str, Row] = {
        "RLCard uno, 2 players": rlcard_uno(),
        "PettingZoo connect_four_v3.env()": connect_four(),
        "OpenSpiel connect_four": open_spiel("connect_four"),
        "OpenSpiel gin_rummy": open_spiel("gin_rummy"),
        "Pgx connect_four, batch": pgx_batch("connect_four"),
        "Pgx sparrow_mahjong, batch": pgx_batch("sparrow_mahjong"),
        "empty AEC game in PettingZoo's three wrappers": aec(empty_in_wrappers(200)),
        "the same, known actions": known_actions(empty_in_wrappers(200)),
    }
    for name in ("kuhn_poker", "liars_dice"):
        table[f"{name}.env(), a game of one's own"] = aec(import_module(name).env())
        table[f"OpenSpiel {name}"] = open_spiel(name)
    for num_players in (2, 4, 6):
        players = f"{num_players} players"
        table[f"gubs_v0.env(), {players}"] = aec(gubs_v0.env(num_players=num_players))
        table[f"gubs_v0.raw_env(), {players}"] = aec(gubs_v0.raw_env(num_players=num_players))
        table[f"gubs_v0 compiled batch, {players}"] = compiled_batch(gubs_v0, num_players)
    for name, num_players in (("gubs", 2), ("fubnub", 4), ("bad_bad_turtle", 2)):
        row = open_spiel(f"gubs_env_{name}(players={num_players})")
        table[f"{name}_v0 in OpenSpiel, {num_players} players"] = row
    table["gubs_v0.env(), 2 players, known actions"] = known_actions(gubs_v0.env())
    table["gubs_v0.raw_env(), 2 players, known actions"] = known_actions(gubs_v0.raw_env())
    table[f"gubs_v0.vector_env({VECTOR_GAMES}) from Python, 2 players"] = vector_from_python(2)
    table[f"the same with history={HISTORY}"] = vector_from_python(2, HISTORY)
    for mode in ("team", "full"):
        rules = fubnub_v0.Rules(mode=mode)
        table[f"fubnub_v0 compiled batch, {mode}, 4 players"] = compiled_batch(fubnub_v0, 4, rules)
    table["bad_bad_turtle_v0 compiled batch, 4 players"] = compiled_batch(bad_bad_turtle_v0, 4)
    return table


def parts(name: str) -> dict[str, Row]:
    """Return rows that show where a decision of `env()` loses its time; each leaves more out."""
    module = import_module(name)
    return {
        "empty game of about as many decisions in PettingZoo's three wrappers": aec(
            empty_in_wrappers(LENGTHS[name])
        ),
        "`raw_env()`": aec(module.raw_env()),
        "`env()`": aec(module.env()),
        "… without `agent_iter`, the choice of actions, and steps after the end": known_actions(
            module.env()
        ),
        "… without `last()`": known_actions(module.env(), last=False),
        "… without `step()`: `reset()` alone": known_actions(module.env(), step=False),
    }


def measure(table: dict[Name, Row]) -> dict[Name, float]:
    """Return the median decisions per second of each row."""
    speeds: dict[Name, list[float]] = {name: [] for name in table}
    for play in table.values():  # compile, fill caches
        play()
    for _ in track(range(ROUNDS), "measuring"):
        for name, play in table.items():
            start = time.process_time()
            decisions = play()
            speeds[name].append(decisions / (time.process_time() - start))
    return {name: statistics.median(values) for name, values in speeds.items()}


def machine() -> str:
    """Return the machine in words: processor, cores, Python."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text("utf-8").splitlines() if information.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    processor = names[0] if names else platform.processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores, Python {platform.python_version()}"


def print_parts() -> None:
    """Print a table: microseconds of a decision for each row of `parts`, by game."""
    every = {(row, name): play for name in LENGTHS for row, play in parts(name).items()}
    speeds = measure(every)
    print(f"\n{machine()}\n")
    print(f"| µs a decision | {' | '.join(LENGTHS)} |\n|---|{'---|' * len(LENGTHS)}")
    for row in dict.fromkeys(row for row, _ in every):
        times = (f"{1e6 / speeds[row, name]:.1f}" for name in LENGTHS)
        print(f"| {row} | {' | '.join(times)} |")


def main(parts: bool = False) -> None:
    """Measure every interface, or the parts of one.

    Args:
        parts: measure where a decision of `env()` loses its time, in games of several lengths.
    """
    os.environ.setdefault("GUBS_ENV_COMPILE", "wait")
    if hasattr(os, "sched_setaffinity"):  # on several cores, the threads of Pgx wait for each other
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    sys.path += [str(folder) for folder in EXAMPLES.iterdir()]
    if parts:
        return print_parts()
    speeds = measure(rows())
    uno, four = list(speeds.values())[:2]
    print(f"\n{machine()}\n")
    print("| uniformly random play | decisions/s | × uno | × connect_four |\n|---|---|---|---|")
    for name, speed in speeds.items():
        print(f"| {name} | {speed:,.0f} | {speed / uno:.1f} | {speed / four:.1f} |")


if __name__ == "__main__":
    print_everywhere()
    tyro.cli(main, description=__doc__)
