"""The test case of Bad, Bad, Turtle for the tests of all games."""

from __future__ import annotations

import numpy as np

from gubs_env import bad_bad_turtle_v0
from gubs_env.bad_bad_turtle_v0 import Card, Phase
from tests.bad_bad_turtle.table import cards_everywhere
from tests.games.case import Case, Games

SIZES = range(2, 9)
OPTIONS = {
    "the rules proper": {},
    "younger players": {"younger": True},
    "without endless cards": {"removed": ("Restart Game", "Shuffle", "Eliminated")},
    "cut off": {"max_cycles": 12},
}
TABLES = {
    f"{num_players} players, {name}": (num_players, options)
    for name, options in OPTIONS.items()
    for num_players in SIZES
}
PROPER = {name: table for name, table in TABLES.items() if not table[1]}


def lying(states, pile, kind):
    """Return whether a card of a kind lies in any stack or discard pile, bool[states]."""
    size = states[pile.replace("_pile", "") + "_size"]
    places = np.arange(states[pile].shape[2]) < size[:, :, None]
    return ((states[pile] == kind) & places).any((1, 2))


def check(games: Games):
    """Check everything that must hold between two decisions."""
    states, playing = games.states, games.under_way
    assert (cards_everywhere(states) == states["composition"]).all(), "cards lost or doubled"
    index = np.arange(len(states))
    assert states["living"][index, states["actor"]][playing].all(), "the dead do not decide"
    assert states["living"][index, states["next_turn"]][playing].all()
    dead = states["living"] == 0
    assert not (states["stack_size"] * dead)[playing].any(), "the dead have no stack"
    hidden = lying(states, "stack", Card.TURTLE) | lying(states, "discard_pile", Card.TURTLE)
    assert (hidden | (states["pending"] == Card.TURTLE))[playing].all()
    turns = playing & (states["phase"] == Phase.TURN)
    stacks = states["stack_size"][index, states["turn"]]
    assert (stacks > 0)[turns].all(), "whoever is to move has a card"
    for seat in range(states["stack"].shape[1]):
        assert (states["discard_seen"][:, seat] >> states["discard_size"][:, seat] == 0).all()
    assert (states["pending"] == -1)[playing & (states["phase"] != Phase.REACT)].all()
    assert (states["next_modifier"] == -1)[turns].all()


def check_end(state, payoffs):
    """Check that the winner lives and takes all."""
    if payoffs.any():
        assert payoffs[state.winner] == 1
        assert state.living[state.winner]
    assert not state.younger or state.winner >= 0, "the younger end every game in time"


def scramble(states, viewer, rng):
    """Return a state that looks the same to the viewer, with all secrets drawn anew."""
    scrambled = states.copy()
    state = scrambled[0]
    places = []
    for seat in range(state.num_players):
        if not (seat == viewer and state.peeking[seat]):
            places += [(state.stack, seat, k) for k in range(state.stack_size[seat])]
        seen = int(state.discard_seen[seat])
        unseen = [k for k in range(state.discard_size[seat]) if not seen >> k & 1]
        places += [(state.discard_pile, seat, k) for k in unseen]
    kinds = [pile[seat, k] for pile, seat, k in places]
    for (pile, seat, k), kind in zip(places, rng.permutation(kinds), strict=True):
        pile[seat, k] = kind
    for seat in range(8):  # cards left over where piles were higher
        state.stack[seat, state.stack_size[seat] :] = rng.integers(0, 32)
        state.discard_pile[seat, state.discard_size[seat] :] = rng.integers(0, 32)
    state.rng[:] = rng.integers(0, 2**32, 4)
    return scrambled


CASE = Case(
    module=bad_bad_turtle_v0,
    tables=TABLES,
    main=tuple(PROPER),
    max_decisions=lambda table: table.rules.max_cycles,
    check=check,
    check_end=check_end,
    scramble=scramble,
    secret="stack",
    relabelled=tuple(PROPER),
    num_games=40,
)
