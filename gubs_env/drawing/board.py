"""A picture while it is drawn: its pieces, one per line, and the symbols that they use."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, NamedTuple

from gubs_env.drawing.cards import BACK, Face, badge, counted_name, face_symbol, name_on, type_size
from gubs_env.drawing.layout import CARD_HEIGHT, CARD_WIDTH, GAP, Box, Spot, fanned, flow, grid, row
from gubs_env.drawing.style import SHEET, prefixed
from gubs_env.drawing.svg import (
    BOLD,
    escaped,
    flowing,
    moved,
    number,
    rect,
    slug,
    tag,
    width_of,
    words,
    wrapped,
)
from gubs_env.engine.text import asked_of_another, player_name, plural
from gubs_env.engine.view import View

BACK_SYMBOL = "gt-back"
SMALL = 0.52
"""Largest scale at which a card also shows its name as a tooltip."""
VEIL = tag("rect", class_="veil", width=100, height=140, rx=10)
"""The pale cover of a hidden card that the viewer knows."""
LEAST_HAND = 60
"""The least width of a hand whose cards are all drawn; a narrower one is one card with a number."""
MOST_HAND = 0.76
"""The largest scale of the hand of another seat: what lies open matters more."""
LEAST_KNOWN = 0.32
"""The scale down to which the known cards of a hand shrink before they overlap more."""
SMALL_HAND = 28
"""The width of such a card, with the gap before it."""
MAT_INSET, FOOT = 8, 6
"""The margins of a mat: at the left and the right, and below what lies on it."""
TEXT_SIZES = {"title": 15, "score": 20, "soft": 12, "soft hot": 12}
"""The font sizes of the texts of a header, by their styles."""
SPACES = {"title": 0, "score": 10, "soft": 5, "soft hot": 10}
"""The spaces before them."""
LEAST_LINES = 200
"""The least room in a header in which each note that does not fit begins a line."""
FIGURES = 0.34
"""The scale of the figures of a header."""
LEAST_FIGURES = 140
"""The least width of a header with figures."""
LEAST_TALL = 170
"""The least height of a mat whose header has two lines."""
SMALL_SCALES = (0.84, 0.76, 0.68, 0.6, 0.54, 0.48, 0.42, 0.36, 0.3, 0.26, 0.24)
"""The scales of cards that fill lines: at the least, a finger hits them."""
CROWN = (
    '<path class="ye" d="M-24 22-29-14-12 2 0-24 12 2 29-14 24 22Z"/><circle class="ve" cy="11" '
    'r="4.500"/><circle class="bl" cx="-14" cy="12" r="3.500"/><circle class="bl" cx="14" cy="12" '
    'r="3.500"/>'
)
"""The figure beside the name of a winner, drawn as an emblem."""


LIFT = 1.6, 2.4
"""How far each card of a pile lies right of the one below it, and above it."""
RIM = 6.5
"""The width of the rim of wood."""
SURFACE = (
    '<linearGradient id="gt-wood" x2="0" y2="1"><stop class="wood"/>'
    '<stop class="knot" offset=".5"/><stop class="wood" offset="1"/></linearGradient>',
    '<radialGradient id="gt-felt" r=".75"><stop class="lit"/><stop class="dim" offset="1"/>'
    "</radialGradient>",
    '<pattern id="gt-cloth" width="7" height="7" patternUnits="userSpaceOnUse">'
    '<path class="thread" d="M0 7 7 0M-1 1 1-1M6 8 8 6"/></pattern>',
)
"""The wood and the cloth of the table: a rim, light from above, and threads."""


SHEETS = (("rim", 1.0, 22, "wood"), ("cloth", RIM, 17, "felt"), ("cloth", RIM, 17, "cloth"))
"""The layers beneath everything, the lowest first: (class, margin, radius, fill of SURFACE)."""


class Item(NamedTuple):
    """Equal cards that lie together."""

    face: Face
    number: int = 1
    """Number of cards."""
    action: int | None = None
    """The action of the viewer that names these cards, if there is one."""
    faded: bool = False
    """Whether to draw them pale, as hidden cards that the viewer knows."""
    note: str = ""
    """Words before the name in a list."""
    said: str | None = None
    """The text that a click shows; None for the text of the card in the rules."""
    mark: str = ""
    """The markup of a mark on these cards."""


class Thing(NamedTuple):
    """Something as large as a card that lies in a line with others."""

    draw: Callable[[Spot, bool], None]
    """Draws it: (spot, whether there is room beside it)."""
    said: str
    """It in words."""
    beside: float = 0.0
    """The width of what is written beside it."""
    least: float = 0.0
    """The scale below which it does not shrink."""
    wide: float = CARD_WIDTH
    """Its width, in units of a card."""
    number: int = 1
    """Number of cards."""


class Heading(NamedTuple):
    """The header of a mat."""

    name: str
    """The name of the player."""
    facts: str = ""
    """Points and counts."""
    marks: Sequence[str] = ()
    """Short notes about the seat, such as "you"."""
    figures: Mapping[str, str] = MappingProxyType({})
    """The markup of emblems beside the name, by their names."""
    has_hand: bool = False
    """Whether a hand lies beside the name."""
    has_lines: bool = False
    """Whether points and counts begin a second line in a high mat."""
    short: Mapping[str, str] = MappingProxyType({})
    """Short words for notes that are wider than a line, or that begin one if all is written, and
    for facts that have no room.
    """
    is_whole: bool = False
    """Whether everything is written, on as many lines as it takes; what is shortened is told on a
    click.
    """
    has_notes: bool = True
    """Whether marks may begin lines; otherwise, those that would are told on a click."""
    kept: str = ""
    """A note that comes and goes, for which there is always room."""


def layers_of(count: int) -> int:
    """Return the number of cards that are drawn of a pile."""
    return math.ceil(count / 9)


class Board:
    """The pieces of a picture, in the order in which they are painted.

    Every card is one piece: `data-card` holds its name (absent for a back), `data-count` the number
    of equal cards, if more than one, `data-where` its place, and `data-action` the action of the
    viewer that names it, if there is one.

    No text is smaller than LEAST_SIZE. Where one would be, an emblem stands for it. Words that are
    not on a card lie above everything else, so that no arrow hides them.

    Args:
        names_actions: whether the viewer has actions; a spectator has none.
    """

    def __init__(self, names_actions: bool = True) -> None:
        self.names_actions = names_actions
        self.pieces: list[str] = []
        self.words: list[str] = []
        self.symbols: dict[str, str] = {}

    # ------------------------------------------------------------------------------- pieces

    def add(self, piece: str) -> None:
        """Add a piece, which must be one line."""
        self.pieces.append(piece)

    def symbol(self, key: str, markup: str) -> str:
        """Return the id of a symbol, which is defined once for the whole picture."""
        name = f"gt-{key}"
        if name not in self.symbols:
            self.symbols[name] = f'<g id="{name}">{markup}</g>'
        return name

    def face(self, face: Face, spot: Spot, count: int = 1, is_listed: bool = False) -> str:
        """Return the markup of a front with its name where that can be read, and so its type.

        The badge of a `count` of equal cards is left room.
        """
        size = type_size(face, spot.scale) if spot.seen == 1 else 0
        written, place = name_on(face, spot.scale, spot.seen, count, is_listed)
        key = f"{face.key}{f'-{size}' * bool(size)}{f'-{place}' * bool(place)}"
        symbol = self.symbol(key, face_symbol(face, size, place))
        return tag("use", href=f"#{symbol}") + written

    def text(self, x: float, y: float, content: Any, style: str, **attributes: Any) -> None:
        """Add a line of text; `style` holds classes of the style sheet."""
        self.words.append(words(x, y, content, style, **attributes))

    def lines(self, x: float, y: float, lines: Iterable[str], style: str, step: float = 15) -> None:
        """Add lines of text, one below the other."""
        for at, line in enumerate(lines):
            self.text(x, y + step * at, line, style)

    def wrapped(self, box: Box, text: str, style: str = "soft", size: float = 11.5) -> float:
        """Add a text wrapped to the width of a box; return the height that it takes."""
        lines = wrapped(text, size, box.w)
        self.lines(box.x, box.y + 12, lines, style, size + 3.5)
        return len(lines) * (size + 3.5) + 3

    # -------------------------------------------------------------------------------- cards

    def card(
        self,
        spot: Spot,
        item: Item,
        where: str,
        label: str | None = None,
        has_badge: bool = True,
        played_as: str | None = None,
        is_listed: bool = False,
    ) -> None:
        """Add cards that lie face up, with their name and their number if there are several.

        Args:
            spot: where they lie; what would lie below the next card is not written.
            item: the cards.
            where: the name of their place.
            label: what is read aloud; None for the name and the number.
            has_badge: whether their number lies on them.
            played_as: the name of the card that one is played as, if it is played as another.
            is_listed: whether they lie in a list, where small cards bear no names.
        """
        name, label = item.face.name, label or counted_name(item.face.name, item.number)
        count = item.number if has_badge else 1
        markup = self.face(item.face, spot, count, is_listed)
        markup += badge(count, spot.scale, spot.seen, is_named="<text" in markup)
        markup += item.mark + VEIL * item.faded
        if spot.scale <= SMALL:
            markup = tag("title", escaped(label)) + markup
        named = {"data_as": played_as, "data_said": item.said, "aria_label": label}
        self.piece(spot, markup, where, name, item.number, item.action, **named)

    def back(
        self,
        spot: Spot,
        where: str,
        action: int | None = None,
        said: str | None = None,
        count: int = 1,
        mark: str = "",
    ) -> None:
        """Add cards that lie face down, with their number if there are several, and a mark."""
        self.symbols[BACK_SYMBOL] = f'<g id="{BACK_SYMBOL}">{BACK}</g>'
        markup = f'<use href="#{BACK_SYMBOL}"/>' + badge(count, spot.scale) + mark
        self.piece(spot, markup, where, None, count, action, data_said=said)

    def piece(
        self,
        spot: Spot,
        markup: str,
        where: str,
        name: str | None = None,
        count: int = 1,
        action: int | None = None,
        **attributes: str | None,
    ) -> None:
        """Add a card, or equal cards, drawn with this markup; `data_said` is told on a click."""
        about = {
            "class_": "card",
            "data_card": name,
            "data_count": count if count > 1 else None,
            "data_where": where,
            "data_action": action if self.names_actions else None,
        }
        if spot.turn:
            markup = tag("g", markup, transform=f"rotate({number(spot.turn)} 50 70)")
        self.add(tag("g", markup, **about, **attributes, transform=moved(*spot[:3])))

    def hand(
        self, box: Box, known: Sequence[Item], hidden: int, where: str, is_right: bool = False
    ) -> None:
        """Add a hand: its known cards face up, and a number of hidden cards face down.

        It is a fan, or lines of cards where all are known and larger so. Where the box is narrow,
        it is one card with the number of all.

        Args:
            box: where it lies.
            known: the known cards.
            hidden: number of hidden cards.
            where: the name of the hand.
            is_right: whether it lies at the right of the box, not in its centre.
        """
        shown = [item._replace(number=1) for item in known for _ in range(item.number)]
        count = len(shown) + hidden
        if count and box.w < LEAST_HAND:
            names = ", ".join(item.face.name for item in shown)
            label = f"{begun(where)}: {plural(count, 'card')}" + (f", {names}" if names else "")
            spot = Spot(box.x, box.y, hand_scale(count, len(shown), box))
            self.back(spot, where, said=label, count=count)
            return
        most = hand_scale(count, len(shown), box)
        gap = 4 if shown else -0.35 * most * CARD_WIDTH
        box = box.inset(4, 0)
        spots = row(count, box, most, gap, most)
        right = box.x + box.w - spots[-1].x - most * CARD_WIDTH if is_right and spots else 0
        spots = fanned([spot._replace(x=spot.x + right) for spot in spots])
        spots = open_lines(count, len(shown), box) or spots
        for spot, item in zip(spots, shown, strict=False):
            self.card(spot, item, where)
        for spot in spots[len(shown) :]:
            self.back(spot, where)

    def pile(
        self,
        spot: Spot,
        count: int,
        where: str,
        action: int | None = None,
        label: str = "",
        is_beside: bool = False,
        said: str | None = None,
        turn: float = 0.0,
        mark: str = "",
        word: str = "",
    ) -> None:
        """Add a pile of `count` cards face down, with a label below it, or beside it; a word may
        stand below a label beside it.

        What is `said` of it is told on a click. The cards are turned by an angle, each second one
        the other way. A mark lies on the upper one, or on the empty place.
        """
        layers = layers_of(count)
        for layer in range(layers):
            x, y = spot.x + LIFT[0] * layer, spot.y - LIFT[1] * layer
            shown = mark if layer == layers - 1 else ""
            turned = Spot(x, y, spot.scale, turn * (-1) ** layer)
            self.back(turned, where, action, said, mark=shown)
        if not count:
            self.slot(spot, "" if mark else "empty", "soft mid")
            if mark:
                self.add(tag("g", mark, class_="place", transform=moved(*spot[:3])))
        x, y = spot.centre[0] + LIFT[0] * max(0, layers - 1) / 2, spot.centre[1]
        if is_beside:
            right = spot.x + 100 * spot.scale + LIFT[0] * layers
            self.text(right + 3, y + (-2 if word else 5), label, "count start clear")
            if word:
                self.text(right + 3, y + 12, word, "soft start clear")
        else:
            self.text(x, spot.y + 140 * spot.scale + 15, label, "count clear")

    def tray(self, box: Box, title: str) -> None:
        """Add the background of the viewer's own cards, with a title."""
        title = words(box.x + 12, box.y + 18, title, "soft")
        self.add(tag("g", rect("tray", box, 12) + title, class_="place"))

    def slot(self, spot: Spot, content: str, style: str = "faint", of: str | None = None) -> None:
        """Add the empty place of a card, perhaps of a seat (`data-slot`), as far as it is seen."""
        x, y, scale = spot[:3]
        wide, high = 100 * scale * spot.seen, 140 * scale
        shape = rect("slot", (x, y, wide, high), 10 * scale)
        lines = wrapped(content, 12, wide - 12)
        if max(width_of(line, 12) for line in lines) > wide - 8:
            lines = []
        first = y + high / 2 + 5 - 7 * (len(lines) - 1)
        for at, line in enumerate(lines):
            shape += words(x + wide / 2, first + 14 * at, line, style)
        self.add(tag("g", shape, class_="place", data_slot=of))

    def things(
        self, items: Sequence[Item], where: str, lies: Callable[[Item], float] = lambda _: 0.0
    ) -> list[Thing]:
        """Return the cards of a place for `lay`; `lies` returns the angle of one, in degrees."""
        return [
            Thing(
                partial(self._beside, item, where, lies(item)),
                item.note + counted_name(item.face.name, item.number),
                _beside_card(item),
                number=item.number,
            )
            for item in items
        ]

    def _beside(self, item: Item, where: str, turn: float, spot: Spot, is_beside: bool) -> None:
        """Add equal cards, their number beside them if there is room."""
        label = item.note + counted_name(item.face.name, item.number)
        turned = spot._replace(turn=turn)
        self.card(turned, item, where, label, has_badge=not is_beside, is_listed=True)
        if is_beside and item.number > 1:
            x, y = spot.x + 100 * spot.scale + 3, spot.centre[1] + 5
            self.text(x, y, f"×{item.number}", "count start clear")

    def lay(
        self,
        box: Box,
        things: Sequence[Thing],
        where: str,
        sizes: tuple[float, float] = (SMALL_SCALES[-1], SMALL_SCALES[0]),
        is_centred: bool = False,
        seen: float = CARD_WIDTH,
    ) -> float:
        """Add things that fill lines, as large as they can be; the number of cards for which there
        is no room.

        Args:
            box: where they lie.
            things: the things.
            where: the name of the place of the last ones.
            sizes: their least and their largest scale.
            is_centred: whether they lie in the centre of the box.
            seen: the width that is seen of a card on which the next thing lies, if it is less than
                that of the card.

        Returns:
            The height that those which fit take.
        """
        least, most = sizes
        for scale in (each for each in SMALL_SCALES if least <= each <= max(least, most)):
            spots, height = in_lines(things, box, scale, is_centred, seen)
            if height <= box.h + 1 and 100 * scale <= box.w:
                break
        else:
            spots, _ = in_lines(
                things, box, scale, seen=seen
            )  # with room for a number at the right
        fitting = [s for s in spots if s.y + 140 * s.scale <= box.y + box.h + 1]
        widths = widths_of(things, box, scale)
        ends = [box.x, *(s.x + wide + 5 for s, wide in zip(spots, widths, strict=True))]
        left, right = things[len(fitting) :], box.x + box.w
        while left and fitting and ends[len(fitting)] + count_width(_more(left)) > right:
            fitting, left = fitting[:-1], things[len(fitting) - 1 :]
        lowest = max((s.y + 140 * s.scale for s in fitting), default=box.y + 140 * scale)
        down = max(0, box.y + box.h - lowest) / 2 if is_centred else 0
        after = [*fitting[1:], None]
        for spot, other, thing in zip(fitting, after, things, strict=False):
            is_beside = 100 * spot.scale + thing.beside <= box.w
            part = min(1.0, seen / CARD_WIDTH / spot.scale) if other and other.y == spot.y else 1.0
            thing.draw(spot._replace(y=spot.y + down, seen=part), is_beside)
        if left:
            last = fitting[-1] if fitting else Spot(box.x, box.y, min(scale, box.h / CARD_HEIGHT))
            said, y = ", ".join(thing.said for thing in left), last.centre[1] + down + 5
            more = words(ends[len(fitting)], y, _more(left), "count start clear")
            self.add(tag("g", more, data_said=f"{begun(where)}: {said}", aria_label=said))
        return min(lowest - box.y, box.h)

    # ------------------------------------------------------------------------ seats and words

    def mat(
        self,
        box: Box,
        heading: Heading,
        is_turn: bool = False,
        is_out: bool = False,
        action: int | None = None,
    ) -> tuple[Box, Box]:
        """Add the mat of a seat with its header: name, points, notes, and room for a hand.

        Args:
            box: the whole mat.
            heading: the header.
            is_turn: whether to frame the mat.
            is_out: whether the player is out of the game.
            action: the action of the viewer that names the seat.

        Returns:
            The box that is left inside, and that of the hand in the header.
        """
        style = "mat" + (" turn" if is_turn else "") + (" out" if is_out else "")
        inner = box.inset(MAT_INSET, 0)
        is_tall = heading.has_lines and box.h >= LEAST_TALL
        written, header, used, left_out = self._header(inner, heading, is_tall)
        about = {
            "data_seat": heading.name,
            "data_action": action if self.names_actions else None,
            "data_said": f"{heading.name}: {', '.join(left_out)}" if left_out else None,
        }
        self.add(tag("g", rect(style, box, 14), class_="seat", **about))
        self.words.append(tag("g", written, class_="head"))
        hand = Box(inner.x + used, inner.y + 5, inner.w - used, max(24, header - 8))
        if hand.w < LEAST_HAND:
            hand = Box(inner.x + inner.w - SMALL_HAND + 6, inner.y + 5, SMALL_HAND - 6, 34)
        return inner.below(header).top(box.h - header - FOOT), hand

    def _header(
        self, box: Box, heading: Heading, is_tall: bool
    ) -> tuple[str, float, float, tuple[str, ...]]:
        """Return the markup of a header, its height, the width of its lines, and what is left out.

        It begins with the figures, for which a narrow one has no room.
        """
        shown = _shown_figures(box.w, heading)
        drawn, left = self._figures(shown, box.x, box.y + 16, FIGURES)
        header, y = _header_of(box.w, heading, is_tall), box.y + 4.0
        for line in header.lines:
            y += _line_height(line)
            drawn += flowing(left, y, [(text, style, SPACES[style]) for text, style in line])
        return drawn, header.height, header.width + GAP, header.left_out

    def _figures(
        self, figures: Mapping[str, str], left: float, y: float, scale: float
    ) -> tuple[str, float]:
        """Return the markup of the emblems beside a name at a scale, and where the name begins."""
        written = ""
        for what, shapes in figures.items():
            symbol = self.symbol(f"figure-{slug(what)}", tag("g", shapes, class_="em"))
            at = moved(left + 31.25 * scale, y, scale)
            written += tag("use", href=f"#{symbol}", transform=at)
            left += 38 * scale / 0.48
        return written, left

    @staticmethod
    def mat_height(wide: float, heading: Heading, content: float) -> float:
        """Return the height of a mat of a width, from the height of what lies on it."""
        inner = wide - 2 * MAT_INSET
        low, high = (
            _header_of(inner, heading, is_tall).height + content + FOOT for is_tall in (False, True)
        )
        return high if heading.has_lines and low >= LEAST_TALL else low

    def banner(self, box: Box, sentence: str, title: str, is_own: bool) -> None:
        """Add the sentence that says who has to decide what; `is_own` if it is the viewer."""
        shape = rect("say own" if is_own else "say", box, box.h / 2)
        x, y = box.centre
        said = ""
        for style, size in (("sentence", 17), ("sentence long", 14), ("sentence longest", 12)):  # noqa: B007
            wide = BOLD * width_of(sentence, size)
            if wide < box.w - 2 * (width_of(title, 12) + 34):
                said = words(box.x + 20, y + 4, title, "soft")
                break
            if wide < box.w - 40:
                break
        said += words(x, y + 6, sentence, style)
        self.add(tag("g", shape + said, class_="decision"))

    def spotlight(self, spot: Spot, is_lit: bool = True) -> None:
        """Add the place of the card that is announced or offered, highlighted if there is one."""
        x, y, scale = spot[:3]
        box = x - 8, y - 8, 100 * scale + 16, 140 * scale + 16
        self.add(tag("g", rect("stage" if is_lit else "inlay", box, 16), class_="place"))

    def thread(self, box: Box, end: tuple[float, float]) -> None:
        """Add a dotted line from a seat to the card that its player has announced, below all."""
        line = tag("path", class_="from", d=f"M{_at(*box.nearest(end))}L{_at(*end)}")
        self.pieces.insert(0, line)

    def arrow(self, start: tuple[float, float], target: Spot, label: str) -> None:
        """Add an arrow from an announced card to the edge of its target."""
        (x1, y1), (x2, y2) = start, target.centre
        length = math.hypot(x2 - x1, y2 - y1) or 1
        short = max(0.2, 1 - 60 * target.scale / length)
        x2, y2 = x1 + (x2 - x1) * short, y1 + (y2 - y1) * short
        bend = min(60, length / 6)
        x = (x1 + x2) / 2 - bend * (y2 - y1) / length
        y = (y1 + y2) / 2 + bend * (x2 - x1) / length
        along = math.atan2(y2 - y, x2 - x)

        def behind(far: float, turn: float = 0) -> tuple[float, float]:
            return x2 - far * math.cos(along + turn), y2 - far * math.sin(along + turn)

        curve = f"M{_at(x1, y1)}Q{_at(x, y)} {_at(*behind(14))}"
        tip = (x2, y2), behind(24, 0.45), behind(24, -0.45)
        shapes = tag("path", class_="halo", d=curve) + tag("path", class_="arrow", d=curve)
        shapes += tag("path", class_="tip", d="M" + "L".join(_at(*point) for point in tip) + "Z")
        self.add(tag("g", shapes, class_="aim", aria_label=label))

    # ---------------------------------------------------------------------------- the picture

    def svg(
        self,
        size: tuple[float, float],
        zoom: float,
        title: str,
        description: str,
        is_dense: bool = False,
    ) -> str:
        """Return the picture as SVG: the style, the symbols, then the pieces, each on a line.

        Args:
            size: its width and height in units.
            zoom: the number of pixels that a unit has.
            title: its title.
            description: the whole table in words.
            is_dense: whether a higher window would show more, which the page then makes.
        """
        wide, high = size
        style = "gt dense" if is_dense else "gt"
        felt = "".join(
            tag("rect", class_=style, x=at, y=at, width=wide - 2 * at, height=high - 2 * at,
                rx=rx, fill=f"url(#gt-{fill})")
            for style, at, rx, fill in SHEETS
        )  # fmt: skip
        head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{style}" '
            f'width="{number(wide * zoom)}" height="{number(high * zoom)}" '
            f'viewBox="0 0 {number(wide)} {number(high)}" '
            'style="max-width:100%;height:auto" role="img" '
            f'aria-label="{escaped(title)}">',
            f"<title>{escaped(title)}</title>",
            f"<desc>{escaped(description)}</desc>",
            f"<style>{SHEET}</style>",
        ]
        symbols = [*SURFACE, *self.symbols.values()]
        drawn = ["<defs>", *symbols, "</defs>", tag("g", felt), *self.pieces]
        drawn += [tag("g", "", class_="words"), *self.words, "</svg>"]
        return "\n".join([*head, prefixed("\n".join(drawn))])


