"""The page of a replay in a real browser: every control, the keyboard, accessibility."""

from __future__ import annotations

import re

import numpy as np
import pytest

import gubs_env
from gubs_env import gubs_v0
from gubs_env.engine.card_texts import card_help
from tests.amounts import MORE
from tests.api.tables import every_module
from tests.browsing import COUNT_MOVES, PHONE, WITHOUT, barriers, until, width_of


def page_of(module, folder, seed=2, moves=60):
    environment = module.env()
    environment.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(moves):
        if not (legal := environment.legal_moves()):
            break
        environment.play(legal[rng.integers(len(legal))])
    return gubs_env.replay(environment).save(folder / f"{module.GAME.name}.html")


@pytest.fixture(scope="module")
def gubs_page(tmp_path_factory):
    return page_of(gubs_v0, tmp_path_factory.mktemp("replay"))


def opened(tab, path, address=""):
    tab.goto(f"file://{path}{address}")
    tab.wait_for_selector("#pieces > *")
    return tab


def move(tab):
    return int(tab.inner_text("#count").split(" / ")[0])


def test_the_buttons_go_where_they_say(tab, tmp_path):
    opened(tab, page_of(gubs_v0, tmp_path, moves=12))
    last = int(tab.inner_text("#count").split(" / ")[1])
    assert tab.is_disabled("#back")
    for button, expected in (("next", 1), ("next", 2), ("back", 1), ("last", last), ("first", 0)):
        tab.click(f"#{button}")
        assert move(tab) == expected
    tab.click("#last")
    assert tab.is_disabled("#next")
    tab.select_option("#speed", "200")
    tab.click("#play")
    tab.wait_for_selector("#next:disabled", timeout=60_000)
    assert move(tab) == last
    assert tab.inner_text("#play").strip() == "Play"


def test_a_browser_that_refuses_what_is_optional_shows_the_replay(open_tab, gubs_page):
    tab = open_tab()
    tab.add_init_script(WITHOUT)
    opened(tab, gubs_page)
    tab.click("#next")
    tab.evaluate("copyCommand()")
    assert tab.inner_text("#copy") == "Selected" or tab.is_hidden("#copy")
    assert move(tab) == 1
    assert tab.is_hidden("#trouble")


def test_a_browser_that_cannot_show_the_replay_is_told(browser, gubs_page):
    tab = browser.new_page()
    tab.add_init_script("delete window.DecompressionStream;")
    tab.goto(f"file://{gubs_page}")
    tab.wait_for_selector("#trouble")
    assert "this browser is too old to unpack it" in tab.inner_text("#trouble")
    tab.close()


def test_the_keyboard_suffices(tab, gubs_page):
    opened(tab, gubs_page)
    for key, expected in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("Home", 0)):
        tab.keyboard.press(key)
        assert move(tab) == expected
    tab.keyboard.press("End")
    assert tab.is_disabled("#next")
    tab.keyboard.press("Home")
    tab.keyboard.press(" ")
    assert tab.inner_text("#play").strip() == "Pause"
    tab.keyboard.press(" ")
    tab.keyboard.press("Home")
    reached = set()
    for _ in range(12):
        tab.keyboard.press("Tab")
        reached.add(tab.evaluate("document.activeElement.id"))
    assert {"eyes", "next", "play", "scrub", "speed", "log"} <= reached


def test_the_next_window_is_found_and_none_is_named(tab, gubs_page):
    opened(tab, gubs_page, "#eyes=all hands")
    assert tab.get_attribute("#window", "title") == "Next moment to answer (A)"
    tab.keyboard.press("a")
    assert tab.inner_text("#decision .interrupt") == "A moment to answer, out of turn"
    tab.keyboard.press("End")
    assert tab.is_disabled("#window")
    assert tab.get_attribute("#window", "title") == "No moment to answer after this move"
    assert tab.get_attribute("#window", "aria-label").endswith(": none after this move")
    assert tab.is_hidden("#mistake"), "a button that never leads anywhere"


