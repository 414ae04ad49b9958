"""The cost of one move against another: both are played out in the same games.

A network's values before and after a move say little about the move, since luck and the others come
between. So the hidden cards are drawn anew, many times, and each game goes on with one move and
with the other, with the same random numbers. The network plays all seats until the player has had
eight more turns; its value there is the payoff to expect. Where both games have become the same,
the moves differ no more.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from gubs_env.agents.registry import Judge
from gubs_env.engine.choosing import LOOK, WAIT
from gubs_env.engine.kernel import Batch
from gubs_env.engine.mechanics import NO_TURNS
from gubs_env.engine.rng import spawn_rngs
from gubs_env.engine.table import Table
from gubs_env.engine.text import player_name, plural
from gubs_env.engine.view import View

PASS = "PASS"
"""The name of the action by which a player asked out of turn lets a card take effect."""
GAMES = 256
"""Number of games in which two moves are compared."""
TURNS, ROUNDS = 8, 1
"""Number of further turns of the player after which the network's value is taken; number of rounds,
in a game that is played in rounds."""
VALUE_ERROR = 0.03
"""Standard deviation of the error of a cost, in parts of the most that a game pays, where all games
end in a value: more games do not reduce it."""
SURE = 1.96
"""Number of standard errors on either side of a mean that make an interval of 95 %."""
LEAST_COST = 0.02
"""The least cost beyond its uncertainty that makes a move a mistake, in parts of the most that a
game pays: with two sides, one chance of winning in 100."""
LEAST_POINTS = 0.2
"""The least mean difference of points that is told as a reason. A smaller one than a point for each
game that is won more explains nothing either."""


class Weighed(NamedTuple):
    """The cost of the move that was played, against another one."""

    cost: float
    """The mean payoff with the other move, less that with the move played."""
    margin: float
    """Half the width of the 95 % interval of the cost."""
    better: str
    """How much better the other move is, and why as far as that is known, in words; "" unless the
    cost is beyond its uncertainty."""


class Estimate(NamedTuple):
    """The cost of a move against another one in some games."""

    cost: float
    """The mean payoff with the other move, less that with the move played."""
    margin: float
    """Half the width of the 95 % interval of the cost."""
    guessed: float
    """The share of games whose payoff is the network's value, 0 to 1."""
    deals: np.ndarray
    """STATE[GAMES], the games before the move."""
    batch: Batch
    """The games at the horizon or at their ends: GAMES after the move that was played, then as many
    after the other one."""


def weigh(
    table: Table, judge: Judge, view: View, played: tuple[int, ...], other: tuple[int, ...]
) -> Weighed:
    """Return what a move costs against another one; equal arguments give equal results.

    A cost beyond its uncertainty is estimated once more, in fresh games: of many decisions, those
    that seem to cost most were also the unluckiest. Where points do not explain it, the games are
    played to their ends, which count alone if they contradict the network's values.

    Args:
        table: the table.
        judge: the network. If it has no value, games are played to their ends.
        view: the view of the player who decides.
        played: the picks of the move that was played.
        other: those of the other move.
    """
    estimate = partial(estimated, table, judge, view, played, other)
    found = estimate(seed=0)
    if abs(found.cost) > found.margin:
        found = estimate(seed=1)
    least = LEAST_COST * table.max_payoff
    if found.cost - found.margin < least:
        return Weighed(found.cost, found.margin, "")
    reason = _reason(table, view.seat, found)
    if found.guessed and not reason:  # the ends may tell it, or contradict the network's values
        end = _ended(table, judge, view.seat, found)
        reason = _reason(table, view.seat, end)
        if abs(end.cost - found.cost) > np.hypot(end.margin, found.margin):
            found = end
    better = f"better: it {gain(table, found.cost, found.margin)}{reason and f', and {reason}'}"
    return Weighed(found.cost, found.margin, better * (found.cost - found.margin >= least))


