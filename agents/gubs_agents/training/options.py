"""The options of a training run, given in Python, on the command line or in a TOML file.

`Options` is flat. The classes that it inherits from are the groups that `--help` shows.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, make_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import numpy as np
import tyro

from gubs_agents.scripted.by_game import scripted_agents
from gubs_env.agents.parsing import split_agents
from gubs_env.agents.registry import imported, parse_agent
from gubs_env.commands.common import TableOptions, shown
from gubs_env.engine.option_texts import options_text
from gubs_env.engine.table import Table
from gubs_env.engine.text import printable
from gubs_env.support.checks import Range, check_option, check_options
from gubs_env.support.files import expanded, read_object

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OPTIONS_FILE = "options.json"
CHANGEABLE = ("steps", "minutes", "device", "backend", "workers")
"""Options that may differ when a run is resumed."""

LEARNERS = {
    "ppo": "gubs_agents.training.ppo:PPOLearner",
    "sb3": "gubs_agents.training.maskable_ppo:MaskablePPOLearner",
}
"""The learning algorithms that have a name of their own."""
PRESETS: dict[str, dict[str, Any]] = {
    "equilibrium": {
        "imitate": 0, "layers": 1, "width": 512, "batch": 512, "epochs": 1, "gae_lambda": 1.0,
        "learning_rate": 2e-3, "last_learning_rate": 1e-4, "entropy": 0.1, "last_entropy": 0.03,
        "reference": 0.3, "reference_rate": 0.06, "last_reference_rate": 0.002,
        "baseline_share": 0.05, "newest_share": 0.95, "evaluate_every": 256,
    },
}  # fmt: skip
"""Options that belong together, by the name that `--config` takes in place of a file.

equilibrium: for play that is hard to exploit, in games such as poker (docs/training_method.md)."""
DEVICE = re.compile(r"cpu|mps|cuda(:\d+)?")
Count = Annotated[int, Range(0)]
Number = Annotated[int, Range(1)]
Amount = Annotated[float, Range(0)]
Positive = Annotated[float, Range(0, open=True)]
Probability = Annotated[float, Range(0, 1)]
BySize = Annotated[int, Range(0), shown("INT", "by the size of the game")]
"""The type of an option that `sizes` fills in where it is 0."""


@dataclass(frozen=True)
class RunOptions(TableOptions):
    """The game, the length of the run, and the folder of its files."""

    variety: Probability = 0.0
    """Fraction of the games that are played under random values of the rule options."""
    steps: Count = 4_500_000
    """Decisions of the learner in self-play; 0 stops after imitation."""
    minutes: Amount = 0.0
    """Minutes of self-play instead of a number of steps; 0 means that --steps counts."""
    seed: Count = 0
    """Seed of all RNGs; a local run with a number of steps is repeatable on the same machine."""
    device: Annotated[str, shown("DEVICE")] = "cpu"
    """Where the learner computes: cpu, cuda, cuda:NUMBER or mps."""
    out: Annotated[str, shown("FOLDER", "runs/GAME")] = ""
    """Folder of the run."""
    checkpoint_every: Number = 8
    """Updates between two checkpoints."""


@dataclass(frozen=True)
class WorkersOptions:
    """The processes that train together: each plays and learns, and they average gradients.

    Those of one machine listen on its loopback address only. Several machines need a network that
    nobody else reaches, and a secret (docs/scaling.md).
    """

    workers: Number = 1
    """Number of processes; they share --games and --batch, which must be multiples of it."""
    backend: Literal["local", "ray"] = "local"
    """local: processes of this machine; ray: of a Ray cluster, which needs the extra ray."""


@dataclass(frozen=True)
class NetworkOptions:
    """The multilayer perceptron with a policy head and a value head."""

    width: Number = 256
    """Units in each hidden layer."""
    layers: Number = 2
    """Hidden layers, shared by policy and value."""


@dataclass(frozen=True)
class ImitationOptions:
    """How the network starts, before self-play."""

    imitate: Count = 4_000_000
    """Decisions of the teacher to imitate; 0 disables imitation."""
    teacher: Annotated[str, shown("AGENT", "heuristic, if the game has one")] = ""
    """Agent to imitate, as name or name:option=value+option=value."""
    weights: Annotated[str, shown("FILE.safetensors", "none")] = ""
    """Saved network to start from instead of imitation."""


@dataclass(frozen=True)
class LearningOptions:
    """Self-play and the hyperparameters of PPO."""

    learner: Annotated[str, shown("NAME")] = "ppo"
    """ppo, written directly in PyTorch; sb3, MaskablePPO of sb3-contrib, which is slower; or a
    class of your own, package.module:Class."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """Precision of ppo's products of matrices; auto: bfloat16 where the device multiplies in it."""
    games: BySize = 0
    """Games played side by side."""
    rollout: BySize = 0
    """Decisions in each game between two updates."""
    batch: Number = 1024
    """Decisions in a minibatch."""
    epochs: Number = 2
    """Passes over the decisions of an update."""
    learning_rate: Positive = 1e-3
    """Initial learning rate of Adam."""
    last_learning_rate: Amount = 1e-5
    """Final learning rate; it falls linearly."""
    entropy: Amount = 0.01
    """Initial weight of the entropy bonus."""
    last_entropy: Amount = 0.002
    """Final weight of the entropy bonus; it falls linearly."""
    reference: Amount = 0.0
    """Weight of the divergence from a reference policy that follows slowly; 0 disables it."""
    reference_rate: Probability = 0.08
    """Part of the way to the policy that the reference policy goes in an update, at first."""
    last_reference_rate: Probability = 0.016
    """The same at the end; it falls linearly."""
    clip: Positive = 0.2
    """Clip range of the probability ratio."""
    value_clip: Amount = 0.2
    """Clip range of the value, in parts of the most that the game pays; 0 disables clipping."""
    gae_lambda: Probability = 0.8
    """Lambda of generalised advantage estimation."""


