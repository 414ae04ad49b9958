"""Where an agent loses: decisions of the games that it lost, searched and valued.

    python experiments/blunders.py --search montecarlo:playouts=1500+weights=shipped+beliefs=shipped
    python experiments/blunders.py --players 4
    python experiments/blunders.py --game fubnub

The agent plays against itself. A search looks at decisions of players that lost, and where it
prefers another action, a second search values both in the same random games. Prints how much win
rate the better actions would gain in a lost game, by kinds of decisions: the table of
docs/research/blunders.md. The same command goes on after an interruption.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tyro
from tqdm import tqdm

from gubs_agents.arena.measures import NORMAL, Measure, mean_with_error
from gubs_agents.deals import REPORT_DEALS
from gubs_agents.search.search import Race, Search, gains
from gubs_env import Table, find_game, find_table
from gubs_env.agents.parsing import parse_rules
from gubs_env.agents.registry import build
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.rng import spawn_rngs
from gubs_env.support.markdown import table as markdown_table
from gubs_env.support.output import print_everywhere

SURE = 0.9
"""An agent is sure where its action has at least this probability."""


@dataclass(frozen=True)
class Options:
    """Search decisions of lost games, and value each action that the search prefers."""

    game: str = "gubs"
    """The game."""
    players: int | None = None
    """Number of players."""
    rules: str = ""
    """Options of the rules."""
    agent: str = "policy"
    """The agent that plays, with probabilities of its actions."""
    search: str = "montecarlo:playouts=1500+weights=shipped"
    """The search; its network must be the agent's."""
    judge: str = ""
    """The search that values actions; by default the same."""
    deals: int = 1000
    """Games of the agent against itself."""
    decisions: int = 1000
    """Decisions that are searched, drawn at random from those of players that lost."""
    valued: int = 4096
    """Random games in which two actions are valued."""
    out: Path = Path("runs/blunders")
    """Folder of the valued decisions."""

    @property
    def table(self) -> Table:
        """The table of the games."""
        game = find_game(self.game)
        return find_table(game, self.players, parse_rules(self.rules, game))


class Decisions(NamedTuple):
    """Decisions with a choice by players that lost."""

    views: np.ndarray
    """STATE[count]"""
    actions: np.ndarray
    """int64[count]: the agent's actions."""
    sure: np.ndarray
    """float64[count]: their probabilities."""
    in_a_game: float
    """Mean number of such decisions of a player in a lost game."""


def lost_decisions(table: Table, agent: Any, deals: int) -> Decisions:
    """Play an agent against itself, and return the decisions of the players that lost."""
    games = VectorEnv(table, deals, autoreset=False)
    for index in range(deals):
        games.deal(index, REPORT_DEALS.start + index)
    games.look()
    parts, payoffs = [], np.zeros((deals, table.num_players))
    while (going := np.flatnonzero(games.actors >= 0)).size:
        observations, masks = games.observations[going], games.masks[going]
        chosen = agent.act(observations, masks)
        free = masks.sum(1) > 1
        probabilities, _ = agent.judge(observations[free], masks[free])
        sure = np.take_along_axis(probabilities, chosen[free, None], 1)[:, 0]
        rows = going[free]
        parts.append((rows, games.actors[rows], games.views(rows), chosen[free], sure))
        actions = np.full(deals, LOOK)
        actions[going] = chosen
        payoffs += games.step(actions).rewards
    rows, seats, views, chosen, sure = (np.concatenate(part) for part in zip(*parts, strict=True))
    lost = payoffs < payoffs.max(1, keepdims=True)
    of_losers = lost[rows, seats]
    return Decisions(
        views[of_losers], chosen[of_losers], sure[of_losers], of_losers.sum() / lost.sum()
    )


@dataclass
class Valued:
    """A decision that was searched."""

    phase: str
    """The kind of decision."""
    played: str
    """The agent's action."""
    better: str
    """The action that the search prefers, or the agent's."""
    sure: float
    """The probability of the agent's action."""
    letters: int
    """In Gubs, the number of Letters that are out; else 0."""
    gain: float
    """How much more win rate the search's action gains."""
    error: float
    """Its standard error."""

    @property
    def differs(self) -> bool:
        """Whether the search prefers another action."""
        return self.played != self.better


