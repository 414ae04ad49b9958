"""Train an agent by self-play, and measure it.

$ gubs-train                             # two to five minutes on two cores
$ gubs-train --players 4 --minutes 30 --out runs/four
$ gubs-train --config options.toml       # options from a file
$ gubs-train --resume runs/four          # continue after an interruption
$ gubs-train --engine rllib --runners 2  # on a Ray cluster (docs/scaling.md)

- First the network imitates the scripted heuristic.
- Then it plays against its newest policy, snapshots of earlier ones, and
  baselines, and learns by PPO (ours, MaskablePPO of sb3-contrib, or RLlib's).
- The folder of the run holds its options, metrics, checkpoints, learning
  curves, the best network with its model card, and results.md.
- Ctrl-C finishes the update under way and saves.

docs/training.md explains how it works and what was tried.
"""

from __future__ import annotations

import os
import sys

from gubs_env.commands.common import one_line_errors, print_everywhere
from gubs_env.support.checks import require_extra


def main() -> None:
    """Run the command `gubs-train`."""
    print_everywhere()
    with one_line_errors("train"):
        require_extra("train", "torch", "stable_baselines3", "sb3_contrib", "tensorboard",
                      "matplotlib", "rich", "tqdm")  # fmt: skip
    # As with `python -m`, agents may be modules of the working directory.
    sys.path.insert(0, os.getcwd())
    train()


def train() -> None:
    # These modules import PyTorch, which an installation without the extra does not have.
    from gubs_agents.training.options import parse
    from gubs_agents.training.run import Run, TrainingError

    with one_line_errors("train", TrainingError):
        options, resume = parse(None, __doc__)
        run = Run(options, resume)
    if resume and run.timesteps and run.progress == 1:
        print(f"nothing left to train: {run.timesteps:,} steps of self-play are done; a larger "
              "--steps or --minutes continues")  # fmt: skip
    try:
        with one_line_errors("train", TrainingError):
            run.train()
            if run.stopping:
                print(f"interrupted and saved; --resume {options.out} continues the run")
                sys.exit(130)
            run.report()
    except KeyboardInterrupt:
        print(f"interrupted; --resume {options.out} continues from the last checkpoint")
        sys.exit(130)
    print(f"network, model card, curves and logs: {options.out}")


if __name__ == "__main__":
    main()
