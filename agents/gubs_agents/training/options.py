"""The options of a training run: one dataclass, from the command line or a TOML file."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import gubs_agents
from gubs_agents.by_game import scripted_agents
from gubs_env import GAMES, find_game
from gubs_env.api.parsing import parse_rules

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OPTIONS_FILE = "options.json"
ALL = "all"


def option(default: Any, text: str) -> Any:
    return field(default=default, metadata={"help": text})


@dataclass(frozen=True)
class Options:
    """All options of a run; its folder holds them as options.json."""

    game: str = option("gubs", f"which game: {', '.join(GAMES)}")
    players: int = option(0, "players at the table; 0: as many as is usual for the game")
    rules: str = option("", "options of the rules, as mode=royal+num_points=7")
    steps: int = option(2_000_000, "decisions of the learner to train for; 0: imitate only")
    minutes: float = option(0.0, "train for this long instead of a number of steps; 0 disables it")
    seed: int = option(
        0, "seed of all RNGs; without minutes a run is repeatable on the same machine"
    )
    out: str = option("", "folder of the run; by default runs/ and the game")
    device: str = option("cpu", "where the learner computes: cpu or cuda")

    width: int = option(256, "units in each hidden layer")
    layers: int = option(2, "hidden layers, shared by policy and value")

    weights: str = option("", "network to begin with instead of imitation, FILE.safetensors")
    imitate: int = option(
        4_000_000, "decisions of the teacher to imitate first; 0 disables imitation"
    )
    teacher: str = option("", "agent to imitate; by default the heuristic, if the game has one")

    games: int = option(512, "games played side by side")
    rollout: int = option(64, "decisions of each game between two updates")
    batch: int = option(1024, "decisions in a minibatch")
    epochs: int = option(3, "passes over the decisions of an update")
    learning_rate: float = option(5e-4, "first step size of Adam")
    last_learning_rate: float = option(5e-5, "last step size; it falls linearly")
    entropy: float = option(0.01, "first weight of the entropy bonus")
    last_entropy: float = option(0.002, "last weight of the entropy bonus; it falls linearly")
    clip: float = option(0.2, "clip range of the policy, as a ratio of probabilities")
    value_clip: float = option(0.2, "clip range of the value function; 0 disables clipping")
    gae_lambda: float = option(0.95, "lambda of generalised advantage estimation")
    reward: str = option(
        "payoff", "payoff: what the game pays, at its end; lead: each point of lead as it is gained"
    )
    discount: float = option(1.0, "discount factor between two decisions of the learner")
    shaping: float = option(0.0, "first weight of the shaping potential, in points of lead")
    shaping_until: float = option(0.5, "share of the run after which shaping has fallen to 0")

    baselines: str = option(
        ALL, f"agents to train and measure against; {ALL}: random and the scripted agents"
    )
    baseline_share: float = option(0.25, "probability that an opponent is a baseline")
    newest_share: float = option(0.35, "probability that an opponent is the newest policy")
    snapshots: int = option(
        12, "most snapshots kept in the opponent pool; the remaining probability is theirs"
    )
    snapshot_every: int = option(8, "updates between two snapshots at first")

    evaluate_every: int = option(16, "updates between two evaluations")
    evaluation_deals: int = option(250, "deals of an evaluation, each played from every seat")
    checkpoint_every: int = option(8, "updates between two checkpoints")
    report_deals: int = option(1000, "deals of the final report, each played from every seat")

    def __post_init__(self) -> None:
        if self.game not in GAMES:
            raise ValueError(f"game={self.game!r}: allowed are {list(GAMES)}")
        self._fill_in()
        for name in POSITIVE:
            if not getattr(self, name) > 0:
                raise ValueError(f"{name}={getattr(self, name)}: must be above 0")
        for name in NOT_NEGATIVE:
            if getattr(self, name) < 0:
                raise ValueError(f"{name}={getattr(self, name)}: must be at least 0")
        if self.reward not in REWARDS:
            raise ValueError(f"reward={self.reward!r}: allowed are {list(REWARDS)}")
        if self.baseline_share + self.newest_share > 1:
            raise ValueError("baseline_share and newest_share together must be at most 1")
        for name in [*self.baseline_names, *([self.teacher] if self.teacher else [])]:
            gubs_agents.check_options(name, (), self.game)
        game = find_game(self.game)
        game.check_players(self.players, parse_rules(self.rules, game))

    def _fill_in(self) -> None:
        """Replace empty options by the defaults of the game."""
        scripted = scripted_agents(find_game(self.game))
        defaults: dict[str, Any] = {
            "players": self.players or find_game(self.game).players,
            "out": self.out or f"runs/{self.game}",
            "teacher": self.teacher or ("heuristic" if "heuristic" in scripted else ""),
        }
        if self.baselines == ALL:
            defaults["baselines"] = ",".join(["random", *scripted])
        if self.weights or not defaults["teacher"]:
            defaults["imitate"] = 0
        for name, value in defaults.items():
            object.__setattr__(self, name, value)

    @property
    def values_payoffs(self) -> bool:
        """Whether the value predicts the payoff of the game, as search needs it to."""
        return self.reward == "payoff" and self.discount == 1

    @property
    def baseline_names(self) -> list[str]:
        return [name.strip() for name in self.baselines.split(",") if name.strip()]


REWARDS = ("payoff", "lead")
POSITIVE = (
    "width", "layers", "games", "rollout", "batch", "epochs", "learning_rate", "clip",
    "snapshots", "snapshot_every", "evaluate_every", "checkpoint_every",
)  # fmt: skip
NOT_NEGATIVE = (
    "steps", "minutes", "seed", "imitate", "last_learning_rate", "entropy", "last_entropy",
    "value_clip", "gae_lambda", "discount", "shaping", "shaping_until", "baseline_share",
    "newest_share",
)  # fmt: skip


def parse(arguments: Sequence[str] | None, description: str | None) -> tuple[Options, bool]:
    """Return the options, and whether to resume the run in their folder.

    The command line overrides a `--config` file, which overrides the defaults. `--resume FOLDER`
    takes the options of the run in that folder; only `steps`, `minutes` and `device` may be
    changed.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for entry in fields(Options):
        name = f"--{entry.name.replace('_', '-')}"
        text = f"{entry.metadata['help']} (default {entry.default})"
        parser.add_argument(name, type=type(entry.default), help=text)
    parser.add_argument("--config", metavar="FILE", help="options from a TOML file")
    parser.add_argument("--resume", metavar="FOLDER", help="go on with the run in this folder")
    given = {k: v for k, v in vars(parser.parse_args(arguments)).items() if v is not None}
    config, resume = given.pop("config", None), given.pop("resume", None)
    try:
        if resume is not None:
            return resumed_options(Path(resume), given), True
        return Options(**(read_config(config) if config else {}) | given), False
    except (ValueError, OSError) as error:
        parser.error(str(error))


