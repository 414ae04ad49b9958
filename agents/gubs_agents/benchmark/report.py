"""Results as tables of Markdown: of one run, and of all results on the results page."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gubs_agents.benchmark.protocol import Track, load, protocols
from gubs_agents.benchmark.results import games_file, read_result
from gubs_env.engine.border import read_json
from gubs_env.engine.option_texts import options_text
from gubs_env.engine.options import changed_options
from gubs_env.engine.table import Table
from gubs_env.support import markdown as md

RANKED = "ranked.json"
"""The file in the folder of the results that names those whose agents are asked again."""
SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|])")


def points(estimate: Sequence[float]) -> str:
    """Return a score with half the length of its interval, as "112.4 ± 2.6", on one line."""
    value, low, high = estimate
    return f"{value:.1f}\u00a0±\u00a0{(high - low) / 2:.1f}".replace("-", "−")


def percent(estimate: Sequence[float]) -> str:
    """Return a win rate with its interval, as "61.5 % (58.2 % … 64.8 %)"."""
    value, low, high = (f"{100 * number:.1f} %" for number in estimate)
    return f"{value} ({low} … {high})"


def escaped(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    return SPECIAL.sub(r"\\\1", html.escape(text, quote=False)).replace("://", "&#58;//")


def milliseconds(tables: Sequence[Mapping[str, Any]]) -> str:
    """Return the mean time of a decision over tables of a result, in milliseconds."""
    seconds, decisions = (sum(table[key] for table in tables) for key in ("seconds", "decisions"))
    return f"{1000 * seconds / max(1, decisions):.3g}"


def markdown(result: Mapping[str, Any]) -> str:
    """Return the tables of one result, given the contents of its JSON file."""
    track = load(result["protocol"]).track(result["track"])
    fair = {task.name: task.fair for task in track.tasks}
    names = list(dict.fromkeys(name for table in result["tables"] for name in table["against"]))
    rows = [
        [
            table["table"],
            f"{table['games']:,}",
            *[percent(table["against"][name]) if name in table["against"] else "–"
              for name in names],
            f"{100 * fair[table['table']]:.0f} %",
            points(table["score"]),
            str(table["forfeits"]),
            milliseconds([table]),
        ]
        for table in result["tables"]
    ]  # fmt: skip
    against = [f"win rate against {name}" for name in names]
    head = ["table", "games", *against, "fair share", "score", "forfeits", "ms a decision"]
    score = result["score"]
    total = "none: not all tables were played" if score is None else points(score)
    return "\n\n".join(
        [
            f"# {escaped(result['agent'])}",
            f"Protocol {result['protocol']}, track {result['track']}: {result['games']:,} games"
            + (" on fresh deals." if "fresh" in result else "."),
            md.table(head, rows),
            f"Score: {total}. Brackets hold 95 % intervals over deals, ± is half of one. `random` "
            "has the score 0, `heuristic` 100.",
        ]
    )


def ranked_in(folder: Path) -> dict[str, str]:
    """Return the agents that are asked again when the results in a folder are verified.

    Returns:
        For the names of files without their suffix, the agents as texts for `parse_agent`.

    Raises:
        ValueError: for a file that does not hold such names and texts.
    """
    path = folder / RANKED
    if not path.exists():
        return {}
    ranked = read_json(path.read_bytes(), "a list of ranked results")
    if not (isinstance(ranked, dict) and all(isinstance(text, str) for text in ranked.values())):
        raise ValueError(f"{path} must be an object of texts: the agent of each ranked result")
    return ranked


def result_files(folder: Path) -> list[Path]:
    """Return the JSON files of all results in a folder."""
    return sorted(path for path in folder.glob("*.json") if path.name != RANKED)


def results_in(folder: Path) -> list[dict[str, Any]]:
    """Return the contents of all results in a folder, with `file` and whether they are `ranked`.

    Raises:
        ValueError: for a file that is not a result, has no games beside it, or was played on fresh
            deals.
    """
    results, ranked = [], ranked_in(folder)
    for path in result_files(folder):
        if not games_file(path).exists():
            raise ValueError(f"{path} has no games: {games_file(path)} is missing")
        result = read_result(path)
        if "fresh" in result:
            raise ValueError(f"{path} was played on fresh deals, which cannot be compared here")
        results.append(result | {"file": path.name, "ranked": path.stem in ranked})
    return results


def page(results: Sequence[Mapping[str, Any]]) -> str:
    """Return the tables of the results page, one for each track with results."""
    parts = []
    for name in sorted(protocols(), reverse=True):
        for track in load(name).tracks:
            those = [r for r in results if (r["protocol"], r["track"]) == (name, track.name)]
            if those:
                columns = [task.name for task in track.tasks]
                parts += [f"## Protocol {name}, track {track.name}", board(those, columns)]
    return "\n\n".join(parts)


def board(results: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Return the tables of a track: ranked results with a score, the best first, then all others by
    name."""

    def rank(result: Mapping[str, Any]) -> tuple[float, str]:
        ranked = result["ranked"] and result["score"]
        return (-result["score"][0] if ranked else float("inf")), result["agent"]

    rows, by_table = [], []
    for place, result in enumerate(sorted(results, key=rank), 1):
        name = escaped(result["agent"])
        rows.append(
            [
                str(place) if result["ranked"] and result["score"] else "–",
                f"[{name}]({result['link']})" if result["link"] else name,
                escaped(result["author"]) or "–",
                points(result["score"]) if result["score"] else "–",
                "yes" if result["ranked"] else "no",
                milliseconds(result["tables"]),
                escaped(result["versions"].get("gubs_env", "–")),
                f"[record](../results/{result['file']})",
            ]
        )
        scores = {table["table"]: points(table["score"]) for table in result["tables"]}
        by_table.append([name, *[scores.get(column, "–") for column in columns]])
    head = ["rank", "agent", "by", "score", "asked again", "ms a decision", "gubs_env", "file"]
    return md.table(head, rows) + "\n\n" + md.table(["agent", *columns], by_table)