def begun(text: str) -> str:
    """Return a text that begins with a capital letter."""
    return text[0].upper() + text[1:]


def widths_of(things: Sequence[Thing], box: Box, scale: float) -> list[float]:
    """Return the widths of things at a scale; without what is beside those that fill a line."""
    wide = [thing.wide * max(scale, thing.least) for thing in things]
    return [
        each + thing.beside * (each + thing.beside <= box.w)
        for each, thing in zip(wide, things, strict=True)
    ]


def in_lines(
    things: Sequence[Thing],
    box: Box,
    scale: float,
    is_centred: bool = False,
    seen: float = CARD_WIDTH,
) -> tuple[list[Spot], float]:
    """Return the spots of things that fill lines at a scale (`Board.lay`), and their height."""
    scales = [max(scale, thing.least) for thing in things]
    high = CARD_HEIGHT * max(scales, default=0)
    gaps = min(5, seen - CARD_WIDTH * scale), high + 5
    places, height = flow(widths_of(things, box, scale), box, gaps, is_centred)
    spots = [
        Spot(x, y + (high - CARD_HEIGHT * each) / 2, each)
        for (x, y), each in zip(places, scales, strict=True)
    ]
    return spots, max(0, height - 5)


def hand_scale(held: int, known: int, box: Box) -> float:
    """Return the scale of the cards of another seat's hand in a box.

    Args:
        held: number of cards.
        known: number of those that the viewer knows, which overlap less.
        box: where they lie.
    """
    if box.w < LEAST_HAND:
        return min(box.w / CARD_WIDTH, box.h / CARD_HEIGHT)
    spots = open_lines(held, known, box.inset(4, 0))
    return spots[0].scale if spots else _fan_scale(held, known, box)


