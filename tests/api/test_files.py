"""Files: temporary ones that nobody else can turn into something else, and ~ in every path."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import numpy as np
import pytest

import gubs_agents
import gubs_env
from gubs_agents import arena
from gubs_agents.networks.network import load, save, shipped
from gubs_env import find_game, find_table
from gubs_env.engine.compiling import cache_folders
from gubs_env.play.saves import keep_game, read_game
from gubs_env.support.files import expanded, lock_file, private_folder, private_key, replace_file
from tests.commands import gubs
from tests.play.tables import dealt

GAME = find_game("gubs")
posix = pytest.mark.skipif(os.name == "nt", reason="Windows has other rights and links")


# ------------------------------------------------------------------------------ temporary files


@posix
def test_a_file_is_not_written_through_a_link(tmp_path, monkeypatch):
    monkeypatch.setattr(secrets, "token_hex", lambda size: "guessed")
    path, target = tmp_path / "game.jsonl", tmp_path / "target"
    target.write_text("precious")
    for link in (path.with_name("game.jsonl.guessed.unfinished"), path):
        link.symlink_to(target)
    with pytest.raises(FileExistsError, match=r"game\.jsonl'$"):
        replace_file(path, "a game")
    path.with_name("game.jsonl.guessed.unfinished").unlink()
    replace_file(path, "a game")
    assert (target.read_text(), path.read_text()) == ("precious", "a game")
    assert not path.is_symlink()


@posix
def test_a_game_is_kept_in_a_shared_folder_where_nobody_else_can_reach_it(tmp_path, monkeypatch):
    """Somebody else has put links at the names that the fallback used to take."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    target = tmp_path / "target"
    target.write_text("precious")
    for name in ("game.jsonl", "game.jsonl.unfinished"):
        (tmp_path / name).symlink_to(target)
    told, env = [], dealt()
    kept = keep_game(tmp_path / "gone" / "game.jsonl", env, ["person", "random"], told.append)
    assert read_game(kept)[0].to_json() == env.to_json()
    assert kept.parent.stat().st_mode & 0o077 == 0
    assert target.read_text() == "precious"
    assert len(told) == 1
    again = keep_game(tmp_path / "gone" / "game.jsonl", env, ["person", "random"], told.append)
    assert again != kept


@posix
def test_a_lock_empties_no_file_through_a_link(tmp_path):
    (tmp_path / "target").write_text("precious")
    (tmp_path / ".games.jsonl.lock").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match="symbolic links"):
        lock_file(tmp_path / "games.jsonl")
    assert (tmp_path / "target").read_text() == "precious"


@posix
def test_a_private_folder_is_not_one_that_somebody_else_made(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = private_folder()
    assert (folder, folder.stat().st_mode & 0o777) == (private_folder(), 0o700)
    folder.chmod(0o777)
    with pytest.raises(PermissionError, match="is not yours alone: remove it"):
        private_folder()
    folder.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PermissionError, match="is not yours alone: remove it"):
        private_folder()


@posix
def test_a_key_is_made_once_and_read_by_its_user_only(tmp_path):
    path = tmp_path / "new" / "key"
    key = private_key(path)
    assert (len(key), private_key(path), path.stat().st_mode & 0o777) == (32, key, 0o600)
    path.write_bytes(b"")  # as if the machine had stopped before it was written
    with pytest.raises(OSError, match="is not a whole key: remove it"):
        private_key(path)


# ------------------------------------------------------------------------------ the home folder


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder; the working folder is another one, in which no ~ may appear."""
    (tmp_path / "home").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    yield tmp_path / "home"
    assert not list((tmp_path / "here").iterdir())


def test_the_home_folder_stands_at_the_beginning_only(home):
    assert expanded("~/a") == home / "a"
    assert expanded(Path("~")) == home
    for path in ("a/~/b", "./~", "~nobody-of-this-name/a"):
        assert expanded(path) == Path(path)


def test_records_data_sets_and_pages_are_found_in_the_home_folder(home):
    assert gubs_env.record("~/games.jsonl", "random", games=2, seed=1) == home / "games.jsonl"
    assert len(list(gubs_env.read_records("~/games.jsonl"))) == 2
    record = gubs_env.read_record("~/games.jsonl", 1)
    assert gubs_env.replay(record).save("~/page.html") == home / "page.html"
    pytest.importorskip("pyarrow", reason="needs the extra data")
    gubs_env.to_parquet("~/games.jsonl", "~/data")
    assert gubs_env.load_dataset("~/data").num_games == 2


def test_weights_and_caches_are_found_in_the_home_folder(home):
    table = find_table(GAME)
    weights = load(shipped(table), table)
    save("~/mine.safetensors", weights, table)
    for name in ("policy", "ismcts"):
        assert gubs_agents.make(name, weights="~/mine.safetensors")
    llm = {"base_url": "http://127.0.0.1:9/v1", "model": "x", "cache": "~/answers"}
    assert gubs_agents.make("llm", **llm)._client.cache == home / "answers"


def test_a_tournament_is_written_to_the_home_folder(home):
    pytest.importorskip("choix", reason="needs the extra arena")
    arena.tournament("random,greedy", deals=2, out="~/arena")
    assert len(arena.load("~/arena/games.jsonl")[1]) == 4


def test_commands_read_the_home_folder_where_a_shell_does_not(home, capsys):
    words = ["record", "--agents", "random", "--games", "2", "--out=~/games.jsonl"]
    for arguments in (words, ["replay", "~/games.jsonl", "--html=~/page.html"]):
        gubs(*arguments)
    assert {path.name for path in home.iterdir()} >= {"games.jsonl", "page.html"}
    assert str(home / "page.html") in capsys.readouterr().out


def test_the_compile_cache_may_lie_in_the_home_folder(home, monkeypatch):
    monkeypatch.setenv("GUBS_ENV_CACHE", "~/machine code")
    monkeypatch.setenv("XDG_CACHE_HOME", "~/.cache")
    assert list(cache_folders()) == [home / "machine code", home / ".cache" / "gubs_env"]


def test_a_file_that_is_no_network_is_named_and_refused(home):
    for name in ("mine.safetensors", "passwd"):
        (home / name).write_bytes(np.zeros(8).tobytes())
        wanted = f"{name} does not fit: it is not valid safetensors"
        for agent, options in (
            ("policy", {"weights": f"~/{name}"}),
            ("ismcts", {"weights": f"~/{name}"}),
            ("ismcts", {"beliefs": f"~/{name}"}),
        ):
            with pytest.raises(ValueError, match=wanted):
                gubs_agents.make(agent, **options)