@dataclass(frozen=True)
class RewardOptions:
    """The reward of the learner."""

    reward: Literal["payoff", "lead"] = "payoff"
    """payoff: what the game pays, at its end; lead: each point of lead when it is gained."""
    discount: Probability = 1.0
    """Discount factor from one decision of the learner to its next."""
    shaping: Amount = 0.0
    """Initial weight of the shaping potential, the lead in points; 0 disables shaping."""
    shaping_until: Probability = 0.5
    """Fraction of self-play after which the weight of shaping has fallen to 0."""


@dataclass(frozen=True)
class OpponentsOptions:
    """The opponent pool: baselines, the newest policy, and snapshots of earlier ones."""

    baselines: Annotated[str, shown("AGENTS", "random and the scripted agents")] = ""
    """Agents to train and measure against, as name,name:option=value+option=value,…"""
    baseline_share: Probability = 0.25
    """Probability that an opponent is a baseline."""
    newest_share: Probability = 0.35
    """Probability that an opponent is the newest policy; the snapshots have the rest."""
    copies_share: Probability = 0.0
    """Probability that all opponents at a table are copies of one."""
    snapshots: Number = 12
    """Maximum number of snapshots in the pool."""
    snapshot_every: Number = 8
    """Updates between two snapshots; doubled whenever the pool is full."""


@dataclass(frozen=True)
class MeasuringOptions:
    """Evaluations during the run, and the final report."""

    evaluate_every: Number = 32
    """Updates between two evaluations."""
    evaluation_deals: Annotated[int, Range(2)] = 500
    """Deals of an evaluation, each played from every seat."""
    report_deals: Annotated[int, Range(2)] = 1000
    """Deals of the final report, each played from every seat."""


