"""The games that the values of chance outcomes are fitted to, which are never evaluated.

They are kept in files, so that an interrupted command goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from tqdm import tqdm

import gubs_agents
from gubs_agents.deals import LUCK_DEALS
from gubs_agents.luck.walking import Walk
from gubs_agents.networks.network import shipped
from gubs_env.commands.common import GameName, Players, shown
from gubs_env.engine.chance import Events, joined
from gubs_env.engine.table import Table
from gubs_env.records.playing import Games, play_games
from gubs_env.support.checks import Range, check_array
from gubs_env.support.files import read_arrays, replacing

TOGETHER = 2048
"""Games that are played side by side, and kept in one file."""
SHARES = {"policy": 0.35, "heuristic": 0.35, "greedy": 0.15, "random": 0.15}
"""How often each agent sits on a side; without a network, the others share its games."""


@dataclass(frozen=True)
class LuckOptions:
    """Fit the values of chance outcomes for a table."""

    game: GameName = "gubs"
    """The game."""
    players: Players = 0
    """Players at the table."""
    games: Annotated[int, Range(1)] = 40 * TOGETHER
    """Games to play and fit on, rounded up to a multiple of 2,048."""
    out: Annotated[Path, shown("FOLDER")] = Path("runs/luck")
    """Folder of the values and of the games."""
    epochs: Annotated[int, Range(1)] = 2
    """Passes over the events, for each of the two networks."""
    game_epochs: Annotated[int, Range(1)] = 2
    """Passes over whole games, at the end."""


class Part(NamedTuple):
    """Games that were played together."""

    picks: np.ndarray
    """int64[games, num_sides]: the agent of each side, as an index of the field."""
    payoffs: np.ndarray
    """float32[games, num_sides]."""
    events: Events
    """Their chance events, sorted by game."""


class Data(NamedTuple):
    """Games to learn from."""

    events: Events
    """The chance events, sorted by game."""
    payoffs: np.ndarray
    """float32[games, num_sides]: payoffs less the mean of the same agents in the same seats."""
    sides: np.ndarray
    """int64[num_players]: the side of each seat."""


def centred(payoffs: np.ndarray, seatings: np.ndarray) -> np.ndarray:
    """Return payoffs less their mean over the games of the same seating, float32[games, sides]."""
    _, group = np.unique(seatings, axis=0, return_inverse=True)
    group = group.ravel()
    counts = np.bincount(group)
    result = np.empty(payoffs.shape, np.float32)
    for side in range(payoffs.shape[1]):
        means = np.bincount(group, payoffs[:, side]) / counts
        result[:, side] = payoffs[:, side] - means[group]
    return result


def field_of(table: Table) -> dict[str, float]:
    """Return the agents that play, with the share of the games that each plays."""
    shares = dict(SHARES)
    try:
        shipped(table)
    except ValueError:
        del shares["policy"]
    return {name: share / sum(shares.values()) for name, share in shares.items()}


def play(table: Table, number: int) -> Part:
    """Play part `number` of the games and return it."""
    shares, sides = field_of(table), table.sides
    seeds = LUCK_DEALS.start + number * TOGETHER + np.arange(TOGETHER)
    rng = np.random.default_rng([number, table.num_players])
    picks = rng.choice(len(shares), (TOGETHER, table.num_sides), p=list(shares.values()))
    agents = [gubs_agents.make(name, table, 0) for name in shares]
    played, _ = play_games(Games(table, seeds, picks[:, sides], list(shares)), agents)
    names = [f"deal {seed}" for seed in seeds]
    walk = Walk(table, seeds.tolist(), played.actions, names)
    events = joined(list(walk.events()))
    order = np.argsort(events.games, kind="stable")
    first = np.unique(sides, return_index=True)[1]
    return Part(picks, played.payoffs[:, first], Events(*(part[order] for part in events)))


def load_or_play(path: Path, table: Table, number: int) -> Part:
    """Return part `number` of the games, from its file or played now.

    Raises:
        ValueError: for a file that is damaged or no part of these games.
        OSError: for a file that cannot be read or written.
    """
    if not path.exists():
        part = play(table, number)
        with replacing(path) as file:
            np.savez(file, picks=part.picks, payoffs=part.payoffs, **part.events._asdict())
        return part
    return read_arrays(path, f"games of {table}", lambda arrays: part_of(arrays, table))


def part_of(arrays: dict[str, np.ndarray], table: Table) -> Part:
    """Return a part from the arrays of a file, which are checked.

    Raises:
        ValueError: names the array that has another dtype or shape, or a number out of range.
    """
    chance, events = table.game.chance_events(), len(arrays["games"])
    num_sides, num_players = table.num_sides, table.num_players
    expected = {
        "picks": (np.int64, (TOGETHER, num_sides), 0, len(field_of(table)) - 1),
        "payoffs": (np.float32, (TOGETHER, num_sides), -1, 1),
        "games": (np.int64, (events,), 0, TOGETHER - 1),
        "seats": (np.int64, (events,), 0, num_players - 1),
        "features": (np.int8, (events, chance.num_features(num_players)), -128, 127),
        "weights": (np.float32, (events, chance.num_outcomes), 0, 1),
        "outcomes": (np.int64, (events,), 0, chance.num_outcomes - 1),
    }
    for name, array in arrays.items():
        dtype, shape, low, high = expected[name]
        check_array(name, array, np.empty(shape, dtype), low, high)
    if (np.diff(arrays["games"]) < 0).any():
        raise ValueError("games are not in order")
    columns = (arrays[name] for name in Events._fields)
    return Part(arrays["picks"], arrays["payoffs"], Events(*columns))


def data_of(parts: Iterable[Part], sides: np.ndarray) -> Data:
    """Return the games of several parts in one."""
    columns: list[list[np.ndarray]] = [[] for _ in Events._fields]
    picks, payoffs = [], []
    for number, part in enumerate(parts):
        events = part.events._replace(games=part.events.games + number * TOGETHER)
        for column, array in zip(columns, events, strict=True):
            column.append(array)
        picks.append(part.picks)
        payoffs.append(part.payoffs)
    # One kind of array after another, so that the events are never in memory twice.
    columns.reverse()
    events = Events(*(np.concatenate(columns.pop()) for _ in Events._fields))
    return Data(events, centred(np.concatenate(payoffs), np.concatenate(picks)), sides)


def parts_of(options: LuckOptions, table: Table) -> Iterator[Part]:
    """Yield the parts of the games with a progress bar."""
    options.out.mkdir(parents=True, exist_ok=True)
    count = -(-options.games // TOGETHER)
    for number in tqdm(range(count), desc="playing", unit=f"·{TOGETHER} games"):
        name = f"{table.name}_{number:04d}.npz"
        yield load_or_play(options.out / name, table, number)