def test_it_opens_with_the_eyes_of_the_first_player_and_shows_all_hands_on_request(tab, gubs_page):
    opened(tab, gubs_page, "#move=5")
    seen = []
    for _ in range(3):
        seen.append((tab.input_value("#eyes"), tab.get_attribute("#hands", "aria-pressed")))
        tab.click("#hands")
    assert seen == [("player_0", "false"), ("all hands", "true"), ("player_0", "false")]
    assert move(tab) == 5


def apart(tab, one, other):
    """Return whether two things on the page do not overlap."""
    a, b = (tab.locator(each).first.bounding_box() for each in (one, other))
    ways = (("x", "width"), ("y", "height"))
    return any(p[at] + p[size] <= q[at] for p, q in ((a, b), (b, a)) for at, size in ways)


@pytest.mark.parametrize("size", [(390, 844), (844, 390), (1280, 800)])
def test_a_press_on_a_card_tells_its_rule_as_the_game_does(tab, tmp_path, size):
    environment = gubs_v0.env()
    environment.set_state(gubs_v0.position(["Smahl Thief, Scout", "Feather"], ["Gub", ""], seed=1))
    environment.play("Scout: look at the hand of player_1")
    tab.set_viewport_size({"width": size[0], "height": size[1]})
    opened(tab, gubs_env.replay(environment).save(tmp_path / "hands.html"))
    card, rules = "#pieces [data-card='Smahl Thief']", card_help(gubs_v0.GAME)
    for hides in (lambda: tab.click(card), lambda: tab.keyboard.press("Escape")):
        tab.click(card)
        assert tab.inner_text("#said") == rules["Smahl Thief"]
        assert apart(tab, "#said", card)
        assert apart(tab, "#said", "nav")
        hides()
        assert not tab.inner_text("#said")
    tab.click("#pieces [data-where='hand of player_1']")
    assert rules["Feather"] not in tab.inner_text("#said"), "they do not see it"
    known = "player_0 knows that this card lies here. "
    for press, knows in (("#next", known), ("#hands", "")):
        tab.click(press)
        tab.click("#pieces [data-card='Feather']")
        assert tab.inner_text("#said") == knows + rules["Feather"]


def test_a_curve_has_a_scale_and_its_mistakes_are_found(tab, tmp_path):
    environment = gubs_v0.env()
    environment.reset(seed=2)
    rng = np.random.default_rng(2)
    while (moves := environment.legal_moves()) and len(environment.actions) < 60 * MORE:
        environment.play(moves[rng.integers(len(moves))])
    path = gubs_env.replay(environment, judge="policy").save(tmp_path / "judged.html")
    opened(tab, path)
    levels = [level.inner_text() for level in tab.query_selector_all("#curve .level")]
    assert sorted(levels) == ["0 %", "100 %", "50 %"]
    count = len(tab.query_selector_all("#curve .mark"))
    assert count > 0
    for _ in range(count):
        assert tab.is_enabled("#mistake")
        tab.keyboard.press("m")
        told = tab.inner_text("#decision .mistake")
        cost, margin = re.search(
            r"is better: it wins (\d+) more games in 100 \(± (\d+)\)", told
        ).groups()
        assert int(cost) > int(margin)
        assert f"“{tab.inner_text('.choice >> nth=0 >> span >> nth=0')}”" in told
    assert tab.get_attribute("#mistake", "title") == "No mistake after this move"
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.click("#scrub", position={"x": 2, "y": 8})
    tab.click("#mistake")
    for _ in ("the button", "a link"):
        told = tab.inner_text("#said")
        assert told.endswith(tab.inner_text("#decision .mistake")), "it is told on a phone"
        assert re.match(r"player_\d: [A-Z]", told), "with the move that it is about"
        table, said = (tab.locator(each).bounding_box() for each in ("#table svg", "#said"))
        assert table["y"] >= 0, "the table is in view"
        assert said["y"] + said["height"] <= 844
        tab.click("#asked")
        assert not tab.inner_text("#said"), "a tap hides it"
        at = move(tab)
        tab.goto("about:blank")
        opened(tab, path, f"#move={at}")
    tab.set_viewport_size({"width": 844, "height": 390})
    tab.evaluate("go(0)")
    tab.clock.install()
    tab.click("#mistake")
    assert tab.inner_text("#said")
    assert apart(tab, "#said", "#table svg"), "it is told beside the table of a lying phone"
    tab.clock.fast_forward(10_000)
    assert not tab.inner_text("#said")
    tab.locator("#curve .mark").last.click()
    assert "A mistake" in tab.inner_text("#decision .mistake")
    assert not barriers(tab)


