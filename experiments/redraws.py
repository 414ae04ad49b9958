"""How much luck would be taken out if the same decision were drawn again, in place of enumerated.

    python experiments/redraws.py runs/luck/gubs_2 runs/luck/fubnub_4 …

Each folder holds the results file of a tournament, as `gubs arena --out` writes it. Prints the
tables of docs/research/redraws.md.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from tqdm import tqdm

from gubs_agents.arena.ratings import FinishedGames
from gubs_agents.arena.records import read_header
from gubs_agents.common.symmetry import show
from gubs_agents.luck import Adjusted, corrections, values_for
from gubs_agents.luck.comparison import arrays_of, scaled
from gubs_agents.luck.walking import Walk
from gubs_agents.networks.network import policy
from gubs_env.engine.chance import Events
from gubs_env.engine.kernel import Batch
from gubs_env.engine.seats import ANY_PLAYER
from gubs_env.engine.table import Table
from gubs_env.records.playing import Replay
from gubs_env.records.record import Record, read_lines
from gubs_env.support.markdown import table as markdown_table
from gubs_env.support.output import print_everywhere

TOGETHER = 128
"""Games that are played again side by side."""
EXCHANGES, WORDS, VIEWS = (1, 4, 16, 64), (1, 4, 16, 64), (1, 4, 16)
"""How often each way draws again."""
RESAMPLES = 1000


@dataclass(frozen=True)
class Options:
    """How much luck would be taken out if the same decision were drawn again."""

    folders: tyro.conf.Positional[tuple[Path, ...]]
    """Folders of tournaments."""
    games: int = 1200
    """The first games of each are read."""
    views: int = 600
    """The first games for determinizations."""


class Change:
    """Corrections of games: the mean value of what is drawn again, less that of what happened.

    Args:
        table: the table.
        count: number of games.
        draws: the numbers of draws.

    Attributes:
        total: float64[games, num_sides] for each number of draws: what to add to the payoffs.
    """

    def __init__(self, table: Table, count: int, draws: Sequence[int]) -> None:
        self.total = {number: np.zeros((count, table.num_sides)) for number in draws}

    def add(self, games: np.ndarray, happened: np.ndarray, again: np.ndarray) -> None:
        """Add one correction in some games.

        Args:
            games: int64[n], different games.
            happened: float64[n, num_sides]: the value of what happened, to each side.
            again: float64[n, draws, num_sides]: the values of what was drawn again.
        """
        for number, total in self.total.items():
            added = again[:, :number].mean(axis=1) - happened
            total[games] += added - added.mean(axis=1, keepdims=True)


def course(records: Sequence[Record]) -> tuple[list[Any], list[Any], list[str]]:
    """Return starts, actions and names of games, as `Walk` and `Replay` take them."""
    starts = [record.start for record in records]
    return starts, [record.actions for record in records], [repr(record) for record in records]


# --------------------------------------------------------------------------------- decks exchanged


def exchanged(records: Sequence[Record]) -> Change:
    """Draw the outcome of each chance event again, with the probabilities of `gubs luck`.

    It is the same as to exchange the card that turns up with one that could lie in its place.
    """
    table, rng = records[0].table, np.random.default_rng(0)
    values, change = values_for(table), Change(table, len(records), EXCHANGES)
    for events in filter(has_events, Walk(table, *course(records)).events()):
        probabilities = events.weights.astype(float)
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        worth = values.network.forward(events.features.astype(np.float32))
        worth = worth.reshape(len(events.games), table.num_sides, -1)
        taken = np.take_along_axis(worth, events.outcomes[:, None, None], 2)[:, :, 0]
        counts, drawn = np.zeros(probabilities.shape), 0
        for number, total in change.total.items():
            counts += rng.multinomial(number - drawn, probabilities)
            drawn = number
            added = np.einsum("nso,no->ns", worth, counts / number) - taken
            added -= added.mean(axis=1, keepdims=True)
            for steps in range(table.num_sides):
                sides = (table.sides[events.seats] + steps) % table.num_sides
                np.add.at(total, (events.games, sides), added[:, steps])
    return change


def has_events(events: Events) -> bool:
    return len(events.games) > 0


# --------------------------------------------------------------------------- other words of the RNG


class OtherWords(Walk):
    """Games played again, in which the RNG gets other words before each deal and decision.

    The value of what happened, and of what is drawn again, is the sum of the surprises of its
    chance events, as the shipped values see them.
    """

    def __init__(self, records: Sequence[Record]) -> None:
        self.table = records[0].table
        super().__init__(self.table, *course(records))
        self.values, self.rng = values_for(self.table), np.random.default_rng(0)
        self.change = Change(self.table, len(records), WORDS)

    def written(self, follow_games: Any, *games: np.ndarray) -> Events:
        before, after, tracks, rows, actions = games
        used = (before["rng"][rows] != after["rng"][rows]).any(axis=1)
        again = np.repeat(rows[used], max(WORDS))
        numbers, kept = np.repeat(actions[used], max(WORDS)), tracks[again]
        states = before[again]
        states["rng"] = self.rng.integers(1 << 32, size=(len(again), 4))
        events = super().written(follow_games, *games)
        if len(again):
            played = states.copy()
            self._play(played, numbers, is_deal=before is self.states)
            every = np.arange(len(again))
            drawn = super().written(follow_games, states, played, kept, every, numbers)
            worth = self._surprises(drawn, len(again)).reshape(used.sum(), max(WORDS), -1)
            self.change.add(rows[used], self._surprises(events, len(after))[rows[used]], worth)
        return events

    def _play(self, states: np.ndarray, actions: np.ndarray, is_deal: bool) -> None:
        game = self.table.game
        if not is_deal:
            game.kernel.advance(*game.new_batch(states), actions, 1, False, False)
            return
        for index, player in enumerate(actions.tolist()):
            game.kernel.deal(states, index, player)

    def _surprises(self, events: Events, count: int) -> np.ndarray:
        return -self.values.corrections(events, count, self.table.sides)


def redrawn(records: Sequence[Record]) -> Change:
    """Draw each deal and decision again with other words of the RNG."""
    walk = OtherWords(records)
    for _ in walk.events():
        pass
    return walk.change


# ------------------------------------------------------------------------------ views determinized


def determinized(records: Sequence[Record]) -> Change:
    """Draw each deal again, and each decision from determinizations of the player's view.

    The value is that of the shipped network, from what this player observes then.
    """
    table, rng = records[0].table, np.random.default_rng(0)
    game, network, most = table.game, policy(table, 0), max(VIEWS)
    change, replay = Change(table, len(records), VIEWS), Replay(table, *course(records))

    def worth(batch: Batch, seats: np.ndarray) -> np.ndarray:
        """Return the value of each state to the side of a seat, and its loss to the others."""
        for index, seat in enumerate(seats.tolist()):
            game.kernel.observe(batch.states, index, seat, batch.observations[index])
        shown = show(network.symmetry, batch.observations, np.ones_like(batch.masks))
        values = network._evaluate(shown.observations)[1].astype(float)
        values[batch.dones] = batch.rewards[batch.dones, seats[batch.dones]]
        spread = np.repeat(-values[:, None] / (table.num_sides - 1), table.num_sides, axis=1)
        spread[np.arange(len(seats)), table.sides[seats]] = values
        return spread / (table.sides == table.sides[seats, None]).sum(axis=1, keepdims=True)

    def played(states: np.ndarray, actions: np.ndarray) -> Batch:
        batch = game.new_batch(states)
        game.kernel.advance(*batch, actions, 1, False, False)
        return batch

    dealt = table.new_batch(len(records) * most)
    dealt.states["rng"] = rng.integers(1 << 32, size=(len(dealt.states), 4))
    for index in range(len(dealt.states)):
        game.kernel.deal(dealt.states, index, ANY_PLAYER)
    for seat in range(table.num_players):
        happened = worth(game.new_batch(replay.env.states.copy()), np.full(len(records), seat))
        again = worth(dealt, np.full(len(dealt.states), seat))
        change.add(np.arange(len(records)), happened, again.reshape(len(records), most, -1))
    for rows, actions in replay.steps():
        before, seats = replay.env.states[rows], replay.env.actors[rows]
        states = np.repeat(before, most)
        rngs = rng.integers(1 << 32, size=(len(states), 4))
        for index, seat in enumerate(np.repeat(seats, most).tolist()):
            game.kernel.hide(states, index, seat)
            game.kernel.determinize(states, index, rngs[index])
        again = worth(played(states, np.repeat(actions, most)), np.repeat(seats, most))
        happened = worth(played(before, actions), seats)
        change.add(rows, happened, again.reshape(len(rows), most, -1))
    return change


# ----------------------------------------------------------------------------------- the variances


class Variances:
    """Variances of the payoffs of each agent that sits alone against another, resampled by deal.

    Args:
        games: the games.
    """

    def __init__(self, games: FinishedGames) -> None:
        self.games, rng = games, np.random.default_rng(0)
        number = games.deals.max() + 1
        drawn = rng.multinomial(number, np.full(number, 1 / number), size=RESAMPLES)
        self.weights = np.concatenate([np.ones((1, number)), drawn])
        other = np.roll(games.seatings, -1, axis=1)
        alone = games.alone & ~games.mixed[:, None] & (games.seatings != other)
        if games.seatings.shape[1] == 2:
            alone &= games.seatings < other
        self.rows, self.seats = alone.nonzero()
        key = np.stack([games.seatings[alone], other[alone], self.seats])
        self.groups = np.unique(key, axis=1, return_inverse=True)[1].ravel()
        self.pairs = np.unique(key[:2], axis=1, return_inverse=True)[1].ravel()

    def of(self, payoffs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the variances with independent deals and with duplicate ones, summed over pairs.

        Args:
            payoffs: float64[games, num_sides].

        Returns:
            Two float64[1 + RESAMPLES]: of all deals, then of each bootstrap sample.
        """
        chosen, deals = payoffs[self.rows, self.seats], self.games.deals[self.rows]
        both, single = np.zeros((2, len(self.weights)))
        for group in np.unique(self.groups):
            own = self.groups == group
            single += variance(self.weights[:, deals[own]], chosen[own])
        for pair in np.unique(self.pairs):
            own = self.pairs == pair
            both += self._by_deal(deals[own], chosen[own])
        return single, both

    def _by_deal(self, deals: np.ndarray, payoffs: np.ndarray) -> np.ndarray:
        played, place, counts = np.unique(deals, return_inverse=True, return_counts=True)
        return variance(self.weights[:, played], np.bincount(place, payoffs) / counts)


