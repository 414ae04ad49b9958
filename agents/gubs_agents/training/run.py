"""A training run: imitate, then update after update; evaluate, checkpoint, report."""

from __future__ import annotations

import json
import platform
import signal
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from tqdm import tqdm

import gubs_agents
import gubs_env
from gubs_agents.arena import WinRate
from gubs_agents.by_game import symmetry_of
from gubs_agents.network import Network, Weights, load, save
from gubs_agents.parsing import parse_rules
from gubs_agents.training import report
from gubs_agents.training.checkpoint import read_newest, write_checkpoint
from gubs_agents.training.evaluation import REPORT_DEALS, SELECTION_DEALS, evaluate, strength
from gubs_agents.training.imitation import imitate
from gubs_agents.training.learner import (
    make_learner,
    policy_layers,
    set_layers,
    value_layer,
)
from gubs_agents.training.metrics import EVALUATIONS, METRICS, TIMES, Metrics
from gubs_agents.training.opponents import NEWEST, Opponents
from gubs_agents.training.options import Options, write_options
from gubs_agents.training.plots import draw_curves
from gubs_agents.training.shown import ShownVecEnv
from gubs_agents.training.state import restore_run, run_state
from gubs_env.api.sb3 import SelfPlayVecEnv

LOSSES = {
    "policy_loss": "policy_gradient_loss",
    "value_loss": "value_loss",
    "approx_kl": "approx_kl",
    "clip_fraction": "clip_fraction",
    "explained_variance": "explained_variance",
}
"""Columns of the metrics, and what Stable-Baselines3 calls them."""
SELVES_SHARE = 0.4
"""Of the deals of an evaluation, played against each older self."""


class TrainingError(RuntimeError):
    """Training cannot go on; the last good checkpoint is kept."""


class Watch(BaseCallback):
    """Counts who won, and takes the time of the collecting half of an update.

    While games are collected PyTorch has one thread: batches of one decision a game are too small
    to be shared out.
    """

    def __init__(self, opponents: Opponents, num_sides: int) -> None:
        super().__init__()
        self.opponents, self.num_sides = opponents, num_sides
        self.collected = 0.0
        self.threads = torch.get_num_threads()

    def _on_rollout_start(self) -> None:
        torch.set_num_threads(1)
        self.started = time.perf_counter()

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if "episode" in info:
                self.opponents.count(info["opponents"], info["win_share"], self.num_sides)
        return True

    def _on_rollout_end(self) -> None:
        self.collected = time.perf_counter() - self.started
        torch.set_num_threads(self.threads)


