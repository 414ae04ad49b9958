"""The emblems of the action cards, which two of the games share, by the title of the card.

An emblem lies around (0, 0), within 30 units. Its classes are those of `style`.
"""

from __future__ import annotations

SPEECH = '<path class="{0}" d="M-27-22H27V12H2L-10 25V12H-27Z"/>'
EYE = (
    '<path class="pa" d="M-29 0Q0-30 29 0 0 30-29 0Z"/><circle class="sk" r="12"/>'
    '<circle class="pe" r="5"/><circle class="pa ns" cx="4" cy="-4" r="3"/>'
)
FACE = '<circle class="ye" r="26"/>'
STACK = (
    '<rect class="pa" x="-14" y="-2" width="28" height="30" rx="3"/>'
    '<rect class="{0}" x="-18" y="-8" width="28" height="30" rx="3"/>'
)
AROUND = '<path class="no th" d="M18-16A24 24 0 1 0 24 4"/><path class="{0}" d="M24-26V-8H6Z"/>'
BIN = (
    '<path class="pa" d="M-17-12H17L13 27H-13Z"/>'
    '<path class="no" d="M-22-12H22M-7-18H7M-7-3-5 19M7-3 5 19"/>'
)
CROSS = '<path class="no th" d="M-24-24 24 24"/>'
ACTION_EMBLEMS = {
    "Skip": '<path class="sk" d="M-28-18-6 0-28 18ZM-4-18 18 0-4 18Z"/><path class="no th" '
    'd="M24-18V18"/>',
    "Dance": '<circle class="or" cx="2" cy="-21" r="8"/><path class="no th" d="M1-11-3 8-16 26M-3 8'
    ' 12 16 8 28M1-8-18 2-26-8M1-8 18-14 26-4"/>',
    "Rhyme": SPEECH.format("pu")
    + '<path class="no" d="M-17-12H17M-17-3H17"/><path class="pa sh" d="M10 5l3 3 5-7"/>',
    "Talk Funny": FACE
    + '<path class="pe" d="M-15 4Q0 0 15 4 12 20 0 20T-15 4Z"/><path class="ve" d="M-3 16Q8 10 12 '
    '16 16 28 8 29 0 29-3 16Z"/><path class="no" d="M-14-10l8 4M-14-3l8-3M7-8q5-5 9 0"/>',
    "Tell a Joke": FACE + '<path class="pa" d="M-16 3H16Q14 20 0 20T-16 3Z"/>'
    '<path class="no" d="M-15-6q4-7 9 0M6-6q4-7 9 0"/>',
    "Tell a Story": '<path class="pa" d="M0-16Q-14-26-29-20V18Q-14 12 0 22 14 12 29 18V-20Q14-26 0'
    '-16Z"/><path class="no" d="M0-16V22M-22-10q8-2 14 2M-22 0q8-2 14 2M8-8q6-4 14-2M8 2q6-4 14-2"'
    "/>",
    "Share an Opinion": SPEECH.format("sk") + '<path class="no th" d="M0-16V-4M0 5v.1"/>',
    "Sing Something": '<circle class="pu" cx="9" cy="-13" r="13"/><path class="no" d="M1-20 17-6M4-'
    '25 21-10"/><path class="pe" d="M0-6 3-2-20 26-25 22Z"/><path class="no" d="M14 12V26M14 12l9-3'
    'V22"/>',
    "Eliminated": '<path class="gr" d="M-4-30C8-30 8-14 6-8 14-2 12 12 4 16 2 26 14 30 22 24 18 34-'
    '4 34-5 16-13 12-14-2-7-8-9-14-14-30-4-30Z"/><path class="no" d="M6-6 20-14 26-10M-7-6-20-12-26'
    '-6M7 8 20 12 24 8M-9 8-20 14-26 10"/><circle class="pe ns" cx="-5" cy="-21" r="2.5"/>'
    '<circle class="pe ns" cx="3" cy="-21" r="2.5"/>',
    "No Reveal": EYE + CROSS,
    "Peek": '<path class="pa" d="M-29 6Q0-24 29 6 0 28-29 6Z"/><circle class="sk" cy="6" r="10"/>'
    '<circle class="pe" cy="6" r="4"/><path class="no" d="M-22-10-27-18M-8-17-10-26M8-17 10-26M22-1'
    '0 27-18"/>',
    "Do Over": AROUND.format("sk"),
    "Rapid Fire": '<path class="ve" d="M-30-18-11 0-30 18ZM-10-18 9 0-10 18ZM10-18 29 0 10 18Z"/>',
    "Clean Up": '<path class="no th" d="M20-28 4 2"/><path class="or" d="M-4-4 12 6 2 28Q-14 26-24 '
    '14Q-12 8-4-4Z"/><path class="no" d="M-14 10-6 0M-9 21 2 6M0 27 8 8"/>',
    "Pick a Player": '<circle class="no lb" r="24"/><circle class="or" cy="-7" r="8"/>'
    '<path class="or" d="M-14 17Q-13 3 0 3T14 17Q8 22 0 22T-14 17Z"/>',
    "Double Dip": '<rect class="sk" x="-24" y="-24" width="30" height="40" rx="4"/>'
    '<rect class="or" x="-6" y="-14" width="30" height="40" rx="4"/>'
    '<text class="glyph" x="9" y="17" transform="translate(4 0) scale(.6)">2</text>',
    "Recycle Bonus": '<path class="gr" d="M0-29 12-11 6-11V-2H-6V-11H-12ZM-28 20-18 0-14 5-6 0 0 10'
    '-8 15-4 20ZM28 20 6 22 9 16 2 11 8 1 16 6 19 0Z"/>',
    "Refund": '<circle class="ye" cx="6" cy="4" r="20"/><path class="no" d="M6-6V14M0-2q6-5 12 0M0 '
    '10q6 5 12 0"/><path class="sk" d="M-30-14-14-28V-20H4V-8H-14V0Z"/>',
    "No Trash": BIN + CROSS,
    "Partial Play": '<circle class="pa" r="26"/><path class="or" d="M0-26A26 26 0 0 1 0 26Z"/>',
    "Second Chance": '<path class="ve" d="M0 26C-34 2-28-24-13-24-4-24 0-15 0-15S4-24 13-24C28-24 3'
    '4 2 0 26Z"/><text class="glyph" y="10" transform="scale(.75)">2</text>',
    "Slow Down": '<path class="gr" d="M-30 22Q-28 12-14 14L22 14Q24 4 22-8L28-8Q34 22 22 24Z"/>'
    '<circle class="or" cx="0" cy="0" r="18"/><path class="no" d="M10 0A10 10 0 1 0 0 10 6 6 0 0 0 '
    '0-3"/><path class="no" d="M24-8l-4-9M28-8l3-9"/>',
    "Never Happened": '<path class="pa" d="M-18 16C-34 14-32-6-18-6-18-24 8-26 12-10 30-14 34 14 16'
    ' 16Z"/><path class="no th" d="M-9-3 9 13M9-3-9 13"/>',
    "No Way": '<path class="ve" d="M-12-28H12L28-12V12L12 28H-12L-28 12V-12Z"/>'
    '<rect class="pa" x="-19" y="-6" width="38" height="12" rx="2"/>',
    "Shield": '<path class="bl" d="M0-29Q12-20 25-20 27 16 0 30-27 16-25-20-12-20 0-29Z"/>'
    '<path class="sk ns" d="M0-23V24Q20 12 20-15 10-16 0-23Z"/>',
    "Restart Game": '<path class="no th" d="M-14-17A24 24 0 1 0 14-17"/><path class="no th" '
    'd="M0-28V-4"/>',
    "Shuffle": '<path class="no th" d="M-28-14H-16L12 14H20M-28 14H-16L-8 6M4-6 12-14H20"/>'
    '<path class="sk" d="M18-23 30-14 18-5ZM18 5 30 14 18 23Z"/>',
    "Reverse Direction": '<path class="sk" d="M-30-10-12-26V-16H26V-4H-12V6Z"/>'
    '<path class="or" d="M30 14 12-2V8H-26V20H12V30Z"/>',
    "Stack Swap Left": STACK.format("sk")
    + '<path class="or" d="M-30-20-16-32V-25H18V-15H-16V-8Z"/>',
    "Stack Swap Right": STACK.format("sk")
    + '<path class="or" d="M30-20 16-32V-25H-18V-15H16V-8Z"/>',
    "Turtle": '<path class="ye" d="M20 6Q34-6 32 6T18 16ZM-20 18-16 28H-8L-6 20ZM8 20 10 28H18L20 '
    '16ZM-22 14-32 18-22 20Z"/><path class="gr" d="M-26 18C-28-18 22-26 25 18Q0 24-26 18Z"/>'
    '<path class="no" d="M-12-7 0 3 12-7M-25 9-12 8 0 3 12 8 24 9M-12 8V20M12 8V20"/>'
    '<circle class="pe ns" cx="28" cy="4" r="2.2"/>',
}
