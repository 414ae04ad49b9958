"""The notebooks in `examples`: their files, and `.ci/notebooks.py`, which executes them."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat", reason="the notebooks extra is not installed")
pytest.importorskip("nbclient", reason="the notebooks extra is not installed")

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
INSTALL = '%pip install -q "gubs_env[notebooks]"'
LINK = re.compile(r"\]\((?!https?:)([^()\s#]+)[^()\s]*\)")


@pytest.fixture
def tool():
    return SimpleNamespace(**runpy.run_path(str(ROOT / ".ci" / "notebooks.py")))


@pytest.fixture
def write(tmp_path):
    """Writes a notebook with some code cells, and returns its path."""

    def write(*sources: str) -> Path:
        cells = [nbformat.v4.new_code_cell(source) for source in sources]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "one.ipynb")
        return tmp_path / "one.ipynb"

    return write


def test_there_are_eight():
    assert [path.name[:2] for path in NOTEBOOKS] == [f"{number:02}" for number in range(1, 9)]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_is_executed_and_begins_with_its_installation(tool, path):
    assert list(tool.problems(path)) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_lead_to_files(path):
    notebook = nbformat.read(path, as_version=4)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert [link for link in LINK.findall(text) if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_two_cells_say_what_to_try(path):
    cells = nbformat.read(path, as_version=4).cells
    tries = [k for k, cell in enumerate(cells) if cell.source.startswith("**Try it:** ")]
    assert len(tries) == 2
    assert all(cells[k + 1].cell_type == "code" for k in tries)


@pytest.mark.parametrize(
    ("old", "new"), [("seed=5", "seed=6"), ("gubs_v0.env()", "gubs_v0.env(num_players=3)")]
)
def test_the_first_game_goes_on_with_what_it_says_to_try(tool, old, new):
    cells = tool.code_cells(nbformat.read(NOTEBOOKS[0], as_version=4))
    source = "\n".join(cell.source for cell in cells if not tool.is_installation(cell))
    assert old in source
    names: dict[str, Any] = {}
    exec(source.replace(old, new), names)
    assert names["env"].outcome().winners


def test_a_saved_notebook_has_its_outputs(tool, write):
    path = write(INSTALL, "6 * 7", "object()")
    assert any("not executed" in problem for problem in tool.problems(path))
    assert list(tool.run(path, save=True)) == []
    assert list(tool.problems(path)) == []
    cells = nbformat.read(path, as_version=4).cells
    assert cells[0].source == INSTALL
    assert [cell.outputs[0].data["text/plain"] for cell in cells[1:]] == ["42", "<object>"]


def test_nothing_is_written_without_being_asked(tool, write):
    path = write(INSTALL, "open('file.txt', 'w').close()")
    before = path.read_bytes()
    assert list(tool.run(path, save=False)) == []
    assert path.read_bytes() == before
    assert sorted(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("import sys; print('careful', file=sys.stderr)", "standard error: careful"),
        ("import time; time.sleep(60)", "longer than 1 seconds"),
    ],
)
def test_errors_warnings_and_long_runs_are_told(tool, write, monkeypatch, source, said):
    if "sleep" in source:
        monkeypatch.setitem(tool.execute.__globals__, "LIMIT", 1)
    assert any(said in problem for problem in tool.run(write(INSTALL, source), save=False))


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        (["6 * 7"], "first code cell must be"),
        ([f"import os\n{INSTALL}"], "first code cell must be"),
        ([INSTALL, "import os; print(os.path.abspath('/tmp/games.jsonl'))"], "shows /tmp/"),
    ],
)
def test_files_with_problems_are_told(tool, write, sources, said):
    path = write(*sources)
    if INSTALL in sources:
        list(tool.run(path, save=True))
    assert any(said in problem for problem in tool.problems(path))
