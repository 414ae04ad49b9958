"""The tables of `shots`, by their structure: nothing overlaps, nothing is cut, all can be read and
touched, and the table fills its part of the window.
"""

from __future__ import annotations

import os
import re
from importlib import import_module

import numpy as np
import pytest

from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0
from gubs_env.engine.view import View
from gubs_env.games.bad_bad_turtle.drawing import TurtleTable
from gubs_env.games.fubnub.drawing import FubnubTable
from tests.drawing.scenes import FubnubPhase, always
from tests.drawing.test_small_screens import Pieces, faults
from tests.play.shots import STATES, seat_of, turtle

SIZES = [(912, 736), (1440, 1016), (1982, 1376), (746, 601), (368, 488), (534, 379)]
"""The sizes of the table in the windows of `shots.SIZES`, as the page says them."""
TOUCHED = [(298, 309), (368, 488), (534, 378), (746, 630)]
"""Those on touch screens, on which a unit of the picture is a pixel."""
HIGH = [(298, 309), (368, 553), (534, 378)]
"""Those on phones on which much lies on the table."""
ENDED = (746, 634)
"""That on a tablet when a game of many is over."""
MOST = int(os.environ.get("GUBS_ENV_POSITIONS", "2"))
"""Number of sizes at which each state is drawn."""
LEAST_TARGET, LEAST_COVERED = 40, 0.85
"""The least width and height of what can be chosen, in pixels, and the part of the picture that
seats and middle cover."""
LEAST_HELD = 18
"""The least width of a card of a hand, on which the number of all may stand."""


@pytest.mark.parametrize("at", range(len(STATES)), ids=list(STATES))
def test_a_table_fills_its_window_and_can_be_read_and_touched(at):
    env = [*STATES.values()][at][0]()
    is_over = env.is_done(env.agent_selection)
    view = env.view(seat_of(env))
    view = view._replace(state=env.state()) if is_over else view  # then all hands are open
    mask = [] if is_over else env.observe(env.agent_selection)["action_mask"]
    for number in range(min(MOST, len(SIZES))):
        size = SIZES[(at + 3 * number) % len(SIZES)]
        drawn = import_module(view.game.drawing).draw.__self__(view, is_over, size)
        svg = drawn.svg()
        assert faults(svg) == [], size
        assert covered(drawn) >= LEAST_COVERED, size
    for size in TOUCHED:
        svg = view.game.draw(view, size=size)
        assert faults(svg) == [], size
        assert small_targets(svg, np.flatnonzero(mask)) == [], size


@pytest.mark.parametrize("size", HIGH)
def test_the_seats_of_fubnub_keep_their_places_and_fit_on_phones_all_game_long(size):
    for players, options in ((4, {}), (4, {"mode": "full"}), (2, {"mode": "ghost"})):
        env = fubnub_v0.raw_env(players, options)
        env.reset(seed=4)
        rng, ways = np.random.default_rng(4), set()
        while not env.is_done(env.agent_selection):
            places = FubnubTable(env.view("player_0"), False, size).places
            ways.add(tuple((box.x, box.w) for box in (*places.seats, places.middle)))
            is_theft = env.state().phase == FubnubPhase.STEAL  # shown as large as a finger
            assert is_theft or places.height <= size[1] + 1
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(int(rng.choice(np.flatnonzero(mask))))
        assert len(ways) == 1


@pytest.mark.parametrize(("players", "size"), [(2, 1), (3, 2), (5, 1), (5, 2), (8, 0)])
def test_a_seat_of_turtle_has_the_same_words_for_its_piles_all_game_long(players, size):
    env, rng, forms = bad_bad_turtle_v0.raw_env(players), np.random.default_rng(players), set()
    env.reset(seed=players)
    while not env.is_done(env.agent_selection):
        picture = Pieces(env.game.draw(env.view("player_0"), size=TOUCHED[size]))
        for seat in np.flatnonzero(env.state().living):
            written = [area.what for area in picture.words if area.is_in(picture.mats[seat])]
            titles = [words for words in written if re.fullmatch(r"stack( \d+)?", words)]
            forms.add((seat, *(words.rstrip("0123456789") for words in titles)))
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))
    assert len(forms) == players
    assert any(len(form) > 1 for form in forms if form[0] == 0), "the viewer's have words"


@pytest.mark.parametrize("players", [2, 8])
def test_the_turtle_that_has_won_is_seen_and_as_large_as_any_card_of_a_mat(players):
    env = STATES[f"turtle-{players}-end"][0]()
    for size in TOUCHED:
        cards = Pieces(env.game.draw(View(0, env.state(), env.game), True, size)).cards
        (won,) = [area for area, _, name in cards if name == "Turtle"]
        assert won.right - won.left >= max(area.right - area.left for area, _, _ in cards), size
        assert won.bottom < size[1], size
    for size in ((368, 488 if players == 2 else 523), (534, 378)):  # as the page says them then
        drawn = TurtleTable(View(0, env.state(), env.game), True, size)
        assert drawn.places.height <= size[1] + 1, "everything is seen on a phone"


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_open_mats_of_turtle_say_what_their_numbers_count_and_their_cards_are_large(players):
    env = turtle(players, always, 20)()
    for size, least in ((None, 27), (ENDED, 24)):
        picture = Pieces(env.game.draw(View(0, env.state(), env.game), True, size))
        assert min(area.right - area.left for area, _, _ in picture.cards) >= least
        for seat in np.flatnonzero(env.state().living):
            written = [area.what for area in picture.words if area.is_in(picture.mats[seat])]
            assert any(re.fullmatch(r"stack( \d+)?", words) for words in written), size


def test_eight_open_mats_fit_on_a_tablet_at_the_end():
    env = STATES["turtle-8-end"][0]()
    assert TurtleTable(View(0, env.state(), env.game), True, ENDED).places.height <= ENDED[1]


def test_targets_beside_a_hand_that_is_known_are_as_large_as_a_finger():
    env = gubs_v0.raw_env(4)
    hands, colonies = ["Sud Spout", "Lure", "Lure", "Gub"], ["Gub; Gub", "", "", "Gub; Gub; Gub"]
    state = gubs_v0.position(hands, colonies, seed=1)
    state.known[0, 3, gubs_v0.Card.GUB] = 1
    env.set_state(state)
    env.step(env.action_index("CARD[Sud Spout]"))
    svg = env.game.draw(env.view("player_0"), size=(368, 552))
    assert small_targets(svg, np.flatnonzero(env.observe("player_0")["action_mask"])) == []
    assert "Gub" in [name for area, _, name in Pieces(svg).cards if area.what == "hand of player_3"]


def covered(drawn):
    """Return the part of a picture that the seats and the middle cover."""
    places = drawn.places
    zones = [*places.seats, places.middle]
    return sum(box.w * box.h for box in zones) / (places.width * places.height)


def small_targets(svg, legal):
    """Return the cards that can be chosen, but are small."""
    named = set(map(str, legal))
    return [
        (area.what, name)
        for area, action, name in Pieces(svg).cards
        if action in named
        and min(area.right - area.left, area.bottom - area.top) < LEAST_TARGET - 0.5
    ]
