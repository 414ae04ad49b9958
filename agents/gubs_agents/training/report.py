"""The report of a finished run: a table on the terminal, results.md and the model card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path

from rich.console import Console
from rich.table import Table

from gubs_agents.arena import WinRate
from gubs_agents.training.evaluation import REPORT_DEALS, SELECTION_DEALS
from gubs_agents.training.options import Options
from gubs_env import find_game

NOT_ON_THE_CARD = ("out", "device", "report_deals")


def percent(result: WinRate) -> list[str]:
    return [f"{result.rate:.1%}", f"{result.low:.1%} – {result.high:.1%}", str(result.games)]


def title_of(options: Options, timesteps: int, seconds: float) -> str:
    rules = f", {options.rules}" if options.rules else ""
    return (
        f"{options.game}, {options.players} players{rules}: "
        f"{timesteps:,} decisions of the learner, {seconds / 60:.1f} minutes"
    )


def print_table(title: str, results: Mapping[str, WinRate]) -> None:
    table = Table("against", "wins", "95 % interval", "games", title=title)
    for label, result in results.items():
        table.add_row(label, *percent(result))
    Console().print(table)


def markdown_table(results: Mapping[str, WinRate]) -> str:
    rows = [f"| {label} | {' | '.join(percent(result))} |" for label, result in results.items()]
    return "\n".join(["| against | wins | 95 % interval | games |", "|---|---|---|---|", *rows])


def write_results(path: Path, title: str, results: Mapping[str, WinRate]) -> None:
    path.write_text(f"{title}\n\n{markdown_table(results)}\n", encoding="utf-8")


def command_of(options: Options) -> str:
    """Return the command of this run, with the options that differ from the defaults."""
    changed = [
        f"--{entry.name.replace('_', '-')} {getattr(options, entry.name)}"
        for entry in fields(options)
        if getattr(options, entry.name) != entry.default and entry.name not in NOT_ON_THE_CARD
    ]
    return " ".join(["./run train", *changed])


def write_card(
    path: Path,
    options: Options,
    title: str,
    results: Mapping[str, WinRate],
    versions: Mapping[str, str],
) -> None:
    """Write the model card: what the network is, how it was trained, how well it plays."""
    told = "\n".join(
        f"| {k} | {v} |" for k, v in asdict(options).items() if k not in NOT_ON_THE_CARD
    )
    teacher = f" and of `{options.teacher}`" if options.imitate else ""
    value = " and the value of the position" if options.values_payoffs else ""
    made_with = ", ".join(f"{name} {number}" for name, number in versions.items())
    path.write_text(
        f"""# {options.game}, {options.players} players

A multilayer perceptron over an observation of `{find_game(options.game).name}`, which gives a score
for every action{value}. Weights: `{path.stem}.safetensors`; what they fit is in `{path.stem}.json`.
It plays the likeliest legal action.

{title}. Of the networks
evaluated on the way this is the best, by deals from {SELECTION_DEALS:,} on; the table is from
{options.report_deals:,} other deals, from {REPORT_DEALS:,} on, each played from every seat alone,
or as every team, against a table of one opponent.

{markdown_table(results)}

It has learnt from games of its own{teacher} only. Command:

```bash
{command_of(options)}
```

Made with {made_with}.

| option | |
|---|---|
{told}
""",
        encoding="utf-8",
    )
