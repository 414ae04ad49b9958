"""Each game of `examples/` as a package: installed in a folder, it plays everywhere."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from gubs_env.support import cluster
from tests.packages import ROOT, install, news_of_its_page, run, try_commands


class Example(NamedTuple):
    """A package, and what is expected of it."""

    name: str
    keys: int
    """Moves that end a game at the terminal, each the first of those listed."""
    told: tuple[str, ...]
    """Words that its commands print."""
    moves: tuple[str, ...]
    """The first moves on its page in the browser, or some that may be the first."""
    deals: int = 4
    """Deals of the arena: a long game is tried with fewer."""


EXAMPLES = (
    Example("kuhn_poker", 6, ("montecarlo", "card: hidden, bet: 0"), ("Pass", "Bet")),
    Example("liars_dice", 13, ("die: hidden",), ("1 x 1", "1 x 2", "Liar", "2 x 6")),
    Example("trick_bids", 6, ("partner",), ("Bid nil", "Bid 1")),
    Example("court_intrigue", 99, ("rob second",), ("Income", "Allow"), deals=2),
)


@pytest.fixture(scope="module", params=EXAMPLES, ids=[example.name for example in EXAMPLES])
def example(request):
    return request.param


@pytest.fixture(scope="module")
def site(example, tmp_path_factory):
    """Return the folder in which the package is installed."""
    return install(ROOT / "examples" / example.name, tmp_path_factory.mktemp("site"))


@pytest.mark.usefixtures("quick_processes")
def test_its_commands(example, site, tmp_path):
    arguments = site, tmp_path, example.name, "1\n\n" * example.keys, example.deals
    process = cluster.CONTEXT.Process(target=try_commands, args=arguments)
    process.start()
    process.join()
    assert process.exitcode == 0
    told = (tmp_path / "told.txt").read_text("utf-8")
    for words in ("0 violations", "30 games", "game.html", "No exploiter", *example.told):
        assert words in told
    assert "The game is over: " in told
    assert '"forfeits"' not in (tmp_path / "words.jsonl").read_text()  # all moves were read
    if example.name == "trick_bids":  # partners are of one kind
        first = json.loads((tmp_path / "arena" / "games.jsonl").read_text().splitlines()[1])
        assert first["agents"] == ["ismcts:playouts=4", "random"] * 2


def test_its_page_in_the_browser(example, site, tmp_path):
    pytest.importorskip("uvicorn", reason="needs the extra web")
    news = news_of_its_page(site, tmp_path, example.name)
    assert news["picture"].startswith("<svg")
    assert news["moves"][0][0] in example.moves


PLAY = """
import numpy as np
from gubs_env import VectorEnv, find_table
table = find_table("{name}")
games = VectorEnv(table, 64, seed=0)
for number in range(60):
    games.step((games.masks * (np.arange(table.num_actions) * (7 + number) % 29 + 1)).argmax(1))
print(games.observations.sum(), games.states.tobytes().hex()[:2000])
"""


SOAK = """
from gubs_env.checking.soak import soak
print([chunk.violations for chunk in soak([table.game], 100)])
"""


def test_it_plays_the_same_compiled_and_a_soak_finds_nothing(example, site, tmp_path):
    script = PLAY.format(name=example.name)
    interpreted = run(site, tmp_path, script)
    assert run(site, tmp_path, script + SOAK, "wait") == f"{interpreted}[[]]\n"
