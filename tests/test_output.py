"""Every command prints on every terminal, also on one that cannot show all its characters."""

from __future__ import annotations

import json
import locale
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from gubs_agents.networks.files import parse
from gubs_agents.networks.network import FORMAT
from gubs_env.commands import catalogue
from gubs_env.commands.catalogue import Command, commands
from gubs_env.commands.main import main
from gubs_env.engine.text import printable
from gubs_env.records.running import USAGE
from gubs_env.support.fields import check_fields
from gubs_env.support.output import stand_ins
from tests.amounts import MORE

ROOT = Path(__file__).parent.parent
ARENA = ["arena", "--agents", "random,greedy", "--out"]
RUNS = [
    [*ARENA, "rated", "--deals", "3"],
    [*ARENA, "tested", "--sprt", "0,10", "--deals", "20"],
    ["luck", "rated/games.jsonl"],
    ["record", "--agents", "random", "--games", "2", "--out", "two.jsonl"],
    ["play", "--seed", "1", "--opponents", "random", "--pace", "0"],
    ["--help"],
]
SCRIPT = """
import json, sys
from gubs_env.commands import catalogue
from gubs_env.commands.main import main
for words in json.loads(sys.argv[1]):
    try:
        status = main(words)
    except SystemExit as ended:
        status = ended.code
    assert status in (0, 3), (words, status)  # 3: a test undecided
"""
PLAYED = "rules\n\n\n\n\n\n\nmoves\n1\ntable\nlog\n"
"""The lines that a person types; then the input ends, and the game is saved."""


def printed(commands: list[list[str]], folder: Path, encoding: str = "") -> str:
    """Run commands, one after the other in one process, with an encoding of standard output.

    Without an encoding, it is that of this process, which `PYTHONUTF8` and the locale decide.
    """
    variables = {**os.environ, "COLUMNS": "100"}
    variables |= {"PYTHONIOENCODING": f"{encoding}:strict"} if encoding else {}
    done = subprocess.run(
        [sys.executable, "-W", "ignore::RuntimeWarning", "-c", SCRIPT, json.dumps(commands)],
        cwd=folder, env=variables, input=PLAYED.encode(), capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done.stdout.decode(encoding or "utf-8", errors="strict" if encoding else "replace")


OF_THE_LOCALE = pytest.param(
    "",
    marks=pytest.mark.skipif(
        locale.getpreferredencoding(False).lower() in ("utf-8", "utf8"),
        reason="everything can be encoded here",
    ),
)


@pytest.mark.parametrize("encoding", ["ascii", *["cp1252"] * (MORE > 1), OF_THE_LOCALE])
def test_all_commands_print_their_help_and_their_results(encoding, tmp_path):
    pytest.importorskip("choix", reason="needs the extra arena")
    pytest.importorskip("sb3_contrib", reason="needs the extra train")
    helps = [[*name.split(), "--help"] for name in commands()]
    said = printed([*helps, *RUNS], tmp_path, encoding)
    assert said.count("usage:") >= len(helps)
    assert re.search(r"Ada +.*\n", said)
    assert (tmp_path / "rated" / "luck.md").read_text("utf-8")
    if encoding == "ascii":
        assert "?" not in re.sub(r"[\w)]\?( |\n|$)", "", said), "a character without a stand-in"


def test_every_script_prints_everywhere():
    """Also those that are too slow for a test."""
    folders = ["benchmarks", "experiments", "examples", ".ci"]
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    mains = {
        path: text
        for path in paths
        if "\nif __name__ ==" in (text := path.read_text("utf-8")) and "print(" in text
    }
    assert len(mains) > 20
    assert not [path for path, text in mains.items() if "    print_everywhere()\n" not in text]
    package = [*(ROOT / "gubs_env").rglob("*.py"), *(ROOT / "agents").rglob("*.py")]
    alone = [path for path in package if "\nif __name__ ==" in path.read_text("utf-8")]
    assert alone == [ROOT / "gubs_env" / "__main__.py"], "a command belongs into the catalogue"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("−1.5 ± 0.2 → ×3 … “½”", '-1.5 +- 0.2 -> x3 ... "1/2"'),
        ("naïve α² ≤ ╭─╮", "naive alpha2 <= +-+"),
        ("\udc80 \N{SNOWMAN}", "? ?"),
    ],
)
def test_a_character_that_cannot_be_encoded_has_a_stand_in(text, shown):
    assert text.encode("ascii", "stand_ins").decode() == shown
    assert text.encode("latin-1", "stand_ins")


def test_only_encoding_has_stand_ins():
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("ascii", "stand_ins")
    with pytest.raises(UnicodeDecodeError):
        stand_ins(UnicodeDecodeError("ascii", b"\xff", 0, 1, "no"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one\n  two\tthree", "one two three"),
        ("\x1b[2Jcleared\x07\r", r"\x1b[2Jcleared\x07"),
        ("\x9b31m \u202eback \u200b \ud800", r"\x9b31m \u202eback \u200b \ud800"),
        ("Lure ×2 → čaj 猫", "Lure ×2 → čaj 猫"),
    ],
)
def test_a_text_of_somebody_else_is_shown_without_what_controls_a_terminal(text, shown):
    assert printable(text) == shown


NAMED = "\x1b[2J\u202ename"
"""A name that clears the screen and turns the text around."""


def test_errors_about_files_quote_nothing_that_controls_a_terminal(tmp_path):
    (tmp_path / "config.toml").write_text(r'"\u001b[2Jname" = 1', "utf-8")
    text = json.dumps({"format": FORMAT.name, NAMED: 1})
    network = save({"x": np.zeros(1)}, {"description": text})
    options = pytest.importorskip("gubs_agents.training.options", reason="needs the extra train")
    calls = (
        lambda: check_fields({NAMED: 1}, {}, "a file"),
        lambda: parse(network, FORMAT),
        lambda: options.read_config(tmp_path / "config.toml"),
    )
    for call in calls:
        with pytest.raises(ValueError, match="name") as error:
            call()
        assert str(error.value).isprintable()


def test_a_table_of_a_resumed_run_shows_only_printable_names():
    assert USAGE["usage"].fits({"model": {"asked": 7}})
    assert not USAGE["usage"].fits({"model": {NAMED: 7}})


def fail(words):
    raise ValueError(f"no agent is called\n{words[0]}")


def test_a_command_says_nothing_that_controls_a_terminal(capsys, monkeypatch):
    command = Command("fails", "Tools", "Fails.", f"{__name__}:fail")
    monkeypatch.setattr(catalogue, "COMMANDS", (command,))
    assert main(["fails", NAMED]) == 2
    assert capsys.readouterr().err == "gubs fails: no agent is called \\x1b[2J\\u202ename\n"
