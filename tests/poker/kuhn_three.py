"""Kuhn poker for three players, with four cards: an equilibrium is no longer worth one number."""

from __future__ import annotations

from gubs_env import PLAYERS, Field, Seen, compiled, define_game, random_below, writes

BET, SEATS, CARDS = 1, 3, 4
FIELDS = (
    Field("card", (SEATS,), "the card of each player", 0, CARDS, Seen.BY_OWNER),
    Field("bet", (SEATS,), "flags: has bet, or called the bet"),
    Field("opened", (), "decisions up to the first bet; 0: nobody has bet", 0, SEATS),
)


@compiled
def fill(state, rng):
    """Give everybody who has no card a random one of those that are left."""
    for seat in range(SEATS):
        if state.card[seat] == 0:
            number = random_below(rng, CARDS - (state.card > 0).sum())
            for card in range(CARDS, 0, -1):
                number -= not (state.card == card).any()
                if number == -1:
                    state.card[seat] = card
                    break


@compiled
def deal(state):
    fill(state, state.rng)


@compiled
def redeal(state, rng):
    fill(state, rng)


@compiled
def play(state, action):
    state.bet[state.actor] = action
    if action == BET and state.opened == 0:
        state.opened = state.decisions
    state.actor = (state.actor + 1) % SEATS


@compiled
def is_over(state):
    """Return whether all have passed, or both others have answered the first bet."""
    return state.decisions == (state.opened + 2 if state.opened > 0 else SEATS)


@compiled
def payoffs(state, payoffs):
    """The highest card wins: of those who have bet, or of all if nobody has."""
    winner = -1
    for seat in range(SEATS):
        payoffs[seat] = -1 - state.bet[seat]
        stays = state.bet[seat] == 1 or state.opened == 0
        if stays and (winner == -1 or state.card[seat] > state.card[winner]):
            winner = seat
    payoffs[winner] += SEATS + state.bet.sum()


@writes(
    ("card", (CARDS,), 1, "your card, one-hot"),
    ("bet", (PLAYERS,), 1, "who has bet, clockwise from you"),
    ("opened", (1,), SEATS, "decisions up to the first bet"),
    ("decisions", (1,), 5, "decisions so far"),
)
def observe(state, player, observation, card, bet, opened, decisions):
    observation[card + state.card[player] - 1] = 1
    for place in range(SEATS):
        observation[bet + place] = state.bet[(player + place) % SEATS]
    observation[opened] = state.opened
    observation[decisions] = state.decisions


GAME = define_game(
    name="kuhn_three_v0", title="Kuhn poker for three", players=range(3, 4), bound=5,
    max_payoff=4.0, actions=("PASS", "BET"), fields=FIELDS, observation=[observe], deal=deal,
    redeal=redeal, play=play, is_over=is_over, payoffs=payoffs,
)  # fmt: skip
