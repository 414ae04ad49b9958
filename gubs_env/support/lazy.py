"""The public names of a package, each imported on first use."""

from __future__ import annotations

import re
from pkgutil import get_data
from typing import Any

from lazy_loader import attach


def attach_stub(package: str) -> tuple[Any, Any, Any]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package from its `__init__.pyi`.

    Type checkers read the same file. Unlike `lazy_loader.attach_stub`, it also reads one in a zip.
    """
    stub = (get_data(package, "__init__.pyi") or b"").decode()
    modules: dict[str, list[str]] = {}
    for module, name in re.findall(r"^from \.([\w.]*) import (\w+)", stub, re.M):
        modules.setdefault(module, []).append(name)
    return attach(package, modules.pop("", []), modules)
