"""List the figures of the documentation and mark the stale ones, or measure some again.

    python .ci/figures.py          # every figure, and the files that changed below it
    python .ci/figures.py NAME …   # run their commands, and write the commit into their pages

`docs/figures.toml` lists the figures: the page, what is measured, and the paths that it rests on.
The page has the rest: the words `commit COMMIT: <!-- figure: NAME -->`, and below them a block of
code, which is the command. A script that the command calls is one of the paths. A figure is stale
if the code of a file below these paths has changed; comments, docstrings and layout may change.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gubs_env.support.output import print_everywhere

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "docs" / "figures.toml"
SHELLS = {"bash": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}
SCRIPT = re.compile(r"\b(?:benchmarks|examples|experiments)/\w+\.py\b")


@dataclass(frozen=True)
class Figure:
    """Figures or tables of the documentation that one command measures."""

    name: str
    page: str
    what: str
    paths: tuple[str, ...]
    """Paths that the figures depend on; empty if the code that measured them is no longer here."""
    commit: str
    """The commit at which they were measured."""
    language: str
    command: str

    def state(self) -> str:
        """Return whether the figures are stale, with a file whose code has changed since."""
        if not self.paths:
            return "past: the code that was measured is no longer here"
        head = git("rev-parse", "HEAD").stdout.strip()
        names = git("diff", "--name-only", "--no-renames", self.commit, head, "--", *self.paths)
        if names.returncode:
            return "unknown: this clone does not have the commit"
        paths = names.stdout.splitlines()
        changed = [path for path in paths if code(self.commit, path) != code(head, path)]
        return f"STALE: {len(changed)} changed, such as {changed[0]}" if changed else "current"


def git(*words: str) -> subprocess.CompletedProcess[str]:
    """Call git in the repository."""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)


@cache
def code(commit: str, path: str) -> str:
    """Return the code of a file of Python without comments and docstrings; of others, a hash."""
    if not path.endswith(".py"):
        return git("rev-parse", f"{commit}:{path}").stdout
    tree = ast.parse(git("show", f"{commit}:{path}").stdout)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not is_text(part)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def is_text(node: ast.AST) -> bool:
    """Return whether a statement is a docstring, or the text below a field."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def mark(name: str) -> re.Pattern[str]:
    """Return the pattern of a figure in its page: the commit, what follows it, and the command."""
    comment = rf":\s<!-- figure: {re.escape(name)} -->"
    return re.compile(rf"(?<=commit )(\w{{8}})({comment}.*?^```(\w+)\n(.*?)^```)", re.M | re.S)


def figures() -> dict[str, Figure]:
    """Return all figures by name, in the order of the table."""
    rows: dict[str, Any] = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    groups = rows.pop("paths")
    found = {}
    for name, row in rows.items():
        match = mark(name).search((ROOT / row["page"]).read_text(encoding="utf-8"))
        if match is None:
            raise ValueError(f"{row['page']} needs `commit COMMIT: <!-- figure: {name} -->`")
        commit, _, language, command = match.groups()
        paths = [path for entry in row["paths"] for path in groups.get(entry, [entry])]
        row["paths"] = (*paths, *(SCRIPT.findall(command) if paths else ()))
        found[name] = Figure(name, **row, commit=commit, language=language, command=command)
    return found


def measure(figure: Figure) -> None:
    """Run the command of a figure, and write the commit that was measured into its page."""
    if not figure.paths:
        sys.exit(f"figures: {figure.name}: its code is no longer here: check out {figure.commit}")
    if git("diff", "--quiet", "HEAD", "--", *figure.paths).returncode:
        sys.exit(f"figures: {figure.name}: commit your changes first, so that a commit has them")
    commit = git("rev-parse", "--short=8", "HEAD").stdout.strip()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    shell = [*SHELLS[figure.language], figure.command]
    if subprocess.run(shell, cwd=ROOT, env=os.environ | {"PATH": path}, check=False).returncode:
        sys.exit(f"figures: {figure.name}: its command failed; {figure.page} stays as it was")
    page = ROOT / figure.page
    text = mark(figure.name).sub(rf"{commit}\2", page.read_text(encoding="utf-8"))
    page.write_text(text, encoding="utf-8")
    print(f"{figure.page} names {commit}: copy what was printed into it, and commit both together")


def main(names: list[str]) -> int:
    """List the figures, or measure some again; return the exit status."""
    known = figures()
    if unknown := [name for name in names if name not in known]:
        print(f"figures: none is called {unknown[0]}: ./run figures lists all", file=sys.stderr)
        return 2
    for name in names:
        measure(known[name])
    for figure in () if names else known.values():
        print(f"{figure.name:<21}{figure.page}: {figure.what}")
        print(f"{'':<21}{figure.commit}  {figure.state()}")
    return 0


if __name__ == "__main__":
    print_everywhere()
    sys.exit(main(sys.argv[1:]))
