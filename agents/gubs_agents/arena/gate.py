"""The gate: the only way for a network into the folder of shipped networks.

The candidate plays a sequential test against the shipped network of its table, or against the
heuristic where none is shipped. If that accepts H1, it plays another against the first network that
was shipped there, so that no series of small losses adds up. If both accept H1, the network is
copied to the package, and the section "Gate" of its model card says what was played. Else nothing
changes.

The bounds are those of the gate. Every test is in the ledger (`arena.ledger`), which bounds the
error of all tests of a table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from textwrap import fill
from typing import Annotated, NamedTuple

import tyro

import gubs_env
from gubs_agents.arena.ledger import ALPHA, CHAMPION, FIRST, Ledger
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
BETA = 0.05
"""Probability of refusing a candidate at the second bound."""
BOUNDS = {
    "bad_bad_turtle_v0": (0.0, 1.0),
    "fubnub_v0_1_ghost": (0.0, 1.0),
    "fubnub_v0_1_ghost_royal": (0.0, 1.0),
    "fubnub_v0_2_ghost": (0.0, 5.0),
}
"""The bounds in Elo points at tables or in games where little can be won."""
USUAL_BOUNDS, FIRST_BOUNDS = (0.0, 10.0), (-5.0, 0.0)
"""The bounds elsewhere, and those against the first network."""
FIRST_FOLDER = SHIPPED.parents[2] / "results" / "first_networks"
"""The first networks that were shipped, of the tables that have another one since."""
BLOCKS = 1000
"""Number of blocks of MOST_DEALS deals. The weights choose the block, so that candidates are not
selected on the same deals."""
SECTION = re.compile(r"\n## Gate\n.*?(?=\n## |\Z)", re.S)


@dataclass(frozen=True)
class GateOptions:
    """The candidate."""

    network: tyro.conf.Positional[Path]
    """The network, best.safetensors of a training run, with its .md beside it."""
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


def opponents_of(candidate: Candidate, folder: Path, first: Path) -> dict[str, Named]:
    """Return the agents that a candidate has to beat, by their part: CHAMPION, FIRST."""
    champion, path = champion_of(candidate, folder), first / f"{candidate.table.name}.safetensors"
    opponents = {CHAMPION: champion}
    if path.exists() and identity_of(policy_of(path)) != identity_of(champion):
        opponents[FIRST] = policy_of(path)
    return opponents


class Passed(NamedTuple):
    """A test of the gate."""

    number: int
    """Its number in the ledger."""
    opponent: str
    """The opponent and the SHA-256 of its network, or the version that it belongs to."""
    verdict: Verdict
    """How it ended."""


def gate(options: GateOptions, folder: Path = SHIPPED, first: Path = FIRST_FOLDER) -> list[Passed]:
    """Play the tests of a candidate, and ship the network if all accept H1.

    Args:
        options: the candidate.
        folder: the folder of the shipped networks, and of the ledger.
        first: the folder of the first networks.

    Returns:
        The tests that were played, up to the first that refuses the candidate.

    Raises:
        ValueError, OSError: as for `read_candidate`, `Ledger` and `Ledger.end`, and for a network
            that changes meanwhile.
        ValueError, OSError, RuntimeError, ModuleNotFoundError: as for `sprt`.
    """
    candidate, ledger = read_candidate(options.network), Ledger(folder)
    tests = []
    for against, opponent in opponents_of(candidate, folder, first).items():
        tests.append(play_against(options, candidate, against, opponent, ledger))
        if tests[-1].verdict.accepted != H1:
            return tests
    ship(candidate, section_of(candidate, options, tests), folder, first)
    return tests


def play_against(
    options: GateOptions, candidate: Candidate, against: str, opponent: Named, ledger: Ledger
) -> Passed:
    """Play one test of a candidate, and write it to the ledger before and after."""
    opponent.factory(candidate.table.game)
    table, identity = candidate.table, identity_of(opponent)
    usual = BOUNDS.get(table.name, BOUNDS.get(table.game.name, USUAL_BOUNDS))
    elo0, elo1 = usual if against == CHAMPION else FIRST_BOUNDS
    entry = ledger.begin(
        table=table.name, rules=table.citation, candidate=candidate.sha256, against=against,
        opponent=identity, elo0=elo0, elo1=elo1,
        alpha=ledger.alpha(table.name) if against == CHAMPION else ALPHA,
        beta=BETA, first_deal=candidate.first_deal, most_deals=MOST_DEALS,
        version=gubs_env.__version__,
    )  # fmt: skip
    begun = entry.begun
    name = f"{candidate.sha256[:12]}-{sha256(identity.encode()).hexdigest()[:12]}"
    verdict = sprt(
        {CANDIDATE: policy_of(candidate.path), against: opponent},
        (begun["elo0"], begun["elo1"]), table, alpha=begun["alpha"], beta=begun["beta"],
        progress=True, deals=begun["most_deals"], seed=begun["first_deal"], out=options.out / name,
        resume=options.resume, processes=options.processes,
    )  # fmt: skip
    state = verdict.state
    ledger.end(entry, {
        "accepted": verdict.accepted, "llr": round(state.ratio, 4), "deals": state.deals,
        "deals_by_score": by_score(state, verdict.plan.measure),
    })  # fmt: skip
    return Passed(begun["test"], identity, verdict)


def ship(candidate: Candidate, section: str, folder: Path, first: Path) -> None:
    """Copy a network and its model card with the section "Gate" to a folder.

    The network that it replaces is kept in `first`, if it is the first of its table.

    Raises:
        ValueError: for a network that changed while it was tested.
        OSError: for a file that cannot be read or written.
    """
    data, path = candidate.path.read_bytes(), folder / f"{candidate.table.name}.safetensors"
    if parse(data, FORMAT)[0]["sha256"] != candidate.sha256:
        raise ValueError(f"{candidate.path} changed during the test: test it again")
    card = SECTION.sub("", candidate.path.with_suffix(".md").read_bytes().decode()).rstrip()
    card = card.replace(f"`{candidate.path.stem}.", f"`{path.stem}.")
    kept = first / path.name
    if path.exists() and not kept.exists():
        first.mkdir(parents=True, exist_ok=True)
        replace_file(kept, path.read_bytes())
    replace_file(path, data)
    replace_file(path.with_suffix(".md"), f"{card}\n\n{section}")


def section_of(candidate: Candidate, options: GateOptions, tests: Sequence[Passed]) -> str:
    """Return the section "Gate" of a model card."""
    number, identity, verdict = tests[0]
    state, bounds = verdict.state, verdict.plan.hypotheses
    (lower, upper), measure, elo = bounds.boundaries, verdict.plan.measure, state.elo
    by = ", ".join(f"{score}: {deals:,}" for score, deals in by_score(state, measure).items())
    rows = [
        ("network", f"sha256 {candidate.sha256}"),
        ("champion", identity),
        ("H0, H1", f"at most {bounds.elo0:g}, at least {bounds.elo1:g} Elo points stronger"),
        ("α, β", f"{bounds.alpha:.2g}, {bounds.beta:g}"),
        ("log-likelihood ratio", f"{signed(state.ratio)} ({signed(lower)} … {signed(upper)})"),
        ("accepted", str(verdict.accepted)),
        ("deals", f"{state.deals:,} from {candidate.first_deal:,} on"),
        ("games", f"{state.deals * state.num_sides:,}"),
        (f"deals by {'wins' if measure.counts_wins else 'mean payoff'}", by),
        (f"{measure.name} ({measure.fair(state.num_sides)})", measure.cell(state.share)),
        ("Elo points", f"{whole(elo[0])} ({whole(elo[1])} … {whole(elo[2])})"),
        ("test in the ledger", str(number)),
        *((f"against the first network, {each.opponent}", f"{each.verdict}") for each in tests[1:]),
    ]
    note = (
        "The network passed this sequential test. The estimates of strength are biased upwards, "
        "because the test stops when the results are good."
    )
    command = command_of(["gate", options.network.as_posix()], {}, {})
    table = md.table(["gate", "value"], rows)
    return f"## Gate\n\n{fill(note, 100)}\n\n{table}\n\n```bash\n{command}\n```\n"