def tables_of(track: Track) -> str:
    """Return the tables of docs/benchmark.md that describe a track."""
    gaps = sum(task.gap for task in track.tasks)
    played = [
        [
            f"`{task.name}`",
            game_with_rules(task.table),
            f"{task.table.num_players} ({task.table.num_sides})",
            ", ".join(anchor.name for anchor in task.anchors),
            f"{task.num_games:,}",
        ]
        for task in track.tasks
    ]
    scored = [
        [
            f"`{task.name}`",
            str(task.first_deal),
            f"{task.deals:,}",
            *[f"{100 * rate:.1f} %" for rate in task.scale],
            f"{100 * task.gap / gaps:.0f} %",
        ]
        for task in track.tasks
    ]
    head = ["table", "game", "players (sides)", "anchors", "games"]
    scores = ["table", "first deal", "deals", "`random` wins", "`heuristic` wins", "weight"]
    return md.table(head, played) + "\n\n" + md.table(scores, scored)


def game_with_rules(table: Table) -> str:
    """Return the name of a table's environment, with the options that are not the default."""
    options = options_text(changed_options(table.rules))
    return f"`{table.game.name}`" + (f", {options}" if options else "")


def write_pages(results: Path, docs: Path) -> None:
    """Write the tables of docs/results.md and docs/benchmark.md.

    Args:
        results: the folder of the results.
        docs: the folder of the pages.

    Raises:
        ValueError: for a file that is not a result, or a page without the marks.
        OSError: for a file that cannot be read or written.
    """
    md.replace_section(docs / "results.md", "benchmark results", page(results_in(results)))
    for track in load().tracks:
        md.replace_section(docs / "benchmark.md", f"tables {track.name}", tables_of(track))
