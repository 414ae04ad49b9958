"""The report of a finished run: a table on the terminal, results.md and the model card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from textwrap import fill

from rich.console import Console
from rich.table import Table as TerminalTable

from gubs_agents.arena import WinRate
from gubs_agents.arena.measures import Measure, fair_share
from gubs_agents.deals import REPORT_DEALS, SELECTION_DEALS
from gubs_agents.training.collector import PARTS
from gubs_agents.training.metrics import TIMES, read_table
from gubs_agents.training.options import Options
from gubs_env.support.files import replace_file
from gubs_env.support.markdown import table
from gubs_env.support.output import command_of

NOT_ON_THE_CARD = ("out", "device", "report_deals")
SPENT = (*PARTS, "learning")
"""The parts of an update, as `times.csv` names them."""


def cells(result: WinRate) -> list[str]:
    """Return the cells of a result: the rate or payoff, its interval, the number of games."""
    rate, low, high = map(result.write, result[:3])
    return [rate, f"{low} – {high}", str(result.games)]


def head_of(results: Mapping[str, WinRate]) -> list[str]:
    """Return the head of a table of results."""
    is_rate = all(type(result) is WinRate for result in results.values())
    return ["against", "win rate" if is_rate else "payoff", "95 % interval", "games"]


def title_of(options: Options, timesteps: int, seconds: float) -> str:
    """Return what was trained and for how long; `seconds` are those of self-play."""
    rules = f", {options.rules}" if options.rules else ""
    done = []
    if options.imitate:
        done.append(f"{options.imitate:,} decisions of {options.teacher} imitated")
    if timesteps:
        done.append(f"{timesteps:,} decisions of self-play in {seconds / 60:.1f} minutes")
    return (
        f"{options.game}, {options.players} players{rules}: {', '.join(done) or 'untrained'}; "
        f"{compared_with(options)}"
    )


def compared_with(options: Options) -> str:
    """Return what the results of a run are compared with, in words."""
    table, measure = options.table, Measure(options.table)
    if table.num_sides == 1:
        return "nobody else plays, so every row is the network by itself"
    if not measure.counts_wins:
        return "the payoff of equals is 0"
    left = "" if table.is_zero_sum else " of what the ghosts leave"
    return f"equals win their {fair_share(table.num_sides)}{left}"


def print_table(title: str, results: Mapping[str, WinRate]) -> None:
    """Print the results by opponent."""
    shown = TerminalTable(*head_of(results))
    for label, result in results.items():
        shown.add_row(label, *cells(result))
    Console().print(title, shown, sep="\n", highlight=False, soft_wrap=True)


def markdown_table(results: Mapping[str, WinRate]) -> str:
    """Return the results by opponent as a table in Markdown."""
    return table(head_of(results), [[label, *cells(result)] for label, result in results.items()])


def write_results(path: Path, title: str, results: Mapping[str, WinRate], times: str) -> None:
    """Write the report of a run, results.md."""
    replace_file(path, f"{title}\n\n{markdown_table(results)}\n\n{times}\n")


def times_of(folder: Path) -> str:
    """Return which parts of self-play took the time of a run, in a sentence.

    Learning may run beside the other parts; the shares then have a sum above 1.
    """
    rows = read_table(folder / TIMES)
    seconds = sum(float(row["seconds"]) for row in rows)
    if not seconds:
        return "There was no self-play."
    shares = {part: sum(float(row[part]) for row in rows) / seconds for part in SPENT}
    parts = ", ".join(f"{part} {share:.0%}" for part, share in shares.items())
    return f"The time of self-play, evaluations apart: {parts}."


def training_command(options: Options) -> str:
    """Return the command of this run, with the options that differ from the defaults."""
    values = {n: v for n, v in asdict(options).items() if n not in NOT_ON_THE_CARD}
    return command_of(["train"], values, asdict(Options(game=options.game)) | {"game": "gubs"})


def training_of(options: Options, timesteps: int, seconds: float) -> str:
    """Return how a network was trained, and all opponents that it met, in sentences."""
    parts = []
    if options.weights:
        parts.append(f"It started from the network `{Path(options.weights).name}`.")
    if options.imitate:
        parts.append(f"It imitated {options.imitate:,} decisions of `{options.teacher}`.")
    if timesteps:
        parts.append(
            f"It learned from {timesteps:,} decisions of self-play in {seconds / 60:.1f} minutes, "
            f"against {opponents_of(options)}."
        )
    return " ".join(parts) or "It was not trained."


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


def how_it_plays(options: Options, path: Path) -> str:
    """Return how the agent of a network chooses its actions, in a sentence."""
    if options.draws:
        return (
            "The agent is meant to draw its actions with the probabilities of these scores: "
            f"`policy:weights={path.name}+draw=true`."
        )
    return "The agent plays the legal action with the highest score."


def write_card(
    path: Path,
    options: Options,
    timesteps: int,
    seconds: float,
    results: Mapping[str, WinRate],
    versions: Mapping[str, str],
    own: str | None = None,
) -> None:
    """Write the model card: what the network is, how it was trained, how well it plays.

    Args:
        path: the file.
        options: the options of the run.
        timesteps, seconds: decisions and seconds of self-play.
        results: the results of the report, by opponent.
        versions: the packages that influenced the run.
        own: the class of a learner that plays its network itself; None for a perceptron.
    """
    listed = [(k, str(v)) for k, v in asdict(options).items() if k not in NOT_ON_THE_CARD]
    value = " and the value of the position" if options.values_payoffs else ""
    made_with = ", ".join(f"{name} {number}" for name, number in versions.items())
    game = options.table.game.name
    what = (
        f"A multilayer perceptron that reads an observation of `{game}` "
        f"and returns a score for every action{value}. The weights and their description are in "
        f"`{path.stem}.safetensors`. {how_it_plays(options, path)}"
        if own is None
        else f"The network of the learner `{own}`, which plays `{game}` with the arrays in "
        f"`{path.stem}.safetensors`."
    )
    name = head_of(results)[1]
    selected = (
        "This is the reference policy after the last evaluation. "
        if options.draws
        else f"Of all networks evaluated during the run, this one has the highest mean {name} on "
        f"the deals from {SELECTION_DEALS.start:,} on. "
    )
    measured = (
        f"{selected}The table is from {options.report_deals:,} "
        f"other deals, from {REPORT_DEALS.start:,} on. Each deal is played once from every seat, "
        "or by every team, against opponents of one kind. "
        f"{compared_with(options).capitalize()}."
    )
    replace_file(
        path,
        f"""# {options.game}, {options.players} players

{fill(what, 100)}

{fill(training_of(options, timesteps, seconds), 100)}

{fill(measured, 100)}

{markdown_table(results)}

Command:

```bash
{training_command(options)}
```

Made with {made_with}.

{table(["option", "value"], listed)}
""",
    )
