"""Packages beside ours, good, broken and greedy: what they bring, and what they cannot break."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import gymnasium
import pytest

from gubs_env import environments, gubs_v0
from gubs_env.agents.registry import registered
from gubs_env.support.errors import blamed
from gubs_env.support.output import HOUSE, warn_once

ROOT = Path(__file__).parent.parent
OURS = {"random", "greedy", "heuristic", "montecarlo", "ismcts", "policy", "llm"}
KINDS = {"game": "GAME", "agent": "build", "command": "COMMANDS"}
"""Games, agents and commands of packages, with the name of each in their modules."""
GOOD = """
from dataclasses import replace
from gubs_env.bad_bad_turtle_v0 import GAME as TURTLE
from gubs_env.commands.catalogue import Command
GAME = replace(TURTLE, name="{name}_v0")
def build(table, seed=None):
    "Builds nothing.\\x1b[2J"
def run():
    "Run."
    print("{package} runs")
COMMANDS = [Command(name, "Tools", "Run.", "{package}:run") for name in ("{name}", "play", "arena")]
"""
RAISES = """
class Odd(BaseException):
    def __str__(self):
        raise SystemExit("twice")
raise {}
"""
NO_ATTRIBUTE = "AttributeError: module 'empty' has no attribute "
BROKEN = {
    "missing": (None, *["ModuleNotFoundError: No module named 'missing'"] * 3),
    "empty": ("", *(f"{NO_ATTRIBUTE}'{name}'" for name in KINDS.values())),
    "a_number": (
        "GAME = build = COMMANDS = 5",
        "TypeError: its GAME is of the type int",
        "TypeError: 5 cannot be called",
        "TypeError: 'int' object is not iterable",
    ),
    "odd_syntax": ("def", *["SyntaxError: invalid syntax (odd_syntax.py, line 1)"] * 3),
    "fails": (RAISES.format("OSError('no rules')"), *["OSError: no rules (fails.py, line 5)"] * 3),
    "leaves": (RAISES.format("SystemExit(3)"), *["SystemExit: 3 (leaves.py, line 5)"] * 3),
    "stops": (RAISES.format("KeyboardInterrupt"), *["KeyboardInterrupt (stops.py, line 5)"] * 3),
    "mute": (
        RAISES.format("Odd"),
        *["Odd: <its message cannot be shown: SystemExit> (mute.py, line 5)"] * 3,
    ),
    "paints": (
        RAISES.format("ValueError('\\x1b[2J\\nred')"),
        *[r"ValueError: \x1b[2J red (paints.py, line 5)"] * 3,
    ),
}
"""Packages by name: the code of each, and why its game, its agent and its commands are left out."""
ODD_LIST = """
from gubs_env.commands.catalogue import Command
COMMANDS = [
    5, Command("good", "Tools", "Run.", "fine:run"), Command("\\x1b[2J", "Tools", "Red.", "a:b"),
    Command("dies", "Tools", "Die.", "leaves:run"),
]
"""
ASK = """
import io, json, sys
from contextlib import redirect_stdout

said, sys.stderr = sys.stderr, io.StringIO()
from gubs_env import find_game
from gubs_env.agents.registry import Named, registered
from gubs_env.commands.main import main
from gubs_env.games import all_games, game_names

GUBS = find_game("gubs")

def told(call, *given):
    before = len(sys.stderr.getvalue())
    with redirect_stdout(io.StringIO()) as out:
        try:
            result = call(*given)
        except ValueError as error:
            result = str(error)
    return result, out.getvalue(), sys.stderr.getvalue()[before:]