def estimated(
    table: Table,
    judge: Judge,
    view: View,
    played: tuple[int, ...],
    other: tuple[int, ...],
    seed: int,
) -> Estimate:
    """Return what a move costs in the games of a seed."""
    deals = _deals(view, GAMES, seed)
    batch = _batch(table, np.concatenate([deals, deals]))
    for number in range(max(len(played), len(other))):
        picks = [move[number] if number < len(move) else WAIT for move in (played, other)]
        _advance(table, batch, np.repeat(picks, GAMES))
    values, guessed = _play_on(table, judge, batch, view.seat, are_pairs=True)
    return _estimate(table, deals, batch, values, guessed)


def _ended(table: Table, judge: Judge, seat: int, found: Estimate) -> Estimate:
    """Return what a move costs at the ends of games, which are played on."""
    played_on = _play_on(table, judge, found.batch, seat, to_the_end=True, are_pairs=True)
    return _estimate(table, found.deals, found.batch, *played_on)


def _estimate(
    table: Table, deals: np.ndarray, batch: Batch, values: np.ndarray, guessed: float
) -> Estimate:
    gains = values[GAMES:] - values[:GAMES]
    error = np.hypot(gains.std() / np.sqrt(GAMES), VALUE_ERROR * table.max_payoff * guessed)
    return Estimate(float(gains.mean()), float(SURE * error), guessed, deals, batch)


def ends_if_all_pass(table: Table, view: View) -> bool:
    """Return whether a game ends if everybody passes who is asked out of turn, from a view on."""
    if PASS not in table.action_names:
        return False
    batch, passing = _batch(table, _deals(view, 1, 0)), table.action_names.index(PASS)
    while batch.masks[0, passing]:
        _advance(table, batch, np.array([passing]), skip_forced=True)
    return bool(batch.states["phase"][0] == table.game.mechanics.Phase.OVER)


