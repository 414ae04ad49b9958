"""Liar's Dice for two players with one die each, which only they see. The highest face is wild.

In turn they bid that at least one die, or that both, show some face. Each bid is for more dice than
the last one, or for as many and a higher face. Instead of bidding, a player may call the other a
liar, and wins if the last bid is false.
"""

from dataclasses import dataclass

import gubs_env
from gubs_env import Field, Seen, compiled, define_game, environments, random_below, writes

MOST_SIDES = 12


@dataclass(frozen=True)
class Rules(gubs_env.RuleOptions):
    """The options: the number of sides of a die."""

    sides: int = 6


def actions(num_players, rules):
    """Return the bids, from the lowest to the highest, and liar."""
    faces = range(1, rules.sides + 1)
    return [*(f"{number} x {face}" for number in (1, 2) for face in faces), "liar"]


FIELDS = (
    Field("sides", (), "sides of a die", 2, MOST_SIDES),
    Field("die", (2,), "the die of each player; 0: hidden", 0, MOST_SIDES, Seen.BY_OWNER),
    Field("said", (2 * MOST_SIDES + 1,), "flags: the bids so far, and liar", entries=actions),
)


@compiled
def deal(state):
    for player in range(2):
        state.die[player] = 1 + random_below(state.rng, state.sides)


@compiled
def redeal(state, rng):
    state.die[1 - state.actor] = 1 + random_below(rng, state.sides)


@compiled
def last_bid(state):
    """Return the action of the last bid, which is the highest so far; -1 before the first."""
    bid = 2 * state.sides - 1
    while bid >= 0 and state.said[bid] == 0:
        bid -= 1
    return bid


@compiled
def legal(state, mask):
    mask[last_bid(state) + 1 : 2 * state.sides] = 1
    mask[2 * state.sides] = state.decisions > 0


@compiled
def play(state, action):
    state.said[action] = 1
    state.actor = 1 - state.actor


@compiled
def is_over(state):
    return state.said[2 * state.sides] == 1


@compiled
def is_sound(state, viewer):
    own, other = state.die[state.actor], state.die[1 - state.actor]
    is_rolled = own > 0 and (other > 0 or viewer == state.actor) and max(own, other) <= state.sides
    return is_rolled and state.said[: 2 * state.sides].sum() == state.said.sum() == state.decisions


@compiled
def payoffs(state, payoffs):
    number, face = 1 + last_bid(state) // state.sides, 1 + last_bid(state) % state.sides
    showing = 0
    for player in range(2):
        showing += state.die[player] == face or state.die[player] == state.sides
    bidder = state.actor  # the call has passed the turn back
    payoffs[bidder] = 1 if showing >= number else -1
    payoffs[1 - bidder] = -payoffs[bidder]


@writes(
    ("die", ("sides",), 1, "your die, one-hot"),
    ("bids", (2, "sides"), 1, "the bids so far, from the lowest one on"),
    ("liar", (1,), 1, "whether somebody has called the other a liar"),
)
def observe(state, player, observation, die, bids, liar):
    observation[die + state.die[player] - 1] = 1
    observation[bids : liar + 1] = state.said[: 2 * state.sides + 1]


GAME = define_game(
    name="liars_dice_v0", title="Liar's Dice", players=range(2, 3), bound=2 * MOST_SIDES + 1,
    rules=Rules, actions=actions, fields=FIELDS, observation=[observe], text=__doc__, deal=deal,
    redeal=redeal, play=play, is_over=is_over, payoffs=payoffs, legal=legal, is_sound=is_sound,
)  # fmt: skip
env, raw_env, single_agent_env, single_agent_vector_env, vector_env = environments(GAME, __name__)
