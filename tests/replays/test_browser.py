"""The page of a replay in a real browser: every control, the keyboard, accessibility."""

from __future__ import annotations

import numpy as np
import pytest

import gubs_env
from gubs_env import gubs_v0
from tests.api.tables import every_module
from tests.browsing import COUNT_MOVES, PHONE, barriers, width_of


def page_of(module, folder, seed=2):
    environment = module.env()
    environment.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(60):
        if not (moves := environment.legal_moves()):
            break
        environment.play(moves[rng.integers(len(moves))])
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


def test_the_buttons_go_where_they_say(tab, gubs_page):
    opened(tab, gubs_page)
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
    assert tab.inner_text("#play") == "▶ Play"


def test_the_keyboard_suffices(tab, gubs_page):
    opened(tab, gubs_page)
    for key, expected in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("Home", 0)):
        tab.keyboard.press(key)
        assert move(tab) == expected
    tab.keyboard.press("End")
    assert tab.is_disabled("#next")
    tab.keyboard.press("Home")
    tab.keyboard.press(" ")
    assert tab.inner_text("#play") == "⏸ Pause"
    tab.keyboard.press(" ")
    tab.keyboard.press("Home")
    reached = set()
    for _ in range(12):
        tab.keyboard.press("Tab")
        reached.add(tab.evaluate("document.activeElement.id"))
    assert {"eyes", "next", "play", "scrub", "speed", "log"} <= reached


def test_the_next_window_is_found(tab, gubs_page):
    opened(tab, gubs_page)
    tab.keyboard.press("w")
    assert tab.inner_text("#decision .interrupt") == "Asked out of turn"


def test_looking_through_other_eyes_shows_their_hand_only(tab, gubs_page):
    opened(tab, gubs_page, "#move=5&eyes=player_1")
    assert move(tab) == 5
    cards = "[data-where='hand of player_%d'][data-card]:not(:has(.gt-veil))"
    assert tab.query_selector(cards % 1)
    assert not tab.query_selector(cards % 0)
    tab.select_option("#eyes", "all hands")
    assert tab.query_selector(cards % 0)
    assert move(tab) == 5


def test_the_log_and_the_slider_jump(tab, gubs_page):
    opened(tab, gubs_page)
    tab.click("#log li:nth-child(6)")
    assert move(tab) > 0
    assert tab.inner_text("#log li.now").strip()
    before = move(tab)
    tab.focus("#scrub")
    tab.keyboard.press("ArrowRight")
    assert move(tab) == before + 1


@every_module
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_hinders_people_with_disabilities(open_tab, tmp_path, module, scheme):
    path = page_of(module, tmp_path)
    tab = open_tab(color_scheme=scheme, reduced_motion="reduce")
    opened(tab, path, "#move=20")
    assert not barriers(tab)


@pytest.mark.parametrize("width", [360, 800, 1600])
def test_the_page_fits_any_width(tab, gubs_page, width):
    tab.set_viewport_size({"width": width, "height": 900})
    opened(tab, gubs_page, "#move=20")
    assert width_of(tab) <= width


def test_a_phone_shows_the_middle_of_the_table_and_can_scroll_it(open_tab, gubs_page):
    tab = opened(open_tab(**PHONE), gubs_page, "#move=20")
    left, hidden = tab.evaluate(
        "(box => [box.scrollLeft, box.scrollWidth - box.clientWidth])"
        "(document.getElementById('table'))"
    )
    assert hidden > 0
    assert abs(left - hidden / 2) <= 1
    assert width_of(tab) <= 380
    tab.tap("#next")
    assert move(tab) == 21
    assert not barriers(tab)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_cards_move_unless_people_prefer_less_motion(open_tab, gubs_page, motion):
    tab = open_tab(reduced_motion=motion)
    tab.add_init_script(COUNT_MOVES)
    opened(tab, gubs_page)
    for _ in range(20):
        tab.click("#next")
    assert bool(tab.evaluate("window.moves")) == (motion == "no-preference")
