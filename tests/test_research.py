"""A researcher's week, in little: an own algorithm with a memory, measured in every way there is.

The algorithm is `examples/counting.py`. Only public names are used, and no network is converted.
"""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import gubs_env
from gubs_agents import arena, make
from gubs_env import find_table, gubs_v0
from tests.commands import gubs

pytest.importorskip("torch", reason="the train extra is not installed")
pytestmark = pytest.mark.usefixtures("quick_processes")
EXAMPLE = Path(__file__).parents[1] / "examples" / "counting.py"
SPEARS = {"Gub": 2, "Spear": 6, "Letter G": 1, "Letter U": 1, "Letter B": 1}
SEEDS = 2


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """Return the files of networks, trained for a moment with several seeds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLE.parent)
        import counting
        from safetensors.torch import save_file

        folder = tmp_path_factory.mktemp("counting")
        paths = [folder / f"{seed}.safetensors" for seed in range(SEEDS)]
        for seed, path in enumerate(paths):
            save_file(counting.train(counting.Args(seed=seed, decisions=4_000)).state_dict(), path)
        yield paths


def agent(path):
    return f"counting:Counting:weights={path}"


def test_it_is_short_and_imports_public_names_only():
    tree = ast.parse(EXAMPLE.read_text("utf-8"))
    lines = EXAMPLE.read_text("utf-8").splitlines()
    docs = {n for node in ast.walk(tree) if (text := docstring_lines(node)) for n in text}
    code = [n for n, line in enumerate(lines, 1) if line.strip() and n not in docs]
    assert len(code) <= 100
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("gubs"):
            assert node.module == "gubs_env"
            assert all(hasattr(gubs_env, alias.name) for alias in node.names)
        if isinstance(node, ast.Attribute):
            assert not node.attr.startswith("_") or node.attr == "__init__"


def docstring_lines(node):
    """Return the lines of the docstring of a piece of a program."""
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
        return ()
    first = node.body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return range(first.lineno, first.end_lineno + 1) if is_text else ()


def test_tournament_and_luck(networks, tmp_path, capsys):
    named = [f"seed {seed}={agent(path)}" for seed, path in enumerate(networks)]
    field = ",".join([*named, "random"])
    gubs("arena", "--agents", field, "--deals", 10, "--out", tmp_path)
    gubs("luck", tmp_path / "games.jsonl")
    assert "luck" in capsys.readouterr().out
    assert (tmp_path / "luck.md").exists()
    with (tmp_path / "games.jsonl").open() as file:
        assert "sha256" in file.readline()


def test_a_table_over_seeds(networks):
    methods = {
        "counting": [gubs_env_agent(path) for path in networks],
        "greedy": [make("greedy", seed=0)] * SEEDS,
    }
    table = arena.over_seeds(methods, make("random", seed=0), deals=20, resamples=50)
    assert "counting" in table.markdown()
    assert r"\begin{tabular}" in table.latex()


def gubs_env_agent(path):
    import counting

    return counting.Counting(find_table("gubs"), weights=path)


def test_an_exploiter_is_trained(networks, tmp_path):
    gubs("exploit", "--agent", agent(networks[0]), "--kinds", "nothing", "--decisions", 2048,
         "--selection-deals", 4, "--deals", 4, "--out", tmp_path)  # fmt: skip
    assert "| nothing" in (tmp_path / "report.md").read_text()


def test_the_benchmark_gives_a_score_that_is_verified(networks, tmp_path, capsys):
    gubs("benchmark", agent(networks[0]), "--protocol", "tiny", "--tables", "gubs-2", "--out",
         tmp_path)  # fmt: skip
    gubs("benchmark", agent(networks[0]), "--verify", tmp_path)
    assert "the agent made its own again" in capsys.readouterr().out


def test_exact_exploitability(networks):
    import counting

    from gubs_agents.exploit import WholeGame, best_responses

    rules = gubs_v0.Rules(deck=SPEARS, letters="anywhere")
    trained = counting.train(counting.Args(decisions=4_000), rules)
    table = find_table("gubs", rules=rules)
    exact = best_responses(trained, table)
    equilibrium = WholeGame(table).solve(50)
    assert 0 < equilibrium.gain < exact.gain
    np.testing.assert_allclose(sum(exact.self_play), 0, atol=1e-9)
