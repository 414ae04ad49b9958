"""Goofspiel: in each round two players bid a card for the prize, at once (Ross 1971)."""

from __future__ import annotations

from gubs_env import Field, compiled, define_game, writes

CARDS = 4
FIELDS = (
    Field("bids", (2, CARDS), "the bids of each player, round by round; 0: none yet", 0, CARDS),
    Field("rounds", (), "rounds that are over", 0, CARDS),
)


@compiled
def deal(state):
    pass


@compiled
def redeal(state, rng):
    pass


@compiled
def legal(state, mask):
    mask[:] = 1
    for past in range(state.rounds):
        mask[state.bids[state.actor, past] - 1] = 0


@compiled
def play(state, actions):
    for seat in range(2):
        state.bids[seat, state.rounds] = actions[seat] + 1
    state.rounds += 1


@compiled
def is_over(state):
    return state.rounds == CARDS


@compiled
def payoffs(state, payoffs):
    """The prizes are worth 4, 3, 2 and 1; nobody wins one for which both bid the same."""
    lead = 0
    for past in range(CARDS):
        first, second = state.bids[0, past], state.bids[1, past]
        lead += (CARDS - past) * ((first > second) - (second > first))
    payoffs[0] = (lead > 0) - (lead < 0)
    payoffs[1] = -payoffs[0]


@compiled
def is_sound(state, viewer):
    """Each player bids each card once, in the rounds that are over."""
    for seat in range(2):
        for past in range(CARDS):
            bid = state.bids[seat, past]
            if (bid > 0) != (past < state.rounds):
                return False
            for earlier in range(past):
                if bid > 0 and state.bids[seat, earlier] == bid:
                    return False
    return state.decisions == 2 * state.rounds + state.actor


@writes(
    ("own", (CARDS,), CARDS, "your bids, round by round"),
    ("other", (CARDS,), CARDS, "the bids of the other player"),
    ("left", (1,), CARDS, "rounds to come"),
)
def observe(state, player, observation, own, other, left):
    for past in range(CARDS):
        observation[own + past] = state.bids[player, past]
        observation[other + past] = state.bids[1 - player, past]
    observation[left] = CARDS - state.rounds


GAME = define_game(
    name="goofspiel_v0", title="Goofspiel", players=range(2, 3), bound=2 * CARDS, at_once=True,
    actions=tuple(f"BID_{card + 1}" for card in range(CARDS)), fields=FIELDS,
    observation=[observe], deal=deal, redeal=redeal, legal=legal, play=play, is_over=is_over,
    payoffs=payoffs, is_sound=is_sound,
)  # fmt: skip
