"""List the figures of the documentation and mark the stale ones, or measure some again.

    python .ci/figures.py          # every figure, and what has changed below it
    python .ci/figures.py NAME …   # run their commands, and write the commit into their pages
    python .ci/figures.py --cheap  # the same of all that take under a minute

`docs/figures.toml` lists the figures. The page has the rest: the words
`commit COMMIT: <!-- figure: NAME -->`, and below them a block of code, which is the command. Its
figures are those of the page if the numbers of each printed line, but for single digits, stand in
a line of the page, in the same order.

A figure is stale if a function, class or module-level value that its command reaches has changed
since. Comments, docstrings, annotations and messages of errors may change. From the script, the
function of `gubs COMMAND` or the Python of the page, names lead on through imports; `.name` is
every method of that name of every class that is reached; and the name of an agent, as a text, is
the agent. Code that files of hashes stand for counts as unchanged while these say the same.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from gubs_env.commands.catalogue import commands
from gubs_env.support.output import print_everywhere

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "docs" / "figures.toml"
SHELLS = {"bash": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}
SCRIPT = re.compile(r"\b(?:benchmarks|examples|experiments)/(\w+)\.py\b")
COMMAND = re.compile(r"(?:\bgubs|\./run) (\w+)")
PLACE = re.compile(r"[\w.]+:\w+")
SHOWN = 3
"""How many names of what has changed are listed."""
NUMBER = re.compile(r"(?<![\w.])\d[\d.,]*\d")
FOLDERS = ("", "agents/", "benchmarks/", "examples/", "experiments/")
"""The folders from which modules are imported."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
AGENTS = {
    agent.name: agent.value
    for group in ("gubs_env.harmless_agents", "gubs_env.agents")
    for agent in entry_points(group=group)
}


def git(*words: str) -> bytes:
    """Return what git prints in the repository; nothing if it fails."""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False).stdout


class Module:
    """The definitions of a file of Python, by name.

    Methods are apart from their classes, as `Class.method`. What an import runs besides is called
    "", and "__main__" what only a script runs.
    """

    def __init__(self, name: str, path: str, text: bytes, stub: bytes = b"") -> None:
        self.name, self.path = name, path
        self.package = name if path.endswith("/__init__.py") else name.rpartition(".")[0]
        self.parts: dict[str, list[ast.AST]] = defaultdict(list)
        body = ast.parse(text).body
        self.imported = self.imports(ast.parse(stub).body) | self.imports(body)
        for statement in body:
            for part, node in named(statement):
                self.parts[part].append(node)

    def imports(self, nodes: Iterable[ast.AST]) -> dict[str, str]:
        """Return what some code imports: full names, by the names that they are given there."""
        found = {}
        for node in (each for outer in nodes for each in ast.walk(outer)):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    full = alias.name if alias.asname else alias.name.partition(".")[0]
                    found[alias.asname or full] = full
            elif isinstance(node, ast.ImportFrom):
                base = ".".join(filter(None, [self.package if node.level else "", node.module]))
                found |= {each.asname or each.name: f"{base}.{each.name}" for each in node.names}
        return found

    @cache  # noqa: B019
    def methods(self, part: str) -> list[str]:
        """Return the methods of a class."""
        return [each for each in self.parts if part and each.startswith(f"{part}.")]

    @cache  # noqa: B019
    def code(self, part: str) -> str:
        """Return what a definition does, in a form that comments do not change."""
        nodes = [WithoutWords().visit(deepcopy(node)) for node in self.parts.get(part, ())]
        return "".join(map(ast.dump, nodes))

    @cache  # noqa: B019
    def reads(self, part: str) -> tuple[set[str], set[str]]:
        """Return the full names that a definition reads, and the names of all attributes."""
        full, attributes = set(), set()
        imported = self.imported | self.imports(self.parts[part])
        for node in (each for outer in self.parts[part] for each in ast.walk(outer)):
            if isinstance(node, ast.Attribute):
                attributes.add(node.attr)
            if isinstance(node, (ast.Attribute, ast.Name)):
                first, dot, rest = dotted(node).partition(".")
                here = f"{self.name}.{first}" if first in self.parts else imported.get(first, "")
                full |= {here + dot + rest} if here else set()
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                place = AGENTS.get(node.value.partition(":")[0], node.value)
                full |= {place.replace(":", ".")} if PLACE.fullmatch(place) else set()
        return full, attributes


