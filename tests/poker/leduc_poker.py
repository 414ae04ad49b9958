"""Leduc poker: six cards, two rounds of bets, one card for all (Southey et al. 2005)."""

from gubs_env import (
    PLAYERS,
    Field,
    Seen,
    compiled,
    define_game,
    environments,
    random_below,
    seat_at,
    writes,
)

FOLD, CALL, RAISE = range(3)
RANKS, COPIES, MOST_RAISES, SAID = 3, 2, 2, 4
NAMES = ("hidden", "Jack", "Queen", "King")
FIELDS = (
    Field("card", (2,), "the card of each player", 0, RANKS, Seen.BY_OWNER, NAMES),
    Field("public", (), "the card for all, from round two on", 0, RANKS, names=NAMES),
    Field("paid", (2,), "what each player has paid", 0, 13),
    Field("second", (), "flag: this is the second round of bets"),
    Field("raises", (), "raises in this round", 0, MOST_RAISES, Seen.FOLLOWS),
    Field("first", (), "the player who begins each round", 0, 1),
    Field("told", (), "decisions in this round", 0, SAID, Seen.FOLLOWS),
    Field("said", (2, SAID), "the decisions of each round", 0, 3),
    Field("folded", (), "flag: somebody has folded", seen=Seen.FOLLOWS),
)


@compiled
def draw(state, rng, own, other):
    """Return a random card of those that remain when two are gone; 0 is none."""
    left = RANKS * COPIES - (own > 0) - (other > 0)
    number = random_below(rng, left)
    for rank in range(1, RANKS + 1):
        number -= COPIES - (own == rank) - (other == rank)
        if number < 0:
            return rank
    return 0


@compiled
def deal(state):
    state.first = state.actor
    state.paid[:] = 1
    state.card[0] = draw(state, state.rng, 0, 0)
    state.card[1] = draw(state, state.rng, state.card[0], 0)


@compiled
def redeal(state, rng):
    state.card[1 - state.actor] = draw(state, rng, state.card[state.actor], state.public)


@compiled
def legal(state, mask):
    owes = state.paid[state.actor] < state.paid[1 - state.actor]
    mask[FOLD] = owes
    mask[CALL] = 1
    mask[RAISE] = state.raises < MOST_RAISES


@compiled
def play(state, action):
    own, other = state.actor, 1 - state.actor
    state.said[state.second, state.told] = 1 + action
    state.told += 1
    state.actor = seat_at(state, own, 1)
    if action == FOLD:
        state.folded = 1
        return
    is_answer = state.told > 1 and action == CALL
    state.paid[own] = state.paid[other]
    if action == RAISE:
        state.raises += 1
        state.paid[own] += 2 + 2 * state.second
    if is_answer and state.second == 0:
        state.public = draw(state, state.rng, state.card[0], state.card[1])
        state.second, state.raises, state.told = 1, 0, 0
        state.actor = state.first


@compiled
def is_over(state):
    is_called = state.told > 1 and state.said[1, state.told - 1] == 1 + CALL
    return state.folded == 1 or (state.second == 1 and is_called)


@compiled
def is_sound(state, viewer):
    own, other, raises = state.actor, 1 - state.actor, state.raises
    for rank in range(1, RANKS + 1):
        if (state.card[0] == rank) + (state.card[1] == rank) + (state.public == rank) > COPIES:
            return False
    is_dealt = state.card[own] > 0 and (state.card[other] > 0 or viewer == own)
    called_first = state.told - raises
    owed = 2 + 2 * state.second if raises > 0 else 0
    highest = 1 + 2 * state.second * count_raises(state) + raises * (2 + 2 * state.second)
    is_paid = state.paid[other] == highest and state.paid[own] == highest - owed
    is_turn = own == (state.first + state.told) % 2
    said = 0 <= called_first <= 1 and is_said(state, state.second, state.told, called_first)
    rounds = state.second == 0 or is_called(state)
    is_shown = (state.public > 0) == state.second and state.folded == 0
    return is_dealt and said and is_paid and is_turn and is_shown and rounds


@compiled
def is_said(state, second, told, called_first):
    """Return whether a round was a call, if there was one, and then raises, and nothing since."""
    for at in range(SAID):
        expected = 1 + (CALL if at < called_first else RAISE) if at < told else 0
        if state.said[second, at] != expected:
            return False
    return True


@compiled
def count_raises(state):
    """Return the raises of the first round."""
    return (state.said[0] == 1 + RAISE).sum()


@compiled
def is_called(state):
    """Return whether the first round ended with the call of a call or of raises."""
    raises = count_raises(state)
    for called_first in range(2):
        told = called_first + raises
        if 0 < told < SAID and raises <= MOST_RAISES and state.said[0, told] == 1 + CALL:
            is_rest = state.said[0, told + 1 :].sum() == 0
            first = 1 + (CALL if called_first == 1 else RAISE)
            if is_rest and state.said[0, 0] == first:
                return (state.said[0, 1:told] == 1 + RAISE).all()
    return False


@compiled
def strength(state, player):
    return state.card[player] + (RANKS if state.card[player] == state.public else 0)


@compiled
def payoffs(state, payoffs):
    better = strength(state, 0) - strength(state, 1)
    if state.paid[0] != state.paid[1]:
        better = state.paid[0] - state.paid[1]
    if better != 0:
        winner = 0 if better > 0 else 1
        payoffs[winner] = state.paid[1 - winner]
        payoffs[1 - winner] = -payoffs[winner]


@writes(
    ("card", (RANKS,), 1, "your card, one-hot"),
    ("public", (RANKS,), 1, "the card for all, one-hot"),
    ("paid", (PLAYERS,), 13, "what you and the other have paid"),
)
def observe_table(state, player, observation, card, public, paid):
    observation[card + state.card[player] - 1] = 1
    if state.public > 0:
        observation[public + state.public - 1] = 1
    observation[paid] = state.paid[player]
    observation[paid + 1] = state.paid[1 - player]


@writes(
    ("second", (1,), 1, "this is the second round of bets"),
    ("begins", (1,), 1, "you begin each round"),
    ("said", (2, SAID, 3), 1, "the decisions of each round: fold, call, raise"),
)
def observe_rounds(state, player, observation, second, begins, said):
    observation[second] = state.second
    observation[begins] = player == state.first
    for number in range(2):
        for at in range(SAID):
            if state.said[number, at] > 0:
                observation[said + 3 * (SAID * number + at) + state.said[number, at] - 1] = 1


GAME = define_game(
    name="leduc_poker_v0", title="Leduc poker", players=range(2, 3), bound=8, max_payoff=13.0,
    actions=("FOLD", "CALL", "RAISE"), fields=FIELDS, observation=(observe_table, observe_rounds),
    deal=deal,
    redeal=redeal, play=play, is_over=is_over, payoffs=payoffs, legal=legal,
    is_sound=is_sound,
)  # fmt: skip
env, raw_env, single_agent_env, single_agent_vector_env, vector_env = environments(GAME, __name__)
