"""The emblems of the cards of Gubs, and the pictures of Gubs in a colony, as plain shapes.

Emblems lie around (0, 0), within 30 units. The classes are those of `gubs_env/drawing/style.py`.
"""

from __future__ import annotations

from gubs_env.games.gubs.cards import Card, CardType

COLOURS = {
    CardType.GUB: "or",
    CardType.BARRICADE: "gr",
    CardType.TRAP: "bl",
    CardType.HAZARD: "ve",
    CardType.TOOL: "sk",
    CardType.TOOL_OR_HAZARD: "sk",
    CardType.INTERRUPT: "pu",
    CardType.WILD: "pu",
    CardType.EVENT: "ye",
}
"""The colour of each type of card."""
SECOND_COLOURS = {CardType.TOOL_OR_HAZARD: "ve", CardType.WILD: "or"}
"""The second colour of the types that are two things at once."""
HAMMER = "M5 5H20V11H15V23H10V11H5Z"
MARKS = {
    CardType.BARRICADE: "M14 4 23 7V13Q23 21 14 25 5 21 5 13V7Z",
    CardType.TRAP: "M14 4A10 10 0 0 1 14 24 10 10 0 0 1 14 4ZM14 9A5 5 0 0 0 14 19 5 5 0 0 0 14 9Z",
    CardType.HAZARD: "M14 5 24 23H4Z",
    CardType.TOOL: HAMMER,
    CardType.TOOL_OR_HAZARD: f"{HAMMER}M86 5 96 23H76Z",
    CardType.INTERRUPT: "M6 5H12V23H6ZM16 5H22V23H16Z",
    CardType.WILD: "M14 3 17 10 24 10 19 15 21 23 14 18 7 23 9 15 4 10 11 10Z",
    CardType.EVENT: "M11 4H17L16 17H12ZM11.5 19H16.5V24H11.5Z",
}
"""The mark of each type of card but Gubs: a shield, a ring, a triangle, a hammer, both, a pause, a
star and an exclamation mark.
"""