def _fan_scale(held: int, known: int, box: Box) -> float:
    """Return the scale of the cards of a hand that lies as a fan in a box (`hand_scale`)."""
    part = 0.75 if known else 0.4
    wide = CARD_WIDTH * (1 + part * max(0, held - 1))
    most = max(LEAST_KNOWN if known else 0, (box.w - 8) / wide)
    return min(most, MOST_HAND, box.h / CARD_HEIGHT / (1.1 if held > 1 else 1))


def open_lines(held: int, known: int, box: Box) -> list[Spot]:
    """Return the spots of a hand of which all cards are known, in two lines or more; none where
    they are not larger so than in a fan.
    """
    spots = grid(held, box, MOST_HAND) if 0 < held == known else []
    has_lines = len({spot.y for spot in spots}) > 1
    is_larger = has_lines and spots[0].scale > _fan_scale(held, known, box.inset(-4, 0))
    return spots if is_larger else []


class _Header(NamedTuple):
    """The lines of a header."""

    lines: tuple[tuple[tuple[str, str], ...], ...]
    """The texts of each line with their styles."""
    height: float
    width: float
    """The width of the figures with the longest line."""
    left_out: tuple[str, ...]
    """The texts for which there is no room."""


def _shown_figures(wide: float, heading: Heading) -> Mapping[str, str]:
    return heading.figures if wide > LEAST_FIGURES else {}


