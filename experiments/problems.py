"""The named problems: their values, and the exact gain of a best response to agents and learners.

    python experiments/problems.py                       # docs/research/named-problems.md
    python experiments/problems.py --plot docs/images/problems.png

Three learners train on each problem with several seeds, and draw their actions: PPO, PPO with a
reference policy, and the average policy of fictitious self-play (Heinrich, Lanctot and Silver,
"Fictitious self-play in extensive-form games", 2015). The last is PPO against the snapshots of all
earlier policies, drawn uniformly, and one game in ten against itself; what is measured is one of
these snapshots, drawn for each game. Kuhn poker and Leduc poker, of the tests, are problems too.
What is finished in the folder is not repeated.
"""

from __future__ import annotations

import csv
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro

import gubs_agents
from gubs_agents.exploit import PROBLEMS, WholeGame
from gubs_agents.training.options import Options
from gubs_agents.training.run import Run
from gubs_env import find_game, find_table
from gubs_env.engine.option_texts import options_text
from gubs_env.support.markdown import table
from gubs_env.support.output import print_everywhere

ROOT = Path(__file__).parents[1]
POKER = {"Kuhn poker": "kuhn_poker_v0", "Leduc poker": "leduc_poker_v0"}
NAMES = [*PROBLEMS, *POKER]
SHARED: dict[str, Any] = {
    "players": 2, "imitate": 0, "games": 512, "rollout": 4, "width": 64, "batch": 512,
    "gae_lambda": 1.0, "learning_rate": 1e-3, "last_learning_rate": 1e-5, "baseline_share": 0.0,
    "newest_share": 1.0, "evaluate_every": 100_000, "checkpoint_every": 100_000,
    "precision": "float32", "report_deals": 2, "evaluation_deals": 2,
}  # fmt: skip
"""Options of all learners, as for Kuhn poker in docs/research/reference-policy.md."""
AVERAGE = "average policy"
LEARNERS: dict[str, dict[str, Any]] = {
    "PPO": {"entropy": 0.01, "last_entropy": 0.01},
    "reference policy": {
        "entropy": 0.0, "last_entropy": 0.0, "reference": 0.3, "reference_rate": 0.05,
        "last_reference_rate": 0.003,
    },
    AVERAGE: {
        "entropy": 0.01, "last_entropy": 0.01, "last_learning_rate": 1e-3, "newest_share": 0.1,
        "snapshots": 100, "snapshot_every": 8,
    },
}  # fmt: skip
SCRIPTED = ("random", "greedy", "heuristic")
COLUMNS = ("problem", "learner", "seed", "decisions", "gain")


@dataclass
class Args:
    """Options; the docstring of this file has examples."""

    decisions: int = 300_000  # decisions of each learner
    seeds: int = 3  # seeds of each learner
    points: int = 6  # measurements of each run
    out: Path = Path("runs/problems")  # folder for the runs and learning.csv
    plot: Path | None = None  # draw the curves to this PNG


def options_of(name: str) -> dict[str, Any]:
    """Return the options of training that name a problem."""
    if name in POKER:
        return {"game": POKER[name]}
    deck = PROBLEMS[name].rules.deck
    return {"game": "gubs", "rules": options_text({"letters": "anywhere", "deck": deck})}


def whole_of(name: str) -> WholeGame:
    """Return the whole tree of a problem."""
    if name in POKER:
        return WholeGame(find_table(POKER[name]))
    return WholeGame(PROBLEMS[name])


def curve(name: str, whole: WholeGame, learner: str, seed: int, args: Args) -> list[Any]:
    """Train a learner, and return the gain of a best response to it during training."""
    folder = args.out / f"{name} {learner} {seed}"
    given = SHARED | LEARNERS[learner] | options_of(name)
    options = Options(**given, seed=seed, steps=args.decisions, out=str(folder))
    rows: list[Any] = []

    def measure(kind: str, row: dict[str, Any]) -> None:
        run.worker.opponents.win_shares.clear()  # so that all snapshots are equally likely
        due = args.decisions * (len(rows) + 1) / args.points
        if kind == "metrics.csv" and row["timesteps"] >= due:
            agents: list[Any] = [run.worker.player(run.worker.kept(), draw=True)]
            if learner == AVERAGE:
                agents = list(run.worker.opponents.snapshots.values())
            gain = whole.best_responses(*agents).gain
            rows.append((name, learner, seed, row["timesteps"], gain))

    shutil.rmtree(folder, ignore_errors=True)
    run = Run(options, on_row=measure)
    run.train()
    if run.stopping:
        sys.exit("problems: interrupted; the same command starts this run anew")
    return rows


