"""The report of a finished run: a table on the terminal, results.md and the model card."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from textwrap import fill

from rich.console import Console
from rich.table import Table as TerminalTable

import gubs_env
from gubs_agents.arena import WinRate
from gubs_agents.arena.measures import Measure, fair_share
from gubs_agents.deals import REPORT_DEALS, SELECTION_DEALS
from gubs_agents.training.collector import PARTS
from gubs_agents.training.distributed import size
from gubs_agents.training.learner import Learner, PlayingLearner
from gubs_agents.training.metrics import TIMES, read_table
from gubs_agents.training.options import Options
from gubs_agents.training.plots import draw_curves
from gubs_env.support.files import replace_file
from gubs_env.support.markdown import table
from gubs_env.support.output import command_of

NOT_ON_THE_CARD = ("out", "device", "report_deals")
SPENT = (*PARTS, "learning")
"""The parts of an update, as `times.csv` names them."""


@dataclass(frozen=True)
class RunReport:
    """The report of a run."""

    options: Options
    """The options of the run."""
    folder: Path
    """The folder of the run."""
    timesteps: int
    """Decisions of self-play."""
    seconds: float
    """Seconds of self-play."""
    begun: int
    """The update after which another number of workers went on; 0 for none."""
    learner: Learner
    """The learner."""
    results: Mapping[str, WinRate]
    """The results against the baselines on the deals of the report."""

    def write(self) -> None:
        """Print the results; write results.md, the model card and the curves.

        Raises:
            OSError: for a file that cannot be written.
        """
        folder, measure = self.folder, Measure(self.options.table)
        title, times = self.title(), self.times()
        head, rows = ["against", measure.name, "95 % interval over deals", "games"], []
        for label, result in self.results.items():
            rate, low, high = map(result.write, result[:3])
            rows.append([label, rate, f"{low} – {high}", str(result.games)])
        terminal = TerminalTable(*head)
        for row in rows:
            terminal.add_row(*row)
        Console().print(title, terminal, sep="\n", highlight=False, soft_wrap=True)
        print(times)
        text = table(head, rows)
        replace_file(folder / "results.md", f"{title}\n\n{text}\n\n{times}\n")
        replace_file(folder / "best.md", self.card(text))
        draw_curves(folder, self.options.baseline_list, measure)

    def title(self) -> str:
        """Return what was trained and for how long."""
        options, done = self.options, []
        rules = f", {options.rules}" if options.rules else ""
        if options.imitate:
            done.append(f"{options.imitate:,} decisions of {options.teacher} imitated")
        if self.timesteps:
            done.append(self.self_play())
        return (
            f"{options.game}, {options.players} players{rules}: {', '.join(done) or 'untrained'}; "
            f"{compared_with(options)}"
        )

    def self_play(self) -> str:
        """Return the length of self-play in words."""
        minutes = self.seconds / 60
        return f"{self.timesteps:,} decisions of self-play in {minutes:.1f} minutes"

    def times(self) -> str:
        """Return the size of updates, and which parts of self-play took the time, in sentences.

        Learning may run beside the other parts; the shares then have a sum above 1.
        """
        rows = read_table(self.folder / TIMES)
        total, *spent = (sum(float(row[name]) for row in rows) for name in ("seconds", *SPENT))
        if not total:
            return "There was no self-play."
        shares = [f"{part} {time / total:.0%}" for part, time in zip(SPENT, spent, strict=True)]
        games, rollout = self.options.games, self.options.rollout
        times = (
            f"Each of {len(rows):,} updates learned from {rollout} decisions in each of {games:,} "
            f"games. The time of self-play, evaluations apart: {', '.join(shares)}."
        )
        if self.begun:
            times += (
                f" From update {self.begun} on, another number of workers, {size()}, went on "
                "with new games."
            )
        return times

    # ----------------------------------------------------------------------------- the model card

    def card(self, results: str) -> str:
        """Return the model card: what the network is, how it was trained, how well it plays.

        Args:
            results: the table of the results in Markdown.
        """
        options = self.options
        values = {k: v for k, v in asdict(options).items() if k not in NOT_ON_THE_CARD}
        usual = asdict(Options(game=options.game)) | {"game": "gubs"}
        made_with = ", ".join(f"{name} {number}" for name, number in versions().items())
        return f"""# {options.game}, {options.players} players