BODY = (
    '<path class="or" d="M-21 25C-25-2-17-25 0-25S25-2 21 25Q16 30 11 26 5 30 0 26-5 30-11 26-16 '
    '30-21 25Z"/><path class="gr sh" d="M0-25Q-3-35-12-35-10-27 0-25Q3-35 12-35 10-27 0-25Z"/>'
    '<circle class="ve ns" cx="-13" cy="6" r="3.5" opacity=".55"/>'
    '<circle class="ve ns" cx="13" cy="6" r="3.5" opacity=".55"/>'
)
EYES = (
    '<circle class="pa sh" cx="-8" cy="-6" r="6.5"/><circle class="pa sh" cx="8" cy="-6" r="6.5"/>'
    '<circle class="pe ns" cx="{left}" cy="{down}" r="3"/>'
    '<circle class="pe ns" cx="{right}" cy="{down}" r="3"/>'
)
SMILE = '<path class="no" d="M-7 9Q0 17 7 9"/>'
ARMS = '<path class="no" d="M-21 4Q-29 0-29-9M21 4Q29 0 29-9"/>'
FREE = ARMS + BODY + EYES.format(left=-7, right=9, down=-5) + SMILE
SAFE = BODY + '<path class="no" d="M-13-5Q-8-11-3-5M3-5Q8-11 13-5M-5 9Q0 13 5 9"/>'
CAUGHT = (
    BODY
    + EYES.format(left=-8, right=8, down=-8)
    + '<path class="no" d="M-15-14l8-4M15-14l-8-4M-7 14Q-4 9 0 12T7 12"/>'
)
ELDER = (
    '<path class="or" d="M-21 25C-25-2-17-25 0-25S25-2 21 25Q16 30 11 26 5 30 0 26-5 30-11 26-16 '
    '30-21 25Z"/><path class="bl" d="M-17-18 3-38 17-18Q0-24-17-18Z"/>'
    '<circle class="ye sh" cx="3" cy="-38" r="4"/>'
    '<path class="pa" d="M-16 3Q-8-2 0 3 8-2 16 3 15 24 0 31-15 24-16 3Z"/>'
    '<circle class="pa sh" cx="-8" cy="-7" r="6.5"/><circle class="pa sh" cx="8" cy="-7" r="6.5"/>'
    '<path class="no sh" d="M-1.5-7h3M-5 8Q0 12 5 8"/>'
    '<circle class="pe ns" cx="-7" cy="-6" r="2.5"/>'
    '<circle class="pe ns" cx="7" cy="-6" r="2.5"/>'
)
DOTS = (
    '<circle class="pa ns" cx="-11" cy="-9" r="4"/><circle class="pa ns" cx="3" cy="-14" r="5"/>'
    '<circle class="pa ns" cx="14" cy="-6" r="3"/>'
)
HOOK = (
    '<path class="no th" d="M6-28V8A11 11 0 0 1-16 8V0"/><path class="no" d="M-22 5l6-7 6 7"/>'
    '<circle class="no" cx="6" cy="-27" r="4"/>'
)
STAR = "M0-14l4 9 10 1-7 7 2 10-9-5-9 5 2-10-7-7 10-1Z"
NOTE = '<ellipse class="pe" cx="{x}" cy="{y}" rx="6" ry="4.5"/>'
EMBLEMS = {
    Card.GUB: FREE,
    Card.ESTEEMED_ELDER: f'<g transform="translate(0 -1) scale(.88)">{ELDER}</g>',
    Card.MUSHROOM: '<path class="pa" d="M-8-2Q-5 14-10 27H10Q5 14 8-2Z"/>'
    '<path class="gr" d="M-28 2Q-25-27 0-27T28 2Q0-8-28 2Z"/>' + DOTS,
    Card.TOAD_RIDER: '<path class="or" d="M-7-13Q-9-30 0-30T7-13Z"/>'
    '<path class="gr" d="M-28 20Q-30-6-16-10Q0-16 16-10 30-6 28 20 22 28 14 20L-14 20Q-22 28-28 20'
    'Z"/><circle class="pa" cx="-14" cy="-10" r="6"/><circle class="pa" cx="14" cy="-10" r="6"/>'
    '<path class="no" d="M-16 6Q0 16 16 6"/><path class="pe" d="M-14-10h.1M14-10h.1"/>',
    Card.VELVET_MOTH: '<path class="pu" d="M0-4C-10-30-32-24-28-6-26 4-12 4-6 4-20 6-22 24-10 24-3 '
    '24 0 12 0 4 0 12 3 24 10 24 22 24 20 6 6 4 12 4 26 4 28-6 32-24 10-30 0-4Z"/>'
    '<ellipse class="gr" cy="2" rx="4" ry="16"/><path class="no sh" d="M-2-13Q-6-24-12-27M2-13Q6'
    '-24 12-27"/><circle class="pa sh" cx="-18" cy="-8" r="4"/>'
    '<circle class="pa sh" cx="18" cy="-8" r="4"/>',
    Card.SUD_SPOUT: '<path class="sk" d="M-5 26C-4 4-8-4-22-4-28-4-28 4-22 4-22-18-4-20 0-10 4-20 '
    '22-18 22 4 28 4 28-4 22-4 8-4 4 4 5 26Z"/>'
    '<path class="bl" d="M-27 26Q-18 16-9 24 0 16 9 24 18 16 27 26Z"/>'
    '<circle class="sk sh" cx="-12" cy="-22" r="3.5"/><circle class="sk sh" cx="13" cy="-24" '
    'r="4.5"/>',
    Card.SINGLE_RING: '<ellipse class="no lb" cx="0" cy="0" rx="20" ry="20"/>'
    '<path class="no hi" d="M-16-10A19 19 0 0 1-4-19"/>',
    Card.DOUBLE_RING: '<ellipse class="no lb" cx="-10" cy="0" rx="16" ry="16"/>'
    '<ellipse class="no lb" cx="10" cy="0" rx="16" ry="16"/>'
    '<path class="no hi" d="M-24-7A16 16 0 0 1-14-15"/>',
    Card.TRIPLE_RING: '<ellipse class="no lb" cx="-13" cy="9" rx="14" ry="14"/>'
    '<ellipse class="no lb" cx="13" cy="9" rx="14" ry="14"/>'
    '<ellipse class="no lb" cx="0" cy="-12" rx="14" ry="14"/>',
    Card.LURE: HOOK + '<circle class="ve" cx="-5" cy="19" r="6"/>',
    Card.SUPER_LURE: f'<g transform="translate(-9 2) scale(.8)">{HOOK}</g>'
    f'<g transform="translate(17 2) scale(.8)">{HOOK}</g>'
    f'<path class="ye" transform="translate(-2 20) scale(.75)" d="{STAR}"/>',
    Card.CYCLONE: '<path class="no th" d="M-26-22H26M-20-11H20M-12 0H16M-8 11H9M-3 22H4"/>'
    '<path class="no" d="M24-14q6 6 0 10M-18 6q-5 5 0 8"/>',
    Card.LIGHTNING: '<path class="ye" d="M8-30-18 4H-3L-9 30 18-7H3Z"/>',
    Card.SMAHL_THIEF: '<path class="pe" d="M-29-8Q-14-16 0-10 14-16 29-8 31 12 15 13 5 13 0 5-5 13-'
    '15 13-31 12-29-8Z"/><ellipse class="pa" cx="-13" cy="0" rx="6" ry="5"/>'
    '<ellipse class="pa" cx="13" cy="0" rx="6" ry="5"/><path class="no" d="M-10 22Q0 26 10 22"/>',
    Card.OMEN_BEETLE: '<path class="no" d="M-14-6-28-14M-16 5H-30M-13 15-26 24M14-6 28-14M16 5H30'
    'M13 15 26 24"/><ellipse class="ve" cx="0" cy="6" rx="17" ry="21"/>'
    '<path class="pe" d="M-10-10Q-9-24 0-24T10-10Z"/><path class="no" d="M0-10V27M-5-23l-6-7M5-23l'
    '6-7"/><circle class="pe ns" cx="-8" cy="3" r="3.5"/><circle class="pe ns" cx="8" cy="3" '
    'r="3.5"/><circle class="pe ns" cx="-7" cy="15" r="3"/><circle class="pe ns" cx="7" cy="15" '
    'r="3"/>',
    Card.HAKI_FLUTE: '<rect class="sk" x="-32" y="-6" width="64" height="12" rx="6" '
    'transform="rotate(-40)"/><path class="no" d="M-8 7h.1M0 0h.1M8-7h.1M16-13h.1"/>'
    '<path class="no" d="M8 22V8l12-4v14"/>' + NOTE.format(x=4, y=23) + NOTE.format(x=16, y=19),
    Card.SPEAR: '<path class="no th" d="M-24 26 10-12"/>'
    '<path class="sk" d="M26-29Q20-6 9-9 1-14 5-20 14-26 26-29Z"/>'
    '<path class="no" d="M-2-6 8 3"/>',
    Card.SCOUT: '<path class="pa" d="M-29 0Q0-30 29 0 0 30-29 0Z"/>'
    '<circle class="sk" r="12"/><circle class="pe" r="5"/>'
    '<circle class="pa ns" cx="4" cy="-4" r="3"/>',
    Card.RETREAT: '<path class="sk" d="M28 22C28-8 10-16-6-14V-27L-28-6-6 14V1C8 0 20 6 28 22Z"/>',
    Card.AGE_OLD_CURE: '<path class="pa" d="M-7-27H7V-14C20-8 22 0 22 8 22 20 14 27 0 27S-22 20-22 '
    '8C-22 0-20-8-7-14Z"/><path class="sk ns" d="M-20 4H20C22 20 14 25 0 25S-22 20-20 4Z"/>'
    '<rect class="or" x="-9" y="-31" width="18" height="7" rx="2"/>'
    '<path class="no" d="M0 8v13M-6.5 14.5h13"/>',
    Card.FEATHER: '<path class="pu" d="M-20 26C-22 0-8-26 26-29 26-4 10 18-14 18Z"/>'
    '<path class="no" d="M-25 31Q-8 8 16-18M-9 10-12-6M-2 1 12 4"/>',
    Card.BLINDFOLD: '<circle class="or" r="25"/>'
    '<path class="pu" d="M-27-10Q0-17 27-10V4Q0-3-27 4Z"/><path class="pu" d="M25-8 34-16 34-2Z"/>'
    '<path class="no" d="M-8 13Q0 18 8 13"/>',
    Card.FLOP_BOAT: '<path class="pa" d="M-2-30V4H-22Q-14-16-2-30Z"/>'
    '<path class="pu" d="M3-24Q20-14 22 4H3Z"/><path class="or" d="M-29 9H29Q24 23 14 23H-14Q-24 '
    '23-29 9Z"/><path class="no" d="M-30 29q6-6 12 0t12 0 12 0 12 0 12 0"/>',
    Card.CRICKET_SONG: '<path class="no th" d="M-12 17V-19L16-26V10"/>'
    '<path class="no th" d="M-12-8 16-15"/><ellipse class="pu" cx="-18" cy="18" rx="8" ry="6"/>'
    '<ellipse class="or" cx="10" cy="11" rx="8" ry="6"/><path class="no" d="M22 22q6-4 6-10"/>',
    Card.FLASH_FLOOD: '<path class="bl" d="M-29-2Q-20-30 6-26 22-22 20-8 14-16 6-12-4-4 8 6 18 12 '
    '29 6V27H-29Z"/><path class="no hi" d="M-22 20q6-6 12 0t12 0 12 0 12 0"/>',
    Card.GARGOK_PLAGUE: '<path class="no th" d="M0-29V29M-29 0H29M-20-20 20 20M20-20-20 20"/>'
    '<circle class="gr" r="19"/><path class="no" d="M-12-9l8 4M12-9l-8 4M-8 10Q0 4 8 10"/>'
    '<circle class="pe ns" cx="-7" cy="0" r="3"/><circle class="pe ns" cx="7" cy="0" r="3"/>',
    Card.TRAVELING_MERCHANT: '<path class="or" d="M-9-12C-32 4-28 27-14 27H14C28 27 32 4 9-12Z"/>'
    '<path class="no th" d="M-9-12H9"/><path class="pa" d="M-9-14-14-27Q0-22 14-27L9-14Z"/>'
    f'<path class="ye sh" transform="translate(0 9) scale(.7)" d="{STAR}"/>',
    Card.RUMOR_OF_WASPS: '<ellipse class="sk" cx="-12" cy="-16" rx="8" ry="14" '
    'transform="rotate(-30 -12 -16)"/><ellipse class="sk" cx="10" cy="-18" rx="8" ry="14" '
    'transform="rotate(20 10 -18)"/><path class="ye" d="M-26 6C-22-10 14-12 20 4 26 14 30 14 32 '
    '20 10 28-24 26-26 6Z"/><path class="no th" d="M-10-5Q-4 8-9 21M4-6Q11 8 6 21"/>'
    '<circle class="pe ns" cx="-19" cy="5" r="2.5"/>',
    Card.DANGEROUS_ALCHEMY: '<path class="pa" d="M-7-29H7V-11L25 20Q28 27 20 27H-20Q-28 27-25 20L-7'
    '-11Z"/><path class="pu ns" d="M-15 6H15L23 20Q26 25.5 20 25.5H-20Q-26 25.5-23 20Z"/>'
    '<circle class="pa sh" cx="-6" cy="14" r="4"/><circle class="pa sh" cx="8" cy="18" r="3"/>'
    '<circle class="pu sh" cx="4" cy="-2" r="3"/><path class="no" d="M-11-29H11"/>',
    Card.LETTER_G: '<circle class="ye" r="27"/><text class="glyph" y="15">G</text>',
    Card.LETTER_U: '<circle class="ye" r="27"/><text class="glyph" y="15">U</text>',
    Card.LETTER_B: '<circle class="ye" r="27"/><text class="glyph" y="15">B</text>',
}

