"""Gubs as a picture, made from a view."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import groupby
from types import MappingProxyType
from typing import Any

import numpy as np

from gubs_env.drawing.board import LEAST_HAND, MAT_INSET, SMALL_SCALES, Item
from gubs_env.drawing.cards import HYPHEN, LEAST_SIZE, NAME_SIZE, Face, counted_name, fitted_words
from gubs_env.drawing.layout import (
    CARD_HEIGHT,
    CARD_WIDTH,
    GAP,
    LEAST_MAT_HEIGHT,
    LINE_GAP,
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
from gubs_env.drawing.table import KEPT, LEAST_OWN, NOTE_HEIGHT, TRAY_INSET, TablePicture
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.engine.text import player_name, plural
from gubs_env.games.gubs.actions import DECK, card_action, place_action, seat_action
from gubs_env.games.gubs.cards import (
    CRICKET_SONG_CAN_BE,
    FIRST_BARRICADE,
    FIRST_TRAP,
    LETTERS,
    RINGS,
    Card,
    CardType,
)
from gubs_env.games.gubs.emblems import (
    CAUGHT,
    COLOURS,
    EMBLEMS,
    MARKS,
    MEADOW,
    PLAIN,
    ROOF,
    SAFE,
    SECOND_COLOURS,
    SHELTERS,
    WATER,
)
from gubs_env.games.gubs.legal import is_inner_pick
from gubs_env.games.gubs.moves import meant_at
from gubs_env.games.gubs.state import Phase
from gubs_env.games.gubs.words import (
    known_top,
    letter_lines,
    letter_ranges,
    move_line,
    place_name,
    place_words,
)

PICKED = (NOBODY, 0)
"""The key of the card that the viewer is about to play, in `GubsTable.spots`."""
LEAST_SHOWN_HAND = 62
"""The least height of another seat's hand that lies below its colony or beside it."""
NO_GUBS, NONE = 30, "none"
"""The least height of an empty colony of the viewer, and the word in a narrow one."""
LEAST_LINE, LEAST_PARTS = 240, 68.0
"""The least width of the deck, the Letters and the card announced beside what is offered, and their
least height.
"""
LEAST_LETTERS, LEAST_DECK, LEAST_STAGE, LEAST_HEAP = 103.0, 76.0, 28.0, 34.0
"""The least widths of the Letters, of the deck with its size, of the card announced, and of the
discard pile.
"""
HEAPED, HEAP = 3, 64.0
"""The number of cards that are seen of a heap, and its width where cards are offered beside it."""
OFFERED, MOST_KNOWN = 20, 0.6
"""The height of the words above the cards that are offered, and the largest scale of cards that the
viewer only knows.
"""
LEAST_HIGH_DECK = 100
"""The height of a box below which the size of the deck stands beside it."""
LEAST_PLACE = 0.4
"""The least scale of a Gub, so that a finger hits it."""
LEAST_EXPLAINED, LEAST_ASIDE = 80, 330
"""The height that is left for the Letters at least, where words below them say what is known, and
the least width of a box in which these words stand beside them.
"""
BAR_ENDS, LEAST_BAR = ("deck: top", "bottom"), 90
"""The words at the ends of the bar that stands for the deck, and its least width between them."""
DECK_BAR = "The bar is the deck, its top at the left: a Letter lies in each thick yellow part"
"""The explanation of the bar."""
GROWN = 0, 1, 3, 6, 8, 10, 12, 14
"""The sizes of the viewer's colony up to which it keeps its rows while it grows."""
LEAST_IN_LINE = 0.9
"""The scale down to which the viewer's colony and hand lie in a line without room kept for more."""
LEAST_HELD = 2
"""The number of cards for which the viewer's hand always has room."""
LEAST_COLONY = 3
"""The size of a colony for which the mats of the others have room from the beginning."""
STRIP, COVERED, RINGED = 21, 56, 21.5
"""The height of the name of a card that lies on a Gub, before it is scaled, the largest one, and
that of each line of the name of a Ring.
"""
PARTED = {
    Card.MUSHROOM: f"Mush{HYPHEN}room",
    Card.LIGHTNING: f"Light{HYPHEN}ning",
    Card.BLINDFOLD: f"Blind{HYPHEN}fold",
    Card.CYCLONE: f"Cy{HYPHEN}clone",
    Card.RETREAT: f"Re{HYPHEN}treat",
}
"""The names that are long words, with the places where a line may end."""
HIGH, LEAST_HIGH = 0.44, 220
"""The least height of a middle, as a part of its width and in units, in which the card announced
and the discard pile lie below the deck and the Letters.
"""
UPPER = 0.44
"""The part of the height of such a middle for the upper ones."""


