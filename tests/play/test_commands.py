"""The options of `play` and `watch`: what is allowed, and what an error says."""

from __future__ import annotations

import os
import re
import socket
import sys
from pathlib import Path

import pytest

import gubs_env
from gubs_env.play.commands import PlayOptions, seated
from gubs_env.play.dealing import DealOptions, new_game, seat_players, seats_of
from gubs_env.play.saves import go_on, write_game
from gubs_env.replays.frames import frames_of
from gubs_env.support.output import command_line
from tests.commands import ends_with, gubs
from tests.play.tables import dealt
from tests.strangers import reaching

PARTNERS = "mode=ghost+ghost_seats=1,3"


def words_of(options):
    """Return options as words of a command line."""
    return [f"--{name}={value}" for name, value in options.items()]


def play(**options):
    gubs("play", *words_of(options))


def watch(**options):
    gubs("watch", *words_of(options))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"game": "chess"}, "no game is called 'chess'"),
        ({"players": 9}, "num_players=9: Gubs is for 2 to 6 players"),
        ({"rules": "luck=much"}, "have no option luck"),
        ({"rules": "nonsense"}, "'nonsense' is not an option"),
        ({"seed": -1}, "seed=-1: must be at least 0"),
        ({"opponents": "nobody"}, "no agent is called 'nobody' in gubs_v0: there are"),
        ({"opponents": "random:depth=3"}, "agent 'random' has no option depth"),
        ({"opponents": "random,random", "players": 2}, "2 agents are named, but 1 of 2 seats"),
        (
            {"game": "fubnub", "opponents": "policy", "players": 2, "rules": PARTNERS},
            "no networks are shipped for fubnub_v0 with 2 players",
        ),
        ({"humans": "0"}, "--humans 0: allowed are 1 to 2"),
        ({"humans": "3", "players": 2}, "--humans 3: allowed are 1 to 2"),
        ({"humans": "Ann"}, "--humans Ann: write a number, or different seats of player_0"),
        ({"humans": ""}, "--humans : write a number"),
        ({"think": 0.0}, "think=0.0: must be 0.001 to 60"),
        ({"pace": -1.0}, "pace=-1.0: must be 0 to 60"),
        ({"pace": float("nan")}, "pace=nan: must be a finite number"),
    ],
)
def test_an_option_that_is_not_allowed_ends_with_one_line(capsys, options, message):
    with ends_with(capsys, f"gubs play: .*{message}"):
        play(**{"opponents": "random", **options})


def test_files_that_cannot_be_used_are_refused_before_the_game(capsys, tmp_path):
    (tmp_path / "old.json").write_text("{}")
    for options, message in (
        ({"replay": tmp_path / "old.json"}, "exists already; name a new one"),
        ({"replay": tmp_path / "none" / "new.json"}, "cannot be written"),
        ({"resume": tmp_path / "none.json"}, "No such file"),
        ({"resume": tmp_path / "old.json"}, "holds no game to go on with"),
        ({"resume": tmp_path / "old.json", "players": 3}, "leave out --players"),
    ):
        with ends_with(capsys, message):
            play(opponents="random", **options)


def test_a_game_of_agents_is_resumed_only_with_a_seat(capsys, tmp_path, monkeypatch):
    path = gubs_env.record(tmp_path / "agents.jsonl", "random,greedy", games=1)
    with ends_with(capsys, "only agents play in this game: take a seat, as with --humans player_0"):
        play(resume=path)
    session = seated(PlayOptions(humans="player_1", resume=str(path)))
    assert session.names == ["random", "person"]


