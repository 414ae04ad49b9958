"""Kuhn poker and Leduc poker: what is computed is what is known of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import kuhn_poker
import numpy as np
import pytest

from gubs_agents.exploit import best_responses
from gubs_env import find_table
from gubs_env.engine.fields import state_dtype
from gubs_env.exact.tree import Decision, Draw, Tree
from tests.poker import leduc_poker
from tests.poker.strategies import Equilibrium, Uniform

GAMES = (kuhn_poker.GAME, leduc_poker.GAME)
every_game = pytest.mark.parametrize("game", GAMES, ids=[game.name for game in GAMES])
BLUFFS = (0, 1 / 6, 1 / 3)


def tree_of(game):
    return Tree(find_table(game), explicit=True)


def decisions_of(tree):
    """Yield (decision, the probability that chance leads there)."""
    ahead = [(tree.root(), Fraction(1))]
    while ahead:
        node, share = ahead.pop()
        if isinstance(node, Draw):
            for number, outcome in enumerate(node.outcomes):
                ahead.append((node.after(number), share * outcome.probability))
        elif node.seat >= 0:
            yield node, share
            ahead += [(node.after(action), share) for action in node.legal]


@pytest.mark.parametrize(
    ("game", "deals", "states"), [(GAMES[0], 6, 12), (GAMES[1], 9, 288)], ids=["kuhn", "leduc"]
)
def test_deals_and_information_states_are_as_many_as_known(game, deals, states):
    tree = tree_of(game)
    assert len(tree.deals) == deals
    assert sum(outcome.probability for outcome in tree.deals) == 1
    assert len({node.information(node.seat) for node, _ in decisions_of(tree)}) == states


@pytest.mark.parametrize("bluff", BLUFFS)
def test_nobody_gains_against_an_equilibrium_whose_value_is_a_loss_of_a_18th(bluff):
    exact = best_responses(Equilibrium(bluff), kuhn_poker.GAME)
    np.testing.assert_allclose(exact.self_play, (-1 / 18, 1 / 18), atol=1e-12)
    np.testing.assert_allclose(exact.best, exact.self_play, atol=1e-12)


@pytest.mark.parametrize(
    ("game", "gain"), [(GAMES[0], 11 / 24), (GAMES[1], 2.373611)], ids=["kuhn", "leduc"]
)
def test_uniform_play_is_as_exploitable_as_known(game, gain):
    assert best_responses(Uniform(), game).gain == pytest.approx(gain, abs=1e-6)


@every_game
def test_a_state_drawn_for_a_view_is_as_likely_as_chance_makes_it(game):
    behind = defaultdict(Counter)
    for node, share in decisions_of(tree_of(game)):
        view = node.states.copy()
        game.kernel.hide(view, 0, node.seat)
        behind[view.tobytes()][node.states.tobytes()] += share
    rng, checked = np.random.default_rng(0), list(behind.items())
    for view, shares in [checked[at] for at in rng.permutation(len(checked))[:12]]:
        drawn, total, times = Counter(), sum(shares.values()), 1500
        for row in rng.integers(1, 1 << 32, size=(times, 4)):
            states = np.frombuffer(view, state_dtype(game.state_fields)).copy()
            game.kernel.determinize(states, 0, row)
            states["rng"] = np.frombuffer(next(iter(shares)), states.dtype)["rng"]
            drawn[states.tobytes()] += 1
        assert set(drawn) <= set(shares)
        for state, share in shares.items():
            expected = float(share / total)
            deviation = (expected * (1 - expected) / times) ** 0.5
            assert abs(drawn[state] / times - expected) <= 5 * deviation


@every_game
def test_the_end_of_every_game_pays_what_the_other_loses(game):
    ends, ahead = [], [tree_of(game).root()]
    while ahead:
        node = ahead.pop()
        if isinstance(node, Decision) and node.seat < 0:
            ends.append(node.returns)
        elif isinstance(node, Draw):
            ahead += [node.after(number) for number in range(len(node.outcomes))]
        else:
            ahead += [node.after(action) for action in node.legal]
    most = find_table(game).max_payoff
    assert {sum(paid) for paid in ends} == {0}
    assert max(map(max, ends)) == most