def _header_of(wide: float, heading: Heading, is_tall: bool) -> _Header:
    """Return the lines of a header of a width."""
    found = _written(wide, heading, is_tall)
    if not heading.kept:
        return found
    noted = _written(wide, heading._replace(marks=(heading.kept,)), is_tall)
    return found._replace(height=max(found.height, noted.height))


def _written(wide: float, heading: Heading, is_tall: bool) -> _Header:
    """Return these lines without room for another note."""
    name, facts, marks, _, has_hand, _, short, is_whole, has_notes, _ = heading
    left = len(_shown_figures(wide, heading)) * 38 * FIGURES / 0.48
    room = wide - left - (SMALL_HAND if has_hand else 0)
    fitting = tuple(
        mark if _text_width(mark, "soft hot") <= room else short.get(mark, mark) for mark in marks
    )
    found = _header_lines(left, room, name, facts, fitting, is_tall, is_whole, has_notes)
    for fact in short.keys() & set(found.left_out) - set(marks):
        said = facts.replace(fact, short[fact])
        found = _header_lines(left, room, name, said, fitting, is_tall, is_whole, has_notes)
    if not is_whole or not has_notes:
        return found
    brief = tuple(short.get(mark, mark) for mark in marks)
    shorter = _header_lines(left, room, name, facts, brief, is_tall, is_whole, has_notes)
    if len(shorter.lines) == len(found.lines) and fitting == tuple(marks):
        return found
    return shorter._replace(left_out=tuple(mark for mark in marks if mark in short))


