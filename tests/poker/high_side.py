"""Four players in two sides bid or pass on a weighted card: for tests of partners and of chance."""

from __future__ import annotations

import numpy as np

from gubs_env import Field, Seen, compiled, define_game, random_choice, writes

WEIGHTS = np.array([0, 3, 0, 1])
CARDS = ("hidden", "low", "none", "high")
FIELDS = (
    Field("card", (4,), "the card of each player", 0, 3, Seen.BY_OWNER, CARDS),
    Field("bid", (4,), "flags: has bid"),
)  # fmt: skip


@compiled
def deal(state):
    for seat in range(4):
        state.card[seat] = random_choice(state.rng, WEIGHTS)


@compiled
def redeal(state, rng):
    for seat in range(4):
        if seat != state.actor:
            state.card[seat] = random_choice(rng, WEIGHTS)


@compiled
def play(state, action):
    state.bid[state.actor] = action
    state.actor = (state.actor + 1) % 4


@compiled
def is_over(state):
    return state.decisions == 4


@compiled
def payoffs(state, payoffs):
    """Each bid is worth a point for the card of the bidder, less two."""
    lead = 0
    for seat in range(4):
        lead += state.bid[seat] * (state.card[seat] - 2) * (1 - 2 * (seat % 2))
    for seat in range(4):
        payoffs[seat] = lead * (1 - 2 * (seat % 2))


@writes(
    ("card", (3,), 1, "your card, one-hot"),
    ("bid", (4,), 1, "who has bid, clockwise from you"),
    ("decisions", (1,), 4, "decisions so far"),
)
def observe(state, player, observation, card, bid, decisions):
    observation[card + state.card[player] - 1] = 1
    for place in range(4):
        observation[bid + place] = state.bid[(player + place) % 4]
    observation[decisions] = state.decisions


@compiled
def is_sound(state, viewer):
    for seat in range(4):
        if state.card[seat] == 2 or (state.card[seat] == 0 and viewer in (-1, seat)):
            return False
        if state.bid[seat] and seat >= state.decisions:
            return False
    return state.actor == state.decisions


GAME = define_game(
    name="high_side_v0", title="High side", players=range(4, 5), bound=4, max_payoff=4.0, sides=2,
    actions=("PASS", "BID"), fields=FIELDS, observation=[observe], deal=deal, redeal=redeal,
    play=play, is_over=is_over, payoffs=payoffs, is_sound=is_sound,
)  # fmt: skip