def valued(options: Options, found: Decisions, begun: int) -> Iterator[Valued]:
    """Yield decisions with their gains, from the number `begun` on."""
    table = options.table
    kinds, names = table.game.mechanics.Phase, table.action_names
    order = np.random.default_rng(0).permutation(len(found.views))[: options.decisions]
    rngs = spawn_rngs(np.random.default_rng(1), 2 * len(order)).reshape(-1, 2, 4)
    search: Any = build(options.search, table, 0)
    judge: Any = build(options.judge or options.search, table, 0)
    low, high = Measure(table).payoff_ends
    for index, (first, second) in zip(order[begun:], rngs[begun:], strict=True):
        view, played = found.views[index : index + 1], int(found.actions[index])
        better = int(search.search(view, first[None])[0])
        gain, error = gain_of(judge, view, played, better, options.valued, second)
        yield Valued(
            kinds(int(view["phase"][0])).name, names[played], names[better],
            float(found.sure[index]), letters_out(view), gain / (high - low), error / (high - low),
        )  # fmt: skip


def letters_out(view: np.ndarray) -> int:
    """Return the number of Letters that are out, 0 in other games."""
    names = view.dtype.names or ()
    return int(view["letters"].sum()) if "letters" in names else 0


def gain_of(
    judge: Search, view: np.ndarray, played: int, better: int, games: int, rng: np.ndarray
) -> tuple[float, float]:
    """Return how much more payoff one action gains than another, and its standard error."""
    if played == better:
        return 0.0, 0.0
    race = Race(judge, view, rng)
    candidates = race.candidates
    first, second = (int(np.flatnonzero(candidates.actions == k)[0]) for k in (played, better))
    candidates.active[:] = False
    candidates.active[[first, second]] = True
    compared = candidates._replace(reference=first)
    race.sweep(view, compared, race.scratch, judge.settings, rng, games)
    gain, error = gains(compared.sums, judge.settings)
    return gain[second] / judge.settings.unit, error[second] / judge.settings.unit


Part = Callable[[Valued], bool]


def parts_of(rows: list[Valued]) -> dict[str, Part]:
    """Return the parts of the table by their names."""
    phases = sorted({row.phase for row in rows})
    parts: dict[str, Part] = {"all": lambda row: True}
    parts |= {phase: lambda row, phase=phase: row.phase == phase for phase in phases}  # type: ignore[misc]
    if any(row.letters for row in rows):
        parts |= {
            "PLAY, ends the turn": lambda row: row.phase == "PLAY" and row.played == "PASS",
            "PLAY, lays a Gub": lambda row: row.phase == "PLAY" and row.played == "CARD[Gub]",
            "two Letters out": lambda row: row.letters == 2,
        }
    return parts | {f"sure, {SURE:.0%} or more": lambda row: row.sure >= SURE}


def line_of(name: str, part: Part, rows: list[Valued], in_a_game: float) -> list[str]:
    """Return a row of the table: its share, how often the search differs, and the gain."""
    within = np.array([part(row) for row in rows])
    gained = np.array([row.gain for row in rows]) * within
    differs = np.array([row.differs for row in rows])
    mean, error = mean_with_error(100 * in_a_game * gained)
    return [
        name, f"{within.mean():.1%}", f"{differs[within].mean():.1%}",
        f"{mean:+.1f} ± {NORMAL * error:.1f}".replace("-", "−"),
    ]  # fmt: skip


def all_valued(options: Options, found: Decisions) -> list[Valued]:
    """Return all decisions with their gains; each is kept in a file as soon as it is valued."""
    given = {name: str(value) for name, value in asdict(options).items() if name != "out"}
    path = options.out / f"{options.table.name}.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else [json.dumps(given)]
    if json.loads(lines[0]) != given:
        raise SystemExit(f"{path} holds decisions of {lines[0]}: delete it, or give another --out")
    rows = [Valued(**json.loads(line)) for line in lines[1:]]
    options.out.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    total = min(options.decisions, len(found.views))
    with path.open("a", encoding="utf-8") as file:
        for row in tqdm(
            valued(options, found, len(rows)), initial=len(rows), total=total, disable=None
        ):
            print(json.dumps(asdict(row)), file=file, flush=True)
            rows.append(row)
    return rows


def main() -> None:
    options = tyro.cli(Options)
    table = options.table
    found = lost_decisions(table, build(options.agent, table, 0), options.deals)
    rows = all_valued(options, found)
    print(
        f"{table}: {len(rows):,} of {len(found.views):,} decisions of players that lost, "
        f"{found.in_a_game:.1f} in a game\n"
    )
    lines = [line_of(name, part, rows, found.in_a_game) for name, part in parts_of(rows).items()]
    head = ["decisions", "share", "search differs", "win rate gained in a lost game, points"]
    print(markdown_table(head, lines))


if __name__ == "__main__":
    print_everywhere()
    main()
