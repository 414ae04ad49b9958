"""A picture while it is drawn: its pieces, one per line, and the symbols that they use."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from gubs_env.drawing.cards import (
    BACK,
    LEAST_SIZE,
    PILL_HEIGHT,
    Face,
    badge,
    counted_name,
    face_symbol,
    fitted_words,
    name_lines,
    pill,
    pill_width,
)
from gubs_env.drawing.layout import GAP, SMALLER, WIDTH, Box, Spot, row
from gubs_env.drawing.style import SHEET, prefixed
from gubs_env.drawing.svg import (
    BOLD,
    escaped,
    moved,
    number,
    rect,
    slug,
    tag,
    width_of,
    words,
    wrapped,
)
from gubs_env.engine.text import player_name, plural
from gubs_env.engine.view import View

BACK_SYMBOL = "gt-back"
SMALL = 0.45
"""Largest scale at which a card also shows its name as a tooltip."""
VEIL = tag("rect", class_="veil", width=100, height=140, rx=10)
"""The pale cover of a hidden card that the viewer knows."""
HEADER = 44
"""Least height of the name and the notes of a seat."""
LEAST_HAND = 60
"""The least width of a hand in a fitted picture; a narrower one is one card with a number."""
MAT_INSET = 8
"""The margin at the left and the right of a mat in a fitted picture."""
SMALL_SCALES = (0.5, 0.42, 0.36, 0.3, 0.26, 0.24)
"""The scales of cards that fill lines in a fitted picture: at the least, a finger hits them."""
NARROW_SIZE = 27
"""Font size of names and sentences on phones (`style.NARROW`)."""
CROWN = (
    '<path class="ye" d="M-24 22-29-14-12 2 0-24 12 2 29-14 24 22Z"/><circle class="ve" cy="11" '
    'r="4.500"/><circle class="bl" cx="-14" cy="12" r="3.500"/><circle class="bl" cx="14" cy="12" '
    'r="3.500"/>'
)
"""The figure beside the name of a winner, drawn as an emblem."""


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


class Heading(NamedTuple):
    """The header of a mat."""

    name: str
    """The name of the player."""
    facts: str = ""
    """Points and counts, at the right."""
    marks: Sequence[str] = ()
    """Short notes about the seat, such as "you"."""
    figures: Mapping[str, str] = MappingProxyType({})
    """The markup of emblems beside the name, by their names."""


class Board:
    """The pieces of a picture, in the order in which they are painted.

    Every card is one piece: `data-card` holds its name (absent for a back), `data-count` the number
    of equal cards, if more than one, `data-where` its place, and `data-action` the action of the
    viewer that names it, if there is one.

    A fitted picture is shown in pixels of its own: no text in it is smaller than LEAST_SIZE. Where
    one would be, an emblem stands for it.

    Args:
        names_actions: whether the viewer has actions; a spectator has none.
        is_fitted: whether the picture is fitted.
    """

    def __init__(self, names_actions: bool = True, is_fitted: bool = False) -> None:
        self.names_actions, self.is_fitted = names_actions, is_fitted
        self.pieces: list[str] = []
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

    def face(self, face: Face) -> str:
        """Return the id of the symbol of a front."""
        key = f"{face.key}-fitted" if self.is_fitted else face.key
        return self.symbol(key, face_symbol(face, has_type=not self.is_fitted))

    def text(self, x: float, y: float, content: Any, style: str, **attributes: Any) -> None:
        """Add a line of text; `style` holds classes of the style sheet."""
        self.add(words(x, y, content, style, **attributes))

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

    def card(self, spot: Spot, item: Item, where: str, label: str | None = None) -> None:
        """Add cards that lie face up."""
        name, label = item.face.name, label or counted_name(item.face.name, item.number)
        markup = tag("use", href=f"#{self.face(item.face)}") + self.name(name, spot.scale)
        markup += badge(item.number, LEAST_SIZE / spot.scale if self.is_fitted else 0)
        if item.faded:
            markup += VEIL
        if spot.scale <= SMALL:
            markup = tag("title", escaped(label)) + markup
        self.piece(spot, markup, where, name, item.number, item.action, aria_label=label)

    def name(self, name: str, scale: float) -> str:
        """Return the name of a card that is drawn at a scale, or nothing if it would be small."""
        return fitted_words(name, scale, 126, "") if self.is_fitted else name_lines(name)

    def back(
        self, spot: Spot, where: str, action: int | None = None, said: str | None = None
    ) -> None:
        """Add a card that lies face down."""
        self.symbols[BACK_SYMBOL] = f'<g id="{BACK_SYMBOL}">{BACK}</g>'
        self.piece(spot, f'<use href="#{BACK_SYMBOL}"/>', where, action=action, data_said=said)

    def piece(
        self,
        spot: Spot,
        markup: str,
        where: str,
        name: str | None = None,
        number: int = 1,
        action: int | None = None,
        faded: bool = False,
        **attributes: str | None,
    ) -> None:
        """Add a card, or equal cards, drawn with this markup; `data_said` is told on a click."""
        about = {
            "class_": "card faded" if faded else "card",
            "data_card": name,
            "data_count": number if number > 1 else None,
            "data_where": where,
            "data_action": action if self.names_actions else None,
        }
        self.add(tag("g", markup, **about, **attributes, transform=moved(*spot)))

    def hand(
        self,
        box: Box,
        known: Sequence[Item],
        hidden: int,
        where: str,
        smaller: float = SMALLER,
    ) -> None:
        """Add a hand: its known cards face up, and a number of hidden cards face down.

        Args:
            box: where it lies.
            known: the known cards.
            hidden: number of hidden cards.
            where: the name of the hand.
            smaller: the part of their size to which the cards can shrink; then they overlap.
        """
        shown = [item._replace(number=1) for item in known for _ in range(item.number)]
        if self.is_fitted and (count := len(shown) + hidden):
            self.text(box.x, box.y + box.h / 2 + 5, count, "count start")
            box = Box(box.x + 22, box.y, box.w - 22, box.h)
            if box.w < LEAST_HAND:
                names = ", ".join(item.face.name for item in shown)
                scale = min(box.w / 100, box.h / 140)
                label = f"{where}: {plural(count, 'card')}" + (f", {names}" if names else "")
                if scale >= SMALL_SCALES[-1] - 0.001:
                    self.back(Spot(box.x, box.y, scale), where, said=label)
                return
        spots = row(len(shown) + hidden, box, 1, gap=4, smaller=smaller)
        for spot, item in zip(spots, shown, strict=False):
            self.card(spot, item, where)
        for spot in spots[len(shown) :]:
            self.back(spot, where)

    def pile(
        self, spot: Spot, count: int, where: str, action: int | None = None, label: str = ""
    ) -> None:
        """Add a pile of `count` cards face down, with their number or a label below it."""
        for layer in range(math.ceil(count / 9)):
            lifted = Spot(spot.x + 1.6 * layer, spot.y - 2.4 * layer, spot.scale)
            self.back(lifted, where, action)
        if not count:
            self.slot(spot, "empty", "soft mid")
        x, _ = spot.centre
        under = spot.y + 140 * spot.scale + 15
        self.text(x, under, label or plural(count, "card"), "count")

    def tray(self, box: Box, title: str) -> None:
        """Add the background of the viewer's own cards, with a title."""
        title = words(box.x + 12, box.y + 18, title, "soft")
        self.add(tag("g", rect("tray", box, 12) + title, class_="place"))

    def slot(self, spot: Spot, content: str, style: str = "faint") -> None:
        """Add the empty place of a card."""
        x, y, scale = spot
        wide, high = 100 * scale, 140 * scale
        shape = rect("slot", (x, y, wide, high), 10 * scale)
        lines = wrapped(content, 11.5, wide - 12)
        if self.is_fitted and max(width_of(line, 12) for line in lines) > wide:
            lines = []
        first = y + high / 2 + 5 - 7 * (len(lines) - 1)
        for at, line in enumerate(lines):
            shape += words(x + wide / 2, first + 14 * at, line, style)
        self.add(tag("g", shape, class_="place"))

    def pills(
        self, box: Box, items: Sequence[Item], where: str, least: float = SMALL_SCALES[-1]
    ) -> float:
        """Add cards as small labels that fill lines, smaller where there are too many.

        Args:
            box: where they lie.
            items: the cards.
            where: the name of their place.
            least: the least scale of the cards that are drawn in a fitted picture.

        Returns:
            The height that they take.
        """
        if self.is_fitted:
            return self._small_cards(box, items, where, least)
        for scale in (1.0, 0.9, 0.8, 0.7, 0.6, 0.5):
            widths = [pill_width(_pill_text(item)) * scale for item in items]
            line = (PILL_HEIGHT + 5) * scale
            spots, height = _flow(widths, box, (6 * scale, line))
            height -= 5 * scale if items else 0
            if height <= box.h:
                break
        for (x, y), item in zip(spots, items, strict=True):
            spot, label = Spot(x, y, scale), _pill_text(item)
            face, copies, action, faded, _ = item
            markup = pill(self.face(face), label)
            self.piece(spot, markup, where, face.name, copies, action, faded, aria_label=label)
        return height

    def _small_cards(self, box: Box, items: Sequence[Item], where: str, least: float) -> float:
        """Add cards as emblems that fill lines; return the height that they take."""
        for scale in (each for each in SMALL_SCALES if each >= least):
            widths = [100 * scale + _beside_card(item) for item in items]
            spots, height = _flow(widths, box, (5, 140 * scale + 4))
            if height <= box.h and 100 * scale <= box.w:
                break
        fitting = [spot for spot in spots if spot[1] + 140 * scale <= box.y + box.h + 1]
        left = items[len(fitting) :]
        wide = count_width(f"+{len(items)}")
        while left and fitting:  # until there is room for their number
            fitting, left = fitting[:-1], items[len(fitting) - 1 :]
            if spots[len(fitting)][0] + wide <= box.x + box.w:
                break
        for (x, y), item in zip(fitting, items, strict=False):
            label = _pill_text(item)
            self.card(Spot(x, y, scale), item._replace(number=1), where, label)
            if item.number > 1:
                at = y + 70 * scale + 5
                self.text(x + 100 * scale + 3, at, f"×{item.number}", "count start clear")
        if left:
            x, y = spots[len(fitting)]
            said = ", ".join(map(_pill_text, left))
            more = words(x, y + 70 * scale + 5, f"+{len(left)}", "count start clear")
            self.add(tag("g", more, data_said=f"{where}: {said}", aria_label=said))
        return min(height, box.h)

    # ------------------------------------------------------------------------ seats and words

    def mat(
        self,
        box: Box,
        heading: Heading,
        is_turn: bool = False,
        is_out: bool = False,
        action: int | None = None,
    ) -> Box:
        """Add the mat of a seat with its header; return the box that is left inside.

        Args:
            box: the whole mat.
            heading: the header.
            is_turn: whether to frame the mat.
            is_out: whether the player is out of the game.
            action: the action of the viewer that names the seat.
        """
        style = "mat" + (" turn" if is_turn else "") + (" out" if is_out else "")
        header_of = self._fitted_header if self.is_fitted else self._header
        inner = box.inset(MAT_INSET if self.is_fitted else 14, 0)
        written, y = header_of(inner, heading)
        named = {"data_seat": heading.name, "data_action": action if self.names_actions else None}
        self.add(tag("g", rect(style, box, 14) + written, class_="seat", **named))
        if self.is_fitted:
            return inner.below(y + 5 - box.y).top(box.h - (y + 5 - box.y) - 5)
        header = max(HEADER, y + 8 - box.y)
        return Box(box.x + 14, box.y + header, box.w - 28, box.h - header - 10)

    def _header(self, box: Box, heading: Heading) -> tuple[str, float]:
        """Return the markup of a seat's name, figures, facts and marks, and the last line's y."""
        name, facts, marks, figures = heading
        right, y = box.x + box.w, box.y + 22
        written, left = self._figures(figures, box.x, box.y + 25, 0.48)
        room = right - left
        written += words(left, y, name, "title who")
        if width_of(name, 15) + width_of(facts, 11.5) < room:
            is_tight = width_of(name, BOLD * NARROW_SIZE) + width_of(facts, 11.5) > room
            written += words(right, y, facts, "soft end spare" if is_tight else "soft end")
        else:
            y += 15
            written += words(left, y, facts, "soft spare")
        for line in wrapped(" · ".join(marks), 11, room, " · ") if marks else ():
            y += 15
            written += words(left, y, line, "soft hot mark")
        return written, y

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

    def _fitted_header(self, box: Box, heading: Heading) -> tuple[str, float]:
        """Return a header as `_header` does: the first number of the facts is its largest text."""
        name, facts, marks, figures = heading
        right, y = box.x + box.w, box.y + 21
        written, left = self._figures(figures, box.x, box.y + 15, 0.34)
        written += words(left, y, name, "title")
        left += BOLD * width_of(name, 15) + 8
        figure = re.match(r"(\d+) (\w+)", facts)
        if figure and right - left > width_of(figure[1], 26) - 6:
            if right - left > width_of(figure[2], 12) + width_of(figure[1], 26) + 5:
                written += words(right, y, figure[2], "soft end")
                right -= width_of(figure[2], 12) + 5
            written += words(right, y + 2, figure[1], "score end")
            right -= width_of(figure[1], 26) + 8
        elif figure:
            y += 15
            written += words(box.x, y, figure[0], "soft")
            right = left
        elif right - left > width_of(facts, 12):
            written += words(right, y, facts, "soft end")
            right -= width_of(facts, 12) + 8
        noted = " · ".join(mark for mark in marks if mark != "you")
        if noted and right - left > width_of(noted, BOLD * 12):
            written += words(left, y, noted, "soft hot")
        elif noted:
            for line in wrapped(noted, BOLD * 12, box.w, " · "):
                for part in wrapped(line, BOLD * 12, box.w):
                    y += 15
                    written += words(box.x, y, part, "soft hot")
        return written, y

    def header_height(self, wide: float, heading: Heading) -> float:
        """Return how much of a mat of a width is not left inside it, in a fitted picture."""
        return self._fitted_header(Box(0, 0, wide, 0).inset(MAT_INSET, 0), heading)[1] + 10

    def banner(self, box: Box, sentence: str, title: str, is_own: bool) -> None:
        """Add the sentence that says who has to decide what; `is_own` if it is the viewer."""
        shape = rect("say own" if is_own else "say", box, box.h / 2)
        x, y = box.centre
        style, beside = "sentence", width_of(title, 11.5) + 34
        if width_of(sentence, BOLD * 17) > box.w - 2 * beside:
            style, x = "sentence long", x + beside / 2
        fit, aside = (box.w - 40) / width_of(sentence, BOLD), box.centre[0] - x
        narrow = f"--aside:{aside:.0f}px;--fit:{min(fit, NARROW_SIZE):.0f}px"
        said = words(x, y + 6, sentence, style, style=narrow)
        said += words(box.x + 20, y + 4, title, "soft spare")
        self.add(tag("g", shape + said, class_="decision"))

    def spotlight(self, spot: Spot) -> None:
        """Add a highlight behind the card that is announced or offered."""
        x, y, scale = spot
        box = x - 8, y - 8, 100 * scale + 16, 140 * scale + 16
        self.add(tag("g", rect("stage", box, 16), class_="place"))

    def thread(self, box: Box, end: tuple[float, float]) -> None:
        """Add a dotted line from a seat to the card that its player has announced."""
        self.add(tag("path", class_="from", d=f"M{_at(*box.nearest(end))}L{_at(*end)}"))

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

    def svg(self, height: float, title: str, description: str, wide: float = WIDTH) -> str:
        """Return the picture as SVG: the style, the symbols, then the pieces, each on a line."""
        edge = 1 if self.is_fitted else GAP / 2
        felt_box = edge, edge, wide - 2 * edge, height - 2 * edge
        felt = rect("felt", felt_box, 18 if self.is_fitted else 30)
        across, high = number(wide), number(height)
        head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="gt" width="{across}" height="{high}" '
            f'viewBox="0 0 {across} {high}" style="max-width:100%;height:auto" role="img" '
            f'aria-label="{escaped(title)}">',
            f"<title>{escaped(title)}</title>",
            f"<desc>{escaped(description)}</desc>",
            f"<style>{SHEET}</style>",
        ]
        drawn = ["<defs>", *self.symbols.values(), "</defs>", felt, *self.pieces, "</svg>"]
        return "\n".join([*head, prefixed("\n".join(drawn))])