def named(statement: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    """Yield what a statement of a module defines, by name."""
    test = ast.dump(statement.test) if isinstance(statement, ast.If) else ""
    if isinstance(statement, ast.ClassDef):
        for each in statement.body:
            if isinstance(each, FUNCTIONS):
                yield f"{statement.name}.{each.name}", each
        kept = [each for each in statement.body if not isinstance(each, FUNCTIONS)]
        statement.body = kept or [ast.Pass()]
        yield statement.name, statement
    elif isinstance(statement, FUNCTIONS):
        if "overload" not in map(dotted, statement.decorator_list):
            yield statement.name, statement
    elif "'__main__'" in test:
        yield "__main__", statement
    elif not is_text(statement) and "TYPE_CHECKING" not in test:
        if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom)):
            yield "", statement
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id, statement
            elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                yield node.name, statement


def dotted(node: ast.expr) -> str:
    """Return names joined by dots as they stand in the code, "" for any other expression."""
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value)
        return owner and f"{owner}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def is_text(node: ast.AST) -> bool:
    """Return whether a statement is a docstring, or the text below a field."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


class WithoutWords(ast.NodeTransformer):
    """Removes docstrings, annotations and the messages of errors."""

    def visit(self, node: ast.AST) -> ast.AST:
        """Change a node and all in it."""
        self.generic_visit(node)
        if isinstance(body := getattr(node, "body", None), list):
            node.body = [each for each in body if not is_text(each)]  # type: ignore[attr-defined]
        for field in {"annotation", "returns"} & set(node._fields):
            setattr(node, field, None)
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            node.exc = node.exc.func
        return node


class Tree:
    """The files of a commit, as hashes by path, and the modules among them."""

    def __init__(self, commit: str) -> None:
        rows = [row.split("\t") for row in git("ls-tree", "-r", commit).decode().splitlines()]
        self.blobs = {path: facts.split()[2] for facts, path in rows}
        self.pages: dict[str, Module] = {}

    def read(self, path: str) -> bytes:
        """Return the contents of a file; of a network, its weights without their description."""
        data = git("cat-file", "blob", self.blobs[path]) if path in self.blobs else b""
        start = 8 + int.from_bytes(data[:8], "little") if path.endswith(".safetensors") else 0
        return data[start:]

    @cache  # noqa: B019
    def file(self, path: str, name: str = "") -> Module:
        """Return a file as a module; an empty one if there is none."""
        return Module(name, path, self.read(path), self.read(f"{path}i"))

    @cache  # noqa: B019
    def module(self, name: str) -> Module | None:
        """Return a module by its full name."""
        stem = name.replace(".", "/")
        paths = (f"{at}{stem}{end}" for at in FOLDERS for end in (".py", "/__init__.py"))
        path = next((path for path in paths if path in self.blobs), "")
        return self.file(path, name) if path else self.pages.get(name)

    @cache  # noqa: B019
    def find(self, full: str) -> Place | None:
        """Return the definition that a full name leads to: its module, and its name there."""
        if module := self.module(full):
            return module, ""
        owner, _, name = full.rpartition(".")
        found = self.find(owner) if owner else None
        if found is None or found[1]:
            return found  # an attribute of what was found
        if name in found[0].parts:
            return found[0], name
        further = found[0].imported.get(name, full)
        return found if further == full else self.find(further)

    def reached(self, starts: Iterable[str], but: tuple[str, ...]) -> Iterator[Place]:
        """Yield all definitions that some full names lead to, but those in files below `but`."""
        found: set[Place] = set()
        attributes: set[str] = set()
        methods: dict[str, list[Place]] = defaultdict(list)
        todo = [each for each in map(self.find, starts) if each]
        while todo:
            module, part = place = todo.pop()
            if place in found or below(module.path, but):
                continue
            found.add(place)
            yield place
            full, read = module.reads(part)
            todo += [(module, ""), *filter(None, map(self.find, sorted(full)))]
            for each in module.methods(part):
                methods[each.rpartition(".")[2]].append((module, each))
            attributes |= read
            for name in [each for each in methods if each in attributes or each[:2] == "__"]:
                todo += methods.pop(name)


Place = tuple[Module, str]
tree = cache(Tree)


@cache
def below(path: str, folders: tuple[str, ...]) -> bool:
    """Return whether a path is one of some, or in one of them; `*` stands for any name."""
    places = [PurePosixPath(path), *PurePosixPath(path).parents]
    return any(place.match(each) for place in places for each in folders)


@cache
def unchanged(then: Tree, now: Tree) -> tuple[str, ...]:
    """Return the paths of code that plays as it did at a commit, by the hashes of its play."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))["hashes"]
    return tuple(
        path
        for path, files in table.items()
        if all(file in then.blobs and then.read(file) == now.read(file) for file in files)
    )


