"""The table of deals: what is measured is never dealt where it was fitted or chosen."""

from __future__ import annotations

from itertools import pairwise

import pytest

from gubs_agents import deals, luck
from gubs_agents.arena.gate import BLOCKS
from gubs_agents.arena.options import MOST_DEALS
from gubs_env import find_table

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
