"""The commands `train`, `improve` and `beliefs`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from gubs_agents.training.supervised.beliefs import BeliefsOptions
from gubs_agents.training.supervised.beliefs import run as run_beliefs
from gubs_agents.training.supervised.improve import ImproveOptions, strength_of
from gubs_agents.training.supervised.improve import improve as improve_network
from gubs_env.commands.common import ONE_GROUP


def train(words: Sequence[str]) -> None:
    """Train an agent by self-play, and measure it.

    $ gubs train                             # two to five minutes on two cores
    $ gubs train --players 4 --minutes 30 --out runs/four
    $ gubs train --config options.toml       # options from a file
    $ gubs train --config equilibrium        # for games such as poker
    $ gubs train --resume runs/four          # continue after an interruption
    $ gubs train --workers 8                 # eight processes (docs/scaling.md)
    $ gubs train --workers 64 --backend ray  # on a Ray cluster

    First the network imitates the scripted heuristic. Then it plays against its newest policy,
    snapshots of earlier ones, and baselines, and learns by PPO (ours, or MaskablePPO of
    sb3-contrib).

    The folder of the run holds its options, metrics, checkpoints, learning curves, the best network
    with its model card, and results.md. Ctrl-C finishes the update under way and saves.

    docs/training.md is the guide, docs/training_method.md explains the method.
    """
    from gubs_agents.training.options import parse

    options, resume = parse(words)
    from gubs_agents.training import launch  # it imports PyTorch

    try:
        launch.train(options, resume)
    except KeyboardInterrupt:
        hint = f"--resume {options.out} continues from the last checkpoint"
        raise KeyboardInterrupt(hint) from None
    print(f"network, model card, curves and logs: {options.out}")


def improve(options: Annotated[ImproveOptions, ONE_GROUP]) -> None:
    """Improve a network by comparing the actions of decisions.

    $ gubs improve best.safetensors --out runs/improved
    $ gubs gate runs/improved/best.safetensors

    A search tells what each action is worth. Self-play learns from whole games, of which luck
    decides most. The playouts of a search start all actions of a decision in the same hidden cards,
    so that small gains show. The network learns to choose the action that is worth most.

    The comparisons are kept in --out: the same command goes on after an interruption.
    """
    result = improve_network(options)
    for when, gain in result.gains.items():
        print(f"{when}: {gain} payoffs for a decision, {gain.changed:.1%} other actions")
    print(strength_of(options, result))
    print(f"network and model card: {options.out}")


def beliefs(options: Annotated[BeliefsOptions, ONE_GROUP]) -> None:
    """Fit beliefs about hidden hands to games of an agent against itself.

    $ gubs beliefs --game fubnub --out heuristic.safetensors
    $ gubs arena --game fubnub --agents heuristic,ismcts:beliefs=heuristic.safetensors

    At sampled decisions the true hands stand among hands drawn uniformly from those that fit, and
    the network learns to pick them out.
    """
    run_beliefs(options)
