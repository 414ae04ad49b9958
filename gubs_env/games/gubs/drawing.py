"""Gubs as a picture, made from a view."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np

from gubs_env.drawing.board import Item
from gubs_env.drawing.cards import LEAST_SIZE, NAME_SIZES, Face, counted_name, fitted_words
from gubs_env.drawing.layout import (
    CARD_HEIGHT,
    CARD_WIDTH,
    GAP,
    MOST_SCALE,
    Box,
    Spot,
    centred,
    columns,
    grid,
    lines_height,
    spot_at,
)
from gubs_env.drawing.svg import fitting, moved, number, rect, slug, tag, width_of, wrapped
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

PICKED = (NOBODY, 0)
"""The key of the card that the viewer is about to play, in `GubsTable.spots`."""
LEAST_SHOWN_HAND, LEAST_BOTH = 62, 200
"""The least height of another seat's hand with cards that the viewer knows, and that of a box in
which any hand lies below the colony.
"""
NO_GUBS = 30
"""The least height of an empty colony of the viewer."""
IMPORTANCE = 2.0
"""How much larger the Gubs of others are than their hands."""
TRAY_INSET = 6, 5
"""The margins of the viewer's hand: across and down."""
LEAST_ONE_LINE, TWO_LINES = 325, 196
"""The least width of a middle in one line, and the least height of two lines."""
LEAST_CHOICES, DECK_BESIDE_CHOICES = 640, 70.0
"""The width of a middle below which cards to choose from take the place of the Letters and the
discard pile, which lie below the deck if there is room, and that of the deck beside them.
"""
LEAST_HEAP = 450
"""The least width of a middle in which the discard pile is wider than the Letters."""
LEAST_HIGH_DECK = 100
"""The height of a box below which the size of the deck stands beside it."""
LOW = 34
"""The height of a box for the Letters in which only their ranges are drawn."""
LEAST_TWO = 170
"""The least height of a box in which the discard pile lies below other cards."""
LEAST_PLACE = 0.4
"""The least scale of a Gub, so that a finger hits it."""
LEAST_EXPLAINED, LEAST_ASIDE = 80, 330
"""The height that is left for the Letters at least, where words below them say what is known, and
the least width of a box in which these words stand beside them.
"""
STRIP = 21
"""The height of the name of a card that lies on a Gub, before it is scaled."""
HIGH = 0.44
"""The least height of a middle, as a part of its width, in which the card announced lies below the
Letters.
"""


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

    # ------------------------------------------------------------------------------- seats

    def _needs(self, seat: int, wide: float) -> float:
        if seat != self.own_seat and not self._shows_hand(seat):
            return self._least(seat, wide)[0]
        beside, above = max(self._least(seat, (wide - GAP) / 2)), sum(self._least(seat, wide))
        return min(beside, above + GAP)

    def _least(self, seat: int, wide: float) -> tuple[float, float]:
        """Return the least heights of a colony and of a hand below it or beside it."""
        size = int(self.state.colony_size[seat])
        if seat != self.own_seat:
            return lines_height(size, wide, LEAST_PLACE, 6) or NO_GUBS, LEAST_SHOWN_HAND
        held = int(np.count_nonzero(self.state.hand[seat]))
        hand = own_height(held, wide - 2 * TRAY_INSET[0]) + 2 * TRAY_INSET[1]
        return own_height(size, wide) if size else NO_GUBS, hand + self._note_height()

    def _halves(self, seat: int, box: Box) -> tuple[Box, Box]:
        """Return the boxes of a colony and of a hand below it or beside it."""
        is_own, size = seat == self.own_seat, int(self.state.colony_size[seat])
        hand = np.count_nonzero(self.state.hand[seat]) if is_own else self.state.hand_size[seat]
        held, (above, below) = int(hand), self._least(seat, box.w)

        def scale(count: int, box: Box) -> float:
            return grid(count, box)[0].scale if count else MOST_SCALE

        return self.halves(
            box,
            lambda box: scale(size, box),
            lambda box: IMPORTANCE ** (not is_own) * scale(held, box.inset(*TRAY_INSET)),
            above / (above + below),
        )

    def _note_height(self) -> float:
        """Return the height of the note above the viewer's hand."""
        return NOTE_HEIGHT if self.state.kept[self.view.seat] >= 0 else 0

    def _has_hand(self, seat: int) -> bool:
        return bool(seat != self.own_seat and self.state.hand_size[seat])

    def _known(self, seat: int) -> np.ndarray:
        """Return how many cards of each kind the viewer knows in a hand."""
        is_seen = seat == self.own_seat or self.open
        return self.state.hand[seat] if is_seen else self.state.known[self.view.seat, seat]

    def _shows_hand(self, seat: int) -> bool:
        """Return whether another seat's hand lies below its colony, large enough to be read."""
        return bool(seat != self.own_seat and self._known(seat).any())

    def _seat(self, seat: int, box: Box) -> None:
        state, is_own = self.state, seat == self.own_seat
        inner, hand = self._mat(seat, box, state.turn, action=seat_action(self._steps(seat)))
        self.spots[seat, -1] = spot_at(box.nearest(self._stage().centre, 28))
        where = f"hand of {player_name(seat)}"
        if is_own:
            colony, hand = self._halves(seat, inner)
            self._own_hand(hand.below(self._note_height()), where)
            return self._colony(seat, colony)
        is_roomy = inner.h > max(LEAST_BOTH, 1.6 * sum(self._least(seat, inner.w)))
        if self._shows_hand(seat) or (is_roomy and state.hand_size[seat]):
            inner, hand = self._halves(seat, inner)
        self._colony(seat, inner)
        known = self._known(seat)
        shown = items(known, faded=not self.open)
        return self.board.hand(hand, shown, int(state.hand_size[seat] - known.sum()), where)

    def _own_hand(self, box: Box, where: str) -> None:
        phase = self.state.phase
        is_picked = is_inner_pick(phase)  # then kinds and cards at places are named, not in hand
        names_held = not is_picked and phase != Phase.ORDER
        hand = self.state.hand[self.view.seat]
        held = [
            item._replace(action=card_action(int(kind)) if names_held else None)
            for item, kind in zip(items(hand), np.flatnonzero(hand), strict=True)
        ]
        self.board.tray(box, "" if held else fitting(box.w - 20, "Your hand is empty", "No cards"))
        spots = self.spread(len(held), box.inset(*TRAY_INSET), is_fan=True)
        for spot, item in zip(spots, held, strict=True):
            lifted = is_picked and item.face.name == Card(self.state.played).title
            self.board.card(
                spot._replace(y=max(box.y, spot.y - 14)) if lifted else spot, item, where
            )
            if lifted:
                self.spots[PICKED] = spot._replace(y=spot.y - 70)
        kept = self.state.kept[self.view.seat]
        if kept >= 0:
            title = Card(kept).title
            note = f"You keep from the Traveling Merchant: {title}"
            note = fitting(box.w, note, f"You keep: {title}")
            self.board.text(box.x + box.w, box.y - 3, note, "soft end")

    def _colony(self, seat: int, box: Box) -> None:
        state, size = self.state, int(self.state.colony_size[seat])
        if not size:
            self._empty(box)
        spots = self.spread(size, box, is_own=seat == self.own_seat)
        for slot, spot in enumerate(spots):
            self.spots[seat, slot] = spot
            self._place(seat, slot, spot)
        for kind, slots, is_first in ring_runs(state.colony[seat, :size], spots):
            self._ring(seat, kind, slots, is_first, spots)

    def _empty(self, box: Box) -> None:
        """Draw a colony without Gubs."""
        (spot,) = grid(1, box, 0.7)
        if 100 * spot.scale < width_of("no Gubs", 12):
            said = fitting(box.w, "no Gubs", "none")
            self.board.text(box.centre[0], box.centre[1] + 4, said, "soft mid")
        else:
            self.board.slot(spot, "no Gubs", "soft mid")

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
        symbol = board.face(face, 0 if len(on_top) else spot.scale)
        markup = tag("use", href=f"#{symbol}")
        if not len(on_top):
            markup += fitted_words("Gub", spot.scale, 126, "")
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
        colour = COLOURS[kind.kind.type]
        shades = "light" if colour == "bl" else ""
        title = counted_name(kind.title, count)
        tried = [(title, 1), (title, 2)] + [(f"×{count}", 1)] * (count > 1)
        for text, most in tried:
            if said := fitted_words(text, scale, foot - 5, shades, most=most, high=43):
                break
        high = max(STRIP, _line_of_strip(scale) * said.count("<text"))
        strip = rect(f"strip {colour}", (2, foot - high, 96, high), 5)
        return tag("use", href=f"#{symbol}", transform=lift) + strip + said, high

    def _ring(self, seat: int, kind: Card, slots: range, is_first: bool, spots: list[Spot]) -> None:
        """Draw a Ring around the Gubs at some slots, which lie side by side."""
        spot, first, last = spots[slots[0]], slots[0], slots[-1]
        wide = (spots[last].x - spot.x) / spot.scale + CARD_WIDTH
        for most in (1, 2):
            if name := fitted_words(kind.title, spot.scale, 125, "light", wide - 20, most):
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

    def _middle(self, box: Box) -> None:
        """Draw the middle: deck, card announced, Letters, discard pile."""
        state, board = self.state, self.board
        deck, _, letters, rest = self._columns(box)
        has_room = rest.h > LEAST_TWO
        share, heap = (0.6, rest.below(0.6 * rest.h + 6)) if has_room else (1, rest.below(rest.h))
        if not letters.w:  # cards to choose from take their place
            share = 1
            if has_room:
                high, wide = 0.6 * deck.h, rest.x - deck.x - GAP
                letters, heap = deck.below(high).top(LOW), deck.below(high + LOW)._replace(w=wide)
                deck = deck.top(high)
        if state.announced:
            board.thread(self.places.seats[self._steps(state.turn)], self._stage().centre)
        self._deck(deck)
        self._aim()
        self._letters(letters)
        if self._above_heap(rest.top(share * rest.h)):
            rest = heap
        if rest.h > 0:
            self._heap(rest)
        self._announced()

    def _deck(self, box: Box) -> None:
        """Draw the deck, with its size below it, or beside it where that makes it larger."""
        count = int(self.state.deck_size)
        is_low = box.h < LEAST_HIGH_DECK < 1.5 * box.w
        size = min(1.1, (box.h - (8 if is_low else 34)) / CARD_HEIGHT, (box.w - 10) / CARD_WIDTH)
        if is_low:
            size = min(size, (box.w - 34) / CARD_WIDTH)
            spot = Spot(box.x, box.y + (box.h - 140 * size) / 2 + 6, size)
        else:
            down = (box.h - 140 * size - 10) / 2
            spot = Spot(box.centre[0] - 50 * size, box.y + down, size)
        self.spots[NOBODY, -1] = spot
        label = fitting(box.w + 16, plural(count, "card"), str(count))
        label = str(count) if is_low else label
        self.board.pile(spot, count, "deck", DECK, label, is_beside=is_low)

    def _middle_needs(self, wide: float) -> float:
        if choices := self._choices():
            rest = self._columns(Box(0, 0, wide, 0))[3].w
            return lines_height(len(choices), rest, LEAST_PLACE, 6) + 36
        return 0 if wide >= LEAST_ONE_LINE else TWO_LINES

    def _choices(self) -> list[Item]:
        """Return the cards in the middle that the viewer is to choose from."""
        if self.decides and self.state.phase == Phase.NAME:
            kinds = [card for card in Card if CRICKET_SONG_CAN_BE[card]]
            return [Item(FACES[card], action=card_action(card)) for card in kinds]
        return self._still_to_order()

    def _columns(self, box: Box) -> list[Box]:
        """Return the boxes of the deck, the card announced, the Letters, and the discard pile."""
        box = box.inset(6, 6)
        if self._choices() and box.w < LEAST_CHOICES:  # the Letters make room
            deck, stage = box._replace(w=DECK_BESIDE_CHOICES), box._replace(x=box.x + 76, w=56)
            return [deck, stage, box._replace(w=0), box._replace(x=box.x + 140, w=box.w - 140)]
        if box.w < LEAST_ONE_LINE - 12:
            line = box.top(0.56 * box.h)
            return [*columns(line.top(line.h - 10), 0.8, 1, 2.3), box.below(line.h)]
        if box.h < HIGH * box.w:
            most = max(0.45, min(1.0, box.h / 170))
            wide = [
                max(72.0, 110 * most),
                max(250 * most, min(440, 0.36 * box.w)),
                120 * most,
                min((0.3 if box.w > LEAST_HEAP else 0.2) * box.w, 420),
            ]
            scale = min(1.0, (box.w - 2 * GAP) / sum(wide))
            deck, letters, stage, heap = centred(box, *(scale * each for each in wide))
            return [deck, stage, letters, heap]
        deck, centre, heap = columns(box, 0.9, 2, 1.6)
        high = 0.42 * centre.h
        return [deck.top(0.84 * deck.h), centre.below(high + 4), centre.top(high), heap]

    def _letters(self, box: Box) -> None:
        """Draw the Letters that are open, and what is known of the others."""
        if not box.w:
            return
        state, board = self.state, self.board
        said, bar = letter_lines(state), 24 if (state.third_end > 0).any() else 0
        slots, aside, line = box, box, 15
        if box.w > LEAST_ASIDE and said:
            slots, aside = columns(box, 1.2, 1)
        lines = [part for each in said for part in wrapped(each, 12, aside.w)]
        under = 0 if aside is not box else 6 + line * len(lines)
        if box.h - bar - under < LEAST_EXPLAINED * (slots is box) or line * len(lines) > box.h:
            lines, under = [], 0
        size = min(0.8, (slots.w - 12) / 300, (slots.h - bar - under) / CARD_HEIGHT)
        size *= box.h > LOW
        wide, high = max(300 * size + 12, LOW), 140 * size + bar + under
        x, y = slots.centre[0] - wide / 2, slots.y + (slots.h - high) / 2
        for at, (card, is_open) in enumerate(zip(LETTERS, state.letters, strict=True)):
            spot = Spot(x + (100 * size + 6) * at, y, size)
            if size and is_open:
                board.card(spot, Item(FACES[card]), "Letters")
            elif size:
                board.slot(spot, card.title[-1], "faint glyph")
        self._ranges(x, y + 140 * size + 9, wide)
        if aside is box:
            board.lines(box.centre[0], y + 140 * size + bar + 16, lines, "soft mid clear", line)
        else:
            top = aside.centre[1] - line * len(lines) / 2 + 11
            board.lines(aside.x, top, lines, "soft clear", line)
        about = f"The Letters. {'. '.join(said)}"
        ground = tag("rect", class_="ground", x=x, y=y, width=wide, height=high)
        board.add(tag("g", ground, data_said=about, aria_label=about))

    def _above_heap(self, box: Box) -> bool:
        """Draw what the viewer chooses from or knows of the deck; return whether there is any."""
        state, board, choices = self.state, self.board, self._choices()
        titles: tuple[str, ...] = ("Put back, the top first", "Put back")
        where = "deck, to be put back"
        if state.phase == Phase.NAME:
            titles = ("Cricket Song can stand for", "It can stand for", "Stands for")
            where = "choices"
        if choices:
            for spot, item in zip(grid(len(choices), box.below(20)), choices, strict=True):
                board.card(spot, item, where)
        elif state.known_top[self.view.seat]:
            titles = "Top of the deck", "Top"
            self._known_top(box.below(18))
        else:
            return False
        board.text(box.x, box.y + 12, fitting(box.w, *titles), "soft hot clear")
        return True

    def _heap(self, box: Box) -> None:
        """Draw the discard pile."""
        pile = self.state.discard_pile
        count = int(pile.sum())
        title = fitting(box.w, f"Discard pile: {count}", f"Discards: {count}", f"{count}")
        self.board.text(box.x, box.y + 12, title, "soft clear")
        heap = items(pile)

        def lies(item: Item) -> float:
            return float(len(item.face.name) * 37 % 9 - 4)

        self.board.small_cards(box.below(22), heap, "discard pile", most=0.6, lies=lies)

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
        for at, spot in enumerate(grid(len(known), box, 0.6, gap=3)):
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
        column = self._columns(self.places.middle)[1]
        size = min(1.1, (column.h - 40) / CARD_HEIGHT, (column.w - 20) / CARD_WIDTH)
        return Spot(column.centre[0] - 50 * size, column.centre[1] - 70 * size - 6, size)

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
        board.spotlight(stage, bool(state.announced))
        if not state.announced:
            return
        board.card(stage, Item(FACES[Card(state.played)]), "table", said)
        if state.played_as != state.played:
            under = stage.y + 142 * stage.scale + 18
            title = f"as {Card(state.played_as).title}"
            board.text(stage.centre[0], under, title, "count clear")


def _line_of_strip(scale: float) -> float:
    """Return the height of each of two lines of the name of a card that lies on a Gub."""
    return max(NAME_SIZES[0], LEAST_SIZE / scale) + 3


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