def expected(table: Table, judge: Judge, view: View, value: float | None = None) -> float:
    """Return the payoff to expect at a decision: the network's value, unless games contradict it.

    Args:
        table: the table.
        judge: the network.
        view: the view of the player who decides.
        value: its value; None for a network that has none.
    """
    batch = _batch(table, _deals(view, GAMES // 2, 0))
    payoffs, guessed = _play_on(table, judge, batch, view.seat)
    found = float(payoffs.mean())
    if value is None:
        return found
    error = np.hypot(payoffs.std() / np.sqrt(GAMES // 2), VALUE_ERROR * table.max_payoff * guessed)
    return value if abs(value - found) <= SURE * error else found


def chance_of(table: Table, payoff: float) -> float | None:
    """Return the chance of winning that an expected payoff stands for, 0 to 1.

    None for a table that does not pay for the win only, or not all that the others lose.
    """
    if not (table.pays_wins and table.is_zero_sum) or table.num_sides < 2:
        return None
    return min(1.0, max(0.0, (1 + payoff * (table.num_sides - 1)) / table.num_sides))


def _deals(view: View, count: int, seed: int) -> np.ndarray:
    """Return games that fit a view, STATE[count], the hidden cards drawn at random."""
    deals = np.repeat(np.array([view.state]), count)
    for index, rng in enumerate(spawn_rngs(np.random.default_rng(seed), count)):
        view.game.kernel.determinize(deals, index, rng)
    return deals


def _batch(table: Table, states: np.ndarray) -> Batch:
    """Return games at these states, with their observations and masks."""
    batch = table.game.new_batch(states)
    _advance(table, batch, np.full(len(states), LOOK))
    return batch


def _advance(table: Table, batch: Batch, actions: np.ndarray, skip_forced: bool = False) -> None:
    table.game.kernel.advance(*batch, actions, 1, False, skip_forced)


def _play_on(
    table: Table,
    judge: Judge,
    batch: Batch,
    seat: int,
    to_the_end: bool = False,
    are_pairs: bool = False,
) -> tuple[np.ndarray, float]:
    """Let a network play games up to the horizon of a seat, or to their ends.

    Args:
        table: the table.
        judge: the network.
        batch: the games.
        seat: the seat.
        to_the_end: whether no game ends in a value.
        are_pairs: whether games whose other half, in the same order, is equal end there.

    Returns:
        The payoffs of the seat, by the network's value where a game is not over, 0 for equal
        games; and the share of games with such a value.
    """
    states, mechanics = batch.states, table.game.mechanics
    values, turns = np.full(len(states), np.nan), np.zeros(len(states), int)
    in_rounds = mechanics.turn_phase == NO_TURNS
    first = _rounds(table, states)
    while (going := np.flatnonzero(_go_on(table, states, are_pairs) & np.isnan(values))).size:
        probabilities, expected = judge.judge(batch.observations[going], batch.masks[going])
        actions = np.full(len(values), WAIT)
        actions[going] = probabilities.argmax(1)
        is_own = batch.actors[going] == seat
        if in_rounds:
            turns[going] = _rounds(table, states[going]) - first[going]
        else:
            turns[going] += is_own & (states["phase"][going] == mechanics.turn_phase)
        if expected is not None and not to_the_end:
            ends = is_own & (turns[going] >= (ROUNDS if in_rounds else TURNS))
            values[going[ends]] = expected[ends]
            actions[going[ends]] = WAIT
        _advance(table, batch, actions, skip_forced=True)
    is_guessed = ~np.isnan(values)
    return np.where(is_guessed, values, batch.rewards[:, seat]), float(is_guessed.mean())


def _go_on(table: Table, states: np.ndarray, are_pairs: bool) -> np.ndarray:
    """Return which games are not over, and differ from their pair, bool[games]."""
    goes_on = states["phase"] != table.game.mechanics.Phase.OVER
    if are_pairs:
        first, second = states.view(np.uint8).reshape(2, len(states) // 2, -1)
        goes_on &= np.tile((first != second).any(1), 2)
    return goes_on


def _rounds(table: Table, states: np.ndarray) -> np.ndarray:
    """Return the number of the round in each game."""
    return np.array([table.game.mechanics.round_number(state) for state in states])


def gain(table: Table, cost: float, margin: float) -> str:
    """Return in words what another move brings, in games won where only the win is paid."""
    if chance_of(table, cost) is None:
        most = f"where the most is {table.max_payoff:+.2f}"
        return f"is paid {cost:.2f} more on average (± {margin:.2f}), {most}"
    unit = 100 * _unit(table)
    return f"wins {plural(round(unit * cost), 'more game')} in 100 (± {unit * margin:.0f})"


def _unit(table: Table) -> float:
    """Return the chance of winning that a payoff of 1 more stands for; 1 beside other payoffs."""
    return 1.0 if chance_of(table, 0) is None else 1 - 1 / table.num_sides


def _reason(table: Table, seat: int, found: Estimate) -> str:
    """Return the largest change of points that the other move brings; "" where none is known.

    Args:
        table: the table.
        seat: the player who decides.
        found: the games, and what the move that was played costs there.
    """
    outcomes = [table.game.outcome(state) for state in (*found.deals, *found.batch.states)]
    if not any(map(table.game.has_points, outcomes)):
        return ""
    scores = np.reshape([each.scores for each in outcomes], (3, GAMES, -1))
    now, played, other = scores.astype(float)
    own = np.where(table.sides == table.sides[seat], 1, -1)
    gains = own * (other - played)
    mean, error = gains.mean(0), gains.std(0) / np.sqrt(GAMES)
    sure = mean > np.maximum(max(LEAST_POINTS, found.cost * _unit(table)), SURE * error)
    if not sure.any():
        return ""
    who = seat if sure[seat] else int(np.argmax(np.where(sure, mean, 0)))
    name, points = player_name(who), f"{mean[who]:.1f} points"
    until = f"on average {_horizon(table, found)}"
    is_kept = (own * (now - played)).mean(0)[who] > mean[who] / 2
    if who == seat:
        return f"{'saves' if is_kept else 'gains'} {name} {points} {until}"
    if is_kept:
        return f"keeps {name} from gaining {points} {until}"
    return f"takes {points} from {name} {until}"


def _horizon(table: Table, found: Estimate) -> str:
    """Return in words until when the games of an estimate were played."""
    if not found.guessed:
        return "by the end of the game"
    in_rounds = table.game.mechanics.turn_phase == NO_TURNS
    return "in this round" if in_rounds else "within eight turns"