# Dataclasses order the fields of their bases from the last base to the first.
@dataclass(frozen=True)
class Options(
    MeasuringOptions,
    OpponentsOptions,
    RewardOptions,
    LearningOptions,
    ImitationOptions,
    NetworkOptions,
    WorkersOptions,
    RunOptions,
):
    """All options of a run; its folder keeps them as options.json.

    Options left empty are replaced by the defaults of the game.

    Raises:
        ValueError: for a value that is not allowed.
    """

    def __post_init__(self) -> None:
        check_options(self)
        if not DEVICE.fullmatch(self.device):
            raise ValueError(f"device={self.device!r}: allowed are cpu, cuda, cuda:NUMBER and mps")
        self._fill_in()
        game = self.table.game
        if self.learner not in LEARNERS:
            if ":" not in self.learner:
                raise ValueError(
                    f"learner={self.learner!r}: allowed are {', '.join(LEARNERS)} and "
                    "package.module:Class"
                )
            imported(self.learner, "learner")
        self._check_workers()
        if self.variety and not game.varied_options:
            raise ValueError(f"variety={self.variety}: no option of {game.name} can be varied")
        if self.baseline_share + self.newest_share > 1:
            raise ValueError(
                f"baseline_share={self.baseline_share} and newest_share={self.newest_share}: "
                "together they must be at most 1"
            )
        for text in [*self.baseline_list, *([self.teacher] if self.teacher else [])]:
            parse_agent(text).factory(game)

    def _check_workers(self) -> None:
        if self.learner == "sb3":
            for name, only in (("reference", 0), ("workers", 1), ("backend", "local")):
                if (value := getattr(self, name)) != only:
                    raise ValueError(
                        f"{name}={value}: with learner={self.learner} it must be {only}"
                    )
        for name in ("games", "batch"):
            if (count := getattr(self, name)) % self.workers:
                raise ValueError(
                    f"{name}={count}: must be a multiple of workers={self.workers}, such as "
                    f"{(count // self.workers + 1) * self.workers}"
                )

    def share(self, rank: int, begun: int) -> Options:
        """Return the options of one of the workers, as if it were alone.

        Args:
            rank: its number, 0 … workers − 1.
            begun: number of the update after which so many workers began.
        """
        count, seed = self.workers, self.seed
        if count > 1 or begun:
            seed = int(np.random.SeedSequence([seed, rank, begun]).generate_state(1)[0])
        return replace(
            self, workers=1, backend="local", games=self.games // count, batch=self.batch // count,
            imitate=self.imitate // count, seed=seed,
        )  # fmt: skip

    def _fill_in(self) -> None:
        scripted = scripted_agents(self.table.game)
        defaults: dict[str, Any] = {
            "players": self.table.num_players,
            "out": self.out or f"runs/{self.game}",
            "teacher": self.teacher or ("heuristic" if "heuristic" in scripted else ""),
            "baselines": self.baselines or ",".join(["random", *scripted]),
        }
        if self.weights or not defaults["teacher"]:
            defaults["imitate"] = 0
        defaults |= {
            name: getattr(self, name) or number for name, number in sizes(self.table).items()
        }
        for name, value in defaults.items():
            object.__setattr__(self, name, value)

    def tables(self, count: int, seed: int, period: int = 0) -> list[Table]:
        """Return the tables of games that are trained on: that of all, or a list with each.

        Args:
            count: number of games; the first of them are varied.
            seed: seed of the random rules.
            period: number of the part of the run, each with random rules of its own.
        """
        rng = np.random.default_rng([seed, count, period])
        return varied_tables(self.table, count, self.variety, rng)

    @property
    def values_payoffs(self) -> bool:
        """Whether the value predicts the payoff of the game, as search needs it to."""
        return self.reward == "payoff" and self.discount == 1

    @property
    def draws(self) -> bool:
        """Whether the network that is kept draws its actions, as a reference policy does."""
        return self.reference > 0

    @property
    def baseline_list(self) -> list[str]:
        """The baselines one by one, each as `parse_agent` reads it."""
        return split_agents(self.baselines)