def face_of(card: Card) -> Face:
    """Return the front of a kind of card."""
    kind = card.kind.type
    second = SECOND_COLOURS.get(kind, "")
    shown = "Tool/Hazard" if second and card is not Card.CRICKET_SONG else kind.value
    parted = PARTED.get(card, "")
    emblem, mark = EMBLEMS.get(card, PLAIN), MARKS.get(kind, "")
    return Face(card.title, shown, COLOURS[kind], emblem, second, parted=parted, mark=mark)


FACES = {card: face_of(card) for card in Card}
GUB = FACES[Card.GUB]
FREE_GUB = GUB._replace(emblem=MEADOW + EMBLEMS[Card.GUB], variant="free")
SAFE_GUB = GUB._replace(
    emblem=f'<g transform="translate(0 14) scale(.86)">{SAFE}</g>',
    variant="safe",
    mark=MARKS[CardType.BARRICADE],
)
CAUGHT_GUB = GUB._replace(emblem=CAUGHT, variant="caught", mark=MARKS[CardType.TRAP])


def items(counts: Any, **options: Any) -> list[Item]:
    """Return cards to draw, from int[kinds], the number of cards of each kind."""
    return [Item(FACES[Card(k)], int(counts[k]), **options) for k in np.flatnonzero(counts)]


