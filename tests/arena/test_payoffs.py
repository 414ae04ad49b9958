"""Where payoffs differ they are what counts, and not wins: Gubs with reward=margin."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("choix", reason="the arena extra is not installed")

from gubs_agents import arena
from gubs_agents.arena.measures import MeanPayoff, Measure, Outcomes, WinRate
from gubs_agents.arena.report import ratings_table, seat_shares_table
from gubs_env import find_table
from gubs_env.engine.outcome import stake_share

MARGIN = find_table("gubs", rules={"reward": "margin"})
MOST = MARGIN.max_payoff


class First:
    """Plays the first legal action."""

    def act(self, observations, masks, rngs=None):
        return masks.argmax(1)


class Last:
    """Plays the last legal action."""

    def act(self, observations, masks, rngs=None):
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(1)


def test_shares_of_the_stake_are_payoffs_on_another_scale():
    payoffs = np.array([-MOST, 0, MOST / 2, MOST])
    assert stake_share(payoffs, MOST, 2).tolist() == [0, 0.5, 0.75, 1]
    measure = Measure(MARGIN)
    assert not measure.counts_wins
    assert measure.reported(stake_share(payoffs, MOST, 2)) == pytest.approx(payoffs)
    assert Measure(find_table("gubs")).reported(0.25) == 0.25


def test_the_mean_payoff_is_measured_and_the_win_rate_stays_what_it_is():
    first, last = First(), Last()
    duel = arena.Duel(first, last, MARGIN, deals=30)
    found = duel.result()
    paid = [
        arena.play([first, last], MARGIN, 30)[:, 0],
        arena.play([last, first], MARGIN, 30)[:, 1],
    ]
    assert isinstance(found, MeanPayoff)
    assert found.rate == pytest.approx(np.mean(paid))
    assert found.low < found.rate < found.high
    wins, plain = duel.win_rate(), arena.Duel(first, last, deals=30)
    assert type(wins) is WinRate
    assert wins == arena.win_rate(first, last, deals=30) == plain.win_rate() == plain.result()
    gain = duel.difference()
    assert gain.agent == found
    assert gain.value == pytest.approx(found.rate - gain.opponent)
    assert "%" not in f"{found} {gain}"


def test_a_tournament_ranks_by_payoffs():
    result = arena.tournament(["greedy", "random"], MARGIN, deals=20, resamples=20)
    assert (result.games.shares == stake_share(result.games.payoffs, MOST, 2)).all()
    order = np.argsort(result.numbers.payoff.value)
    assert (order == np.argsort(result.numbers.rating.value)).all()
    said = ratings_table(result)
    assert "win" not in said
    assert "payoff" in said


def test_a_forfeited_game_costs_the_most():
    measure = Measure(find_table("gubs", 3, MARGIN.rules))
    payoffs, winners = np.array([[1.0, -1, -2], [3, 0, -3]]), [(0,), (0,)]
    paid = measure.payoffs(Outcomes(payoffs, winners, [(), (0,)]))
    most = measure.table.max_payoff
    assert paid.tolist() == [[1, -1, -2], [-most / 2, most / 4, most / 4]]
    assert (measure.shares(Outcomes(paid, winners, [(), ()])) >= 0).all()


def test_a_sequential_test_reads_payoffs(tmp_path):
    verdict = arena.sprt(
        ["greedy", "random"], (0, 20), MARGIN, deals=400, alpha=0.1, beta=0.1, out=tmp_path
    )
    scores = np.linspace(0, 1, len(verdict.state.counts))
    share = np.average(scores, weights=verdict.state.counts)
    assert verdict.state.share[0] == pytest.approx(share)
    assert str(verdict).count("Payoff +") == 1
    records = arena.load(tmp_path / "games.jsonl")[1]
    mine = [record.outcome.payoffs[record.agents.index("greedy")] for record in records]
    assert verdict.plan.measure.reported(share) == pytest.approx(np.mean(mine), abs=MOST / 500)


def test_seats_are_paid():
    found = arena.seats("random", MARGIN, deals=20)
    assert found.fair == 0
    assert found.share.value.sum() == pytest.approx(0, abs=1e-9)
    assert "payoff of (fair payoff 0)" in seat_shares_table({"random": found})
