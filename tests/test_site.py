"""The documentation site: its hooks, and that a build fails where the documentation is wrong."""

from __future__ import annotations

import doctest
import re
import runpy
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

mkdocs = pytest.importorskip("mkdocs", reason="the docs extra is not installed")
pytest.importorskip("material", reason="the docs extra is not installed")
griffe = pytest.importorskip("griffe", reason="the docs extra is not installed")

from mkdocs.commands.build import build  # noqa: E402
from mkdocs.config import load_config  # noqa: E402
from mkdocs.exceptions import Abort, PluginError  # noqa: E402

ROOT = Path(__file__).parent.parent


def hook(name):
    return SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / "site" / f"{name}.py")))


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A function that builds a site of some pages with our settings; it returns the site."""
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")

    def built(nav, **pages):
        (tmp_path / "docs" / "site").mkdir(parents=True)
        for name in ("logo.svg", "style.css", "theme.js"):
            (tmp_path / "docs" / "site" / name).write_bytes(b"")
        for name, text in pages.items():
            (tmp_path / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
        folders = {"docs_dir": str(tmp_path / "docs"), "site_dir": str(tmp_path / "site")}
        config = load_config(str(ROOT / "mkdocs.yml"), nav=nav, plugins=[], **folders)
        build(config)
        return tmp_path / "site"

    return built


# ------------------------------------------------------------------------------------ the build


def test_files_of_the_repository_become_pages(site):
    """SECURITY.md links to docs/reliability.md, which this site has too."""
    built = site(
        ["index.md", "SECURITY.md", "reliability.md"],
        index="# Home\n[a](../SECURITY.md#how-to-report) [b](../gubs_env/engine/view.py)\n",
        reliability="# Reliability\n",
    )
    home = (built / "index.html").read_text(encoding="utf-8")
    assert 'href="SECURITY/#how-to-report"' in home
    assert 'href="source/gubs_env/engine/view.py/"' in home
    security = (built / "SECURITY" / "index.html").read_text(encoding="utf-8")
    assert 'href="../reliability/"' in security
    shown = (built / "source" / "gubs_env" / "engine" / "view.py" / "index.html").read_text("utf-8")
    assert "class View" in re.sub(r"<[^>]+>", "", shown)


@pytest.mark.parametrize(
    "pages",
    [
        {"index": "# Home\n[gone](gone.md)\n"},
        {"index": "# Home\n[gone](#no-heading)\n"},
        {"index": "# Home\n![gone](gone.svg)\n"},
        {"index": "# Home\n[gone](../gubs_env/gone.py)\n"},
        {"index": "# Home\n", "left_out": "# A page that the nav leaves out\n"},
        {"index": '# Home\n<img src="https://example.org/picture.png">\n'},
    ],
    ids=["page", "heading", "picture", "file", "nav", "other host"],
)
def test_a_mistake_fails_the_build(site, pages):
    with pytest.raises(Abort):
        site(["index.md"], **pages)


# ------------------------------------------------------------------------------------ repository


def test_a_pattern_of_the_nav_stands_for_the_files_that_it_matches(tmp_path):
    (tmp_path / "examples").mkdir()
    for name in ("02_second.ipynb", "01_first.ipynb", "notes.txt"):
        (tmp_path / "examples" / name).write_text("")
    nav = ["index.md", {"Tutorials": ["tutorials.md", "examples/*.ipynb"]}, "none/*.ipynb"]
    found = ["examples/01_first.ipynb", "examples/02_second.ipynb"]
    expected = ["index.md", {"Tutorials": ["tutorials.md", *found]}]
    assert hook("repository").expanded(nav, tmp_path) == expected


def test_links_in_code_stay_as_they_are():
    page = "[a](x.md#b) ![c](d.svg)\n```text\n[a](x.md)\n```\n[e](f.md)\n"
    led = hook("repository").with_links(page, lambda link: f"led/{link}")
    expected = "[a](led/x.md#b) ![c](led/d.svg)\n```text\n[a](x.md)\n```\n[e](led/f.md)\n"
    assert led == expected


def test_links_named_after_a_file_show_the_title_of_its_page(site):
    built = site(
        ["index.md", {"How to play": "playing.md"}, "SECURITY.md"],
        index="# Home\n[playing.md](playing.md) [docs/playing.md](playing.md#two)\n"
        "[the rest](playing.md) [SECURITY.md](../SECURITY.md) [view.py](../gubs_env/engine/view.py)"
        "\n```text\n[playing.md](playing.md)\n```\n",
        playing="# Playing\n## Two\n",
    )
    home = (built / "index.html").read_text(encoding="utf-8")
    assert '<a href="playing/">How to play</a> <a href="playing/#two">How to play</a>' in home
    assert '<a href="playing/">the rest</a> <a href="SECURITY/">Security</a>' in home
    assert ">view.py</a>" in home
    assert "[playing.md](playing.md)" in re.sub(r"<[^>]+>", "", home)


def test_the_site_begins_with_a_game_and_says_nowhere_what_it_shows():
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    buttons = page.split('<div class="buttons" markdown>')[1].split("</div>")[0]
    assert re.findall(r"\[([^]]+)\]", buttons)[:2] == ["See a game", "Play"]
    for path in (ROOT / "docs").rglob("*.md"):
        assert "documentation site shows" not in path.read_text(encoding="utf-8"), path


def test_a_shown_file_may_hold_fences_of_its_own():
    page = hook("repository").shown("a.md.txt", "before\n````\ninside\n````\n")
    assert page.count("`````") == 2


def test_sessions_of_the_interpreter_are_marked_as_such():
    page = "```python\n>>> 1 + 1\n2\n```\n```python\nx = 1\n```\n"
    assert hook("repository").with_doctests(page).startswith("```pycon\n>>> 1")
    assert hook("repository").with_doctests(page).endswith("```python\nx = 1\n```\n")


# --------------------------------------------------------------------------- replays and pictures


@pytest.mark.parametrize(
    ("commands", "error"),
    [
        ("ls\n", "writes no page with --html"),
        ("gubs replay gone.jsonl --html page.html\n", "gone.jsonl"),
    ],
)
def test_commands_that_make_no_replay_fail_the_build(commands, error):
    with pytest.raises(PluginError, match=error):
        hook("replays").made_by(commands)


@pytest.mark.parametrize("game", ["gubs", "fubnub", "bad_bad_turtle"])
def test_every_game_page_has_a_replay_of_its_name(game):
    page = (ROOT / "docs" / f"{game}.md").read_text(encoding="utf-8")
    (found,) = hook("replays").REPLAY.finditer(page)
    assert found[2].rstrip().endswith(f"--html {game}.html")


def test_a_picture_becomes_part_of_its_page(tmp_path):
    (tmp_path / "a.svg").write_text("<svg><title>A table</title></svg>")
    file = SimpleNamespace(url="images/a.svg", abs_src_path=str(tmp_path / "a.svg"))
    page = SimpleNamespace(url="games/gubs/")
    html = '<p><img alt="A table" src="../../images/a.svg"></p><p><img alt="" src="b.png"></p>'
    shown = hook("inlining").on_page_content(html, page, None, [file])
    assert shown.startswith('<figure class="picture" data-search-exclude><svg><title>A table')
    assert shown.endswith('<p><img alt="" src="b.png"></p>')


# ----------------------------------------------------------------------------------- the checks

SOURCE = '''
"""A module.

