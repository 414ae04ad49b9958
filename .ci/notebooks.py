"""Execute the notebooks in `examples`; nothing is written without --save.

    python .ci/notebooks.py                # all of them
    python .ci/notebooks.py 3 5 --save     # two of them, with their new outputs

A notebook fails if a cell raises an error or writes to standard error, if it takes longer than two
minutes (that of an experiment ten; $GUBS_ENV_NOTEBOOK_SECONDS sets another limit), or if its file
has a problem that `problems` names. The line of installation is not executed, because the notebooks
are to run with this checkout.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from gubs_env.support.output import print_everywhere

EXAMPLES = Path(__file__).parent.parent / "examples"
INSTALL = '%pip install -q "gubs_env['
LIMIT = float(os.environ.get("GUBS_ENV_NOTEBOOK_SECONDS", 120))
"""Seconds that a whole notebook may take."""
EXPERIMENT, EXPERIMENT_LIMIT = "08_paper.ipynb", 600.0
"""The notebook that may take longer, and its seconds."""
MOST_KILOBYTES = 400
PLACES = re.compile(r"/home/|/root/|/tmp/|/Users/|[A-Z]:\\\\|at 0x[0-9a-f]{6,}")
"""Texts that differ between machines or runs."""
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def main(arguments: list[str]) -> int:
    """Check and execute notebooks; return the exit status."""
    wanted = [argument.zfill(2) for argument in arguments if argument != "--save"]
    paths = [path for path in notebooks() if not wanted or path.name.startswith(tuple(wanted))]
    if not paths:
        print(f"notebooks: none begins with {', '.join(wanted)}", file=sys.stderr)
        return 2
    failures = 0
    for path in paths:
        started = time.perf_counter()
        found = list(run(path, "--save" in arguments)) or list(problems(path))
        failures += bool(found)
        print(f"{path.name}: {'; '.join(found) or 'fine'}, {time.perf_counter() - started:.0f} s")
    return int(failures > 0)


def notebooks(folder: Path = EXAMPLES) -> list[Path]:
    """Return the notebooks of a folder, in order."""
    return sorted(folder.glob("*.ipynb"))


def problems(path: Path) -> Iterator[str]:
    """Yield what is wrong with the file of a notebook, which is not executed."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    if path.stat().st_size > 1000 * MOST_KILOBYTES:
        yield f"it has more than {MOST_KILOBYTES} kB"
    if notebook.metadata != METADATA:
        yield f"its metadata must be {METADATA}: write it with --save"
    cells = code_cells(notebook)
    if not cells or not is_installation(cells[0]):
        yield f"its first code cell must be {INSTALL}…]"
        return
    if not any(cell.outputs for cell in cells):
        yield "it has no outputs: execute it with --save"
    for number, cell in enumerate(cells[1:], 1):
        if cell.execution_count != number:
            yield f"cell {cell.id} was not executed in order: execute the notebook with --save"
        if match := PLACES.search(str(cell.outputs)):
            yield f"cell {cell.id} shows {match[0]}, which differs from machine to machine"


def code_cells(notebook: Any) -> list[Any]:
    """Return the code cells of a notebook."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def is_installation(cell: Any) -> bool:
    """Return whether a cell is nothing but the line of installation."""
    return cell.source.startswith(INSTALL) and "\n" not in cell.source


def run(path: Path, save: bool) -> Iterator[str]:
    """Execute a notebook in an empty folder, and yield what went wrong."""
    notebook = nbformat.read(path, as_version=4)
    installations = [cell for cell in code_cells(notebook) if is_installation(cell)]
    lines = [cell.source for cell in installations]
    for cell in installations:
        cell.source = ""
    limit = max(LIMIT, EXPERIMENT_LIMIT) if path.name == EXPERIMENT else LIMIT
    try:
        execute(notebook, path.parent, limit)
    except CellTimeoutError:
        yield f"it takes longer than {limit:g} seconds"
    except (CellExecutionError, DeadKernelError) as error:
        yield str(error)
    for cell, line in zip(installations, lines, strict=True):
        cell.source = line
    for cell in code_cells(notebook):
        for output in cell.outputs:
            if output.get("name") == "stderr":
                yield f"cell {cell.id} writes to standard error: {output.text.strip()}"
    if save:
        tidy(notebook)
        nbformat.write(notebook, path)


def execute(notebook: Any, home: Path, limit: float) -> None:
    """Execute a notebook within a limit of seconds; it can import what lies in `home`."""
    end = time.monotonic() + limit
    searched = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(home), *filter(None, [searched])])
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(
            notebook,
            timeout_func=lambda cell: max(1, end - time.monotonic()),
            resources={"metadata": {"path": folder}},
            extra_arguments=["--log-level=ERROR"],
            record_timing=False,
            coalesce_streams=True,
        ).execute()


def tidy(notebook: Any) -> None:
    """Remove what differs from run to run, and number the cells from 1."""
    notebook.metadata = METADATA
    cells = [cell for cell in code_cells(notebook) if not is_installation(cell)]
    for number, cell in enumerate(cells, 1):
        cell.execution_count = number
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = number
            if "text/plain" in output.get("data", {}):
                output.data["text/plain"] = re.sub(" at 0x[0-9a-f]+", "", output.data["text/plain"])


if __name__ == "__main__":
    print_everywhere()
    sys.exit(main(sys.argv[1:]))