@lru_cache(4096)  # the seats of a game change little from move to move
def _header_lines(
    left: float,
    room: float,
    name: str,
    facts: str,
    marks: tuple[str, ...],
    is_tall: bool,
    is_whole: bool,
    has_notes: bool,
) -> _Header:
    """Return the lines of a header that begin at `left` and have some room.

    The name, the number that comes first in the facts, the rest of the facts and the marks fill
    lines; in a tall header the number begins a line, after the marks if these have room beside the
    name. A narrow one has a line of marks.
    """
    figure = re.match(r"(\d+) ([a-z ]+)(?:, )?", facts)
    counts = [(figure[1], "score"), (figure[2], "soft")] if figure else []
    if rest := facts[figure.end() :] if figure else facts:
        counts.append((f"· {rest}" if figure else rest, "soft"))
    noted = [(mark, "soft hot") for mark in marks]
    beside = sum(SPACES[style] + _text_width(mark, style) for mark, style in noted)
    has_late = is_tall and _text_width(name, "title") + beside > room
    lines, x, left_out = [[(name, "title")]], _text_width(name, "title"), []
    for text, style in [*noted, *counts] if is_tall and not has_late else [*counts, *noted]:
        gap, across = SPACES[style] * bool(lines[-1]), _text_width(text, style)
        label = SPACES["soft"] + _text_width(counts[1][0], "soft") if style == "score" else 0
        begins = (is_tall and style == "score") or x + gap + across + is_whole * label > room
        is_extra = style == "soft hot" and room < LEAST_LINES and len(lines) > 1 + has_late
        is_short = is_extra or (style == "soft" and re.search(r"\d", facts))
        is_note = style == "soft hot" and not has_notes
        if begins and (is_note or (is_short and not is_whole)):
            left_out.append(text.removeprefix("· "))
            continue
        if begins:
            alone = text.removeprefix("· ")
            parts = wrapped(alone, BOLD * 12, room) if style == "soft hot" else [alone]
            lines += [[(part, style)] for part in parts]
            x = _text_width(parts[-1], style)
        else:
            lines[-1].append((text, style))
            x += gap + across
    widths = [
        sum(_text_width(text, style) + SPACES[style] for text, style in line) for line in lines
    ]
    high = 13.0 + sum(map(_line_height, lines))
    return _Header(tuple(map(tuple, lines)), high, left + max(widths), tuple(left_out))


