"""Every table can be read and touched on every screen, however much lies on it.

Pictures are read without a browser; `tests/play/test_browser.py` shows some in one.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest

from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0
from gubs_env.drawing.cards import LEAST_SIZE, badge
from gubs_env.drawing.style import RULES
from gubs_env.drawing.svg import BOLD, width_of
from gubs_env.engine.view import View
from gubs_env.games.bad_bad_turtle.drawing import ASKEW
from gubs_env.games.fubnub.cards import NUMBER_TITLES
from gubs_env.games.fubnub.drawing import LITTLE
from gubs_env.games.fubnub.state import UNDEALT
from gubs_env.games.gubs.cards import NUM_HAND_KINDS, Card
from gubs_env.games.gubs.drawing import BAR_ENDS, DECK_BAR, FACES, SAFE_GUB
from gubs_env.replays.frames import LOW, SMALL
from tests.drawing.crowded import TABLES, views
from tests.drawing.reading import SVG, Picture

SIZES = [(0, 0), (268, 238), (348, 331), (378, 488), (440, 304), (592, 500), (884, 744)]
"""Sizes of the box of the table: phones upright and lying, a tablet, a window."""
LEAST_TOUCH = 24
"""The least width and height of what a finger has to hit, after WCAG 2.2."""
TEXT_SIZES = {
    name: float(size)
    for names, size in re.findall(r"([^{}]+)\{[^}]*?font-size:([\d.]+)px", RULES.replace("\n", ""))
    for name in names.split(",")
}
"""The font size of each class, in units of the picture."""
USUAL_SIZE = 12
PLACE = re.compile(r"place (\d+) of (.*)")
MOVE = re.compile(r"translate\(([-\d.]+) ([-\d.]+)\)(?: scale\(([\d.]+)\))?")


class Area(NamedTuple):
    """A rectangle of the picture in pixels, and what lies there."""

    left: float
    top: float
    right: float
    bottom: float
    what: str

    def crosses(self, other: Area, by: float = 1) -> bool:
        return (
            self.left + by < other.right
            and other.left + by < self.right
            and self.top + by < other.bottom
            and other.top + by < self.bottom
        )

    def is_in(self, other: Area) -> bool:
        return (
            self.left >= other.left - 1
            and self.right <= other.right + 1
            and self.top >= other.top - 1
            and self.bottom <= other.bottom + 1
        )


class Pieces:
    """The mats, cards and words of a picture, by where they are."""

    def __init__(self, svg: str) -> None:
        self.root = ElementTree.fromstring(svg)
        wide, high = map(float, self.root.get("viewBox").split()[2:])
        self.frame = Area(0, 0, wide, high, "picture")
        symbols = [
            each for each in self.root.find(f"{SVG}defs") if each.find(f".//{SVG}text") is not None
        ]
        self.symbols = {f"#{each.get('id')}": each for each in symbols}
        self.mats, self.cards, self.words, self.sizes = [], [], [], []
        for piece in self.root:
            if piece.tag in (f"{SVG}g", f"{SVG}text"):
                self._read(piece, (0.0, 0.0, 1.0), is_card=False)

    def _read(self, piece: Any, at: tuple[float, float, float], is_card: bool) -> None:
        x, y, scale = at
        if found := MOVE.match(piece.get("transform", "")):
            x, y = x + scale * float(found[1]), y + scale * float(found[2])
            scale *= float(found[3] or 1)
        if piece.get("data-where"):
            is_card = True
            area = Area(x, y, x + 100 * scale, y + 140 * scale, piece.get("data-where"))
            self.cards.append((area, piece.get("data-action"), piece.get("data-card")))
        if piece.tag == f"{SVG}rect" and "gt-mat" in piece.get("class", ""):
            left, top = float(piece.get("x")), float(piece.get("y"))
            right, bottom = left + float(piece.get("width")), top + float(piece.get("height"))
            self.mats.append(Area(left, top, right, bottom, "mat"))
        if piece.tag == f"{SVG}text":
            self._read_words(piece, (x, y, scale), is_card)
        if piece.get("href") in self.symbols:
            self._read(self.symbols[piece.get("href")], (x, y, scale), is_card=True)
        for part in piece:
            self._read(part, (x, y, scale), is_card)

    def _read_words(self, text: Any, at: tuple[float, float, float], is_card: bool) -> None:
        x, y, scale = at
        x, y = x + scale * float(text.get("x", 0)), y + scale * float(text.get("y", 0))
        styles = styles_of(text)
        parts = list(text) or [text]  # a line in several styles, or in one
        sizes = [scale * size_of(part) for part in parts]
        if "some" not in styles and "transform" not in text.attrib:  # those are parts of emblems
            self.sizes += [(size, part.text) for size, part in zip(sizes, parts, strict=True)]
        wide = sum(
            size * width_of(part.text or "", 1) * (BOLD if BOLDS & styles_of(part) else 1)
            + scale * float(part.get("dx", 0))
            for size, part in zip(sizes, parts, strict=True)
        )
        left = x - wide / 2 if {"mid", "count", "glyph", "sentence"} & styles else x
        left = x if "start" in styles else x - wide if "end" in styles else left
        said, size = " ".join(text.itertext()), max(sizes)
        if not is_card and said.strip():
            self.words.append(Area(left, y - 0.75 * size, left + wide, y + 0.2 * size, said))


BOLDS = {"title", "count", "hot", "score"}


def styles_of(text: Any) -> set[str]:
    return {style.removeprefix("gt-") for style in text.get("class").split()}


def size_of(text: Any) -> float:
    """Return the font size of a text, in units of the picture."""
    if own := re.search(r"font-size:([\d.]+)", text.get("style") or ""):
        return float(own[1])
    styles = [style.removeprefix("gt-") for style in text.get("class").split()]
    named = [f".{style}" for style in styles] + ["." + ".".join(styles)]
    sizes = [TEXT_SIZES[name] for name in named if name in TEXT_SIZES]
    if "faint" in styles and "glyph" in styles:
        sizes.append(TEXT_SIZES[".faint.glyph"])
    return [USUAL_SIZE, *sizes][-1]


def faults(svg: str) -> list[str]:
    """Return what cannot be read or touched, or lies over something else, in words."""
    picture = Pieces(svg)
    found = [
        f"small: {words!r} {size:.1f}" for size, words in picture.sizes if size < LEAST_SIZE - 0.05
    ]
    cards = [area for area, _, _ in picture.cards]
    for area in (*cards, *picture.words):
        if not area.is_in(picture.frame):
            found.append(f"outside: {area}")
        for mat in picture.mats:
            if area.crosses(mat) and not area.is_in(mat):
                found.append(f"over the edge of a mat {mat}: {area}")
    for at, area in enumerate(picture.words):
        for other in (*picture.words[at + 1 :], *cards):
            if area.crosses(other, by=2.5):
                found.append(f"crossing: {area} and {other}")
    places = {
        (place[2], int(place[1])): (area.top, area.left)
        for area in cards
        if (place := PLACE.fullmatch(area.what))
    }
    if sorted(places) != sorted(places, key=lambda place: (place[0], places[place])):
        found.append(f"ordinals out of the order of reading: {places}")
    rows: dict[Any, set[int]] = {}
    for card in picture.root.iterfind(".//*[@data-card]"):
        row = PLACE.sub(r"\2", card.get("data-where")), card.get("transform").split("scale")[-1]
        names = [text for text in card.iter(f"{SVG}text") if "name" in styles_of(text)]
        rows.setdefault(row, set()).update(round(size_of(text)) for text in names)
    found += [
        f"names of {len(sizes)} sizes: {row}" for row, sizes in rows.items() if len(sizes) > 1
    ]
    for at, (area, action, name) in enumerate(picture.cards):
        if action is None:
            continue
        over = [other for other, _, _ in picture.cards[at + 1 :] if other.what != area.what or name]
        right = min(
            (o.left for o in over if o.top == area.top and area.left < o.left < area.right),
            default=area.right,
        )
        if right - area.left < LEAST_TOUCH - 0.1 or area.bottom - area.top < LEAST_TOUCH:
            found.append(f"too small to touch: {area}, {right - area.left:.1f} wide")
    return found


def won_and_shown(state, svg):
    """Return how many cards of FUBNUB have been won, and how many a picture shows or counts."""
    picture = Picture(svg)
    shown = sum(", won by" in card.where for card in picture.cards)
    points = sum(card.where.startswith("pile of") for card in picture.cards)
    won = int(state.owned.sum() + state.tricks[state.trick_winner >= 0].sum())
    return won, points + shown + left_out(picture, "Pile of")


def left_out(picture, where):
    """Return how many cards of a place have no room in a picture, as it counts them."""
    numbers = picture.root.iterfind(".//*[@data-said]/*[@class='gt-count gt-start gt-clear']/..")
    return sum(int("".join(n.itertext())) for n in numbers if n.get("data-said").startswith(where))


@pytest.mark.parametrize("table", TABLES)
def test_a_crowded_table_is_legible_on_every_screen(table):
    for view, is_open in views(table):
        for size in SIZES:
            svg = view.game.draw(view, is_open, size)
            assert faults(svg) == [], (size, view.game.question(view))
            if table.startswith("fubnub") and size[0] * size[1] > LITTLE:
                won, shown = won_and_shown(view.state, svg)
                assert won == shown, (size, view.game.question(view))


@pytest.mark.parametrize("table", [table for table in TABLES if table.startswith("fubnub")])
def test_open_hands_are_open_on_a_phone_too(table):
    for view in (view for view, is_open in views(table) if is_open):
        for size in (SMALL, LOW):
            assert 'data-said="Hand of ' not in view.game.draw(view, open_hands=True, size=size)


def test_words_of_a_game_without_a_drawing_are_legible_on_every_screen():
    for view, is_open in views("gubs, 4"):
        plain = dataclasses.replace(view.game, drawing="gubs_env.drawing.plain")
        for size in (*SIZES, None):
            assert faults(plain.draw(view, is_open, size)) == [], size


@pytest.mark.parametrize("known", [2, 4])
def test_undealt_cards_that_a_dealer_has_returned_lie_beside_the_others(known):
    env = fubnub_v0.raw_env(4)
    env.reset(seed=5)
    state = env.state()
    returned = np.flatnonzero(state.hand.sum(axis=0) == 0)[:known]
    state.known[0, UNDEALT, returned] = 1
    for size in [(378, 488), (378, 552), (884, 744)]:
        svg = env.game.draw(View(0, state, env.game), size=size)
        assert faults(svg) == [], size
        shown = {name for name in Picture(svg).at("undealt") if name}
        assert shown == {NUMBER_TITLES[card] for card in returned}, size


def test_a_card_of_a_trick_bears_its_name_beside_the_place_of_who_is_still_to_play():
    env = fubnub_v0.raw_env(4)
    env.reset(seed=5)
    while env.state().trick_size < 2:
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    svg = env.game.draw(env.view(env.agent_selection), size=(378, 488))
    named = {card: words for (card, where), words in names_on(svg).items() if "laid by" in where}
    assert len(named) == 2
    assert all(words.endswith(card) for card, words in named.items()), named


@pytest.mark.parametrize("size", [(1044, 844), (884, 500), (746, 600)])
def test_the_banner_of_every_card_that_lies_on_a_gub_bears_its_name(size):
    environment = gubs_v0.raw_env(2)
    lying = ["Velvet Moth", "Toad Rider", "Mushroom", "Sud Spout", "Single Ring"]
    colonies = ["; ".join(f"Gub + {card}" for card in lying), ""]
    environment.set_state(gubs_v0.position(["Lure", "Feather"], colonies, seed=1))
    view = environment.view("player_0")
    root = ElementTree.fromstring(view.game.draw(view, size=size))
    for card in lying:
        piece = root.find(f".//*[@data-card='{card}']")
        assert " ".join(text.text for text in piece.iter(f"{SVG}text")) == card


@pytest.mark.parametrize(("size", "hoops"), [((752, 632), 1), ((374, 560), 3)])
def test_a_ring_lies_in_one_row_or_in_two_parts_with_a_link_and_one_name(size, hoops):
    environment = gubs_v0.raw_env(4)
    ringed = "; ".join(["Gub + Triple Ring"] * 3)
    environment.set_state(gubs_v0.position([""] * 4, ["", ringed, "", ""], seed=1))
    svg = environment.game.draw(environment.view("player_0"), size=size)
    assert svg.count('class="gt-hoop"') == hoops
    assert svg.count(">Triple Ring</text>") == 1


def names_on(svg):
    """Return the words on each card of a picture, by card and place."""
    cards = ElementTree.fromstring(svg).iterfind(".//*[@data-card]")
    return {
        (card.get("data-card"), card.get("data-where")): " ".join(
            text.text for text in card.iter(f"{SVG}text")
        ).replace("- ", "")
        for card in cards
    }


@pytest.mark.parametrize(
    ("held", "colony"),
    [
        ("Lure, Super Lure, Feather", "Gub"),
        ("Mushroom, Toad Rider, Blindfold", "Gub"),
        ("Velvet Moth, Lure", "Gub; Gub + Toad Rider; Gub + Sud Spout; Gub + Mushroom"),
    ],
)
def test_the_cards_before_the_viewer_bear_their_names_on_a_phone(held, colony):
    environment = gubs_v0.raw_env(3)
    others = ["Gub", "Gub + Mushroom; Gub"]
    environment.set_state(gubs_v0.position([held, "", ""], [colony, *others], seed=1))
    view = environment.view("player_0")
    for (card, where), words in names_on(view.game.draw(view, size=(378, 553))).items():
        is_covered = card == "Gub" and where.startswith(("place 2", "place 3", "place 4"))
        assert words == card or is_covered or "player_0" not in where, (card, where)


def test_long_names_stand_on_the_cards_of_a_tablet_in_three_lines():
    revealed = "Stack Swap Right, blank, Sing Something, Skip, Stack Swap Left, Refund, Peek"
    env = bad_bad_turtle_v0.raw_env(3)
    aside = {"Never Happened": 1}
    state = bad_bad_turtle_v0.position([""] * 3, revealed=[revealed, "", ""], set_aside=aside)
    env.set_state(state)
    named = names_on(env.game.draw(env.view("player_0"), size=(746, 630)))
    assert len(named) > 7
    assert [card for (card, _), words in named.items() if words != card] == []


@pytest.mark.parametrize("size", [(700, 600), (884, 744), (1400, 1000)])
@pytest.mark.parametrize(
    "discards", ["Mushroom ×3, Velvet Moth, Lure, Cyclone, Spear", "Lure, Spear"]
)
def test_all_small_cards_of_a_list_bear_names_or_none_does(size, discards):
    env = gubs_v0.raw_env(3)
    env.set_state(gubs_v0.position([""] * 3, ["Gub"] * 3, discard=discards, seed=1))
    svg = env.game.draw(env.view("player_0"), size=size)
    listed = [words for (_, where), words in names_on(svg).items() if where == "discard pile"]
    assert len(listed) == len(discards.split(", "))
    assert all(listed) or not any(listed)


def test_all_eight_seats_are_seen_on_a_lying_phone():
    eight = [view for view, is_open in views("bad_bad_turtle, 8") if not is_open]
    crowded = [view.game.draw(view, size=(542, 378)) for view in eight]
    assert all(faults(svg) == [] for svg in crowded)
    picture = Pieces(crowded[0])
    assert (picture.frame.bottom, len({mat.top for mat in picture.mats})) == (378, 3)


def test_a_stack_is_told_from_discards_on_a_phone():
    env = bad_bad_turtle_v0.raw_env(8)
    env.reset(seed=1)
    env.step(env.action_index("TAKE_TURN"))
    svg = env.game.draw(env.view("player_7"), size=(368, 553))
    discards = np.count_nonzero(env.state().discard_size)
    assert Picture(svg).words.count("discards") == 1, "of the viewer, in words"
    marked = [svg.count(f'href="#gt-mark-{pile}-50"') for pile in ("stack", "discards")]
    assert marked == [8, 1 + discards]
    assert svg.count(f"rotate({ASKEW:.0f} ") == discards > 0


def test_revealed_cards_without_room_are_counted_and_the_viewer_sees_some_in_a_replay():
    env = bad_bad_turtle_v0.raw_env(4)
    kinds = "blank ×3, Dance, No Trash, Skip, blank ×2, Rhyme, Peek, Refund, Tell a Joke"
    revealed, aside = [kinds, "", "", "blank ×2, Do Over, Shuffle"], {"Shield": 0, "No Way": 3}
    position = bad_bad_turtle_v0.position([""] * 4, revealed=revealed, set_aside=aside, seed=1)
    env.set_state(position)
    picture = Picture(env.game.draw(env.view("player_0"), size=SMALL))
    for seat, size in ((0, 12), (3, 4)):
        where = f"reveal pile of player_{seat}"
        left = left_out(picture, where.capitalize())
        assert left > 0
        assert sum(picture.at(where).values()) + left == size
    assert "revealed 12" in picture.words
    assert picture.at("reveal pile of player_0")


def test_the_viewer_of_two_has_piles_as_large_as_others_and_their_words_do_not_meet():
    env = bad_bad_turtle_v0.raw_env(2)
    env.reset(seed=1)
    picture = Pieces(env.game.draw(env.view("player_0"), size=(368, 488)))
    wide = {area.what: area.right - area.left for area, _, _ in picture.cards}
    assert wide["stack of player_0"] >= wide["stack of player_1"]
    ends = [area.right for area in picture.words if area.what == "stack"]
    begins = [area.left for area in picture.words if area.what == "discards"]
    assert len(ends) == len(begins) == 2
    assert min(begins) > max(ends) + 10


def test_a_seat_that_is_eliminated_leaves_its_room_to_another_whose_cards_bear_names():
    env = bad_bad_turtle_v0.raw_env(4)
    revealed = ["", "Peek, Dance, Skip, Rhyme, Refund, blank, Double Dip", "", "Shuffle"]
    aside = {"Shield": 1}
    state = bad_bad_turtle_v0.position([""] * 4, revealed=revealed, set_aside=aside, seed=1)
    state.living[3] = False
    svg = env.game.draw(View(0, state, env.game), size=(1440, 1016))
    assert [card for (card, _), words in names_on(svg).items() if words != card] == []


def test_a_viewer_who_is_eliminated_leaves_their_room_to_cards_that_bear_names():
    env = bad_bad_turtle_v0.raw_env(3)
    pile = (
        "Never Happened, Restart Game, blank, Refund, Stack Swap Right, blank, Peek, Dance, blank"
    )
    piles = ["blank", f"{pile}, No Trash, Partial Play, Talk Funny", "Shield"]
    discards = ["", "Slow Down, Skip", ""]
    state = bad_bad_turtle_v0.position([""] * 3, discards, piles, eliminated=[0], seed=1)
    svg = env.game.draw(View(0, state, env.game), True, size=(912, 736))
    for (card, where), words in names_on(svg).items():
        assert words == card or card == "number card" or "reveal" not in where, (card, where)


def test_open_hands_bear_their_names_in_the_high_mats_of_a_laptop():
    hands = [
        "Lure",
        "Gub ×3, Mushroom, Single Ring, Double Ring, Lure, Spear",
        "Gub",
        "Gub ×5, Lure ×2",
    ]
    state = gubs_v0.position(hands, ["", "", "", "Gub; Gub"], seed=1)
    game = gubs_v0.raw_env(4).game
    svg = game.draw(View(0, state, game), True, (912, 736))
    for (card, where), words in names_on(svg).items():
        assert words == card or not where.startswith("hand of"), (card, where)


@pytest.mark.parametrize(("size", "has_room"), [((912, 736), True), ((368, 488), False)])
def test_the_ends_of_the_bar_below_the_letters_are_labelled_where_there_is_room(size, has_room):
    view, _ = next(views("gubs, 4"))
    picture = Picture(view.game.draw(view, size=size))
    assert (set(BAR_ENDS) <= set(picture.words)) == has_room
    assert sum(DECK_BAR in said for said in picture.said) == 1


def test_an_event_that_turned_up_again_is_not_said_to_be_in_the_deck():
    state = gubs_v0.position(["", ""], ["Gub", "Gub"], discard="Rumor of Wasps", seed=1)
    for event in (Card.RUMOR_OF_WASPS, Card.DANGEROUS_ALCHEMY):
        state.returned[event - NUM_HAND_KINDS] = 1
    game = gubs_v0.raw_env(2).game
    (told,) = (
        said for said in Picture(game.draw(View(0, state, game))).said if "The Letters" in said
    )
    assert told.endswith("Turned up and went back into the deck: Dangerous Alchemy")


def test_an_empty_hand_is_told_where_hands_are_not_counted():
    environment = gubs_v0.raw_env(4)
    hands = ["Sud Spout", "", "Lure", "Spear"]
    environment.set_state(gubs_v0.position(hands, ["Gub"] * 4, seed=1))
    svg = environment.game.draw(environment.view("player_0"), size=(534, 379))
    told = [area.what for area in Pieces(svg).words]
    assert sum("in hand" in words for words in told) == 1, "the viewer's"
    assert sum("0 cards" in words for words in told) == 1


def test_the_number_of_equal_cards_does_not_lie_on_their_name():
    y, radius = map(float, re.search(r'cy="([\d.]+)" r="([\d.]+)"', badge(4, 30, 1, True)).groups())
    assert radius < y < y + radius < 79, "where two lines of a name begin"


def test_a_picture_is_as_large_as_the_window_if_the_table_fits_into_it():
    for table in ("gubs, 4", "fubnub, team", "bad_bad_turtle, 4"):
        view, _ = next(views(table))
        root = ElementTree.fromstring(view.game.draw(view, size=(1000, 900)))
        assert (root.get("width"), root.get("height")) == ("1000", "900")


def test_covered_cards_of_a_full_hand_bear_their_names_upright_on_a_phone():
    environment = gubs_v0.raw_env(2)
    held = "Gub ×7, Mushroom, Toad Rider, Velvet Moth, Sud Spout ×2, Triple Ring, Super Lure"
    environment.set_state(gubs_v0.position([held, "Lure"], ["", "Gub"], seed=1))
    svg = environment.game.draw(environment.view("player_0"), size=(368, 488))
    hand = {card: words for (card, where), words in names_on(svg).items() if "hand of" in where}
    assert len(hand) == 7
    for card, words in hand.items():
        assert words.split(" ×")[0] == card
    assert svg.count("gt-upright") - svg.count(".gt-upright") >= 5
    untyped = [line for line in svg.splitlines() if "gt-band" in line and "gt-type" not in line]
    assert all('id="gt-gub-gub' in line for line in untyped), "a mark or a word"


def test_each_barricade_on_a_gub_and_the_discards_by_kind_are_counted_on_a_phone():
    environment = gubs_v0.raw_env(2)
    colony = "Gub + Mushroom + Toad Rider; Gub + Velvet Moth ×2; " + "; ".join(["Gub"] * 11)
    discards = "Mushroom ×2, Lure ×6, Gargok Plague"
    position = gubs_v0.position(["Spear", ""], ["", colony], discard=discards, seed=1)
    environment.set_state(position)
    svg = environment.game.draw(environment.view("player_0"), size=(368, 488))
    counted = {place[:7] for (_, place), words in names_on(svg).items() if words == "×2"}
    assert counted == {"place 1", "place 2"}
    top = [words for (_, place), words in names_on(svg).items() if place == "discard pile"][-1]
    assert top == "Lure ×6"
    assert SAFE_GUB.mark == FACES[Card.VELVET_MOTH].mark


def test_the_viewers_colony_keeps_its_rows_while_it_or_a_small_hand_grows_to_the_next_size():
    environment, shown = gubs_v0.raw_env(3), {}
    for size, held in zip((4, 5, 6, 7), ("Lure", "Lure, Spear", "", "Lure"), strict=True):
        colony = "; ".join(["Gub"] * size)
        position = gubs_v0.position([held, "", ""], [colony, "Gub", "Gub"], seed=1)
        environment.set_state(position)
        picture = Pieces(environment.game.draw(environment.view("player_0"), size=(368, 488)))
        own = [area for area, _, _ in picture.cards if re.fullmatch("place.*player_0", area.what)]
        shown[size] = {(area.top, area.bottom, area.what) for area in own}
    assert shown[4] < shown[5] < shown[6] != shown[7]


@pytest.mark.parametrize("size", [(1440, 1016), (912, 736)])
def test_the_viewers_cards_fill_the_width_of_a_large_table_before_they_shrink(size):
    environment = gubs_v0.raw_env(2)
    held, colony = "Lure, Mushroom, Spear, Feather", "Gub; Gub + Mushroom; Gub; Gub"
    environment.set_state(gubs_v0.position([held, ""], [colony, "Gub"], seed=1))
    picture = Pieces(environment.game.draw(environment.view("player_0"), size=size))
    own = {area.what: area for area, _, _ in picture.cards if area.what.endswith("player_0")}
    widths = [area.right - area.left for area in own.values()]
    assert 8 * min(widths) > 0.85 * picture.frame.right


def test_other_seats_and_their_cards_stay_on_a_phone_when_the_turn_passes_on():
    environment = gubs_v0.raw_env(4)
    mats, cards = set(), set()
    for turn in range(4):
        for grown in ("", "; Gub"):
            hands, colonies = (
                ["Lure", "Gub ×2, Spear", "Spear", ""],
                ["Gub", "", "Gub", "Gub" + grown],
            )
            position = gubs_v0.position(hands, colonies, turn=turn, seed=1)
            position.known[0, 1] = position.hand[1]
            environment.set_state(position)
            picture = Pieces(environment.game.draw(environment.view("player_0"), size=(376, 488)))
            mats.add(tuple(picture.mats))
            cards |= {area for area, *_ in picture.cards if area.what == "place 1 of player_2"}
    assert (len(mats), len(cards)) == (1, 1)
