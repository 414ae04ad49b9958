"""A mistake in a game of one's own is named before the first game, or by a soak."""

from __future__ import annotations

import re
from dataclasses import replace

import kuhn_poker
import numpy as np
import pytest

from gubs_env import (
    PLAYERS,
    Field,
    History,
    Seen,
    VectorEnv,
    compiled,
    define_game,
    lay_out,
    new_event,
    random_below,
    steps_to,
    writes,
)
from gubs_env.checking.soak import play_chunk
from gubs_env.engine.border import check_states
from gubs_env.engine.table import Table
from tests.poker import low_card

KING = 3
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


def test_entries_that_no_game_uses_need_not_show():
    assert found(**with_field("chips", (3,), "one for each chip that an option allows")) == ""


@compiled
def bets_a_field_that_there_is_not(state, action):
    state.bett[state.actor] = action


@compiled
def calls_nothing(state, action):
    state.actor = next_seat(state)  # noqa: F821


@writes(("card", ("cards",), 1, "a slice whose length is no option"))
def as_long_as_no_option(state, viewer, observation, card):
    observation[card] = state.card[viewer]


@compiled
def reads_a_row_by_the_pot(state, mask):
    mask[:] = STEPS[state.pot]


STEPS = np.ones(10, np.int64)


@compiled
def writes_the_other_card(before, action, after, viewer, events, count):
    event = new_event(events, count)
    event[0] = steps_to(before, viewer, before.actor)
    event[1] = before.card[1 - viewer]


COLUMNS = [("seat", (1,), 1, "who chose"), ("card", (1,), KING, "the other card")]
OF_THE_OTHER_CARD = History(lay_out(COLUMNS), writes_the_other_card, 1)


def names_the_other_card(before, action, after, viewer):
    return [f"The other card is {before.card[1 - viewer]}"]


@compiled
def lose(state):
    drop(state)


@compiled
def drop(state):
    lose(state)


@compiled
def goes_in_a_circle(state, action):
    lose(state)