def read_config(path: str) -> dict[str, Any]:
    """Read options from a TOML file.

    Raises:
        ValueError: for a name that is no option, or a value of the wrong type.
    """
    found = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    types = {entry.name: type(entry.default) for entry in fields(Options)}
    if unknown := sorted(set(found) - set(types)):
        raise ValueError(f"{path}: no option {', '.join(unknown)}; there are {', '.join(types)}")
    for name, value in found.items():
        if type(value) is int and types[name] is float:
            found[name] = float(value)
        elif type(value) is not types[name]:
            raise ValueError(f"{path}: {name} = {value!r} must be of type {types[name].__name__}")
    return found


def resumed_options(folder: Path, given: dict[str, Any]) -> Options:
    path = folder / OPTIONS_FILE
    if not path.exists():
        raise ValueError(f"--resume {folder}: there is no run in that folder")
    kept = json.loads(path.read_text(encoding="utf-8"))
    changeable = {"steps", "minutes", "device"}
    if fixed := sorted(name for name in set(given) - changeable if given[name] != kept[name]):
        raise ValueError(
            f"--resume {folder}: {', '.join(fixed)} cannot be changed; {sorted(changeable)} can"
        )
    return Options(**kept | given | {"out": str(folder)})


def write_options(options: Options) -> None:
    path = Path(options.out) / OPTIONS_FILE
    path.write_text(json.dumps(asdict(options), indent=2) + "\n", encoding="utf-8")
