"""Which algorithm learns small games? Ten algorithms, measured by exact best responses.

    ./run reference                              # run what is missing, and print the tables
    ./run reference --rows nfsp --seeds 3        # one row, of three seeds
    ./run reference --tune                       # the settings that were tried
    ./run reference --plot docs/images/reference.png

A learner runs until it has made as many decisions as `--steps` says, those of both seats counted,
and has taken as much processor time as `--limit` says. Its gain is read off at both. Algorithms
that are told the whole tree have iterations instead. Each finished run is a line of the file of
results and is not repeated. docs/research/reference-algorithms.md has the method and the tables;
experiments/reference_full.py has Gubs with all its cards.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyspiel
import torch
import tyro
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import ismcts as search
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator
from open_spiel.python.algorithms.mmd_dilated import MMDDilatedEnt
from open_spiel.python.algorithms.outcome_sampling_mccfr import OutcomeSamplingSolver
from open_spiel.python.algorithms.policy_aggregator import PolicyAggregator
from open_spiel.python.algorithms.psro_v2.best_response_oracle import BestResponseOracle
from open_spiel.python.algorithms.psro_v2.psro_v2 import PSROSolver
from open_spiel.python.pytorch.dqn import DQN
from open_spiel.python.pytorch.nfsp import NFSP
from sb3_contrib import MaskablePPO
from scipy.special import stdtrit
from tqdm import tqdm

from gubs_agents.arena.measures import TAIL
from gubs_agents.exploit import PROBLEMS, WholeGame
from gubs_agents.training.options import PRESETS, Options
from gubs_agents.training.run import Run
from gubs_env import find_table
from gubs_env.adapters import openspiel
from gubs_env.api.sb3 import Pool, SelfPlayVecEnv
from gubs_env.engine.option_texts import options_text
from gubs_env.engine.table import Table
from gubs_env.support.markdown import table
from gubs_env.support.output import print_everywhere

ROOT = Path(__file__).parents[1]
MODULES = {
    "kuhn_poker_v0": "kuhn_poker",
    "leduc_poker_v0": "tests.poker.leduc_poker",
    "liars_dice_v0": "liars_dice",
}
DICE, DECK = "Liar's Dice, 4 sides", "gubs-feather"
GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "Kuhn poker": ("kuhn_poker_v0", {}),
    "Leduc poker": ("leduc_poker_v0", {}),
    DICE: ("liars_dice_v0", {"sides": 4}),
    DECK: ("gubs", {"letters": "anywhere", "deck": PROBLEMS[DECK].rules.deck}),
}
"""The name of each game and its rules."""
EXAMPLES = ("kuhn_poker", "liars_dice")
FIRST, A_DECADE = 1000, 5
"""Decisions at the first measurement, and the number of measurements up to ten times as many."""
TUNING_SEED = 100
"""The seed with which settings are tried; no table reports it."""
LEAST_SEEDS = 3
"""Seeds from which on an interval is given: of two, it would be thirteen standard errors."""
Policy = Callable[[int, np.ndarray, np.ndarray], np.ndarray]
"""(seat, observations, masks) → the probability of every action, float64[batch, num_actions]."""


@dataclass
class Args:
    """Options; the docstring of this file has examples."""

    rows: tuple[str, ...] = ()  # algorithms, of ROWS; none given: all
    games: tuple[str, ...] = tuple(GAMES)  # games
    seeds: int = 5  # seeds of each learner
    steps: int = 100_000  # decisions of each learner, of both seats
    limit: float = 30  # seconds of processor time of each learner
    tune: bool = False  # run all SETTINGS in Leduc poker, up to --steps
    out: Path = Path("runs/reference.jsonl")  # file of the results
    plot: Path | None = None  # draw the curves to this PNG


def in_openspiel(table: Table, rules: dict[str, Any], *parameters: str) -> Any:
    """Return the game of a table in OpenSpiel."""
    with contextlib.suppress(pyspiel.SpielError):  # it is registered
        openspiel.register(table.game)
    given = options_text(rules).replace(",", "+").replace("+deck", ",deck")
    name = openspiel.PREFIX + table.game.name.removesuffix("_v0")
    return pyspiel.load_game(f"{name}({','.join(filter(None, [*parameters, given]))})")


class Problem:
    """A game whose tree is listed, for us and for OpenSpiel."""

    hidden: ClassVar = [128]
    """The hidden layers of OpenSpiel's learners."""
    is_shared: ClassVar = False
    """Whether their seats share a network."""

    def __init__(self, name: str) -> None:
        self.name, (self.game, self.rules) = name, GAMES[name]
        self.table = find_table(self.game, 2, self.rules)

    @cached_property
    def whole(self) -> WholeGame:
        """The whole tree."""
        return WholeGame(self.table)

    @cached_property
    def spiel(self) -> Any:
        """The game in OpenSpiel, with explicit chance."""
        return in_openspiel(self.table, self.rules, "chance=explicit")

    @cached_property
    def states(self) -> list[Any]:
        """A state of OpenSpiel for each information state, all of which observations tell apart."""
        seen = zip(self.whole.seats.tolist(), self.whole.observations, strict=True)
        rows = {(seat, observation.tobytes()): at for at, (seat, observation) in enumerate(seen)}
        found: list[Any] = [None] * self.whole.information_states
        assert len(rows) == len(found)
        waiting = [self.spiel.new_initial_state()]
        while waiting:
            state = waiting.pop()
            if (seat := state.current_player()) >= 0:
                observation = np.array(state.observation_tensor(seat)).astype(np.int8)
                found[rows[seat, observation.tobytes()]] = state
            waiting += [state.child(action) for action in state.legal_actions()]
        return found

    def shares(self, policy: Any, seats: Sequence[int] = (0, 1)) -> np.ndarray:
        """Return a policy of OpenSpiel as a table, which is zero where other seats decide."""
        table = np.zeros(self.whole.masks.shape)
        for row, state in zip(table, self.states, strict=True):
            if state.current_player() in seats:
                given = policy.action_probabilities(state)
                row[list(given)] = list(given.values())
        return table / np.maximum(table.sum(axis=1, keepdims=True), 1e-12)

    def gain(self, policy: Any) -> float:
        """Return the gain against a policy of OpenSpiel."""
        return self.whole.exact(self.shares(policy)).gain

    def worth(self, policy: Policy) -> float:
        """Return the gain against a policy."""
        whole, shares = self.whole, np.zeros(self.whole.masks.shape)
        for seat in range(2):
            own = whole.seats == seat
            shares[own] = policy(seat, whole.observations[own], whole.masks[own])
        return whole.exact(shares).gain