def with_field(*parts, **named):
    return {"fields": [*kuhn_poker.FIELDS, Field(*parts, **named)]}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"play": bets_a_field_that_there_is_not}, r"line \d+, names the field bett: there are"),
        ({"play": calls_nothing}, r"calls_nothing .* names next_seat, which is not defined"),
        ({"play": goes_in_a_circle}, r"lose .* calls itself \(lose → drop → lose\), which cannot"),
        ({"play": lambda state: None}, r"play\(state\) is called with 2 arguments"),
        ({"observation": [kuhn_poker.play]}, r"play declares no slices: mark it with `writes"),
        ({"lead": lambda seen: None}, r"lead\(seen\) is called with 2 arguments"),
        ({"actions": lambda num_players, rules: rules.names}, "reads the option names: it can"),
        ({"actions": lambda players: ("PASS",)}, r"actions\(players\) is called with 2 arguments"),
        (with_field("round", (), ""), "the field round .* is the name of one of NumPy's own"),
        (with_field("bet", (), ""), "the field bet .* is another field of the game"),
        (with_field("rng", (), ""), "the field rng .* is a field of every game"),
        (with_field(3, (), ""), "a field is called 3: its name is a text"),
        ({"fields": ["card"]}, "fields hold 'card', which is no Field"),
    ],
)  # fmt: skip
def test_it_is_named_when_the_game_is_made(changed, message):
    with pytest.raises(TypeError, match=f"kuhn_poker_v0: .*{message}"):
        define_game(**PARTS | changed)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"name": "gubs_v0"}, "gubs_v0 is the name of a module of gubs_env: choose another"),
        ({"name": "kuhn poker"}, "name='kuhn poker': give the name of its module"),
        ({"players": 2}, r"players=2: give the numbers as range\(2, 5\)"),
        ({"players": range(2, 20)}, r"players=range\(2, 20\): 2 to 8 are allowed"),
        ({"players": range(1, 3)}, r"players=range\(1, 3\): 2 to 8 are allowed"),
        ({"bound": 0}, "bound=0: the most decisions of a game, 1 or more"),
        ({"bound": 2.5}, "bound=2.5: the most"),
        ({"max_payoff": 0}, "max_payoff=0: a number above 0 is allowed"),
        ({"max_payoff": np.nan}, "max_payoff=nan: a number"),
        ({"max_payoff": "2"}, "max_payoff='2': a number"),
        ({"actions": "PASS"}, "actions='PASS': give their names, as"),
        ({"actions": None}, "actions=None: give their names, as"),
        ({"actions": ()}, "0 actions: 1 to 128 are allowed"),
        ({"actions": ("BET", "BET")}, "two actions are called BET"),
        ({"actions": lambda num_players, rules: ()}, "0 actions: 1 to 128 are allowed"),
        ({"actions": lambda num_players, rules: ["PASS"], "at_once": True},
         "at_once=True needs the same actions for all rules"),
        ({"observation": [as_long_as_no_option]},
         "a slice of 'cards': allowed are whole numbers, PLAYERS, OTHERS, and rules options"),
        (with_field("no more", (), ""), "the field no more has a name that Python cannot read"),
        (with_field("pot", 2, ""), "the field pot has the shape 2: give positive lengths"),
        (with_field("pot", (0,), ""), r"the field pot has the shape \(0,\): give positive lengths"),
        (with_field("pot", (), "", 3, 1), "the field pot has values 3 to 1: give whole numbers"),
        (with_field("pot", (), "", 0, 0.5), "the field pot has values 0 to 0.5: give whole"),
        (with_field("pot", (), "", 0, 1 << 40), "the field pot has values 0 to 1099511627776: "),
        (with_field("pot", (), "", dtype=np.int8), "the field pot is kept as .*int8.*: leave the"),
        (with_field("pot", (), "", 0, 2, names=("a", "b")), "has 2 names for 3 values: give one"),
        (with_field("pot", (3,), "", entries=("a", "b")), "has names for 2 entries and the shape"),
        (with_field("pot", (), "", seen=Seen.IN_PART), "the field pot is seen .*: allowed are"),
        (with_field("pot", (), "", seen="BY_ALL"), "the field pot is seen 'BY_ALL': allowed are"),
        (with_field("pot", (), "", seen=Seen.BY_OWNER), "is seen by its owners and has the shape"),
    ],
)  # fmt: skip
def test_a_value_that_is_not_allowed_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
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
def draws_nothing(state, rng):
    pass


def with_card(seen):
    card, bet = kuhn_poker.FIELDS
    return {"fields": [card._replace(seen=seen), bet]}


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


@compiled
def pays_by_lot(state, payoffs):
    payoffs[0] = 1 - 2 * random_below(state.rng, 2)
    payoffs[1] = -payoffs[0]


@compiled
def draws_from_the_state(state, rng):
    own = state.card[state.actor] - 1
    state.card[1 - state.actor] = 1 + (own + 1 + random_below(state.rng, 2)) % 3


@compiled
def ends_by_the_hidden_card(state):
    return state.decisions == 3 or (state.decisions > 0 and state.card[1] == KING)


@compiled
def only_the_first_may_be_high(state, viewer):
    return state.card[0] > state.card[1]


@compiled
def does_not_return(state):
    while state.decisions == 2:
        pass
    return state.decisions == 3


@writes(*kuhn_poker.observe.slices)
def writes_beyond_the_end(state, player, observation, card, bet, decisions):
    observation[len(observation)] = 77


