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
def test_scripts_of_commands_and_of_small_runs_exist(figure):
    for command in [figure.small, *([] if figure.past else [figure.command])]:
        for script in re.findall(r"python (\S+\.py)|(\./run) ", command):
            assert (ROOT / "".join(script)).is_file(), script


def test_every_figure_but_speeds_has_a_small_run():
    assert {figure.name for figure in FIGURES.values() if not (figure.small or figure.past)} == {
        "browser", "pictures", "decisions", "speed", "network-speed", "data", "training-speed",
        "workers", "clients", "openspiel",
    }  # fmt: skip


def test_every_research_note_has_a_figure():
    notes = {path.stem for path in (ROOT / "docs" / "research").glob("*.md")}
    listed = {Path(figure.page).stem for figure in FIGURES.values()}
    assert notes - listed == WITHOUT_A_COMMAND


def test_every_note_that_trains_says_in_how_many_runs():
    trains = re.compile(
        r"(?:gubs|\./run) (?:train|improve|exploit|calibrate|reference)|"
        r"(?:ppo|clone|recurrent|learning|belief|problems|batches|hidden|exploitability)\.py"
    )
    runs = re.compile(r"(?i)(?:\d|one|two|three|five) (?:\w+ )?(?:seed|run)s?\b|\bseeds? \d")
    for path in sorted((ROOT / "docs" / "research").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        if trains.search("".join(re.findall(r"^```.*?^```", text, re.M | re.S))):
            method = text.partition("**Method.**")[2].partition("**Result")[0]
            assert runs.search(" ".join(method.split())), path.name


RULES = """
LIMIT = 5

def score(games):
    return LIMIT + 7 * games
"""
SCRIPT = """
import pathlib, rules
print(rules.score(2), 'points')
"""
PAGE = f"At commit 00000000: <!-- figure: one -->\n\n```python{SCRIPT}```\n\n19 points\n"
TABLE = """
[one]
page = 'docs/page.md'
what = 'a number'
small = "import os, rules; print(rules.score(1), 'points in', os.environ['OUT'])"
"""


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A repository with one figure: the tool's `main`, the folder, the page, and `commit`."""
    tool = runpy.run_path(FILE)
    for name, value in {"ROOT": tmp_path, "TABLE": tmp_path / "docs" / "figures.toml"}.items():
        monkeypatch.setitem(tool["main"].__globals__, name, value)
    (tmp_path / "docs").mkdir()
    files = {"docs/figures.toml": TABLE, "docs/page.md": PAGE, "rules.py": RULES}
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    def commit():
        for words in (["init"], ["add", "."], ["commit", "-m", "all"]):
            names = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"]
            subprocess.run(["git", *names, *words], cwd=tmp_path, check=True, capture_output=True)

    commit()
    page = tmp_path / "docs" / "page.md"
    return SimpleNamespace(main=tool["main"], folder=tmp_path, page=page, commit=commit)


def test_a_figure_is_stale_once_its_small_run_prints_other_numbers(clone, capsys):
    assert clone.main(["--check"]) == 0
    assert "unchecked: measured before" in capsys.readouterr().out
    assert clone.main(["one"]) == 0
    assert "has the same figures" in capsys.readouterr().out
    assert re.search(r"figure: one \w{8} -->", clone.page.read_text())
    assert clone.main(["--check"]) == 0
    assert capsys.readouterr().out.endswith("current\n")

    rules = clone.folder / "rules.py"
    rules.write_text(RULES.replace("LIMIT + 7 * games", "7 * games + LIMIT  # in other words"))
    assert clone.main(["--check", "one"]) == 0
    assert capsys.readouterr().out.endswith("current\n")
    rules.write_text(RULES.replace("LIMIT = 5", "LIMIT = 30"))
    assert clone.main(["--check"]) == 1
    assert "STALE: its small run gives" in capsys.readouterr().out
    rules.write_text("")
    assert clone.main(["--check"]) == 1
    assert capsys.readouterr().out.endswith("STALE: its small run fails\n")


def test_what_is_printed_is_compared_with_the_page(clone, capsys):
    (clone.folder / "rules.py").write_text(RULES.replace("LIMIT = 5", "LIMIT = 30"))
    with pytest.raises(SystemExit, match="commit your changes first"):
        clone.main(["one"])
    clone.commit()
    assert clone.main(["one"]) == 1
    assert capsys.readouterr().out.endswith("commit both together:\n44 points\n\n")


def test_a_digest_leaves_out_times():
    rows = "| 1,024 | 50.0 % |\n\n| agent | seconds |\n|---|---|\n| greedy | {} |\n\n7 of {}\n"
    one, other = (TOOL["digest"](rows.format(*pair).splitlines()) for pair in ((0.1, 8), (0.2, 8)))
    assert one == other != TOOL["digest"](rows.format(0.1, 9).splitlines())
    assert TOOL["digest"](["8.12345", "in 3.1 s"]) == TOOL["digest"](["8.12346", "in 3.2 s"])


def test_numbers_are_compared_line_by_line_in_their_order():
    page = "Of 4 rows:\n| Gubs, 2 players | policy | 50.3 % (49.3 – 51.3) | 49.7 % |\n"
    same, swapped, other = "| policy | 50.3% | 49.7% |", "| policy | 49.7% | 50.3% |", "10 rows"
    assert TOOL["different"]([same, swapped, other, "8 rows"], page) == [swapped, other]


def test_what_cannot_be_measured_is_told(clone, capsys):
    assert clone.main(["two"]) == 2
    assert "none is called two" in capsys.readouterr().err
    clone.page.write_text(clone.page.read_text().replace("import pathlib", "1 / 0 #"))
    with pytest.raises(SystemExit, match="its command failed"):
        clone.main(["one"])
    assert "00000000" in clone.page.read_text()


def test_it_runs_as_a_command():
    done = subprocess.run([sys.executable, FILE, "nothing"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "figures: none is called nothing: ./run figures lists all\n"
