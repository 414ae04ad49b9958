"""The colours of pictures: text can be read, and types can be told apart, on light and on dark."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gubs_env.drawing.style import CONTRAST, DARK, LIGHT, OKABE_ITO, PRINT, SHEET, prefixed

PAIRS = [
    *(("ink", ground) for ground in ("felt", "glade", "mat", "tray", "gone", "glow")),
    *(("soft", ground) for ground in ("felt", "glade", "mat", "tray", "gone")),
    *(("hot", ground) for ground in ("felt", "glade", "mat", "gone")),
    *(("pen", "paper"), ("light", "bl")),
    *(("pen", colour) for colour in OKABE_ITO if colour != "bl"),
]
"""(text, ground): the colours of all texts."""


def luminance(colour):
    """Return the relative luminance of a colour, after WCAG 2."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = np.array([int(digits[k : k + 2], 16) for k in (0, 2, 4)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


@pytest.mark.parametrize(
    "palette", [LIGHT, DARK, PRINT, CONTRAST], ids=["light", "dark", "print", "contrast"]
)
def test_text_and_the_deck_below_the_letters_stand_out_from_their_ground(palette):
    (edge,) = re.findall(r"[.]gt-scale{[^}]*stroke:var[(]--(\w+)", SHEET)
    for text, ground in {*PAIRS, (edge, "felt"), (edge, "glade")}:
        low, high = sorted(luminance(palette[name]) for name in (text, ground))
        assert (high + 0.05) / (low + 0.05) >= 4.5, f"{text} on {ground}"


def test_the_style_sheet_concerns_pictures_only():
    """Check that each selector names a class of pictures."""
    for rule in re.sub(r"@media[^{]*{", "", SHEET).split("}"):
        if selectors := rule.partition("{")[0]:
            assert all(".gt" in selector for selector in selectors.split(",")), selectors
    assert prefixed('<g class="card faded"/>') == '<g class="gt-card gt-faded"/>'
