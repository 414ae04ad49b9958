"""Train an agent by self-play, and measure it.

    ./run train                                 about six minutes on two cores
    ./run train --players 4 --minutes 30 --out runs/four
    ./run train --config options.toml           options from a file
    ./run train --resume runs/four              go on after an interruption

The learner (MaskablePPO of sb3-contrib) first imitates the scripted heuristic, then plays a random
seat in games against its newest policy, snapshots of older ones and the scripted agents. A run
writes everything to its folder: options, metrics (CSV and TensorBoard), checkpoints, learning
curves, the best network with its model card, and results.md. Ctrl-C finishes the update under way,
saves and says how to go on. How it works, and what was tried: docs/training.md.
"""

from __future__ import annotations

import sys

from gubs_agents.network import WeightsError
from gubs_agents.training.options import parse
from gubs_agents.training.run import Run, TrainingError


def main() -> None:
    options, resume = parse(None, __doc__)
    go_on = f"go on with: ./run train --resume {options.out}"
    try:
        run = Run(options, resume)
        run.train()
        if run.stopping:
            print(f"interrupted and saved; {go_on}")
            sys.exit(130)
        run.report()
    except (TrainingError, WeightsError, OSError) as error:
        sys.exit(f"train: {error}")
    except KeyboardInterrupt:
        print(f"interrupted; {go_on}")
        sys.exit(130)
    print(f"network, model card, curves and logs: {options.out}")


if __name__ == "__main__":
    main()
