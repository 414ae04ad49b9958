"""The hook of editable installations, which expose our two packages and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class EditableHook(BuildHookInterface[Any]):
    """Link `gubs_env` into a folder of its own, which is put on the path in place of this one.

    Here lie `tests`, `docs` and `examples` too, which would hide those of other projects. An import
    hook (`dev-mode-exact`) is seen by no type checker, and finds the clone itself, an empty
    package, from the folder that holds it.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the link where it is wanted."""
        if version != "editable":
            return
        package, link = Path(self.root, "gubs_env"), Path(self.root, ".editable", "gubs_env")
        if link.exists() and link.samefile(package):
            return  # programs may be using it
        link.parent.mkdir(exist_ok=True)
        link.unlink(missing_ok=True)
        if sys.platform == "win32":  # links need privileges there, junctions do not
            import _winapi

            _winapi.CreateJunction(str(package), str(link))
        else:
            link.symlink_to(Path("..", "gubs_env"), target_is_directory=True)
