"""The pages on adding parts: their blocks are applied to a copy of the package, and it plays."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PAGES = {
    "A card": "adding_a_card",
    "A game": "adding_a_game",
    "An agent": "adding_an_agent",
    "A learning algorithm": "adding_a_learner",
}
BLOCK = re.compile(
    r"^(?:In|A new file,) `(?P<path>[^`]+)`"
    r"(?:, (?P<how>after|before|in place of) the line `(?P<line>[^`]+)`)?:\n\n"
    r"```\w+\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    """One block of code of the page, and its place."""

    path: str
    how: str | None
    line: str | None
    code: str


def blocks_of(subject: str) -> list[Block]:
    """Return the blocks of the page on adding something, in order."""
    page = (ROOT / "docs" / f"{PAGES[subject]}.md").read_text(encoding="utf-8")
    found = [Block(m["path"], m["how"], m["line"], m["code"]) for m in BLOCK.finditer(page)]
    assert found, f"{PAGES[subject]}.md shows no code"
    return found


def apply(block: Block, folder: Path) -> None:
    """Write a block to the place that the line above it names."""
    path = folder / block.path
    if block.how is None:
        assert not path.exists(), f"{block.path} is not new"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.code)
        return
    lines = path.read_text().splitlines(keepends=True)
    places = [at for at, line in enumerate(lines) if line.strip().startswith(block.line.strip())]
    assert len(places) == 1, f"{block.path} has {len(places)} lines {block.line!r}"
    first, end = {
        "before": (places[0], places[0]),
        "after": (places[0] + 1, places[0] + 1),
        "in place of": (places[0], places[0] + 1),
    }[block.how]
    is_function = block.how == "before" and not block.code.startswith(" ")
    code = block.code + ("\n\n" if is_function else "")
    path.write_text("".join([*lines[:first], code, *lines[end:]]))


def follow(folder: Path, *subjects: str) -> None:
    """Copy the package into a folder and apply the pages on these subjects to it."""
    shutil.copytree(ROOT / "gubs_env", folder / "gubs_env")
    for subject in subjects:
        for block in blocks_of(subject):
            apply(block, folder)


def install(folder: Path) -> None:
    """Leave behind what an installation of the `pyproject.toml` in a folder does."""
    project = (folder / "pyproject.toml").read_text()
    name = re.search(r'^name = "(.+)"$', project, re.MULTILINE)[1]
    points = re.search(r'^\[project\.entry-points\."(.+)"\]\n(.+)$', project, re.MULTILINE)
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{points[1]}]\n{points[2].replace(chr(34), '')}\n")


def run(folder: Path, script: str, *arguments: str) -> str:
    """Run a script with the copy of the package, uncompiled; return what it prints."""
    variables = os.environ | {
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join(map(str, (folder, ROOT / "agents", ROOT))),
    }
    command = [sys.executable, "-W", "error::RuntimeWarning", script, *arguments]
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-5000:]
    return done.stdout


# -------------------------------------------------------------------------------------------- cards


@pytest.fixture(scope="module")
def with_cards(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cards")
    follow(folder, "A card")
    return folder


def test_every_card_of_the_page_plays(with_cards):
    (with_cards / "check.py").write_text(PLAY_CARDS)
    assert run(with_cards, "check.py").split() == ["ok"] * 7


def test_the_script_of_the_page_plays_a_game(with_cards):
    run(with_cards, "play_gust.py")


def test_random_games_with_the_cards_end_and_keep_every_card(with_cards):
    (with_cards / "check.py").write_text(RANDOM_GAMES)
    log = run(with_cards, "check.py")
    for words in ("plays Gust at", "answers with Tin Whistle", "plays Basket", "lays Bramble on",
                  "Cricket Song as Gust", "draws High Tide"):  # fmt: skip
        assert words in log, f"no game says {words!r}"


@pytest.mark.parametrize(
    ("path", "old", "new", "complaint"),
    [
        ("effects", "@effects.of(Card.GUST)\n", "", "no function is registered for GUST"),
        ("cards", "    GUST = ", "    GALE = Kind('Gale', 0, CardType.EVENT, '')\n    GUST = ",
         "GUST must come before GALE"),
        ("cards", "to their hand.\", others=Thing.BARRICADE)", "to their hand.\")",
         "GUST: it can never be played"),
        ("cards", "played.\", answers=Answerable.TRAP)", "played.\")",
         "TIN_WHISTLE: an Interrupt must answer something"),
    ],
)  # fmt: skip
def test_a_mistake_is_an_error_at_import_that_names_the_card(
    with_cards, tmp_path, path, old, new, complaint
):
    shutil.copytree(with_cards / "gubs_env", tmp_path / "gubs_env")
    file = tmp_path / "gubs_env" / "games" / "gubs" / f"{path}.py"
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))
    script = f"""
