"""A training run: imitate, then update after update; evaluate, checkpoint, report.

Several workers each do all of this with a share of the games, and average their gradients.
"""

from __future__ import annotations

import json
import platform
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

import gubs_env
from gubs_agents.arena import WinRate
from gubs_agents.arena.measures import Measure
from gubs_agents.deals import REPORT_DEALS, SELECTION_DEALS
from gubs_agents.networks.architecture import WeightsError
from gubs_agents.networks.network import Network, Weights
from gubs_agents.training import report
from gubs_agents.training.checkpoint import Checkpoint, read_newest, write_checkpoint
from gubs_agents.training.distributed import arrays_of_first, gathered, own_device, rank, size
from gubs_agents.training.evaluation import evaluate, strength
from gubs_agents.training.learner import LearnerFactory, Parameters
from gubs_agents.training.maskable_ppo import MaskablePPOLearner
from gubs_agents.training.metrics import EVALUATIONS, METRICS, TIMES, Metrics
from gubs_agents.training.opponents import NEWEST, Opponents
from gubs_agents.training.options import Options, write_options
from gubs_agents.training.players import (
    Player,
    class_of_player,
    load_policy,
    save_policy,
    weights_of,
)
from gubs_agents.training.plots import draw_curves
from gubs_agents.training.ppo import PPOLearner
from gubs_agents.training.state import opponents_state, part_of, restore_opponents, under
from gubs_agents.training.supervised.imitation import minibatches
from gubs_agents.training.worker import Worker
from gubs_env.agents.registry import (
    Agent,
    MemoryAgent,
    SearchAgent,
    build,
    has_memory,
    imported,
    parse_agent,
)
from gubs_env.support.errors import described, message_of
from gubs_env.support.files import expanded, lock_folder, replace_file
from gubs_env.support.system import handling

SNAPSHOT_SHARE = 0.4
"""Fraction of the deals of an evaluation that are played against each snapshot."""
UPDATES_A_PERIOD = 32
"""Number of updates between two draws of random rules."""


LEARNERS: dict[str, LearnerFactory] = {"ppo": PPOLearner, "sb3": MaskablePPOLearner}
"""The learning algorithms that have a name of their own."""


def learner_of(name: str) -> LearnerFactory:
    """Return the learning algorithm that the option `learner` names."""
    return LEARNERS[name] if name in LEARNERS else imported(name, "learner")


class TrainingError(RuntimeError):
    """Training cannot continue; the last good checkpoint is kept."""


