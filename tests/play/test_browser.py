"""The game in a real browser: a whole game by keyboard, two people, a reload, accessibility."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest

from gubs_env.play.replay import read_game

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe")
pytest.importorskip("uvicorn", reason="needs the extra web")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium")


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as running:
        launched = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def served(tmp_path):
    """Start games and return the links of their people; stop them at the end."""
    processes = []

    def start(*options):
        command = [sys.executable, "-m", "gubs_env", "play", "--web", "--no-open-browser"]
        command += ["--opponents", "random", "--pace", "0", "--replay", "game.jsonl", *options]
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        links = []
        for line in process.stdout:
            if found := re.search(r"http://\S+", line):
                links.append(found[0])
            if "Ctrl-C" in line:
                break
        return links

    yield start
    for process in processes:
        process.terminate()
        said, _ = process.communicate(timeout=30)
        assert process.returncode == 0
        assert "The game is saved in game.jsonl" in said


@pytest.fixture
def tab(browser):
    """A tab in which any error of a page fails the test."""
    opened, errors = browser.new_page(viewport={"width": 1280, "height": 1200}), []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    yield opened
    opened.close()
    assert not errors


def visit(tab, link):
    tab.goto(link)
    tab.wait_for_selector("#table svg", timeout=60_000)


def until(tab, condition):
    """Wait for a condition; the content policy of the page forbids Playwright's own way."""
    for _ in range(1200):
        if tab.evaluate(condition):
            return
        tab.wait_for_timeout(50)
    raise AssertionError(f"never came true: {condition}")


def decide(tab):
    tab.wait_for_selector("#moves button", timeout=60_000)


def test_a_whole_game_is_played_by_keyboard(served, tab, tmp_path):
    (link,) = served("--game", "bad_bad_turtle", "--seed", "3")
    visit(tab, link)
    for _ in range(400):
        tab.wait_for_selector("#moves button, #moves li:text('over')", timeout=60_000)
        if not tab.query_selector("#moves button"):
            break
        version = tab.evaluate("state.version")
        tab.focus("#moves button")
        tab.keyboard.press("Enter")
        until(tab, f"state.version !== {version}")
    assert "The game is over" in tab.inner_text("#question")
    env, _ = read_game(tmp_path / "game.jsonl")
    assert env.is_done(env.agent_selection)


def test_cards_can_be_clicked_and_a_choice_taken_back(served, tab):
    (link,) = served("--seed", "5")
    visit(tab, link)
    decide(tab)
    tab.click("#table .may[data-where='deck'] >> nth=-1")
    until(tab, "state.log.length > 0")
    decide(tab)
    card = tab.query_selector("#table .may[data-card]")
    assert card.get_attribute("role") == "button"
    assert card.get_attribute("tabindex") == "0"
    assert card.get_attribute("aria-label")
    before = tab.inner_text("#question")
    tab.evaluate("chosen = [state.moves.at(-1)[1][0]]; show()")
    assert tab.is_visible("#back")
    tab.keyboard.press("Escape")
    assert not tab.is_visible("#back")
    assert tab.inner_text("#question") == before


def test_a_reload_resumes_the_game(served, tab):
    (link,) = served("--seed", "5")
    visit(tab, link)
    decide(tab)
    tab.click("#moves button >> nth=-1")
    until(tab, "state.log.length > 0")
    decide(tab)
    moves = tab.inner_text("#moves")
    tab.reload()
    decide(tab)
    assert tab.inner_text("#moves") == moves


def test_a_lost_connection_is_told_and_comes_back(served, browser):
    (link,) = served("--seed", "5")
    tab = browser.new_page()  # errors are expected here
    visit(tab, link)
    decide(tab)
    tab.context.set_offline(True)
    tab.click("#moves button >> nth=-1")
    until(tab, "document.getElementById('said').textContent !== ''")
    tab.context.set_offline(False)
    tab.reload()
    decide(tab)
    tab.click("#moves button >> nth=-1")
    until(tab, "state.log.length > 0")
    tab.close()


def test_two_people_play_and_see_their_own_hands(served, browser):
    links = served("--seed", "5", "--humans", "2")
    assert len(set(links)) == 2
    tabs = [browser.new_page() for _ in links]
    for tab, link in zip(tabs, links, strict=True):
        visit(tab, link)
    decide(tabs[0])
    assert not tabs[1].query_selector("#moves button")
    for seat, tab in enumerate(tabs):
        assert tab.query_selector(f"[data-where='hand of player_{seat}'][data-card]")
        assert not tab.query_selector(f"[data-where='hand of player_{1 - seat}'][data-card]")
    heard = len(tabs[1].query_selector_all("#log li"))
    tabs[0].click("#moves button >> nth=-1")
    until(tabs[1], f"state.log.length > {heard}")
    for tab in tabs:
        tab.close()


@pytest.mark.parametrize("game", ["gubs", "fubnub", "bad_bad_turtle"])
def test_nothing_hinders_people_with_disabilities(served, tab, game):
    (link,) = served("--game", game, "--seed", "5")
    visit(tab, link)
    decide(tab)
    found = axe.Axe().run(tab).response["violations"]
    assert not [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found]
    tab.set_viewport_size({"width": 380, "height": 800})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 380
