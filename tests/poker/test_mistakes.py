"""A mistake in a game of one's own is named before the first game, or by a soak."""

from __future__ import annotations

import re

import kuhn_poker
import numpy as np
import pytest

from gubs_env import PLAYERS, Field, compiled, define_game, writes
from gubs_env.checking.soak import play_chunk

ROUND = Field("round", np.int8, (), "")
PARTS = {
    "name": "kuhn_poker_v0", "title": "Kuhn poker", "players": range(2, 3), "bound": 3,
    "actions": ("PASS", "BET"), "fields": kuhn_poker.FIELDS, "max_payoff": 2.0,
    "observation": [kuhn_poker.observe],
} | {
    name: getattr(kuhn_poker, name) for name in ("deal", "redeal", "play", "is_over", "payoffs")
}  # fmt: skip


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setenv("GUBS_ENV_COMPILE", "never")


def found(**changed):
    """Return what a thorough soak finds in a changed game, in one text."""
    return "\n".join(play_chunk(define_game(**PARTS | changed), 0, True, 64).violations)


def test_the_game_itself_has_no_fault():
    assert found() == ""


@compiled
def bets_a_field_that_there_is_not(state, action):
    state.bett[state.actor] = action


@compiled
def calls_nothing(state, action):
    state.actor = next_seat(state)  # noqa: F821


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"play": bets_a_field_that_there_is_not},
            r"line \d+, names the field bett: there are",
        ),
        ({"play": calls_nothing}, r"calls_nothing .* names next_seat, which is not defined"),
        (
            {"fields": [*kuhn_poker.FIELDS, Field("round", np.int8, (), "")]},
            "a field cannot be called round",
        ),
        ({"play": lambda state: None}, r"play\(state\) is called with 2 arguments"),
        ({"observation": [kuhn_poker.play]}, r"play declares no slices: mark it with `writes"),
        ({"lead": lambda seen: None}, r"lead\(seen\) is called with 2 arguments"),
    ],
    ids=["a field", "a name", "a field of NumPy's", "a rule", "a writer", "a part"],
)
def test_it_is_named_when_the_game_is_made(changed, message):
    with pytest.raises(TypeError, match=f"kuhn_poker_v0: .*{message}"):
        define_game(**PARTS | changed)


def test_a_writer_takes_its_slices_in_order():
    with pytest.raises(TypeError, match=r"observe\(state, player, out, bet\) writes card, bet: "):

        @writes(("card", (3,), 1, "your card"), ("bet", (2,), 1, "who has bet"))
        def observe(state, player, out, bet): ...


def test_one_length_of_a_slice_is_the_number_of_players():
    with pytest.raises(TypeError, match=r"pairs: .*: one length may depend on the "):
        writes(("pairs", (PLAYERS, PLAYERS), 1, "who sees whom"))


def test_two_slices_have_two_names():
    with pytest.raises(TypeError, match="two slices are called 'card': give each a name"):
        define_game(**PARTS | {"observation": [kuhn_poker.observe] * 2})


# ------------------------------------------------------------------------------------- by a soak


@compiled
def same_card_for_both(state, rng):
    state.card[1 - state.actor] = state.card[state.actor]


@writes(*kuhn_poker.observe.slices)
def tells_the_other_card(state, player, observation, card, bet, decisions):
    kuhn_poker.observe(state, player, observation, card, bet, decisions)
    observation[bet + 1] = state.card[1 - player] == 3


@writes(*kuhn_poker.observe.slices)
def forgets_the_bet(state, player, observation, card, bet, decisions):
    kuhn_poker.observe(state, player, observation, card, bet, decisions)
    observation[bet : bet + 2] = 0


@compiled
def is_never_over(state):
    return False


@compiled
def pays_the_winner_only(state, payoffs):
    payoffs[0] = 1


@compiled
def pays_what_is_no_number(state, payoffs):
    payoffs[0] = np.nan


@compiled
def bets_for_a_third_player(state, action):
    state.bet[2] = action


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"redeal": same_card_for_both}, "a drawn state is wrong: no game leads there"),
        ({"observation": [tells_the_other_card]},
         "a view hides too little or too much: the observation of its viewer differs in bet"),
        ({"observation": [forgets_the_bet]}, r"a public fact does not show: bet\[[01]\]"),
        ({"payoffs": pays_the_winner_only}, "payoffs do not sum to zero"),
        ({"payoffs": pays_what_is_no_number}, "payoffs are not finite"),
        ({"play": bets_for_a_third_player},
         r"it cannot be played: IndexError: .* \(\S+test_mistakes.py, line \d+\)"),
    ],
    ids=["doubled", "secret", "blind", "payoffs", "no number", "exception"],
)  # fmt: skip
def test_a_soak_names_it_with_its_table_and_place(changed, message):
    lines = found(**changed).splitlines()
    assert any(re.search(message, line) for line in lines), lines
    table, place = (
        "seed 0: kuhn_poker_v0, 2 players, {}",
        r"decision \d( of game \d+ of 64(, ×\d+)?)?",
    )
    assert all(re.fullmatch(rf"{table}: .+ \({place}\)", line) for line in lines), lines


def test_a_game_that_never_ends_is_cut_off_at_its_bound():
    assert found(is_over=is_never_over) == ""
