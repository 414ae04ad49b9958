"""The rulings (docs/rules/gubs.md, section 11) that no other test covers, and where they are cited.

Rulings are cited in one form, as [G7] or [Q, G8]; a table of them may begin a row with the number.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gubs_env import gubs_v0
from gubs_env.games.gubs.score import Decided, outcome
from gubs_env.games.gubs.state import Phase
from tests.gubs.table import Table

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "rules" / "gubs.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (\d+)\. (.*?)(?=^## |\Z)", PAGE, re.M | re.S))
RULINGS = re.findall(r"^\| (G\d+) \| ([\d, ]+) \| ([^|]+) \| \[(.+)\] \| ([^|]+) \|$", PAGE, re.M)
CITED = re.compile(r"\[(?:[BCKQRS], )*(?:G\d+)(?:, G\d+)*\]")
"""A citation of rulings, perhaps after marks of sources."""


def cited_in(text: str) -> set[str]:
    return {number for found in CITED.findall(text) for number in re.findall(r"G\d+", found)}


def test_rulings_are_numbered_without_gaps_and_say_what_on_what_and_why():
    assert [row[0] for row in RULINGS] == [f"G{number + 1}" for number in range(len(RULINGS))]
    assert len(RULINGS) == len(re.findall(r"^\| G\d+ ", PAGE, re.M))
    for _, _, _, sources, _ in RULINGS:
        assert set(sources.split(", ")) <= set("CQBSKR")
    assert f"numbered G1 to G{len(RULINGS)} (section 11)" in PAGE


@pytest.mark.parametrize(("number", "sections"), [row[:2] for row in RULINGS])
def test_each_ruling_is_cited_by_the_sections_it_affects_and_by_a_test(number, sections):
    for section in sections.split(", "):
        assert number in cited_in(SECTIONS[section]), f"section {section} does not cite {number}"
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests/gubs").glob("*.py"))
    assert number in cited_in(tests) or f"def test_{number.lower()}_" in tests


@pytest.mark.parametrize(
    "path", ["docs/rules/gubs.md", "docs/gubs.md", "docs/reference/gubs_observation.md"]
)
def test_rulings_are_cited_in_one_form(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    text = re.sub(r"^\| G\d+ \|", "", CITED.sub("", text), flags=re.M)
    left = [line for line in text.splitlines() if re.search(r"\bG\d+\b", line)]
    assert [line for line in left if "are numbered G1 to" not in line] == []


# ------------------------------------------------------------------- 6. what an open window shows


def in_window(num_players, held, ask_everyone=False):
    """Return an environment in which player 0 announced Lure at player 1, who holds `held`."""
    rules = gubs_v0.Rules(ask_everyone=ask_everyone)
    hands = ["Lure", held, *[""] * (num_players - 2)]
    environment = gubs_v0.raw_env(num_players, rules)
    environment.set_state(gubs_v0.position(hands, ["", "Gub"], rules=rules, seed=1))
    environment.step(environment.action_index("CARD[Lure]"))
    return environment


def shows_open(environment, agent):
    """Return whether an agent who looks now can tell that a window is open."""
    observation = environment.observe(agent)["observation"]
    seen = {
        bool(environment.observation_slices()["played"].of(observation).any()),
        bool(environment.view(agent).state.announced),
        "On the table: Lure" in environment.describe(agent),
        not any("takes effect" in line for line in environment.log(agent)),
        gubs_v0.Event.EFFECT not in environment.history(agent)[:, 0],
    }
    assert len(seen) == 1
    return seen.pop()


@pytest.mark.parametrize("num_players", [2, 4])
def test_g6_who_looks_while_a_window_is_open_learns_that_an_answer_is_held(num_players):
    held, bare = (in_window(num_players, hand) for hand in ("Feather", "Spear"))
    assert (held.agent_selection, bare.agent_selection) == ("player_1", "player_0")
    for agent in set(held.possible_agents) - {"player_1"}:
        assert shows_open(held, agent)
        assert not shows_open(bare, agent)
        assert "Waiting for the others" in held.describe(agent)
        state = held.view(agent).state
        assert (state.phase, state.actor, state.asked) == (Phase.ANSWER, -1, 0)
        assert not held.observe(agent)["action_mask"].any()


@pytest.mark.parametrize("num_players", [2, 4])
def test_g6_who_looks_only_at_their_own_decisions_learns_nothing(num_players):
    passed, bare = (in_window(num_players, hand) for hand in ("Feather", "Spear"))
    passed.step(passed.action_index("PASS"))
    assert passed.agent_selection == bare.agent_selection == "player_0"
    for one, other in zip(passed.last()[0].values(), bare.last()[0].values(), strict=True):
        assert one.tobytes() == other.tobytes()
    assert passed.log("player_0") == bare.log("player_0")
    assert passed.history("player_0").tobytes() == bare.history("player_0").tobytes()
    assert passed.describe("player_0") == bare.describe("player_0")


def test_g6_who_is_asked_does_not_see_whether_somebody_passed_before():
    hands = ["Lure", "Feather", "Feather"], ["Lure", "Spear", "Feather"]
    seen = []
    for held in hands:
        environment = gubs_v0.raw_env(3)
        environment.set_state(gubs_v0.position(held, ["", "Gub"], seed=1))
        environment.step(environment.action_index("CARD[Lure]"))
        if environment.agent_selection == "player_1":
            environment.step(environment.action_index("PASS"))
        assert environment.agent_selection == "player_2"
        seen.append((environment.describe("player_2"), environment.log("player_2")))
        seen[-1] += (environment.last()[0]["observation"].tobytes(),)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("num_players", [2, 4])
def test_g6_where_everyone_is_asked_an_open_window_says_nothing(num_players):
    held, bare = (in_window(num_players, hand, True) for hand in ("Feather", "Spear"))
    for agent in set(held.possible_agents) - {"player_1"}:
        assert shows_open(held, agent)
        assert shows_open(bare, agent)
        assert held.describe(agent) == bare.describe(agent)
        assert held.log(agent) == bare.log(agent)
        assert (held.view(agent).state.actor, bare.view(agent).state.actor) == (1, 1)


# ------------------------------------------------------------------------------ the other rulings


def test_g16_dealing_goes_clockwise_from_the_starting_player():
    straight, turned = (Table.dealt(4, seed=5, start=start) for start in (0, 3))
    assert straight.deck == turned.deck
    for seat in range(4):
        assert straight.hand(seat) == turned.hand((seat + 3) % 4)


def test_g17_a_letter_that_was_dealt_away_is_known_to_all_to_lie_anywhere():
    loose = []
    for seed in range(40):
        state = Table.dealt(6, seed).game
        views = [gubs_v0.GAME.view(state.reshape(1), 0, seat).state for seat in range(6)]
        assert all((view.letter_loose == state.letter_loose).all() for view in views)
        assert state.letter_loose.sum() == (state.third_end == 0).sum()
        loose.append(bool(state.letter_loose.any()))
    assert set(loose) == {False, True}


def test_g18_cyclone_is_not_aimed_at_oneself():
    sides = ["Gub + Mushroom", "Gub + Mushroom", "Gub + Toad Rider"]
    table = Table(["Cyclone", "", ""], sides).play("Cyclone")
    assert table.legal == {"SEAT[1]", "SEAT[2]"}
    assert not Table(["Cyclone", ""], ["Gub + Mushroom", "Gub"]).can_play("Cyclone")


def test_g19_omen_beetle_discards_the_other_barricades_on_the_gub():
    sides = ["Gub + Velvet Moth", "Gub + Mushroom + Toad Rider + Velvet Moth"]
    table = Table(["Omen Beetle", ""], sides).play("Omen Beetle")
    assert (table.colony(0), table.colony(1)) == ("Gub + Velvet Moth", "")
    assert table.hand(1) == "nothing"
    assert table.discarded == "Gub, Mushroom, Toad Rider, Velvet Moth, Omen Beetle"


@pytest.mark.parametrize("card", ["Mushroom", "Toad Rider", "Velvet Moth"])
def test_g20_a_barricade_protects_no_gub_of_an_opponent(card):
    assert not Table([card, ""], ["", "Gub"]).can_play(card)
    table = Table([card, ""], ["Gub", "Gub; Gub"]).play(card)
    assert (table.colony(0), table.colony(1)) == (f"Gub + {card}", "Gub; Gub")


def test_g21_spear_kills_and_destroys_but_never_traps():
    for side, left in (("Gub", ""), ("Gub + Mushroom", "Gub"), ("Gub + Sud Spout", "Gub")):
        table = Table(["Spear", ""], ["", side]).play("Spear")
        assert table.colony(1) == left
        assert "Spear" in table.discarded


def test_g22_the_elder_of_a_player_who_is_not_tied_leaves_the_tie_to_the_hands():
    sides = ["Gub; Gub", "Gub; Gub", "Esteemed Elder"]
    table = Table(["Lure", "", ""], sides, deck="Letter B", letters="GU", phase=Phase.DRAW)
    assert outcome(table.play("DECK").game) == ((2, 2, 1), (1,), Decided.HAND_SIZE)


def test_g23_the_starting_player_is_an_option_and_player_0_by_default():
    environment = gubs_v0.raw_env(4)
    environment.reset(seed=1)
    assert environment.agent_selection == "player_0"
    for seat in range(4):
        environment.reset(seed=1, options={"starting_player": seat})
        assert environment.agent_selection == f"player_{seat}"


def test_g24_to_end_the_play_begins_the_next_turn_at_once():
    table = Table(["Lure", "Feather, Spear", "Cricket Song"], ["Gub", "Gub", "Gub"]).play("PASS")
    assert (table.actor, table.phase) == (1, Phase.DRAW)