def _line_height(line: Iterable[tuple[str, str]]) -> float:
    """Return the height of a line of a header."""
    return 20 if any(style == "score" for _, style in line) else 16


def opened(view: View, sentence: Callable[[View], str]) -> str:
    """Return the sentence about the decision for somebody who sees all hands.

    Args:
        view: a view of the whole state.
        sentence: (view) → who decides and what, in words.
    """
    actor = int(view.state.actor)
    said = sentence(view._replace(seat=actor))
    if not said.startswith("You: "):
        return said
    return f"{player_name(actor)}'s decision: {asked_of_another(said)}"


def _at(x: float, y: float) -> str:
    return f"{number(x)} {number(y)}"


def count_width(text: str) -> float:
    """Return the width of a count."""
    return BOLD * width_of(text, 13)


def _more(things: Iterable[Thing]) -> str:
    """Return the number of cards for which there is no room."""
    return f"+{sum(thing.number for thing in things)}"


def _beside_card(item: Item) -> float:
    """Return the width of the number of equal cards beside a card."""
    return max(22, 3 + count_width(f"×{item.number}")) if item.number > 1 else 0


def _text_width(text: str, style: str) -> float:
    """Return the width of a text of a header."""
    return width_of(text, TEXT_SIZES[style]) * (1 if style == "soft" else BOLD)
