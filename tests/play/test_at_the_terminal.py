"""Games at a pseudo-terminal: people who type anything, several people, and leaving."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys

import pytest

from gubs_env.play.saves import read_game

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminals", allow_module_level=True)

from tests.play.pseudo_terminal import PseudoTerminal

pytestmark = pytest.mark.usefixtures("quick_processes")
QUICK = ("--pace", "0", "--think", "0.01", "--opponents", "random")
DECK = "Gub:10,Spear:4,Lure:4,Lightning:2,Feather:2,Retreat:1,Letter G:1,Letter U:1,Letter B:1"
"""A deck for short games; tests/play/test_terminal.py plays with every card."""
ANYTHING = (
    "", "   ", "zzz", "0", "99999", "-3", "help", "rules", "moves", "more", "back", "log", "table",
    "card", "card gub", "card nothing of the kind", "save", "quit now", "exit", "q", "\x1b[A",
    "é²☃", "a" * 500, "%s{}\\", "yes",
)  # fmt: skip


@pytest.fixture
def terminal(tmp_path):
    """Start a command; it is stopped after the test."""
    opened = []

    def start(*arguments, **options):
        opened.append(PseudoTerminal(*arguments, folder=tmp_path, **options))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def play_to_the_end(at, rng, mischief=0.3):
    """Type numbers, and now and then anything, until the command has ended; return the prompts."""
    prompts, said = [at.answer("")], ""
    while (prompt := prompts[-1]) is not None:
        said += at.shown
        if prompt == "> " and rng.random() < mischief:
            choice = rng.choice([*ANYTHING, "\x03", "\x04", "quit"])
            if choice in ("\x03", "\x04"):
                at.press(choice)
            else:
                at.type(choice)
            prompts.append(at.wait())
            if choice == "quit":
                assert "Save the game and leave?" in prompts[-1]
                at.type(rng.choice(["", "maybe", "2"]))
                assert "Save the game and leave?" in at.wait()
                prompts.append(at.answer("no"))
            elif choice == "\x03":
                prompts.append(at.answer(""))  # a line in between, so that none is the second
            continue
        if "Show all hands?" in prompt:
            prompts.append(at.answer("yes"))
        elif prompt == "> ":
            is_chosen = "Enter plays it" in at.shown
            prompts.append(at.answer("" if is_chosen else str(rng.randint(1, 4))))
        else:
            prompts.append(at.answer(""))
    return prompts, said + at.shown


@pytest.mark.parametrize(
    ("options", "term", "columns"),
    [
        (("--game", "gubs", "--rules", f"deck={DECK}"), "xterm-256color", 80),
        (("--game", "fubnub", "--rules", "num_points=3"), "dumb", 80),
        (("--game", "bad_bad_turtle", "--players", "5"), "xterm", 120),
    ],
)
def test_a_game_is_played_to_its_end_whatever_is_typed(terminal, tmp_path, options, term, columns):
    at = terminal("play", *options, *QUICK, "--seed", "4", "--replay", "game.json",
                  term=term, columns=columns)  # fmt: skip
    assert at.wait() == "> "
    _, said = play_to_the_end(at, random.Random(1))
    assert at.process.exitcode == 0, said[-3000:]
    assert "Traceback" not in said
    assert "The game is over" in said
    assert "The game is saved in game.json" in said
    env = read_game(tmp_path / "game.json")[0]
    assert env.is_done(env.agent_selection)
    assert ("\x1b[H\x1b[2J" in at.raw) == (term != "dumb")
    # Numba's colorama, where it is installed, resets the colours of any terminal at the exit.
    written = at.raw.removesuffix("\x1b[0m").replace("^[[A", "")
    assert ("\x1b" in written) == (term != "dumb")
    assert max(map(len, said.replace("\r", "\n").split("\n"))) <= 600


def test_ctrl_c_twice_saves_and_leaves_and_the_game_goes_on_later(terminal, tmp_path):
    at = terminal("play", *QUICK, "--seed", "2", "--replay", "left.json")
    at.wait()
    at.answer("1")
    at.press("\x03")
    at.wait()
    assert "Ctrl-C once more saves the game and leaves" in at.shown
    at.press("\x03")
    assert at.wait() is None
    assert at.process.exitcode == 0
    assert "play --resume left.json" in " ".join(at.shown.split())
    left = read_game(tmp_path / "left.json")[0]

    again = terminal("play", "--pace", "0", "--resume", "left.json")  # against random, as before
    again.wait()
    assert "Since you last decided" not in again.shown
    assert left.game.question(left.view("player_0")) in again.shown
    _, said = play_to_the_end(again, random.Random(2), mischief=0)
    assert again.process.exitcode == 0
    assert "The game is saved in left.json" in said
    env = read_game(tmp_path / "left.json")[0]
    assert env.is_done(env.agent_selection)
    assert env._actions[: len(left._actions)] == left._actions


def test_a_signal_to_end_saves_the_game(terminal, tmp_path):
    at = terminal("play", *QUICK, "--replay", "closed.json")
    at.wait()
    at.settle()
    os.kill(at.process.pid, signal.SIGTERM)
    at.process.join(30)
    assert at.process.exitcode == 0
    assert not read_game(tmp_path / "closed.json")[0].is_done("player_0")


def test_what_is_typed_while_agents_think_plays_nothing_and_ctrl_c_interrupts_none(
    terminal, tmp_path
):
    at = terminal("play", "--opponents", "random", "--players", "6", "--pace", "0.4", "--seed", "1",
                  "--humans", "player_5", "--replay", "busy.json", term="xterm")  # fmt: skip
    at.until("Waiting for")
    at.type("1")
    assert at.wait() == "> "
    at.answer("log")
    assert "Ada " in at.shown
    assert "You " not in at.shown.split("log")[-1]

    at.until("Waiting for", typed="1")
    at.type("\x03", end="")
    at.until("Ctrl-C once more saves the game and leaves")
    at.type("\x03", end="")
    assert at.wait() is None
    assert at.process.exitcode == 0
    assert not read_game(tmp_path / "busy.json")[0].is_done("player_0")


def test_what_is_typed_during_a_hint_plays_nothing(terminal):
    at = terminal("play", "--think", "1", "--seed", "1", "--opponents", "random", term="xterm")
    at.wait()
    at.answer("log")
    before = at.shown
    at.type("hint")
    at.until("is thinking")
    at.type("1")
    assert at.wait() == "> "
    assert "would play: " in at.shown
    at.answer("log")
    assert at.shown == before


def test_a_terminal_that_is_gone_saves_the_game(terminal, tmp_path):
    at = terminal("play", *QUICK, "--replay", "gone.json", term="xterm")
    at.wait()
    at.hang_up()
    at.process.join(30)
    assert at.process.exitcode in (0, 120)  # 120: its output could not be flushed
    assert not read_game(tmp_path / "gone.json")[0].is_done("player_0")


def test_an_input_that_ends_saves_the_game(tmp_path):
    command = [sys.executable, "-m", "gubs_env", "play", *QUICK, "--replay", "piped.json"]
    done = subprocess.run(command, input="1\n1\n", capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "The game is saved in piped.json" in done.stdout
    assert not read_game(tmp_path / "piped.json")[0].is_done("player_0")


def test_quit_leaves_after_a_yes(terminal, tmp_path):
    at = terminal("play", *QUICK, "--replay", "quit.json")
    at.wait()
    assert "Save the game and leave?" in at.answer("quit")
    assert at.answer("yes") is None
    assert at.process.exitcode == 0
    assert (tmp_path / "quit.json").exists()


def test_several_people_see_their_own_hands_only(terminal, tmp_path):
    at = terminal("play", "--humans", "2", "--players", "3", *QUICK, "--seed", "3",
                  "--replay", "two.json", term="xterm")  # fmt: skip
    rng, holder, turns = random.Random(4), None, 0
    prompt = at.wait()
    while prompt is not None and turns < 60:
        if "press Enter to go on" in prompt:
            holder = prompt.split(",")[0]
            assert "\x1b[3J" in at.raw, "the page before can be scrolled back to"
            assert f"Pass the keyboard to {holder}." in at.shown
            assert "Hand:" not in at.shown.rpartition("Pass the keyboard")[2]
            prompt = at.answer("")
            continue
        if prompt != "> ":
            break
        if "seen by" in at.shown:
            other = {"Player 1": "Player 2", "Player 2": "Player 1"}[holder]
            assert f"─ {other} " in at.shown
            assert f"─ {holder} " not in at.shown, "the holder is called You"
        turns += 1
        is_chosen = "Enter plays it" in at.shown
        prompt = at.answer("" if is_chosen else str(rng.randint(1, 3)))
    assert turns > 10, (prompt, at.shown)


def test_watching_shows_a_game(terminal, tmp_path):
    at = terminal("watch", "--agents", "random,greedy", "--game", "bad_bad_turtle", "--players",
                  "4", "--delay", "0", "--seed", "5", "--replay", "seen.json",
                  term="xterm")  # fmt: skip
    assert at.wait() is None
    assert at.process.exitcode == 0
    assert "Bad, Bad, Turtle, seen by all" in at.shown
    assert "Bo (easy" in at.shown
    assert "The game is over" in at.shown
    env = read_game(tmp_path / "seen.json")[0]
    assert env.is_done(env.agent_selection)


def test_watching_step_by_step_with_all_hands_ends_with_ctrl_c(terminal):
    arguments = ("--agents", "random", "--step", "--eyes", "all", "--seed", "5")
    at = terminal("watch", *arguments, term="xterm")
    assert "Enter goes on" in at.wait()
    assert at.shown.count("Hand: ") >= 2
    for _ in range(5):
        assert "Enter goes on" in at.answer("")
    at.press("\x03")
    assert at.wait() is None
    assert at.process.exitcode == 0