def learned(path: Path, wholes: dict[str, WholeGame], args: Args) -> list[dict[str, str]]:
    """Return all rows of the curves; train what is missing in the file."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(",".join(COLUMNS) + "\n", "utf-8")
    for name, whole in wholes.items():
        for learner in LEARNERS:
            for seed in range(args.seeds):
                done = read(path)
                key = name, learner, str(seed)
                if key not in {(row["problem"], row["learner"], row["seed"]) for row in done}:
                    rows = curve(name, whole, learner, seed, args)
                    with path.open("a", encoding="utf-8", newline="") as file:
                        csv.writer(file).writerows(rows)
    return read(path)


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


def report(wholes: dict[str, WholeGame], rows: list[dict[str, str]]) -> str:
    """Return the table of all problems."""
    lines = []
    for name, whole in wholes.items():
        solved = whole.solve(500)
        game = find_game(options_of(name)["game"])
        scripted = [each for each in SCRIPTED if each in gubs_agents.names(game)]
        agents = [gubs_agents.make(each, find_table(game, 2), seed=0) for each in scripted]
        cells = [f"{whole.best_responses(agent).gain:.3f}" for agent in agents]
        cells += [""] * (len(SCRIPTED) - len(cells))
        for learner in LEARNERS:
            own = [row for row in rows if (row["problem"], row["learner"]) == (name, learner)]
            last = {row["seed"]: float(row["gain"]) for row in own}
            gains = list(last.values())
            cells.append(f"{np.mean(gains):.3f} ({min(gains):.3f} – {max(gains):.3f})")
        size = f"{whole.nodes:,}", f"{whole.information_states:,}"
        lines.append([name, *size, f"{solved.value:+.3f}", f"{solved.gain:.4f}", *cells])
    head = ["problem", "nodes", "information states", "value", "CFR+"]
    return table([*head, *SCRIPTED, *LEARNERS], lines)


def draw(rows: list[dict[str, str]], path: Path) -> None:
    """Draw the gains during training, a panel for each problem and a line for each seed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 3.5), layout="constrained")
    panels = figure.subplots(1, len(NAMES))
    colours = dict(zip(LEARNERS, ("#0072b2", "#009e73", "#d55e00"), strict=True))
    for axes, name in zip(panels, NAMES, strict=True):
        for learner, colour in colours.items():
            for seed in sorted({row["seed"] for row in rows}):
                key = name, learner, seed
                own = [r for r in rows if (r["problem"], r["learner"], r["seed"]) == key]
                steps = [int(row["decisions"]) / 1000 for row in own]
                label = learner if seed == "0" else None
                axes.plot(steps, [float(row["gain"]) for row in own], color=colour, label=label)
        axes.set(title=name, ylim=(0, None))
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("gain of a best response")
    figure.supxlabel("decisions, thousands", fontsize="medium")
    lines, labels = panels[0].get_legend_handles_labels()
    figure.legend(lines, labels, loc="outside upper center", ncols=len(labels))
    figure.savefig(path, dpi=130, metadata={"Software": None})


def main() -> None:
    """Train what is missing, and print the table."""
    args = tyro.cli(Args)
    torch.set_num_threads(1)
    sys.path += [str(ROOT), str(ROOT / "examples" / "kuhn_poker")]
    from tests import poker

    poker.register("wait")
    wholes = {name: whole_of(name) for name in NAMES}
    rows = learned(args.out / "learning.csv", wholes, args)
    print(report(wholes, rows))
    if args.plot:
        draw(rows, args.plot)


if __name__ == "__main__":
    print_everywhere()
    main()
