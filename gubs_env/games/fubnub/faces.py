"""The faces of the cards of FUBNUB: number cards, point cards and action cards."""

from __future__ import annotations

from gubs_env.drawing.action_emblems import ACTION_EMBLEMS
from gubs_env.drawing.cards import Face
from gubs_env.games.fubnub.cards import (
    NUM_CARDS,
    NUMBER_TITLES,
    POINT_CARDS,
    VALUES,
    ActionCard,
    Colour,
    PointCard,
)

GHOST = (
    '<path class="pa" d="M-21 28V-6A21 21 0 0 1 21-6V28L14 20 7 28 0 20-7 28-14 20Z"/><ellipse '
    'class="pe ns" cx="-8" cy="-6" rx="3.500" ry="5.500"/><ellipse class="pe ns" cx="8" cy="-6" '
    'rx="3.500" ry="5.500"/><path class="no" d="M-5 7Q0 11 5 7"/>'
)
"""The figure of a ghost."""
STYLES = {Colour.RED: "ve", Colour.PURPLE: "pu", Colour.GREEN: "gr", Colour.GOLD: "ye"}
"""The class of each colour of number cards."""
SHAPES = {
    Colour.RED: "M0-8 8 0 0 8-8 0Z",
    Colour.PURPLE: "M-6-6H6V6H-6Z",
    Colour.GREEN: "M0-8 8 6H-8Z",
    Colour.GOLD: "M0-8l2.5 5 5.5.7-4 3.8 1 5.5-5-2.6-5 2.6 1-5.5-4-3.8 5.5-.7Z",
}
"""A shape for each colour, so that nobody has to see the colour."""
PIPS = {
    1: ((0, 0),),
    2: ((-11, -11), (11, 11)),
    3: ((-14, -14), (0, 0), (14, 14)),
    4: ((-12, -12), (12, -12), (-12, 12), (12, 12)),
    5: ((-14, -14), (14, -14), (0, 0), (-14, 14), (14, 14)),
    6: ((-12, -17), (12, -17), (-12, 0), (12, 0), (-12, 17), (12, 17)),
}
"""Where the shapes of a value lie, as on a die."""


def shape(colour: Colour, x: float, y: float, scale: float = 1) -> str:
    at = f"translate({x} {y}) scale({scale})"
    return f'<path class="{STYLES[colour]} sh" transform="{at}" d="{SHAPES[colour]}"/>'


def number_face(card: int) -> Face:
    """Return the front of a number card: its value large, below its shape, and as shapes.

    Of a card on which another one lies, the value and the shape above it are seen.
    """
    colour, value = Colour(card // VALUES), card % VALUES + 1
    pips = "".join(shape(colour, x * 0.8 + 15, y * 0.95 - 3) for x, y in PIPS[value])
    index = f'<text class="glyph value" x="-31" y="18">{value}</text>{shape(colour, -31, -25, 0.8)}'
    return Face(NUMBER_TITLES[card], colour.name.capitalize(), STYLES[colour], index + pips)


def point_face(card: PointCard) -> Face:
    """Return the front of a point card: the values or colours that it favours."""
    if card.values:
        step = 22 if len(card.values) > 1 else 0
        left = -step * (len(card.values) - 1) / 2
        size = "some" if step else "one"
        emblem = '<circle class="sk" r="29"/>' if not step else ""
        emblem += "".join(
            f'<text class="glyph {size}" x="{left + step * k:g}" y="{12 if step else 17}">{value}'
            "</text>"
            for k, value in enumerate(card.values)
        )
    else:
        step = 30
        left = -step * (len(card.colours) - 1) / 2
        emblem = "".join(
            shape(colour, left + step * k, 0, 2.8 if len(card.colours) == 1 else 1.7)
            for k, colour in enumerate(card.colours)
        )
    return Face(card.title, "Point card", "sk", emblem)


NUMBERS = tuple(number_face(card) for card in range(NUM_CARDS))
POINTS = tuple(point_face(card) for card in POINT_CARDS)
ACTIONS = {
    card: Face(card.title, "Action", "or", ACTION_EMBLEMS[card.title]) for card in ActionCard
}
