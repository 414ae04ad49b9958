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
TOOL = str(ROOT / ".ci" / "figures.py")
FIGURES = runpy.run_path(TOOL)["figures"]()
WITHOUT_A_COMMAND = {"end-of-game", "index", "letter-posterior", "opponent-mix", "robustness"}
"""Research notes on code that is gone, or whose commands are in their tables and in model cards."""


@pytest.mark.parametrize("figure", FIGURES.values(), ids=lambda figure: figure.name)
def test_paths_and_scripts_exist(figure):
    for path in figure.paths:
        assert any(ROOT.glob(path)), path
    if figure.paths:
        for script in re.findall(r"python (\S+\.py)|(\./run) ", figure.command):
            assert (ROOT / "".join(script)).is_file(), script


def test_every_research_note_has_a_figure():
    notes = {path.stem for path in (ROOT / "docs" / "research").glob("*.md")}
    listed = {Path(figure.page).stem for figure in FIGURES.values()}
    assert notes - listed == WITHOUT_A_COMMAND


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A repository with one figure: the tool's `main`, the folder, and `commit`."""
    tool = runpy.run_path(TOOL)
    for name, value in {"ROOT": tmp_path, "TABLE": tmp_path / "figures.toml"}.items():
        monkeypatch.setitem(tool["main"].__globals__, name, value)
    script = "import pathlib; pathlib.Path('out.txt').write_text('1')"
    files = {
        "figures.toml": "[paths]\n[one]\npage = 'page.md'\nwhat = 'a number'\npaths = ['rules.py']",
        "page.md": f"At commit 00000000: <!-- figure: one -->\n\n```python\n{script}\n```\n",
        "rules.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    def git(*words):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True)

    def commit(subject):
        git("add", ".")
        names = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"]
        git(*names, "commit", "-m", subject)

    git("init")
    commit("first")
    return SimpleNamespace(main=tool["main"], folder=tmp_path, commit=commit)


def test_a_figure_is_stale_once_what_it_rests_on_has_changed(clone, capsys):
    assert clone.main([]) == 0
    assert "does not have the commit" in capsys.readouterr().out

    assert clone.main(["one"]) == 0
    assert (clone.folder / "out.txt").read_text() == "1"
    assert clone.main([]) == 0
    assert capsys.readouterr().out.endswith("current\n")

    (clone.folder / "rules.py").write_text('"""What it is."""  # a comment\n')
    clone.commit("words")
    assert clone.main([]) == 0
    assert capsys.readouterr().out.endswith("current\n")

    (clone.folder / "rules.py").write_text("changed = True")
    with pytest.raises(SystemExit, match="commit your changes first"):
        clone.main(["one"])
    clone.commit("another rule")
    assert clone.main([]) == 0
    assert capsys.readouterr().out.endswith("STALE: 1 changed, such as rules.py\n")


def test_what_cannot_be_measured_is_told(clone, capsys):
    assert clone.main(["two"]) == 2
    assert "none is called two" in capsys.readouterr().err
    page = clone.folder / "page.md"
    page.write_text(page.read_text().replace("import pathlib", "1 / 0"))
    with pytest.raises(SystemExit, match="its command failed"):
        clone.main(["one"])
    assert "00000000" in page.read_text()


def test_it_runs_as_a_command():
    done = subprocess.run([sys.executable, TOOL, "nothing"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "figures: none is called nothing: ./run figures lists all\n"
