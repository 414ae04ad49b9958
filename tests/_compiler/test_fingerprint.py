"""The machine code of a game is that of its rules as they are now, whatever was edited."""

from __future__ import annotations

import importlib
import sys
import zipfile
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np
import pytest

import gubs_env
from gubs_agents.search.playouts import functions_of
from gubs_env._compiler.compilation import compiled, entry
from gubs_env._compiler.fingerprint import NotHashable, fingerprint, has_version, hashes_of, reached
from tests.amounts import MORE
from tests.commands import python

# A game of another package, of all that a game can consist of.
FILES = {
    "pot/__init__.py": "",
    "pot/cards.py": """
        from enum import IntEnum
        from pathlib import Path
        import numpy as np
        PRICE = 7
        WORTH = np.loadtxt(Path(__file__).with_name("worth.txt"), dtype=np.int64)
        SETS = {"large": (2, 3)}
        class Action(IntEnum):
            PASS = 0
            BET = 1
        """,
    "pot/worth.txt": "1 2 3",
    "pot/helpers.py": """
        from gubs_env import compiled
        from pot import cards
        @compiled
        def raised(state, action):
            if action == cards.Action.BET:
                return cards.PRICE
            return -sum([cards.WORTH[i] for i in range(1, 2)])
        """,
    "helping_distribution/__init__.py": """
        from gubs_env import compiled
        @compiled
        def is_enough(pot):
            return pot > 20
        """,
    "helping_distribution-1.0.dist-info/RECORD": "helping_distribution/__init__.py,,",
    "pot/game.py": """
        import numpy as np
        from gubs_env import Field, compiled, define_game, random_below, writes
        from helping_distribution import is_enough
        from pot.cards import SETS, Action
        from pot.helpers import raised
        LARGE = SETS["large"]
        def at_most(limit):
            @compiled
            def cut(number):
                return min(number, limit)
            return cut
        cut = at_most(50)
        @compiled
        def deal(state):
            state.pot = random_below(state.rng, 3)
        @compiled
        def redeal(state, rng):
            pass
        @compiled
        def play(state, action):
            state.pot = cut(state.pot + raised(state, action))
            state.actor = 1 - state.actor
        @compiled
        def is_over(state):
            return is_enough(state.pot) or state.pot in LARGE
        @compiled
        def payoffs(state, payoffs):
            payoffs[state.actor] = 1
        @writes(("pot", (1,), 60, "the pot"))
        def observe(state, player, observation, pot):
            observation[pot] = state.pot
        GAME = define_game(
            name="pot_v0", title="Pot", players=range(2, 3), bound=9,
            actions=[action.name for action in Action],
            fields=[Field("pot", (), "the pot", 0, 60)],
            observation=[observe], deal=deal, redeal=redeal, play=play,
            is_over=is_over, payoffs=payoffs,
        )
        """,
    "pot/agent.py": """
        from gubs_env import compiled
        from gubs_env.engine.choosing import count_legal
        @compiled
        def choose(observation, mask, memory, rng):
            return 1 if observation[0] < 9 else count_legal(mask) - 2
        """,
    "pot/search.py": """
        from gubs_env._compiler.templates import Placeholder, Templates
        from pot.agent import choose
        from pot.game import GAME
        templates = Templates()
        step, choose_ = Placeholder("step"), Placeholder("choose_")
        @templates.template
        def played(state, mask, rounds):
            for _ in range(rounds):
                step(state, choose_(mask, mask, mask, mask), mask)
        @templates.entry_template
        def value(states, mask):
            played(states[0], mask, 3)
        names = {"step": GAME.mechanics.step, "choose_": choose}
        value = templates.specialise(GAME.name, names)["value"]
        """,
}
EDITS = {
    "a rule": ("pot/game.py", "payoffs[state.actor] = 1", "payoffs[state.actor] = 2"),
    "a helper of the package": ("pot/helpers.py", "-sum", "2 * sum"),
    "a helper of another distribution": ("helping_distribution/__init__.py", "> 20", "> 30"),
    "a constant": ("pot/cards.py", "PRICE = 7", "PRICE = 3"),
    "a table in a file": ("pot/worth.txt", "2", "5"),
    "a part of a table": ("pot/cards.py", "(2, 3)", "(2, 4)"),
    "the range of a field": ("pot/game.py", '"the pot", 0, 60', '"the pot", 0, 70'),
    "the least value of a field": ("pot/game.py", '"the pot", 0, 60', '"the pot", -1, 60'),
    "the bound": ("pot/game.py", "bound=9", "bound=2"),
    "the order of the actions": ("pot/cards.py", "PASS = 0\n    BET = 1", "BET = 0\n    PASS = 1"),
    "a value in a closure": ("pot/game.py", "at_most(50)", "at_most(1)"),
    "an operator": ("pot/game.py", "1 - state.actor", "1 * state.actor"),
}
EDITS_ABOVE = {
    "the function of an agent": ("pot/agent.py", "< 9", "< 1"),
    "the template of a search": ("pot/search.py", "mask, 3)", "mask, 4)"),
    "a rule below a search": ("pot/helpers.py", "-sum", "2 * sum"),
}
WITHOUT_EFFECT = {
    "a comment": ("pot/game.py", "LARGE = ", "# the pots that end a game\nLARGE = "),
    "a text": ("pot/game.py", '"the pot", 0', '"what is in the pot", 0'),
    "a table that nothing reads": ("pot/cards.py", "PRICE = 7", "PRICE, OTHERS = 7, [1, 2]"),
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the package above, from which it is imported."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(unindented(text))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    forget()


def unindented(text: str) -> str:
    return text.replace("\n        ", "\n").lstrip()


def forget() -> None:
    for name in [*sys.modules]:
        if name.partition(".")[0] in ("pot", "helping_distribution"):
            del sys.modules[name]


def of_game() -> dict[str, str]:
    """Return the fingerprints of what Python calls in the rules of the game, as imported now."""
    forget()
    kernel = importlib.import_module("pot.game").GAME.kernel
    return {name: fingerprint(getattr(one, "function", one)) for name, one in vars(kernel).items()}


def of_search() -> str:
    forget()
    value = importlib.import_module("pot.search").value
    return fingerprint(getattr(value, "function", value))


@pytest.fixture
def edit(package: Path) -> Callable[[str, str, str], None]:
    def replace(name: str, old: str, new: str) -> None:
        text = (package / name).read_text()
        assert old in text
        (package / name).write_text(text.replace(old, new))

    return replace


@pytest.mark.parametrize("what", EDITS)
def test_whatever_is_edited_is_another_game(edit, what):
    before = of_game()
    edit(*EDITS[what])
    after = of_game()
    assert {name for name in before if before[name] != after[name]}


@pytest.mark.parametrize("what", EDITS_ABOVE)
def test_whatever_is_edited_is_another_agent(edit, what):
    before = of_search()
    edit(*EDITS_ABOVE[what])
    assert of_search() != before


@pytest.mark.parametrize("what", WITHOUT_EFFECT)
def test_what_no_rule_reads_changes_nothing(edit, what):
    before = of_game(), of_search()
    edit(*WITHOUT_EFFECT[what])
    assert (of_game(), of_search()) == before


def test_a_rule_has_one_hash_from_every_entry_that_reaches_it():
    """Entries read different things from modules. With two hashes no code would be kept."""
    hashes: dict[FunctionType, bytes] = {}
    for game in map(gubs_env.find_game, gubs_env.GAMES):
        for one in (*vars(game.kernel).values(), game.teller, *functions_of(game).values()):
            for function, digest in hashes_of(getattr(one, "__wrapped__", one)).items():
                assert hashes.setdefault(function, digest) == digest


def test_a_rule_changes_only_what_reaches_it(edit):
    before = of_game()
    edit(*EDITS["a rule"])
    after = of_game()
    assert before["advance"] != after["advance"]
    assert before["observe"] == after["observe"]


def test_two_games_of_one_name_are_two(package):
    one = of_game()
    text = (package / "pot" / "game.py").read_text()
    (package / "pot" / "other.py").write_text(text.replace("= 1 - state", "= 1 - 2 * state"))
    other = importlib.import_module("pot.other").GAME.kernel
    assert fingerprint(getattr(other.advance, "function", other.advance)) != one["advance"]


PLAY = """
import sys, time
import numpy as np
sys.path.insert(0, sys.argv[1])
from pot.game import GAME
from pot.search import value
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.table import Table
games, mask = VectorEnv(Table(GAME), 2, seed=1), np.ones(2, np.int8)
rows, over = games.states.copy(), time.monotonic() + 100
def is_at_work():
    entries = GAME.kernel.advance, value
    return not any(getattr(one, "is_interpreted", False) for one in entries)
while not is_at_work() and time.monotonic() < over:
    games.step(games.masks.argmax(1))
    value(rows, mask)
    time.sleep(0.01)
games, seen = VectorEnv(Table(GAME), 2, seed=1), []
rows, mask = games.states.copy(), np.ones(2, np.int8)
for decision in range(20):
    games.step(np.array([decision % 2, decision // 2 % 2]))
    seen += [games.states["pot"].tolist(), games.rewards.tolist(), games.dones.tolist()]
value(rows, mask)
print(is_at_work(), seen, rows["pot"].tolist())
"""
ALL = {**EDITS, **EDITS_ABOVE}
UNSEEN = {"the range of a field", "the least value of a field"}
"""Edits that show in no play, but in what is refused."""
CASES = [(what, mode) for what in ALL for mode in ("wait", "auto", "beside")]


@pytest.mark.parametrize(("what", "mode"), CASES if MORE > 1 else [("a constant", "wait")])
def test_the_edited_game_is_the_one_that_is_played(package, edit, tmp_path, what, mode):
    """In all modes; every night for all edits."""

    def played(mode: str) -> str:
        cache = str(tmp_path / "cache")
        return python(PLAY, package, mode, GUBS_ENV_CACHE=cache, GUBS_ENV_COMPILE=mode)

    before = played("wait")
    edit(*ALL[what])
    after = played(mode)
    assert after == played("never")
    assert (after != before) == (what not in UNSEEN)


IN_ANOTHER_PROCESS = """
import sys
sys.path.insert(0, sys.argv[1])
from pot.search import value
from gubs_env._compiler.fingerprint import fingerprint
print(fingerprint(value.function))
"""


def test_the_same_code_has_the_same_hash_wherever_it_lies(package, tmp_path, monkeypatch):
    monkeypatch.setenv("GUBS_ENV_COMPILE", "beside")
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    cards = package / "pot" / "cards.py"
    read_from_file = 'np.loadtxt(Path(__file__).with_name("worth.txt"), dtype=np.int64)'
    cards.write_text(cards.read_text().replace(read_from_file, "np.array([1, 2, 3])"))
    archive = tmp_path / "pot.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name in FILES:
            file.write(package / name, name)
    found = {of_search()}
    for place, seed in ((package, "1"), (archive, "2")):
        found.add(python(IN_ANOTHER_PROCESS, place, PYTHONHASHSEED=seed, PYTHONPATH=""))
    assert len(found) == 1


# --------------------------------------------------------------------------------- global values


class Counter:
    pass


def reading(value: object, inner: str = "VALUE") -> Callable[..., object]:
    """Return a function that reads a global value."""
    names = {"VALUE": value, "__name__": "nowhere"}
    exec(f"def read():\n    return {inner}", names)
    return names["read"]


DIFFERENT = [
    1, 2, True, 1.0, 0.0, -0.0, "1", b"1", None, (1, 2), (2, 1), [1, 2], (1, (2,)), {1: 2}, {2: 1},
    frozenset({1, 2}), np.array([1, 2]), np.array([2, 1]), np.array([1, 2], np.int8), np.int8(1),
    np.array([[1, 2]]), np.zeros((2, 3)), np.zeros((2, 3), order="F"), np.dtype(np.int8), np.int8,
    np.dtype([("a", np.int8)]), np.dtype([("b", np.int8)]), len, max, np.add, slice(1),
    slice(2), reading(1),
    reading(2),
]  # fmt: skip


def test_different_values_have_different_hashes():
    hashes = [fingerprint(reading(value)) for value in DIFFERENT]
    assert len(set(hashes)) == len(DIFFERENT)
    assert hashes == [fingerprint(reading(value)) for value in DIFFERENT]


def test_a_set_has_one_hash_in_whatever_order_it_was_made():
    words = [f"word {n}" for n in range(50)]
    assert fingerprint(reading(set(words))) == fingerprint(reading(set(reversed(words))))


@pytest.mark.parametrize("value", [Counter(), Counter, np.array([Counter()]), [1, Counter()]])
def test_what_has_no_hash_is_named(value):
    with pytest.raises(NotHashable, match=r"VALUE (is a|holds)"):
        fingerprint(reading(value))


def test_functions_that_call_themselves_are_not_kept():
    """Numba crashes on the code of some of them when it comes from a cache."""
    names = {"__name__": "nowhere"}
    exec("def even(n): return n == 0 or odd(n - 1)", names)
    exec("def odd(n): return n != 0 and even(n - 1)", names)
    with pytest.raises(NotHashable, match="leads back to itself"):
        fingerprint(names["even"])
    assert set(reached(names["even"])) == {names["even"], names["odd"]}


@compiled
def one_more(number):
    return number + 1


def test_an_entry_counts_as_its_function(monkeypatch):
    monkeypatch.setenv("GUBS_ENV_COMPILE", "wait")
    assert fingerprint(reading(entry(one_more))) == fingerprint(reading(entry(one_more)))
    assert one_more in reached(reading(entry(one_more)))


def test_what_another_module_teaches_numba_is_not_kept(monkeypatch):
    """A function does not show what `numba.extending.overload` gave it."""
    templates = pytest.importorskip("numba.core.typing.templates")
    registry = templates.builtin_registry
    monkeypatch.setattr(registry, "functions", [])
    fingerprint(reading(1))
    register_jitable = pytest.importorskip("numba.extending").register_jitable
    by_hand = type("Template", (), {"_overload_func": staticmethod(reading(2))})
    for teach in (
        lambda: registry.functions.append(by_hand),
        lambda: register_jitable(fastmath=True)(reading(3)),
    ):
        monkeypatch.setattr(registry, "functions", [])
        teach()
        with pytest.raises(NotHashable, match="nowhere extends Numba"):
            fingerprint(reading(1))


# What a rule reads, by ways that an adversary found: a source, and an edit that changes the rule.
WAYS = {
    "by a module that is passed on": (
        "import cards\ndef price(of): return of.PRICE\ndef read(): return price(cards)", "7", "3",
    ),
    "by getattr": ('import cards\ndef read(): return getattr(cards, "PRICE")', "7", "3"),
    "by a module that makes its attributes": (
        "import lazy\ndef read(): return lazy.PRICE", "7", "3",
    ),
    "by modules that import each other": (
        "import cards\ndef read(): return cards.names.cards.PRICE", "7", "3",
    ),
    "by an alias of an enumeration": (
        "from cards import Kind\ndef read(): return Kind.B", "B = 1", "B = 2",
    ),
    "by the base of an enumeration": (
        "from cards import Kind\ndef read(): return Kind.A == 1", "IntEnum", "Enum",
    ),
    "by a module named like one of Python": (
        "from turtle import read", "return 1", "return 2",
    ),
    "by a function that only says where it is from": (
        "from functools import wraps\nfrom bisect import insort\n"
        "@wraps(insort)\ndef read(): return 1", "return 1", "return 2",
    ),
}  # fmt: skip
MODULES = {
    "cards": (
        "from enum import Enum, IntEnum\nimport names\nPRICE = 7\n"
        "class Kind(IntEnum):\n    A = 1\n    B = 1\n    C = 2"
    ),
    "names": "import cards",
    "lazy": (
        "def __getattr__(name):\n    if name == 'PRICE':\n        return 7\n"
        "    raise AttributeError(name)"
    ),
    "turtle": "def read(): return 1",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_rule_may_read_in_many_ways(way, tmp_path, monkeypatch):
    source, old, new = WAYS[way]

    def hash_of(edit: Callable[[str], str]) -> str:
        for name in MODULES:
            monkeypatch.setitem(sys.modules, name, module := ModuleType(name))
            module.__spec__ = ModuleSpec(name, None, origin=str(tmp_path / f"{name}.py"))
            has_version.cache_clear()
        for name, text in MODULES.items():
            exec(edit(text), vars(sys.modules[name]))
        names = {"__name__": "nowhere"}
        exec(edit(source), names)
        return fingerprint(names["read"])

    try:
        assert hash_of(str) != hash_of(lambda text: text.replace(old, new))
        assert hash_of(str) == hash_of(str)
    finally:
        has_version.cache_clear()


def test_modules_that_are_passed_on_are_not_kept():
    def make(cards: ModuleType) -> Callable[..., object]:
        def read(by_default: ModuleType = sys) -> object:
            return cards, by_default

        return read

    fingerprint(make(sys))
    with pytest.raises(NotHashable, match="is a module, which is not read by its name"):
        fingerprint(make(ModuleType("cards")))


def test_what_numba_compiles_for_certain_types_is_not_kept():
    numba = pytest.importorskip("numba")
    fingerprint(reading(numba.njit(reading(1))))
    for dispatcher in (
        numba.njit("int64()")(reading(1)),
        numba.njit(reading(1), locals={"a": numba.int8}),
        numba.vectorize(["int64(int64)"])(lambda number: number),
    ):
        with pytest.raises(NotHashable, match="for certain types"):
            fingerprint(reading(dispatcher))
    sets = [numba.njit(reading(1), fastmath={flag, "nnan"}) for flag in ("ninf", "nsz", "ninf")]
    hashes = [fingerprint(reading(each)) for each in sets]
    assert hashes[0] == hashes[2] != hashes[1]