def test_a_recorded_game_goes_on_from_any_of_its_moves(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = gubs_env.record("games.jsonl", "random,greedy", games=3, seed=5)
    before = path.read_bytes()
    record = gubs_env.read_record(path, 2)
    frames = frames_of(record, ["player_1"])
    for move in (0, 7, len(frames) - 2):
        session = seated(PlayOptions(humans="player_1", resume=f"games.jsonl#2:{move}"))
        assert session.names == [record.agents[0], "person"]
        assert session.env.game.draw(session.view("player_1")) == frames[move].pictures["player_1"]
        told = [line for frame in frames[: move + 1] for line in frame.lines["player_1"]]
        assert session.log("player_1") == [session.addressed(line, "player_1") for line in told]
        assert session.news("player_1") == []
        assert session.path.name != "games.jsonl"
    session = seated(PlayOptions(humans="player_1", resume="games.jsonl#1"))
    assert session.is_over
    assert path.read_bytes() == before


def test_a_move_that_a_file_does_not_have_is_refused(capsys, tmp_path):
    path = gubs_env.record(tmp_path / "games.jsonl", "random,greedy", games=2, seed=5)
    last = len(frames_of(gubs_env.read_record(path, 1), [])) - 2
    for place, message in (
        ("", "holds no game to go on with: it holds several: name one .* as .*games.jsonl#0"),
        ("#2", "has no game 2: it has 2 games, counted from 0"),
        ("#1:4000", f"there is no move 4000: its moves are 0 to {last}"),
        ("#one", "write FILE, FILE#GAME or FILE#GAME:MOVE, as games.jsonl#12:40"),
    ):
        with ends_with(capsys, message):
            play(resume=f"{path}{place}", humans="player_0")
    path.rename(tmp_path / "games#1.jsonl")
    with ends_with(capsys, "it holds several"):
        play(resume=tmp_path / "games#1.jsonl")


def test_a_saved_game_names_no_modules_servers_or_files(capsys, tmp_path, monkeypatch):
    """A file may come from somebody else; what it names plays if the person names it too."""
    path = tmp_path / "game.jsonl"
    with reaching(tmp_path, monkeypatch) as texts:
        for text in texts:
            write_game(path, dealt(), ["person", text])
            with ends_with(capsys, f"names the agent '{re.escape(text)[:20]}.*--opponents"):
                play(resume=path)
            session = seated(PlayOptions(opponents="random", resume=str(path)))
            assert session.names == ["person", "random"]
    write_game(path, dealt(), ["person", "ismcts:policy=heuristic+playouts=2"])
    session = seated(PlayOptions(resume=str(path)))
    assert session.names == ["person", "ismcts:policy=heuristic+playouts=2"]


def test_the_command_that_goes_on_names_agents_that_the_file_may_not_bring():
    path = Path("game.jsonl")
    assert go_on(path, ["person", "ismcts:ms=300"]).endswith("play --resume game.jsonl")
    assert go_on(path, ["my.bots:Cautious", "person", "random"], "--web").endswith(
        "play --web --resume game.jsonl --opponents my.bots:Cautious,random"
    )


def test_commands_are_named_so_that_they_work_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.executable", str(tmp_path / ".venv" / "bin" / "python"))
    assert command_line("replay", "a game.jsonl").endswith(
        "python -m gubs_env replay 'a game.jsonl'"
    )
    assert command_line().startswith(os.path.join(".venv", "bin", ""))
    monkeypatch.setattr("shutil.which", lambda name: str(tmp_path / ".venv" / "bin" / name))
    assert command_line("replay", "a game.jsonl") == "gubs replay 'a game.jsonl'"


def test_watch_refuses_eyes_of_nobody(capsys):
    with ends_with(capsys, "--eyes player_7: allowed are everybody, all, player_0, player_1"):
        watch(agents="random", eyes="player_7")
    with ends_with(capsys, "delay=100.0: must be 0 to 60"):
        watch(agents="random", delay=100.0)


@pytest.mark.parametrize(("command", "agents"), [("play", "opponents"), ("watch", "agents")])
def test_a_port_that_cannot_be_served_is_refused(capsys, command, agents):
    pytest.importorskip("uvicorn", reason="needs the extra web")
    with ends_with(capsys, "port=70000: must be 0 to 65535"):
        gubs(command, "--web", "--port=70000")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with ends_with(capsys, f"--port {port}: "):
            gubs(command, "--web", f"--port={port}", f"--{agents}=random")


def test_seats_are_given_by_a_number_or_by_name():
    seats = ["player_0", "player_1", "player_2"]
    assert seats_of("2", seats) == ["player_0", "player_1"]
    assert seats_of("player_2, player_0", seats) == ["player_2", "player_0"]
    env = dealt(num_players=4)
    players = seat_players(env, ["player_1"], ["random", "greedy"], 0.1)
    assert {seat: player.name for seat, player in players.items()} == {
        "player_0": "random",
        "player_2": "greedy",
        "player_3": "random",
    }


def test_as_many_sit_at_the_table_as_are_named():
    env, _ = new_game(DealOptions(), "1", ["random", "greedy"])
    assert env.num_players == 3
    env, _ = new_game(DealOptions("fubnub"), "1", ["random"])
    assert env.num_players == 4


def test_several_people_at_one_keyboard_are_all_asked():
    """Else passing the keyboard would tell who holds an answer."""
    env, _ = new_game(DealOptions(), "2", [])
    assert env.rules.ask_everyone
    env, _ = new_game(DealOptions(rules="ask_everyone=false"), "2", [])
    assert not env.rules.ask_everyone
    env, _ = new_game(DealOptions(), "1", [])
    assert not env.rules.ask_everyone


def test_a_seed_deals_the_same_game_again():
    one, other = (new_game(DealOptions(seed=7), "1", [])[0] for _ in range(2))
    assert one.to_json() == other.to_json()


def test_playing_is_not_loaded_with_the_games():
    assert "gubs_env.play" in sys.modules  # by this test
    import subprocess

    code = "import sys, gubs_env.gubs_v0; print('gubs_env.play' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
