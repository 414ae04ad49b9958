"""The wheel beside other people's packages, and `gubs_env` without the agents of this project."""

from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

import gubs_env
from tests.commands import python

ROOT = Path(__file__).parent.parent
PACKAGE = Path(gubs_env.__file__).parent
ROOMS = {"gubs_env": PACKAGE, "gubs_agents": ROOT / "agents" / "gubs_agents"}
KEPT = (".py", ".pyi", ".json", ".safetensors", ".typed", ".html", ".css", ".js", ".ttf")
"""Endings of the files that a wheel must hold, `py.typed` and the parts of pages among them."""
OURS = {"random", "greedy", "heuristic", "montecarlo", "ismcts", "policy", "llm"}
THEIRS = {
    "agents/__init__.py": """
class Runner:
    def __init__(self, num_players, seed, game=None):
        self.num_players = num_players
    def run(self):
        return "their runner"
""",
    "theirs-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n",
    "theirs-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "theirs-1.0.dist-info/RECORD": "",
    "theirs-1.0.dist-info/entry_points.txt": "[gubs_env.agents]\ntheir_runner = agents:Runner\n",
}
"""A package whose top level is called `agents`, as that of the OpenAI Agents SDK is."""
PLAY = """
{imports}
import gubs_env
from gubs_env import gubs_v0
from gubs_env.agents.registry import registered

assert agents.Runner(2, 0).run() == "their runner"
assert gubs_env.__file__.startswith({site!r}), gubs_env.__file__
assert gubs_agents.__file__.startswith({site!r}), gubs_agents.__file__
environment, player = gubs_v0.env(num_players=2), gubs_agents.make("random", seed=0)
environment.reset(seed=1)
for _ in environment.agent_iter():
    seen, _, terminated, truncated, _ = environment.last()
    action = None
    if not (terminated or truncated):
        (action,) = player.act(seen["observation"][None], seen["action_mask"][None]).tolist()
    environment.step(action)
print(sorted(registered()))
"""


