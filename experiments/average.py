"""The mean of the weights of networks that descend from each other, and how it plays.

    python experiments/average.py runs/first/best.safetensors runs/second/best.safetensors

Writes the mean with its model card, and prints what each of the networks and their mean win against
the shipped network and against the heuristic. The method is that of model soups (Wortsman et al.,
ICML 2022): networks that learned on from the same weights lie in one basin, and their mean has less
of the noise of each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import fill

import numpy as np
import tyro
from tqdm import tqdm

import gubs_agents
from gubs_agents.arena import Duel
from gubs_agents.arena.gate import SECTION, read_candidate
from gubs_agents.deals import REPORT_DEALS
from gubs_agents.networks.layers import Layer
from gubs_agents.networks.network import load, save
from gubs_env.support.markdown import table as markdown_table
from gubs_env.support.output import print_everywhere


@dataclass(frozen=True)
class Options:
    """Networks of one table."""

    networks: tyro.conf.Positional[tuple[Path, ...]]
    """Files of networks, each with its model card beside it; the last has the youngest weights."""
    out: Path = Path("runs/average/best.safetensors")
    """The file of the mean."""
    deals: int = 20000
    """Number of deals against the shipped network, each played from every seat; half as many
    against the heuristic."""


def mean(layers: tuple[Layer, ...]) -> Layer:
    """Return the mean of a layer over networks."""
    matrix, biases = zip(*layers, strict=True)
    return np.mean(matrix, axis=0).astype(np.float32), np.mean(biases, axis=0).astype(np.float32)


def row_of(path: Path, deals: int) -> tuple[str, ...]:
    """Return the row of a network: its name, and what it wins against two opponents."""
    table = read_candidate(path).table
    network = gubs_agents.make("policy", table, seed=0, weights=str(path))
    rates = []
    for name, count in (("policy", deals), ("heuristic", deals // 2)):
        opponent = gubs_agents.make(name, table, seed=0)
        rates.append(
            str(Duel(network, opponent, table, count, REPORT_DEALS.start).difference().agent)
        )
    return path.parent.name, *rates


def card_of(options: Options, measured: str) -> str:
    """Return the model card: what was averaged, how it plays, and the youngest network's card."""
    title, what, before = (
        options.networks[-1].with_suffix(".md").read_text("utf-8").split("\n\n", 2)
    )
    hashes = ", ".join(read_candidate(path).sha256 for path in options.networks)
    how = (
        f"Its weights are the means of those of {len(options.networks)} networks, each of which "
        f"learned on from the one before it, with these sha256: {hashes}. The last of them is "
        f"described below. Over {options.deals:,} deals from {REPORT_DEALS.start:,} on, and half "
        "as many against the heuristic, each played once from every seat, they and the mean win:"
    )
    named = " ".join(path.as_posix() for path in options.networks)
    before = SECTION.sub("", f"\n{before}").replace("\n## ", "\n### ").strip()
    return (
        f"{title}\n\n{what}\n\n{fill(how, 100)}\n\n{measured}\n\n```bash\n"
        f"python experiments/average.py {named}\n```\n\n## The last network\n\n{before}\n"
    )


def main() -> None:
    options = tyro.cli(Options)
    candidates = [read_candidate(path) for path in options.networks]
    table, bound = candidates[-1].table, candidates[-1].trained_rules
    networks = [load(path, table) for path in options.networks]
    layers = [mean(layer) for layer in zip(*(each.policy for each in networks), strict=True)]
    values = [each.value for each in networks if each.value]
    averaged = replace(networks[-1], policy=layers, value=mean(tuple(values)) if values else None)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    save(options.out, averaged, table, bound.isdisjoint(table.game.varied_options))
    card = options.out.with_suffix(".md")
    card.write_text(card_of(options, ""), "utf-8")
    paths = (*options.networks, options.out)
    rows = [row_of(path, options.deals) for path in tqdm(paths, unit="network")]
    measured = markdown_table(
        ["network", "against the shipped network", "against the heuristic"], rows
    )
    card.write_text(card_of(options, measured), "utf-8")
    print(measured)


if __name__ == "__main__":
    print_everywhere()
    main()