class GubsTable(TablePicture):
    """The picture of one view of Gubs.

    Its `spots` are the targets: (seat, slot), (seat, −1), and (NOBODY, −1) for the deck.
    """

    def _shares(self) -> tuple[float, float]:
        return (0.32, 0.36) if self._chooses() else super()._shares()

    # ------------------------------------------------------------------------------- seats

    short_notes = MappingProxyType(
        {
            "skipped their last draw": "skipped draw",
            "has the turn": "their turn",
            "0 cards in hand": "0 cards",
        }
    )
    kept_note = "has the turn"

    def _needs(self, seat: int, wide: float) -> float:
        if seat != self.own_seat and not self._shows_hand(seat):
            return self._least(seat, wide)[0]
        return self.halves_height(wide, partial(self._least, seat))

    def _mat_height(self, steps: int, wide: float) -> float:
        return max(self._planned_height(steps, wide), super()._mat_height(steps, wide))

    def _planned_height(self, steps: int, wide: float) -> float:
        """Return the height of a mat with room for later: the largest colony decides, by steps."""
        if not steps:
            return super()._mat_height(steps, wide)
        others = [seat for seat in range(self.seats) if seat != self.bottom]
        size = grown(max(LEAST_COLONY, *(int(self.state.colony_size[seat]) for seat in others)))
        content = lines_height(size, wide - 2 * MAT_INSET, LEAST_PLACE)
        heading = self._heading(seat_at(self.state, self.bottom, steps))
        return max(LEAST_MAT_HEIGHT, self.board.mat_height(wide, heading, content))

    def _least(self, seat: int, wide: float) -> tuple[float, float]:
        """Return the least heights of a colony and of a hand below it or beside it."""
        size = self._places_of(seat)
        if seat != self.own_seat:
            hand = LEAST_SHOWN_HAND if wide >= LEAST_HAND else math.inf
            return lines_height(size, wide, LEAST_PLACE) or NO_GUBS, hand
        hand = (
            lines_height(self._held_by(seat), wide - 2 * TRAY_INSET[0], LEAST_OWN)
            + 2 * TRAY_INSET[1]
        )
        return lines_height(size, wide, LEAST_OWN) or NO_GUBS, hand + self._note_height()

    def _halves(self, seat: int, box: Box) -> tuple[Box, Box]:
        """Return the boxes of a colony and of a hand below it or beside it."""
        is_own, size, held = seat == self.own_seat, self._places_of(seat), self._held_by(seat)
        above, below = self._least(seat, box.w)
        known, least = int(self._known(seat).sum()), LEAST_OWN if is_own else LEAST_PLACE

        def first(box: Box) -> float:
            scale = self.spread(size, box, least)[0].scale if size else LEAST_PLACE
            is_seen = scale > LEAST_PLACE - 0.001 and box.w > width_of(NONE, 12)
            return self.scale_of(size, box, least) * (1 if is_seen else 0.1)

        def second(box: Box) -> float:
            return self.hand_scale(held, known, box, is_own)

        return self.halves(box, first, second, above / (above + below))

    def _places_of(self, seat: int) -> int:
        """Return the number of places that a colony has room for: the viewer's keeps its rows while
        it grows up to that, unless it lies in a line with the hand and is larger so.
        """
        size = int(self.state.colony_size[seat])
        line = (size + self._held_by(seat)) * (CARD_WIDTH * LEAST_IN_LINE + LINE_GAP)
        if seat != self.own_seat or line * self.zoom <= self.size[0]:
            return size
        return grown(size)

    def _held_by(self, seat: int) -> int:
        """Return the number of cards that a hand has room for: beside few cards, the viewer's
        colony keeps its place.
        """
        if seat != self.own_seat:
            return int(self.state.hand_size[seat])
        return max(LEAST_HELD, int(np.count_nonzero(self.state.hand[seat])))

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
        is_beside = self._has_hand(seat) and self._has_room(seat, inner)
        if is_beside:
            inner, hand = self._halves(seat, inner)
        self._colony(seat, inner)
        known = self._known(seat)
        shown, hidden = items(known, faded=not self.open), int(state.hand_size[seat] - known.sum())
        return self.board.hand(hand, shown, hidden, where, is_right=not is_beside)

    def _has_room(self, seat: int, box: Box) -> bool:
        """Return whether a hand lies below or beside a colony: if it can be read, or without making
        the colony much smaller.
        """
        size = int(self.state.colony_size[seat])
        colony, hand = self._halves(seat, box)
        if self._shows_hand(seat):
            return hand.w >= LEAST_HAND
        if size and hand.h >= LEAST_SHOWN_HAND:
            alone, smaller = (grid(size, each)[0].scale for each in (box, colony))
            return smaller >= max(KEPT * alone, LEAST_PLACE)
        return hand.h >= LEAST_SHOWN_HAND

    def _own_hand(self, box: Box, where: str) -> None:
        phase = self.state.phase
        is_picked = is_inner_pick(phase)  # then kinds and cards at places are named, not in hand
        names_held = not is_picked and phase != Phase.ORDER
        hand = self.state.hand[self.view.seat]
        held = [
            item._replace(action=card_action(int(kind)) if names_held else None)
            for item, kind in zip(items(hand), np.flatnonzero(hand), strict=True)
        ]
        self.board.tray(box, "" if held else fitting(box.w - 20, "Your hand is empty", "Empty", ""))
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
        groups = [len(slots) for slots in together(state.colony[seat, :size])]
        places = self._places_of(seat)
        groups += [1] * (places - size)
        least = LEAST_OWN if seat == self.own_seat else LEAST_PLACE
        is_ringed = state.colony[seat, :size][:, list(RINGS)].any()
        if is_ringed and self.scale_of(places, box.inset(5, 5), least) > least:
            box = box.inset(5, 5)  # hoops are larger than cards
        spots = first_of(size, self.spread(places, box, least, groups=groups))
        rings = [*ring_runs(state.colony[seat, :size], spots)]
        for slot, spot in enumerate(spots):
            self.spots[seat, slot] = spot
            self._place(seat, slot, spot)
            for kind, slots, is_first in rings:
                if slot == slots[-1]:  # what lies beside it may overlap it
                    self._ring(seat, kind, slots, is_first, spots)

    def _empty(self, box: Box) -> None:
        """Draw a colony without Gubs."""
        (spot,) = grid(1, box, 0.7)
        if 100 * spot.scale < width_of("no Gubs", 12):
            said = fitting(box.w, "no Gubs", NONE)
            self.board.text(box.centre[0], box.centre[1] + 4, said, "soft mid")
        else:
            self.board.slot(spot, "no Gubs", "soft mid")

    def _place(self, seat: int, slot: int, spot: Spot) -> None:
        state, board = self.state, self.board
        lying = state.colony[seat, slot]
        where = f"{place_name(slot)} of {player_name(seat)}"
        action = self._names_place(seat, slot)
        said = place_words(state.colony[seat, slot])[0]
        if lying[Card.ESTEEMED_ELDER]:
            elder = Item(FACES[Card.ESTEEMED_ELDER], action=action)
            return board.card(spot, elder, where, said)
        on_top = np.flatnonzero(lying[FIRST_BARRICADE:]) + FIRST_BARRICADE
        trapped = lying[FIRST_TRAP:].any()
        face = CAUGHT_GUB if trapped else SAFE_GUB if len(on_top) else FREE_GUB
        markup = board.face(face, spot._replace(seen=0) if len(on_top) else spot)
        board.piece(spot, markup, where, "Gub", action=action, aria_label=said)
        foot, covers = CARD_HEIGHT - 3.0, [Card(k) for k in on_top if k not in RINGS]
        counts = [int(lying[kind]) for kind in covers]
        told = cover_words(covers, counts, spot)
        for at, (kind, count, text) in enumerate(zip(covers, counts, told, strict=True)):
            markup, high = self._cover(kind, at, text, spot, foot)
            board.piece(spot, markup, where, kind.title, count, action)
            foot -= high
        return None

    def _names_place(self, seat: int, slot: int) -> int:
        """Return the action that names a place: of places that look alike, it names the first."""
        state = self.state
        picked = state.target_slot[: state.num_targets][
            state.target_seat[: state.num_targets] == seat
        ]
        first = int(picked.max(initial=-1)) + 1
        alike = np.all(state.colony[seat, :slot] == state.colony[seat, slot], axis=1)
        found = np.flatnonzero(alike[first:])
        return place_action(self._steps(seat), first + int(found[0]) if len(found) else slot)

    def _cover(self, kind: Card, at: int, text: str, spot: Spot, foot: float) -> tuple[str, float]:
        """Return a card that lies on a Gub, and the height of the words on it.

        Args:
            kind: the kind of card.
            at: number of kinds beneath it.
            text: its words (`cover_words`).
            spot: where it is drawn.
            foot: where they end, above those of the kinds beneath it.
        """
        art = WATER if kind >= FIRST_TRAP else SHELTERS.get(kind, ROOF)
        symbol = self.board.symbol(f"on-{slug(kind.title)}", f'<g class="em">{art}</g>')
        lift = f"translate(0 {-11 * at})" if at else None
        colour = COLOURS[kind.kind.type]
        shades = "light" if colour == "bl" else ""
        said = fitted_cover(text, spot, foot - 5, shades)
        high = max(STRIP, _line_of_strip(spot.scale) * said.count("<text"))
        strip = rect(f"strip {colour}", (2, foot - high, 96, high), 5) if said else ""
        return tag("use", href=f"#{symbol}", transform=lift) + strip + said, high * bool(said)

    def _ring(self, seat: int, kind: Card, slots: range, is_first: bool, spots: list[Spot]) -> None:
        """Draw a Ring around the Gubs at some slots, which lie side by side.

        The first part of a Ring bears its name, and each other one is linked to the one above it.
        """
        spot, first, last = spots[slots[0]], slots[0], slots[-1]
        wide, name = (spots[last].x - spot.x) / spot.scale + CARD_WIDTH, ""
        for most in (1, 2) if is_first else ():
            high = RINGED * most
            if name := fitted_words(kind.title, spot.scale, 122, "light", wide - 20, most, high):
                break
        above = _line_of_strip(spot.scale) * max(0, name.count("<text") - 1)
        name = tag("g", name, transform=moved(wide / 2 - 50, 0))
        hoop = rect("hoop", (-3, -3, wide + 6, 146), 14)
        if not is_first:
            over = spots[first - 1]
            x, y = (over.x - spot.x) / spot.scale + 50, (over.y - spot.y) / spot.scale + 143
            hoop += tag("path", class_="hoop", d=f"M{number(x)} {number(y)}L50 -3")
        left, right, middle = "-4", number(wide + 4), number(wide / 2)
        top, bend = number(93 - above), number(110 - above)
        line = f"M{left} {top}Q{middle} {bend} {right} {top}V119Q{middle} 138 {left} 119Z"
        front = tag("path", class_="strip bl", d=line)
        action = self._names_place(seat, first)
        where, title = f"{place_name(first)} of {player_name(seat)}", kind.title
        shown = title if is_first else None
        self.board.piece(spot, hoop + front + name, where, shown, action=action)

    # ------------------------------------------------------------------------------ the middle

    def _middle(self, box: Box) -> None:
        """Draw the middle: deck, card announced, Letters, discard pile."""
        deck, _, letters, offered, heap = self._parts(box)
        if self.state.announced:
            turn = self.places.seats[self._steps(self.state.turn)]
            self.board.thread(turn, self._stage().centre)
        self._deck(deck)
        self._letters(letters)
        self._lay_offered(offered)
        self._heap(heap)
        self._aim()
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
        label = fitting(box.w + 4, plural(count, "card"), str(count))
        label = str(count) if is_low else label
        said = f"The deck, face down: {plural(count, 'card')}"
        self.board.pile(spot, count, "deck", DECK, label, is_low, said)

    def _middle_needs(self, wide: float) -> float:
        return self._least_parts(self._beside_heap(wide)) + 12 if self._offered()[1] else 0

    def _beside_heap(self, wide: float) -> float:
        """Return the width of what lies beside the discard pile in a middle of a width."""
        most = HEAP if self._chooses() else 420.0
        return wide - 12 - LINE_GAP - min(most, max(LEAST_HEAP, 0.4 * wide - 78))

    def _chooses(self) -> bool:
        """Return whether the viewer chooses from cards that are offered."""
        return self.decides and self.state.phase in (Phase.NAME, Phase.MEANT, Phase.ORDER)

    def _least_parts(self, wide: float) -> float:
        """Return the least height of the deck, the Letters and the cards offered in a width."""
        count = len(self._offered()[1])

        def least(here: float) -> tuple[float, float]:
            high = lines_height(count, here, LEAST_PLACE, CARD_WIDTH * LEAST_PLACE + LINE_GAP)
            return LEAST_PARTS if here >= min(LEAST_LINE, wide) else math.inf, OFFERED + high

        return self.halves_height(wide, least)

    def _parts(self, box: Box) -> list[Box]:
        """Return the boxes of the deck, the card announced, the Letters, the cards that are
        offered, and the discard pile.
        """
        if box.h >= max(HIGH * box.w, LEAST_HIGH):
            return self._high_parts(box.inset(6, 6))
        box, wide = box.inset(6, 6), self._beside_heap(box.w)
        _, offered, most = self._offered()
        box, heap = box._replace(w=wide), box.inset((wide + LINE_GAP) / 2, 0)
        heap = heap._replace(x=box.x + wide + LINE_GAP)
        if not offered:
            return [*self._columns(box), box.top(0), heap]

        def first(line: Box) -> float:
            has_room = line.w >= min(LEAST_LINE, wide) and line.h > LEAST_PARTS - 1
            return min(line.h / 170, line.w / 400) * (1 if has_room else 0.1)

        def second(box: Box) -> float:
            scale = grid(len(offered), box.below(OFFERED), most)[0].scale
            return scale * (1 if scale > LEAST_PLACE - 0.001 else 0.1)

        line, rest = self.halves(
            box,
            first,
            second,
            LEAST_PARTS / (self._least_parts(wide) - GAP),
        )
        return [*self._columns(line), rest, heap]

    def _high_parts(self, box: Box) -> list[Box]:
        """Return the boxes of `_parts` in two lines."""
        left, right = columns(box, 1, 2.4 if self._chooses() else 1.75)
        deck, stage = left.top(UPPER * left.h), left.below(UPPER * left.h + 4)
        letters, heap = right.top(UPPER * right.h), right.below(UPPER * right.h + 4)
        offered = right.top(0)
        if self.decides and self.state.phase == Phase.NAME:
            letters, heap = stage.top(0.42 * stage.h), stage.below(0.46 * stage.h)
            offered, stage = right, stage.top(0)
        elif self._chooses():
            offered = right.top(0.6 * right.h)
            letters, heap = columns(right.below(0.6 * right.h + LINE_GAP), 1, 1)
        elif self._offered()[1]:
            offered, heap = columns(heap, 1, 1.3)
        return [deck, stage, letters, offered, heap]

    def _offered(self) -> tuple[tuple[str, ...], list[tuple[Item, str]], float]:
        """Return the cards that the viewer chooses from, or knows at the top of the deck.

        Returns:
            Titles, the longest first, the cards with their places, and the largest scale.
        """
        state, top = self.state, known_top(self.view)
        if self.decides and state.phase == Phase.NAME:
            titles: tuple[str, ...] = ("Cricket Song can stand for", "It can stand for")
            kinds = [(card, "choices") for card in Card if CRICKET_SONG_CAN_BE[card]]
        elif self.decides and state.phase == Phase.MEANT:
            titles = "Which of the cards there?", "Which one?"
            seat, slot = int(state.target_seat[0]), int(state.target_slot[0])
            meant = meant_at(state, seat == self.bottom, seat, slot)
            kinds = [(Card(kind), "choices") for kind in meant]
        elif self.decides and state.phase == Phase.ORDER:
            titles = ("Put back, the top first", "Put back")
            kinds = [(card, "deck, to be put back") for card in top]
        else:
            titles = ("Top of the deck", "Top")
            known = [
                (Item(FACES[card], faded=True), f"deck, number {at} from the top")
                for at, card in enumerate(top, 1)
            ]
            return titles, known, MOST_KNOWN
        named = [(Item(FACES[card], action=card_action(card)), where) for card, where in kinds]
        for at in range(int(state.ordered) if self._chooses() else 0):
            named[at] = named[at][0]._replace(action=None), named[at][1]
        return titles, named, MOST_SCALE

    def _lay_offered(self, box: Box) -> None:
        """Draw the cards that are offered, those framed that have been chosen; words above them."""
        titles, offered, most = self._offered()
        spots = grid(len(offered), box.below(OFFERED), most)
        for spot, (item, where) in zip(spots, offered, strict=True):
            if self._chooses() and item.action is None:
                self.board.spotlight(spot)
            self.board.card(spot, item, where)
        if offered:
            title = fitting(box.w, *titles)
            self.board.text(box.centre[0], box.y + 12, title, "soft hot mid clear")

    def _columns(self, box: Box) -> tuple[Box, ...]:
        """Return the boxes of the deck, the card announced and the Letters in a line."""
        most, room = max(0.45, min(1.0, box.h / 170)), box.w - GAP
        deck_wide, wide, stage_wide = max(LEAST_DECK, 110 * most), 250 * most, 120 * most
        wide = max(wide, min(440, 0.5 * box.w))
        scale = min(1.0, room / (deck_wide + wide + stage_wide))
        wide = max(LEAST_LETTERS, scale * wide)
        deck_wide = min(max(scale * deck_wide, LEAST_DECK), room - wide - LEAST_STAGE)
        stage_wide = min(stage_wide, room - wide - deck_wide)
        return tuple(centred(box, deck_wide, stage_wide, wide))

    def _letters(self, box: Box) -> None:
        """Draw the Letters that are open, and what is known of the others."""
        state, board = self.state, self.board
        said = letter_lines(self.view, is_current=True)
        bar = 24 if letter_ranges(self.view) else 0
        slots, aside, line = box, box, 15
        if box.w > LEAST_ASIDE and said:
            slots, aside = columns(box, 1.2, 1)
        lines = [part for each in said for part in wrapped(f"{each}.", 12, aside.w)]
        under = 0 if aside is not box else 6 + line * len(lines)
        if box.h - bar - under < LEAST_EXPLAINED * (slots is box) or line * len(lines) > box.h:
            lines, under = [], 0
        size = min(0.8, (slots.w - 12) / 300, (slots.h - bar - under) / CARD_HEIGHT)
        wide, high = 300 * size + 12, 140 * size + bar + under
        x, y = slots.centre[0] - wide / 2, slots.y + (slots.h - high) / 2
        for at, (card, is_open) in enumerate(zip(LETTERS, state.letters, strict=True)):
            spot = Spot(x + (100 * size + 6) * at, y, size)
            if is_open:
                board.card(spot, Item(FACES[card]), "Letters")
            else:
                style = "faint glyph" if size > LEAST_PLACE else "faint"
                board.slot(spot, card.title[-1], style)
        self._ranges(Box(x, y + 140 * size + 9, wide, 8), slots)
        if aside is box:
            board.lines(box.centre[0], y + 140 * size + bar + 16, lines, "soft mid clear", line)
        else:
            top = aside.centre[1] - line * len(lines) / 2 + 11
            board.lines(aside.x, top, lines, "soft clear", line)
        about = ["The Letters"] + [DECK_BAR] * bool(bar) + said
        self._say(Box(x, y, wide, high), ". ".join(about))

    def _heap(self, box: Box) -> None:
        """Draw the discard pile: its cards, or in a narrow box, a heap with their number."""
        heap, board, where = items(self.state.discard_pile), self.board, "discard pile"
        count = sum(item.number for item in heap)
        titles = f"Discard pile: {count}", f"Discards: {count}"

        def lies(item: Item) -> float:
            return float(len(item.face.name) * 37 % 9 - 4)

        if box.h > LEAST_HIGH_DECK and (title := fitting(box.w, *titles, "")):
            board.text(box.x, box.y + 12, title, "soft clear")
            things, sizes = board.things(heap, where, lies), (SMALL_SCALES[-1], 0.6)
            board.lay(box.below(22), things, where, sizes)
            return
        (spot,) = grid(1, box.inset(6, 3).top(box.h - 22), 0.6)
        if not heap:
            board.slot(spot, "", "soft mid")
        heap.sort(key=lambda item: item.number)  # by number, so that none looks like the last one
        for item in heap[-HEAPED:]:
            turned = spot._replace(turn=3 * lies(item))
            is_counted = item is heap[-1] and spot.scale > LEAST_PLACE
            board.card(turned, item, where, has_badge=is_counted)
        names = [counted_name(item.face.name, item.number) for item in heap[::-1]]
        title, under = fitting(box.w, *titles, str(count)), spot.y + 140 * spot.scale + 16
        board.text(spot.centre[0], under, title, "count clear")
        self._say(box, f"Discard pile, by kind: {', '.join(names) or 'empty'}")

    def _say(self, box: Box, about: str) -> None:
        """Let a part of the table be asked about."""
        ground = rect("ground", box, 0)
        self.board.add(tag("g", ground, data_said=about, aria_label=about))

    def _ranges(self, bar: Box, room: Box) -> None:
        """Draw the ranges of the deck in which the Letters can lie on a bar, its top at the left,
        with words at its ends if the room is wide enough.
        """
        size, ranges = int(self.state.deck_size), letter_ranges(self.view)
        if not ranges:
            return
        left, right = (width_of(end, 12) + 6 for end in BAR_ENDS)
        if (wide := min(bar.w, room.w - left - right)) >= LEAST_BAR:
            bar = bar._replace(x=room.centre[0] + (left - right - wide) / 2, w=wide)
            self.board.text(bar.x - left, bar.y + 8, BAR_ENDS[0], "soft clear")
            self.board.text(bar.x + wide + right, bar.y + 8, BAR_ENDS[1], "soft end clear")
        shapes = rect("scale", bar, 4)
        for first, last in ranges:
            start, end = (bar.x + at / size * bar.w for at in (first - 1, last))
            cards = {"x": start, "width": max(6, end - start)}
            shapes += tag("rect", class_="range", y=bar.y - 2, height=12, rx=4, **cards)
        self.board.add(tag("g", shapes, class_="ranges"))

    # ------------------------------------------------------------------------ the card announced

    def _stage(self) -> Spot:
        """Return where the card announced lies."""
        column = self._parts(self.places.middle)[1]
        size = min(1.1, (column.h - 40) / CARD_HEIGHT, (column.w - 16) / CARD_WIDTH)
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
        if stage.scale <= 0:
            return
        board.spotlight(stage, bool(state.announced))
        if not state.announced:
            x, y = stage.centre
            if 100 * stage.scale > width_of("nothing", 12):
                board.lines(x, y - 3, ("nothing", "in play"), "soft mid")
            return
        played_as = Card(state.played_as).title if state.played_as != state.played else None
        board.card(stage, Item(FACES[Card(state.played)]), "table", said, played_as=played_as)
        if played_as:
            under = stage.y + 142 * stage.scale + 18
            board.text(stage.centre[0], under, f"as {played_as}", "count clear")


