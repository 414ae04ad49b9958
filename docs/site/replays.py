"""Replays of games inside pages: a hook of MkDocs.

A page marks the place with `<!-- replay -->`. The block of commands after the mark makes the
replay; the site runs its lines that begin with `gubs`, and shows the page that the last of them
writes.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
REPLAY = re.compile(r"<!-- replay -->(.*?^```bash\n(.*?)^```)", re.M | re.S)
FRAME = """<p class="replay"><iframe src="{src}" title="A recorded game" loading="lazy"></iframe>
<a href="{src}">Open the replay in a page of its own</a></p>"""


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put a replay at each mark of a page."""

    def framed(found: re.Match[str]) -> str:
        name, content = made_by(found[2])
        uri = f"replays/{name}"
        if uri not in files.src_uris:
            files.append(File.generated(config, uri, content=content))
        depth = page.url.count("/")
        return FRAME.format(src="../" * depth + uri) + found[1]

    return REPLAY.sub(framed, markdown)


@cache
def made_by(commands: str) -> tuple[str, str]:
    """Return the name and the text of the page that commands write with `--html`.

    Raises:
        PluginError: for a command that fails, or commands that write no page.
    """
    calls = [shlex.split(line) for line in commands.replace("\\\n", " ").splitlines()]
    calls = [call[1:] for call in calls if call[:1] == ["gubs"]]
    name = calls[-1][calls[-1].index("--html") + 1] if calls and "--html" in calls[-1] else None
    if name is None:
        raise PluginError(f"the last command writes no page with --html:\n{commands}")
    path = os.pathsep.join([str(ROOT), str(ROOT / "agents"), os.environ.get("PYTHONPATH", "")])
    variables = os.environ | {"PYTHONPATH": path}
    with tempfile.TemporaryDirectory() as folder:
        for call in calls:
            done = subprocess.run(
                [sys.executable, "-m", "gubs_env", *call],
                cwd=folder,
                env=variables,
                capture_output=True,
                text=True,
            )
            if done.returncode:
                raise PluginError(f"{shlex.join(call)}: {done.stderr}")
        return name, (Path(folder) / name).read_text("utf-8")