print(json.dumps({
    "games": game_names(),
    "owners": {name: plugin.package for name, plugin in registered().items()},
    "find game": told(find_game, "typo"),
    "find agent": told(Named("typo").factory, GUBS),
    "game": {name: told(find_game, name) for name in BROKEN},
    "agent": {name: told(Named(name).factory, GUBS) for name in BROKEN},
    "class": told(Named("stops:build").factory, GUBS),
    "all games": told(lambda: [game.name for game in all_games()]),
    "commands": {words: told(main, words.split()) for words in COMMANDS},
    "said": sys.stderr.getvalue(),
}))
"""
RUN = ("--help", "agents", "--help ", "agents ", "typo", "twin", "good", "dies")
"""Commands that are run in this order, two of them twice."""


def install(site: Path, package: str, points: dict[str, str], code: str | None = None) -> None:
    """Leave behind what an installer does: the metadata of a package, and its module."""
    folder = site / f"{package}-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = (f"[gubs_env.{kind}s]\n{text}\n" for kind, text in points.items())
    (folder / "entry_points.txt").write_text("".join(lines))
    if code is not None:
        (site / f"{package}.py").write_text(code)


def points_of(package: str, name: str) -> dict[str, str]:
    """Return the entry points of a game, an agent and commands of a package."""
    places = {kind: f":{name}" for kind, name in KINDS.items()} | {"game": ""}
    return {kind: f"{name} = {package}{place}" for kind, place in places.items()}


def run(site: Path, script: str) -> str:
    """Run a script in a process that finds the packages of a folder; return what it prints."""
    variables = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, (site, ROOT, ROOT / "agents"))),
        "GUBS_ENV_COMPILE": "never",
    }
    done = subprocess.run(
        [sys.executable, "-c", script], env=variables, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """The lines that all commands print beside many odd packages."""
    site = tmp_path_factory.mktemp("site")
    for package in ("zzz", "aaa"):
        points = points_of(package, "twin")
        points["agent"] += f"\nheuristic = {package}:build"
        points["game"] += f"\nfubnub = {package}\ngubs_v0 = {package}"
        install(site, package, points, GOOD.format(package=package, name="twin"))
    install(site, "fine", points_of("fine", "fine"), GOOD.format(package="fine", name="fine"))
    install(site, "wrong", {"game": "wrong = fine", "agent": "\x1b[2J = fine:build"})
    install(site, "mixed", {"command": "mixed = mixed:COMMANDS"}, ODD_LIST)
    for package, (code, *_) in BROKEN.items():
        install(site, package, points_of(package, package), code)
    install(site, "~ubs_env", {"agent": "heuristic = fine:build"})
    install(site, "garbled", {"agent": "no entry point"})
    install(site, "nameless", {"agent": "nameless = fine:build"})
    (site / "nameless-1.0.dist-info" / "METADATA").unlink()
    found = json.loads(run(site, f"BROKEN, COMMANDS = {[*BROKEN]}, {RUN}\n{ASK}"))
    return json.loads(json.dumps(found).replace(f"{site}{os.sep}", ""))


def said(asked: dict, what: str) -> list[str]:
    """Return the lines about something that is left out, without its name."""
    start = f"gubs_env: the {what}"
    lines = asked["said"].splitlines()
    return [line.removeprefix(start) for line in lines if line.startswith(start)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("package", BROKEN)
def test_what_is_broken_is_said_once_with_its_package_and_a_reason(asked, package, kind):
    reason = f"cannot be loaded: {BROKEN[package][1 + [*KINDS].index(kind)]}"
    subject = f"{'commands' if kind == 'command' else kind} {package!r} of {package} 1.0 "
    assert said(asked, subject) == [reason]
    if kind != "command":
        assert asked[kind][package] == [f"the {subject}{reason}", "", ""], "whoever asks is told"


def test_everything_else_works(asked):
    ours = ["gubs_v0", "fubnub_v0", "bad_bad_turtle_v0"]
    assert asked["all games"][0] == [*ours, "twin_v0", "fine_v0"]
    status, out, _ = asked["commands"]["--help"]
    listed = re.findall(r"^  (\S+(?: \S+)*)  ", out, re.M)
    assert status == 0
    assert len(listed) == len(set(listed)), "nothing is listed twice"
    assert {"play", "arena", "fine", "twin", "good", "dies"} <= {*listed}
    status, out, _ = asked["commands"]["agents"]
    agents = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert status == 0
    assert set(agents) == {*OURS, "twin", "fine", "nameless"}
    assert agents["twin"] == r"Builds nothing.\x1b[2J"
    assert asked["commands"]["twin"] == [0, "aaa runs\n", ""]
    assert asked["commands"]["good"] == [0, "fine runs\n", ""]


def test_a_typo_is_answered_with_the_names_that_there_are(asked):
    names = ", ".join(sorted(asked["games"]))
    assert asked["find game"] == [f"no game is called 'typo': there are {names}", "", ""]
    names = ", ".join(sorted([*OURS, "twin", "fine", "nameless"]))
    told = f"no agent is called 'typo' in gubs_v0: there are {names}"
    assert asked["find agent"] == [told, "", ""]
    status, _, told = asked["commands"]["typo"]
    assert status == 2
    assert told.startswith("gubs: no command is called 'typo': there are play, watch, ")


def test_our_names_are_reserved_and_the_second_of_two_is_refused_by_both_names(asked):
    assert asked["games"].count("fubnub") == asked["games"].count("twin") == 1
    assert {name for name, owner in asked["owners"].items() if owner == HOUSE} == {*OURS}
    assert asked["owners"]["twin"] == "aaa 1.0"
    for package in ("aaa 1.0", "zzz 1.0"):
        for what in ("game 'fubnub_v0'", "game 'gubs_v0'", "agent 'heuristic'", "command 'play'",
                     "command 'arena'"):  # fmt: skip
            told = said(asked, f"{what} of {package} ")
            assert told == ["is left out: gubs_env has this name"]
    for what in ("game 'twin_v0'", "agent 'twin'", "command 'twin'"):
        assert said(asked, f"{what} of ") == ["zzz 1.0 is left out: aaa 1.0 has this name"]


def test_what_is_no_entry_is_left_out_alone(asked):
    assert (
        "\ngubs_env: a command of mixed 1.0 is left out: TypeError: 5 is no Command"
        in asked["said"]
    )
    assert r"TypeError: '\x1b[2J' is no printable text" in asked["said"]
    reason = "its function leaves:run cannot be loaded: SystemExit: 3 (leaves.py, line 5)"
    assert asked["commands"]["dies"] == [2, "", f"gubs dies: {reason}\n"]
    reason = "ValueError: its GAME is called 'fine_v0', not 'wrong_v0'"
    assert said(asked, "game 'wrong' of wrong 1.0 ") == [f"cannot be loaded: {reason}"]
    told = said(asked, r"agent '\x1b[2J' of wrong 1.0 ")
    assert told == ["is left out: the name is not printable"]
    reason = "KeyboardInterrupt (stops.py, line 5)"
    assert asked["class"][0] == f"agent 'stops:build' cannot be imported: {reason}"
    (told,) = said(asked, "package garbled-1.0.dist-info ")
    assert told.startswith("cannot be read: TypeError: ")
    assert asked["said"].replace("\n", "").isprintable()


def test_nobody_registers_the_environment_of_one_of_our_games():
    with pytest.raises(ValueError, match="theirs cannot register gubs_v0: gubs_env has this name"):
        environments(gubs_v0.GAME, "theirs")
    assert gymnasium.spec("gubs_env/Gubs-v0").entry_point == "gubs_env.gubs_v0:single_agent_env"


def test_our_agents_are_registered():
    ours = {name for name, plugin in registered().items() if plugin.package == HOUSE}
    assert ours == OURS


def test_a_package_that_is_installed_says_that_its_agent_is_harmless_and_is_not_imported(tmp_path):
    """Nobody says it of the agent of another package."""
    install(tmp_path, "calm", {"harmless_agent": "calm = calm:build"}, "raise OSError")
    install(tmp_path, "wild", {"agent": "wild = wild:build"}, "raise OSError")
    install(tmp_path, "zealous", {"harmless_agent": "wild = zealous:build\nllm = zealous:build"})
    script = (
        "import sys; from gubs_env.agents.registry import harmless_agents, is_harmless\n"
        "sys.stderr = sys.stdout\n"
        "print(*(is_harmless(name) for name in ('calm', 'wild', 'llm', 'heuristic', 'typo')))\n"
        "print('calm' in harmless_agents(), {'calm', 'wild', 'zealous'} & set(sys.modules))\n"
    )
    said = run(tmp_path, script).splitlines()
    assert said[:2] == [
        "gubs_env: the agent 'llm' of zealous 1.0 is left out: gubs_env has this name",
        "gubs_env: the agent 'wild' of zealous 1.0 is left out: wild 1.0 has this name",
    ]
    assert said[2:] == ["True False False True False", "True set()"]


def test_packages_add_levels_to_ours(tmp_path):
    code = "LEVELS = {'easy': ('random',), 'expert': ('expert:depth=3', 'heuristic')}"
    install(tmp_path, "expert", {"level": "expert = expert:LEVELS"}, code)
    install(tmp_path, "wrong", {"level": "wrong = wrong:LEVELS"}, "LEVELS = {'new': ('x:',)}")
    script = (
        "import sys; from gubs_env.agents.registry import levels; sys.stderr = sys.stdout\n"
        "print(levels()['easy'], levels()['expert'], list(levels()))\n"
    )
    said = run(tmp_path, script).splitlines()
    reason = "ValueError: 'x:' names no agent: write name, name:option=value"
    assert said[0].startswith(f"gubs_env: the levels of wrong 1.0 cannot be loaded: {reason}")
    assert said[1] == "gubs_env: the level 'easy' of expert 1.0 is left out: gubs_env has this name"
    levels = ["strongest", "hard", "medium", "easy", "beginner", "expert"]
    assert said[2] == f"('greedy',) ('expert:depth=3', 'heuristic') {levels}"


@pytest.mark.parametrize("answer", ["pass", "raise SystemExit(0)"], ids=["passes", "is turned"])
def test_ctrl_c_while_a_package_is_imported_ends_the_command(tmp_path, answer):
    code = f"import signal\ntry:\n    signal.raise_signal(signal.SIGINT)\nfinally:\n    {answer}\n"
    install(tmp_path, "slow", points_of("slow", "slow"), code)
    script = "import sys; from gubs_env.commands.main import main; sys.stderr = sys.stdout\n"
    assert run(tmp_path, f"{script}print(main(['--help']))") == "interrupted\n130\n"


def test_whoever_hears_ctrl_c_hears_it_again_afterwards():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *at: heard.append(at))
    try:
        with blamed("it"):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(heard) == 2


def test_a_thread_blames_as_the_main_thread_does():
    said = []

    def fail():
        try:
            with blamed("it"):
                raise KeyboardInterrupt
        except ValueError as error:
            said.append(str(error))

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    assert said == ["it: KeyboardInterrupt" + said[0][21:]]


def test_processes_that_help_repeat_nothing(monkeypatch, caplog):
    warn_once.cache_clear()
    warn_once("one")
    monkeypatch.setattr("multiprocessing.parent_process", lambda: object())
    warn_once("two")
    assert caplog.messages == ["gubs_env: one"]
