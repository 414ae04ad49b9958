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
    "felt": "#dfe9e1",
    "rim": "#c3d3c8",
    "mat": "#fbfaf5",
    "line": "#cfd6cf",
    "ink": "#22272b",
    "soft": "#545b60",
    "hot": "#a84300",
    "glow": "#fff1d6",
    "paper": "#fffdf7",
    "pen": "#141417",
    "light": "#ffffff",
    "back": "#3f5f7d",
    "weave": "#86a5c0",
    "gone": "#e9ece8",
}
DARK = LIGHT | {
    "felt": "#1b2520",
    "rim": "#0f1613",
    "mat": "#26312b",
    "line": "#3d4a43",
    "ink": "#f1f3ee",
    "soft": "#b9c3bc",
    "hot": "#ffb26b",
    "glow": "#43371f",
    "paper": "#f1ede2",
    "back": "#34506b",
    "weave": "#7393ae",
    "gone": "#202923",
}
PRINT = LIGHT | {"felt": "#fff", "rim": "#999", "mat": "#fff", "glow": "#fff", "gone": "#f4f4f4"}

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
.type{fill:var(--pen);font-size:12px;font-weight:700;letter-spacing:.04em;text-anchor:middle}
.name{fill:var(--pen);font-weight:700;text-anchor:middle}
.type.light,.name.light{fill:var(--light)}
.type.long{font-size:10px;letter-spacing:0}.n1{font-size:15.5px}.n2{font-size:13.5px}.n3{font-size:12px}.n4{font-size:11px}
.back{fill:var(--back);stroke:var(--pen);stroke-width:2}
.weave{fill:none;stroke:var(--weave);stroke-width:3.4;stroke-linecap:round}
.badge{fill:var(--pen)}
.times{fill:var(--paper);font-size:16.5px;font-weight:700;text-anchor:middle}
.water{fill:var(--bl);fill-opacity:.6}
.strip{stroke:var(--pen);stroke-width:2}
.hoop{fill:none;stroke:var(--bl);stroke-width:7}
.felt{fill:var(--felt);stroke:var(--rim);stroke-width:6}
.mat{fill:var(--mat);stroke:var(--line);stroke-width:1.5}
.mat.turn{stroke:var(--hot);stroke-width:3.5}
.mat.out{fill:var(--gone)}
.title,.count,.sentence{fill:var(--ink)}
.title{font-size:15px;font-weight:700}
.soft{fill:var(--soft);font-size:12px}.score{fill:var(--ink);font-size:26px;font-weight:700}
.hot{fill:var(--hot);font-weight:700}
.glyph{font-size:40px;font-weight:700;text-anchor:middle;stroke:none}
.glyph.some{font-size:27px}.glyph.one{font-size:46px}.em .glyph{fill:var(--pen)}
.faint.glyph{font-size:26px}
.count{font-size:13px;font-weight:700;text-anchor:middle}
.tray{fill:var(--felt);stroke:none;opacity:.7}
.slot{fill:none;stroke:var(--soft);stroke-width:2;stroke-dasharray:6 5}
.faint{fill:var(--soft);font-weight:700;text-anchor:middle}
.pill{fill:var(--paper);stroke:var(--line);stroke-width:1}
.chip{fill:var(--pen);font-size:11px}
.faded{opacity:.62}
.say{fill:var(--mat);stroke:var(--line);stroke-width:1.5}
.say.own{fill:var(--glow);stroke:var(--hot);stroke-width:2.5}
.sentence{font-size:17px;font-weight:700;text-anchor:middle}
.sentence.long{font-size:14px}
.from{fill:none;stroke:var(--hot);stroke-width:3;stroke-dasharray:2 7;stroke-linecap:round}
.halo{fill:none;stroke:var(--mat);stroke-width:11;stroke-linecap:round;stroke-opacity:.75}
.arrow{fill:none;stroke:var(--hot);stroke-width:5;stroke-linecap:round}
.tip{fill:var(--hot)}
.scale{fill:var(--back);stroke:none}
.range{fill:var(--ye);stroke:var(--pen);stroke-width:1.2}
.way{fill:none;stroke:var(--soft);stroke-opacity:.45;stroke-width:5;
stroke-dasharray:1 11;stroke-linecap:round}
.tip.way{fill:var(--soft);stroke:none}
.clear{paint-order:stroke;stroke:var(--felt);stroke-width:4;stroke-linejoin:round}
.veil{fill:var(--mat);opacity:.45}
.stage{fill:var(--glow);stroke:var(--hot);stroke-width:2}
.end{text-anchor:end}.mid{text-anchor:middle}.start{text-anchor:start}
""".strip()


NARROW = """
.who{font-size:27px;transform:translateY(3px)}.mark{transform:translateY(4px)}.spare{display:none}
.sentence,.sentence.long{font-size:var(--fit,27px);transform:translate(var(--aside,0px),3px)}
""".strip()
"""The rules for phones, where a picture is drawn at a third of its size.

Names and the sentence are drawn larger, and texts that leave no room for them are hidden.
"""
PHONE = 700
"""Largest width of a page that counts as a phone's, in pixels."""


def variables(palette: dict[str, str]) -> str:
    """Return the declarations of a palette as CSS variables."""
    return ";".join(f"--{name}:{colour}" for name, colour in palette.items())


def _sheet() -> str:
    root = f"{{{variables(LIGHT)};font:12px {FONTS};fill:var(--ink)}}"
    light = {name: value for name, value in LIGHT.items() if DARK[name] != value}
    dark = variables({name: DARK[name] for name in light})
    return (
        f".gt{root}{_named(RULES)}@media (max-width:{PHONE}px){{{_named(NARROW)}}}"
        f"@media (prefers-color-scheme:dark){{.gt{{{dark}}}}}"
        f"[data-theme=dark] .gt,[data-jp-theme-light=false] .gt{{{dark}}}"
        f"[data-theme=light] .gt,[data-jp-theme-light=true] .gt{{{variables(light)}}}"
        f"@media print{{.gt{{{variables(light | PRINT)}}}}}"
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