Attributes:
    told: an attribute that this docstring tells of.
"""
from os import path
from untold.inner import Kept
__all__ = ["Kept", "Partly", "bare", "told", "number"]
told = 1
number = 2
def bare(): ...
def _private(): ...
class Partly:
    """A class."""
    field: int
    """A field."""
    silent: int
    def __init__(self):
        """Make it."""
        self.inside = 1
    def method(self): ...
    def fine(self):
        """Do nothing."""
'''


def test_public_objects_without_docstrings_are_named(tmp_path):
    (tmp_path / "untold").mkdir()
    (tmp_path / "untold" / "__init__.py").write_text(SOURCE)
    (tmp_path / "untold" / "inner.py").write_text('"""Inner."""\nclass Kept:\n    x: int\n')
    found = hook("checks").undocumented("untold", [str(tmp_path)])
    names = {"Kept", "Kept.x", "Partly.silent", "Partly.method", "bare", "number"}
    assert {name.rpartition("untold.")[2].removeprefix("inner.") for name in found} == names


@pytest.mark.parametrize(
    ("html", "is_loaded"),
    [
        ('<script src="https://example.org/a.js"></script>', True),
        ('<link rel="stylesheet" href="//example.org/a.css">', True),
        ("<style>@import url(https://example.org/a.css);</style>", True),
        ('<iframe title="x" src="http://example.org"></iframe>', True),
        ('<a href="https://example.org">a link</a>', False),
        ('<link rel="canonical" href="https://example.org/">', False),
        ('<script src="assets/a.js"></script>', False),
    ],
)
def test_what_is_loaded_from_other_hosts_is_found(html, is_loaded):
    assert bool(hook("checks").LOADED.findall(html)) == is_loaded


# ------------------------------------------------------------------------------ pages of the site


def test_the_examples_of_the_home_page_run():
    pytest.importorskip("choix", reason="the arena extra is not installed")
    failed, tried = doctest.testfile(str(ROOT / "docs" / "index.md"), module_relative=False)
    assert (failed, tried > 0) == (0, True)


@pytest.mark.parametrize("game", ["gubs", "fubnub", "bad_bad_turtle"])
def test_the_reference_shows_all_that_a_public_module_offers(game):
    module = import_module(f"gubs_env.{game}_v0")
    page = (ROOT / "docs" / "reference" / f"{game}_v0.md").read_text(encoding="utf-8")
    elsewhere = {"GAME", "Outcome", "View"}
    assert set(re.findall(r"^ +- (\w+)$", page, re.M)) | elsewhere == set(module.__all__)


def test_the_entry_to_cite_is_that_of_the_citation_file():
    yaml = pytest.importorskip("ruamel.yaml", reason="the dev extra is not installed")
    cited = yaml.YAML(typ="safe").load(ROOT / "CITATION.cff")
    entry = (ROOT / "docs" / "citing.md").read_text(encoding="utf-8").replace("\\_", "_")
    for key in ("version", "title", "license"):
        assert re.search(rf"{key} += {{{re.escape(str(cited[key]))}}}", entry)
    assert f"{{{{{cited['authors'][0]['name']}}}}}" in entry
