"""The game in a real browser: a whole game by keyboard, two people, a reload, accessibility."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from gubs_env.play.replay import read_game
from tests.browsing import COUNT_MOVES, PHONE, barriers, comes_true, until, width_of

pytest.importorskip("uvicorn", reason="needs the extra web")

IN_HAND = "#table .may[data-where^='hand of']"
LEAST = """(shown) => Math.min(...[...document.querySelectorAll(shown)]
    .map((each) => each.getBoundingClientRect()).filter((box) => box.height > 0)
    .flatMap((box) => [box.width, box.height]))"""
"""The least width or height of the elements that are shown; Infinity if there are none."""

HIDDEN = """() => {
    const places = [...document.querySelectorAll("#table .may")]
        .map((each) => each.getBoundingClientRect());
    return places.length > 0 && places.every((box) => box.left < 0 || box.right > innerWidth);
}"""
"""Whether everything in the picture that can be played lies beyond the sides of the screen."""


@pytest.fixture
def served(tmp_path):
    """Start games and return the links of their people; stop them at the end."""
    processes = []

    def start(*options, command="play"):
        agents = (
            ["--agents", "random"]
            if command == "watch"
            else ["--opponents", "random", "--pace", "0"]
        )
        command = [sys.executable, "-m", "gubs_env", command, "--web", "--no-open-browser"]
        command += [*agents, "--replay", "game.jsonl", *options]
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        links = []
        for line in process.stdout:
            if found := re.search(r"http://\S+", line):
                links.append(found[0])
            if "Ctrl-C" in line:
                break
        return links

    start.processes = processes
    yield start
    for process in processes:
        process.terminate()
        said, _ = process.communicate(timeout=30)
        assert process.returncode == 0
        assert "The game is saved in game.jsonl" in said


def visit(tab, link):
    tab.goto(link)
    tab.wait_for_selector("#table svg", timeout=60_000)


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


def test_a_card_says_what_it_does_and_waits_for_its_target(served, tab):
    (link,) = served("--seed", "5")
    visit(tab, link)
    decide(tab)
    assert tab.query_selector("#table [data-card] > title")
    begins = "state.moves.find(([, picks]) => picks.length > 1)"
    while not tab.evaluate(f"Boolean({begins})"):
        version = tab.evaluate("state.version")
        tab.click("#moves button >> nth=-1")
        until(tab, f"state.version !== {version}")
        decide(tab)
    version, card = tab.evaluate(f"[state.version, {begins}[1][0]]")
    tab.focus(f"#table .may[data-action='{card}']")
    tab.keyboard.press("Enter")
    assert tab.is_visible("#back"), "a card is played before its target is chosen"
    assert ":" in tab.inner_text("#said")
    assert tab.evaluate("state.version") == version


def test_the_rules_are_shown_on_a_page_that_closes(served, tab):
    (link,) = served("--seed", "5")
    visit(tab, link)
    assert "Gubs" in tab.inner_text("#title")
    tab.click("#show-rules")
    tab.wait_for_selector("#rules[open]")
    assert "Flash Flood" in tab.inner_text("#rules")
    assert not barriers(tab)
    tab.keyboard.press("Escape")
    assert not tab.is_visible("#rules")
    tab.click("#show-rules")
    tab.mouse.click(5, 5)
    assert not tab.is_visible("#rules"), "a click beside the rules closes them"


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


def test_an_open_tab_goes_on_when_its_game_is_resumed(served, browser):
    (link,) = served("--seed", "5")
    tab = browser.new_page()  # errors are expected here
    visit(tab, link)
    decide(tab)
    tab.click("#moves button >> nth=-1")
    until(tab, "state.log.length > 0")
    decide(tab)
    moves = tab.inner_text("#moves")
    served.processes[0].terminate()
    until(tab, "!document.getElementById('connection').hidden")
    assert served.processes[0].wait(30) == 0
    assert served("--resume", "game.jsonl") == [link]
    until(tab, "document.getElementById('connection').hidden")
    assert tab.inner_text("#moves") == moves
    tab.click("#moves button >> nth=-1")
    until(tab, "document.getElementById('said').textContent === ''")
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
    assert not barriers(tab)
    tab.set_viewport_size({"width": 380, "height": 800})
    assert width_of(tab) <= 380


def test_cards_are_played_by_tapping_on_a_phone(served, open_tab):
    (link,) = served("--seed", "5", "--players", "2")
    tab = open_tab(**PHONE)
    visit(tab, link)
    begun = 0
    for _ in range(30):
        decide(tab)
        assert not tab.evaluate(HIDDEN)
        for shown in ("button", IN_HAND):
            assert tab.evaluate(LEAST, shown) >= 40
        version = tab.evaluate("state.version")
        tapped = IN_HAND
        while tab.evaluate("state.version") == version:
            shown = tapped if tab.query_selector(tapped) else "#moves button"
            acted = f"state.version !== {version} || (chosen.length > 0 && !sending)"
            # A busy machine moves cards late: a tap that met one is repeated, as people do.
            for _ in range(5):
                tab.tap(f"{shown} >> nth=-1")
                if comes_true(tab, acted, 10):
                    break
            else:
                raise AssertionError(f"taps on {shown} do nothing")
            begun, tapped = begun + tab.is_visible("#back"), "#table .may"
        until(tab, "state.moves.length > 0")
    assert begun > 0
    assert width_of(tab) <= 380


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_cards_move_unless_people_prefer_less_motion(served, open_tab, motion):
    (link,) = served("--seed", "5")
    tab = open_tab(reduced_motion=motion)
    tab.add_init_script(COUNT_MOVES)
    visit(tab, link)
    for _ in range(6):
        decide(tab)
        version = tab.evaluate("state.version")
        tab.click("#moves button >> nth=-1")
        until(tab, f"state.version !== {version}")
    assert bool(tab.evaluate("window.moves")) == (motion == "no-preference")


def test_a_game_of_agents_is_watched_paused_and_stepped(served, tab, tmp_path):
    (link,) = served(
        "--game", "bad_bad_turtle", "--seed", "3", "--step", "--delay", "0.3", command="watch"
    )
    visit(tab, link)
    assert tab.is_enabled("#next")
    assert not tab.is_visible("#moves")
    for key in ("ArrowRight", "ArrowRight"):
        before = tab.evaluate("state.version")
        tab.keyboard.press(key)
        until(tab, f"state.version > {before}")
    tab.click("#next")
    until(tab, "state.log.length > 2")
    assert not barriers(tab)
    assert tab.input_value("#delay") == "0.3"
    tab.select_option("#delay", "0")
    tab.keyboard.press("Tab")
    tab.focus("#log")
    tab.evaluate("document.activeElement.blur()")
    tab.keyboard.press(" ")
    until(tab, "state.over")
    assert "The game is over" in tab.inner_text("#question")
    assert tab.is_disabled("#play")
    assert tab.is_disabled("#next")
    env, names = read_game(tmp_path / "game.jsonl")
    assert env.is_done(env.agent_selection)
    assert set(names) == {"random"}