def test_a_page_shows_the_command_that_plays_on(tab, tmp_path):
    path = gubs_env.record(tmp_path / "games.jsonl", "random", "bad_bad_turtle", games=1, seed=3)
    record = gubs_env.read_record(path, 0)
    page = gubs_env.replay(record, source="games.jsonl#0").save(tmp_path / "game.html")
    opened(tab, page, "#move=12&eyes=player_1")
    told = "gubs play --resume games.jsonl#0:12 --humans player_1"
    assert tab.inner_text("#on code") == told
    tab.click("#copy")
    until(tab, "document.getElementById('copy').textContent === 'Copied'")
    assert tab.evaluate("getSelection().toString()") == told
    tab.keyboard.press("End")
    assert tab.is_hidden("#on")


def test_looking_through_other_eyes_shows_their_hand_only(tab, gubs_page):
    opened(tab, gubs_page, "#move=5&eyes=player_1")
    assert move(tab) == 5
    cards = "[data-where='hand of player_%d'][data-card]:not(:has(.gt-veil))"
    assert tab.query_selector(cards % 1)
    assert not tab.query_selector(cards % 0)
    card = tab.locator(cards % 1).first
    card.click()
    assert tab.inner_text("#said").startswith(card.get_attribute("data-card"))
    tab.select_option("#eyes", "all hands")
    assert tab.query_selector(cards % 0)
    assert move(tab) == 5
    assert tab.is_hidden("#said")


def test_the_log_and_the_slider_jump(tab, gubs_page):
    opened(tab, gubs_page)
    assert not [line for line in tab.query_selector_all("#log li") if line.is_visible()]
    tab.keyboard.press("End")
    tab.click("#log li:nth-child(6)")
    last = int(tab.inner_text("#count").split(" / ")[1])
    assert 0 < move(tab) < last
    frames = tab.evaluate(
        "[...document.querySelectorAll('#log li:not([hidden])')].map(line => +line.dataset.frame)"
    )
    assert max(frames) == move(tab), "the log tells the future"
    assert tab.inner_text("#log li.now").strip()
    before = move(tab)
    tab.focus("#scrub")
    tab.keyboard.press("ArrowRight")
    assert move(tab) == before + 1


@every_module
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_hinders_people_with_disabilities(tab, tmp_path, module, scheme):
    path = page_of(module, tmp_path)
    tab.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    opened(tab, path, "#move=20")
    assert not barriers(tab)


@pytest.mark.parametrize("width", [360, 800, 1600])
def test_the_page_fits_any_width(tab, gubs_page, width):
    tab.set_viewport_size({"width": width, "height": 900})
    opened(tab, gubs_page, "#move=20")
    assert width_of(tab) <= width


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_board_and_moves_stand_side_by_side_without_scrolling(tab, gubs_page, size):
    tab.set_viewport_size({"width": size[0], "height": size[1]})
    opened(tab, gubs_page, "#move=20")
    boxes = {each: tab.locator(each).bounding_box() for each in ("#table svg", "nav", "#decision")}
    assert boxes["#table svg"]["x"] + boxes["#table svg"]["width"] <= boxes["#decision"]["x"]
    assert all(box["y"] + box["height"] <= size[1] for box in boxes.values())


