"""Known games, exactly: both OpenSpiel and ours find what docs/exploitability.md says of them."""

from __future__ import annotations

import re
from pathlib import Path

import kuhn_poker
import liars_dice
import pytest

from gubs_agents.exploit import WholeGame
from gubs_env.engine.table import Table
from tests.poker import goofspiel, kuhn_three, leduc_poker
from tests.poker.strategies import Uniform

pyspiel = pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")

PAGE = Path(__file__).parents[2] / "docs" / "exploitability.md"
TABLES = {
    "Kuhn poker": Table(kuhn_poker.GAME),
    "Kuhn poker for three": Table(kuhn_three.GAME),
    "Leduc poker": Table(leduc_poker.GAME),
    "Liar's Dice, 4 sides": Table(liars_dice.GAME, rules={"sides": 4}),
    "Liar's Dice, 6 sides": Table(liars_dice.GAME),
    "Goofspiel, 4 cards": Table(goofspiel.GAME),
}
ITERATIONS = 100


def row_of(name):
    """Return the name of OpenSpiel's game and the numbers in a row of the page."""
    row = re.search(rf"^\| {name} \| `(.*?)` \|(.*)\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert row, f"the page has no row for {name}"
    return row[1], [float(cell.replace(",", "").replace("−", "-")) for cell in row[2].split("|")]


def information_states(game):
    """Return the number of OpenSpiel's strings, and that of the choices of players who recall all.

    Who recalls all tells apart two states with one string if they have come there in two ways.
    """
    strings, choices = set(), set()

    def walk(state, pasts):
        player, legal = state.current_player(), state.legal_actions()
        told = (player, state.information_state_string()) if player >= 0 else None
        if told:
            strings.add(told)
        if told and len(legal) > 1:
            choices.add((pasts[player], told))
        for action in legal:
            after = list(pasts)
            if told:
                after[player] = hash((pasts[player], told, action))
            walk(state.child(action), after)

    walk(game.new_initial_state(), [0] * game.num_players())
    return len(strings), len(choices)


def measured(game, policy):
    """Return the expected payoff of the first player, and NashConv, by OpenSpiel."""
    values = pyspiel.expected_returns(game.new_initial_state(), policy, -1, False)
    return values[0], pyspiel.nash_conv(game, policy)


@pytest.mark.parametrize("name", TABLES)
def test_openspiel_and_ours_find_what_the_page_says(name):
    text, said = row_of(name)
    theirs, ours = pyspiel.load_game(text), WholeGame(TABLES[name])
    if theirs.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        theirs = pyspiel.convert_to_turn_based(theirs)
    strings, choices = information_states(theirs)
    assert choices == (ours._tree.masks.sum(axis=1) > 1).sum()

    uniform, equilibrium = ours.best_responses(Uniform()), ours.solve(ITERATIONS)
    solver = pyspiel.CFRPlusSolver(theirs)
    for _ in range(ITERATIONS):
        solver.evaluate_and_update_policy()
    found = [uniform.self_play[0], uniform.nash_conv]
    assert found == pytest.approx(measured(theirs, pyspiel.UniformRandomPolicy(theirs)), abs=1e-9)
    solved = [equilibrium.value, equilibrium.gain * theirs.num_players()]
    of_theirs = measured(theirs, solver.average_policy())
    is_merged = strings < choices  # so that CFR+ has other regrets
    assert solved == pytest.approx(of_theirs, abs=1e-4 if is_merged else 1e-9)
    assert [ours.information_states, strings, *found, *solved] == pytest.approx(said, abs=5.1e-7)
