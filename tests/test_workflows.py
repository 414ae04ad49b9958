"""`.ci/workflows.py`, which `./run check` runs, accepts our workflows and names what is broken."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parent.parent
STEP = "jobs:\n  job:\n    runs-on: ubuntu-latest\n    steps:\n      - "


@pytest.fixture(scope="module")
def checker():
    pytest.importorskip("ruamel.yaml", reason="the dev extra is not installed")
    return SimpleNamespace(**runpy.run_path(str(ROOT / ".ci" / "workflows.py")))


@pytest.fixture
def clone(tmp_path):
    """A folder with what workflows refer to, and a workflow to write."""
    (tmp_path / ".github" / "workflows").mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "run", tmp_path)
    return tmp_path


def problems(checker, clone, step: str) -> list[str]:
    path = clone / ".github" / "workflows" / "one.yml"
    path.write_text("on: push\n" + STEP + step, encoding="utf-8")
    return list(checker.workflow_problems(clone))


def test_our_files_are_valid(checker):
    assert list(checker.workflow_problems(ROOT)) == []


def test_our_files_follow_the_schemas_of_github(checker):
    pytest.importorskip("check_jsonschema", reason="the dev extra is not installed")
    assert list(checker.schema_problems(ROOT)) == []


@pytest.mark.parametrize(
    "step",
    [
        "run: ./run test -q docs",
        "run: PYTHON=python ./run check && git status | tee log.txt",
        "run: python -m gubs_agents.arena --help",
        'run: test "$(python -m pytest --version)" = "${{ github.ref }}"',
        "run: |\n          if ! pytest; then\n            echo '; nonsense'\n          fi",
        "run: git diff >> file 2>&1",
        "uses: actions/checkout@v5",
    ],
)
def test_a_step_that_calls_what_exists_passes(checker, clone, step):
    assert problems(checker, clone, step) == []


def test_what_a_step_writes_need_not_exist_after_training_in_the_same_clone(checker, clone):
    (clone / "runs").mkdir()
    assert problems(checker, clone, "run: cat runs/*/results.md") == []


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("run: ./run tests", "./run has the commands train, test,"),
        ("run: ./run", "./run has the commands train, test,"),
        ("run: .ci/runs", "no such executable file"),
        ("run: python -m gubs_agents.arenas", "no module is called gubs_agents.arenas"),
        ("run: python -m nothing.like.it", "no module is called nothing.like.it"),
        ("run: python trian.py", "no such file: trian.py"),
        ("run: gubs-arenas --help", "no such console script"),
        ("run: ./run test docs/nothing.md", "no such path: docs/nothing.md"),
        ("run: echo $(no-such-script)", "no such console script"),
        ("run: |\n          git status\n          cd x; ./run tests", "./run has the commands"),
        ("uses: ./.github/workflows/two.yml", "no such action or workflow"),
    ],
)
def test_a_step_that_calls_what_does_not_exist_is_named(checker, clone, step, said):
    (problem,) = problems(checker, clone, step)
    assert problem.startswith(".github/workflows/one.yml: job 'job': ")
    assert said in problem


@pytest.mark.parametrize("broken", ["jobs: {job: {steps: []}}", "jobs: [", "on: push"])
def test_a_workflow_that_does_not_follow_the_schema_fails(checker, clone, broken):
    pytest.importorskip("check_jsonschema", reason="the dev extra is not installed")
    (clone / ".github" / "workflows" / "one.yml").write_text(broken, encoding="utf-8")
    assert any("one.yml" in problem for problem in checker.schema_problems(clone))