HAND = """(() => {
  const box = document.getElementById("table").getBoundingClientRect();
  const nav = document.querySelector("nav").getBoundingClientRect();
  const hand = document.querySelectorAll("#pieces [data-where='hand of player_0']");
  return [...hand].map((card) => card.getBoundingClientRect()).every((card) =>
    card.left >= box.left && card.right <= box.right && card.bottom <= nav.top) && hand.length;
})()"""
"""Whether the whole hand of player_0 can be seen: the number of its cards, or false."""
TURN = """(() => {
  const box = document.getElementById("table").getBoundingClientRect();
  const { top, bottom } = document.querySelector("#pieces .gt-turn").getBoundingClientRect();
  return top >= box.top - 1 && bottom <= box.bottom + 1;
})()"""
"""Whether the whole mat of whose turn it is can be seen."""
PLACES = """JSON.stringify([...document.querySelectorAll("nav > *")].map((each) =>
  each.getBoundingClientRect()))"""
"""Where the controls lie."""
SMALLEST = """Math.min(...[...document.querySelectorAll("#pieces text")].map((text) =>
  parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))"""
"""The size of the smallest text on the table, in pixels."""


def test_a_phone_shows_the_whole_table_and_the_hand(open_tab, gubs_page, tmp_path):
    kinds = (
        "Gub, Mushroom, Toad Rider, Velvet Moth, Sud Spout, Lure, Spear, Feather, Scout, Retreat"
    )
    environment = gubs_v0.env()
    environment.set_state(gubs_v0.position([kinds, ""], ["Gub; Gub", "Gub"], seed=1))
    full_hand = gubs_env.replay(environment).save(tmp_path / "hand.html")
    tab = opened(open_tab(**PHONE), full_hand)
    for wide, high in ((380, 800), (320, 568)):
        tab.set_viewport_size({"width": wide, "height": high})
        opened(tab, full_hand)
        assert tab.evaluate(HAND) == 10
        opened(tab, gubs_page, "#move=20")
        assert tab.evaluate(HAND)
        places = [tab.evaluate(f"go({at}), {PLACES}") for at in (0, 20, 40)]
        assert places[0] == places[1] == places[2], "the buttons move"
        assert tab.evaluate("document.getElementById('count').clientHeight") < 40
        tab.evaluate("go(20)")
        bar, told = (tab.locator(each).bounding_box() for each in ("nav", "#decision"))
        assert bar["y"] + bar["height"] <= told["y"], "the bar covers the decision"
        assert width_of(tab) <= wide
        assert tab.evaluate(SMALLEST) >= 11.9
    for button, expected in (("next", 21), ("first", 0), ("last", 60), ("first", 0)):
        tab.tap(f"#{button}")
        assert move(tab) == expected
    assert tab.inner_text("#window").split() == ["Next", "answer"]
    assert not barriers(tab)
    tab.set_viewport_size({"width": 844, "height": 390})
    opened(tab, gubs_page, "#move=20")
    log = tab.locator("#log").bounding_box()
    assert log["y"] + log["height"] < 390, "the log is seen beside the decision"
    table, side = (tab.locator(each).bounding_box() for each in ("#table svg", "#side"))
    assert table["width"] > side["width"], "the table uses the width"
    assert tab.evaluate(f"[15, 20, 40].every((at) => go(at) || {TURN})")
    tab.set_viewport_size({"width": 768, "height": 1024})
    box = tab.locator("#table svg").bounding_box()
    assert box["width"] > 700, "a tablet has room for the wide table"
    assert tab.evaluate("innerHeight") - tab.locator("nav").bounding_box()["y"] < 70


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_cards_move_unless_people_prefer_less_motion(open_tab, gubs_page, motion):
    tab = open_tab(reduced_motion=motion)
    tab.add_init_script(COUNT_MOVES)
    opened(tab, gubs_page)
    for _ in range(20):
        tab.click("#next")
    assert bool(tab.evaluate("window.moves")) == (motion == "no-preference")
