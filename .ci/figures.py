"""List the figures of the documentation, check that they still hold, or measure some again.

    python .ci/figures.py                    # every figure, and the commit that was measured
    python .ci/figures.py --check [NAME …]   # small runs of all, or of some: which are stale?
    python .ci/figures.py NAME …             # run their commands, and write the commit into pages

`docs/figures.toml` lists the figures, each with a small run: its command with small sizes, which
prints the same numbers every time. The page has the rest: the words
`commit COMMIT: <!-- figure: NAME DIGEST -->`, and below them a block of code, which is the command.
DIGEST is that of the numbers that the small run printed at this commit. A figure is stale if they
are others now. Without a digest it is unchecked: it was measured before its small run was written.

What a command prints in full has the figures of the page if the numbers of each line, but for
single digits, stand in a line of the page, in the same order.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from gubs_env.support.output import print_everywhere

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "docs" / "figures.toml"
SHELLS = {"bash": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}
NUMBER = re.compile(r"(?<![\w.])\d(?:[\d,]*\d)?(?:\.\d+)?")
SIGNED = re.compile(rf"-?{NUMBER.pattern}")
TIME = re.compile(r"\b(?:minutes|seconds|ms|[\d.,]+ (?:s|min))\b")
"""The words that mark a line as a time, or the head of a table as one with times."""
STALE = "STALE"


@dataclass(frozen=True)
class Figure:
    """Figures or tables of the documentation that one command measures."""

    name: str
    page: str
    what: str
    commit: str
    """The commit at which they were measured."""
    digest: str
    """A hash of the numbers that the small run printed there; empty if it was not run there."""
    language: str
    command: str
    small: str = ""
    """The small run, in the same language; empty for speeds, which differ from run to run."""
    also: tuple[str, ...] = ()
    """Other pages that have some of them."""
    past: bool = False
    """Whether the code that measured them is no longer here."""

    def state(self) -> str:
        """Return whether the figures hold, by their small run."""
        if self.past:
            return "past: the code that was measured is no longer here"
        if not self.small:
            return "a speed of that commit; speeds have no small run"
        if not self.digest:
            return "unchecked: measured before its small run was written"
        try:
            found = self.small_digest()
        except subprocess.CalledProcessError:
            return f"{STALE}: its small run fails"
        return "current" if found == self.digest else f"{STALE}: its small run gives {found}"

    def small_digest(self) -> str:
        """Return the digest of what the small run prints, with `$OUT` as its folder."""
        with TemporaryDirectory() as folder:
            lines = self.run(self.small, OUT=folder, OMP_NUM_THREADS="1")
            return digest(line.replace(folder, "") for line in lines)

    def run(self, command: str, **variables: str) -> Iterator[str]:
        """Yield the lines that a command prints."""
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        shell, env = [*SHELLS[self.language], command], os.environ | {"PATH": path} | variables
        with subprocess.Popen(
            shell, cwd=ROOT, env=env, stdout=subprocess.PIPE, encoding="utf-8"
        ) as process:
            yield from process.stdout or ()
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, shell)


def digest(lines: Iterable[str]) -> str:
    """Return a hash of the numbers of some lines, to four digits, without times.

    Raises:
        ValueError: for lines without such numbers.
    """
    numbers, timed = [], False
    for line in lines:
        timed = bool(TIME.search(line)) or (timed and line.startswith("|"))
        if not timed:
            found = SIGNED.findall(line.replace("−", "-").replace(",", ""))
            numbers += [f"{float(each):.4g}" for each in found]
    if not numbers:
        raise ValueError("a small run prints numbers besides times")
    return sha256(" ".join(numbers).encode()).hexdigest()[:8]


def mark(name: str) -> re.Pattern[str]:
    """Return the pattern of a figure in its page: its commit, digest, language and command."""
    comment = rf":\s<!-- figure: {re.escape(name)}(?: (\w+))? -->"
    return re.compile(rf"(?<=commit )(\w{{8}}){comment}(.*?^```(\w+)\n(.*?)^```)", re.M | re.S)


def figures() -> dict[str, Figure]:
    """Return all figures by name, in the order of the table."""
    found = {}
    for name, row in tomllib.loads(TABLE.read_text(encoding="utf-8")).items():
        match = mark(name).search((ROOT / row["page"]).read_text(encoding="utf-8"))
        if match is None:
            raise ValueError(f"{row['page']} needs `commit COMMIT: <!-- figure: {name} -->`")
        commit, known, _, language, command = match.groups()
        row |= {"commit": commit, "digest": known or "", "also": tuple(row.get("also", ()))}
        found[name] = Figure(name, **row, language=language, command=command)
    return found


def measure(figure: Figure) -> bool:
    """Run the command of a figure, and write the commit and the digest into its page.

    Returns:
        Whether all numbers that it printed stand in the page already.
    """
    if figure.past:
        sys.exit(f"figures: {figure.name}: its code is no longer here: check out {figure.commit}")
    if git("diff", "--name-only", "HEAD", "--", ".", ":!docs"):
        sys.exit(f"figures: {figure.name}: commit your changes first, so that a commit has them")
    pages = [ROOT / page for page in (figure.page, *figure.also)]
    before = "".join(page.read_text(encoding="utf-8") for page in pages)
    printed = []
    try:
        known = f" {figure.small_digest()}" if figure.small else ""
        for line in figure.run(figure.command):
            print(line, end="", flush=True)
            printed.append(line)
    except subprocess.CalledProcessError:
        sys.exit(f"figures: {figure.name}: its command failed; {figure.page} stays as it was")
    after = [page.read_text(encoding="utf-8") for page in pages]  # some commands write the page
    commit = git("rev-parse", "--short=8", "HEAD").strip()
    written = rf"{commit}: <!-- figure: {figure.name}{known} -->\3"
    pages[0].write_text(mark(figure.name).sub(written, after[0]), encoding="utf-8")
    others = different([*printed, *"".join(after).splitlines(keepends=True)], before)
    if others:
        print(
            f"{figure.page} names {commit}; copy into it what it lacks, and commit both together:"
        )
        print("".join(others))
    else:
        print(f"{figure.page} names {commit}, and has the same figures")
    return not others


def git(*words: str) -> str:
    """Return what git prints in the repository."""
    return subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    ).stdout


def different(lines: list[str], page: str) -> list[str]:
    """Return the lines whose numbers, but for single digits, no line of a page has in order."""
    known = [NUMBER.findall(line) for line in page.splitlines()]
    return [line for line in lines if not any(in_order(line, numbers) for numbers in known)]


def in_order(line: str, numbers: list[str]) -> bool:
    """Return whether the numbers of a line are among others, in the same order."""
    left = iter(numbers)
    return all(number in left for number in NUMBER.findall(line) if len(number) > 1)


def main(words: list[str]) -> int:
    """List the figures, check some, or measure some again; return the exit status."""
    known = figures()
    checking = words[:1] == ["--check"]
    names = words[checking:] or list(known)
    if unknown := [name for name in names if name not in known]:
        print(f"figures: none is called {unknown[0]}: ./run figures lists all", file=sys.stderr)
        return 2
    if words and not checking:
        return 0 if all([measure(known[name]) for name in names]) else 1
    stale = 0
    for figure in (known[name] for name in names):
        if checking:
            state = figure.state()
            stale += state.startswith(STALE)
            print(f"{figure.name:<21}{figure.commit}  {state}", flush=True)
        else:
            pages = ", ".join([figure.page, *figure.also])
            print(f"{figure.name:<21}{figure.commit}  {pages}: {figure.what}")
    return min(stale, 1)


if __name__ == "__main__":
    print_everywhere()
    sys.exit(main(sys.argv[1:]))
