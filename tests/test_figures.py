"""`.ci/figures.py`, which lists the figures of the documentation, and the figures that it lists."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parent.parent
FILE = str(ROOT / ".ci" / "figures.py")
TOOL = runpy.run_path(FILE)
FIGURES = TOOL["figures"]()
WITHOUT_A_COMMAND = {"end-of-game", "index", "letter-posterior", "opponent-mix", "robustness"}
"""Research notes on code that is gone, or whose commands are in their tables and in model cards."""


@pytest.mark.parametrize("figure", FIGURES.values(), ids=lambda figure: figure.name)
def test_paths_and_scripts_exist(figure):
    for path in figure.paths:
        assert any(ROOT.glob(path)), path
    if not figure.past:
        for script in re.findall(r"python (\S+\.py)|(\./run) ", figure.command):
            assert (ROOT / "".join(script)).is_file(), script
        now = TOOL["tree"]("HEAD")
        assert any(map(now.find, figure.starts(now))), "the command leads to no code"


def test_every_research_note_has_a_figure():
    notes = {path.stem for path in (ROOT / "docs" / "research").glob("*.md")}
    listed = {Path(figure.page).stem for figure in FIGURES.values()}
    assert notes - listed == WITHOUT_A_COMMAND


RULES = """
import shuffling

LIMIT = 5

class Player:
    def act(self) -> int:
        return LIMIT + shuffling.shuffled()

    def unused(self):
        return 1

def score(player):
    if not player:
        raise ValueError("no player")
    return player.act()

def other():
    return 2
"""
SCRIPT = """
import pathlib, rules
pathlib.Path('out.txt').write_text('1')
print(rules.score(rules.Player()), 'points')
"""
PAGE = f"At commit 00000000: <!-- figure: one -->\n\n```python{SCRIPT}```\n\n12 points\n"
TABLE = """
[hashes]
"shuffling.py" = ["golden.json"]
[paths]
[one]
page = 'page.md'
what = 'a number'
paths = ['weights.bin']
cheap = true
"""


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A repository with one figure: the tool's `main`, the folder, and `commit`."""
    tool = runpy.run_path(FILE)
    for name, value in {"ROOT": tmp_path, "TABLE": tmp_path / "figures.toml"}.items():
        monkeypatch.setitem(tool["main"].__globals__, name, value)
    files = {
        "figures.toml": TABLE,
        "page.md": PAGE,
        "rules.py": RULES,
        "shuffling.py": "def shuffled():\n    return 7\n",
        "golden.json": "{}",
        "weights.bin": "1",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    def git(*words):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True)

    def commit(subject):
        git("add", ".")
        names = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"]
        git(*names, "commit", "-m", subject)
        tool["tree"].cache_clear()

    git("init")
    commit("first")
    return SimpleNamespace(main=tool["main"], folder=tmp_path, commit=commit)


@pytest.mark.parametrize(
    ("edits", "state"),
    {
        "words": (
            {"rules.py": [("-> int:", '-> float:\n        """Act."""  # so'), ("no pl", "Pl")]},
            "current",
        ),
        "what is not reached": (
            {"rules.py": [("return 1", "return 3"), ("return 2", "return 4")]},
            "current",
        ),
        "code that hashes stand for": ({"shuffling.py": [("7", "3 + 4")]}, "current"),
        "its hashes": (
            {"shuffling.py": [("7", "8")], "golden.json": [("{}", "[]")]},
            "STALE, changed: shuffling.shuffled",
        ),
        "a method": ({"rules.py": [("LIMIT +", "LIMIT -")]}, "STALE, changed: rules.Player.act"),
        "a value": ({"rules.py": [("= 5", "= 6")]}, "STALE, changed: rules.LIMIT"),
        "data": ({"weights.bin": [("1", "2")]}, "STALE, changed: weights.bin"),
    }.values(),
)
def test_a_figure_is_stale_once_what_its_command_reaches_has_changed(edits, state, clone, capsys):
    assert clone.main([]) == 0
    assert "does not have the commit" in capsys.readouterr().out
    assert clone.main(["one"]) == 0
    assert (clone.folder / "out.txt").read_text() == "1"
    assert clone.main([]) == 0
    assert capsys.readouterr().out.endswith("current\n")

    for name, pairs in edits.items():
        text = (clone.folder / name).read_text()
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        (clone.folder / name).write_text(text)
    clone.commit("an edit")
    assert clone.main([]) == 0
    assert capsys.readouterr().out.endswith(f"  {state}\n")


def test_what_is_printed_is_compared_with_the_page(clone, capsys):
    assert clone.main(["--cheap"]) == 0
    assert "has the same figures" in capsys.readouterr().out

    rules = clone.folder / "rules.py"
    rules.write_text(RULES.replace("LIMIT = 5", "LIMIT = 30"))
    with pytest.raises(SystemExit, match="commit your changes first"):
        clone.main(["--cheap"])
    clone.commit("another rule")
    assert clone.main(["--cheap"]) == 1
    assert capsys.readouterr().out.endswith("commit both together:\n37 points\n\n")


def test_numbers_are_compared_line_by_line_in_their_order():
    page = "Of 4 rows:\n| Gubs, 2 players | policy | 50.3 % (49.3 – 51.3) | 49.7 % |\n"
    same, swapped, other = "| policy | 50.3% | 49.7% |", "| policy | 49.7% | 50.3% |", "10 rows"
    assert TOOL["different"]([same, swapped, other, "8 rows"], page) == [swapped, other]


def test_what_cannot_be_measured_is_told(clone, capsys):
    assert clone.main(["two"]) == 2
    assert "none is called two" in capsys.readouterr().err
    page = clone.folder / "page.md"
    page.write_text(page.read_text().replace("import pathlib", "1 / 0 #"))
    with pytest.raises(SystemExit, match="its command failed"):
        clone.main(["one"])
    assert "00000000" in page.read_text()


def test_it_runs_as_a_command():
    done = subprocess.run([sys.executable, FILE, "nothing"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "figures: none is called nothing: ./run figures lists all\n"