def opened(view: View, sentence: Callable[[View], str]) -> str:
    """Return the sentence about the decision for somebody who sees all hands.

    Args:
        view: a view of the whole state.
        sentence: (view) → who decides and what, in words.
    """
    actor = int(view.state.actor)
    said = sentence(view._replace(seat=actor))
    if not said.startswith("You"):
        return said
    return player_name(actor) + said.removeprefix("You").replace(" your ", " their ")


def _at(x: float, y: float) -> str:
    return f"{number(x)} {number(y)}"


def count_width(text: str) -> float:
    """Return the width of a count."""
    return BOLD * width_of(text, 13)


def _beside_card(item: Item) -> float:
    """Return the width of the number of equal cards beside a card."""
    return max(22, 3 + count_width(f"×{item.number}")) if item.number > 1 else 0


def _pill_text(item: Item) -> str:
    return item.note + counted_name(item.face.name, item.number)


def _flow(
    widths: Sequence[float], box: Box, gaps: tuple[float, float]
) -> tuple[list[tuple[float, float]], float]:
    """Return the places of things that fill lines from the left, and their height in all.

    Args:
        widths: their widths.
        box: where they lie.
        gaps: the distance between two of them, and the height of a line with its gap.
    """
    spots, x, y = [], 0.0, 0.0
    for wide in widths:
        if x and x + wide > box.w:
            x, y = 0.0, y + gaps[1]
        spots.append((box.x + x, box.y + y))
        x += wide + gaps[0]
    return spots, y + (gaps[1] if widths else 0)
