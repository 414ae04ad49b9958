"""The package itself: how its games are found, and the command that compiles them ahead."""

from __future__ import annotations

import pydoc
import subprocess
import sys

import pettingzoo
import pytest

import gubs_env
from gubs_agents.search.playouts import functions_of
from gubs_env.commands.warm import warm
from gubs_env.engine.compiling import is_cached
from gubs_env.support.checks import require_extra
from tests.api.tables import every_module
from tests.commands import ends_with, gubs


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)


@every_module
def test_dir_and_help_lead_to_the_games(module):
    with pytest.raises(AttributeError, match="No gubs_env attribute gubs_v9"):
        gubs_env.gubs_v9  # noqa: B018
    name = module.GAME.name
    assert name in dir(gubs_env)
    assert getattr(gubs_env, name) is module
    assert f"gubs_env.{name}" in pydoc.render_doc(gubs_env)


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo before 1.27")
@every_module
def test_pettingzoo_makes_a_game_by_its_id(module):
    made = pettingzoo.make("aec", f"gubs_env/{module.GAME.name}", num_players=4)
    assert type(made) is module.env
    assert made.unwrapped is made
    assert made.num_players == 4


def test_rules_are_given_as_a_dict_too():
    made = gubs_env.gubs_v0.env(rules={"letters": "anywhere"})
    assert made.rules == gubs_env.gubs_v0.Rules(letters="anywhere")
    games = gubs_env.gubs_v0.vector_env(2, rules={"letters": "anywhere"})
    assert games.table == made.table


@every_module
def test_warming_compiles_every_part_and_tells_it(module):
    parts, seconds = zip(*warm(lambda name: module.GAME, module.GAME.name), strict=True)
    assert min(seconds) >= 0
    assert parts[0] == "rules"
    assert {"greedy", "heuristic", "ismcts", "montecarlo", "policy", "random"} <= set(parts)
    entries = vars(module.GAME.kernel) | functions_of(module.GAME) | {"tell": module.GAME.teller}
    assert [name for name in entries if not is_cached(entries[name])] == []


def test_the_commands_say_what_was_wrong(capsys):
    for words, said in (
        (("warm", "--games", "gubz"), "no game is called 'gubz'"),
        (("warm", "--processes", "0"), "--processes=0: must be at least 1"),
        (("warm", "--games"), "--games: name at least one game"),
        (("soak", "--games", "gubz"), "no game is called 'gubz'"),
        (("soak", "--count", "0"), "--count=0: must be at least 1"),
        (("soak", "--first", "-1"), "--first=-1: must be at least 0"),
    ):
        with pytest.raises(SystemExit, match=r"^2$"):
            gubs(*words)
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"gubs {words[0]}: ")
        assert said in line
    for words in (("wram",), ("warm", "--processes", "x")):
        with ends_with(capsys, ""):
            gubs(*words)
    assert f"gubs_env {gubs_env.__version__}" in python("-m", "gubs_env", "versions").stdout


def test_a_folder_with_the_name_of_a_library_does_not_stand_for_its_extra(tmp_path, monkeypatch):
    (tmp_path / "a_library").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(
        ModuleNotFoundError, match=r'a_library is not installed: .*"gubs_env\[it\]"'
    ):
        require_extra("it", "a_library")