PLAIN = f'<circle class="pa" r="27"/><path class="ye" transform="scale(1.5)" d="{STAR}"/>'
"""The emblem of a card that has none of its own."""
MEADOW = (
    '<circle class="ye sh" cx="-34" cy="-27" r="8"/><path class="gr ns" d="M-48 34Q-24 20 0 24T48 '
    '32V44H-48Z"/><path class="no sh" d="M-40 28l2-8 3 7M34 27l3-8 2 8"/>'
)
"""The sun and the grass around a Gub out in the open."""
SHELTERS = {
    Card.MUSHROOM: '<path class="pa" d="M13 56Q16 84 9 106H21Q20 84 23 54Z"/>'
    '<path class="gr" d="M4 60Q8 18 50 18T96 60Q50 40 4 60Z"/>'
    '<circle class="pa ns" cx="28" cy="38" r="6"/><circle class="pa ns" cx="53" cy="30" r="7"/>'
    '<circle class="pa ns" cx="77" cy="42" r="5"/>',
    Card.TOAD_RIDER: '<path class="gr" d="M5 66Q-1 36 24 33 50 25 76 33 101 36 95 66 90 76 84 63 '
    '50 49 16 63 10 76 5 66Z"/><circle class="pa" cx="27" cy="31" r="8"/>'
    '<circle class="pa" cx="73" cy="31" r="8"/><circle class="pe ns" cx="27" cy="32" r="3.5"/>'
    '<circle class="pe ns" cx="73" cy="32" r="3.5"/><path class="no" d="M26 48Q50 42 74 48"/>',
    Card.VELVET_MOTH: '<path class="pu" d="M50 40C36 12 2 14 3 44 4 76 26 78 46 52L50 46 54 52C74 '
    '78 96 76 97 44 98 14 64 12 50 40Z"/><ellipse class="gr" cx="50" cy="42" rx="5" ry="15"/>'
    '<circle class="pa sh" cx="22" cy="44" r="6"/><circle class="pa sh" cx="78" cy="44" r="6"/>'
    '<path class="no sh" d="M48 28Q44 18 38 16M52 28Q56 18 62 16"/>',
}
"""What lies above a Gub, drawn over its card."""
ROOF = '<path class="gr" d="M4 66 50 20 96 66 84 68 50 36 16 68Z"/>'
"""The shelter of a Barricade that has no picture of its own."""
WATER = (
    '<path class="water" d="M2 66q8-9 16 0t16 0 16 0 16 0 16 0 16 0V112H2Z"/>'
    '<path class="no hi" d="M14 84q6-5 12 0t12 0M58 94q6-5 12 0t12 0"/>'
    '<path class="sk sh" d="M50 44q-6 9 0 12 6-3 0-12ZM16 40q-5 8 0 10 5-2 0-10ZM84 40q-5 8 0 10 '
    '5-2 0-10Z"/>'
)
"""The Sud Spout in front of a Gub."""
