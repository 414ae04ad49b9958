"""The game in a real browser: a whole game by keyboard, two people, a reload, accessibility."""

from __future__ import annotations

import os
import queue
import random
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest

from gubs_env import gubs_v0
from gubs_env.play import commands
from gubs_env.play.saves import read_game, write_game
from gubs_env.play.session import AgentFailed
from tests.browsing import COUNT_MOVES, PHONE, WITHOUT, barriers, until, width_of
from tests.drawing import crowded

pytest.importorskip("uvicorn", reason="needs the extra web")

from gubs_env.play.web.browser import BrowserGame, Server

POSITIONS = int(os.environ.get("GUBS_ENV_POSITIONS", "2"))
"""Number of positions at which everything is clicked."""
TROUBLE = "!document.getElementById('trouble').hidden"
CHECKS = Path(__file__).with_name("page_checks.js").read_text(encoding="utf-8")
SIZES = [(1280, 800), (768, 1024), (390, 844), (280, 480), (480, 280)]
TABLES = [
    *(("gubs", players) for players in (2, 4, 6)),
    ("fubnub", 4),
    ("bad_bad_turtle", 2),
    ("bad_bad_turtle", 8),
]
WAYS = ["mouse", "touch", "keyboard"]
WHOLE_GAMES = [
    (game, players, size, WAYS[(at + row) % 3], ("light", "dark")[(at + row) // 3 % 2])
    for row, (game, players) in enumerate(TABLES)
    for at, size in enumerate(SIZES)
]
"""Games that are played to the end if many positions are asked for: table, window, way, scheme."""
LEAST = """(shown) => Math.min(...[...document.querySelectorAll(shown)]
    .map((each) => each.getBoundingClientRect()).filter((box) => box.height > 0)
    .flatMap((box) => [box.width, box.height]))"""
"""The least width or height of the elements that are shown; Infinity if there are none."""


@pytest.fixture
def served(tmp_path, monkeypatch):
    """Start games, each in a thread, and return the links of their viewers; stop them at the end.

    Its method `stop` stops them before, and returns what they raised.
    """
    links, over, games = queue.Queue(), threading.Event(), []

    class Told(BrowserGame):
        def run(self, opens):
            links.put([*self.links.values()])
            super().run(opens)

    class Stopped(Server):
        async def on_tick(self, counter):
            return over.is_set() or await super().on_tick(counter)

    def start(begun=None, watch=False, **options):
        if begun is not None:
            write_game(tmp_path / "begun.jsonl", begun, ["person", "random"])
            options["resume"] = "begun.jsonl"
        shown = {"web": True, "open_browser": False, "replay": Path("game.jsonl")} | options
        if watch:
            game = commands.watch, commands.WatchOptions(agents="random", **shown)
        else:
            game = commands.play, commands.PlayOptions(**{"opponents": "random", "pace": 0} | shown)
        games.append(pool.submit(*game))
        return links.get(timeout=60)

    def stop():
        over.set()
        failures = [game.exception() for game in games]
        games.clear()
        over.clear()
        return failures

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gubs_env.play.web.browser.BrowserGame", Told)
    monkeypatch.setattr("gubs_env.play.web.browser.Server", Stopped)
    start.stop = stop
    with ThreadPoolExecutor() as pool:
        yield start
        assert not any(stop())


def trap(own="Gub ×3", other="Gub; Gub", held="Sud Spout, Triple Ring"):
    """Return a game of two in which player_0 is to play a card."""
    env = gubs_v0.raw_env(2)
    places = [each for each in (own.replace("Gub ×3", "Gub; Gub; Gub"), other)]
    env.set_state(gubs_v0.position(hands=[held, "Lure"], colonies=places, turn=0, seed=1))
    return env


def visit(tab, link, rest=20):
    """Open a game; the page asks for news after so many milliseconds at least."""
    tab.goto(link)
    tab.wait_for_selector("#table svg", timeout=60_000)
    tab.evaluate(f"{CHECKS}; REST.least = {rest}; ripening = 0")


def decide(tab):
    tab.wait_for_selector("#moves button:visible, .tap:visible", timeout=60_000)
    until(tab, "!busy")  # the news may come before the answer to one's last move


def begin_again(tab):
    """Wait for a decision, in a new game as soon as one is over.

    A game of Bad, Bad, Turtle may end before its eighth player is ever asked.
    """
    while True:
        tab.wait_for_selector("#moves button, #end:not([hidden])", timeout=60_000)
        if not tab.evaluate("state.over"):
            return
        version = tab.evaluate("state.version")
        tab.click("#end button:text('Play again')")
        until(tab, f"!busy && state.version !== {version}")


def choose(tab, number=-1):
    """Choose answers until the move is complete; nothing is played."""
    decide(tab)
    while not tab.evaluate("Boolean(stage().move)"):
        before, answers = tab.evaluate("stages.length"), tab.locator("#moves button")
        answers.nth(number % answers.count()).click()
        until(tab, f"stages.length !== {before}")


def play(tab, number=-1):
    """Choose a move by its answers, and confirm it."""
    choose(tab, number)
    version = tab.evaluate("state.version")
    tab.click("#moves .yes")
    until(tab, f"!busy && state.version !== {version}")


def test_a_whole_game_is_played_by_keyboard(served, tab, tmp_path):
    visit(tab, *served(game="bad_bad_turtle", players=4, seed=33))
    for _ in range(400):
        tab.wait_for_selector("#moves button, #end:not([hidden])", timeout=60_000)
        if tab.evaluate("state.over"):
            break
        version = tab.evaluate("state.version")
        tab.focus("#moves button")
        while not tab.evaluate("Boolean(stage().move)"):
            before = tab.evaluate("stages.length")
            tab.keyboard.press("Enter")
            until(tab, f"stages.length !== {before}")
        assert tab.evaluate("state.version") == version
        tab.keyboard.press("Enter")
        until(tab, f"!busy && state.version !== {version}")
    assert tab.inner_text("#end h2").startswith("You have ")
    env, _ = read_game(tmp_path / "game.jsonl")
    assert env.is_done(env.agent_selection)


def test_cards_can_be_clicked_and_a_choice_taken_back(served, tab):
    visit(tab, *served(seed=5))
    decide(tab)
    before = tab.inner_text("#question")
    deck = "#table .may[data-where='deck'] >> nth=-1"
    tab.click(deck)
    until(tab, "Boolean(stage().move)")
    assert tab.inner_text("#question") == "Draw a card"
    assert tab.evaluate("state.log.length") == 0
    tab.keyboard.press("Escape")
    assert tab.inner_text("#question") == before
    tab.click(deck)
    until(tab, "Boolean(stage().move)")
    tab.click(deck)  # a second click plays it
    until(tab, "state.log.length > 0")
    decide(tab)
    assert tab.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "none"
    cards = tab.query_selector_all("#table .may[role=button]")
    assert len(cards) == tab.evaluate("new Set(state.moves.map(([, picks]) => picks[0])).size - 1")
    for card in cards:
        assert card.get_attribute("aria-label")
    assert sum(card.get_attribute("tabindex") == "0" for card in cards) == 1


def test_a_card_says_what_it_does_and_waits_for_its_target(served, tab, tmp_path):
    begun = trap(held="Sud Spout, Triple Ring, Gub")
    state = begun.state()
    state.known[0, 1, gubs_v0.Card.LURE] = 1
    begun.set_state(state)
    visit(tab, *served(begun=begun))
    decide(tab)
    assert tab.query_selector("#table [data-card] > title")
    tab.focus("#table .may[data-card='Sud Spout']")
    tab.keyboard.press("Enter")
    until(tab, "stages.length > 1")
    assert tab.inner_text("#question") == "Choose the target for Sud Spout"
    assert "Trap one Free Gub" in tab.inner_text("#said")
    tab.click("#table .may[data-where^='place 1 of Ada']")
    until(tab, "Boolean(stage().move)")
    assert tab.inner_text("#forecast") == "Points: Ada 2 → 1, if nobody answers"
    tab.click("#table .may[data-where^='place 1 of you']")  # rather another one
    until(tab, "stage().asked.at(-1) !== undefined && stage().forecast.includes('You')")
    assert tab.inner_text("#forecast") == "Points: You 3 → 2, if nobody answers"
    tab.keyboard.press("Escape")
    tab.keyboard.press("Escape")
    for card in ("Gub", "Sud Spout"):  # rather another one than a move that is complete
        tab.click(f"#table .may[data-card='{card}'][data-where='hand of you']")
        assert tab.inner_text("#said").startswith(card)
    tab.keyboard.press("Escape")
    tab.click("#table [data-where='hand of Ada']")
    assert tab.inner_text("#said").startswith("You know that this card lies here. Lure, Hazard (")
    assert not tab.evaluate("state.log.length")


def drag(tab, card, target):
    """Drag a card of one's hand to a point: (right, down) from a corner of the first such piece."""
    tab.hover(f"#table [data-where='hand of you'][data-card='{card}']")
    tab.mouse.down()
    where, right, down = target
    box = tab.locator(f"#table {where} >> nth=0").bounding_box()
    tab.mouse.move(box["x"] + right, box["y"] + down, steps=3)
    tab.mouse.up()
    until(tab, "!busy")


def on(seat, place=1):
    """Return the point on a Gub of a seat, for `drag`."""
    return f"[data-where^='place {place} of {seat}']", 30, 40


@pytest.mark.parametrize("quick", [False, True])
def test_a_card_that_is_dropped_where_it_can_go_is_played(served, tab, quick):
    cards = "Sud Spout, Gub, Mushroom, Cricket Song, Lure"
    visit(tab, *served(begun=trap(held=cards, own="Gub", other="Gub; Gub; Gub + Mushroom")))
    decide(tab)
    tab.evaluate(f"get('quick').checked = {str(quick).lower()}")
    wrong = [
        ("Mushroom", on("Ada")),
        ("Sud Spout", ("[data-where=deck]", 20, 20)),
        ("Gub", ("[data-seat=Ada]", 9, 60)),
        ("Gub", ("[data-card='Cricket Song']", 30, 90)),
    ]
    for card, target in wrong[: 1 if quick else None]:
        drag(tab, card, target)
        assert tab.evaluate("stages.length === 1 && !state.log.length"), (card, target)
    drag(tab, "Lure", on("Ada", 2))  # equal Gubs are one target
    until(tab, "state.log.includes('You play Lure at Ada\\'s first Gub')")
    decide(tab)
    drag(tab, "Sud Spout", on("Ada"))
    until(tab, "state.log.some((line) => line.startsWith('You play Sud Spout'))")
    decide(tab)
    drag(tab, "Gub", ("[data-seat=You]", 60, 60))  # it has no target
    until(tab, "state.log.some((line) => /^You (lay|play).* Gub/.test(line))")
    decide(tab)
    drag(tab, "Cricket Song", ("[data-where=deck]", 20, 20))
    assert tab.inner_text("#question") == "Say what Cricket Song stands for"


def test_a_finger_drags_a_card(served, open_tab):
    tab = open_tab(**PHONE)
    visit(tab, *served(begun=trap(held="Gub, Lure", own="Gub", other="Gub")))
    decide(tab)
    shown = "[data-where='hand of you'][data-card=Gub]", "[data-seat=You]"
    card, seat = (tab.locator(f"#table {each}").bounding_box() for each in shown)
    touch = tab.context.new_cdp_session(tab)
    for part in (0, 0.3, 0.6, 1):
        x = (1 - part) * (card["x"] + 10) + part * (seat["x"] + 40)
        y = (1 - part) * (card["y"] + 12) + part * (seat["y"] + 12)
        kind = "touchMove" if part else "touchStart"
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    until(tab, "state.log.some((line) => line.startsWith('You play Gub'))")


GLOWING = """() => [...document.querySelectorAll("#table [data-card]")]
    .filter((node) => getComputedStyle(node).filter !== "none").map((node) => node.dataset.card)"""


def test_what_is_chosen_and_what_it_is_aimed_at_are_marked_and_nothing_else(served, tab):
    visit(tab, *served(begun=trap(held="Lure, Gub, Cricket Song", other="Gub + Mushroom; Gub")))
    decide(tab)
    marked = """(kind) => [...document.querySelectorAll(`#table .${kind}`)]
        .map((node) => `${node.dataset.card}, ${node.dataset.where}`)"""
    tab.click("#table .may[data-card='Lure']")
    assert tab.evaluate("Boolean(stage().move)"), "there is only one Free Gub, and one moment"
    assert tab.evaluate(marked, "chosen") == ["Lure, hand of you"]
    assert tab.evaluate(GLOWING) == ["Lure", "Gub"]
    assert tab.evaluate(marked, "aim") == ["Gub, place 2 of Ada"]
    assert tab.locator("#table .ghost").count() == 1
    tab.click("#table .may[data-card='Cricket Song']")  # rather another card
    assert tab.evaluate(marked, "chosen") == ["Cricket Song, hand of you"]
    assert not any("hand of you" in each for each in tab.evaluate(marked, "may"))
    tab.click("#table [data-card='Gub'][data-where='hand of you']")
    assert tab.inner_text("#question") == "Lay a Gub in your colony"
    tab.mouse.move(2, 2)
    assert tab.evaluate(GLOWING) == ["Gub"], "what else can be chosen does not glow"
    assert tab.evaluate(marked, "raised") == ["Gub, hand of you"]


def test_a_ring_that_would_trap_ones_own_gubs_says_so_before_it_is_played(served, tab):
    visit(tab, *served(begun=trap("Gub ×3", "")))
    decide(tab)
    tab.click("#table .may[data-card='Triple Ring']")
    until(tab, "Boolean(stage().move)")
    assert "your own first Gub" in tab.inner_text("#question")
    assert tab.inner_text("#forecast") == "Points: You 3 → 0, if nobody answers"
    assert not tab.evaluate("state.log.length")


def test_seats_that_glow_are_chosen_by_a_click_on_any_card_of_theirs(served, tab):
    visit(tab, *served(begun=trap(held="Lightning")))
    decide(tab)
    for where in ("hand of Ada", "place 2 of Ada"):
        tab.click("#table .may[data-card='Lightning']")
        until(tab, "stages.length > 1")
        assert "the hand of Ada" in tab.inner_text("#question"), "there is only one opponent"
        assert tab.evaluate("state.log.length") == 0
        if where == "hand of Ada":
            tab.keyboard.press("Escape")
    tab.click(f"#table [data-where='{where}'] >> nth=0")
    until(tab, "state.log.length > 0")


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_everything_that_glows_reacts_to_a_click_and_plays_nothing(served, tab, game, players):
    visit(tab, *served(game=game, players=players, seed=4))
    for number in range(POSITIONS):
        begin_again(tab)
        assert tab.evaluate("skippedRows()") == []
        assert tab.evaluate("clickAll()") == []
        play(tab, number)


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_nothing_is_outside_the_window_or_too_small_to_read(served, tab, game, players):
    tab.emulate_media(reduced_motion="reduce")
    visit(tab, *served(game=game, players=players, seed=4))
    for number in range(max(2, POSITIONS // 5)):
        tab.wait_for_selector("#moves button, #end:not([hidden])", timeout=60_000)
        for wide, high in SIZES:
            tab.set_viewport_size({"width": wide, "height": high})
            until(tab, "isFitted()")
            assert tab.evaluate("findFaults()") == [], (wide, high)
        if tab.evaluate("state.over"):
            break
        play(tab, number)


@pytest.mark.parametrize("size", [(320, 568), (568, 320)])
def test_a_table_that_is_larger_than_a_phone_is_scrolled_and_played(served, open_tab, size):
    begun = next(islice(crowded.gubs(2), 3, None))  # 20 cards in hand, 14 Gubs opposite
    tab = open_tab(**PHONE | {"viewport": {"width": size[0], "height": size[1]}})
    visit(tab, *served(begun=begun))
    decide(tab)
    until(tab, "isFitted()")
    assert tab.evaluate("findFaults()") == []
    assert tab.evaluate("isScrolled() && seen('hand of you')"), "one's own cards are seen at first"
    told = "(card) => card.querySelector('title').textContent === textOf(card)"
    assert tab.evaluate(f"[...document.querySelectorAll('#table [data-card]')].every({told})")
    if size[0] < size[1]:  # the account makes room for it
        assert tab.evaluate("get('panel').clientHeight < innerHeight * 0.42")
    tab.tap("#table .may[data-card='Sud Spout']", position={"x": 8, "y": 30})
    until(tab, "stages.length > 1")
    assert tab.evaluate("seen('place')"), "a Gub to choose is seen, far above"
    if size[0] > size[1]:
        tab.tap("#whole")
        assert tab.locator("#log").bounding_box()["height"] > 190, "the log covers the table"
    else:
        visit(tab, *served(seed=5, players=4, replay=Path("second.jsonl")))
        decide(tab)
        until(tab, "isFitted()")
        below = "get('table').scrollTop + get('table').clientHeight + 2 > get('table').scrollHeight"
        assert tab.evaluate(f"isScrolled() && {below}"), "one's own cards, whatever glows above"


def test_the_answers_have_the_focus_at_first_and_arrows_go_on(served, tab):
    visit(tab, *served(begun=trap(held="Mushroom, Lure, Gub", other="Gub + Mushroom; Gub")))
    decide(tab)
    assert tab.evaluate("focused()") == "End your play"
    tab.keyboard.press("Tab")
    assert tab.evaluate("focused()") == "End your play", "which is marked from now on"
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate("focused()") == "Lay a Gub in your colony"
    while not tab.evaluate("focused()").startswith("hand of"):
        tab.keyboard.press("Tab")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("document.activeElement.getAttribute('aria-label')") == "Play Mushroom"
    assert "Nothing answers it." in tab.inner_text("#said")
    tab.keyboard.press("Enter")
    assert tab.evaluate("focused()") == "place 1 of you", "a target"
    tab.keyboard.press("ArrowUp")
    tab.keyboard.press("Enter")
    assert "discard the Mushroom on Ada's first Gub" in tab.inner_text("#question")
    for asked in ("Choose the target for Mushroom", "Play a card, or end the play"):
        tab.keyboard.press("Escape")
        assert tab.inner_text("#question") == asked
        on_choice = "place 1 of Ada" if asked.startswith("Choose") else "hand of you"
        assert tab.evaluate("focused()") == on_choice, "what was taken back"
    for _ in range(9):
        tab.keyboard.press("Shift+ArrowLeft")
    assert not tab.evaluate("focused()").startswith("End"), "at the border it goes no further"
    while tab.evaluate("document.activeElement.closest('#table') !== null"):
        tab.keyboard.press("Shift+ArrowRight")
    assert tab.evaluate("focused()") == "End your play", "the answers are there"
    tab.keyboard.press("Shift+ArrowLeft")
    assert tab.evaluate("document.activeElement.closest('#table') !== null")
    tab.keyboard.press("?")
    assert tab.is_visible("#keys")
    tab.keyboard.press("Escape")
    tab.click("#moves button:has-text('End your play')")
    for focus in ("Confirm Enter", "aside"):
        tab.keyboard.press("Tab")
        assert tab.evaluate("focused()") == focus


def test_the_button_that_confirms_stays_and_a_double_click_on_an_answer_plays(served, tab):
    visit(tab, *served(begun=trap("Gub ×3", "")))
    at = set()
    for answer in ("Triple Ring", "End your play"):
        decide(tab)
        tab.click(f"#moves button:has-text('{answer}')")
        at.add(tab.evaluate("document.querySelector('.yes').getBoundingClientRect().y"))
        if answer != "End your play":
            tab.evaluate("back()")
    assert len(at) == 1, "although what is to be confirmed is shorter"
    tab.keyboard.press("Escape")
    tab.dblclick("#moves button:has-text('End your play')")
    until(tab, "state.log.includes('You end your play')")
    assert not tab.evaluate("String(getSelection())")


def test_enter_alone_plays_on_after_a_reload(served, tab):
    visit(tab, *served(game="bad_bad_turtle", seed=33, players=2))
    decide(tab)
    tab.reload()
    decide(tab)
    version = tab.evaluate("state.version")
    tab.keyboard.press("Enter")
    tab.keyboard.press("Enter")
    until(tab, f"!busy && state.version !== {version}")


def test_waiting_is_shown(served, tab):
    visit(tab, *served(begun=trap(), pace=5))
    decide(tab)
    held = []
    tab.route(re.compile("/(hint|move)"), lambda route: held.append(route))
    tab.click("#aside")
    choose(tab, 0)
    tab.keyboard.press("Escape")
    assert tab.inner_text("#said") == "Thinking …", "the hint that was asked for still comes"
    choose(tab, 0)
    tab.click("#moves .yes")
    until(tab, "getComputedStyle(get('asked'), '::after').opacity === '1'")
    while held:
        held.pop().continue_()
    until(tab, "!busy && !state.moves.length")
    before = tab.locator("#play").bounding_box()
    for words in ("Paused. Waiting for Ada", "Waiting for Ada"):
        tab.click("#play")
        until(tab, f"get('question').textContent === '{words}'")
        assert tab.locator("#play").bounding_box() == before


def test_what_happened_is_said_aloud_once(served, tab):
    visit(tab, *served(seed=5, players=4))
    decide(tab)
    tab.evaluate("log = state.log.length, void (said = [])")
    tab.evaluate("""void new MutationObserver((all) => {
        for (const { addedNodes } of all)
            for (const each of addedNodes) said.push(each.textContent);
    }).observe(get("heard"), { childList: true })""")
    for _ in range(3):
        play(tab, 0)
    decide(tab)
    assert tab.evaluate(
        "said.join('|') === state.log.slice(log).map((line) => `${line}. `).join('|')"
    )
    assert tab.evaluate("""sentences(['A', 'B.', 'C: "D."', 'E'])""") == 'A. B. C: "D." E. '


def test_the_account_explains_what_the_others_did(served, tab):
    visit(tab, *served(seed=5, players=4))
    for _ in range(2):
        assert "The goal" in tab.inner_text("#log"), "which the whole game keeps while it is empty"
        tab.click("#whole")
    for _ in range(4):
        play(tab, 0)
    decide(tab)
    lines = tab.evaluate(
        "[...document.querySelectorAll('#log li')].map((item) => item.textContent)"
    )
    assert lines
    assert any(line.startswith("You ") for line in lines)
    assert any(line.startswith(("Ada ", "Bo ", "Cleo ")) for line in lines)
    tab.click("#whole")
    assert tab.locator("#log li").count() == tab.evaluate("state.log.length")
    assert tab.inner_text("#whole") == "✕ Close the log"
    tab.keyboard.press("Escape")
    assert tab.inner_text("#whole") == "Whole game"
    tab.set_viewport_size({"width": 768, "height": 1024})
    boxes = [tab.locator(shown).bounding_box() for shown in ("#asked", "#account", "#panel")]
    asked, account, panel = boxes
    assert account["x"] >= asked["x"] + asked["width"], "a tablet has the log beside the question"
    assert account["height"] == panel["height"] > 250


@pytest.mark.parametrize("asked", ["choose", "move"])
def test_forced_moves_go_on_where_the_news_comes_before_the_answer(served, tab, monkeypatch, asked):
    if asked == "choose":  # as where very many moves are possible
        monkeypatch.setattr("gubs_env.play.web.ahead.MOST_AHEAD", 0)

    def answer_late(route):
        response = route.fetch()
        time.sleep(0.1)
        route.fulfill(response=response)

    tab.route(re.compile(rf"/{asked}(\?|$)"), answer_late)
    finish(tab, served)


def test_news_that_come_after_the_answer_to_a_move_are_not_shown(served, open_tab):
    tab = open_tab()
    tab.add_init_script("""const real = fetch;
        window.fetch = async (path, options) => {
            const answer = await real(path, options);
            if (path.startsWith("news")) await new Promise((done) => setTimeout(done, 150));
            return answer;
        };""")
    visit(tab, *served(begun=trap(held="Gub ×4")))
    decide(tab)
    assert tab.evaluate("""async () => {
        const versions = [], watch = setInterval(() => versions.push(state.version), 1);
        for (let played = 0; played < 3; played++) {
            while (!stage().move) await pick(choices().at(-1)[1]);
            await play();
        }
        await new Promise((done) => setTimeout(done, 300));
        clearInterval(watch);
        const isOlder = versions.some((each, at) => each < versions[at - 1]);
        return !isOlder && new Set(versions).size > 3;
    }""")


def test_the_quick_play_at_the_first_click(served, tab):
    visit(tab, *served(seed=5))
    decide(tab)
    tab.click("#show-options")
    tab.check("#quick")
    tab.keyboard.press("Escape")
    tab.click("#moves button >> nth=-1")
    until(tab, "state.log.length > 0")


def let_forced_moves_play(tab, do):
    """Set the switch for forced moves."""
    tab.click("#show-options")
    tab.set_checked("#auto", do)
    tab.keyboard.press("Escape")


def finish(tab, served):
    """Play a short game to its end, its whole log shown; forced moves, which are most, play
    themselves."""
    visit(tab, *served(game="bad_bad_turtle", seed=45, players=2))
    decide(tab)
    if tab.evaluate("Object.keys(state.previews).length"):
        tab.keyboard.press("Escape")
        told = tab.inner_text("#question"), tab.inner_text("#moves"), tab.is_visible("#aside")
        asked = "Take your turn: discard 2 cards unseen, then reveal one"
        assert told == (asked, "Take your turn Enter", False), "the only move is chosen"
    tab.evaluate("get('whole').setAttribute('aria-expanded', 'true')")
    let_forced_moves_play(tab, True)
    until(tab, "state.over || state.moves.length > 1")
    while not tab.evaluate("state.over"):
        play(tab)
        until(tab, "state.over || state.moves.length > 1")


BEFORE = """localStorage.setItem(`games ${location.pathname}`, JSON.stringify(
    {"before.jsonl": ["Bad, Bad, Turtle, 2 players", "beginner", 0.5, null, 0]}))"""
"""A script that lets the page remember a game that was played before, and shared."""


def test_the_end_tells_how_it_came_about_and_what_to_learn_and_leads_to_a_new_game(served, tab):
    tab.add_init_script(BEFORE)
    finish(tab, served)
    assert tab.inner_text("#end h2") in ("You have won.", "You have lost.")
    until(tab, "Boolean(document.querySelector('#end h3'))")
    until(tab, "!document.getElementById('end').textContent.includes('Looking')")
    rows = tab.locator("#end table >> nth=0 >> tr").all_inner_texts()
    assert len(rows) == 2
    assert rows[0].split()[1] == "winner"
    assert re.search("reveals? Turtle|the last one left", rows[0])
    unsure = tab.evaluate("lessonsOf({ found: [], none: 'So.', seen: 3 })[0].innerHTML")
    assert re.fullmatch(
        r'So. <a href="after/replay\?game=[^"]*#move=3" .*>See this move</a>', unsure
    )
    told = tab.inner_text("#end figure p")
    words = r"[\w ]+: your chance of winning went from \d+ % to \d+ %\."
    assert re.match(words, told)
    assert tab.locator("#end figure path").count() == 2
    tab.click("#end summary:text('Your games here')")
    row = tab.inner_text("#end details:last-child tr:last-child").split("\t")
    assert row[:2] == ["Bad, Bad, Turtle, 2 players: beginner", "2"]
    assert row[2] in ("0.5", "1.5")
    assert not barriers(tab)
    for size in ((768, 1024), (390, 600)):
        tab.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        until(tab, "isFitted()")
        assert tab.evaluate("get('end').clientHeight === get('end').scrollHeight")
        assert tab.evaluate("document.scrollingElement.scrollHeight > innerHeight"), "as a whole"
        tab.click("#end summary:text('What happened')")
        lines = tab.locator("#end li:visible").all_inner_texts()
        assert lines == tab.evaluate("state.log")
        tab.click("#end summary:text('What happened')")
        assert tab.is_hidden("#account")
    assert tab.evaluate("isWinnerSeen()")
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.click("#show-options")
    assert tab.is_visible("#anew"), "as long as the game went on"
    tab.keyboard.press("Escape")
    tab.select_option("#end select", "easy")
    tab.focus("#end .yes")
    tab.keyboard.press("Enter")
    until(tab, "state.seats[1].level === 'easy'")
    until(tab, "Boolean(document.activeElement.closest('#moves'))")
    tab.click("#show-options")
    assert tab.locator("#before a").all_inner_texts() == ["The last game"]


def test_a_game_goes_on_from_any_move_of_its_replay(served, tab, monkeypatch):
    monkeypatch.setattr("gubs_env.play.web.server.REPLAY_PATIENCE", 0)  # it is always waited for
    finish(tab, served)
    with tab.context.expect_page() as opened:
        tab.click("#end a:text('See it')")
    replay = opened.value
    replay.wait_for_selector("#table svg", timeout=60_000)
    assert f"#move={replay.inner_text('#count').split()[0]}" in replay.url
    replay.click("#last")
    assert replay.is_hidden("#take")
    replay.click("#first")
    before = tab.evaluate("state.file")
    let_forced_moves_play(tab, False)  # two tabs would play them at once
    replay.click("#take")
    until(tab, f"state.file !== '{before}'")
    replay.close()
    decide(tab)


def test_the_rules_are_shown_on_a_page_that_closes(served, tab):
    visit(tab, *served(seed=5))
    assert "Gubs" in tab.inner_text("#title")
    tab.click("#show-rules")
    tab.wait_for_selector("#rules[open]")
    assert tab.is_visible("#rules ul > li:has-text('Flash Flood ×1')")
    assert tab.locator("#rules ol > li").count() == 3, "the parts of a turn"
    assert not re.search("^(- |[0-9])", tab.inner_text("#rules"), re.MULTILINE)
    assert not barriers(tab)
    tab.keyboard.press("Escape")
    assert not tab.is_visible("#rules")
    tab.click("#show-rules")
    tab.mouse.click(5, 5)
    assert not tab.is_visible("#rules"), "a click beside the rules closes them"


def test_a_reload_resumes_the_game(served, tab):
    visit(tab, *served(seed=5))
    play(tab)
    decide(tab)
    moves = tab.inner_text("#moves")
    tab.reload()
    decide(tab)
    assert tab.inner_text("#moves") == moves
    tab.once("dialog", lambda asked: asked.accept())
    tab.click("#show-options")
    tab.click("#anew")
    until(tab, "!state.log.some((line) => line.startsWith('You '))")
    assert not tab.is_visible("#options")


@pytest.mark.usefixtures("errors_expected")
def test_a_lost_connection_is_told_and_comes_back(served, tab):
    visit(tab, *served(seed=5))
    decide(tab)
    tab.context.set_offline(True)
    choose(tab)  # what can be chosen has come with the question
    tab.click("#moves .yes")
    until(tab, "document.getElementById('said').textContent !== ''")
    tab.context.set_offline(False)
    tab.reload()
    play(tab)


@pytest.mark.usefixtures("errors_expected")
def test_an_open_tab_goes_on_when_its_game_is_resumed(served, tab, tmp_path):
    options = "--web --no-open-browser --opponents random --pace 0 --replay game.jsonl --seed 5"
    command = [sys.executable, "-m", "gubs_env", "play", *options.split()]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    link = re.search(r"http://\S+", process.stdout.readline())[0]
    visit(tab, link)
    play(tab)
    decide(tab)
    moves = tab.inner_text("#moves")
    process.terminate()
    until(tab, TROUBLE)
    assert "The server of the game cannot be reached." in tab.inner_text("#trouble")
    assert "The game is saved in game.jsonl" in process.communicate(timeout=30)[0]
    assert process.returncode == 0
    assert served(resume="game.jsonl") == [link]
    until(tab, f"!({TROUBLE})")
    assert tab.inner_text("#moves") == moves
    play(tab)


def refuse(tab, status, body, kind="text/plain"):
    """Let every request for news be answered like this; return the number of requests so far."""
    asked = []

    def answer(route):
        asked.append(route.request.url)
        route.fulfill(status=status, body=body, headers={"Content-Type": kind})

    tab.route("**/news?*", answer)
    return asked


@pytest.mark.usefixtures("errors_expected")
def test_the_page_says_what_went_wrong_and_goes_on(served, tab):
    visit(tab, *served(seed=5))
    decide(tab)
    tab.evaluate("REST.refused = REST.most = 20")
    for status, body, kind, told in (
        (404, "No game has this link.", "text/plain; charset=utf-8", "No game has this link."),
        (409, "Not now.", "text/plain", "Not now."),
        (502, "<html>Bad gateway</html>", "text/html", "Something else than the game has answered"),
        (503, "The game has stopped: why.", "text/plain", "The game has stopped: why."),
    ):
        refuse(tab, status, body, kind)
        until(tab, f"document.getElementById('trouble').textContent.includes('{told}')")
    tab.route("**/news?*", lambda route: route.abort())
    tab.wait_for_timeout(200)
    assert "The game has stopped: why." in tab.inner_text("#trouble"), "it stays when it has ended"
    tab.unroute("**/news?*")
    until(tab, f"!({TROUBLE})")
    play(tab)


@pytest.mark.usefixtures("errors_expected")
def test_a_fault_of_the_server_is_asked_again_only_by_the_person(served, tab):
    (link,) = served(seed=5)
    asked = refuse(tab, 500, "The server could not answer: ZeroDivisionError (cards.py, line 99).")
    tab.goto(link)
    until(tab, TROUBLE)
    assert "ZeroDivisionError (cards.py, line 99)" in tab.inner_text("#trouble")
    tab.evaluate("REST.refused = REST.most = 20")
    before = len(asked)
    tab.click("#retry")
    tab.wait_for_timeout(300)
    assert len(asked) == before + 1 <= 3
    tab.unroute("**/news?*")
    tab.click("#retry")
    play(tab)
    assert tab.is_hidden("#trouble")


class Failing:
    def __init__(self, table, seed):
        pass

    def act(self, observations, masks, rngs):
        raise RuntimeError("my hand is secret")


@pytest.mark.usefixtures("errors_expected")
def test_an_agent_that_fails_is_named_in_the_page(served, tab):
    (link,) = served(seed=5, opponents=f"{__name__}:Failing")
    visit(tab, link)
    while tab.wait_for_selector("#moves button, #trouble:not([hidden])") and tab.is_hidden(
        "#trouble"
    ):
        play(tab, 0)
    line = Failing.act.__code__.co_firstlineno + 1
    told = f"the agent {__name__}:Failing failed: RuntimeError (test_browser.py, line {line})"
    assert told in tab.inner_text("#trouble")
    (failure,) = served.stop()
    assert isinstance(failure, AgentFailed)
    tab.evaluate("look()")
    tab.wait_for_timeout(300)
    assert told in tab.inner_text("#trouble"), "it stays when the server has ended"
    assert served(resume="game.jsonl", opponents="random") == [link]
    until(tab, f"!({TROUBLE})")
    play(tab)


def test_a_browser_that_refuses_what_is_optional_plays(served, open_tab):
    tab = open_tab()
    tab.add_init_script(WITHOUT)
    finish(tab, served)
    tab.set_viewport_size({"width": 390, "height": 844})
    until(tab, "isFitted()")
    with tab.context.expect_page() as opened:
        tab.click("#end a")
    opened.value.close()
    assert tab.is_hidden("#trouble")


def test_many_tabs_of_a_browser_leave_its_connections_free(served, browser):
    """A browser opens six connections to a server, for all its tabs together."""
    (link,) = served(seed=5)
    context, under_way = browser.new_context(), set()
    context.on("request", lambda request: under_way.add(request.url))
    for done in ("requestfinished", "requestfailed"):
        context.on(done, lambda request: under_way.discard(request.url))
    tabs = [context.new_page() for _ in range(8)]
    for number, tab in enumerate(tabs):  # a browser asks for the same address once at a time
        tab.set_viewport_size({"width": 1000 + 10 * number, "height": 800})
        visit(tab, link, rest=150)  # as people do
        decide(tab)
    for _ in range(100):
        if not under_way:
            break
        tabs[0].wait_for_timeout(10)
    else:
        pytest.fail("some request was under way all the time")
    play(tabs[-1])
    for tab in tabs:
        until(tab, "state.log.length > 0")
    context.close()


def test_another_size_of_the_window_keeps_what_is_chosen(served, tab):
    visit(tab, *served(begun=trap()))
    decide(tab)
    tab.click("#table .may[data-card='Sud Spout']")
    until(tab, "stages.length > 1 && !stage().move")
    for wide, high in ((390, 844), (900, 600), (1280, 800)):
        tab.set_viewport_size({"width": wide, "height": high})
        until(tab, "isFitted()")
        assert tab.inner_text("#question") == "Choose the target for Sud Spout"
    tab.click("#table .may[data-where^='place 1 of Ada']")
    until(tab, "Boolean(stage().move)")
    tab.focus("#moves .yes")
    tab.set_viewport_size({"width": 768, "height": 1024})
    until(tab, "isFitted()")
    assert tab.inner_text("#forecast") == "Points: Ada 2 → 1, if nobody answers"
    assert tab.evaluate("focused()").startswith("Confirm")
    tab.click("#moves .yes")
    until(tab, "state.log.length > 0")


def test_no_focus_ring_is_cut_off(served, tab):
    visit(tab, *served(seed=5, players=2))
    decide(tab)
    tab.click("#play")
    until(tab, "!document.getElementById('next').hidden")
    for wide, high in ((280, 653), (360, 740), *SIZES):
        tab.set_viewport_size({"width": wide, "height": high})
        assert tab.evaluate("cutRings()") == []
        choose(tab)
        assert tab.evaluate("cutRings()") == []
        tab.keyboard.press("Escape")
        for opener in ("#show-rules", "#show-options"):
            tab.click(opener)
            tab.keyboard.press("Tab")
            assert tab.evaluate("cutRings()") == []
            tab.keyboard.press("Escape")


def test_two_people_play_and_see_their_own_hands(served, browser):
    links = served(seed=5, humans="2")
    assert len(set(links)) == 2
    tabs = [browser.new_page() for _ in links]
    for tab, link in zip(tabs, links, strict=True):
        visit(tab, link)
    decide(tabs[0])
    assert not tabs[1].query_selector("#moves button")
    for seat, tab in enumerate(tabs):
        assert tab.query_selector("[data-where='hand of you'][data-card]")
        assert not tab.query_selector(f"[data-where='hand of Player {2 - seat}'][data-card]")
    heard = tabs[1].evaluate("state.log.length")
    play(tabs[0])
    until(tabs[1], f"state.log.length > {heard}")
    for tab in tabs:
        tab.close()


@pytest.mark.parametrize("game", ["gubs", "fubnub", "bad_bad_turtle"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_hinders_people_with_disabilities(served, tab, game, scheme):
    tab.emulate_media(color_scheme=scheme)
    visit(tab, *served(game=game, seed=5))
    decide(tab)
    assert not barriers(tab)
    choose(tab)
    assert not barriers(tab)
    tab.set_viewport_size({"width": 320, "height": 256})  # as 1280 × 1024 at 400 %
    until(tab, "isFitted()")
    assert width_of(tab) <= 320
    assert not barriers(tab)


def test_cards_are_played_by_tapping_on_a_phone(served, open_tab):
    tab = open_tab(**PHONE)
    visit(tab, *served(seed=5, players=2))
    tapped = 0
    for _ in range(8):
        decide(tab)
        for shown in ("button", "#table .may[role=button][data-where^='hand of you']"):
            assert tab.evaluate(LEAST, shown) >= 40
        assert not tab.locator("#moves .held:visible").count(), "the hand is not shown twice"
        version = tab.evaluate("state.version")
        while not tab.evaluate("Boolean(stage().move)"):
            on_table = tab.locator("#table .may[role=button]")
            tapped += on_table.count() > 0
            before = tab.evaluate("stages.length")
            tap_on(tab, on_table if on_table.count() else tab.locator("#moves button"))
            until(tab, f"stages.length !== {before}")
        assert tab.evaluate("state.version") == version
        tab.tap("#moves .yes")
        until(tab, f"!busy && state.version !== {version}")
        until(tab, "state.moves.length > 0")
    assert tapped > 4
    shown = tab.evaluate("get('delay').offsetWidth")
    assert shown >= tab.evaluate(
        "get('delay').style = 'flex: none; width: auto'; get('delay').offsetWidth"
    )
    assert width_of(tab) <= 380


@pytest.mark.parametrize(
    ("game", "players", "size", "way", "scheme"), WHOLE_GAMES if POSITIONS > 10 else []
)
def test_a_whole_game_is_played(served, open_tab, game, players, size, way, scheme):
    (link,) = served(game=game, players=players, seed=6)
    viewport = {"width": size[0], "height": size[1]}
    tab = open_tab(
        viewport=viewport, has_touch=way == "touch", color_scheme=scheme, reduced_motion="reduce"
    )
    visit(tab, link)
    rng = random.Random(7)
    while True:
        tab.wait_for_selector(
            "#moves button:visible, .tap:visible, #end:not([hidden])", timeout=60_000
        )
        assert tab.evaluate("findFaults()") == []
        if tab.evaluate("state.over"):
            break
        version = tab.evaluate("state.version")
        while not tab.evaluate("Boolean(stage().move)"):
            before = tab.evaluate("stages.length")
            take(tab, way, rng)
            until(tab, f"stages.length !== {before}")
            assert tab.evaluate("findFaults()") == []
        assert tab.evaluate("state.version") == version
        if way == "keyboard":
            tab.keyboard.press("Enter")
        else:
            (tab.tap if way == "touch" else tab.click)("#moves .yes")
        until(tab, f"!busy && state.version !== {version}")
    assert re.match("You have|The game is over", tab.inner_text("#end h2"))
    ends = re.match("Letter [GUB] is laid open and ends the game. ", tab.inner_text("#end p"))
    assert bool(ends) == (tab.evaluate("state.game") == "Gubs")


def take(tab, way, rng):
    """Take an answer in one of WAYS: on the table, if it can be, or by its button."""
    answers, places = tab.locator("#moves button:visible"), tab.locator("#table .may[role=button]")
    if way == "keyboard":
        group = answers if rng.random() < 0.5 or not places.count() else places
        group.first.focus()
        for _ in range(rng.randrange(min(6, group.count()))):
            tab.keyboard.press(rng.choice(["ArrowRight", "ArrowDown"]))
        tab.keyboard.press("Enter")
        return
    on_table = not answers.count() or (places.count() and rng.random() < 0.8)
    number = rng.randrange((places if on_table else answers).count())
    if on_table:
        until(tab, "!busy && state.drawn === size()")  # a table that is drawn anew has other places
        spot = tab.evaluate("(number) => spotOfPlace(number)", number)
        (tab.touchscreen.tap if way == "touch" else tab.mouse.click)(*spot)
    else:
        (answers.nth(number).tap if way == "touch" else answers.nth(number).click)()


def tap_on(tab, places):
    """Tap on the last of some places, near its left edge: cards of a hand overlap."""
    box = places.last.bounding_box()
    tab.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + min(20, box["height"] / 2))


def test_a_full_trick_lies_for_a_moment_and_an_end_of_a_hand_is_announced(served, tab):
    visit(tab, *served(game="fubnub", players=2, rules="mode=royal", seed=5, pace=0.05))
    assert tab.text_content("#title") == "FUBNUB, Battle Royal"
    told = "The goal (Battle Royal): Win tricks to earn point cards. The most point cards win"
    assert tab.text_content("#log li").startswith(told)
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.evaluate("""void (faces = [], waiting = [], past = "", asking = []);
        new MutationObserver(() => {
        const flying = [...document.querySelectorAll("#table .flying")];
        const laid = document.querySelector(".past");
        const isFlying = ([, card]) => flying.some(
            (node) => node.textContent.includes(card) && node.querySelector("use, [id^=gt-]"));
        if (flying.length && !faces.length) faces = state.trick.cards.filter(isFlying);
        if (!laid || past) return;
        past = [...laid.querySelectorAll("[data-where^='trick, laid by']")].map(
            ({ dataset }) => dataset.card);
        const cards = state.trick.cards.map(([, card]) => card);
        waiting = [laid.querySelector(".aim").dataset.card, cards];
        const covered = get("table").getBoundingClientRect();
        const { top } = get("banner").getBoundingClientRect();
        const { visibility } = getComputedStyle(get("asked"));
        const { opacity } = getComputedStyle(get("end"));
        asking = [visibility, opacity, get("table").inert, top > covered.bottom,
            laid.offsetHeight >= get("table").clientHeight,
            !get("log").textContent.includes("Hand 2:")];
    }).observe(get("table"), { childList: true, subtree: true })""")
    while not tab.evaluate("get('banner').textContent"):
        play(tab, 0)
        decide(tab)
        if tab.evaluate("faces.length"):
            tab.select_option("#delay", "0")
    told = r"Hand 1: (You win|Ada wins) \d tricks? and earns? [\w ]+"
    assert re.fullmatch(told, tab.inner_text("#banner"))
    assert len(tab.evaluate("faces")) == 2, "also a card that was laid and taken at once"
    last = next(line for line in tab.evaluate("state.log")[::-1] if "the trick" in line)
    winner, cards = tab.evaluate("waiting")
    assert re.search("with (.+?),", last)[1] == winner
    assert sorted(tab.evaluate("past")) == sorted(cards), "the hand that has ended is seen"
    asking = tab.evaluate("asking")
    assert asking == ["hidden", "0", *4 * [True]], "nothing is asked or told before it is seen"
    decide(tab)
    assert "Hand 2:" in tab.inner_text("#log")
    assert not tab.evaluate("get('asked').inert || get('table').inert")
    log, line = tab.locator("#log").bounding_box(), tab.locator("#log li").last.bounding_box()
    assert log["height"] >= 4 * 21, "four lines are seen on a phone, the newest among them"
    assert line["y"] + line["height"] <= log["y"] + log["height"] + 1
    tab.evaluate("tell(document.querySelector('#table [data-said]'))")
    for high in (False, True):
        tab.evaluate(f"document.body.classList.toggle('high', {str(high).lower()})")
        if high:  # which leaves one line of answers
            tab.evaluate("get('moves').replaceChildren(get('moves').lastElementChild)")
        log, panel = tab.locator("#log").bounding_box(), tab.locator("#panel").bounding_box()
        line = tab.evaluate("parseFloat(getComputedStyle(get('log').lastElementChild).lineHeight)")
        assert log["height"] >= 4 * line, "also beside the text of a card, and below a high table"
        assert log["y"] + log["height"] <= panel["y"] + panel["height"]
    tab.evaluate("""get('moves').replaceChildren(
        ...Array(9).fill("Shield: force Rapid Fire on Ada").map((text) => button(text)))""")
    said, last = tab.locator("#said").bounding_box(), tab.locator("#moves button").nth(1)
    assert said["y"] + said["height"] <= panel["y"] + panel["height"], "also below many answers"
    assert last.bounding_box()["y"] == tab.locator("#moves button").first.bounding_box()["y"]
    tab.click("#whole")
    assert tab.locator("#log").bounding_box()["height"] > 700, "the whole game covers the table"
    tab.keyboard.press("Escape")
    assert tab.locator("#log").bounding_box()["height"] < 300
    tab.evaluate("""state.news = ["You pass", "Ada draws", "Ada plays Red 5", "It wins"]
        .map((line, at) => [line, at < 3 ? "A rule that is long. ".repeat(20) : "So"]);
        showLog()""")
    tops = tab.evaluate(
        "[...get('log').children].map((item) => [...item.getClientRects()].pop().y)"
    )
    assert tops[0] < tops[1] == tops[2] == tops[3], "a phone has a paragraph for each player"
    shown = [each.is_visible() for each in tab.locator("#log small").all()]
    assert shown == [False, False, False, True], "and the newest rules, as many as fit"


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_cards_move_unless_people_prefer_less_motion(served, open_tab, motion):
    tab = open_tab(reduced_motion=motion)
    tab.add_init_script(COUNT_MOVES)
    visit(tab, *served(seed=5))
    for _ in range(6):
        play(tab)
    assert bool(tab.evaluate("window.moves")) == (motion == "no-preference")


def test_what_happens_is_shown_where_it_happens_and_heard_if_people_want_it(served, open_tab):
    tab = open_tab(reduced_motion="no-preference")
    tab.add_init_script("""window.flown = []; window.notes = 0;
        const animate = Element.prototype.animate, start = OscillatorNode.prototype.start;
        Element.prototype.animate = function (frames, timing) {
            if (frames[0].transform) flown.push([this.innerHTML, frames, timing.duration]);
            return animate.call(this, frames, timing);
        };
        OscillatorNode.prototype.start = function (...at) {
            notes += 1;
            return start.apply(this, at);
        };""")
    visit(tab, *served(begun=trap(held="Triple Ring, Gub", own="Gub")))
    for wanted in (False, True):
        choose(tab, 1 if wanted else 2)
        tab.click("#show-options")
        tab.set_checked("#sounds", wanted)
        tab.keyboard.press("Escape")
        before, version = tab.evaluate("void (flown.length = 0), [notes, state.version]")
        tab.click("#moves .yes")
        until(tab, f"!busy && state.version !== {version}")
        assert all(each[2] in range(200, 501) for each in tab.evaluate("flown"))
        assert bool(tab.evaluate("notes") > before) == wanted
        if not wanted:
            ring = tab.evaluate("flown.filter(([what]) => what.includes('gt-hoop'))")
            assert len(ring[0][1]) == 3, "it closes around the Gubs"
    assert tab.evaluate("localStorage.getItem('sounds')") == "yes"


def test_a_game_of_agents_is_watched_paused_and_stepped(served, tab, tmp_path):
    tab.set_viewport_size({"width": 568, "height": 320})
    visit(tab, *served(game="bad_bad_turtle", seed=40, players=8, step=True, delay=0.3, watch=True))
    assert tab.is_enabled("#next")
    assert not tab.query_selector("#moves button")
    until(tab, "isFitted() && isScrolled()")
    below = tab.evaluate("get('table').scrollTop")
    for _ in range(8):
        before = tab.evaluate("state.version")
        tab.keyboard.press("ArrowRight")
        until(tab, f"state.version > {before} && isSeen(document.querySelector('.gt-turn'))")
    assert tab.evaluate("get('table').scrollTop") < below, "scrolled to whose turn it is"
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.click("#next")
    until(tab, "state.log.length > 2")
    assert not barriers(tab)
    assert tab.input_value("#delay") == "0.3"
    assert tab.is_visible("#log")
    tab.select_option("#delay", "0")
    tab.keyboard.press("Tab")
    tab.focus("#log")
    tab.evaluate("document.activeElement.blur()")
    tab.select_option("#delay", "2")
    tab.keyboard.press(" ")
    until(tab, "!state.controls.paused")
    tab.click("#show-rules")
    until(tab, "state.controls.paused")  # nothing happens behind it
    tab.keyboard.press("Escape")
    until(tab, "!state.controls.paused")
    tab.select_option("#delay", "0")
    until(tab, "state.over")
    assert "The game is over" in tab.inner_text("#question")
    assert tab.is_disabled("#play")
    assert tab.is_hidden("#next")
    env, names = read_game(tmp_path / "game.jsonl")
    assert env.is_done(env.agent_selection)
    assert set(names) == {"random"}
