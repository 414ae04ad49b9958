"""The colours and fonts of all pictures, as one style sheet.

The colours of cards are those of Okabe and Ito, which people with any colour vision can tell apart.
Each is a CSS variable, so that one drawing serves a light page, a dark page and paper.
"""

from __future__ import annotations

import re

OKABE_ITO = {
    "or": "#e69f00",
    "sk": "#56b4e9",
    "gr": "#009e73",
    "ye": "#f0e442",
    "bl": "#0072b2",
    "ve": "#d55e00",
    "pu": "#cc79a7",
}
"""The colours of cards, by the class that fills a shape with them."""
LIGHT = OKABE_ITO | {
    "felt": "#1d4a3a",
    "glade": "#2b6450",
    "rim": "#7a5230",
    "grain": "#4a2f1a",
    "mat": "#17402f",
    "line": "#3f7f68",
    "ink": "#f8f4e8",
    "soft": "#c9dccf",
    "hot": "#ffd27a",
    "glow": "#4d4a1e",
    "tray": "#0d2b1f",
    "shade": "#06140e",
    "paper": "#fffdf7",
    "pen": "#141417",
    "light": "#ffffff",
    "back": "#2d5680",
    "weave": "#8fb4d6",
    "gone": "#27382f",
}
"""The colours of a table of green cloth with a rim of wood."""
DARK = LIGHT | {
    "felt": "#122c22",
    "glade": "#1b4132",
    "rim": "#4d3420",
    "grain": "#2a1b10",
    "mat": "#0e241b",
    "line": "#2f5f4d",
    "ink": "#f1eee3",
    "soft": "#b9cbc0",
    "glow": "#3c3a18",
    "tray": "#081710",
    "paper": "#f1ede2",
    "back": "#264a70",
    "weave": "#7b9fc2",
    "gone": "#1c2822",
}
PRINT = LIGHT | {
    **dict.fromkeys(("felt", "glade", "mat", "glow", "shade"), "#ffffff"),
    "rim": "#999999",
    "grain": "#999999",
    "line": "#999999",
    "ink": "#22272b",
    "soft": "#545b60",
    "hot": "#a84300",
    "tray": "#f2f2f2",
    "gone": "#f2f2f2",
}
CONTRAST = LIGHT | {
    **dict.fromkeys(("felt", "glade", "mat", "tray", "shade", "glow", "gone"), "#000000"),
    **dict.fromkeys(("rim", "grain", "line", "ink", "soft", "paper", "weave"), "#ffffff"),
    "hot": "#ffe066",
    "pen": "#000000",
    "back": "#00366b",
}
"""The colours for people who prefer more contrast."""