def sizes(table: Table) -> dict[str, int]:
    """Return the default of games and rollout, by the size of the observation.

    A small game needs few decisions, so that it is learned in small updates, but many: 256 games
    and 8 decisions up to 128 entries, 512 and 16 up to 256, and 1,024 and 32 beyond.
    """
    games = min(max(256, 2 << (table.observation_size - 1).bit_length()), 1024)
    return {"games": games, "rollout": games // 32}


def varied_tables(table: Table, count: int, share: float, rng: np.random.Generator) -> list[Table]:
    """Return the tables of games of which the first ones, a share, have random rules.

    Returns:
        The table itself, which is that of all games, or a list with the table of each.
    """
    varied = [table.varied(rng) for _ in range(round(count * share))]
    return varied + [table] * (count - len(varied)) if varied else [table]


HINTS = get_type_hints(Options, include_extras=True)

# --------------------------------------------------------------------------------- the command line


@dataclass(frozen=True)
class Source:
    """Options from a file, which the command line overrides."""

    config: Annotated[str, shown("FILE", "none")] = ""
    """TOML file of options, named as below with underscores; rules may be a table [rules]. The
    name equilibrium stands for options that make play hard to exploit."""
    resume: Annotated[str, shown("FOLDER", "none")] = ""
    """Continue the run in this folder; length, --device, --backend, --workers may change."""


GROUPS: dict[str, type] = {
    base.__name__.removesuffix("Options").lower(): base for base in reversed(Options.__bases__)
}
"""The groups of options that `--help` shows."""
CommandLine: Any = make_dataclass("CommandLine", [("source", Source), *GROUPS.items()])


def parse(arguments: Sequence[str]) -> tuple[Options, bool]:
    """Return the options of a command line, and whether to resume the run in their folder.

    Args:
        arguments: the words of the command line.

    Raises:
        ValueError: for options or a file that cannot be used, in one line.
        OSError: for a file that cannot be read.
    """
    source, _ = tyro.cli(Source, args=arguments, return_unknown_args=True, add_help=False)
    if source.config and source.resume:
        raise ValueError("--config and --resume exclude each other: a run keeps its options")
    kept = read_options(expanded(source.resume)) if source.resume else None
    if kept is not None:
        values = asdict(kept)
    else:
        values = read_config(expanded(source.config)) if source.config else {}
    defaults = {
        name: group(**{e.name: values[e.name] for e in fields(group) if e.name in values})
        for name, group in GROUPS.items()
    }
    words = tyro.cli(
        CommandLine, args=arguments, description="", default=CommandLine(source, **defaults),
        prog="gubs train", config=(tyro.conf.OmitArgPrefixes,),
    )  # fmt: skip
    options = Options(**{k: v for name in GROUPS for k, v in vars(getattr(words, name)).items()})
    if kept is not None:
        check_unchanged(options, kept)
    return options, kept is not None


# --------------------------------------------------------------------------------------- the files


def read_config(path: Path) -> dict[str, Any]:
    """Read options from a TOML file, or return those of one of `PRESETS`.

    Raises:
        ValueError: for a file that is not TOML, a name that is no option, or a value that is not
            allowed.
        OSError: for a file that cannot be read.
    """
    if str(path) in PRESETS:
        return PRESETS[str(path)]
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not valid TOML: {error}") from None
    if not values:
        raise ValueError(f"{path} holds no options: it is empty, or has comments only")
    if isinstance(values.get("rules"), dict):
        values["rules"] = options_text(values["rules"])
    for name, value in values.items():
        if name not in HINTS:
            raise ValueError(
                f"{path}: {printable(name)} is not an option; --help lists the options"
            )
        try:
            check_option(name, value, HINTS[name])
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    return values


def read_options(folder: Path) -> Options:
    """Read the options of the run in a folder.

    Raises:
        ValueError: for a folder without a run, or one whose options are not those of this version.
    """
    path = folder / OPTIONS_FILE
    if not path.exists():
        raise ValueError(f"--resume {folder}: there is no run in that folder ({path} is missing)")
    try:
        values = read_object(path, "the options of a run")
        if differing := sorted(set(values) ^ {entry.name for entry in fields(Options)}):
            raise ValueError(f"unknown or missing options: {printable(', '.join(differing))}")
        return replace(Options(**values), out=str(folder))
    except ValueError as error:
        raise ValueError(
            f"--resume {folder}: {path} cannot be read by this version of gubs_env ({error}); "
            "resume with the version in versions.json, or start a new run with --out"
        ) from None


def check_unchanged(options: Options, kept: Options) -> None:
    before, after = asdict(kept), asdict(options)
    if fixed := [n for n in before if before[n] != after[n] and n not in CHANGEABLE]:
        raise ValueError(
            f"--resume {kept.out}: {', '.join(fixed)} cannot change; only {', '.join(CHANGEABLE)} "
            "can"
        )