def variance(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the variance of values for each row of weights."""
    total = weights.sum(axis=1)
    mean = weights @ values / total
    return weights @ np.square(values) / total - np.square(mean)


def rows_of(folder: Path, options: Options) -> list[list[str]]:
    """Return the rows of the table of one tournament."""
    header = read_header(folder / "games.jsonl")
    rows: list[list[str]] = []
    every = [record for _, record in islice(read_lines(folder / "games.jsonl"), options.games)]
    ways = {"exchanged": exchanged, "other words": redrawn, "determinized": determinized}
    for name, way in ways.items():
        records = every[: options.views] if way is determinized else every
        games = arrays_of(Adjusted(header, records, np.zeros(0)))
        variances, usual = Variances(games), corrections(records, values_for(records[0].table))
        plain, today = (variances.of(games.payoffs + scaled(games, c)) for c in (0 * usual, usual))
        if not rows:
            rows.append(["today", "", f"{len(records):,}", *cells(today, plain), "", ""])
        start, parts = time.process_time(), []
        for first in tqdm(range(0, len(records), TOGETHER), desc=f"{folder.name}, {name}"):
            parts.append(way(records[first : first + TOGETHER]).total)
        seconds = (time.process_time() - start) / len(records)
        for number in parts[0]:
            found = np.concatenate([part[number] for part in parts])
            left = variances.of(games.payoffs + scaled(games, found))
            share, times = cells(left, plain), cells(left, today, True)
            rows.append([name, str(number), f"{len(records):,}", *share, *times])
        rows[-1].append(f"{1000 * seconds:.0f}")
    return [row + [""] * (8 - len(row)) for row in rows]


def cells(
    left: tuple[np.ndarray, np.ndarray], whole: tuple[np.ndarray, np.ndarray], spread: bool = False
) -> list[str]:
    """Return what is left of the variances as texts, with 95 % intervals on demand."""
    found = []
    for part, of in zip(left, whole, strict=True):
        ratio = part / of
        low, high = np.quantile(ratio[1:], [0.025, 0.975])
        found.append(f"{ratio[0]:.2f}" + f" ({low:.2f} – {high:.2f})" * spread)
    return found


def main() -> None:
    """Print the tables."""
    options = tyro.cli(Options)
    head = ["way", "draws", "games", "luck out", "both", "luck out : today", "both : today", "ms"]
    for folder in options.folders:
        print(f"\n{folder.name}\n\n{markdown_table(head, rows_of(folder, options))}", flush=True)


if __name__ == "__main__":
    print_everywhere()
    main()
