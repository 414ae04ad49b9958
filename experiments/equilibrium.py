"""The preset equilibrium: the exact gain of a best response to what it trains, in four small games.

    python experiments/equilibrium.py  # the table of docs/training_method.md

Every game is trained on with several seeds, as `gubs train --config equilibrium` does. Leduc poker
and Goofspiel are those of the tests. Without the preset, the same number of decisions is trained
with the defaults: `--preset none`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
import tyro

from gubs_agents.exploit import WholeGame
from gubs_agents.training.options import PRESETS, Options
from gubs_agents.training.run import Run
from gubs_env import find_table
from gubs_env.support.markdown import table
from gubs_env.support.output import print_everywhere

ROOT = Path(__file__).parents[1]
MODULES = {
    "kuhn_poker_v0": "kuhn_poker",
    "leduc_poker_v0": "tests.poker.leduc_poker",
    "liars_dice_v0": "liars_dice",
    "goofspiel_v0": "tests.poker.goofspiel",
}
POINTS = 4


@dataclass
class Args:
    """Options; the docstring of this file has examples."""

    steps: int = 2_000_000  # decisions of each run
    seeds: int = 3  # seeds of each game
    games: tuple[str, ...] = tuple(MODULES)  # games to train on
    preset: str = "equilibrium"  # none: the defaults


class Uniform:
    """An agent that plays every legal action with the same probability."""

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Return the probabilities of all actions."""
        return masks / masks.sum(1, keepdims=True)


def curve(game: str, whole: WholeGame, seed: int, args: Args) -> list[float]:
    """Train once; return the gains of best responses during training."""
    gains: list[float] = []

    def measure(kind: str, row: dict[str, Any]) -> None:
        if kind == "metrics.csv" and row["timesteps"] >= args.steps * (len(gains) + 1) / POINTS:
            gains.append(whole.best_responses(run.worker.player(run.worker.kept(), True)).gain)

    with TemporaryDirectory() as folder:
        given = PRESETS.get(args.preset, {})
        run = Run(
            Options(game=game, steps=args.steps, seed=seed, out=folder, **given), on_row=measure
        )
        run.train()
    return gains


def main() -> None:
    """Train and measure, and print the table."""
    args = tyro.cli(Args)
    torch.set_num_threads(1)
    sys.path += [
        str(ROOT),
        *(str(ROOT / "examples" / name) for name in ("kuhn_poker", "liars_dice")),
    ]
    from tests import poker

    poker.register("wait", MODULES)
    lines = []
    for game in args.games:
        whole = WholeGame(find_table(game))
        runs = [curve(game, whole, seed, args) for seed in range(args.seeds)]
        uniform = whole.best_responses(Uniform()).gain
        cells = [", ".join(f"{each:.3f}" for each in gains) for gains in zip(*runs, strict=True)]
        title = find_table(game).game.title
        lines.append([title, f"{whole.information_states:,}", f"{uniform:.3f}", *cells])
    head = ["game", "information states", "uniform play"]
    head += [f"{args.steps * (point + 1) // POINTS:,}" for point in range(POINTS)]
    print(table(head, lines))


if __name__ == "__main__":
    print_everywhere()
    main()
