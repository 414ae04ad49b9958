"""The catalogue of commands, and every command that the documentation shows."""

from __future__ import annotations

import inspect
import pkgutil
import re
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest

from gubs_env.commands import catalogue, main
from gubs_env.commands.catalogue import Command, commands
from gubs_env.support.plugins import Plugin
from tests.commands import ends_with, gubs, python

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
TRAINING = {"exploit", "train"}
"""Commands whose modules need the extra `train`."""


def test_the_project_has_one_console_script_and_one_table_of_further_commands():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"gubs": "gubs_env.commands.main:main"}
    assert project["entry-points"][catalogue.GROUP] == {
        "gubs_agents": "gubs_agents.commands:COMMANDS"
    }


@pytest.mark.parametrize("command", commands().values(), ids=lambda command: command.name)
def test_a_line_of_the_list_is_the_first_line_of_the_docstring(command):
    if command.name in TRAINING:
        pytest.importorskip("sb3_contrib", reason="needs the extra train")
    function = pkgutil.resolve_name(command.place)
    assert inspect.getdoc(function).splitlines()[0] == command.about
    assert len(command.about) < 71, "with its name it fills a line of 90 columns"
    assert command.section in catalogue.SECTIONS


def test_the_list_names_every_command_and_colours_nothing_in_a_pipe(capsys):
    gubs()
    listed = capsys.readouterr().out
    gubs("--help")
    assert capsys.readouterr().out == listed
    assert re.findall(r"^  (\S+(?: \S+)*)  ", listed, re.M) == [*named()]
    assert "\x1b" not in listed
    gubs("--version")
    assert capsys.readouterr().out.startswith("gubs_env ")


def named():
    """Yield the names of all commands in the order of their sections."""
    for section in catalogue.SECTIONS:
        yield from (c.name for c in commands().values() if c.section == section)


def test_a_terminal_gets_colours_unless_it_wants_none(monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert main.paint("Play", "bold") == "\x1b[1mPlay\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert main.paint("Play", "bold") == "Play"


def test_a_mistyped_command_is_answered_with_the_nearest_and_all(capsys):
    for word, message in (
        ("aren", "'aren': there are play, .*, arena, .*; the nearest is arena$"),
        ("fit", "'fit': there are "),
        ("\x1b[2J", r"'\\x1b\[2J': there are "),
    ):
        with ends_with(capsys, f"^gubs: no command is called {message}"):
            gubs(word)


def test_another_package_adds_commands(monkeypatch, capsys):
    theirs = Command("dance", "Dance", "Dance with turtles.", f"{__name__}:dance")
    point = SimpleNamespace(load=lambda: [theirs])
    found = [Plugin("theirs", "theirs 1.0", point)]
    monkeypatch.setattr(catalogue, "plugins", lambda group: found)
    gubs("dance", "--steps", 3)
    gubs()
    listed = capsys.readouterr().out
    assert listed.startswith("3 steps\n")
    assert "\nDance\n  dance     Dance with turtles\n" in f"{listed}\n"
    monkeypatch.setattr(catalogue, "plugins", None)
    gubs("versions")  # one of ours asks no other package


def dance(steps: int) -> None:
    """Dance with turtles."""
    print(f"{steps} steps")


@pytest.mark.parametrize("hint", ["", "the same command continues"])
def test_ctrl_c_ends_any_command_with_130_and_says_how_to_go_on(monkeypatch, capsys, hint):
    command = Command("press", "Tools", "Press.", f"{__name__}:press", interrupted=hint)
    monkeypatch.setattr(catalogue, "COMMANDS", (command,))
    with pytest.raises(SystemExit) as raised:
        gubs("press")
    assert raised.value.code == 130
    assert capsys.readouterr().err == "; ".join(filter(None, ("interrupted", hint))) + "\n"


def press(words):
    raise KeyboardInterrupt


HEAVY = {"numba", "torch", "matplotlib", "choix", "ray", "gubs_agents.arena", "tyro"}


@pytest.mark.parametrize(
    ("words", "absent"),
    [
        (["--help"], HEAVY),
        (["versions"], HEAVY - {"tyro", "numba"}),
        (["record", "--help"], HEAVY - {"tyro", "numba"}),
        (["arena", "--help"], {"torch", "matplotlib", "choix", "ray", "gubs_agents.training"}),
        (["train", "--help"], {"torch", "matplotlib", "ray"}),
    ],
)
def test_a_command_loads_only_what_it_needs(words, absent):
    if words[0] == "train":
        pytest.importorskip("sb3_contrib", reason="needs the extra train")
    code = f"""
import sys
from gubs_env.commands.main import main
try:
    main({words})
except SystemExit:
    pass
print(sorted({absent} & set(sys.modules)))
"""
    assert python(code).splitlines()[-1] == "[]"


# ------------------------------------------------------------------------------- documentation

PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "agents").rglob("*.md"),
    *(ROOT / "examples").glob("*.ipynb"),
    *(ROOT / "gubs_env").rglob("*.py"),
    *(ROOT / "agents").rglob("*.py"),
]
SHOWN = re.compile(r"(?:^(?:\$ | *)|`)(?:\./run|gubs) ([a-z][^`#|&>\n\"]*)", re.M)
OWN = ("test", "check", "fuzz", "cluster", "docs", "clients", "adapters", "frozen", "wheel",
       "notebooks", "calibrate", "reference", "bench", "figures", "shots")  # fmt: skip
"""The words that `./run` itself knows; it passes on all others."""


def shown_in(page: Path) -> list[str]:
    """Return the words of all commands that a page shows, as texts."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    return [found.strip() for found in SHOWN.findall(text)]


@pytest.fixture(scope="module")
def options():
    """The options of every command, as its help names them."""
    pytest.importorskip("sb3_contrib", reason="needs the extra train")
    pytest.importorskip("choix", reason="needs the extra arena")
    found = {}
    for name in commands():
        with redirect_stdout(StringIO()) as said, pytest.raises(SystemExit):
            gubs(*name.split(), "--help")
        found[name] = set(re.findall(r"--[\w-]+", said.getvalue()))
    return found


def test_run_passes_on_every_command_and_names_it():
    text = (ROOT / "run").read_text(encoding="utf-8")
    labels = re.findall(r"^    ([\w |-]+)\)", text, re.M)
    words = {name.split()[0] for name in commands()}
    assert words == {word for label in labels for word in label.split(" | ")} - set(OWN)
    assert words <= set(re.findall(r"\w+", text[: text.index("set -euo")]))


def test_every_command_that_is_shown_exists_with_its_options(options):
    wrong, count = [], 0
    for page in PAGES:
        for text in shown_in(page):
            words = text.split()
            if words[0] in OWN:
                continue
            count += 1
            try:
                command, rest = catalogue.find(words)
            except ValueError as error:
                wrong.append(f"{page.relative_to(ROOT)}: {text}: {error}")
                continue
            given = {word.partition("=")[0] for word in rest if word.startswith("--")}
            if unknown := given - options[command.name]:
                wrong.append(f"{page.relative_to(ROOT)}: {text}: no option {', '.join(unknown)}")
    assert not wrong, "\n".join(wrong)
    assert count > 150
