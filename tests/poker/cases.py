"""The test cases of Kuhn poker and Leduc poker for the tests of all games."""

from __future__ import annotations

import kuhn_poker

from gubs_env.api.define import Fault
from tests.games.case import Case
from tests.poker import leduc_poker

TABLE = {"2 players": (2, {})}


def check(games):
    """Check that nobody lacks a card."""
    states = games.states
    assert (states["card"] > 0).all()


def case_of(module):
    game = module.GAME

    def scrambled(states, viewer, rng):
        drawn = states.copy()
        drawn["actor"] = viewer
        game.kernel.determinize(drawn, 0, rng.integers(1, 1 << 32, 4))
        drawn["actor"] = states["actor"]
        return drawn

    return Case(
        module=module,
        tables=TABLE,
        main=tuple(TABLE),
        max_decisions=game.max_decisions,
        check=check,
        scramble=scrambled,
        secret="card",
        relabelled=(),
        pays_wins=lambda options: False,
        faults=Fault,
    )


KUHN, LEDUC = case_of(kuhn_poker), case_of(leduc_poker)
