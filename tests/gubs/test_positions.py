"""Positions set by hand: possible and impossible ones, and play that goes on from them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gubs_env import bad_bad_turtle_v0, find_table, gubs_v0
from gubs_env.games.gubs.cards import PRINTED_DECK, Card
from gubs_env.gubs_v0 import Phase, Rules, position
from tests.gubs.case import cards_everywhere
from tests.gubs.table import Table
from tests.set_table import (
    check_goes_on_alike,
    check_resumes,
    differing_fields,
    play_named,
    reached,
)

HANDS, COLONIES = ["Lure, Toad Rider", "Feather"], ["Gub", "Gub + Mushroom"]
PUZZLE = {"deck": "Letter B", "letters": "GU", "seed": 1}
environments = pytest.mark.parametrize("make", [gubs_v0.env, gubs_v0.raw_env])


# ------------------------------------------------------------------------------- what can be


@environments
def test_a_puzzle_is_played_through_the_environment(make):
    """The Toad Rider frees the Gub that the Lure takes; the Feather must not stop the wrong one."""
    environment = make(2)
    environment.set_state(position(HANDS, COLONIES, **PUZZLE))
    assert environment.agents == ["player_0", "player_1"]
    assert set(environment.rewards.values()) == {0.0}
    assert environment.log() == []
    play_named(environment, "CARD[Toad Rider]", "PLACE[1, 0]", "CARD[Lure]")
    assert environment.agent_selection == "player_1"
    assert environment.log()[0].startswith("player_0 plays Toad Rider")
    check_goes_on_alike(environment)
    environment.reset(seed=0)
    assert environment.state().deck_size == 70 - 2 - 6


def test_a_loop_over_agents_may_begin_with_a_position():
    environment = gubs_v0.env(2)
    environment.set_state(position(["", ""], phase=Phase.DRAW, rest=False, deck="Letter B",
                                   letters="GU"))  # fmt: skip
    for agent in environment.agent_iter():
        environment.step(None if environment.is_done(agent) else environment.action_index("DECK"))
    assert environment.agents == []


def test_many_games_start_from_one_position_or_from_their_own():
    games = gubs_v0.vector_env(3, 2, autoreset=False)
    state = position(HANDS, COLONIES, **PUZZLE)
    observations, masks, _, dones, _, actors = games.set_states(state)
    assert not dones.any()
    assert actors.tolist() == [0, 0, 0]
    assert (observations == observations[0]).all()
    environment = gubs_v0.raw_env(2)
    environment.set_state(state)
    seen, *_ = environment.last()
    assert (seen["observation"] == observations[0]).all()
    assert (seen["action_mask"] == masks[0]).all()
    assert (games.states["rng"] == state.rng).all()
    games.set_states(state, seed=5)
    assert len(np.unique(games.states["rng"], axis=0)) == 3
    each = np.array([position([hand, ""], seed=0) for hand in ("Gub", "Lure", "Feather")])
    games.set_states(each)
    assert games.states["hand"].argmax(2)[:, 0].tolist() == [Card.GUB, Card.LURE, Card.FEATHER]


def test_the_rest_of_the_deck_lies_beneath_by_chance_and_the_seed_repeats_it():
    one, again, other = (position(["Lure", ""], deck="Gub ×2", seed=seed) for seed in (1, 1, 2))
    assert one.tobytes() == again.tobytes()
    assert one.deck.tolist() != other.deck.tolist()
    for state in (one, other):
        assert (cards_everywhere(np.atleast_1d(np.asarray(state)))[0] == PRINTED_DECK).all()
        assert state.deck[state.deck_size - 2 : state.deck_size].tolist() == [Card.GUB] * 2
        assert state.letter_loose.all()


def test_without_the_rest_the_game_holds_what_is_named():
    state = position(["Lure", "Spear"], ["Gub", ""], "Letter B, Letter U", letters="G", rest=False)
    assert state.composition.sum() == 6
    environment = gubs_v0.raw_env(2)
    environment.set_state(state)
    environment.reset(seed=3)
    assert environment.state().composition.sum() == 70
    games = gubs_v0.vector_env(2, 2)
    with pytest.raises(ValueError, match=r"rest=False.*autoreset=False"):
        games.set_states(state)
    games = gubs_v0.vector_env(2, 2, autoreset=False)
    games.set_states(state)
    games.deal(1, seed=0)
    assert games.states["composition"].sum(1).tolist() == [6, 70]


def test_other_decks_and_options_of_the_rules():
    rules = Rules(deck={"Gub": 4, "Lure": 9, "Letter G": 1, "Letter U": 1, "Letter B": 1})
    state = position(["Lure x2", ""], ["Gub;Gub"], rules=rules, skipped=[1])
    assert state.deck_size == 16 - 4
    assert state.skipped.tolist() == [0, 1, 0, 0, 0, 0]
    with pytest.raises(ValueError, match=r"Spear ×1: the deck has 0; they were named in discard"):
        position(["", ""], discard="Spear", rules=rules)


@pytest.mark.parametrize("num_players", [2, 4, 6])
def test_every_state_of_a_game_can_be_set(num_players):
    check_resumes(gubs_v0, num_players)


def in_words(state):
    """Return the arguments of `position` that build this state."""
    row = object.__new__(Table)
    row.put(state)
    players = range(state.num_players)
    return {
        "hands": [row.hand(seat).replace("nothing", "") for seat in players],
        "colonies": [row.colony(seat) for seat in players],
        "deck": ", ".join(card.title for card in row.deck),
        "discard": row.discarded.replace("nothing", ""),
        "letters": row.letters,
        "turn": int(state.turn),
        "phase": Phase(state.phase),
        "skipped": np.flatnonzero(state.skipped).tolist(),
    }


REMEMBERED = {"known", "known_top", "third_start", "third_end", "letter_loose", "returned"}
REMEMBERED |= {"events_loose", "num_stages", "stages"}
PAST = {"rng", "decisions", "played", "played_as", "num_targets", "target_seat", "target_slot"}
PAST |= {"target_card", "ordered", "asked", "cured", "kept"}


@pytest.mark.parametrize("rules", [Rules(), Rules(letters="anywhere", ask_everyone=True)])
def test_what_was_reached_in_play_can_be_set_by_hand(rules):
    """Check that all is the same, except the memory and the move before."""
    states = reached(gubs_v0, 3, 2, rules, lambda state: state.phase in (Phase.DRAW, Phase.PLAY))
    for state in states[::9]:
        state.deck[state.deck_size :] = 0
        built = position(**in_words(state), rules=rules)
        assert differing_fields(state, built) <= REMEMBERED | PAST


# ------------------------------------------------------------------------------ what cannot be


def test_rules_of_another_game_are_refused():
    with pytest.raises(TypeError, match=r"rules of gubs_v0 are its Rules\(…\), a dict"):
        gubs_v0.position(["", ""], rules=bad_bad_turtle_v0.Rules())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"hands": ["Lure", "Dragon"]}, "hands[1]: no card is called 'Dragon'"),
        ({"hands": ["Lure"]}, "num_players=1: Gubs is for 2 to 6 players"),
        ({"hands": [""] * 7}, "num_players=7: Gubs is for 2 to 6 players"),
        ({"hands": "Lure"}, "hands='Lure': give a list with one entry for each seat"),
        ({"hands": ["Lure", 3]}, "hands[1]=3: name cards in a text"),
        *(
            ({"hands": [f"Gub, {word}", ""]}, f"hands[0]: '{word}': a card is named 1 to 99 times")
            for word in ("Lure ×0", "Lure ×-1", "Lure x-1", "Lure ×", "Lure ×1.5", "Lure ×100",
                         "Lure × two", "Lure x 0", "Lure ×٣", "Lure ×01")
        ),
        ({"hands": ["Lure ×4", "Lure ×3"], "discard": "Lure"},
         "Lure ×8: the deck has 7; they were named in discard, hands[0] (×4), hands[1] (×3)"),
        ({"hands": ["Flash Flood", ""]}, "hands[0]: Flash Flood is an Event"),
        ({"hands": ["", "Letter G"]}, "hands[1]: Letter G is an Event"),
        ({"colonies": ["", "", "Gub"]}, "colonies has 3 entries: there are 2 seats"),
        ({"colonies": {2: "Gub"}}, "colonies: seat=2: allowed are the seats [0, 1]"),
        ({"colonies": ["Gub + Mushroom + Sud Spout"]}, "no Gub is under a Barricade and a Trap"),
        ({"colonies": ["Gub + Sud Spout + Single Ring"]}, "a Gub has one Trap at most"),
        ({"colonies": ["Esteemed Elder + Mushroom"]}, "no card lies on the Elder"),
        ({"colonies": ["Esteemed Elder", "Esteemed Elder"]},
         "Esteemed Elder ×2: the deck has 1; they were named in colonies[0], colonies[1]"),
        ({"colonies": ["Gub + Lure"]}, "colonies[0], 'Gub + Lure': Lure never lies in a colony"),
        ({"colonies": ["Mushroom"]}, "a place holds one Gub, or the Elder"),
        ({"colonies": ["Gub, Gub"]}, "a place holds one Gub, or the Elder"),
        ({"colonies": ["Gub + Double Ring"]}, "Double Ring lies on 1 Gub side by side; it takes 2"),
        ({"colonies": ["Gub + Double Ring; Gub; Gub + Double Ring"]}, "on 1 Gub side by side"),
        ({"colonies": ["Gub + Double Ring"] * 2}, "colonies[0]: Double Ring lies on 1 Gub"),
        ({"colonies": ["; ".join(["Gub"] * 15)]}, "15 places, but a colony has at most 14"),
        ({"colonies": ["Gub + Mushroom + Mushroom"], "rules": Rules(stacked_barricades=False)},
         "the rules say stacked_barricades=False"),
        ({"deck": "Letter G", "letters": "G"}, "Letter G ×2: the deck has 1; they were named in"),
        ({"discard": "Letter G"}, "discard: Letter G is laid open or in the deck"),
        ({"letters": "GUB"}, "with all Letters open the game is over"),
        ({"letters": "GG"}, "letters='GG': allowed are some of G, U and B"),
        ({"letters": "X"}, "letters='X'"),
        ({"rest": False}, "Letter G, Letter U, Letter B: with rest=False every Letter"),
        ({"turn": 2}, "turn=2: allowed are the seats [0, 1]"),
        ({"turn": True}, "turn=True"),
        ({"skipped": [3]}, "skipped=3"),
        ({"skipped": 1}, "skipped=1: give a list of seats"),
        ({"hands": ["Lure ×1000", ""]}, "hands[0]: 'Lure ×1000': a card is named"),
        ({"phase": Phase.ANSWER}, "allowed is DRAW or PLAY; play on from there"),
        ({"seed": -1}, "seed=-1: allowed are None and whole numbers"),
    ],
)  # fmt: skip
def test_positions_that_cannot_be(change, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        position(**{"hands": ["", ""], **change})


# ----------------------------------------------------------------------- states from elsewhere


def over():
    table = Table(["", ""], deck="Letter B", letters="GU", phase=Phase.DRAW).play("DECK")
    return table.game


SPEARS = {"Gub": 4, "Spear": 9, "Letter G": 1, "Letter U": 1, "Letter B": 1}


def lost():
    state = position(HANDS, COLONIES)
    state.discard_pile[Card.LURE] += 1
    return state


def hidden():
    environment = gubs_v0.raw_env(2)
    environment.reset(seed=0)
    return environment.view("player_0").state


STRANGE = {
    "players": (lambda: position(["", "", ""]), "of 3 players, not of 2"),
    "rules": (lambda: position(["", ""], rules=Rules(reward="margin")), "margin_reward is 1"),
    "deck": (lambda: position(["", ""], rules=Rules(deck=SPEARS)), "its deck has cards"),
    "game": (lambda: bad_bad_turtle_v0.position(["Skip", "Turtle"]), "no state of gubs_v0"),
    "view": (hidden, "it is a view"),
    "over": (over, "the game is over in this state"),
    "lost": (lost, "cards are lost or doubled in this state: Lure"),
    "array": (lambda: np.zeros(4), "no state of gubs_v0: give what"),
    "none": (lambda: None, "no state of gubs_v0"),
    "blank": (lambda: find_table("gubs").new_states(1), "was never dealt"),
    "two": (lambda: np.array([position(["", ""])] * 2), "2 states: this environment plays one"),
    "square": (lambda: np.array([[position(["", ""])]]), "states of shape (1, 1)"),
}  # fmt: skip


@pytest.mark.parametrize(("make", "said"), STRANGE.values(), ids=STRANGE.keys())
def test_states_that_the_environment_cannot_play_on_from(make, said):
    environment = gubs_v0.raw_env(2)
    environment.reset(seed=0)
    before = environment.to_json()
    with pytest.raises(ValueError, match=re.escape(said)):
        environment.set_state(make())
    assert environment.to_json() == before
    games = gubs_v0.vector_env(3, 2, seed=0)
    rows = games.states.copy()
    with pytest.raises(
        ValueError, match=re.escape(said.replace(": this", "").split(" environ")[0])
    ):
        games.set_states(make())
    assert games.states.tobytes() == rows.tobytes()
