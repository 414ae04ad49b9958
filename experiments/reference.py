"""Which algorithm learns these games? Ten algorithms, measured by exact best responses.

    ./run reference                              # run what is missing, and print the table
    ./run reference --rows nfsp --seeds 5        # one row of the table
    ./run reference --plot docs/images/reference.png

Learners play as many decisions as `--steps` says, those of both seats counted. Algorithms that are
told the whole tree have iterations in their place. Each finished run is a line of the file of
results and is not repeated. docs/research/reference-algorithms.md has the method and the table.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, NamedTuple

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
from tqdm import tqdm

from gubs_agents.exploit import PROBLEMS, WholeGame
from gubs_agents.training.options import PRESETS, Options
from gubs_agents.training.run import Run
from gubs_env import find_table
from gubs_env.adapters import openspiel
from gubs_env.api.sb3 import Pool, SelfPlayVecEnv
from gubs_env.engine.option_texts import options_text
from gubs_env.support.markdown import table
from gubs_env.support.output import print_everywhere

ROOT = Path(__file__).parents[1]
MODULES = {
    "kuhn_poker_v0": "kuhn_poker",
    "leduc_poker_v0": "tests.poker.leduc_poker",
    "liars_dice_v0": "liars_dice",
}
DECK = "gubs-feather"
GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "Kuhn poker": ("kuhn_poker_v0", {}),
    "Leduc poker": ("leduc_poker_v0", {}),
    "Liar's Dice, 4 sides": ("liars_dice_v0", {"sides": 4}),
    DECK: ("gubs", {"letters": "anywhere", "deck": PROBLEMS[DECK].rules.deck}),
}
"""The name of each game and its rules."""
EXAMPLES = ("kuhn_poker", "liars_dice")
POINTS = 10
"""Number of measurements of a learner."""


@dataclass
class Args:
    """Options; the docstring of this file has examples."""

    rows: tuple[str, ...] = ()  # algorithms, of ROWS; none given: all
    games: tuple[str, ...] = tuple(GAMES)  # games
    seeds: int = 3  # seeds of each learner
    steps: int = 50_000  # decisions of each learner, of both seats
    out: Path = Path("runs/reference.jsonl")  # file of the results
    plot: Path | None = None  # draw the curves to this PNG


class Problem:
    """A game whose tree is listed, for us and for OpenSpiel."""

    def __init__(self, name: str) -> None:
        self.name, (self.game, self.rules) = name, GAMES[name]

    @cached_property
    def whole(self) -> WholeGame:
        """The whole tree."""
        return WholeGame(find_table(self.game, 2, self.rules))

    @cached_property
    def spiel(self) -> Any:
        """The game in OpenSpiel, with explicit chance."""
        table = find_table(self.game, 2, self.rules)
        with contextlib.suppress(pyspiel.SpielError):  # it is registered
            openspiel.register(table.game)
        given = options_text(self.rules).replace(",", "+").replace("+deck", ",deck")
        name = openspiel.PREFIX + self.game.removesuffix("_v0")
        return pyspiel.load_game(f"{name}(chance=explicit{',' * bool(given)}{given})")

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

    def gain_of(self, networks: list[Any], greedy: bool = False) -> float:
        """Return the gain against networks, one a seat, whose outputs are scores of actions."""
        whole, shares = self.whole, np.zeros(self.whole.masks.shape)
        for seat, network in enumerate(networks):
            own = whole.seats == seat
            with torch.no_grad():
                scores = network(torch.from_numpy(whole.observations[own]).float()).double()
            scores[torch.from_numpy(whole.masks[own]) == 0] = -torch.inf
            best = torch.nn.functional.one_hot(scores.argmax(dim=1), scores.shape[1])
            shares[own] = (best if greedy else scores.softmax(dim=1)).numpy()
        return whole.exact(shares).gain


@dataclass
class Result:
    """A line of the file of results."""

    row: str
    game: str
    seed: int
    steps: int
    at: list[int] = field(default_factory=list)
    """Decisions or iterations at each measurement."""
    gains: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    """Processor time up to each measurement, without that of measuring."""

    @property
    def key(self) -> tuple[str, str, int, int]:
        """The row, the game, the seed and the steps, which identify a run."""
        return self.row, self.game, self.seed, self.steps

    def begin(self) -> None:
        """Start the clock."""
        self._began = time.process_time()

    def measure(self, at: int, gain: Callable[[], float]) -> None:
        """Measure if that is due, a tenth of the steps after the last time."""
        if at < self.steps * (len(self.at) + 1) / POINTS:
            return
        now = time.process_time()
        self.at.append(at)
        self.seconds.append(round(now - self._began, 2))
        self.gains.append(gain())
        self._began += time.process_time() - now


# --------------------------------------------------------------------------------- ours, and SB3


def ours(problem: Problem, result: Result, **given: Any) -> None:
    """Train as `gubs train` does; it learns from the decisions of one of the two seats."""

    def measure(kind: str, row: dict[str, Any]) -> None:
        if kind == "metrics.csv":
            agent = run.worker.player(run.worker.kept(), draw=True)
            gain = problem.whole.best_responses
            result.measure(2 * row["timesteps"], lambda: gain(agent).gain)

    with TemporaryDirectory() as folder:
        options = Options(
            game=problem.game, players=2, rules=options_text(problem.rules), seed=result.seed,
            steps=result.steps // 2, out=folder, report_deals=2, evaluation_deals=2,
            games=256, rollout=8, **given,
        )  # fmt: skip
        run = Run(options, on_row=measure)
        run.train()
        if run.stopping:
            sys.exit("reference: interrupted; the same command starts this run anew")


def maskable_ppo(problem: Problem, result: Result) -> None:
    """Train MaskablePPO of sb3-contrib against itself, with its default options."""

    class Itself:
        def act(self, observations: np.ndarray, masks: np.ndarray, rngs: Any = None) -> np.ndarray:
            return model.predict(observations, action_masks=masks)[0]

    def gain() -> float:
        seen, masks = torch.from_numpy(problem.whole.observations), problem.whole.masks
        with torch.no_grad():
            asked: Any = model.policy.get_distribution(seen, action_masks=masks)
        return problem.whole.exact(asked.distribution.probs.double().numpy()).gain

    games = find_table(problem.game, 2, problem.rules)
    envs = SelfPlayVecEnv(games, 64, Pool({"itself": Itself()}), seed=result.seed)
    model = MaskablePPO("MlpPolicy", envs, n_steps=16, seed=result.seed)
    while 2 * model.num_timesteps < result.steps:
        model.learn(1, reset_num_timesteps=False)
        result.measure(2 * model.num_timesteps, gain)


# ------------------------------------------------------------------------------------- OpenSpiel


def rounds(problem: Problem, result: Result, agents: list[Any]) -> Iterator[int]:
    """Play games between agents of OpenSpiel, and yield the decisions after each of them."""
    decisions, kind = 0, rl_environment.ObservationType.OBSERVATION
    env = rl_environment.Environment(problem.spiel, observation_type=kind)
    env.seed(result.seed)
    while decisions < result.steps:
        seen = env.reset()
        while not seen.last():
            seen = env.step([agents[seen.current_player()].step(seen).action])
            decisions += 1
        for agent in agents:
            agent.step(seen)
        yield decisions


SHARED: dict[str, Any] = {"batch_size": 128, "learn_every": 10, "optimizer_str": "adam"}


def dqn(problem: Problem, result: Result) -> None:
    """Train a DQN in each seat; illegal actions are masked in choices and in targets."""
    size, actions = problem.whole.observations.shape[1], problem.whole.masks.shape[1]
    agents = [
        DQN(
            seat, size, actions, [128], learning_rate=1e-3, replay_buffer_capacity=20_000,
            epsilon_decay_duration=result.steps // 4, epsilon_decay_schedule_str="linear",
            seed=2 * result.seed + seat, **SHARED,
        )
        for seat in range(2)
    ]  # fmt: skip
    networks = [agent._q_network for agent in agents]
    for decisions in rounds(problem, result, agents):
        result.measure(decisions, lambda: problem.gain_of(networks, greedy=True))


def nfsp(problem: Problem, result: Result) -> None:
    """Train NFSP in each seat; the average policies are measured."""
    size, actions = problem.whole.observations.shape[1], problem.whole.masks.shape[1]
    agents = [
        NFSP(
            seat, size, actions, [128], 200_000, 0.1, rl_learning_rate=1e-3,
            sl_learning_rate=1e-3, replay_buffer_capacity=20_000, epsilon_start=0.06,
            epsilon_end=0.001, epsilon_decay_duration=result.steps // 2,
            seed=2 * result.seed + seat, **SHARED,
        )
        for seat in range(2)
    ]  # fmt: skip
    networks = [agent._avg_network for agent in agents]
    for decisions in rounds(problem, result, agents):
        result.measure(decisions, lambda: problem.gain_of(networks))


def mccfr(problem: Problem, result: Result) -> None:
    """Run MCCFR with outcome sampling, on a table of all information states."""

    class Counting(OutcomeSamplingSolver):
        decisions = 0

        def _episode(self, state: Any, *rest: Any, **named: Any) -> float:
            self.decisions += state.current_player() >= 0
            return super()._episode(state, *rest, **named)

    np.random.seed(result.seed)
    solver = Counting(problem.spiel)

    def gain() -> float:
        return problem.gain(solver.average_policy())

    while solver.decisions < result.steps:
        solver.iteration()
        result.measure(solver.decisions, gain)


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


# ----------------------------------------------------------------------------------- the table


class Row(NamedTuple):
    """An algorithm."""

    title: str
    run: Callable[[Problem, Result], None]
    steps: int = 0
    """Iterations, playouts of a decision, or decisions; 0 for those of `--steps`."""
    is_random: bool = True
    """Whether seeds differ."""
    is_tabular: bool = False
    """Whether it needs all information states told apart by their observations."""


LONGER = 1_000_000
EQUILIBRIUM = partial(ours, **PRESETS["equilibrium"])
ROWS = {
    "ppo": Row("PPO, `gubs train`", partial(ours, imitate=0)),
    "equilibrium": Row("PPO, `gubs train --config equilibrium`", EQUILIBRIUM),
    "longer": Row(f"the same, {LONGER:,} decisions", EQUILIBRIUM, LONGER),
    "sb3": Row("MaskablePPO, sb3-contrib", maskable_ppo),
    "dqn": Row("independent DQN, OpenSpiel", dqn),
    "nfsp": Row("NFSP, OpenSpiel", nfsp),
    "mccfr": Row("MCCFR, outcome sampling, OpenSpiel", mccfr, is_tabular=True),
    "ismcts": Row("ISMCTS, 100 playouts, OpenSpiel", ismcts, 100, is_tabular=True),
    "psro": Row("PSRO, 30 rounds, OpenSpiel", psro, 30, False, True),
    "mmd": Row(
        "magnetic mirror descent, 100 iterations, OpenSpiel", mirror_descent, 100, False, True
    ),
    "cfr": Row("CFR+, 500 iterations", cfr, 500, False),
}


COLOURS = {
    "ppo": "#0072b2", "equilibrium": "#009e73", "longer": "#8fcf9f", "sb3": "#56b4e9",
    "dqn": "#d55e00", "nfsp": "#cc79a7", "mccfr": "#e69f00",
}  # fmt: skip
"""The learners, of which curves are drawn."""


def results(args: Args) -> list[Result]:
    """Return all results that are wanted; run what is missing in the file."""
    args.out.parent.mkdir(parents=True, exist_ok=True)
    lines = args.out.read_text("utf-8").splitlines() if args.out.exists() else []
    done = {result.key: result for result in (Result(**json.loads(line)) for line in lines)}
    problems = {game: Problem(game) for game in args.games}
    wanted = [
        Result(name, game, seed, row.steps or args.steps)
        for game in args.games
        for name, row in ROWS.items()
        for seed in range(args.seeds if row.is_random else 1)
        if name in (args.rows or ROWS) and not (row.is_tabular and game == DECK)
    ]
    bar = tqdm([each for each in wanted if each.key not in done], unit=" runs")
    for result in bar:
        bar.set_description(f"{result.row}, {result.game}, seed {result.seed}")
        problem = problems[result.game]
        _ = problem.whole, ROWS[result.row].is_tabular and problem.states  # before the clock
        result.begin()
        with contextlib.redirect_stdout(io.StringIO()):  # OpenSpiel prints
            ROWS[result.row].run(problem, result)
        with args.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(result)) + "\n")
        done[result.key] = result
    return [done[each.key] for each in wanted]


def report(found: list[Result]) -> str:
    """Return the table: the mean of the last gains, the least and the largest, and the time."""
    games = list(dict.fromkeys(result.game for result in found))
    lines = []
    for name, row in ROWS.items():
        cells = []
        for game in games:
            own = [each for each in found if (each.row, each.game) == (name, game)]
            gains = [each.gains[-1] for each in own]
            spread = f" ({min(gains):.3f} – {max(gains):.3f})" if len(gains) > 1 else ""
            seconds = np.median([each.seconds[-1] for each in own]) if own else 0
            cells.append(f"{np.mean(gains):.3f}{spread}, {seconds:.1f} s" if own else "")
        if any(cells):
            lines.append([row.title, *cells])
    return table(["algorithm", *games], lines)


def draw(found: list[Result], path: Path) -> None:
    """Draw the gains of learners against decisions and time: the mean, the least, the largest."""
    games = list(dict.fromkeys(result.game for result in found))
    figure = Figure(figsize=(3.2 * len(games), 6.2), layout="constrained")
    panels = figure.subplots(2, len(games), squeeze=False)
    for column, game in zip(panels.T, games, strict=True):
        for name, colour in COLOURS.items():
            own = [each for each in found if (each.row, each.game) == (name, game)]
            if not own:
                continue
            gains = np.array([each.gains for each in own])
            for axes, name_of in zip(column, ("at", "seconds"), strict=True):
                at = np.median([getattr(each, name_of) for each in own], axis=0)
                axes.plot(
                    at, gains.mean(axis=0), color=colour, label=ROWS[name].title.replace("`", "")
                )
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
    found = results(args)
    print(report(found))
    if args.plot:
        draw(found, args.plot)


if __name__ == "__main__":
    print_everywhere()
    main()