{fill(self.network(), 100)}

{fill(self.training(), 100)}

{fill(self.measured(), 100)}

{results}

Command:

```bash
{command_of(["train"], values, usual)}
```

Made with {made_with}.

{table(["option", "value"], [(name, str(value)) for name, value in values.items()])}
"""

    def network(self) -> str:
        """Return what the network reads and returns, and how its agent plays."""
        options, game = self.options, self.options.table.game.name
        if isinstance(self.learner, PlayingLearner):
            kind = type(self.learner)
            return (
                f"The network of the learner `{kind.__module__}:{kind.__name__}`, which plays "
                f"`{game}` with the arrays in `best.safetensors`."
            )
        value = " and the value of the position" if options.values_payoffs else ""
        plays = (
            "The agent is meant to draw its actions with the probabilities of these scores: "
            "`policy:weights=best.safetensors+draw=true`."
            if options.draws
            else "The agent plays the legal action with the highest score."
        )
        return (
            f"A multilayer perceptron that reads an observation of `{game}` and returns a score "
            f"for every action{value}. The weights and their description are in "
            f"`best.safetensors`. {plays}"
        )

    def training(self) -> str:
        """Return how the network was trained, and all opponents that it met, in sentences."""
        options, parts = self.options, []
        if options.weights:
            parts.append(f"It started from the network `{Path(options.weights).name}`.")
        if options.imitate:
            parts.append(f"It imitated {options.imitate:,} decisions of `{options.teacher}`.")
        if self.timesteps:
            opponents = opponents_of(options)
            parts.append(f"It learned from {self.self_play()}, against {opponents}.")
        return " ".join(parts) or "It was not trained."

    def measured(self) -> str:
        """Return how the network was selected and measured, in sentences."""
        options = self.options
        selected = (
            "This is the reference policy after the last evaluation."
            if options.draws
            else "Of all networks evaluated during the run, this one has the highest mean "
            f"{Measure(self.options.table).name} on the deals from {SELECTION_DEALS.start:,} on."
        )
        return (
            f"{selected} The table is from {options.report_deals:,} other deals, from "
            f"{REPORT_DEALS.start:,} on. Each deal is played once from every seat, or by every "
            f"team, against opponents of one kind. {compared_with(options).capitalize()}."
        )


def compared_with(options: Options) -> str:
    """Return what the results of a run are compared with, in words."""
    table = options.table
    if table.num_sides == 1:
        return "nobody else plays, so every row is the network by itself"
    if not Measure(table).counts_wins:
        equal = "the payoff of equals is 0"
        return equal if table.is_zero_sum else "payoffs do not sum to 0, so the rows are compared"
    left = "" if table.is_zero_sum else " of what the ghosts leave"
    return f"equals win their {fair_share(table.num_sides)}{left}"


def opponents_of(options: Options) -> str:
    """Return the opponents of self-play in words, with the probability of each kind."""
    baselines = ", ".join(f"`{text}`" for text in options.baseline_list)
    snapshot_share = 1 - options.baseline_share - options.newest_share
    kinds = {
        f"the baselines {baselines}": options.baseline_share,
        "its newest policy": options.newest_share,
        f"up to {options.snapshots} snapshots of its earlier policies": snapshot_share,
    }
    shares = ", ".join(f"{kind}: {share:.0%}" for kind, share in kinds.items() if share > 1e-9)
    copies = f"; {options.copies_share:.0%} of the tables held copies of one of them"
    return shares + (copies if options.copies_share else "")


def versions() -> dict[str, str]:
    """Return the versions of the packages that influence a run."""
    names = ["numpy", "numba", "torch", "gymnasium", "stable-baselines3", "sb3-contrib"]
    ours = {"gubs_env": gubs_env.__version__, "python": platform.python_version()}
    return ours | {name: version(name) for name in names}
