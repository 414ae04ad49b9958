"""Gubs as a picture, made from a view."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np

from gubs_env.drawing.board import Item, count_width
from gubs_env.drawing.cards import LEAST_SIZE, NAME_SIZES, Face, counted_name, fitted_words
from gubs_env.drawing.layout import (
    CARD_HEIGHT,
    CARD_WIDTH,
    GAP,
    Box,
    Places,
    Spot,
    around,
    columns,
    grid,
    lines_height,
    spot_at,
)
from gubs_env.drawing.svg import fitting, moved, number, rect, slug, tag, width_of, words
from gubs_env.drawing.table import NOTE_HEIGHT, TablePicture, own_height
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.text import player_name, plural
from gubs_env.games.gubs.actions import DECK, card_action, place_action, seat_action
from gubs_env.games.gubs.cards import (
    CRICKET_SONG_CAN_BE,
    FIRST_BARRICADE,
    FIRST_TRAP,
    LETTERS,
    RINGS,
    Card,
)
from gubs_env.games.gubs.emblems import (
    CAUGHT,
    COLOURS,
    EMBLEMS,
    MEADOW,
    PLAIN,
    ROOF,
    SAFE,
    SECOND_COLOURS,
    SHELTERS,
    WATER,
)
from gubs_env.games.gubs.legal import is_inner_pick
from gubs_env.games.gubs.state import Phase
from gubs_env.games.gubs.words import letter_lines, move_line, place_name, place_words

HAND_HEIGHT, KNOWN_HEIGHT, OPEN_HEIGHT = 46, 70, 84
"""The height of another seat's hand: hidden, known in part, and open."""
PICKED = (NOBODY, 0)
"""The key of the card that the viewer is about to play, in `GubsTable.spots`."""
LEAST_TWO_ROWS = 90
"""The least height of a colony above a hand in a fitted picture; lower ones lie side by side."""
SMALL_HAND, GAP_ABOVE_HAND = 34, 4
"""The least height of another seat's hand in a fitted picture, and the gap above a hand."""
NO_GUBS = 30
"""The least height of an empty colony of the viewer in a fitted picture."""
TRAY_INSET = 6, 5
"""The margins of the viewer's hand in a fitted picture: across and down."""
LEAST_ONE_LINE, TWO_LINES = 325, 196
"""The least width of a middle in one line in a fitted picture, and the least height of two lines.
"""
LEAST_PLACE = 0.24
"""The least scale of a Gub in a fitted picture, so that a finger hits it."""
STRIP = 21
"""The height of the name of a card that lies on a Gub, before it is scaled."""


def face_of(card: Card) -> Face:
    """Return the front of a kind of card."""
    kind = card.kind.type
    second = SECOND_COLOURS.get(kind, "")
    shown = "Tool/Hazard" if second and card is not Card.CRICKET_SONG else kind.value
    return Face(card.title, shown, COLOURS[kind], EMBLEMS.get(card, PLAIN), second)


FACES = {card: face_of(card) for card in Card}
GUB = FACES[Card.GUB]
FREE_GUB = GUB._replace(emblem=MEADOW + EMBLEMS[Card.GUB], variant="free")
SAFE_GUB = GUB._replace(
    emblem=f'<g transform="translate(0 14) scale(.86)">{SAFE}</g>', variant="safe"
)
CAUGHT_GUB = GUB._replace(emblem=CAUGHT, variant="caught")


def items(counts: Any, **options: Any) -> list[Item]:
    """Return cards to draw, from int[kinds], the number of cards of each kind."""
    return [Item(FACES[Card(k)], int(counts[k]), **options) for k in np.flatnonzero(counts)]


