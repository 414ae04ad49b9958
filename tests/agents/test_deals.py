"""The table of deals: what is measured is never dealt where it was fitted or chosen."""

from __future__ import annotations

from itertools import pairwise

import pytest

from gubs_agents import arena, deals, luck
from gubs_agents.arena import playing
from gubs_agents.arena.gate import BLOCKS
from gubs_agents.arena.likelihood import Hypotheses
from gubs_agents.arena.options import MOST_DEALS, PlayOptions
from gubs_agents.arena.plan import make_plan
from gubs_agents.scripted.uniform import Uniform
from gubs_env import find_table
from gubs_env.support.output import warn_once
from tests.poker import low_card

RANGES = {name: found for name, found in vars(deals).items() if isinstance(found, range)}


def test_no_two_ranges_overlap():
    assert len(RANGES) == 8
    assert all(len(deal_range) >= 10**9 for deal_range in RANGES.values())
    for first, second in pairwise(sorted(RANGES.values(), key=lambda found: found.start)):
        assert first.stop <= second.start


def test_fresh_deals_are_seeds_that_no_range_holds():
    """They are sums of a number of `FRESH_DEALS` and a deal of a protocol."""
    assert deals.FRESH_DEALS.stop + deals.PROTOCOL_DEALS.stop < 2**63
    assert max(found.stop for found in RANGES.values()) == deals.FRESH_DEALS.stop


@pytest.mark.parametrize(("game", "players"), [("gubs", 2), ("fubnub", 4), ("bad_bad_turtle", 4)])
def test_the_values_of_luck_were_fitted_on_deals_of_their_range(game, players):
    values = luck.values_for(find_table(game, players))
    assert values.first_deal in deals.LUCK_DEALS
    assert values.first_deal + values.games <= deals.LUCK_DEALS.stop


def test_all_blocks_of_the_gate_fit():
    assert len(deals.GATE_DEALS) >= BLOCKS * MOST_DEALS


def test_training_with_another_seed_begins_with_other_deals():
    count = 1024
    firsts = sorted(deals.first_training_deal(seed, count) for seed in range(100))
    assert all(later - first >= count for first, later in pairwise(firsts))
    assert firsts[0] in deals.TRAINING_DEALS
    assert firsts[-1] + count in deals.TRAINING_DEALS


@pytest.fixture
def agent(monkeypatch):
    """An agent that remembers the seeds of the deals that it plays."""
    agent, begin = Uniform(find_table("gubs")), playing.play_games
    agent.seeds = set()

    def play_games(games, agents):
        agent.seeds.update(games.deals.tolist())
        return begin(games, agents)

    monkeypatch.setattr(playing, "play_games", play_games)
    return agent


MEASURES = {
    "play": lambda agent, **seed: arena.play([agent] * 2, deals=2, **seed),
    "win_rate": lambda agent, **seed: arena.win_rate(agent, agent, deals=2, **seed),
    "result": lambda agent, **seed: arena.Duel(agent, agent, deals=2, **seed).result(),
    "by_deal": lambda agent, **seed: arena.Duel(agent, agent, deals=2, **seed).by_deal(),
    "difference": lambda agent, **seed: arena.Duel(agent, agent, deals=2, **seed).difference(),
    "over_seeds": lambda agent, **seed: arena.over_seeds({"it": [agent]}, agent, deals=2, **seed),
    "seats": lambda agent, **seed: arena.seats(agent, deals=2, **seed),
    "against_held_out": lambda agent, **seed: arena.against_held_out(
        agent, ["random"] * 2, low_card.GAME, deals=1, **seed
    ),
}


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_what_measures_takes_deals_of_the_reports_and_says_so_of_others(agent, measure, caplog):
    warn_once.cache_clear()
    measure(agent)
    assert {deals.REPORT_DEALS[0], deals.REPORT_DEALS[1]} == agent.seeds
    assert not caplog.messages
    measure(agent, seed=deals.REPORT_DEALS.start - 1)
    assert len(caplog.messages) == 1
    assert "deals 999,999,999 to 1,000,000,000 overlap with those that" in caplog.text


@pytest.mark.parametrize("seed", [0, deals.SELECTION_DEALS.start, deals.LUCK_DEALS.start])
def test_tournaments_and_tests_say_so_too(seed, caplog):
    for hypotheses in (None, Hypotheses(0, 10)):
        warn_once.cache_clear()
        make_plan("random,greedy", "gubs", PlayOptions(deals=2, seed=seed), hypotheses)
        assert len(caplog.messages) == 1
        caplog.clear()


@pytest.mark.parametrize("kept", [deals.GATE_DEALS, deals.PROTOCOL_DEALS, deals.FRESH_DEALS])
def test_deals_that_only_measure_pass_without_a_word(kept, caplog):
    warn_once.cache_clear()
    deals.warn_of_fits(kept.start, 1000)
    assert not caplog.messages
