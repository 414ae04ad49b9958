"""Improve a network by comparing the actions of decisions: a search tells what each is worth.

Self-play learns from whole games, of which luck decides most. The playouts of a search start all
actions of a decision in the same hidden cards, so that small gains show. The network learns to
choose the action that is worth most (Ross and Bagnell, "Reinforcement and imitation learning via
interactive no-regret learning", 2014, AggreVaTe, in the games of the agent alone). It becomes
better than that agent by one step of policy improvement, as far as an observation tells. With a
temperature it stays close to what it was wherever comparisons do not say otherwise.

The comparisons are kept in --out: the same command goes on after an interruption.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import tyro
from tqdm import tqdm

from gubs_agents.arena import Difference, Duel, WinRate
from gubs_agents.arena.gate import SECTION, Candidate, read_candidate
from gubs_agents.deals import REPORT_DEALS
from gubs_agents.networks.network import Network, load, policy, save
from gubs_agents.training.options import varied_tables
from gubs_agents.training.supervised.comparisons import (
    GAMES_AT_ONCE,
    Comparisons,
    compare,
    read_comparisons,
)
from gubs_agents.training.supervised.decisions import build_player, joined, minibatches
from gubs_env.agents.registry import EstimatingAgent, build
from gubs_env.commands.common import shown
from gubs_env.support.checks import Range, check_options
from gubs_env.support.files import lock_folder, read_object, replace_file, replacing, write_json
from gubs_env.support.markdown import table as markdown_table
from gubs_env.support.output import command_of

if TYPE_CHECKING:
    import torch

BATCH = 1024
HELD_OUT = 10
"""Every tenth part of the comparisons is not learnt from, but measured on."""
COMPARED = ("agent", "search", "variety", "seed", "ends")
"""The options that make the comparisons; they cannot change in a folder that has some."""
NAME = "best.safetensors"


@dataclass(frozen=True)
class ImproveOptions:
    """Improve a network by comparing the actions of decisions."""

    network: tyro.conf.Positional[Path]
    """The network, with its .md beside it."""
    agent: Annotated[str, shown("AGENT")] = "heuristic"
    """The agent that plays the games."""
    search: Annotated[str, shown("AGENT")] = (
        "montecarlo:playouts=16+policy=heuristic+horizon=0+margin=0"
    )
    """The search that tells what an action is worth."""
    variety: Annotated[float, Range(0, 1)] = 0.1
    """Fraction of the games with random rules, if the network was trained under such."""
    ends: bool = False
    """Compare more of the last decisions of games than of the first, and learn to leave as many
    others as they are."""
    decisions: Annotated[int, Range(1)] = 1_500_000
    """Decisions to learn from, at least."""
    temperature: Annotated[float, Range(0)] = 0.0
    """Gain in payoffs that makes an action e times as likely as it was; 0 learns to choose what is
    worth most, whatever the network was."""
    epochs: Annotated[int, Range(0)] = 5
    """Passes over the decisions."""
    learning_rate: Annotated[float, Range(0, 1, open=True)] = 3e-4
    """Learning rate of Adam at the start; it falls linearly to 0."""
    seed: Annotated[int, Range(0)] = 0
    """Seed of the games and of the order of learning."""
    deals: Annotated[int, Range(2)] = 20_000
    """Deals of the report, each played from every seat or by every team."""
    out: Annotated[Path, shown("FOLDER")] = Path("runs/improved")
    """The folder of the comparisons and of the improved network."""


# ------------------------------------------------------------------------------- comparisons


class Comparing:
    """The comparisons of a run, part by part: each has a seed and a file of its own.

    Raises:
        ValueError: for an agent that does not act on observations, a search that does not estimate
            the worth of actions, or a folder with other comparisons.
    """

    def __init__(self, options: ImproveOptions, candidate: Candidate) -> None:
        self.options, self.table = options, candidate.table
        self.agent = build_player(options.agent, self.table, options.seed)
        self.search: Any = build(options.search, self.table, options.seed)
        if not isinstance(self.search, EstimatingAgent):
            raise ValueError(
                f"search={options.search!r}: allowed are agents that estimate the worth of actions"
            )
        self.varied = candidate.trained_rules.isdisjoint(self.table.game.varied_options)
        self.folder = options.out / "comparisons"
        values = {name: getattr(options, name) for name in COMPARED} | {"table": self.table.name}
        path = self.folder / "options.json"
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            write_json(path, values)
        elif (kept := read_object(path, "the options of comparisons")) != values:
            raise ValueError(
                f"{self.folder} holds comparisons of another run, made with {kept}; these would "
                f"be made with {values}: delete them, or write elsewhere with --out"
            )

    def parts(self) -> Iterator[Comparisons]:
        """Yield at least two parts, with `options.decisions` or more, and show a progress bar."""
        number = done = 0
        total = self.options.decisions
        with tqdm(total=total, desc="comparing", unit=" decisions", disable=None) as bar:
            while done < total or number < 2:
                part = self.part(number)
                yield part
                number, done = number + 1, done + len(part.actions)
                bar.update(len(part.actions))

    def part(self, number: int) -> Comparisons:
        """Return a part of the comparisons, from its file or made now."""
        path = self.folder / f"{number:05}.npz"
        if path.exists():
            return read_comparisons(path, self.table)
        rng = np.random.default_rng([self.options.seed, number])
        share = self.options.variety if self.varied else 0.0
        tables = varied_tables(self.table, GAMES_AT_ONCE, share, rng)
        part = compare(self.agent, self.search, tables, rng, self.options.ends)
        with replacing(path) as file:
            np.savez_compressed(file, **part._asdict())
        return part


def passes(learnt: Comparisons, epochs: int, seed: int) -> Iterator[Comparisons]:
    """Yield all comparisons in minibatches, in a new random order in each epoch."""
    rng, total = np.random.default_rng(seed), epochs * len(learnt.actions)
    with tqdm(total=total, desc="learning", unit=" decisions", disable=None) as bar:
        for _ in range(epochs):
            for batch in minibatches(learnt, rng, BATCH):
                yield batch
                bar.update(len(batch.actions))


# ------------------------------------------------------------------------- what it is worth


class Gain(NamedTuple):
    """How much more a network's actions are worth than the agent's."""

    mean: float
    """The mean over all decisions, in payoffs."""
    error: float
    """Its standard error."""
    changed: float
    """Fraction of the decisions in which the network's action is another one, 0 … 1."""

    def __str__(self) -> str:
        return f"{self.mean:+.5f} (SE {self.error:.5f})".replace("-", "−")


