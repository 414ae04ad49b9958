"""Check the files that GitHub reads: their schemas, what workflows call, and that it is pinned.

    python .ci/workflows.py

Every `run:` step is split into commands. A command must be one of `./run`, an executable file, a
Python module or file, an installed console script, or a tool that every runner has. A path among
its arguments must exist. Actions are pinned by a commit, and packages by hashes: a tag, a branch or
a version may become something else.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from gubs_env.support.output import print_everywhere

WORKFLOWS = ".github/workflows/*.yml"
SCHEMAS = {
    "vendor.github-workflows": WORKFLOWS,
    "vendor.github-issue-forms": ".github/ISSUE_TEMPLATE/[!c]*.yml",
    "vendor.github-issue-config": ".github/ISSUE_TEMPLATE/config.yml",
    "vendor.dependabot": ".github/dependabot.yml",
    "vendor.citation-file-format": "CITATION.cff",
}
RUNNER_TOOLS = {"cat", "cd", "echo", "export", "gh", "git", "mkdir", "tee", "test"}
CONTROL = {"!", "{", "}", "if", "then", "else", "fi", "do", "done", "while"}
SEPARATOR = re.compile(r"[();|&]+")
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")
REDIRECTION = re.compile(r"[<>&]*[<>][<>&]*")


def main(root: Path) -> int:
    """Print every problem below `root`; return the exit status."""
    problems = [*schema_problems(root), *workflow_problems(root)]
    print("\n".join(problems) or "The files of .github are valid.")
    return bool(problems)


def schema_problems(root: Path) -> Iterator[str]:
    for schema, pattern in SCHEMAS.items():
        command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema]
        command += ["--default-filetype", "yaml", *map(str, sorted(root.glob(pattern)))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            yield (done.stdout + done.stderr).strip()


def workflow_problems(root: Path) -> Iterator[str]:
    for path in sorted(root.glob(WORKFLOWS)):
        for job, content in YAML(typ="safe").load(path)["jobs"].items():
            for step in [content, *content.get("steps", [])]:
                for problem in step_problems(step, root):
                    yield f"{path.relative_to(root).as_posix()}: job {job!r}: {problem}"


def step_problems(step: dict[str, Any], root: Path) -> Iterator[str]:
    used = step.get("uses", "")
    if used.startswith("./"):
        if not (root / used).exists():
            yield f"no such action or workflow: {used}"
    elif used and not PINNED.fullmatch(used):
        yield f"pin it by a commit, 40 hexadecimal digits: {used}"
    for words in commands_of(step.get("run", "")):
        if problem := command_problem(words, root):
            yield f"{' '.join(words)!r}: {problem}"


def commands_of(script: str) -> Iterator[list[str]]:
    """Yield the commands of a shell script as lists of words, those inside $(…) first."""
    script = re.sub(r"\$\{\{.*?\}\}", "expression", script).replace("\\\n", " ")
    for inner in re.findall(r"\$\(([^()]*)\)", script):
        yield from commands_of(inner)
    for line in re.sub(r"\$\([^()]*\)", "output", script).splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words: list[str] = []
        tokens = iter([*lexer, ";"])
        for word in tokens:
            if REDIRECTION.fullmatch(word):
                next(tokens)  # the file
            elif not SEPARATOR.fullmatch(word):
                words.append(word)
            elif words := without_prefix(words):
                yield words
                words = []


def without_prefix(words: list[str]) -> list[str]:
    """Return a command without keywords of the shell and assignments before it."""
    while words and (words[0] in CONTROL or re.match(r"\w+=", words[0])):
        words = words[1:]
    return words


def command_problem(words: list[str], root: Path) -> str | None:
    """Return what is wrong with a command, or None."""
    name, *arguments = words
    if name in ("python", "python3"):
        return python_problem(arguments, root) or path_problem(arguments, root)
    if name == "./run":
        labels = re.findall(r"^    ([\w |-]+)\)", (root / "run").read_text(encoding="utf-8"), re.M)
        known = [word for label in labels for word in label.split(" | ")]
        if not arguments or arguments[0] not in known:
            return f"./run has the commands {', '.join(known)}"
    elif "/" in name:
        if not ((root / name).is_file() and os.access(root / name, os.X_OK)):
            return "no such executable file"
    elif name not in RUNNER_TOOLS | entry_points(group="console_scripts").names:
        return "no such console script, and no tool of the runner"
    return path_problem(arguments, root)


def python_problem(arguments: list[str], root: Path) -> str | None:
    if arguments[:1] == ["-m"] and not is_module(arguments[1]):
        return f"no module is called {arguments[1]}"
    if arguments[:3] == ["-m", "pip", "install"] and "--require-hashes" not in arguments:
        return "install with --require-hashes, from a file of versions with hashes"
    if arguments and arguments[0].endswith(".py") and not (root / arguments[0]).is_file():
        return f"no such file: {arguments[0]}"
    return None


def is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def path_problem(arguments: list[str], root: Path) -> str | None:
    """Return which argument is a path in a folder of the repository that does not exist.

    The folder `runs` is not in the repository: the steps themselves write there.
    """
    for argument in arguments:
        folder, slash, _ = argument.partition("/")
        is_ours = bool(slash and folder) and folder != "runs" and (root / folder).is_dir()
        if is_ours and not (root / argument).exists():
            return f"no such path: {argument}"
    return None


if __name__ == "__main__":
    print_everywhere()
    sys.exit(main(Path(__file__).parents[1]))