class Run:
    """A training run in its folder, new or resumed, or one of the workers of such a run.

    The workers are the members of the process group of `torch.distributed`; `launch.train` starts
    them.

    Args:
        options: the options of the run.
        resume: continue the run in the folder `options.out`, if it has a checkpoint.
        make_learner: builder of the learning algorithm; None for the one that the options name.
        on_row: called with the name of a table ("metrics.csv", "evaluations.csv" or "times.csv")
            and each new row of it, by column. If it returns True, the run stops after the update
            under way, as at Ctrl-C, and can be resumed. Only the first worker calls it.

    Attributes:
        worker: the games and the learner.
        first: whether this is the first worker, which writes all files but parts of checkpoints.
        update: number of updates so far.
        timesteps: number of decisions of the learner in self-play so far, those of all workers.
        seconds: time spent in self-play so far, with its evaluations and checkpoints, but without
            imitation and the first evaluation.

    Raises:
        OSError: for a folder that cannot be written or that another process is using, or a network
            that is not there.
        TrainingError: for a new run in a folder that holds one, a resumed one whose checkpoints
            are damaged or were edited, or an agent that cannot play in the run.
        ValueError: if another number of workers runs than the options say.
    """

    def __init__(
        self,
        options: Options,
        resume: bool = False,
        make_learner: LearnerFactory | None = None,
        on_row: Callable[[str, dict[str, Any]], object] | None = None,
    ) -> None:
        if options.workers != size():
            raise ValueError(
                f"workers={options.workers}: here are {size()}; `gubs train` starts all of them, "
                "and torchrun if --nproc-per-node says the same"
            )
        self.options, self.folder, self.on_row = options, expanded(options.out), on_row
        self.checkpoints, self.first = self.folder / "checkpoints", rank() == 0
        self._tqdm = tqdm if self.first else partial(tqdm, disable=True)
        """Makes the progress bars; the first worker's may be disabled by TQDM_DISABLE."""
        if self.first:
            self._lock = lock_folder(self.folder)  # held as long as this run is referred to
        if not resume:
            check_new(self.folder)
        self.update, self.timesteps, self.seconds = 0, 0, 0.0
        self.saved, self.begun = 0, 0
        self.latest: dict[str, WinRate] = {}
        self.stopping = self._asked = False
        self.metrics: Metrics | None = None
        self._make()
        checkpoint = self._read() if resume else None
        self.started = checkpoint is not None
        if checkpoint is None:
            self._add_worker(make_learner)
            if self.first:
                self.metrics = Metrics(self.folder)
        else:
            self._restore(checkpoint, make_learner)
        if self.first:
            write_options(options)
            told = json.dumps(versions(), indent=2) + "\n"
            replace_file(self.folder / "versions.json", told)

    def _make(self) -> None:
        options = self.options
        self.table, self.measure = options.table, Measure(options.table)
        self.best = self.measure.lowest
        self.baselines = {text: self._agent(text) for text in options.baseline_list}
        self.teacher = self._teacher() if options.imitate else None

    def _add_worker(self, make_learner: LearnerFactory | None) -> None:
        """Make the games and the learner, and the opponent pool."""
        options = self.options
        share = replace(options.share(rank(), self.begun), device=own_device(options.device))
        try:
            self.worker = Worker(share, make_learner or learner_of(options.learner))
        except RuntimeError as error:  # PyTorch lacks the device, or memory
            raise TrainingError(f"no learner on device={options.device}: {error}") from error
        if options.imitate and has_memory(self.worker.learner):
            raise TrainingError(
                f"imitate={options.imitate}: a learner with a memory cannot imitate decisions one "
                "by one: set it to 0"
            )
        self.opponents = Opponents(
            self.baselines, self._frozen(), options.baseline_share, options.newest_share,
            options.snapshots, options.snapshot_every,
        )  # fmt: skip

    def _agent(self, text: str) -> Any:
        """Return the agent that a text names, at the table of this run."""
        try:
            return build(text, self.table, self.options.seed)
        except (OSError, MemoryError):
            raise
        except Exception as error:
            told = message_of(error) if isinstance(error, ValueError) else described(error)
            raise TrainingError(f"agent {text!r}: {told}") from error

    def _identities(self) -> list[str]:
        return [parse_agent(text).identity for text in self.options.baseline_list]

    def _teacher(self) -> Agent:
        teacher = self._agent(self.options.teacher)
        if isinstance(teacher, SearchAgent | MemoryAgent):
            raise TrainingError(
                f"teacher {self.options.teacher!r} searches or remembers: name one that acts on "
                "observations alone, such as heuristic or policy"
            )
        return teacher

    def _frozen(self) -> Network | Player:
        """Return the policy as it is now, as an agent that samples its actions."""
        return self.worker.player(self.worker.weights(), draw=True)

    # ------------------------------------------------------------------------------- schedules

    @property
    def progress(self) -> float:
        """The fraction of self-play that is done, 0 … 1."""
        if self.options.minutes:
            return min(1.0, self.seconds / 60 / self.options.minutes)
        return min(1.0, self.timesteps / self.options.steps) if self.options.steps else 1.0

    @property
    def shaping(self) -> float:
        """The weight of the potential for the next update."""
        until = self.options.shaping_until
        return self.options.shaping * max(0.0, 1 - self.progress / until) if until else 0.0

    # ------------------------------------------------------------------------------ the main loop

    def train(self) -> None:
        """Train until the steps or minutes are done, or until Ctrl-C, which sets `stopping`.

        Raises:
            TrainingError: when the network gives numbers that are not finite.
        """
        try:
            with handling(SIGINT=self._stop):
                self._train()
        finally:
            if self.metrics:
                self.metrics.close()

    def _train(self) -> None:
        if not self.started:
            self._begin()
        self._clock = time.perf_counter()
        self._agree()
        with self._bar() as bar:
            while self.progress < 1 and not self.stopping:
                self._update_once(bar)
        if self.update != self.saved:
            self._checkpoint()

    def _begin(self) -> None:
        if self.options.weights:
            self.worker.set_weights(self._load(self.options.weights))
        elif size() > 1:
            arrays, _ = self.worker.learner.state()
            self.worker.restore_learner(under("learner", arrays_of_first(arrays)))
        self._imitate()
        self._prepare()
        self.worker.reset()
        self._evaluate()
        self._checkpoint()

    def _load(self, path: str | Path) -> Parameters:
        return load_policy(path, self.worker.learner, self.table)

    def _tick(self) -> None:
        """Add the first worker's time since the last tick to the seconds of self-play."""
        now = time.perf_counter()
        self.seconds = gathered(self.seconds + now - self._clock)[0]
        self._clock = now

    def _agree(self) -> None:
        """Stop if any worker was asked to."""
        self.stopping = any(gathered(self._asked))

    def _stop(self, *_: Any) -> None:
        """Stop after the update under way; a second Ctrl-C stops at once."""
        self._asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def _bar(self) -> tqdm:
        if self.options.minutes:
            total, unit = 60 * self.options.minutes, " s"
        else:
            total, unit = self.options.steps, " steps"
        bar = self._tqdm(total=total, unit=unit, initial=0, bar_format=BAR)
        self._show(bar)
        return bar

    def _show(self, bar: tqdm) -> None:
        bar.n = min(bar.total, self.seconds if self.options.minutes else self.timesteps)
        short = "{:.0%}" if self.measure.counts_wins else "{:+.2f}"
        shown = {name: short.format(result.rate) for name, result in self.latest.items()}
        bar.set_postfix({"steps/s": f"{self.speed:,.0f}"} | shown)

    @property
    def speed(self) -> float:
        """Number of decisions of the learner per second of self-play so far."""
        return self.timesteps / max(self.seconds, 1e-9)

    def _update_once(self, bar: tqdm) -> None:
        """Collect and learn; then, when it is time, evaluate and write a checkpoint."""
        started, shaping = time.perf_counter(), self.shaping
        self._prepare()
        decisions, metrics, times = self._learn()
        self._check_numbers()
        self.update += 1
        self.timesteps += decisions
        self._log(decisions, metrics | {"shaping": shaping}, times, time.perf_counter() - started)
        self._tick()
        if self.update % self.options.evaluate_every == 0 or self.progress == 1:
            self._evaluate()
        self._tick()
        if self.update % self.options.checkpoint_every == 0:
            self._checkpoint()
        self._agree()
        self._show(bar)

    @property
    def steps_an_update(self) -> int:
        """Number of decisions of the learner between two updates."""
        return self.options.games * self.options.rollout

    def _learn(self) -> tuple[int, dict[str, float], dict[str, float]]:
        """Collect and learn.

        Returns:
            Number of decisions of all workers, the learner's metrics, and the seconds that the
            parts of collecting took here.
        """
        try:
            decisions, metrics, seconds, results = self.worker.update(self.progress)
        except ValueError as error:  # numbers that are no distribution, or so large that they
            self._check_numbers()  # outweigh those by which illegal actions are masked
            raise TrainingError(
                f"in update {self.update + 1}: {error}; the last good checkpoint is in "
                f"{self.checkpoints}"
            ) from error
        shares = [{label: each.tolist() for label, each in part.items()} for part in results]
        for rollouts in gathered(shares):
            for part in rollouts:
                of_games = {label: np.array(each, float) for label, each in part.items()}
                self.opponents.count(of_games, self.worker.num_sides)
        return decisions * size(), metrics, seconds

    def _prepare(self) -> None:
        """Set shaping, opponents and rules for the next update."""
        if self.opponents.wants_snapshot(self.update):
            self.opponents.add(self.update, self._frozen())
        self.opponents.newest = self._frozen()
        self.worker.set_opponents(self.opponents, self.shaping)
        self.worker.set_rules(self.update // UPDATES_A_PERIOD)

    def _check_numbers(self) -> None:
        """Raise TrainingError if the network's numbers or scores are not finite."""
        try:
            self.worker.weights()
        except WeightsError as error:
            raise TrainingError(
                f"in update {self.update + 1} {error}, so scores become infinite or NaN; the last "
                f"good checkpoint is in {self.checkpoints}. A smaller --learning-rate may help"
            ) from None

    def _log(
        self, decisions: int, metrics: dict[str, float], times: dict[str, float], seconds: float
    ) -> None:
        """Write a row of metrics and one of times, and show both in TensorBoard."""
        row = metrics | {"snapshots": len(self.opponents.snapshots)}
        for label in [*self.baselines, NEWEST]:
            name = "win_rate_of" if self.measure.counts_wins else "share_of"
            row[f"{name}_{label}"] = self.opponents.win_shares.get(label, 0.5)
        row = {name: float(f"{value:.6g}") for name, value in row.items()}
        self._write(METRICS, {"update": self.update} | row)
        self._draw("learning", row)
        times = times | {"learning": times.get("learning", seconds - sum(times.values()))}
        rounded = {part: round(value, 4) for part, value in times.items()}
        self._write(TIMES, {"seconds": round(seconds, 4)} | rounded)
        speed = {"steps_a_second": decisions / seconds}
        self._draw("times", times | speed)

    def _write(self, table: str, row: dict[str, Any]) -> None:
        if self.metrics is None:
            return
        self.metrics.write(table, self.timesteps, row)
        if self.on_row is not None and self.on_row(table, {"timesteps": self.timesteps} | row):
            self._asked = True

    def _draw(self, group: str, values: dict[str, float]) -> None:
        if self.metrics is not None:
            self.metrics.show(group, self.timesteps, values)

    # ------------------------------------------------------------------------- now and then

    def _imitate(self) -> None:
        options = self.options
        if self.teacher is None:
            return
        desc = f"imitating {options.teacher}"
        with self._tqdm(total=options.imitate, unit=" decisions", desc=desc) as bar:

            def shown(count: int) -> None:
                if self._asked:
                    raise KeyboardInterrupt
                bar.update(count)

            self.worker.imitate(minibatches(self.teacher, options, shown))

    def _evaluate(self) -> None:
        """Measure the policy against baselines and snapshots; keep it if it is the best so far.

        A reference policy is kept always.
        """
        deals = self.options.evaluation_deals
        weights, first, draw = self.worker.kept(), SELECTION_DEALS.start, self.options.draws
        player = self.worker.player(weights, draw)
        self.latest = evaluate(player, self.baselines, self.table, deals, first)
        pool = {
            label: self.worker.player(snapshot.weights, draw)
            for label, snapshot in self.opponents.snapshots.items()
        }
        fewer = max(2, int(SNAPSHOT_SHARE * deals))
        snapshots = evaluate(player, pool, self.table, fewer, first)
        for label, result in (self.latest | snapshots).items():
            taken_at = self.steps_an_update * int(label.split()[1]) if label in snapshots else ""
            self._write(EVALUATIONS, {"opponent": label, "taken_at": taken_at} | result._asdict())
            self._draw("wins", {label: result.rate})
        # A reference policy gets ever harder to exploit, which no result against baselines shows.
        if self.latest and (self.options.reference or strength(self.latest) > self.best):
            self.best = strength(self.latest)
            if isinstance(weights, Weights) and not self.options.values_payoffs:
                weights = replace(weights, value=None)
            if self.first:
                path, varied = self.folder / "best.safetensors", bool(self.options.variety)
                save_policy(path, weights, self.table, varied)

    def _checkpoint(self) -> None:
        arrays, numbers = self.worker.state()
        pool, numbers["opponents"] = opponents_state(self.opponents, self.worker.seated)
        own = {
            "update": self.update, "timesteps": self.timesteps,
            "workers": size(), "begun": self.begun,
            "self_play_seconds": self.seconds, "best": self.best,
            "latest": {label: list(result) for label, result in self.latest.items()},
            "sizes": self.metrics and self.metrics.sizes(), "baselines": self._identities(),
        }  # fmt: skip
        arrays, numbers = arrays | under("opponents", pool), numbers | {"run": own}
        write_checkpoint(self.checkpoints, self.update, arrays, numbers)
        self.saved = self.update

    def _read(self) -> Checkpoint | None:
        """Return the newest undamaged checkpoint, or None if there is no checkpoint."""
        checkpoint, damaged = read_newest(self.checkpoints)
        for path in damaged if self.first else ():
            print(f"{path} is damaged; going back to the checkpoint before it")
        if checkpoint is None and damaged:
            raise TrainingError(f"every checkpoint in {self.checkpoints} is damaged")
        return checkpoint

    def _restore(self, checkpoint: Checkpoint, make_learner: LearnerFactory | None) -> None:
        """Go back to a checkpoint."""
        try:
            self._continue_from(checkpoint, make_learner)
        except (OSError, MemoryError, TrainingError):
            raise
        except Exception as error:  # whatever numbers of another run make the parts raise
            kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
            told = " ".join(message_of(error).split())
            raise TrainingError(f"{checkpoint.path}: {kind}{told}: {FOREIGN}") from error

    def _continue_from(self, checkpoint: Checkpoint, make_learner: LearnerFactory | None) -> None:
        arrays, numbers, _ = checkpoint
        own = numbers["run"]
        if own["baselines"] != (now := self._identities()):
            raise TrainingError(
                f"{checkpoint.path}: the baselines were {own['baselines']} and are {now}: a file "
                "that one of them names was replaced; bring it back, or start a new run with --out"
            )
        exactly = own["workers"] == size()
        self.begun = own["begun"] if exactly else own["update"]
        self._add_worker(make_learner)
        self.worker.set_rules(max(0, own["update"] - 1) // UPDATES_A_PERIOD)
        snapshots = restore_opponents(
            self.opponents, part_of("opponents", arrays), numbers["opponents"],
            lambda own: self.worker.player(weights_of(self.worker.learner, own), draw=True),
        )  # fmt: skip
        agents = self.opponents.agents | snapshots
        self.update, self.seconds, self.best = own["update"], own["self_play_seconds"], own["best"]
        self.timesteps, self.saved = own["timesteps"], self.update
        self.latest = {label: self.measure.kind(*result) for label, result in own["latest"].items()}
        if exactly:
            self.worker.restore(arrays, numbers, agents)
        else:
            self.worker.restore_learner(arrays)
            self._prepare()
            self.worker.reset()
        if self.first:
            self.metrics = Metrics(self.folder, own["sizes"], self.timesteps)

    # ------------------------------------------------------------------------------- the end

    def report(self) -> dict[str, WinRate]:
        """Measure the best network on the deals of the report; write results, card and curves."""
        options, path = self.options, self.folder / "best.safetensors"
        player = self.worker.player(self._load(path), options.draws)
        with self._tqdm(total=len(self.baselines), unit=" agents", desc="measuring") as bar:
            results = evaluate(
                player, self.baselines, self.table, options.report_deals, REPORT_DEALS.start,
                lambda label: bar.update(),
            )  # fmt: skip
        title = report.title_of(options, self.timesteps, self.seconds)
        if not self.first:
            return results
        times = report.times_of(self.folder)
        if self.begun:
            times += (
                f" From update {self.begun} on, another number of workers, {size()}, went on with "
                "new games."
            )
        report.print_table(title, results)
        print(times)
        report.write_results(self.folder / "results.md", title, results, times)
        report.write_card(
            path.with_suffix(".md"), options, self.timesteps, self.seconds, results, versions(),
            class_of_player(self.worker.learner),
        )  # fmt: skip
        draw_curves(
            self.folder, list(self.baselines), self.worker.num_sides, self.measure.counts_wins
        )
        return results


FOREIGN = (
    "another version of gubs_env wrote this checkpoint, or it was edited; resume with the version "
    "in versions.json, delete its folder to go back to the one before it, or start a new run with "
    "--out"
)
BAR = "{l_bar}{bar}| {n:.0f}/{total:.0f}{unit} [{elapsed}<{remaining}{postfix}]"


def check_new(folder: Path) -> None:
    """Raise TrainingError if a folder holds a run."""
    if any((folder / "checkpoints").glob("*")):
        raise TrainingError(
            f"{folder} holds a run already: continue it with --resume {folder}, delete it, or "
            "write elsewhere with --out"
        )


def versions() -> dict[str, str]:
    """Return the versions of the packages that influence a run."""
    names = ["numpy", "numba", "torch", "gymnasium", "stable-baselines3", "sb3-contrib"]
    own = {"gubs_env": gubs_env.__version__, "python": platform.python_version()}
    return own | {name: version(name) for name in names}
