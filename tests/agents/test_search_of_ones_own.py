"""The agents of docs/own_search.md, run as printed there.

Compiling the rules of a larger game takes long: GUBS_ENV_MORE=2 tries the compiled agent with them.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

import gubs_agents
from gubs_agents.arena import play, win_rate
from gubs_env import find_table, gubs_v0
from gubs_env.engine.rng import seed_rng
from gubs_env.games import public_module
from tests.amounts import MORE

PAGE = (Path(__file__).parents[2] / "docs" / "own_search.md").read_text(encoding="utf-8")
FLAT, COMPILED = (
    next(block for block in re.findall(r"```python\n(.*?)```", PAGE, re.S) if text in block)
    for text in ("class FlatMonteCarlo", "def mean_payoff")
)


def load(folder, name, source):
    path = folder / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def flat(tmp_path_factory):
    return load(tmp_path_factory.mktemp("search"), "flat", FLAT).FlatMonteCarlo


def test_it_has_thirty_lines_and_no_private_name():
    body = FLAT[FLAT.index("class FlatMonteCarlo") :].splitlines()
    assert len(body) <= 30
    assert not re.search(r"\._(?!_)\w", FLAT + COMPILED)


@pytest.mark.parametrize(("name", "playouts", "deals"), [("gubs", 20, 8), ("fubnub", 6, 4)])
def test_it_beats_random(flat, name, playouts, deals):
    table = find_table(name)
    player = flat(table, seed=0, playouts=playouts)
    opponent = gubs_agents.make("random", table, seed=1)
    assert win_rate(player, opponent, table, deals=deals).rate > 0.5


def test_it_plays_the_third_game_too(flat):
    """Luck decides most games, so only legality is tested: `play` raises on illegal actions."""
    table = find_table("bad_bad_turtle", 4)
    players = [flat(table, seed=seat, playouts=8) for seat in range(4)]
    assert play(players, table, deals=2).sum() == pytest.approx(0, abs=1e-6)


def test_the_same_seed_finds_the_same_move(flat):
    env = gubs_v0.vector_env(6, seed=3)
    env.play_randomly(20, seed=1)
    views = env.views(np.arange(6))
    moves = [flat(env.table, seed=5, playouts=16).search(views).tolist() for _ in range(2)]
    assert moves[0] == moves[1]


@pytest.mark.parametrize(
    ("name", "decisions"), [("kuhn_poker", 1), *[("bad_bad_turtle", 20), ("gubs", 20)] * (MORE > 1)]
)
def test_compiled_by_the_user_it_finds_the_same_values(flat, tmp_path, name, decisions):
    module = f"from gubs_env.games import public_module\ngubs_v0 = public_module('{name}_v0')"
    source = COMPILED.replace("from gubs_env import gubs_v0", module)
    source = source.replace(".Phase", ".GAME.mechanics.Phase")
    mean_payoff = load(tmp_path, "compiled_search", source).mean_payoff
    env = public_module(f"{name}_v0").vector_env(1, 2, seed=3)
    env.play_randomly(decisions, seed=1)
    view, mask, seat = env.views(np.array([0])), env.masks[0].copy(), int(env.actors[0])
    action = int(mask.nonzero()[0][-1])
    scratch, payoffs = np.zeros_like(view), np.zeros(2, np.float32)
    compiled = mean_payoff(view, action, 1000, scratch, mask, payoffs, seed_rng(0))
    player = flat(env.table, playouts=1000)
    plain = player.value(view, action, seat, 7)
    assert compiled == pytest.approx(plain, abs=0.16)  # standard error of each: 0.032
