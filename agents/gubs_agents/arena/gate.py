"""The gate: the only way for a network into the folder of shipped networks.

The candidate plays a sequential test against the shipped network of its table, or against the
heuristic where none is shipped. If the test accepts H1, the network is copied to the package, and
the section "Gate" of its model card says what was played. Else nothing changes, and the exit status
is 1 if H0 is accepted, 3 if the test stays undecided.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from textwrap import fill
from typing import Annotated

import tyro

import gubs_env
from gubs_agents.arena.likelihood import H1
from gubs_agents.arena.options import MOST_DEALS
from gubs_agents.arena.report import signed, whole
from gubs_agents.arena.sequential import Verdict, by_score, sprt
from gubs_agents.deals import GATE_DEALS
from gubs_agents.networks.files import description_of, parse
from gubs_agents.networks.network import FORMAT, SHIPPED, load
from gubs_env import find_table
from gubs_env.agents.registry import Named, parse_agent
from gubs_env.commands.common import shown
from gubs_env.engine.table import Table
from gubs_env.support import markdown as md
from gubs_env.support.files import replace_file
from gubs_env.support.output import command_of

CANDIDATE = "candidate"
BLOCKS = 1000
"""Number of blocks of MOST_DEALS deals. The weights choose the block, so that candidates are not
selected on the same deals."""
SECTION = re.compile(r"\n## Gate\n.*?(?=\n## |\Z)", re.S)


@dataclass(frozen=True)
class GateOptions:
    """The candidate and the test."""

    network: tyro.conf.Positional[Path]
    """The network, best.safetensors of a training run, with its .md beside it."""
    champion: Annotated[str, shown("AGENT", "the shipped network, or the heuristic")] = ""
    """The agent to beat."""
    sprt: Annotated[str, shown("ELO0,ELO1")] = "0,10"
    """The bounds of the test."""
    alpha: float = 0.05
    """Probability of accepting the second bound where the first is true."""
    beta: float = 0.05
    """Probability of accepting the first bound where the second is true."""
    deals: int = MOST_DEALS
    """The largest number of deals."""
    out: Annotated[Path, shown("FOLDER")] = Path("runs/gate")
    """Folder of the tests; each candidate has a folder there, named after its hash."""
    resume: bool = False
    """Continue an interrupted test."""
    processes: int = 1
    """Number of processes."""


@dataclass(frozen=True)
class Candidate:
    """A network that asks to be shipped."""

    path: Path
    table: Table
    trained_rules: frozenset[str]
    """The options whose values its training fixed."""
    sha256: str
    """The hash of its weights."""

    @property
    def first_deal(self) -> int:
        """Seed of the first deal of its test."""
        return GATE_DEALS.start + MOST_DEALS * (int(self.sha256[:8], 16) % BLOCKS)


def read_candidate(path: Path) -> Candidate:
    """Read a network and check its file.

    Raises:
        FileNotFoundError: for a missing file, or a missing model card.
        WeightsError: for a file that is not a network of the table that it names.
        ValueError: for an unknown game.
    """
    description = description_of(path, FORMAT)
    if not (card := path.with_suffix(".md")).exists():
        raise FileNotFoundError(f"no such file: {card}; a network is shipped with its model card")
    rules = description["rules"]
    table = find_table(description["game"], description["players"], rules)
    load(path, table)
    return Candidate(path, table, frozenset(rules), description["sha256"])


def champion_of(candidate: Candidate, folder: Path) -> Named:
    """Return the agent that a candidate has to beat: the shipped network, or the heuristic.

    A network that is shipped already has to beat the heuristic.
    """
    path = folder / f"{candidate.table.name}.safetensors"
    if path.exists() and description_of(path, FORMAT)["sha256"] != candidate.sha256:
        return policy_of(path)
    return parse_agent("heuristic")


def policy_of(path: Path) -> Named:
    """Return the factory of a network."""
    return Named("policy", {"weights": str(path)})


def identity_of(champion: Named) -> str:
    """Return what identifies a champion: the hash of its weights, or its name and our version."""
    if weights := champion.options.get("weights"):
        return f"{champion.name}, sha256 {description_of(weights, FORMAT)['sha256']}"
    return f"{champion} of gubs_env {gubs_env.__version__}"


def gate(options: GateOptions, folder: Path = SHIPPED) -> Verdict:
    """Play the test of a candidate, and ship the network if it is stronger.

    Args:
        options: the candidate and the test.
        folder: the folder of the shipped networks.

    Raises:
        ValueError, OSError: as for `read_candidate`, and for a network that changes meanwhile.
        ValueError, OSError, RuntimeError, ModuleNotFoundError: as for `sprt`.
    """
    candidate = read_candidate(options.network)
    champion = parse_agent(options.champion) if options.champion else champion_of(candidate, folder)
    champion.factory(candidate.table.game)
    identity = identity_of(champion)
    name = f"{candidate.sha256[:12]}-{sha256(identity.encode()).hexdigest()[:12]}"
    verdict = sprt(
        {CANDIDATE: policy_of(candidate.path), "champion": champion}, options.sprt, candidate.table,
        alpha=options.alpha, beta=options.beta, progress=True, deals=options.deals,
        seed=candidate.first_deal, out=options.out / name, resume=options.resume,
        processes=options.processes,
    )  # fmt: skip
    if verdict.accepted == H1:
        ship(candidate, section_of(candidate, identity, options, verdict), folder)
    return verdict


def ship(candidate: Candidate, section: str, folder: Path) -> None:
    """Copy a network and its model card with the section "Gate" to a folder.

    Raises:
        ValueError: for a network that changed while it was tested.
        OSError: for a file that cannot be read or written.
    """
    data, path = candidate.path.read_bytes(), folder / f"{candidate.table.name}.safetensors"
    if parse(data, FORMAT)[0]["sha256"] != candidate.sha256:
        raise ValueError(f"{candidate.path} changed during the test: test it again")
    card = SECTION.sub("", candidate.path.with_suffix(".md").read_bytes().decode()).rstrip()
    card = card.replace(f"`{candidate.path.stem}.", f"`{path.stem}.")
    replace_file(path, data)
    replace_file(path.with_suffix(".md"), f"{card}\n\n{section}")


def section_of(candidate: Candidate, identity: str, options: GateOptions, verdict: Verdict) -> str:
    """Return the section "Gate" of a model card."""
    state, bounds = verdict.state, verdict.plan.hypotheses
    (lower, upper), measure, elo = bounds.boundaries, verdict.plan.measure, state.elo
    by = ", ".join(f"{score}: {deals:,}" for score, deals in by_score(state, measure).items())
    rows = [
        ("network", f"sha256 {candidate.sha256}"),
        ("champion", identity),
        ("H0, H1", f"at most {bounds.elo0:g}, at least {bounds.elo1:g} Elo points stronger"),
        ("α, β", f"{bounds.alpha:g}, {bounds.beta:g}"),
        ("log-likelihood ratio", f"{signed(state.ratio)} ({signed(lower)} … {signed(upper)})"),
        ("accepted", str(verdict.accepted)),
        ("deals", f"{state.deals:,} from {candidate.first_deal:,} on"),
        ("games", f"{state.deals * state.num_sides:,}"),
        (f"deals by {'wins' if measure.counts_wins else 'mean payoff'}", by),
        (f"{measure.name} ({measure.fair(state.num_sides)})", measure.cell(state.share)),
        ("Elo points", f"{whole(elo[0])} ({whole(elo[1])} … {whole(elo[2])})"),
    ]
    note = (
        "The network passed this sequential test. The estimates of strength are biased upwards, "
        "because the test stops when the results are good."
    )
    unchanged = {name: getattr(options, name) for name in ("out", "resume", "processes")}
    defaults = vars(GateOptions(options.network, **unchanged))
    command = command_of(["gate", options.network.as_posix()], vars(options), defaults)
    table = md.table(["gate", "value"], rows)
    return f"## Gate\n\n{fill(note, 100)}\n\n{table}\n\n```bash\n{command}\n```\n"