@dataclass
class Result:
    """A line of the file of results."""

    row: str
    game: str
    seed: int
    steps: int
    limit: float
    """Decisions, and seconds of processor time, after both of which a run is over."""
    at: list[int] = field(default_factory=list)
    """Decisions or iterations at each measurement."""
    seconds: list[float] = field(default_factory=list)
    """Processor time up to each measurement, without that of measuring."""
    worths: list[Any] = field(default_factory=list)
    """The gain of a best response."""

    @property
    def key(self) -> tuple[str, str, int, int, float]:
        """The row, the game, the seed and the budget, which identify a run."""
        return self.row, self.game, self.seed, self.steps, self.limit

    def begin(self, first: float) -> None:
        """Start the clock, and measure for the first time after so many decisions."""
        self._began, self._next = time.process_time(), min(first, self.steps / 10 or first)

    def progress(self, at: int) -> float:
        """Return the fraction of the run that is done, 0 … 1."""
        spent = time.process_time() - self._began
        parts = (at, self.steps), (spent, self.limit)
        return min([1.0, *(done / whole for done, whole in parts if whole)])

    def measure(self, at: int, worth: Callable[[], Any]) -> bool:
        """Measure if that is due, and return whether the run is over."""
        over, now = self.progress(at) == 1, time.process_time()
        spent, last = now - self._began, (self.at[-1], self.seconds[-1]) if self.at else (0, 0)
        is_first = last[0] < self.steps <= at or last[1] < self.limit <= spent
        if over or is_first or at >= self._next:
            done = math.floor(A_DECADE * math.log10(max(at, 1)) + 1e-9)
            self._next = 10 ** ((done + 1) / A_DECADE)
            self.at.append(at)
            self.seconds.append(round(spent, 2))
            self.worths.append(worth())
            self._began += time.process_time() - now
        return over

    def after(self, steps: int = 0, limit: float = 0) -> Any:
        """Return the first measurement after so many decisions or seconds; None without one."""
        steps = steps or self.steps * (not limit)
        rows = zip(self.at, self.seconds, self.worths, strict=True)
        return next((worth for at, spent, worth in rows if at >= steps and spent >= limit), None)