import re
try:
    import gubs_env.gubs_v0
except TypeError as error:
    assert re.search({complaint!r}, str(error)), error
    print("refused")
"""
    (tmp_path / "check.py").write_text(script)
    assert run(tmp_path, "check.py") == "refused\n"


PLAY_CARDS = '''
"""Each card of the page, announced, answered and in effect."""
from gubs_env.gubs_v0 import GAME, Phase
from gubs_env.games.gubs.cards import Card, NUM_KINDS, PRINTED_DECK
from gubs_env.games.gubs.observation import observation_slices
from tests.gubs.table import Table

made_up = dict.fromkeys(("Gust", "Tin Whistle", "Basket", "Bramble", "High Tide"), 2)
deck = {card.title: int(PRINTED_DECK[card]) for card in Card} | made_up
deck["Mushroom"] -= 5
deck["Lure"] -= 5

def table(*arguments, **options):
    return Table(*arguments, rest=False, composition=deck, **options)

# A Hazard: aimed, announced, answered by Feather, or in effect.
def gust():
    return table(["Gust", "Feather"], ["Gub", "Gub + Bramble + Mushroom"], deck="Gub, Letter G")
t = gust()
assert t.legal == {"PASS", "CARD[Gust]"}, t.legal
t.play("Gust", "Bramble")
assert t.actor == 1 and t.legal == {"PASS", "CARD[Feather]"}, (t.actor, t.legal)
assert t.observed(0, "played")[Card.GUST] == t.observed(1, "target_card")[Card.BRAMBLE] == 1
t.play("Feather")
assert t.colony(1) == "Gub + Mushroom + Bramble" and t.discarded == "Gust, Feather", t.colony(1)
t = gust().play("Gust", "Bramble", "PASS")
assert t.colony(1) == "Gub + Mushroom" and t.hand(1) == "Bramble, Feather", t.hand(1)
assert t.knows(0, 1) == "Bramble" and t.discarded == "Gust"
print("ok")

# Cricket Song stands for it.
t = table(["Cricket Song", ""], ["Gub", "Gub + Bramble"], deck="Letter G")
t.play("Cricket Song", "Gust")
assert t.hand(1) == "Bramble" and t.discarded == "Cricket Song"
print("ok")

# An Interrupt: answers Traps, nothing else, and is not played on one's own turn.
t = table(["Sud Spout, Lure, Tin Whistle", "Tin Whistle"], ["Gub", "Gub"], deck="Letter G")
assert not t.can_play("Tin Whistle")
t.play("Lure")
assert t.actor == 0 and t.colony(0) == "Gub; Gub", "nobody was asked"
t = table(["Sud Spout, Lure, Tin Whistle", "Tin Whistle"], ["", "Gub"], deck="Letter G")
t.play("Sud Spout")
assert t.actor == 1 and t.legal == {"PASS", "CARD[Tin Whistle]"}
t.play("Tin Whistle")
assert t.colony(1) == "Gub" and t.discarded == "Sud Spout, Tin Whistle"
print("ok")

# A Tool: no window, and its effect.
t = table(["Basket", "Feather, Tin Whistle"], deck="Gub, Letter G, Lure, Mushroom, Letter U")
t.play("Basket")
assert t.actor == 0 and t.discarded == "Basket" and t.game.hand_size[0] == 2
assert t.game.hand[0, :].sum() == 2 and t.game.deck_size == 3
print("ok")

# A Barricade: it protects, and what reaches Barricades reaches it.
t = table(["Bramble, Toad Rider", "Lure, Cyclone"], ["Gub", "Gub"], deck="Letter G, Letter U")
t.play("Bramble")
assert t.colony(0) == "Gub + Bramble" and t.actor == 0
assert "Gub beneath Bramble, Protected" in GAME.describe(GAME.view(t.games, 0, 1), False)
assert t.observed(1, "points").tolist() == [1, 1]
t.play("Toad Rider", "Bramble")
assert t.colony(0) == "Gub" and t.discarded == "Toad Rider, Bramble", t.discarded
t = table(["Lure, Cyclone, Omen Beetle", ""], ["Gub", "Gub + Bramble"], deck="Letter G, Letter U")
assert not t.can_play("Lure") and not t.can_play("Omen Beetle") and t.can_play("Cyclone")
t.play("Cyclone")
assert t.colony(1) == "Gub" and t.discarded == "Bramble, Cyclone"
print("ok")

# An Event: drawn, sent back by a Flop Boat, or in effect.
def tide(hand):
    return table([hand, ""], ["Gub + Bramble; Gub + Mushroom", "Gub"], deck="High Tide, Letter G",
                 phase=Phase.DRAW)
t = tide("Flop Boat").play("DECK")
assert t.legal == {"PASS", "CARD[Flop Boat]"}
t.play("Flop Boat")
assert sorted(t.deck) == [Card.HIGH_TIDE, Card.LETTER_G]
assert t.colony(0) == "Gub + Bramble; Gub + Mushroom" and t.discarded == "Flop Boat"
t = tide("").play("DECK")
assert t.colony(0) == "Gub; Gub" and t.discarded == "High Tide" and t.game.deck_size == 3
print("ok")

# All that is counted follows from the table.
assert NUM_KINDS == len(Card) == 37 and int(Card.LETTER_B) == 36 and PRINTED_DECK.sum() == 70
assert len(GAME.action_names(2)) == 2 + 37 + 2 * 15
assert observation_slices(2)["hand"].shape == (28,)
assert observation_slices(2)["colonies"].shape == (2, 14, 10)
print("ok")
'''

RANDOM_GAMES = '''
"""Random games with a deck that holds the cards: no card is lost, and all end within the bound."""
import numpy as np
from gubs_env import find_table
from gubs_env.gubs_v0 import Rules, raw_env
from tests.gubs.table import Table

deck = {"Gub": 8, "Esteemed Elder": 1, "Mushroom": 4, "Bramble": 6, "Sud Spout": 4, "Lure": 3,
        "Double Ring": 1, "Gust": 5, "Cyclone": 1, "Super Lure": 1, "Smahl Thief": 1, "Basket": 5,
        "Tin Whistle": 4, "Feather": 2, "Flop Boat": 1, "Cricket Song": 3, "High Tide": 3,
        "Traveling Merchant": 1, "Gargok Plague": 1, "Letter G": 1, "Letter U": 1, "Letter B": 1}
table = Table(["", ""], rest=False)  # it counts the cards of whatever game lies on it
for players, deals in ((2, 8), (4, 2)):
    bound = find_table("gubs", players, Rules(deck=deck)).max_decisions
    env = raw_env(players, Rules(deck=deck))
    rng = np.random.default_rng(0)
    for deal in range(deals):
        env.reset(seed=deal)
        decisions = 0
        while not any(env.terminations.values()):
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(int(rng.choice(np.flatnonzero(mask))))
            table.games = env._states
            table.check()
            decisions += 1
            assert decisions < bound
        print("\\n".join(env.log()))
'''


# ------------------------------------------------------------------------------------------- a game


@pytest.fixture(scope="module")
def with_game(tmp_path_factory):
    folder = tmp_path_factory.mktemp("game")
    follow(folder, "A game", "A learning algorithm")
    install(folder)
    return folder


def test_the_game_of_the_page_is_that_of_the_examples():
    for block in blocks_of("A game"):
        if not block.path.startswith("play"):
            assert (ROOT / "examples" / "kuhn_poker" / block.path).read_text() == block.code


def test_the_game_of_the_page_takes_seventy_lines_of_code():
    code = (ROOT / "examples" / "kuhn_poker" / "kuhn_poker.py").read_text()
    words = ast.get_docstring(ast.parse(code), clean=False)
    lines = code.replace(words, "").splitlines()
    assert (
        len([line for line in lines if line.strip(' "') and not line.lstrip().startswith("#")])
        <= 70
    )


def test_the_game_of_the_page_has_every_interface(with_game):
    (with_game / "check.py").write_text(PLAY_GAME)
    assert run(with_game, "check.py").split("\n")[-2] == "ok"


def test_the_game_of_the_page_is_searched_and_met_in_the_arena(with_game):
    said = run(with_game, "play_kuhn_poker.py")
    assert float(said.rpartition(" ")[2]) > 0, said


def test_the_learning_algorithm_of_the_page_learns(with_game):
    said = run(with_game, "reinforce.py")
    assert float(said) > 0.15, said


PLAY_GAME = '''
"""Every interface of the game of the page, found by its name alone."""
import pickle
import gymnasium
import numpy as np
from gubs_env import find_game, replay, record
from gubs_env.checking.soak import soak
from gubs_env.games import game_names

GAME = find_game("kuhn_poker")
assert "kuhn_poker" in game_names() and pickle.loads(pickle.dumps(GAME)) is GAME
from kuhn_poker import env, raw_env, single_agent_vector_env, vector_env

from pettingzoo.test import api_test, seed_test
api_test(env(), num_cycles=100)
api_test(raw_env(), num_cycles=100)
seed_test(env)
single = gymnasium.make("gubs_env/KuhnPoker-v0", seat=0)
for seed in range(5):
    observation, info = single.reset(seed=seed)
    done = False
    while not done:
        observation, reward, done, _, info = single.step(int(info["action_mask"].argmax()))
assert single_agent_vector_env(3).reset(seed=0)[0].shape[0] == 3

envs = vector_env(16, seed=0)
ended = 0
for _ in range(40):
    envs.step(envs.masks.argmax(1))
    ended += envs.dones.sum()
    assert np.allclose(envs.rewards.sum(1), 0)
assert ended >= 16

game = raw_env()
game.reset(seed=1)
game.step(1)
other, own = (line for line in game.describe("player_1").splitlines() if "card:" in line)
assert "card: hidden" in other and "hidden" not in own
assert game.log("player_1") == ["player_0: bet"]
assert [move.text for move in game.legal_moves()] == ["Pass", "Bet"]
assert "<svg" in game.view("player_1")._repr_svg_() and "<svg" in game._repr_svg_()
assert pickle.loads(pickle.dumps(game)).state() == raw_env.from_json(game.to_json()).state()
assert "<svg" in replay(game).html
for chunk in soak([GAME], 300, thorough=True):
    assert not chunk.violations, chunk.violations
print("ok")
'''


# ----------------------------------------------------------------------------------------- an agent


def test_the_agent_of_the_page_plays_in_the_arena(tmp_path):
    follow(tmp_path, "An agent")
    install(tmp_path)
    assert re.match(r"\d+\.\d% \(", run(tmp_path, "play_hasty.py"))
    assert re.match(r"\d+\.\d% \(", run(tmp_path, "patient.py"))
