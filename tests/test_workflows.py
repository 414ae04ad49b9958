"""`.ci/workflows.py`, which `./run check` runs, accepts our workflows and names what is broken."""

from __future__ import annotations

import re
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
        "run: python -m gubs_env arena --help",
        'run: test "$(python -m pytest --version)" = "${{ github.ref }}"',
        "run: |\n          if ! pytest; then\n            echo '; nonsense'\n          fi",
        "run: git diff >> file 2>&1",
        "uses: actions/checkout@fbc6f3992d24b796d5a048ff273f7fcc4a7b6c09 # v5.1.0",
        "run: python -m pip install --require-hashes -r docs",
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
        ("run: ./run tests", "./run has the commands play, watch,"),
        ("run: ./run", "./run has the commands play, watch,"),
        ("run: .ci/runs", "no such executable file"),
        ("run: python -m gubs_agents.arenas", "no module is called gubs_agents.arenas"),
        ("run: python -m nothing.like.it", "no module is called nothing.like.it"),
        ("run: python trian.py", "no such file: trian.py"),
        ("run: gubz arena --help", "no such console script"),
        ("run: ./run test docs/nothing.md", "no such path: docs/nothing.md"),
        ("run: echo $(no-such-script)", "no such console script"),
        ("run: |\n          git status\n          cd x; ./run tests", "./run has the commands"),
        ("uses: ./.github/workflows/two.yml", "no such action or workflow"),
        ("uses: actions/checkout@v5", "pin it by a commit"),
        ("uses: actions/checkout@v5.1.0", "pin it by a commit"),
        ("uses: actions/checkout@fbc6f39", "pin it by a commit"),
        ("uses: pypa/gh-action-pypi-publish@release/v1", "pin it by a commit"),
        ("uses: docker://alpine:3", "pin it by a commit"),
        ("run: python -m pip install build", "install with --require-hashes"),
    ],
)
def test_a_step_that_calls_what_does_not_exist_is_named(checker, clone, step, said):
    (problem,) = problems(checker, clone, step)
    assert problem.startswith(".github/workflows/one.yml: job 'job': ")
    assert said in problem


def test_the_tools_that_build_a_release_are_pinned_with_hashes():
    wanted, pinned = (
        (ROOT / ".ci" / name).read_text(encoding="utf-8").splitlines()
        for name in ("build.in", "build.txt")
    )
    names = {line.partition("==")[0] for line in pinned if line[:1].isalpha()}
    assert {line for line in wanted if not line.startswith("#")} <= names
    for number, line in enumerate(pinned):
        if line[:1].isalpha():
            assert re.fullmatch(r"[\w-]+==[\w.]+ \\", line), line
            assert re.match(r"    --hash=sha256:[0-9a-f]{64}\b", pinned[number + 1]), line


def test_a_version_stands_beside_each_commit():
    """Dependabot changes both."""
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if "uses: " in line and "uses: ./" not in line:
                assert re.search(r"@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


@pytest.mark.parametrize("broken", ["jobs: {job: {steps: []}}", "jobs: [", "on: push"])
def test_a_workflow_that_does_not_follow_the_schema_fails(checker, clone, broken):
    pytest.importorskip("check_jsonschema", reason="the dev extra is not installed")
    (clone / ".github" / "workflows" / "one.yml").write_text(broken, encoding="utf-8")
    assert any("one.yml" in problem for problem in checker.schema_problems(clone))