def unpack(folder: Path) -> None:
    """Install their package: what an installer does with a wheel of such files."""
    for name, text in THEIRS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def run(code: str, *paths: Path, cwd: Path) -> str:
    """Run code where only these folders and the installed packages are importable.

    Folders of PYTHONPATH run no .pth files, so that an editable installation stays out of sight.
    """
    folders = [*paths, *(Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib"))]
    variables = {"PYTHONPATH": os.pathsep.join(map(str, folders)), "NUMBA_DISABLE_JIT": "1"}
    return python(code, options=["-S"], cwd=cwd, **variables)


# ------------------------------------------------------------------------------------ the wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    pytest.importorskip("hatchling", reason="the dev extra is not installed")
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    done = subprocess.run([*build, str(ROOT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_holds_our_two_packages_and_nothing_called_agents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (points,) = (name for name in names if name.endswith("entry_points.txt"))
        registered = archive.read(points).decode()
    (information,) = {name.partition("/")[0] for name in names if ".dist-info/" in name}
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"gubs_env", "gubs_agents", information}
    packed = {name for name in names if name.endswith(KEPT)}
    for top, room in ROOMS.items():
        files = [path for path in room.rglob("*") if path.suffix in KEPT]
        assert {f"{top}/{path.relative_to(room).as_posix()}" for path in files} <= packed
    assert all(f"\n{name} = gubs_agents." in registered for name in OURS)


@pytest.mark.parametrize("ours_first", [True, False])
def test_both_packages_are_used_in_one_process(wheel, ours_first, tmp_path):
    """Installed in either order, from a folder that has an `agents` folder of its own."""
    site, project = tmp_path / "site", tmp_path / "project"
    (project / "agents").mkdir(parents=True)
    (project / "agents" / "notes.txt").write_text("a folder of the user's")
    if not ours_first:
        unpack(site)
    install = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    install += ["--no-deps", "--no-index", "--no-compile", "--target", str(site), str(wheel)]
    done = subprocess.run(install, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if ours_first:
        unpack(site)
    imports = ["import gubs_agents", "import agents"]
    code = PLAY.format(imports="\n".join(imports[:: 1 if ours_first else -1]), site=str(site))
    assert run(code, site, cwd=project) == str(sorted({*OURS, "their_runner"}))


ZIPPED = """
import gubs_agents, gubs_env
from gubs_agents import benchmark, exploit, luck
from gubs_env.drawing.raster import FONTS, png
from gubs_env.play.web.server import filled_page

assert ".whl" in gubs_env.__file__ and ".whl" in gubs_agents.__file__
for name in ("heuristic", "policy"):
    env = gubs_env.gubs_v0.env(num_players=2)
    env.reset(seed=1)
    agent = gubs_agents.make(name, seed=0)
    for _ in range(3):
        seen = env.observe(env.agent_selection)
        env.step(agent.act(seen["observation"][None], seen["action_mask"][None])[0])
assert luck.values_for(gubs_env.find_table("gubs", 2)).network
assert benchmark.load("tiny").tracks
assert "<script" in filled_page("gubs_env.play.web", LEVELS="")
print(png(env.unwrapped._repr_svg_())[:4] == b"\\x89PNG", FONTS)
"""


def test_all_is_imported_from_a_zip(wheel, tmp_path):
    """From the wheel itself: networks, pages, fonts and protocols are read from it."""
    drawn, fonts = run(ZIPPED, wheel, cwd=tmp_path).split()
    assert drawn == "True"
    assert not Path(fonts).exists()  # what was unpacked goes with the process


def test_an_editable_installation_exposes_our_two_packages_only(tmp_path):
    """Beside them lie `tests`, `docs`, `train.py`, which would hide those of another project."""
    pytest.importorskip("hatchling", reason="the dev extra is not installed")
    build = "import sys, hatchling.build; hatchling.build.build_editable(sys.argv[1])"
    python(build, tmp_path, cwd=ROOT)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (paths,) = (name for name in archive.namelist() if name.endswith(".pth"))
        folders = [Path(line) for line in archive.read(paths).decode().splitlines()]
    exposed = {path.name: path.resolve() for folder in folders for path in folder.iterdir()}
    assert exposed == ROOMS


STUBS = [path.relative_to(room.parent) for room in ROOMS.values() for path in room.rglob("*.pyi")]


@pytest.mark.parametrize("stub", STUBS, ids=str)
def test_type_checkers_see_the_names_that_are_imported_on_first_use(stub):
    name = ".".join(stub.parts[:-1])
    package = importlib.import_module(name)
    text = (ROOMS[stub.parts[0]].parent / stub).read_text(encoding="utf-8")
    froms = [node for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)]
    told = {}
    for node in froms:
        for alias in node.names:
            source = f"{name}.{node.module or alias.name}"
            module = importlib.import_module(source)
            told[alias.name] = getattr(module, alias.name) if node.module else module
    assert told == {each: getattr(package, each) for each in package.__all__}


# -------------------------------------------------------------------- gubs_env without its agents


@pytest.fixture
def alone(tmp_path):
    """A folder with `gubs_env` and nothing else, its metadata included."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "gubs_env").symlink_to(PACKAGE, target_is_directory=True)
    return tmp_path / "site"


ASK = """
import importlib.metadata, importlib.util
ours = [point for point in importlib.metadata.entry_points(group="gubs_env.agents")
        if point.value.startswith("gubs_agents")]
assert not ours and importlib.util.find_spec("gubs_agents") is None
from gubs_env import find_table, fubnub_v0, gubs_v0
from gubs_env.agents import registry
print(sorted(registry.names(gubs_v0.GAME)))
try:
    registry.build("heuristic", find_table("gubs"))
except ValueError as error:
    print(error)
"""
WITHOUT_EDITABLE = """
import importlib.metadata as metadata
found = metadata.MetadataPathFinder.find_distributions
metadata.MetadataPathFinder.find_distributions = classmethod(lambda cls, *context: (
    d for d in found(*context) if (d.metadata["Name"] or "").replace("-", "_") != "gubs_env"))
"""


def test_gubs_env_is_imported_without_agents_and_says_that_there_are_none(alone, tmp_path):
    said = run(WITHOUT_EDITABLE + ASK, alone, cwd=tmp_path).splitlines()
    assert said == ["[]", "no agent is called 'heuristic' in gubs_v0: none is installed"]


def test_agents_of_others_are_named_where_ours_are_absent(alone, tmp_path):
    unpack(alone)
    said = run(WITHOUT_EDITABLE + ASK, alone, cwd=tmp_path).splitlines()
    told = "no agent is called 'heuristic' in gubs_v0: there are their_runner"
    assert said == ["['their_runner']", told]


def test_gubs_says_which_commands_are_absent_with_the_agents(alone, tmp_path):
    ask = "from gubs_env.commands.main import main; import sys; sys.stderr = sys.stdout; "
    said = run(WITHOUT_EDITABLE + ask + "print(main(['arena']))", alone, cwd=tmp_path).splitlines()
    assert said[0].startswith("gubs: no command is called 'arena': there are play, watch, ")
    assert said[0].endswith("; the package gubs_agents, which has more, is not installed")
    assert said[1] == "2"


IMPORTS = {
    "environments": (
        "import gubs_env; assert 'gubs_env.gubs_v0' not in sys.modules, 'before it is used'; "
        "from gubs_env import gubs_v0, fubnub_v0, bad_bad_turtle_v0; gubs_env.load_dataset; "
        "from gubs_env.agents import registry; gubs_env.to_parquet; gubs_v0.env().reset(seed=1)",
        r"torch|stable_baselines3|matplotlib|gubs_agents|ray|pygame|tyro|pyarrow|resvg_py|PIL|"
        r"tkinter|gubs_env\.drawing|gubs_env\.games\.\w+\.drawing",
    ),
    "no answers in text": (
        "from gubs_env import gubs_v0; gubs_v0.single_agent_env(opponents='random').reset(seed=0); "
        "gubs_v0.vector_env(2).look()",
        r"gubs_env\.agents\.prompt\w*",
    ),
    "arena": ("import gubs_agents.arena", r"matplotlib|choix|scipy\.stats|torch"),
    "networks": ("import gubs_agents.networks.perceptron", "torch"),
}


@pytest.mark.parametrize("name", IMPORTS)
def test_an_import_loads_only_what_it_needs(name):
    code, heavy = IMPORTS[name]
    asked = rf"print([each for each in sys.modules if re.fullmatch(r'{heavy}', each)])"
    assert python(f"import re, sys; {code}\n{asked}", NUMBA_DISABLE_JIT="1") == "[]"


def test_gubs_env_nowhere_imports_the_agents():
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            else:
                continue
            assert not any(name.partition(".")[0] in ("gubs_agents", "agents") for name in names), (
                path
            )