def gain_of(network: Network, held: Comparisons) -> Gain:
    """Return the gain of a network's likeliest actions."""
    chosen, rows = network.act(held.observations, held.masks), np.arange(len(held.actions))
    gains = held.worths[rows, chosen] - held.worths[rows, held.actions]
    error = float(gains.std()) / len(gains) ** 0.5
    return Gain(float(gains.mean()), error, float((chosen != held.actions).mean()))


class Improvement(NamedTuple):
    """The figures of a run, for its report and its model card."""

    learnt: int
    """Number of decisions that were learnt from."""
    held_out: int
    """Number of decisions that the gains were measured on."""
    gains: dict[str, Gain]
    """The gains of the network before and after."""
    played: Difference
    """The improved network among agents."""


def improve(options: ImproveOptions) -> Improvement:
    """Compare, learn, and write the improved network and its model card.

    Raises:
        ValueError, OSError: as for `check_options`, `read_candidate` and `Comparing`; for an agent
            that cannot play at the network's table; if another process uses the folder.
    """
    from gubs_agents.training.torch_network import (
        fit_network,
        improvement_loss,
        network_from,
        worths_loss,
    )

    check_options(options)
    candidate = read_candidate(options.network)
    table, lock = candidate.table, lock_folder(options.out)
    comparing = Comparing(options, candidate)
    parts = list(comparing.parts())
    held = Comparisons(*joined(parts[::HELD_OUT]))
    if options.ends:
        held = Comparisons(*(column[held.worths.any(1)] for column in held))
    learnt = Comparisons(*joined(part for k, part in enumerate(parts) if k % HELD_OUT))
    weights = load(candidate.path, table)
    gains = {"before": gain_of(Network(weights), held)}
    network = network_from(weights, learnt.observations.shape[1])
    count = options.epochs * len(learnt.actions)
    batches = passes(learnt, options.epochs, options.seed)
    loss: Callable[..., torch.Tensor] = worths_loss
    if options.temperature:
        loss = partial(improvement_loss, copy.deepcopy(network), options.temperature)
    fit_network(network, batches, loss, count, (options.learning_rate, 0), nullcontext())
    improved = network.weights()
    if weights.value is None:  # as before: its search plays with leads
        improved = replace(improved, value=None)
    gains["after"] = gain_of(Network(improved), held)
    path = options.out / NAME
    save(path, improved, table, comparing.varied)
    plays = policy(table, weights=path)
    duel = Duel(plays, comparing.agent, table, options.deals, REPORT_DEALS.start)
    played = duel.difference()
    result = Improvement(len(learnt.actions), len(held.actions), gains, played)
    replace_file(path.with_suffix(".md"), card_of(options, candidate, result))
    lock.release()
    return result


# ------------------------------------------------------------------------------ the model card


def card_of(options: ImproveOptions, candidate: Candidate, result: Improvement) -> str:
    """Return the model card: what the network is, what it learned from, what it started from."""
    title, what, before = (
        candidate.path.with_suffix(".md").read_text("utf-8").split("\n\n", 2) + [""] * 2
    )[:3]
    what = what.replace(f"`{candidate.path.stem}.", f"`{Path(NAME).stem}.")
    before = SECTION.sub("", f"\n{before}").replace("\n## ", "\n### ").strip()
    how = (
        f"It started from the network with the sha256 {candidate.sha256}, described below. Then it "
        f"learned from {result.learnt:,} decisions in games of `{options.agent}`, at "
        f"{'half of ' * options.ends}which `{options.search}` estimated what each legal action is "
        "worth. The first table is from "
        f"{result.held_out:,} decisions of other games: how much more the network's actions are "
        f"worth than those of `{options.agent}`, in payoffs for a decision."
    )
    rows = [(when, str(gain), f"{gain.changed:.1%}") for when, gain in result.gains.items()]
    gains = markdown_table(["network", "gain for a decision", "other actions"], rows)
    default = ImproveOptions(options.network, out=options.out)
    command = command_of(["improve", options.network.as_posix()], vars(options), vars(default))
    return f"""{title}

{what}

{fill(how, 100)}

{gains}

{fill(strength_of(options, result), 100)}

```bash
{command}
```

## The network that it started from

{before}
"""


def strength_of(options: ImproveOptions, result: Improvement) -> str:
    """Return how the network plays, in sentences."""
    played = result.played
    wins = "wins" if type(played.agent) is WinRate else "is paid"
    return (
        f"Over {options.deals:,} deals from {REPORT_DEALS.start:,} on, each played once from every "
        f"seat, or by every team, it {wins} {played.agent} among `{options.agent}`; "
        f"`{options.agent}` in its place {wins} {played.agent.write(played.opponent)}. "
        f"The difference is {played}."
    )
