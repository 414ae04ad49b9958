"""A training run: imitate, then update after update; evaluate, checkpoint, report.

Several workers each do all of this with a share of the games, and average their gradients.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from tqdm import tqdm

from gubs_agents.arena import WinRate
from gubs_agents.arena.measures import Measure
from gubs_agents.deals import REPORT_DEALS, SELECTION_DEALS
from gubs_agents.networks.architecture import WeightsError
from gubs_agents.networks.network import Weights
from gubs_agents.training import checkpoint, opponents
from gubs_agents.training.arrays import under
from gubs_agents.training.distributed import arrays_of_first, gathered, own_device, rank, size
from gubs_agents.training.errors import TrainingError
from gubs_agents.training.evaluation import evaluate, strength
from gubs_agents.training.learner import LearnerFactory
from gubs_agents.training.metrics import EVALUATIONS, METRICS, TIMES, Metrics
from gubs_agents.training.options import LEARNERS, OPTIONS_FILE, Options
from gubs_agents.training.players import load_policy, save_policy
from gubs_agents.training.report import RunReport, versions
from gubs_agents.training.supervised.imitation import minibatches
from gubs_agents.training.worker import Update, Worker
from gubs_env.agents.registry import has_memory, imported
from gubs_env.support.files import expanded, lock_folder, write_json
from gubs_env.support.system import handling

SNAPSHOT_SHARE = 0.4
"""Fraction of the deals of an evaluation that are played against each snapshot."""
BEST = "best.safetensors"
BAR = "{l_bar}{bar}| {n:.0f}/{total:.0f}{unit} [{elapsed}<{remaining}{postfix}]"


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
        self.options, self.table, self.on_row = options, options.table, on_row
        self.folder, self.first = expanded(options.out), rank() == 0
        self.checkpoints = self.folder / checkpoint.FOLDER
        self._tqdm = tqdm if self.first else partial(tqdm, disable=True)
        """Makes the progress bars; the first worker's may be disabled by TQDM_DISABLE."""
        if self.first:
            self._lock = lock_folder(self.folder)  # held as long as this run is referred to
        if not resume:
            checkpoint.check_new(self.folder)
        self.update, self.timesteps, self.seconds = 0, 0, 0.0
        self.saved, self.begun = 0, 0
        self.measure = Measure(self.table)
        self.best, self.latest = self.measure.ends[0] - 1, dict[str, WinRate]()
        self.stopping = self._asked = False
        names = options.baseline_list
        self.baselines = {name: opponents.build_agent(name, options) for name in names}
        self.teacher = opponents.build_teacher(options) if options.imitate else None
        newest = checkpoint.newest(self.checkpoints) if resume else None
        self.started = newest is not None
        if newest is None:
            self._add_worker(make_learner)
            self._open_metrics()
        else:
            with checkpoint.refusing(newest.path):
                self._restore(newest, make_learner)
        if self.first:
            write_json(self.folder / OPTIONS_FILE, asdict(options))
            write_json(self.folder / "versions.json", versions())

    def _add_worker(self, make_learner: LearnerFactory | None) -> None:
        """Make the games and the learner, and the opponent pool."""
        options = self.options
        make = make_learner or imported(LEARNERS.get(options.learner, options.learner), "learner")
        share = replace(options.share(rank(), self.begun), device=own_device(options.device))
        try:
            self.worker = Worker(share, make, self.baselines)
        except RuntimeError as error:  # PyTorch lacks the device, or memory
            raise TrainingError(f"no learner on device={options.device}: {error}") from error
        if options.imitate and has_memory(self.worker.learner):
            raise TrainingError(
                f"imitate={options.imitate}: a learner with a memory cannot imitate decisions one "
                "by one: set it to 0"
            )

    def _open_metrics(self, sizes: Mapping[str, int] | None = None) -> None:
        folder = self.folder if self.first else None
        self.metrics = Metrics(folder, self.on_row, sizes, self.timesteps)

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
                if not self.started:
                    self._begin()
                self._train()
        finally:
            self.metrics.close()

    def _begin(self) -> None:
        """Give all workers one network, imitate, deal, and measure what self-play begins with."""
        if self.options.weights:
            weights = load_policy(self.options.weights, self.worker.learner, self.table)
            self.worker.learner.set_weights(weights)
        elif size() > 1:
            arrays, _ = self.worker.learner.state()
            self.worker.restore_learner(under("learner", arrays_of_first(arrays)))
        self._imitate()
        self._prepare()
        self.worker.reset()
        self._evaluate()
        self._checkpoint()

    def _train(self) -> None:
        """Collect, learn and log, update after update; when it is time, evaluate and save."""
        self._clock = time.perf_counter()
        self._agree_to_stop()
        with self._bar() as bar:
            while self.progress < 1 and not self.stopping:
                started = time.perf_counter()
                self._prepare()
                update = self._learn()
                self._log(update, time.perf_counter() - started)
                self._tick()
                if self.update % self.options.evaluate_every == 0 or self.progress == 1:
                    self._evaluate()
                self._tick()
                if self.update % self.options.checkpoint_every == 0:
                    self._checkpoint()
                self._agree_to_stop()
                self._show(bar)
        if self.update != self.saved:
            self._checkpoint()

    def _stop(self, *_: Any) -> None:
        """Stop after the update under way; a second Ctrl-C stops at once."""
        self._asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def _agree_to_stop(self) -> None:
        """Stop if any worker was asked to."""
        self.stopping = any(gathered(self._asked or self.metrics.stopped))

    def _tick(self) -> None:
        """Add the first worker's time since the last tick to the seconds of self-play."""
        now = time.perf_counter()
        self.seconds = gathered(self.seconds + now - self._clock)[0]
        self._clock = now

    # --------------------------------------------------------------------------------- its steps

    def _imitate(self) -> None:
        options = self.options
        if self.teacher is None:
            return
        desc = f"imitating {options.teacher}"
        with self._tqdm(total=options.imitate, unit=" decisions", desc=desc) as bar:

            def show(count: int) -> None:
                if self._asked:
                    raise KeyboardInterrupt
                bar.update(count)

            self.worker.learner.imitate(minibatches(self.teacher, options, show))

    def _prepare(self) -> None:
        """Set opponents, rules and shaping for the next update."""
        self.worker.prepare(self.update, self.shaping)

    def _learn(self) -> Update:
        """Collect and learn, and count what was done.

        Raises:
            TrainingError: if the network's numbers or scores are not finite, or an opponent fails.
        """
        try:
            update = self.worker.update(self.progress)
        except ValueError as error:
            what, hint = f": {error}", ""
            if isinstance(error, WeightsError):
                what = f" {error}, so scores become infinite or NaN"
                hint = ". A smaller --learning-rate may help"
            raise TrainingError(
                f"in update {self.update + 1}{what}; the last good checkpoint is in "
                f"{self.checkpoints}{hint}"
            ) from error
        self.update += 1
        self.timesteps += update.decisions
        return update

    def _log(self, update: Update, seconds: float) -> None:
        """Write a row of metrics and one of times, and show both in TensorBoard."""
        share = "win_rate_of" if self.measure.counts_wins else "share_of"
        row = update.metrics | {"shaping": self.worker.env.shaping}
        pool = self.worker.opponents
        row["snapshots"] = len(pool.snapshots)
        for label in [*self.baselines, opponents.NEWEST]:
            row[f"{share}_{label}"] = pool.win_shares.get(label, 0.5)
        row = {name: float(f"{value:.6g}") for name, value in row.items()}
        self.metrics.write(METRICS, self.timesteps, {"update": self.update} | row)
        self.metrics.show("learning", self.timesteps, row)
        times = {"seconds": seconds} | update.seconds
        rounded = {part: round(value, 4) for part, value in times.items()}
        self.metrics.write(TIMES, self.timesteps, rounded)
        speed = {"steps_a_second": update.decisions / seconds}
        self.metrics.show("times", self.timesteps, update.seconds | speed)

    def _bar(self) -> tqdm:
        timed = self.options.minutes > 0
        total, unit = (60 * self.options.minutes, " s") if timed else (self.options.steps, " steps")
        bar = self._tqdm(total=total, unit=unit, initial=0, bar_format=BAR)
        self._show(bar)
        return bar

    def _show(self, bar: tqdm) -> None:
        bar.n = min(bar.total, self.seconds if self.options.minutes else self.timesteps)
        short = "{:.0%}" if self.measure.counts_wins else "{:+.2f}"
        shown = {name: short.format(result.rate) for name, result in self.latest.items()}
        speed = self.timesteps / max(self.seconds, 1e-9)
        bar.set_postfix({"steps/s": f"{speed:,.0f}"} | shown)

    def _evaluate(self) -> None:
        """Measure the policy against baselines and snapshots; keep it if it is the best so far.

        A reference policy is kept always.
        """
        options, deals = self.options, self.options.evaluation_deals
        weights, first, draw = self.worker.kept(), SELECTION_DEALS.start, options.draws
        player = self.worker.player(weights, draw)
        self.latest = evaluate(player, self.baselines, self.table, deals, first)
        pool = {
            label: self.worker.player(snapshot.weights, draw)
            for label, snapshot in self.worker.opponents.snapshots.items()
        }
        fewer = max(2, int(SNAPSHOT_SHARE * deals))
        snapshots = evaluate(player, pool, self.table, fewer, first)
        an_update = options.games * options.rollout
        for label, result in (self.latest | snapshots).items():
            taken_at = an_update * opponents.update_of(label) if label in snapshots else ""
            row = {"opponent": label, "taken_at": taken_at} | result._asdict()
            self.metrics.write(EVALUATIONS, self.timesteps, row)
            self.metrics.show("wins", self.timesteps, {label: result.rate})
        # A reference policy gets ever harder to exploit, which no result against baselines shows.
        if self.latest and (options.reference or strength(self.latest) > self.best):
            self.best = strength(self.latest)
            if isinstance(weights, Weights) and not options.values_payoffs:
                weights = replace(weights, value=None)
            if self.first:
                save_policy(self.folder / BEST, weights, self.table, options.variety > 0)

    # ------------------------------------------------------------------------------- checkpoints

    def _checkpoint(self) -> None:
        arrays, numbers = self.worker.state()
        numbers["run"] = {
            "update": self.update, "timesteps": self.timesteps,
            "workers": size(), "begun": self.begun,
            "self_play_seconds": self.seconds, "best": self.best,
            "latest": {label: list(result) for label, result in self.latest.items()},
            "sizes": self.metrics.sizes(), "baselines": opponents.identities(self.options),
        }  # fmt: skip
        checkpoint.write(self.checkpoints, self.update, arrays, numbers)
        self.saved = self.update

    def _restore(self, newest: checkpoint.Checkpoint, make_learner: LearnerFactory | None) -> None:
        """Go back to a checkpoint."""
        arrays, numbers, path = newest
        run = numbers["run"]
        if run["baselines"] != (now := opponents.identities(self.options)):
            raise TrainingError(
                f"{path}: the baselines were {run['baselines']} and are {now}: a file that one of "
                "them names was replaced; bring it back, or start a new run with --out"
            )
        exactly = run["workers"] == size()
        self.begun = run["begun"] if exactly else run["update"]
        self._add_worker(make_learner)
        self.update, self.seconds, self.best = run["update"], run["self_play_seconds"], run["best"]
        self.timesteps, self.saved = run["timesteps"], self.update
        self.latest = {label: self.measure.kind(*result) for label, result in run["latest"].items()}
        self.worker.restore(arrays, numbers, self.update, exactly)
        if not exactly:
            self._prepare()
            self.worker.reset()
        self._open_metrics(run["sizes"])

    # ------------------------------------------------------------------------------- the end

    def report(self) -> dict[str, WinRate]:
        """Measure the best network on the deals of the report; write results, card and curves."""
        options, learner = self.options, self.worker.learner
        weights = load_policy(self.folder / BEST, learner, self.table)
        player, deals = self.worker.player(weights, options.draws), options.report_deals
        with self._tqdm(total=len(self.baselines), unit=" agents", desc="measuring") as bar:
            results = evaluate(
                player, self.baselines, self.table, deals, REPORT_DEALS.start, bar.update
            )
        if self.first:
            RunReport(
                options, self.folder, self.timesteps, self.seconds, self.begun, learner, results
            ).write()
        return results