class GubsTable(TablePicture):
    """The picture of one view of Gubs.

    Its `spots` are the targets: (seat, slot), (seat, −1), and (NOBODY, −1) for the deck.
    """

    def _places(self) -> Places:
        big = self.seats > 3
        more = OPEN_HEIGHT - HAND_HEIGHT if self.open else 0
        top, middle = (218 + more, 306) if big else (226 + more, 226)
        return around(self.seats, top=top, side=0, middle=middle, own_height=316)

    # ------------------------------------------------------------------------------- seats

    def _needs(self, seat: int, wide: float) -> float:
        colony, hand = self._own_needs(wide)
        size = int(self.state.colony_size[seat])
        if seat == self.own_seat:
            return colony + self._note_height() + GAP_ABOVE_HAND + hand
        content = max(SMALL_HAND, lines_height(size, _beside(wide)[0], LEAST_PLACE, 4))
        if content < LEAST_TWO_ROWS:
            return content
        above = lines_height(size, wide, LEAST_PLACE, 4) + GAP_ABOVE_HAND
        return max(LEAST_TWO_ROWS, above + SMALL_HAND)

    def _own_needs(self, wide: float) -> tuple[float, float]:
        """Return the least heights of the viewer's colony and hand, in a fitted picture."""
        size = int(self.state.colony_size[self.bottom])
        held = int(np.count_nonzero(self.state.hand[self.bottom]))
        hand = own_height(held, wide - 2 * TRAY_INSET[0]) + 2 * TRAY_INSET[1]
        return own_height(size, wide) if size else NO_GUBS, hand

    def _note_height(self) -> float:
        """Return the height of the note above the viewer's hand, in a fitted picture."""
        return NOTE_HEIGHT if self.state.kept[self.view.seat] >= 0 else 0

    def _seat(self, seat: int, box: Box) -> None:
        state, is_own = self.state, seat == self.own_seat
        inner = self._mat(seat, box, state.turn, action=seat_action(self._steps(seat)))
        self.spots[seat, -1] = spot_at(box.nearest(self._stage().centre, 28))
        known = state.hand[seat] if is_own or self.open else state.known[self.view.seat, seat]
        high: float = 130 if is_own else OPEN_HEIGHT if self.open else HAND_HEIGHT
        if known.any():
            high = max(high, KNOWN_HEIGHT)
        hand = Box(inner.x, inner.y + inner.h - high, inner.w, high)
        colony = Box(inner.x, inner.y + 8, inner.w, inner.h - high - 18)
        if self.is_fitted:
            colony, hand = self._fitted_boxes(seat, inner, high)
        self._colony(seat, colony)
        where = f"hand of {player_name(seat)}"
        if is_own:
            self._own_hand(hand, where)
        else:
            shown = items(known, faded=not self.open)
            self.board.hand(hand, shown, int(state.hand_size[seat] - known.sum()), where)

    def _fitted_boxes(self, seat: int, box: Box, high: float) -> tuple[Box, Box]:
        """Return the boxes of a colony and of a hand that is at most `high`."""
        if seat == self.own_seat:
            colony, hand = self._own_needs(box.w)
            note = self._note_height()
            high = min(max(hand, min(high, box.h / 2)), box.h - colony - note - GAP_ABOVE_HAND)
            return box.top(box.h - high - note - GAP_ABOVE_HAND), box.below(box.h - high)
        if box.h < LEAST_TWO_ROWS:
            wide, rest = _beside(box.w)
            return box._replace(w=wide), Box(box.x + box.w - rest, box.y, rest, SMALL_HAND)
        above = lines_height(int(self.state.colony_size[seat]), box.w, LEAST_PLACE, 4)
        high = min(high, max(SMALL_HAND, box.h * 0.38), box.h - above - GAP_ABOVE_HAND)
        return box.top(box.h - high - GAP_ABOVE_HAND), box.below(box.h - high)

    def _own_hand(self, box: Box, where: str) -> None:
        phase = self.state.phase
        is_picked = is_inner_pick(phase)  # then kinds and cards at places are named, not in hand
        names_held = not is_picked and phase != Phase.ORDER
        hand = self.state.hand[self.view.seat]
        held = [
            item._replace(action=card_action(int(kind)) if names_held else None)
            for item, kind in zip(items(hand), np.flatnonzero(hand), strict=True)
        ]
        waiting = [] if self.is_fitted else self._still_to_order()
        title = "Hand, then the cards to put back" if waiting else "Hand"
        title = title if held or waiting else "Hand: nothing"
        self.board.tray(box, "" if self.is_fitted and (held or waiting) else title)
        inside = box.inset(*(TRAY_INSET if self.is_fitted else (60, 7)))
        spots = self.spread(len(held) + len(waiting), inside, 0.84)
        for spot, item in zip(spots[len(held) :], waiting, strict=True):
            self.board.card(spot, item, "deck, to be put back")
        for spot, item in zip(spots, held, strict=False):
            lifted = is_picked and item.face.name == Card(self.state.played).title
            self.board.card(spot._replace(y=spot.y - 14) if lifted else spot, item, where)
            if lifted:
                self.spots[PICKED] = spot._replace(y=spot.y - 70)
        kept = self.state.kept[self.view.seat]
        if kept >= 0:
            title = Card(kept).title
            note = f"You keep from the Traveling Merchant: {title}"
            note = fitting(box.w, note, f"You keep: {title}") if self.is_fitted else note
            self.board.text(box.x + box.w, box.y - 4, note, "soft end")

    def _colony(self, seat: int, box: Box) -> None:
        state, size = self.state, int(self.state.colony_size[seat])
        if not size:
            self.board.text(*box.centre, "no Gubs", "soft mid")
        most = 0.86 if seat == self.own_seat or self.seats < 4 else 0.8
        spots = self.spread(size, box, most, 10, is_own=seat == self.own_seat)
        for slot, spot in enumerate(spots):
            self.spots[seat, slot] = spot
            self._place(seat, slot, spot)
        for kind, slots, is_first in ring_runs(state.colony[seat, :size], spots):
            self._ring(seat, kind, slots, is_first, spots)

    def _place(self, seat: int, slot: int, spot: Spot) -> None:
        state, board = self.state, self.board
        lying = state.colony[seat, slot]
        where = f"{place_name(slot)} of {player_name(seat)}"
        named = self._names_a_card(seat, slot)
        action = place_action(self._steps(seat), slot)

        def names(kind: Card) -> int:
            return card_action(kind) if named else action

        said = place_words(state.colony[seat, slot])[0]
        if lying[Card.ESTEEMED_ELDER]:
            elder = Item(FACES[Card.ESTEEMED_ELDER], action=names(Card.ESTEEMED_ELDER))
            return board.card(spot, elder, where, said)
        on_top = np.flatnonzero(lying[FIRST_BARRICADE:]) + FIRST_BARRICADE
        trapped = lying[FIRST_TRAP:].any()
        face = CAUGHT_GUB if trapped else SAFE_GUB if len(on_top) else FREE_GUB
        markup = tag("use", href=f"#{board.face(face)}")
        if not len(on_top):
            markup += board.name("Gub", spot.scale)
        board.piece(spot, markup, where, "Gub", action=names(Card.GUB), aria_label=said)
        foot: float = CARD_HEIGHT - 3
        for at, kind in enumerate(Card(k) for k in on_top if k not in RINGS):
            count = int(lying[kind])
            markup, high = self._cover(kind, at, count, spot.scale, foot)
            board.piece(spot, markup, where, kind.title, count, names(kind))
            foot -= high
        return None

    def _names_a_card(self, seat: int, slot: int) -> bool:
        """Return whether the viewer now has to choose a card at this place."""
        state = self.state
        at = (state.target_seat[0], state.target_slot[0])
        return bool(self.decides and state.phase == Phase.MEANT and at == (seat, slot))

    def _cover(
        self, kind: Card, at: int, count: int, scale: float, foot: float
    ) -> tuple[str, float]:
        """Return a card that lies on a Gub, and the height of its name.

        Args:
            kind: the kind of card.
            at: number of kinds beneath it.
            count: number of equal cards.
            scale: the scale at which it is drawn.
            foot: where its name ends, above the names of the kinds beneath it.
        """
        art = WATER if kind >= FIRST_TRAP else SHELTERS.get(kind, ROOF)
        symbol = self.board.symbol(f"on-{slug(kind.title)}", f'<g class="em">{art}</g>')
        lift = f"translate(0 {-11 * at})" if at else None
        high: float = STRIP
        colour = COLOURS[kind.kind.type]
        shades = "light" if colour == "bl" else ""
        style = "name n4 " if count > 1 else "name n3 "
        title = counted_name(kind.title, count)
        said = words(50, foot - 6, title, (style + shades).rstrip())
        if self.is_fitted:
            tried = [(title, 1), (title, 2)] + [(f"×{count}", 1)] * (count > 1)
            for text, most in tried:
                if said := fitted_words(text, scale, foot - 5, shades, most=most, high=40):
                    break
            high = max(STRIP, _line_of_strip(scale) * said.count("<text"))
        strip = rect(f"strip {colour}", (2, foot - high, 96, high), 5)
        return tag("use", href=f"#{symbol}", transform=lift) + strip + said, high

    def _ring(self, seat: int, kind: Card, slots: range, is_first: bool, spots: list[Spot]) -> None:
        """Draw a Ring around the Gubs at some slots, which lie side by side."""
        spot, first, last = spots[slots[0]], slots[0], slots[-1]
        wide = (spots[last].x - spot.x) / spot.scale + CARD_WIDTH
        name, above = words(wide / 2, 123, kind.title, "name n3 light"), 0.0
        if self.is_fitted:
            for most in (1, 2):
                name = fitted_words(kind.title, spot.scale, 125, "light", wide - 20, most)
                if name:
                    break
            above = _line_of_strip(spot.scale) * max(0, name.count("<text") - 1)
            name = tag("g", name, transform=moved(wide / 2 - 50, 0))
        hoop = rect("hoop", (-3, -3, wide + 6, 146), 14)
        left, right, middle = "-4", number(wide + 4), number(wide / 2)
        top, bend = number(92 - above), number(116 - above)
        line = f"M{left} {top}Q{middle} {bend} {right} {top}V112Q{middle} 142 {left} 112Z"
        front = tag("path", class_="strip bl", d=line)
        action = place_action(self._steps(seat), first)
        if self._names_a_card(seat, first):
            action = card_action(kind)
        where, title = f"{place_name(first)} of {player_name(seat)}", kind.title
        shown = title if is_first else None
        self.board.piece(spot, hoop + front + name, where, shown, action=action)

    # ------------------------------------------------------------------------------ the middle

    def _fitted_middle(self, box: Box) -> None:
        """Draw the middle of a fitted picture: deck, card announced, Letters, discard pile."""
        state, board = self.state, self.board
        deck, _, letters, rest = self._columns(box)
        if state.announced:
            board.thread(self.places.seats[self._steps(state.turn)], self._stage().centre)
        size = min(0.78, (deck.h - 26) / CARD_HEIGHT, (deck.w - 14) / CARD_WIDTH)
        spot = self.spots[NOBODY, -1] = Spot(deck.x + 4, deck.y + 14, size)
        count = int(state.deck_size)
        label = plural(count, "card")
        if deck.w <= 80 or count_width(label) / 2 > spot.centre[0] - box.x:
            label = str(count)
        board.pile(spot, count, "deck", DECK, label)
        self._aim()
        self._fitted_letters(letters)
        known = int(state.known_top[self.view.seat]) - len(self._still_to_order())
        if self.decides and state.phase == Phase.NAME:
            self._choices(rest)
        elif waiting := self._still_to_order():
            title = fitting(rest.w, "Put back, the top first", "Put back")
            board.text(rest.x, rest.y + 12, title, "soft hot")
            for spot, item in zip(grid(len(waiting), rest.below(20), 0.84), waiting, strict=True):
                board.card(spot, item, "deck, to be put back")
        elif known:
            board.text(rest.x, rest.y + 12, "Top of the deck", "soft clear")
            self._known_top(rest.below(20))
        else:
            self._heap(rest)
        self._announced()

    def _middle_needs(self, wide: float) -> float:
        return 0 if wide >= LEAST_ONE_LINE else TWO_LINES

    def _columns(self, box: Box) -> list[Box]:
        """Return the boxes of the deck, the card announced, the Letters, and the discard pile."""
        if box.w < LEAST_ONE_LINE:
            line = box.top(0.56 * box.h)
            return [*columns(line.top(line.h - 10), 1, 1.2, 2), box.below(line.h)]
        return columns(box, 1, 1.15, 2.3, 2.8) if box.w > 500 else columns(box, 1, 1.1, 2.1, 1.9)

    def _fitted_letters(self, box: Box) -> None:
        """Draw the Letters that are open, and the ranges of the others, which a click explains."""
        state, board = self.state, self.board
        size = min(0.66, (box.w - 12) / 300, (box.h - 34) / CARD_HEIGHT)
        said = ". ".join(letter_lines(state))
        self._letters(Spot(box.x, box.y + 8, size))
        y, wide = box.y + 140 * size + 18, 300 * size + 12
        self._ranges(box.x, y, wide)
        title = "where the Letters lie"
        is_known = bool((state.third_end > 0).any())
        if is_known and width_of(title, 12) < wide and box.h - 140 * size > 46:
            board.text(box.x, y + 25, title, "soft clear")
        ground = tag("rect", class_="ground", x=box.x, y=box.y, width=wide, height=box.h)
        board.add(tag("g", ground, data_said=f"The Letters. {said}"))

    def _letters(self, first: Spot) -> None:
        """Draw the Letters that are open, and the slots of the others, from a spot on."""
        for at, (card, is_open) in enumerate(zip(LETTERS, self.state.letters, strict=True)):
            spot = first._replace(x=first.x + (100 * first.scale + 6) * at)
            if is_open:
                self.board.card(spot, Item(FACES[card]), "Letters")
            else:
                self.board.slot(spot, card.title[-1], "faint glyph")

    def _wide_middle(self, box: Box) -> None:
        wide = box.w > 800
        state, board = self.state, self.board
        x, y = box.x + (30 if wide else 6), box.y + 16
        if state.announced:
            board.thread(self.places.seats[self._steps(state.turn)], self._stage().centre)
        self.spots[NOBODY, -1] = Spot(x, y, 0.78)
        board.pile(self.spots[NOBODY, -1], int(state.deck_size), "deck", DECK)
        self._known_top(Box(x + 90, y + 20, 136, 70))
        self._aim()
        size, letters = (0.66, x + 400) if wide else (0.55, box.x + box.w - 182)
        self._letters(Spot(letters, y, size))
        self._ranges(letters, y + 140 * size + 10, 300 * size + 12)
        text = Box(letters, y + 118, 285, 80) if wide else Box(x, y + 148, box.w - 12, 60)
        used = 0.0
        for line in letter_lines(state):
            used += board.wrapped(text.below(used), line, "soft clear")
        left, top = (box.x + 740, y) if wide else (x, text.y + used + 6)
        self._heap(Box(left, top, box.x + box.w - left - 8, box.y + box.h - top))
        free = Box(x + 96, y - 4, letters - x - 104, 150)
        self._choices(free.below(94) if state.known_top[self.view.seat] else free)
        self._announced()

    def _choices(self, box: Box) -> None:
        """Draw the cards that Cricket Song can stand for, if the viewer has to choose one."""
        if not (self.decides and self.state.phase == Phase.NAME):
            return
        title = "Cricket Song can stand for"
        title = fitting(box.w, title, "It can stand for", "Stands for")
        self.board.text(box.x, box.y + 12, title, "soft hot")
        kinds = [card for card in Card if CRICKET_SONG_CAN_BE[card]]
        choices = [Item(FACES[card], action=card_action(card)) for card in kinds]
        self.board.pills(box.below(20), choices, "choices")

    def _heap(self, box: Box) -> None:
        """Draw the discard pile."""
        pile = self.state.discard_pile
        self.board.text(box.x, box.y + 12, f"Discard pile: {int(pile.sum())}", "soft clear")
        self.board.pills(box.below(19), items(pile), "discard pile")

    def _still_to_order(self) -> list[Item]:
        """Return the cards that the Scout has not put back yet, for the viewer to choose from."""
        state = self.state
        if not (self.decides and state.phase == Phase.ORDER):
            return []
        kinds = state.deck[: state.deck_size][::-1][state.ordered : state.known_top[self.view.seat]]
        return [Item(FACES[Card(kind)], action=card_action(int(kind))) for kind in kinds]

    def _known_top(self, box: Box) -> None:
        """Draw the cards at the top of the deck that the viewer knows, the top first."""
        state = self.state
        depth = int(state.known_top[self.view.seat])
        known = state.deck[: state.deck_size][::-1][: depth - len(self._still_to_order())]
        for at, spot in enumerate(grid(len(known), box, 0.5, gap=3)):
            item = Item(FACES[Card(known[at])], faded=True)
            self.board.card(spot, item, f"deck, number {at + 1} from the top")

    def _ranges(self, x: float, y: float, wide: float) -> None:
        """Draw the ranges of the deck in which the Letters can lie, with its top at the left."""
        state, size = self.state, int(self.state.deck_size)
        if not (size and (state.third_end > 0).any()):
            return
        shapes = rect("scale", (x, y, wide, 8), 4)
        for start, end in zip(state.third_start, state.third_end, strict=True):
            if end > 0:
                left, right = x + (size - end) / size * wide, x + (size - start) / size * wide
                cards = {"x": float(left), "width": float(max(6, right - left))}
                shapes += tag("rect", class_="range", y=y - 2, height=12, rx=4, **cards)
        self.board.add(tag("g", shapes, class_="ranges", opacity=0.85))

    # ------------------------------------------------------------------------ the card announced

    def _stage(self) -> Spot:
        """Return where the card announced lies."""
        box = self.places.middle
        if self.is_fitted:
            column = self._columns(box)[1]
            size = min(0.9, (column.h - 40) / CARD_HEIGHT, (column.w - 10) / CARD_WIDTH)
            return Spot(column.centre[0] - 50 * size, column.y + 12, size)
        return Spot(box.x + (285 if box.w > 800 else box.w / 2 - 40), box.y + 16, 0.84)

    def _aim(self) -> None:
        """Draw an arrow from the card being played to each target, below the texts."""
        state = self.state
        said, start = move_line(state), self._stage().centre
        if not state.announced:
            start = self.spots.get(PICKED, self.spots[int(state.turn), -1]).centre
        for at in range(state.num_targets if said else 0):
            target = int(state.target_seat[at]), int(state.target_slot[at])
            self.board.arrow(start, self.spots[target], said)

    def _announced(self) -> None:
        """Draw the card that is announced."""
        state, board, stage = self.state, self.board, self._stage()
        said = move_line(state)
        if not (said and state.announced):
            return
        board.spotlight(stage)
        board.card(stage, Item(FACES[Card(state.played)]), "table", said)
        if state.played_as != state.played:
            under = stage.y + 142 * stage.scale + 18
            title = f"as {Card(state.played_as).title}"
            board.text(stage.centre[0], under, title, "count clear")


def _line_of_strip(scale: float) -> float:
    """Return the height of each of two lines of the name of a card that lies on a Gub."""
    return max(NAME_SIZES[0][0], LEAST_SIZE / scale) + 3


def _beside(wide: float) -> tuple[float, float]:
    """Return the widths of a colony and of the hand beside it, in a fitted picture."""
    hand = max(46, (wide - GAP) * 0.3 / 1.3)
    return wide - GAP - hand, hand


def ring_runs(places: Any, spots: list[Spot]) -> Iterator[tuple[Card, range, bool]]:
    """Yield the Rings of a colony: each with its slots in one row, and whether they are its first.

    A Ring whose Gubs lie in two rows comes in two parts.
    """
    slot = 0
    while slot < len(places):
        kind = next((ring for ring in RINGS if places[slot, ring]), None)
        end = slot + (1 if kind is None else kind.kind.places)
        if kind is not None:
            rows = groupby(range(slot, end), key=lambda k: spots[k].y)
            for part in (list(slots) for _, slots in rows):
                yield kind, range(part[0], part[-1] + 1), part[0] == slot
        slot = end


draw = GubsTable.draw