class Rehearsal(Result):
    """A short run before the first of an algorithm, so that compiling is not on its clock."""

    def measure(self, at: int, worth: Callable[[], Any]) -> bool:
        """Return whether the run is over."""
        return self.progress(at) == 1


# --------------------------------------------------------------------------------- ours, and SB3


def ours(problem: Problem, result: Result, **given: Any) -> None:
    """Train as `gubs train` does; it learns from the decisions of one of the seats."""
    seats = problem.table.num_players

    class Budgeted(Run):
        @property
        def progress(self) -> float:
            """The fraction of the run that is done, for schedules too."""
            return result.progress(seats * self.timesteps)

    def policy(seat: int, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        agent: Any = run.worker.player(run.worker.kept(), draw=True)
        return agent.judge(observations, masks)[0].astype(float)

    def measure(kind: str, row: dict[str, Any]) -> None:
        if kind == "metrics.csv":
            result.measure(seats * row["timesteps"], lambda: problem.worth(policy))

    with TemporaryDirectory() as folder:
        options = Options(
            game=problem.game, players=seats, rules=options_text(problem.rules), seed=result.seed,
            out=folder, report_deals=2, evaluation_deals=2, **{"imitate": 0} | given,
        )  # fmt: skip
        run = Budgeted(options, on_row=measure)
        run.train()
        if run.stopping:
            sys.exit("reference: interrupted; the same command starts this run anew")
        if result.after(result.steps, result.limit) is None:  # the time ended after the last row
            result.measure(seats * run.timesteps, lambda: problem.worth(policy))


def maskable_ppo(
    problem: Problem, result: Result, games: int = 64, n_steps: int = 16, **given: Any
) -> None:
    """Train MaskablePPO of sb3-contrib against itself."""

    class Itself:
        def act(self, observations: np.ndarray, masks: np.ndarray, rngs: Any = None) -> np.ndarray:
            return model.predict(observations, action_masks=masks)[0]

    def policy(seat: int, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        seen = torch.from_numpy(observations).float()
        with torch.no_grad():
            asked: Any = model.policy.get_distribution(seen, action_masks=masks)
        return asked.distribution.probs.double().numpy()

    seats = problem.table.num_players
    envs = SelfPlayVecEnv(problem.table, games, Pool({"itself": Itself()}), seed=result.seed)
    model = MaskablePPO("MlpPolicy", envs, n_steps=n_steps, seed=result.seed, **given)
    while not result.measure(seats * model.num_timesteps, lambda: problem.worth(policy)):
        model.learn(1, reset_num_timesteps=False)


# ------------------------------------------------------------------------------------- OpenSpiel


def play(problem: Problem, result: Result, agents: list[Any], policy: Policy) -> None:
    """Let agents of OpenSpiel learn from games against each other."""
    decisions, kind = 0, rl_environment.ObservationType.OBSERVATION
    env = rl_environment.Environment(problem.spiel, observation_type=kind)
    env.seed(result.seed)
    while not result.measure(decisions, lambda: problem.worth(policy)):
        seen = env.reset()
        while not seen.last():
            seen = env.step([agents[seen.current_player()].step(seen).action])
            decisions += 1
        for agent in agents:
            agent.step(seen)


def scores(network: Any, observations: np.ndarray, masks: np.ndarray) -> torch.Tensor:
    """Return the outputs of a network, −∞ for illegal actions."""
    with torch.no_grad():
        found = network(torch.from_numpy(observations).float()).double()
    return found.masked_fill(torch.from_numpy(masks) == 0, -torch.inf)


def share(agents: Sequence[Any], *names: str) -> None:
    """Give all agents the networks of the first, and their optimiser."""
    for agent, name in product(agents[1:], names):
        setattr(agent, name, getattr(agents[0], name))


SHARED: dict[str, Any] = {"batch_size": 128, "optimizer_str": "adam"}
VALUES = "_q_network", "_target_q_network", "_optimizer"


def dqn(problem: Problem, result: Result, **given: Any) -> None:
    """Train a DQN in each seat; illegal actions are masked in choices and in targets."""
    table, seats = problem.table, problem.table.num_players
    sizes = table.observation_size, table.num_actions
    agents = [
        DQN(
            seat, *sizes, problem.hidden, epsilon_decay_duration=25_000,
            epsilon_decay_schedule_str="linear", seed=seats * result.seed + seat, **SHARED, **given,
        )
        for seat in range(seats)
    ]  # fmt: skip
    if problem.is_shared:
        share(agents, *VALUES)

    def policy(seat: int, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        best = scores(agents[seat]._q_network, observations, masks).argmax(dim=1)
        return torch.nn.functional.one_hot(best, masks.shape[1]).double().numpy()

    play(problem, result, agents, policy)


def nfsp(problem: Problem, result: Result, rate: float = 1e-3, **given: Any) -> None:
    """Train NFSP in each seat; the average policies are measured."""
    table, seats = problem.table, problem.table.num_players
    sizes = table.observation_size, table.num_actions
    agents = [
        NFSP(
            seat, *sizes, problem.hidden, 200_000, rl_learning_rate=rate, sl_learning_rate=rate,
            replay_buffer_capacity=20_000, epsilon_start=0.06, epsilon_end=0.001,
            epsilon_decay_duration=25_000, seed=seats * result.seed + seat, **SHARED, **given,
        )
        for seat in range(seats)
    ]  # fmt: skip
    if problem.is_shared:
        share(agents, "_avg_network", "_optimizer")
        share([agent._rl_agent for agent in agents], *VALUES)

    def policy(seat: int, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return scores(agents[seat]._avg_network, observations, masks).softmax(dim=1).numpy()

    play(problem, result, agents, policy)


def mccfr(problem: Problem, result: Result) -> None:
    """Run MCCFR with outcome sampling, on a table of all information states."""

    class Counting(OutcomeSamplingSolver):
        decisions = 0

        def _episode(self, state: Any, *rest: Any, **named: Any) -> float:
            self.decisions += state.current_player() >= 0
            return super()._episode(state, *rest, **named)

    np.random.seed(result.seed)
    solver = Counting(problem.spiel)
    while not result.measure(solver.decisions, lambda: problem.gain(solver.average_policy())):
        solver.iteration()


def ismcts(problem: Problem, result: Result) -> None:
    """Search in every information state; visits are probabilities."""
    rng = np.random.RandomState(result.seed)
    bot = search.ISMCTSBot(
        problem.spiel, RandomRolloutEvaluator(1, rng), 2.0, result.steps, random_state=rng,
        final_policy_type=search.ISMCTSFinalPolicyType.NORMALIZED_VISITED_COUNT,
    )  # fmt: skip
    bot.set_resampler(lambda state, seat: state.resample_from_infostate(seat, rng.uniform))
    gain = problem.gain(SimpleNamespace(action_probabilities=lambda at: dict(bot.get_policy(at))))
    result.measure(result.steps, lambda: gain)


def psro(problem: Problem, result: Result) -> None:
    """Run PSRO with exact best responses, exact payoffs, and projected replicator dynamics."""

    @cache
    def shares(policy: Any, seat: int) -> np.ndarray:
        return problem.shares(policy, (seat,))

    class Exact(PSROSolver):
        def sample_episodes(self, policies: list[Any], num_episodes: int) -> Any:
            first, second = map(shares, policies, range(2))
            return problem.whole.exact(first + second).self_play

    def gain() -> float:
        aggregator = PolicyAggregator(problem.spiel)
        mixed = aggregator.aggregate(range(2), solver.get_policies(), solver.get_meta_strategies())
        return problem.gain(mixed)

    oracle = BestResponseOracle("cpp", problem.spiel)
    solver = Exact(
        problem.spiel, oracle, 1, meta_strategy_method="prd", sample_from_marginals=True,
        training_strategy_selector="probabilistic", prd_iterations=5_000,
    )  # fmt: skip
    for number in range(result.steps):
        solver.iteration()
        result.measure(number + 1, gain)


def mirror_descent(problem: Problem, result: Result) -> None:
    """Run magnetic mirror descent on sequences; the average strategy is measured."""
    solver = MMDDilatedEnt(problem.spiel, alpha=0, stepsize=1)

    def gain() -> float:
        return problem.gain(solver.get_avg_policies())

    for number in range(result.steps):
        solver.update_sequences()
        result.measure(number + 1, gain)


def cfr(problem: Problem, result: Result) -> None:
    """Run our CFR+."""
    gain = problem.whole.solve(result.steps).gain
    result.measure(result.steps, lambda: gain)


# ---------------------------------------------------------------------------------- the tables


class Row(NamedTuple):
    """An algorithm."""

    title: str
    run: Callable[..., None]
    steps: int = 0
    """Iterations, or playouts of a decision; 0 for a learner, which counts its decisions."""
    is_random: bool = True
    """Whether seeds differ."""
    skips: tuple[str, ...] = ()
    """Games that it is not run on; some, if it needs a table of all information states."""
    has_schedule: bool = False
    """Whether its options change up to the end of the run, so that each budget is a run."""


ROWS = {
    "sb3": Row("MaskablePPO, sb3-contrib", maskable_ppo),
    "dqn": Row("independent DQN, OpenSpiel", dqn),
    "nfsp": Row("NFSP, OpenSpiel", nfsp),
    "mccfr": Row("MCCFR, outcome sampling, OpenSpiel", mccfr, skips=(DECK,)),
    "ppo": Row("PPO, `gubs train`", ours, has_schedule=True),
    "equilibrium": Row("PPO, `gubs train --config equilibrium`", ours, has_schedule=True),
    "ismcts": Row("ISMCTS, 100 playouts, OpenSpiel", ismcts, 100, skips=(DECK,)),
    "psro": Row("PSRO, 30 rounds, OpenSpiel", psro, 30, False, (DECK,)),
    "mmd": Row(
        "mirror descent, 100 iterations, OpenSpiel", mirror_descent, 100, False, (DECK, DICE)
    ),
    "cfr": Row("CFR+, 500 iterations", cfr, 500, False),
}
SMALL = {"games": 64, "rollout": 8}
OFTEN = {
    "games": 64, "rollout": 16, "batch": 64, "epochs": 10, "entropy": 0.05, "last_entropy": 0.05
}  # fmt: skip
PRESET = PRESETS["equilibrium"]
TARGET = "update_target_network_every"
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "sb3": [
        {"ent_coef": 0.05, "learning_rate": 1e-3},
        {},
        {"ent_coef": 0.01, "learning_rate": 1e-3},
        {"ent_coef": 0.05, "learning_rate": 1e-3, "gae_lambda": 1.0, "batch_size": 256},
    ],
    "dqn": [
        {"learning_rate": 1e-3, "replay_buffer_capacity": 200_000, TARGET: 200},
        {"learning_rate": 1e-3, "replay_buffer_capacity": 20_000},
        {"learning_rate": 1e-3, "replay_buffer_capacity": 20_000, TARGET: 200},
        {"learning_rate": 1e-2, "replay_buffer_capacity": 20_000, TARGET: 200},
    ],
    "nfsp": [
        {"anticipatory_param": 0.3, "learn_every": 10, TARGET: 100},
        {"anticipatory_param": 0.1, "learn_every": 10},
        {"anticipatory_param": 0.1, "learn_every": 10, TARGET: 100},
        {"anticipatory_param": 0.3, "learn_every": 10, TARGET: 100, "rate": 5e-3},
    ],
    "ppo": [
        OFTEN, {}, SMALL, SMALL | {"entropy": 0.05}, SMALL | {"entropy": 0.05, "gae_lambda": 1.0},
        OFTEN | {"gae_lambda": 0.95}, OFTEN | {"baseline_share": 0.0, "newest_share": 1.0},
    ],
    "equilibrium": [
        PRESET | SMALL | {"batch": 64, "epochs": 10}, PRESET, PRESET | SMALL,
        PRESET | SMALL | {"batch": 64, "epochs": 4},
    ],
}  # fmt: skip
"""The settings that were tried in Leduc poker; the first is the best, and the one of the tables."""
AS_IT_COMES: dict[str, dict[str, Any]] = {"ppo": {}, "equilibrium": PRESET}
"""The settings of the runs with a schedule that have a time and no number of decisions."""


def wanted(args: Args) -> Iterator[tuple[Result, Row, dict[str, Any]]]:
    """Yield all runs, each with its row and settings: all of a seed, then all of the next."""
    rows = {name: ROWS[name] for name in (args.rows or ROWS)}
    if args.tune:
        for name, row in rows.items():
            for each in SETTINGS.get(name, ()):
                result = Result(f"{name} {each}", "Leduc poker", TUNING_SEED, args.steps, 0)
                yield result, row, each
        return
    for seed, game, (name, row) in product(range(args.seeds), args.games, rows.items()):
        if game in row.skips or (seed and not row.is_random):
            continue
        budgets = [(row.steps, 0.0)] if row.steps else [(args.steps, args.limit)]
        if row.has_schedule:
            budgets = [(args.steps, 0.0)] + [(0, args.limit)] * bool(args.limit)
        for budget in budgets:
            settings = SETTINGS.get(name, [{}])[0] if budget[0] else AS_IT_COMES[name]
            yield Result(name, game, seed, *budget), row, settings


def results(
    out: Path,
    runs: Sequence[tuple[Result, Row, dict[str, Any]]],
    problem_of: Callable[[Result, Row], Any],
    first: float = FIRST,
) -> list[Result]:
    """Return the results of all runs; run what is missing in the file."""
    out.parent.mkdir(parents=True, exist_ok=True)
    lines = out.read_text("utf-8").splitlines() if out.exists() else []
    done = {result.key: result for result in (Result(**json.loads(line)) for line in lines)}
    bar, rehearsed = tqdm([run for run in runs if run[0].key not in done], unit=" runs"), set()
    for result, row, settings in bar:
        bar.set_description(f"{result.row}, {result.game}, seed {result.seed}")
        problem, turns = problem_of(result, row), [result]
        if not row.steps and (row.run, result.game) not in rehearsed:
            turns.insert(0, Rehearsal(result.row, result.game, 0, FIRST, 0))
            rehearsed.add((row.run, result.game))
        for turn in turns:
            turn.begin(first)
            with contextlib.redirect_stdout(io.StringIO()):  # OpenSpiel prints
                row.run(problem, turn, **settings)
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(result)) + "\n")
        done[result.key] = result
    return [done[result.key] for result, *_ in runs]


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return a mean and its 95 % interval over seeds, by Student's t; of one seed, the mean."""
    mean, count = float(np.mean(values)), len(values)
    error = float(np.std(values, ddof=1)) / math.sqrt(count) if count > 1 else 0.0
    half = float(stdtrit(count - 1, 1 - TAIL)) * error if error else 0.0
    return mean, mean - half, mean + half


def cell(values: Sequence[float]) -> str:
    """Return gains as text: the mean, and from three seeds on its interval."""
    if not values:
        return ""
    mean, low, high = interval(values)
    return f"{mean:.3f}" + f" ({max(0, low):.3f} – {high:.3f})" * (len(values) >= LEAST_SEEDS)


def report(found: list[Result], args: Args) -> str:
    """Return the tables: learners after equal decisions, after equal time, and the others."""
    parts = [part_of(found, args, f"after {args.steps:,} decisions", args.steps, 0)]
    if args.limit:
        parts.append(part_of(found, args, f"after {args.limit:g} seconds", 0, args.limit))
    return "\n\n".join(filter(None, [*parts, part_of(found, args, "no learner", 0, 0)]))


def part_of(found: list[Result], args: Args, title: str, steps: int, limit: float) -> str:
    """Return the table of one budget; that of the rows that do not learn for none."""
    is_learner, lines = bool(steps or limit), []
    for name in [name for name in ROWS if name in {result.row for result in found}]:
        if is_learner == bool(ROWS[name].steps):
            continue
        cells = []
        for game in args.games:
            own = [each for each in found if (each.row, each.game) == (name, game)]
            own = [each for each in own if each.steps >= steps and each.limit >= limit]
            seconds = f", {own[0].seconds[-1]:.1f} s" if own and not is_learner else ""
            cells.append(cell([each.after(steps, limit) for each in own]) + seconds)
        lines.append([ROWS[name].title, *cells])
    return table([title, *args.games], lines) if lines else ""


def tried(found: list[Result], args: Args) -> str:
    """Return the table of the settings that were tried."""
    lines = []
    for result, (_, row, settings) in zip(found, wanted(args), strict=True):
        usual = AS_IT_COMES.get(result.row.split()[0], {})
        changed = [
            f"{name}={value}" for name, value in settings.items() if value != usual.get(name)
        ]
        gain = f"{result.worths[-1]:.3f}"
        lines.append([row.title, " ".join(changed) or "as it comes", gain])
    return table(["algorithm", "settings", "gain"], lines)


COLOURS = {
    "ppo": "#0072b2", "equilibrium": "#009e73", "sb3": "#56b4e9", "dqn": "#d55e00",
    "nfsp": "#cc79a7", "mccfr": "#e69f00",
}  # fmt: skip
"""The learners, of which curves are drawn."""


def curve(own: list[Result], name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return decisions or seconds, and the gains there: float64[seeds, 40]."""
    read = [(np.log(getattr(each, name)), each.worths) for each in own]
    points = np.linspace(max(at[0] for at, _ in read), min(at[-1] for at, _ in read), 40)
    return np.exp(points), np.array([np.interp(points, at, worths) for at, worths in read])


def draw(found: list[Result], path: Path) -> None:
    """Draw the gains of learners against decisions and time: the mean, the least, the largest."""
    games = list(dict.fromkeys(result.game for result in found))
    figure = Figure(figsize=(3.2 * len(games), 6.2), layout="constrained")
    panels = figure.subplots(2, len(games), squeeze=False)
    for column, game in zip(panels.T, games, strict=True):
        for name, colour in COLOURS.items():
            every = [each for each in found if (each.row, each.game) == (name, game)]
            for axes, of, budget in zip(column, ("at", "seconds"), ("steps", "limit"), strict=True):
                if not (own := [each for each in every if getattr(each, budget)]):
                    continue
                at, gains = curve(own, of)
                axes.plot(at, gains.mean(0), color=colour, label=ROWS[name].title.replace("`", ""))
                axes.fill_between(at, gains.min(0), gains.max(0), color=colour, alpha=0.2, lw=0)
        column[0].set(title=game, xlabel="decisions of both seats")
        column[1].set(xlabel="seconds of processor time")
        for axes in column:
            axes.set(xscale="log", yscale="log")
            axes.set_ylim(bottom=max(0.01, axes.get_ylim()[0]))  # some gain is 0
            axes.xaxis.set_major_locator(LogLocator(subs=(1,)))
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.xaxis.set_major_formatter("{x:g}")
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.yaxis.set_minor_formatter(NullFormatter())
            axes.yaxis.set_major_formatter("{x:g}")
            axes.grid(alpha=0.3)
        column[0].xaxis.set_major_formatter(EngFormatter(sep=""))
    for axes in panels[:, 0]:
        axes.set_ylabel("gain of a best response")
    lines, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(lines, labels, loc="outside upper center", ncols=3)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def main() -> None:
    """Run what is missing, and print the table."""
    args = tyro.cli(Args, description=__doc__)
    torch.set_num_threads(1)
    sys.path += [str(ROOT), *(str(ROOT / "examples" / name) for name in EXAMPLES)]
    from tests import poker

    poker.register("wait", MODULES)
    problems = {game: Problem(game) for game in GAMES}

    def problem_of(result: Result, row: Row) -> Problem:
        problem = problems[result.game]
        _ = problem.whole, row.skips and problem.states  # before the clock
        return problem

    found = results(args.out, list(wanted(args)), problem_of)
    print(tried(found, args) if args.tune else report(found, args))
    if args.plot:
        draw(found, args.plot)


if __name__ == "__main__":
    print_everywhere()
    main()
