"""The guided first game: every step says what is so, and the game ends as planned."""

from __future__ import annotations

import re

import pytest

from gubs_env.play import guide
from gubs_env.play.commands import PlayOptions, seated
from gubs_env.play.saves import read_game
from gubs_env.play.terminal import TerminalGame
from tests.commands import ends_with, gubs
from tests.play.tables import Typist
from tests.play.test_terminal import said

FACTS = (
    ((1, 1), "", "Gub, Sud Spout, Lure, Feather"),
    ((1, 1), "", "Gub, Mushroom, Sud Spout, Lure, Feather"),
    ((2, 1), "", "Mushroom, Sud Spout, Lure, Feather"),
    ((2, 1), "", "Sud Spout, Lure, Feather"),
    ((2, 0), "", "Lure, Feather"),
    ((2, 0), "", "Lure, Feather"),
    ((2, 2), "", "Lure"),
    ((2, 2), "G", "Lure"),
    ((3, 1), "G", "nothing"),
    ((3, 2), "G", "nothing"),
    ((3, 2), "GU", "nothing"),
    ((3, 2), "GU", "nothing"),
)
"""Points, Letters laid open and the hand of the person, at each step."""


@pytest.fixture
def session(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return seated(PlayOptions(guided=True))


def play_on(session, steps):
    """Play the moves that so many steps ask for, and all that agents decide before the next one."""
    for played in range(steps + 1):
        while session.person is None and not session.is_over:
            session.play_opponent()
        if played < steps:
            session.play("player_0", guide.asked(session, "player_0")[1][0])


@pytest.mark.parametrize("number", range(len(guide.STEPS)))
def test_each_step_comes_in_its_turn_and_what_it_says_is_so(session, number):
    play_on(session, number)
    text, moves = guide.asked(session, "player_0")
    points, letters, hand = FACTS[number]
    assert text == guide.STEPS[number].text
    assert moves
    state = session.env.state()
    assert state["deck_size"] == guide.STEPS[number].deck
    assert f"Hand: {hand}\n" in session.env.describe("player_0")
    assert "".join(name for name, laid in zip("GUB", state["letters"], strict=True) if laid) == (
        letters
    )
    seats = session.table("player_0").seats
    assert tuple(int(seat.facts.split()[0]) for seat in seats) == points
    for drawn in re.findall(r"You drew ([\w ]+)\.", text):
        assert f"You draw {drawn}" in session.news("player_0")


def test_the_window_is_one(session):
    play_on(session, 5)
    assert session.table("player_0").interrupts
    assert "This is a window" in guide.asked(session, "player_0")[0]


def test_it_ends_with_a_win(session):
    play_on(session, len(guide.STEPS))
    assert session.is_over
    assert session.env.outcome().scores == (3, 2)
    assert session.result("player_0") == "You have won."


def test_the_texts_are_short_and_need_no_colour_or_place():
    for step in guide.STEPS:
        assert len(step.text.split()) < 55
        assert "player_" not in step.text, "seats have other names on some screens"


def test_the_terminal_shows_each_step_and_plays_what_it_asks_for(session, tmp_path, capsys):
    words = ["draw", "", "lay a gub", "", "lay mush", "1", "", "sud", "1", "3", "", "", "answer",
             "", "draw", "", "lure", "", "", "draw", "", "", "draw", "", "no"]  # fmt: skip
    text = said(session, words, tmp_path, capsys)
    flat = " ".join(text.split())
    for step in guide.STEPS:
        assert flat.count(step.text) == 1
    assert guide.ENDING in flat
    assert "You have won." in flat
    assert "The guide asks for another move" in flat  # the first traps one of one's own


def test_the_guide_can_be_left(session, tmp_path, capsys):
    text = said(session, ["1", "skip", "skip draw", "", "log"], tmp_path, capsys)
    assert "The guide asks for another move; skip lets you play on alone." in text
    assert "You skip the draw" in text
    assert " ".join(text.split()).count("Welcome!") == 1
    env, names = read_game(tmp_path / "game.json")
    assert names == ["person", "greedy"]
    assert env.to_json() == session.env.to_json()


def test_where_the_game_leaves_its_course_nothing_is_said(session):
    session.play("player_0", session.moves("player_0")[0])
    while session.person is None:
        session.play_opponent()
    text, moves = guide.asked(session, "player_0")
    if not text:
        assert moves == session.moves("player_0")


def test_the_guided_game_takes_no_other_table(capsys):
    for option in ("--players=3", "--humans=2", "--opponents=random", "--game=fubnub"):
        with ends_with(capsys, f"--guided is a game of its own: leave out {option.split('=')[0]}"):
            gubs("play", "--guided", option)


def test_a_table_without_a_guide_says_so(tmp_path, capsys):
    session = seated(PlayOptions(opponents="random"))
    game = TerminalGame(session, Typist(["skip"]), 0)
    game._skip()
    assert "There is no guide at this table" in capsys.readouterr().out
