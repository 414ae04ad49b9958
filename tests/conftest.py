"""Compilation before the tests: once, while pytest-xdist's workers collect. A browser for pages.

Otherwise every worker would compile the same games at first, because none finds them in the cache.
`gubs warm` compiles them, each game in a process of its own. A few tests of rules do not wait for
it: they are interpreted.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from subprocess import DEVNULL
from typing import Any

import pytest

from gubs_env import GAMES, find_game
from gubs_env.engine.compiling import is_cached
from gubs_env.support import cluster
from tests import poker
from tests.browsing import CHROMIUM

WINDOW = {"width": 1280, "height": 1200}
collect_ignore = ["arena/broken_agent.py", "warm.py"]  # one fails to import, one plays

WARMING = pytest.StashKey[subprocess.Popen[bytes]]()
RULES = ("tests/gubs/", "tests/fubnub/", "tests/bad_bad_turtle/")
FEW = 300
"""Tests of rules that are interpreted in less time than the rules are compiled."""


def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault("GUBS_ENV_COMPILE", "wait")
    poker.register()
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as under nohup: commands inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    workers = getattr(config.option, "numprocesses", None)
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if not workers or hasattr(config, "workerinput"):
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # more threads per worker would compete for cores
    if whole and not all(is_cached(find_game(name).kernel.advance) for name in GAMES):
        command = [sys.executable, "-m", "gubs_env", "warm", "--processes", str(workers)]
        config.stash[WARMING] = subprocess.Popen(command, stdout=DEVNULL, stderr=DEVNULL)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Wait until the games are compiled; meanwhile the workers collect the tests."""
    if warming := session.config.stash.get(WARMING, None):
        warming.wait()  # a rule that fails there fails in its test too, with a report


def pytest_collection_finish(session: pytest.Session) -> None:
    paths = [item.nodeid for item in session.items]
    if len(paths) < FEW and all(path.startswith(RULES) for path in paths):
        names = {path.split("/")[1] for path in paths}
        if not all(is_cached(find_game(name).kernel.advance) for name in names):
            os.environ["GUBS_ENV_COMPILE"] = "auto"


@pytest.fixture(scope="module")
def quick_processes() -> Iterator[None]:
    """Let workers begin as copies of a process that has imported and played.

    Each would otherwise do so by itself for more than a second, as it does in the tests of the
    processes themselves and of whole commands.
    """
    with pytest.MonkeyPatch.context() as patch:
        if "forkserver" in multiprocessing.get_all_start_methods():
            patch.setattr(cluster, "CONTEXT", context := multiprocessing.get_context("forkserver"))
            context.set_forkserver_preload(["tests.warm"])
        yield


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start Chromium; a test that needs it is skipped where it is not installed."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    if CHROMIUM is None:
        pytest.skip("needs the browser chromium")
    with sync_api.sync_playwright() as running:
        launched = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


def new_tab(browser: Any, errors: list[str], **options: Any) -> Any:
    """Open a tab, with options of Playwright's `new_page`, whose errors are added to a list."""
    tab = browser.new_page(**{"viewport": WINDOW, **options})
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    return tab


@pytest.fixture
def open_tab(browser: Any) -> Iterator[Callable[..., Any]]:
    """Return a function that opens tabs, as `new_tab`, in which any error fails the test."""
    tabs, errors = [], list[str]()

    def opened(**options: Any) -> Any:
        tabs.append(new_tab(browser, errors, **options))
        return tabs[-1]

    yield opened
    for tab in tabs:
        tab.close()
    assert not errors


@pytest.fixture(scope="module")
def kept_tab(browser: Any) -> tuple[Any, list[str]]:
    """Open a tab for the tests of a module: to open one takes longer than most of them."""
    errors: list[str] = []
    return new_tab(browser, errors, reduced_motion="reduce"), errors


@pytest.fixture
def errors_expected() -> None:
    """Let no error of a page fail the test in the fixture `tab`."""


@pytest.fixture
def tab(kept_tab: tuple[Any, list[str]], request: pytest.FixtureRequest) -> Iterator[Any]:
    """Return a tab that is as a new one, in which any error of a page fails the test.

    It prefers reduced motion. It may not add scripts, which would stay: see `open_tab`.
    """
    tab, errors = kept_tab
    yield tab
    found = [] if "errors_expected" in request.fixturenames else errors.copy()
    tab.context.set_offline(False)
    tab.unroute_all()
    tab.evaluate("localStorage.clear(); sessionStorage.clear()")
    tab.goto("about:blank")
    tab.set_viewport_size(WINDOW)
    tab.emulate_media(color_scheme="null", reduced_motion="reduce")
    errors.clear()
    assert not found
