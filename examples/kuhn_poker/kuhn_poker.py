"""Kuhn poker: two players, three cards, one bet (Kuhn 1950)."""

from gubs_env import Field, Seen, compiled, define_game, environments, random_below, writes

BET = 1
CARDS = ("hidden", "Jack", "Queen", "King")
FIELDS = (
    Field("card", (2,), "the card of each player", 0, 3, Seen.BY_OWNER, CARDS),
    Field("bet", (2,), "flags: has bet, or called a bet"),
)
TEXT = """Kuhn poker. Each player pays 1 and gets a card: Jack, Queen or King.
In turn they pass or bet 1 more, until both have bet, both have passed, or one passes a bet and
loses. Otherwise the higher card wins the pot."""


@compiled
def deal(state):
    first = random_below(state.rng, 3)
    state.card[0] = 1 + first
    state.card[1] = 1 + (first + 1 + random_below(state.rng, 2)) % 3


@compiled
def redeal(state, rng):
    own = state.card[state.actor] - 1
    state.card[1 - state.actor] = 1 + (own + 1 + random_below(rng, 2)) % 3


@compiled
def play(state, action):
    state.bet[state.actor] = action == BET
    state.actor = 1 - state.actor


@compiled
def is_over(state):
    return state.decisions == 3 or (
        state.decisions == 2 and state.bet[state.actor] >= state.bet[1 - state.actor]
    )


@compiled
def is_sound(state, viewer):
    own, other = state.actor, 1 - state.actor
    is_dealt = state.card[own] > 0 and (state.card[other] > 0 or viewer == own)
    is_bet = state.bet[other] == (state.decisions == 2) or state.decisions == 1
    return is_dealt and state.card[0] != state.card[1] and state.bet[own] == 0 and is_bet


@compiled
def payoffs(state, payoffs):
    winner = int(state.card[1] > state.card[0])
    if state.bet[0] != state.bet[1]:
        winner = int(state.bet[1])
    payoffs[winner] = 1 + state.bet[1 - winner]
    payoffs[1 - winner] = -payoffs[winner]


@writes(
    ("card", (3,), 1, "your card, one-hot: Jack, Queen, King"),
    ("bet", (2,), 1, "who has bet: you, the other player"),
    ("decisions", (1,), 3, "decisions so far"),
)
def observe(state, player, observation, card, bet, decisions):
    observation[card + state.card[player] - 1] = 1
    observation[bet] = state.bet[player]
    observation[bet + 1] = state.bet[1 - player]
    observation[decisions] = state.decisions


GAME = define_game(
    name="kuhn_poker_v0", title="Kuhn poker", players=range(2, 3), bound=3, max_payoff=2.0,
    actions=("PASS", "BET"), fields=FIELDS, observation=[observe], text=TEXT, deal=deal,
    redeal=redeal, play=play, is_over=is_over, payoffs=payoffs, is_sound=is_sound,
)  # fmt: skip
env, raw_env, single_agent_env, single_agent_vector_env, vector_env = environments(GAME, __name__)