class Run:
    """A training run in its folder, new or gone on with.

    Raises:
        OSError: for a folder that cannot be written.
        TrainingError: for a folder that holds another run, or to go on with one of which no
            checkpoint is whole.
    """

    def __init__(self, options: Options, resume: bool = False) -> None:
        self.options, self.folder = options, Path(options.out)
        self.checkpoints = self.folder / "checkpoints"
        if not resume and any(self.checkpoints.glob("*")):
            raise TrainingError(
                f"{self.folder} holds a run already: go on with --resume {self.folder}, delete it, "
                "or write elsewhere with --out"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        write_options(options)
        (self.folder / "versions.json").write_text(json.dumps(versions(), indent=2) + "\n")
        self.update, self.timesteps, self.seconds, self.best = 0, 0, 0.0, -1.0
        self.saved = 0
        self._make()
        self.latest: dict[str, WinRate] = {}
        self.stopping = False
        checkpoint = self._restore() if resume else None
        if checkpoint is None:
            self.metrics = Metrics(self.folder)
        self.imitated = checkpoint is not None

    def _make(self) -> None:
        options = self.options
        self.game = gubs_env.find_game(options.game)
        n, seed = options.players, options.seed
        self.rules = parse_rules(options.rules, self.game)
        self.baselines = {
            name: gubs_agents.make(name, n, seed, self.game) for name in options.baseline_names
        }

        def lead(observations: np.ndarray) -> np.ndarray:
            return self.game.lead(observations, n)

        self.env = SelfPlayVecEnv(
            self.game, options.games, {"random": gubs_agents.make("random", n, seed)},
            num_players=n, rules=self.rules, seed=seed, potential=lead,
            standing=lead if options.reward == "lead" else None,
        )  # fmt: skip
        self.shown = ShownVecEnv(self.env, symmetry_of(self.game))
        self.model: MaskablePPO = make_learner(options, self.shown, lambda: self.learning_rate)
        self.opponents = Opponents(
            self.baselines, self._frozen(), options.baseline_share, options.newest_share,
            options.snapshots, options.snapshot_every,
        )  # fmt: skip

    def _frozen(self) -> Network:
        """The policy as it is now, which draws its actions."""
        return Network(policy_layers(self.model), draw=True, symmetry=self.shown.symmetry)

    # ------------------------------------------------------------------------------- schedules

    @property
    def progress(self) -> float:
        """Share of the run that is done, 0 … 1."""
        if self.options.minutes:
            return min(1.0, self.seconds / 60 / self.options.minutes)
        return min(1.0, self.timesteps / self.options.steps) if self.options.steps else 1.0

    def falling(self, first: float, last: float) -> float:
        return first + (last - first) * self.progress

    @property
    def learning_rate(self) -> float:
        return self.falling(self.options.learning_rate, self.options.last_learning_rate)

    @property
    def shaping(self) -> float:
        until = self.options.shaping_until
        return self.options.shaping * max(0.0, 1 - self.progress / until) if until else 0.0

    # ------------------------------------------------------------------------------ the main loop

    def train(self) -> None:
        """Go on to the end of the budget, or to Ctrl-C, with which `stopping` is set.

        Raises:
            TrainingError: when the network is no longer made of numbers.
        """
        before = signal.signal(signal.SIGINT, self._stop)
        self._clock = time.perf_counter()
        try:
            if not self.imitated:
                self._begin()
            with self._bar() as bar:
                while self.progress < 1 and not self.stopping:
                    self._update_once(bar)
            if self.update != self.saved:
                self._checkpoint()
        finally:
            signal.signal(signal.SIGINT, before)
            self.metrics.close()

    def _begin(self) -> None:
        if self.options.weights:
            weights = load(self.options.weights, self.game, self.options.players)
            set_layers(self.model, weights)
        self._imitate()
        self._prepare()
        self.model._last_obs = self.shown.reset()
        self.model._last_episode_starts = np.ones(self.options.games, bool)
        self._evaluate()
        self._tick()
        self._checkpoint()

    def _tick(self) -> None:
        """Add what has passed since the last tick to the seconds of the run."""
        now = time.perf_counter()
        self.seconds += now - self._clock
        self._clock = now

    def _stop(self, *_: Any) -> None:
        """The update under way is finished first; a second Ctrl-C waits for nothing."""
        self.stopping = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def _bar(self) -> tqdm:
        if self.options.minutes:
            total, unit = 60 * self.options.minutes, " s"
        else:
            total, unit = self.options.steps, " steps"
        bar = tqdm(total=total, unit=unit, initial=0, bar_format=BAR)
        self._show(bar)
        return bar

    def _show(self, bar: tqdm) -> None:
        bar.n = min(bar.total, self.seconds if self.options.minutes else self.timesteps)
        shown = {name: f"{result.rate:.0%}" for name, result in self.latest.items()}
        bar.set_postfix({"steps/s": f"{self.speed:,.0f}"} | shown)

    @property
    def speed(self) -> float:
        """Decisions of the learner a second, over the run so far."""
        return self.timesteps / max(self.seconds, 1e-9)

    def _update_once(self, bar: tqdm) -> None:
        """Collect and learn; then, when it is time, evaluate and write a checkpoint."""
        started = time.perf_counter()
        self._prepare()
        watch = Watch(self.opponents, self.env.num_sides)
        seconds_before = dict(self.env.seconds)
        self._learn(watch)
        self.update += 1
        self.timesteps = self.model.num_timesteps
        self._check_numbers()
        self._log(watch, seconds_before, time.perf_counter() - started)
        self._tick()
        if self.update % self.options.evaluate_every == 0 or self.progress == 1:
            self._evaluate()
        self._tick()
        if self.update % self.options.checkpoint_every == 0:
            self._checkpoint()
        self._show(bar)

    def _learn(self, watch: Watch) -> None:
        steps = self.options.games * self.options.rollout
        try:
            self.model.learn(steps, watch, reset_num_timesteps=False)
        except ValueError:  # by which PyTorch refuses to draw from what is no distribution
            self._check_numbers()
            raise

    def _prepare(self) -> None:
        """Schedules and opponents of the next update."""
        self.model.ent_coef = self.falling(self.options.entropy, self.options.last_entropy)
        self.env.shaping = self.shaping
        if self.opponents.wants_snapshot(self.update):
            self.opponents.add(self.update, self._frozen())
        self.opponents.newest.layers = policy_layers(self.model)
        self.env.set_opponents(self.opponents.agents, self.opponents.chances(), partner=NEWEST)

    def _check_numbers(self) -> None:
        policy: Any = self.model.policy
        observations, _ = policy.obs_to_tensor(self.env.games.observations)
        scores = policy.action_net(policy.extract_features(observations))
        if bool(torch.isfinite(scores).all()):
            return
        raise TrainingError(
            f"in update {self.update + 1} the network came to give numbers that are not finite; "
            f"the last good checkpoint is in {self.checkpoints}. A smaller --learning-rate may help"
        )

    def _log(self, watch: Watch, seconds_before: dict[str, float], seconds: float) -> None:
        said, timesteps = self.model.logger.name_to_value, self.timesteps
        row = {name: said[f"train/{key}"] for name, key in LOSSES.items()}
        row |= {
            "entropy": -said["train/entropy_loss"],
            "learning_rate": said["train/learning_rate"],
            "shaping": self.env.shaping,
            "snapshots": len(self.opponents.snapshots),
        }
        for label in [*self.baselines, "newest"]:
            row[f"wins_of_{label}"] = self.opponents.win_shares.get(label, 0.5)
        row = {name: float(f"{value:.6g}") for name, value in row.items()}
        self.metrics.write(METRICS, timesteps, {"update": self.update} | row)
        self.metrics.show("learning", timesteps, row)
        times = {part: self.env.seconds[part] - seconds_before[part] for part in seconds_before}
        times["inference"] = watch.collected - sum(times.values())
        times["learning"] = seconds - watch.collected
        self.metrics.write(
            TIMES, timesteps, {"seconds": round(seconds, 4)}
            | {part: round(value, 4) for part, value in times.items()},
        )  # fmt: skip
        steps = self.options.games * self.options.rollout
        self.metrics.show("times", timesteps, times | {"steps_a_second": steps / seconds})

    # ------------------------------------------------------------------------- now and then

    def _imitate(self) -> None:
        options = self.options
        if not options.imitate:
            return
        teacher = gubs_agents.make(options.teacher, options.players, options.seed, self.game)
        bar = tqdm(total=options.imitate, unit=" decisions", desc=f"imitating {options.teacher}")
        with bar:

            def shown(count: int) -> None:
                if self.stopping:
                    raise KeyboardInterrupt
                bar.update(count)

            imitate(self.model, self.game, teacher, options, self.rules, shown)

    def _evaluate(self) -> None:
        """Against the baselines and the older selves; the best network so far is kept."""
        deals, n = self.options.evaluation_deals, self.options.players
        layers = policy_layers(self.model)
        self.latest = evaluate(
            layers, self.baselines, self.game, n, deals, SELECTION_DEALS, self.rules
        )
        selves = evaluate(
            layers, self.opponents.snapshots, self.game, n, max(2, int(SELVES_SHARE * deals)),
            SELECTION_DEALS, self.rules,
        )  # fmt: skip
        for label, result in (self.latest | selves).items():
            steps = self.options.games * self.options.rollout
            taken_at = steps * int(label.split()[1]) if label in selves else ""
            self.metrics.write(
                EVALUATIONS, self.timesteps,
                {"opponent": label, "taken_at": taken_at} | result._asdict(),
            )  # fmt: skip
            self.metrics.show("wins", self.timesteps, {label: result.rate})
        if self.latest and strength(self.latest) > self.best:
            self.best = strength(self.latest)
            value = value_layer(self.model) if self.options.values_payoffs else None
            weights = Weights(layers, value)
            save(self.folder / "best.safetensors", weights, self.game, n)

    def _checkpoint(self) -> None:
        arrays, numbers = run_state(self.model, self.env, self.opponents)
        own = {
            "update": self.update, "seconds": self.seconds, "best": self.best,
            "latest": {label: list(result) for label, result in self.latest.items()},
            "sizes": self.metrics.sizes(),
        }  # fmt: skip
        write_checkpoint(self.checkpoints, self.update, arrays, numbers | {"run": own})
        self.saved = self.update

    def _restore(self) -> object:
        """Back to the newest checkpoint that is whole; None where there is none at all."""
        checkpoint, damaged = read_newest(self.checkpoints)
        for path in damaged:
            print(f"{path} is damaged; going back to the checkpoint before it")
        if checkpoint is None:
            if damaged:
                raise TrainingError(f"no checkpoint in {self.checkpoints} is whole")
            return None
        restore_run(self.model, self.env, self.opponents, *checkpoint)
        own = checkpoint.numbers["run"]
        self.update, self.seconds, self.best = own["update"], own["seconds"], own["best"]
        self.timesteps, self.saved = self.model.num_timesteps, self.update
        self.latest = {label: WinRate(*numbers) for label, numbers in own["latest"].items()}
        self.metrics = Metrics(self.folder, own["sizes"], self.timesteps)
        return checkpoint

    # ------------------------------------------------------------------------------- the end

    def report(self) -> dict[str, WinRate]:
        """Measure the best network on deals of its own; write results, model card and curves."""
        options, path = self.options, self.folder / "best.safetensors"
        layers = load(path, self.game, options.players).policy
        with tqdm(total=len(self.baselines), unit=" agents", desc="measuring") as bar:
            results = evaluate(
                layers, self.baselines, self.game, options.players, options.report_deals,
                REPORT_DEALS, self.rules, lambda label: bar.update(),
            )  # fmt: skip
        title = report.title_of(options, self.timesteps, self.seconds)
        report.print_table(title, results)
        report.write_results(self.folder / "results.md", title, results)
        report.write_card(path.with_suffix(".md"), options, title, results, versions())
        draw_curves(self.folder, list(self.baselines), self.env.num_sides)
        return results


BAR = "{l_bar}{bar}| {n:.0f}/{total:.0f}{unit} [{elapsed}<{remaining}{postfix}]"


def versions() -> dict[str, str]:
    """Of what a run depends on."""
    names = ("numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")
    own = {"gubs_env": gubs_env.__version__, "python": platform.python_version()}
    return own | {name: version(name) for name in names}
