"""Measure decisions per second of every interface, beside four public libraries.

    python benchmarks/speed.py

All rows play uniformly random legal actions in one run. Because the speed of a shared machine
drifts, the rounds of all rows are interleaved and the median round counts. Read the ratios, not the
numbers.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

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
Row = Callable[[], int]


def aec(env: AECEnv) -> Row:
    """Return a row that calls `last()` and `step()` of a PettingZoo environment."""
    rng = np.random.default_rng(0)
    env.reset(seed=0)

    def play() -> int:
        decisions = 0
        while decisions < AEC_DECISIONS:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[rng.integers(len(legal))]))
            decisions += 1
        return decisions

    return play


def known_actions(env: AECEnv) -> Row:
    """Return a row that replays a recorded game by `last()` and `step()`: the interface alone."""
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    actions: list[int] = []
    while not any(env.terminations.values()):
        mask = env.observe(env.agent_selection)["action_mask"]
        actions.append(int(rng.choice(np.flatnonzero(mask))))
        env.step(actions[-1])

    def play() -> int:
        games = -(-AEC_DECISIONS // len(actions))
        for _ in range(games):
            env.reset(seed=0)
            for action in actions:
                env.last()
                env.step(action)
        return games * len(actions)

    return play


class EmptyGame(AECEnv):
    """An AEC environment without a game: one action, 200 steps, two agents in turn."""

    metadata: ClassVar = {"render_modes": [], "name": "empty_v0"}

    def __init__(self) -> None:
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
        self.steps += 1
        self.agent_selection = self.possible_agents[self.steps % 2]
        if self.steps == 200:
            self.terminations = dict.fromkeys(self.agents, True)


def empty_in_wrappers() -> Row:
    """Return a row for the empty game in PettingZoo's three standard wrappers."""
    inside = wrappers.TerminateIllegalWrapper(EmptyGame(), illegal_reward=-1)
    return known_actions(wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(inside)))


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
    rng = np.random.default_rng(0)
    state = env.reset()[0]

    def play() -> int:
        nonlocal state
        for _ in range(AEC_DECISIONS):
            if env.is_over():
                state = env.reset()[0]
            legal = list(state["legal_actions"])
            state = env.step(legal[rng.integers(len(legal))])[0]
        return AEC_DECISIONS

    return play


def connect_four() -> Row:
    from pettingzoo.classic import connect_four_v3

    return aec(connect_four_v3.env())


def open_spiel(name: str) -> Row:
    """Return a row that plays a game of OpenSpiel from Python, with observations."""
    import pyspiel

    import gubs_env.adapters.openspiel  # noqa: F401  # registers the games of this package

    game, rng = pyspiel.load_game(name), np.random.default_rng(0)
    state = game.new_initial_state()

    def play() -> int:
        nonlocal state
        decisions = 0
        while decisions < AEC_DECISIONS:
            if state.is_terminal():
                state = game.new_initial_state()
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(rng.choice(outcomes, p=chances)))
                continue
            legal = state.legal_actions()
            state.observation_tensor()
            state.apply_action(legal[rng.integers(len(legal))])
            decisions += 1
        return decisions

    return play


def pgx_batch(name: str) -> Row:
    """Return a row that plays many games of Pgx in one compiled loop, on as many cores as it takes.

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
        "empty AEC game in PettingZoo's three wrappers, known actions": empty_in_wrappers(),
    }
    for num_players in (2, 4, 6):
        players = f"{num_players} players"
        table[f"gubs_v0.env(), {players}"] = aec(gubs_v0.env(num_players=num_players))
        table[f"gubs_v0.raw_env(), {players}"] = aec(gubs_v0.raw_env(num_players=num_players))
        table[f"gubs_v0 compiled batch, {players}"] = compiled_batch(gubs_v0, num_players)
    table["gubs_v0 in OpenSpiel, 2 players"] = open_spiel("gubs_env_gubs")
    table["gubs_v0.env(), 2 players, known actions"] = known_actions(gubs_v0.env())
    table["gubs_v0.raw_env(), 2 players, known actions"] = known_actions(gubs_v0.raw_env())
    table[f"gubs_v0.vector_env({VECTOR_GAMES}) from Python, 2 players"] = vector_from_python(2)
    table[f"the same with history={HISTORY}"] = vector_from_python(2, HISTORY)
    for mode in ("team", "full"):
        rules = fubnub_v0.Rules(mode=mode)
        table[f"fubnub_v0 compiled batch, {mode}, 4 players"] = compiled_batch(fubnub_v0, 4, rules)
    table["bad_bad_turtle_v0 compiled batch, 4 players"] = compiled_batch(bad_bad_turtle_v0, 4)
    return table


def measure(table: dict[str, Row]) -> dict[str, float]:
    """Return the median decisions per second of each row."""
    speeds: dict[str, list[float]] = {name: [] for name in table}
    for play in table.values():  # compile, fill caches
        play()
    for _ in track(range(ROUNDS), "measuring"):
        for name, play in table.items():
            start = time.perf_counter()
            decisions = play()
            speeds[name].append(decisions / (time.perf_counter() - start))
    return {name: statistics.median(values) for name, values in speeds.items()}


def machine() -> str:
    """Return the machine in words: processor, cores, Python."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text("utf-8").splitlines() if information.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    processor = names[0] if names else platform.processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores, Python {platform.python_version()}"


def main() -> None:
    speeds = measure(rows())
    uno, four = list(speeds.values())[:2]
    print(f"\n{machine()}\n")
    print("| uniformly random play | decisions/s | × uno | × connect_four |\n|---|---|---|---|")
    for name, speed in speeds.items():
        print(f"| {name} | {speed:,.0f} | {speed / uno:.1f} | {speed / four:.1f} |")


if __name__ == "__main__":
    print_everywhere()
    tyro.cli(main, description=__doc__)
