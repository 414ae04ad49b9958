"""What people read names everybody as people do, and calls the reader "you"."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gubs_env.agents.naming import addressed, addressed_table, names_at
from gubs_env.drawing.board import opened
from gubs_env.engine.card_texts import card_texts
from gubs_env.engine.text import SeatWords, TableWords
from gubs_env.play.rules import explained
from tests.games.cases import main_tables_of_ours
from tests.play.tables import dealt, play_to_the_end

SEATS = [f"player_{seat}" for seat in range(4)]
NAMES = names_at(SEATS, ["player_0"])


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("player_0 plays Lure at player_1's Gub", "You play Lure at Ada's Gub"),
        ("player_1 plays Lure at player_0's Gub", "Ada plays Lure at your Gub"),
        ("player_0 ends their play", "You end your play"),
        ("player_1 ends their play", "Ada ends their play"),
        ("player_0 passes", "You pass"),
        ("player_0 is eliminated", "You are eliminated"),
        ("player_3 sees player_0's hand: Gub", "Cleo sees your hand: Gub"),
        ("points: player_0 1 → 2, player_2 1 → 0", "points: You 1 → 2, Bo 1 → 0"),
        ("The game is over: player_0 reveals the Turtle and wins",
         "The game is over: You reveal the Turtle and win"),
        ("The game is over: player_0 and player_2 win", "The game is over: You and Bo win"),
        ("Double Dip lies on the turn of player_0", "Double Dip lies on your turn"),
        ("Discard the hand of player_1", "Discard the hand of Ada"),
        ("player_0 takes the turn and discards 2 cards unseen",
         "You take the turn and discard 2 cards unseen"),
        ("player_0 keeps Red 6 and takes the undealt", "You keep Red 6 and take the undealt"),
        ("player_1 keeps a card and takes the undealt", "Ada keeps a card and takes the undealt"),
        ('player_0 reveals Swap: "Everybody hands on their stack and takes another."',
         'You reveal Swap: "Everybody hands on their stack and takes another."'),
        ("player_0 plays Shield and forces Skip on themselves",
         "You play Shield and force Skip on yourself"),
        ("player_1 plays No Way on player_0's Peek", "Ada plays No Way on your Peek"),
        ("player_0's decision: their hand is empty", "Your decision: your hand is empty"),
        ("player_1's decision: their hand is empty", "Ada's decision: their hand is empty"),
        ('<text>player_0 keeps their hand</text><text aria-label="player_1 keeps their hand">',
         '<text>You keep your hand</text><text aria-label="Ada keeps their hand">'),
    ],
)  # fmt: skip
def test_a_sentence_names_the_others_and_addresses_the_reader(text, read):
    assert addressed(text, NAMES, "player_0") == read


def test_who_has_no_seat_reads_names_only():
    text = "player_0 plays Lure at player_1's Gub"
    assert addressed(text, NAMES, None) == "Player 1 plays Lure at Ada's Gub"


QUOTED = re.compile('"[^"]*"')


@main_tables_of_ours
def test_every_line_is_told_in_the_person_of_its_subject(case, num_players, options):
    env = dealt(case.game.name, num_players, seed=4, rules=case.module.Rules(**options))
    play_to_the_end(env, np.random.default_rng(2))
    for seat in env.possible_agents:
        names = names_at(env.possible_agents, [seat])
        for line in env.log(seat):
            said = addressed(line, names, seat)
            assert "player_" not in said
            assert QUOTED.findall(said) == QUOTED.findall(line), "a rule speaks of its own reader"
            bare = QUOTED.sub("", said)
            assert not re.search(r"\b[Yy]ou ([a-z]+s)\b(?<!\bpass)", bare), said
            assert " of you" not in bare, said
            if re.search("(^|: )You ", bare):
                assert not re.search(r" and [a-z]+s\b| their |themselves| on you\b", bare), said
            if seat not in line:
                assert said == re.sub(
                    r"player_\d", lambda found, names=names: names[found[0]], line
                )
                told = re.match(r"((?:(?: and )?(?:player_|ghost )\d)+) ([a-z]+)", line)
                assert not told or told[2].endswith("s") != (" and " in told[1]), line


@main_tables_of_ours
def test_what_everybody_sees_of_a_decision_does_not_say_you(case, num_players, options):
    env = dealt(case.game.name, num_players, seed=5, rules=case.module.Rules(**options))
    rng = np.random.default_rng(3)
    while not env.is_done(env.agent_selection):
        said = opened(env.view(env.agent_selection), env.game.question)
        assert said.startswith(f"{env.agent_selection}'s decision: ")
        assert said.count(":") == 1
        assert not re.search(r"\byou(r|rself)?\b", said)
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        env.step(int(rng.choice(legal)))


@pytest.mark.parametrize(
    ("mark", "told"),
    [
        ("has the turn", "have the turn"),
        ("keeps their hand", "keep your hand"),
        ("may look through their own stack", "may look through your own stack"),
        ("dealer", "dealer"),
        ("passed", "passed"),
    ],
)
def test_the_marks_of_a_seat_are_told_to_the_reader_in_theirs(mark, told):
    seats = [SeatWords("player_0", ["you", mark]), SeatWords("player_1", [mark])]
    table = addressed_table(TableWords("", seats, 0), NAMES, "player_0")
    assert [seat.marks for seat in table.seats] == [[told], [mark]]


@pytest.mark.parametrize(
    ("game", "rules"), [("gubs", None), ("fubnub", {"mode": "full"}), ("bad_bad_turtle", None)]
)
def test_no_rule_is_printed_twice(game, rules):
    env = dealt(game, seed=2, rules=rules)
    play_to_the_end(env, np.random.default_rng(1))
    told = explained(env.log("player_0"), card_texts(env.game))
    assert any(clause or '"' in line for line, clause in told)
    for line, clause in told:
        assert not clause or clause.partition(": ")[2] not in line
