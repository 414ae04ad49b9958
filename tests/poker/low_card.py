"""The lower or the higher of two open cards wins, as the rules say: for tests of options."""

from __future__ import annotations

from dataclasses import dataclass

from gubs_env import (
    Field,
    RuleOptions,
    Seen,
    compiled,
    define_game,
    environments,
    random_below,
    writes,
)

CARDS = 5


@dataclass(frozen=True)
class Rules(RuleOptions):
    """The rule options."""

    lowest_wins: bool = False
    """Whether the lower card wins; player 1 has the higher one."""


@compiled
def deal(state):
    state.card[0] = 1 + random_below(state.rng, CARDS - 1)
    state.card[1] = state.card[0] + 1


@compiled
def redeal(state, rng):
    pass


@compiled
def play(state, action):
    state.actor = 1 - state.actor


@compiled
def is_over(state):
    return state.decisions == 2


@compiled
def is_sound(state, viewer):
    return state.card[0] > 0 and state.card[1] == state.card[0] + 1


@compiled
def payoffs(state, payoffs):
    winner = 1 - state.lowest_wins
    payoffs[winner] = 1
    payoffs[1 - winner] = -1


@writes(
    ("card", (2,), CARDS, "your card, and that of the other player"),
    ("lowest_wins", (1,), 1, "whether the lower card wins"),
)
def observe(state, player, observation, card, lowest_wins):
    observation[card] = state.card[player]
    observation[card + 1] = state.card[1 - player]
    observation[lowest_wins] = state.lowest_wins


GAME = define_game(
    name="low_card_v0", title="Low card", players=range(2, 3), bound=2, rules=Rules,
    actions=("SHOW", "SLAM"), text="The higher card wins, or the lower one.", deal=deal,
    redeal=redeal, play=play, is_over=is_over, payoffs=payoffs, observation=[observe],
    is_sound=is_sound,
    fields=(
        Field("card", (2,), "the card of each player", 0, CARDS, Seen.BY_ALL),
        Field("lowest_wins", (), "whether the lower card wins", 0, 1, Seen.BY_ALL),
    ),
)  # fmt: skip
env, raw_env, single_agent_env, single_agent_vector_env, vector_env = environments(GAME, __name__)