def cover_words(kinds: list[Card], counts: list[int], spot: Spot) -> list[str]:
    """Return the words on the cards of some kinds that lie on a Gub: their names, or if these do
    not all fit, the number of all cards on the topmost.
    """
    parted = (PARTED.get(kind, kind.title) for kind in kinds)
    names = [counted_name(*each) for each in zip(parted, counts, strict=True)]
    if sum(counts) < 2 or all(fitted_cover(name, spot) for name in names):
        return names
    return [""] * (len(kinds) - 1) + [f"×{sum(counts)}"]


def fitted_cover(text: str, spot: Spot, foot: float = 0, style: str = "") -> str:
    """Return words on a card that lies on a Gub, in one line or two; "" if they do not fit."""
    tried = (
        fitted_words(text, spot.scale, foot, style, most=most, high=COVERED, seen=spot.seen)
        for most in (1, 2)
    )
    return next(filter(None, tried), "") if text else ""


def _line_of_strip(scale: float) -> float:
    """Return the height of each of two lines of the name of a card that lies on a Gub."""
    return max(NAME_SIZE, LEAST_SIZE / scale) + 3


def grown(size: int) -> int:
    """Return the size up to which a colony keeps its rows while it grows."""
    return next((each for each in GROWN if each >= size), size)


def first_of(count: int, spots: list[Spot]) -> list[Spot]:
    """Return spots of the first cards of some rows, which do not overlap more than they need to."""
    found: list[Spot] = []
    for _, line in groupby(spots, key=lambda spot: spot.y):
        row = [*line]
        here, wide = min(len(row), count - len(found)), row[0].scale * CARD_WIDTH
        step = min(wide + LINE_GAP, (row[-1].x - row[0].x) / max(1, here - 1))
        seen = [min(1.0, step / wide)] * (here - 1) + [1.0]
        found += [row[0]._replace(x=row[0].x + step * k, seen=seen[k]) for k in range(here)]
    return found


def together(places: Any) -> Iterator[range]:
    """Yield the slots of a colony that lie together: those in a Ring, and each other one alone."""
    slot = 0
    while slot < len(places):
        held = [ring.kind.places for ring in RINGS if places[slot, ring]]
        yield range(slot, slot := slot + max(held, default=1))


def ring_runs(places: Any, spots: list[Spot]) -> Iterator[tuple[Card, range, bool]]:
    """Yield the Rings of a colony: each with its slots in one row, and whether they are its first.

    A Ring whose Gubs lie in two rows comes in two parts.
    """
    for slots in together(places):
        kind = next((ring for ring in RINGS if places[slots[0], ring]), None)
        if kind is not None:
            for _, row in groupby(slots, key=lambda slot: spots[slot].y):
                part = [*row]
                yield kind, range(part[0], part[-1] + 1), part[0] == slots[0]


draw = GubsTable.draw
