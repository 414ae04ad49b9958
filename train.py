"""Train an agent for Gubs by self-play, and measure it against random and the heuristic.

    ./run train                     about five minutes on two cores
    ./run train --players 4 --steps 5000000 --out runs/four
    ./run train --resume runs/four  go on after an interruption

The learner (MaskablePPO of sb3-contrib) holds a random seat of every game. When a game begins,
each other seat is given to the random agent, the heuristic, the newest policy or an older snapshot
of it. The reward is what the learner's own seat is paid at the end of the game.

Everything is written to the output folder: options.json, progress.csv, TensorBoard files, the model
and, at the end, results.md. Ctrl-C saves the model and says where.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import time
from collections import deque
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, make_output_format
from tqdm import tqdm

import agents
from agents.arena import WinRate, win_rate
from agents.policy import Counts, Policy
from gubs_env import gubs_v0
from gubs_env.api.sb3 import SelfPlayVecEnv

BASELINES = ("random", "heuristic")
RECENT_GAMES = 1000  # over which the win rates of the progress bar are taken


def option(default: Any, text: str) -> Any:
    return field(default=default, metadata={"help": text})


@dataclass
class Options:
    players: int = option(2, "seats at the table, 2 to 6")
    steps: int = option(1_000_000, "decisions of the learner to train for")
    games: int = option(128, "games played side by side")
    rollout: int = option(128, "decisions of each game between two updates")
    batch: int = option(2048, "decisions in a minibatch")
    epochs: int = option(4, "passes over the decisions of an update")
    learning_rate: float = option(5e-4, "first step size of Adam; falls linearly to a tenth")
    entropy: float = option(0.01, "weight of the entropy bonus")
    width: int = option(256, "units in each of the two hidden layers")
    snapshots: int = option(8, "older policies kept as opponents")
    snapshot_every: int = option(6, "updates between two snapshots")
    baseline_share: float = option(0.4, "chance of a baseline as opponent")
    deals: int = option(1000, "deals of the final measurement, each played from every seat")
    seed: int = option(0, "makes the run reproducible on the same machine")
    out: str = option("runs/gubs", "folder to write to")


class Opponents(BaseCallback):
    """Renews the pool of opponents, counts wins against each, and shows the progress bar."""

    model: MaskablePPO

    def __init__(self, options: Options, env: SelfPlayVecEnv, bar: tqdm) -> None:
        super().__init__()
        self.options, self.env, self.bar = options, env, bar
        self.updates = 0
        self.wins = {name: deque[float](maxlen=RECENT_GAMES) for name in BASELINES}

    def _on_step(self) -> bool:
        self.bar.update(self.model.num_timesteps - self.bar.n)
        for info in self.locals["infos"]:
            opponents = set(info.get("opponents", ()))
            if len(opponents) == 1 and (number := opponents.pop()) < len(BASELINES):
                self.wins[BASELINES[number]].append(info["episode"]["r"])
        return True

    def _on_rollout_end(self) -> None:
        for name, payoffs in self.wins.items():
            if payoffs:
                n = self.options.players
                rate = (np.mean(payoffs) * (n - 1) + 1) / n
                self.logger.record(f"win_rate/{name}", rate)
        self.bar.set_postfix(
            {n: f"{self.logger.name_to_value.get(f'win_rate/{n}', 0):.0%}" for n in BASELINES}
        )
        if self.updates % self.options.snapshot_every == 0:
            keep_snapshot(self.env, self.model, self.options)
        self.updates += 1


def keep_snapshot(env: SelfPlayVecEnv, model: MaskablePPO, options: Options) -> None:
    """Add a frozen copy of the policy to the pool; beyond `snapshots` it replaces a random one."""
    frozen = Policy(copy.deepcopy(model.policy))
    pool = list(env.opponents)
    first = len(BASELINES) + 1  # after the baselines and the newest policy
    if len(pool) < first + options.snapshots:
        pool.append(frozen)
    else:
        pool[env.rng.integers(first, len(pool))] = frozen
    set_pool(env, pool, options)


def set_pool(env: SelfPlayVecEnv, pool: list, options: Options) -> None:
    """Baselines share `baseline_share`; the newest policy has half of the rest, snapshots half."""
    older = len(pool) - len(BASELINES) - 1
    rest = 1 - options.baseline_share
    newest = rest / 2 if older else rest
    shares = [options.baseline_share / len(BASELINES)] * len(BASELINES) + [newest]
    env.set_opponents(pool, shares + [(rest - newest) / max(older, 1)] * older)


def make_model(options: Options, env: SelfPlayVecEnv, resume: Path | None) -> MaskablePPO:
    """The learner, new or as it was saved."""
    if resume:
        return MaskablePPO.load(resume, env=env, device="cpu")
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda left: options.learning_rate * max(0.1, left),
        n_steps=options.rollout,
        batch_size=options.batch,
        n_epochs=options.epochs,
        gamma=1.0,
        gae_lambda=0.95,
        ent_coef=options.entropy,
        policy_kwargs={
            "features_extractor_class": Counts,
            "net_arch": [options.width, options.width],
            "activation_fn": torch.nn.ReLU,
        },
        seed=options.seed,
        device="cpu",
    )


def train(options: Options, resume: bool = False) -> MaskablePPO:
    """Train to `options.steps`; an interruption by Ctrl-C saves the model and ends the program."""
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "options.json").write_text(json.dumps(asdict(options), indent=2))
    saved = out / "model.zip"

    baselines = [agents.make(name, options.players, options.seed) for name in BASELINES]
    env = SelfPlayVecEnv(
        gubs_v0.GAME, options.games, baselines, num_players=options.players, seed=options.seed
    )
    model = make_model(options, env, saved if resume else None)
    set_pool(env, [*baselines, Policy(model.policy)], options)
    # A resumed run writes files of its own beside those of the run before.
    suffix = f"_{model.num_timesteps}" if resume else ""
    formats = [make_output_format(name, str(out), suffix) for name in ("csv", "tensorboard")]
    model.set_logger(Logger(str(out), formats))
    left = options.steps - model.num_timesteps
    with tqdm(total=options.steps, initial=model.num_timesteps, unit=" steps") as bar:
        try:
            if left > 0:
                watch = Opponents(options, env, bar)
                model.learn(left, callback=watch, reset_num_timesteps=not resume)
        except KeyboardInterrupt:
            model.save(saved)
            bar.close()
            print(f"interrupted: saved {saved}; go on with: ./run train --resume {out}")
            sys.exit(130)
        finally:
            model.logger.close()
    model.save(saved)
    return model


def measure(model: MaskablePPO, options: Options) -> dict[str, WinRate]:
    """Win rates of the trained policy against each baseline, on deals no training game used."""
    trained = Policy(model.policy)
    results = {}
    for name in tqdm(BASELINES, desc="measuring", unit=" agents"):
        opponent = agents.make(name, options.players, options.seed)
        results[name] = win_rate(
            gubs_v0.GAME, trained, opponent, options.players, options.deals, seed=10**9
        )
    return results


def report(results: dict[str, WinRate], options: Options, minutes: float) -> None:
    """The table of win rates, on the terminal and as results.md."""
    title = f"Trained agent, {options.players} players, {options.steps:,} steps, {minutes:.1f} min"
    table = Table("against", "wins", "95 % interval", "games", title=title)
    lines = [f"{title}\n", "| against | wins | 95 % interval | games |", "|---|---|---|---|"]
    for name, result in results.items():
        cells = (name, f"{result.rate:.1%}", f"{result.low:.1%} – {result.high:.1%}")
        table.add_row(*cells, str(result.games))
        lines.append(f"| {' | '.join(cells)} | {result.games} |")
    Console().print(table)
    path = Path(options.out) / "results.md"
    path.write_text("\n".join(lines) + "\n")
    print(f"model and logs: {options.out}")


def parse(arguments: list[str] | None = None) -> tuple[Options, bool]:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for option in fields(Options):
        name, kind = f"--{option.name.replace('_', '-')}", type(option.default)
        text = f"{option.metadata['help']} (default {option.default})"
        parser.add_argument(name, type=kind, help=text)
    parser.add_argument("--resume", metavar="FOLDER", help="go on with the run in this folder")
    given = {k: v for k, v in vars(parser.parse_args(arguments)).items() if v is not None}
    if folder := given.pop("resume", None):
        path = Path(folder) / "options.json"
        if not path.exists() or not (Path(folder) / "model.zip").exists():
            parser.error(f"--resume {folder}: there is no saved run in that folder")
        given = json.loads(path.read_text()) | given | {"out": folder}
    return Options(**given), folder is not None


def main() -> None:
    options, resume = parse()
    start = time.monotonic()
    model = train(options, resume)
    report(measure(model, options), options, (time.monotonic() - start) / 60)


if __name__ == "__main__":
    main()
