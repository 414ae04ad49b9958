"""The number of action sequences from fixed positions, compared with recorded and slow counts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.games.perft import TREES, Divide, diagnosis, divides, expected_of

every_tree = pytest.mark.parametrize(
    "tree", TREES, ids=[f"{tree.game.name}-{tree.name}" for tree in TREES]
)
SLOW_SEQUENCES = 150


@every_tree
def test_trees_have_as_many_sequences_as_recorded(tree):
    expected = expected_of(tree)
    report = diagnosis(expected, list(divides(tree)))
    assert not report, f"{tree.game.name}, {tree.name}: {report}"


def slow_count(environment, depth: int) -> int:
    """Count the sequences of `depth` actions by cloning the environment at each of them."""
    if environment.is_done(environment.agent_selection):
        return 0
    legal = np.flatnonzero(environment.observe(environment.agent_selection)["action_mask"])
    if depth == 1:
        return len(legal)
    count = 0
    for action in legal:
        twin = environment.clone()
        twin.step(int(action))
        count += slow_count(twin, depth - 1)
    return count


def slow_divide(environment, depth: int) -> Divide:
    found = Counter()
    mask = environment.observe(environment.agent_selection)["action_mask"]
    for action in np.flatnonzero(mask).tolist():
        twin = environment.clone()
        twin.step(action)
        found[environment.action_name(action)] = 1 if depth == 1 else slow_count(twin, depth - 1)
    return dict(found)


@every_tree
def test_the_recorded_counts_are_those_of_single_games(tree):
    """Count the deepest level of at most SLOW_SEQUENCES sequences with environments alone."""
    expected = expected_of(tree)
    small = [depth for depth, each in enumerate(expected) if sum(each.values()) <= SLOW_SEQUENCES]
    state = tree.root()[0]
    environment = tree.module.raw_env(int(state["num_players"]), tree.options)
    environment.set_state(state)
    assert small, "even a single decision has too many actions"
    assert slow_divide(environment, max(small) + 1) == expected[max(small)]


def test_a_difference_names_the_first_actions_in_which_it_lies():
    expected = [{"PASS": 1, "DECK": 1}, {"PASS": 7, "DECK": 3}]
    assert diagnosis(expected, expected) == ""
    found = [{"PASS": 1, "DECK": 1}, {"PASS": 7, "DECK": 4}]
    assert diagnosis(expected, found) == (
        "11 sequences of 2 actions, not 10:\n  DECK: expected 3, found 4"
    )
    found = [{"PASS": 1, "CARD[Lure]": 1}]
    assert "DECK: expected 1, found 0\n  CARD[Lure]: expected 0, found 1" in diagnosis(
        expected, found
    )
    assert diagnosis(expected, expected[:1]) == "the tree is 1 actions deep, not 2"
