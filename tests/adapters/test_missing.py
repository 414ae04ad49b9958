"""Errors where the framework of an adapter is not installed."""

from __future__ import annotations

from importlib import import_module

import pytest

from gubs_env.support.checks import is_installed

ADAPTERS = {
    "openspiel": ("gubs_env.adapters.openspiel", "pyspiel"),
    "minari": ("gubs_env.adapters.minari", "minari"),
    "mcp": ("gubs_env.adapters.mcp", "mcp"),
    "textarena": ("gubs_env.adapters.textarena", "textarena"),
    "kaggle": ("gubs_env.adapters.kaggle", "kaggle_environments"),
    "verifiers": ("gubs_env.adapters.verifiers", "verifiers"),
}


@pytest.mark.parametrize("extra", ADAPTERS)
def test_the_extra_is_named(extra):
    module, framework = ADAPTERS[extra]
    if is_installed(framework):
        pytest.skip(f"{framework} is installed")
    with pytest.raises(ModuleNotFoundError) as caught:
        import_module(module)
    assert str(caught.value) == f'{framework} is not installed: pip install "gubs_env[{extra}]"'