def differences(then: Tree, now: Tree, path: str) -> Iterator[str]:
    """Yield the names of what differs in a file."""
    if not path.endswith(".py"):
        yield from [Path(path).name] if then.read(path) != now.read(path) else []
        return
    old, new = then.file(path), now.file(path)
    for part in old.parts | new.parts:
        if old.code(part) != new.code(part):
            yield shown(path, part)


def shown(path: str, part: str) -> str:
    """Return the name of a definition, as `module.Class.method`."""
    return f"{Path(path).stem}.{part}" if part else Path(path).name


@dataclass(frozen=True)
class Figure:
    """Figures or tables of the documentation that one command measures."""

    name: str
    page: str
    also: tuple[str, ...]
    """Other pages that have some of them."""
    what: str
    commit: str
    """The commit at which they were measured."""
    language: str
    command: str
    paths: tuple[str, ...] = ()
    """Files that change the numbers besides the code that the command reaches."""
    cheap: bool = False
    """Whether the command takes under a minute, and prints the same anywhere."""
    past: bool = False
    """Whether the code that measured them is no longer here."""

    def state(self) -> str:
        """Return whether the figures are stale, with the first names of what has changed."""
        if self.past:
            return "past: the code that was measured is no longer here"
        then, now = tree(self.commit), tree("HEAD")
        if not then.blobs:
            return "unknown: this clone does not have the commit"
        names = list(islice(self.changed(then, now), SHOWN + 1))
        more = ", …" if len(names) > SHOWN else ""
        return f"STALE, changed: {', '.join(names[:SHOWN])}{more}" if names else "current"

    def changed(self, then: Tree, now: Tree) -> Iterator[str]:
        """Yield the names of what the figures rest on and what has changed."""
        for module, part in now.reached(self.starts(now), unchanged(then, now)):
            if module.path and module.code(part) != then.file(module.path).code(part):
                yield shown(module.path, part)
        for path in sorted(path for path in then.blobs | now.blobs if below(path, self.paths)):
            if then.blobs.get(path) != now.blobs.get(path):
                yield from differences(then, now, path)

    def starts(self, now: Tree) -> list[str]:
        """Return the full names with which the command begins."""
        if self.language == "python":
            page = now.pages[self.name] = Module(self.name, "", self.command.encode())
            return [f"{self.name}.{part}" for part in page.parts]
        calls = COMMAND.findall(self.command)
        lines = re.findall(rf"^    (?:{'|'.join(calls)})\).*", now.read("run").decode(), re.M)
        scripts = SCRIPT.findall("\n".join([self.command, *lines]))
        places = [command.place for name, command in commands().items() if name in calls]
        places += [AGENTS[word] for word in re.findall(r"\w+", self.command) if word in AGENTS]
        mains = [f"{script}.__main__" for script in scripts]
        return [place.replace(":", ".") for place in places] + mains + scripts