FONTS = 'Nunito,ui-rounded,"Segoe UI",system-ui,"Gubs Sans","DejaVu Sans",sans-serif'
RULES = """
.em,.em path,.em circle,.em ellipse,.em rect{stroke:var(--pen);stroke-width:2.5;
stroke-linejoin:round;stroke-linecap:round}
.or{fill:var(--or)}.sk{fill:var(--sk)}.gr{fill:var(--gr)}.ye{fill:var(--ye)}
.bl{fill:var(--bl)}.ve{fill:var(--ve)}.pu{fill:var(--pu)}
.pa{fill:var(--paper)}.pe{fill:var(--pen)}.no{fill:none}.ground{fill:none;pointer-events:all}
.em .ns{stroke:none}.em .th{stroke-width:5}.em .sh{stroke-width:1.6}
.em .lb{stroke:var(--bl);stroke-width:6}.em .hi{stroke:var(--paper);stroke-width:2}
.frame{fill:none;stroke:var(--pen);stroke-width:2}
.band{stroke:none}
.type{fill:var(--pen);font-size:13px;font-weight:700;text-anchor:middle}
.small{font-size:16px}
.name{fill:var(--pen);font-weight:700;text-anchor:middle}
.upright{paint-order:stroke;stroke:var(--paper);stroke-width:3px}
.type.light,.name.light{fill:var(--light)}
.back{fill:var(--back)}
.weave{fill:none;stroke:var(--weave);stroke-width:3.4;stroke-linecap:round}
.badge{fill:var(--pen)}
.times{fill:var(--paper);font-size:16.5px;font-weight:700;text-anchor:middle}
.water{fill:var(--bl);fill-opacity:.6}
.strip{stroke:var(--pen);stroke-width:2}
.hoop{fill:none;stroke:var(--bl);stroke-width:7}
.rim{stroke:var(--grain);stroke-width:1.5}.wood{stop-color:var(--rim)}.knot{stop-color:var(--grain)}
.lit{stop-color:var(--glade)}.dim{stop-color:var(--felt)}
.thread{stroke:var(--ink);stroke-opacity:.045;stroke-width:1}
.shade{fill:var(--shade);opacity:.42}
.mat{fill:var(--mat);fill-opacity:.82;stroke:var(--line);stroke-width:1.5}
.mat.turn{stroke:var(--hot);stroke-width:3.5}
.mat.out{fill:var(--gone)}
.title,.count,.sentence{fill:var(--ink)}
.title{font-size:15px;font-weight:700}
.soft{fill:var(--soft);font-size:12px}.score{fill:var(--ink);font-size:20px;font-weight:700}
.hot{fill:var(--hot);font-weight:700}
.glyph{font-size:40px;font-weight:700;text-anchor:middle;stroke:none}
.glyph.some{font-size:27px}.glyph.one{font-size:46px}.em .glyph{fill:var(--pen)}
.faint.glyph{font-size:26px}
.count{font-size:13px;font-weight:700;text-anchor:middle}
.tray{fill:var(--tray);stroke:none;opacity:.6}
.slot{fill:none;stroke:var(--soft);stroke-width:2;stroke-dasharray:6 5}
.faint{fill:var(--soft);font-weight:700;text-anchor:middle}
.say{fill:var(--tray);stroke:var(--line);stroke-width:1.5}
.say.own{fill:var(--glow);stroke:var(--hot);stroke-width:2.5}
.sentence{font-size:17px;font-weight:700;text-anchor:middle}
.sentence.long{font-size:14px}.sentence.longest{font-size:12px}
.from{fill:none;stroke:var(--hot);stroke-width:3;stroke-dasharray:2 7;stroke-linecap:round}
.halo{fill:none;stroke:var(--mat);stroke-width:11;stroke-linecap:round;stroke-opacity:.75}
.arrow{fill:none;stroke:var(--hot);stroke-width:5;stroke-linecap:round}
.tip{fill:var(--hot)}
.scale{fill:var(--tray);stroke:var(--soft);stroke-width:1.5}
.range{fill:var(--ye);stroke:var(--pen);stroke-width:1.2}
.way{fill:none;stroke:var(--soft);stroke-opacity:.45;stroke-width:5;
stroke-dasharray:1 11;stroke-linecap:round}
.tip.way{fill:var(--soft);stroke:none}
.clear{paint-order:stroke;stroke:var(--felt);stroke-width:4;stroke-linejoin:round}
.head .line{paint-order:stroke;stroke:var(--mat);stroke-opacity:.8;stroke-width:4;
stroke-linejoin:round}
.veil{fill:var(--glade);opacity:.42}
.stage{fill:var(--glow);stroke:var(--hot);stroke-width:2}
.inlay{fill:var(--tray);fill-opacity:.35;stroke:var(--line);stroke-width:1.5}
.end{text-anchor:end}.mid{text-anchor:middle}.start{text-anchor:start}
""".strip()


def variables(palette: dict[str, str]) -> str:
    """Return the declarations of a palette as CSS variables."""
    return ";".join(f"--{name}:{colour}" for name, colour in palette.items())


def _sheet() -> str:
    root = f"{{{variables(LIGHT)};font:12px {FONTS};fill:var(--ink)}}"

    def changed(palette: dict[str, str]) -> str:
        return variables({name: value for name, value in palette.items() if name in varying})

    varying = {
        name for name in LIGHT for other in (DARK, PRINT, CONTRAST) if other[name] != LIGHT[name]
    }
    return (
        f".gt{root}{_named(RULES)}"
        f"@media (prefers-color-scheme:dark){{.gt{{{changed(DARK)}}}}}"
        f"[data-theme=dark] .gt,[data-jp-theme-light=false] .gt{{{changed(DARK)}}}"
        f"[data-theme=light] .gt,[data-jp-theme-light=true] .gt{{{changed(LIGHT)}}}"
        f"@media (prefers-contrast:more){{.gt{{{changed(CONTRAST)}}}}}"
        f"@media print{{.gt{{{changed(PRINT)}}}}}"
    )


def _named(rules: str) -> str:
    """Return rules with the prefix of pictures before the names of classes."""
    return re.sub(r"[.](?=[a-z])", ".gt-", rules.replace("\n", ""))


SHEET = _sheet()
"""The style sheet of every picture.

Its classes are `gt` and names that begin with `gt-`, so that it affects nothing else on a page. No
selector inside a symbol names an ancestor outside of it: browsers match symbols by themselves.
"""


def prefixed(markup: str) -> str:
    """Return markup with the prefix of pictures before the names of its classes."""
    return re.sub(r' class="([^"]*)"', _with_prefix, markup)


def _with_prefix(match: re.Match[str]) -> str:
    return f' class="gt-{match[1].replace(" ", " gt-")}"'


def with_colours(svg: str, palette: dict[str, str]) -> str:
    """Return a picture with the colours of a palette in place of CSS variables."""
    return re.sub(r"var\(--(\w+)\)", lambda match: palette[match[1]], svg)