@compiled
def bets_more_than_kings(state, mask):
    mask[0] = 1
    mask[kuhn_poker.BET] = state.card[1 - state.actor] != KING


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (with_card(Seen.FOLLOWS), "a drawn state is wrong: card is drawn anew, and yet"),
        (with_card(Seen.FOLLOWS) | {"redeal": draws_nothing},
         "card is seen, and follows from nothing that is"),
        ({"redeal": same_card_for_both}, "a drawn state is wrong: no game leads there"),
        ({"observation": [tells_the_other_card]},
         "a view hides too little or too much: the observation of its viewer differs in bet"),
        ({"legal": bets_more_than_kings}, "a secret is told: the mask tells card"),
        (with_field("pot", (), "", 0, 99) | {"legal": reads_a_row_by_the_pot},
         "a state cannot be played: where pot is 99, which is_sound allows: IndexError"),
        ({"history": OF_THE_OTHER_CARD}, "a player is told what no observation shows: card"),
        ({"narrate": names_the_other_card}, "a player is told what no observation shows: narrate"),
        ({"observation": [forgets_the_bet]}, r"a public fact does not show: bet\[[01]\]"),
        ({"payoffs": pays_the_winner_only}, "payoffs do not sum to zero"),
        ({"payoffs": pays_what_is_no_number}, "payoffs are not finite"),
        ({"play": bets_for_a_third_player},
         r"it cannot be played: .*IndexError: .* \(\S+test_mistakes.py, line \d+\)"),
        ({"observation": [writes_beyond_the_end]}, "IndexError: index 6 is out of bounds"),
        ({"payoffs": pays_by_lot}, "payoffs changes rng"),
        ({"max_payoff": 1.0}, "a payoff exceeds max_payoff, 1.0"),
        ({"redeal": draws_from_the_state}, "it is drawn from state.rng: draw from rng"),
        ({"is_over": ends_by_the_hidden_card}, "a drawn state is wrong: its phase .* is_over says"),
        ({"is_sound": only_the_first_may_be_high}, "contradict each other, as is_sound says"),
        ({"is_over": is_never_over}, "no game ends before its bound of 3 decisions"),
        ({"is_over": does_not_return}, "it does not come to an end in 2,000,000 lines"),
    ],
)  # fmt: skip
def test_a_soak_names_it_with_its_table_and_place(changed, message):
    lines = found(**changed).splitlines()
    assert any(re.search(message, line) for line in lines), lines
    table, place = (
        "seed 0: kuhn_poker_v0, 2 players, {}",
        r"decision \d( of game \d+ of 64(, ×\d+)?)?",
    )
    assert all(re.fullmatch(rf"{table}: .+ \({place}\)", line) for line in lines), lines


@pytest.mark.parametrize("value", [2, -1, 0.5, "yes"])
def test_an_option_that_its_field_cannot_hold_is_refused(value):
    with pytest.raises(ValueError, match=r"lowest_wins=.*: Low card takes 0 to 1"):
        low_card.GAME.make_rules({"lowest_wins": value})


def allows_the_lowest_to_two(num_players, rules):
    if rules.lowest_wins and num_players > 2:
        raise ValueError("the lowest card wins between two players only")


def test_an_option_may_allow_fewer_players():
    game = replace(
        low_card.GAME, player_counts=range(2, 4), check_players=allows_the_lowest_to_two,
        sample_table=None,
    )  # fmt: skip
    with pytest.raises(ValueError, match="between two players only"):
        Table(game, 3, {"lowest_wins": True})
    rng = np.random.default_rng(0)
    drawn = {
        (n, bool(rules.lowest_wins)) for n, rules in (game.sample_table(rng) for _ in range(30))
    }
    assert drawn == {(2, False), (2, True), (3, False)}


def test_joined_states_have_their_fields_as_attributes():
    tables = [Table(low_card.GAME, rules={"lowest_wins": wins}) for wins in (False, True)]
    games = VectorEnv(tables, 2, seed=0, autoreset=False)
    assert [state.lowest_wins for state in games.states] == [0, 1]
    parts = [check_states([table], games.states[k : k + 1]) for k, table in enumerate(tables)]
    assert [state.lowest_wins for state in np.concatenate(parts)] == [0, 1]