def mark(name: str) -> re.Pattern[str]:
    """Return the pattern of a figure in its page: the commit, what follows it, and the command."""
    comment = rf":\s<!-- figure: {re.escape(name)} -->"
    return re.compile(rf"(?<=commit )(\w{{8}})({comment}.*?^```(\w+)\n(.*?)^```)", re.M | re.S)


def figures() -> dict[str, Figure]:
    """Return all figures by name, in the order of the table."""
    rows: dict[str, Any] = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    groups = rows.pop("paths")
    del rows["hashes"]
    found = {}
    for name, row in rows.items():
        match = mark(name).search((ROOT / row["page"]).read_text(encoding="utf-8"))
        if match is None:
            raise ValueError(f"{row['page']} needs `commit COMMIT: <!-- figure: {name} -->`")
        commit, _, language, command = match.groups()
        paths = [path for entry in row.get("paths", ()) for path in groups.get(entry, [entry])]
        row |= {"paths": tuple(paths), "also": tuple(row.get("also", ()))}
        found[name] = Figure(name, **row, commit=commit, language=language, command=command)
    return found


def measure(figure: Figure) -> bool:
    """Run the command of a figure, and write the commit that was measured into its page.

    Returns:
        Whether all numbers that it printed stand in the page already.
    """
    if figure.past:
        sys.exit(f"figures: {figure.name}: its code is no longer here: check out {figure.commit}")
    if git("diff", "--name-only", "HEAD", "--", "*.py", *figure.paths):
        sys.exit(f"figures: {figure.name}: commit your changes first, so that a commit has them")
    commit = git("rev-parse", "--short=8", "HEAD").decode().strip()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    shell = [*SHELLS[figure.language], figure.command]
    pages = [ROOT / page for page in (figure.page, *figure.also)]
    before = "".join(page.read_text(encoding="utf-8") for page in pages)
    printed = []
    with subprocess.Popen(
        shell, cwd=ROOT, env=os.environ | {"PATH": path}, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            printed.append(line)
    if process.returncode:
        sys.exit(f"figures: {figure.name}: its command failed; {figure.page} stays as it was")
    after = [page.read_text(encoding="utf-8") for page in pages]  # some commands write the page
    pages[0].write_text(mark(figure.name).sub(rf"{commit}\2", after[0]), encoding="utf-8")
    others = different([*printed, *"".join(after).splitlines(keepends=True)], before)
    if others:
        print(
            f"{figure.page} names {commit}; copy into it what it lacks, and commit both together:"
        )
        print("".join(others))
    else:
        print(f"{figure.page} names {commit}, and has the same figures")
    return not others


def different(lines: list[str], page: str) -> list[str]:
    """Return the lines whose numbers, but for single digits, no line of a page has in order."""
    known = [NUMBER.findall(line) for line in page.splitlines()]
    return [line for line in lines if not any(in_order(line, numbers) for numbers in known)]


def in_order(line: str, numbers: list[str]) -> bool:
    """Return whether the numbers of a line are among others, in the same order."""
    left = iter(numbers)
    return all(number in left for number in NUMBER.findall(line))


def main(words: list[str]) -> int:
    """List the figures, or measure some again; return the exit status."""
    known = figures()
    cheap = [name for name, figure in known.items() if figure.cheap]
    names = cheap if words == ["--cheap"] else words
    if unknown := [name for name in names if name not in known]:
        print(f"figures: none is called {unknown[0]}: ./run figures lists all", file=sys.stderr)
        return 2
    for figure in () if names else known.values():
        print(f"{figure.name:<21}{', '.join([figure.page, *figure.also])}: {figure.what}")
        print(f"{'':<21}{figure.commit}  {figure.state()}")
    return 0 if all([measure(known[name]) for name in names]) else 1


if __name__ == "__main__":
    print_everywhere()
    sys.exit(main(sys.argv[1:]))
