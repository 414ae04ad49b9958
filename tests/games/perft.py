"""perft: the number of action sequences of each length from a position, as in chess engines.

Chance is part of a state, so these numbers are fixed: a change of the rules, of the mask or of the
RNG shows as another number. `perft.json` stores the divide of each tree, the counts by first action
at every length, so that a difference names the subtree it lies in.

`python -m tests.games.perft` writes the file again after an intended change.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.game import Game
from tests.games.cases import OURS

FILE = Path(__file__).parent / "perft.json"
MOST_NODES = 20_000
"""Positions that a tree plays through at most: under a second where the rules are compiled."""
LONGEST = 30
"""The largest length that is counted."""

Divide = dict[str, int]
"""The number of sequences by the name of their first action."""


class Tree(NamedTuple):
    """The position at the root of a tree."""

    module: ModuleType
    name: str
    root: Callable[[], np.ndarray]
    """() → STATE[1]."""
    options: Mapping[str, Any]
    """The options of the rules."""

    @property
    def game(self) -> Game:
        return self.module.GAME


# ----------------------------------------------------------------------------------- the positions


def placed(module: ModuleType, name: str, *args: Any, **setting: Any) -> Tree:
    """Return the tree of a position; `rest=False` leaves no choice to NumPy's generators."""
    fixed = {"rest": False, "seed": 1, **setting}
    return Tree(module, name, lambda: np.atleast_1d(module.position(*args, **fixed)), {})


def dealt(case: Any, table: str, seed: int, decisions: int) -> Tree:
    """Return the tree of a game dealt from a seed, after some random decisions."""

    num_players, options = case.tables[table]

    def root() -> np.ndarray:
        games = case.games(1, num_players, options, seed)
        if decisions:
            games.play_randomly(decisions, seed)
        return games.states.copy()

    return Tree(case.module, f"{table}, seed {seed}, decision {decisions}", root, options)


GUBS = [
    placed(gubs_v0, "a puzzle", ["Lure, Toad Rider", "Feather"], ["Gub", "Gub + Mushroom"],
           deck="Letter B", letters="GU"),
    placed(gubs_v0, "Rings and a Flute", ["Double Ring, Haki Flute", "Triple Ring, Feather", ""],
           ["Gub; Gub; Esteemed Elder", "Gub; Gub + Sud Spout", "Gub + Single Ring; Gub"],
           deck="Letter U, Spear, Letter B", letters="G"),
    placed(gubs_v0, "Plague and Merchant", ["Age-Old Cure, Lure", "Cricket Song, Spear", "Gub ×2"],
           ["Gub", "Gub", "Gub"], deck="Gargok Plague, Traveling Merchant, Letter B",
           letters="GU", phase=gubs_v0.Phase.DRAW),
    placed(gubs_v0, "a Scout and a Song", ["Scout, Cricket Song, Mushroom", "Flop Boat, Blindfold"],
           ["Gub + Toad Rider; Gub", "Gub + Mushroom; Gub"],
           deck="Lure, Spear, Flash Flood, Letter G, Letter U, Letter B"),
]  # fmt: skip
FUBNUB_POINTS = {
    "piles": ["Ones, Twos, Threes, Fours, Fives, Sixes, Odds", "Red, Purple, Green, Gold, Gold and"
              " Green, Gold and Purple, Green and Purple"],
}  # fmt: skip
FUBNUB = [
    placed(fubnub_v0, "the last tricks", ["R4 R5 R6", "P4 P5 P6", "N4 N5 N6", "G4 G5 G6"], "Evens",
           tricks=["G1 P1 N1 R1", "R2 P2 N2 G2"], caller=0, **FUBNUB_POINTS),
    placed(fubnub_v0, "whether to play", ["R1 R2 R3 R4 R5", "P1 P2 P3 P4 P5", "N1 N2 N3 N4 N5",
           "G1 G2 G3 G4 G5"], "Evens", phase=fubnub_v0.Phase.DECIDE, **FUBNUB_POINTS),
    placed(fubnub_v0, "the dealer's swap", ["R1 R2 R3 R4 R5", "P1 P2 P3 P4 P5", "N1 N2 N3 N4 N5",
           "G1 G2 G3 G4 G5"], "Evens", caller=1, swaps=2, last_winner=1,
           phase=fubnub_v0.Phase.SWAP_OFFER, **FUBNUB_POINTS),
]  # fmt: skip
BAD_BAD_TURTLE = [
    placed(bad_bad_turtle_v0, "a window", ["blank ×3, Turtle", "Skip, blank", "blank ×2"],
           set_aside={"No Way": 2, "Shield": 0, "Never Happened": 1}),
    placed(bad_bad_turtle_v0, "an elimination", ["blank ×2", "Eliminated, blank", "Turtle, blank",
           "Peek, blank ×2"], set_aside={"No Way": 2, "Shield": 3}),
    placed(bad_bad_turtle_v0, "a redeal", ["Pick a Player, blank", "Double Dip, Restart Game",
           "blank, Turtle"], revealed=["blank", "Dance", ""], set_aside={"Shield": 0}),
]  # fmt: skip
DEALS = {
    "gubs_v0": [
        ("2 players, the rules proper", 0, 0), ("2 players, the rules proper", 1, 60),
        ("3 players, everyone asked", 2, 40), ("4 players, single barricades", 3, 70),
        ("5 players, flood to the deck", 4, 90), ("6 players, letters anywhere", 5, 80),
        ("4 players, three Plagues", 6, 50), ("3 players, no redraw", 7, 120),
    ],
    "fubnub_v0": [
        ("team", 0, 0), ("team", 1, 60), ("two and ghosts", 2, 20), ("royal for four", 3, 30),
        ("royal for one", 4, 3), ("full", 5, 30), ("full", 6, 62), ("full, piles move", 7, 55),
    ],
    "bad_bad_turtle_v0": [
        ("2 players, the rules proper", 0, 0), ("2 players, the rules proper", 1, 8),
        ("4 players, the rules proper", 2, 12), ("8 players, the rules proper", 3, 20),
        ("3 players, younger players", 4, 5), ("5 players, without endless cards", 5, 15),
    ],
}  # fmt: skip
TREES = [
    *GUBS, *FUBNUB, *BAD_BAD_TURTLE,
    *(dealt(case, *deal) for case in OURS for deal in DEALS.get(case.game.name, [])),
]  # fmt: skip


# --------------------------------------------------------------------------------------- counting


def divides(tree: Tree) -> Iterator[Divide]:
    """Yield the divide at length 1, 2, … up to LONGEST, breadth first over arrays of states.

    Nothing more is yielded once no sequence is left, or when more than MOST_NODES positions would
    have to be played through.
    """
    game, roots, played = tree.game, None, 0
    batch = game.new_batch(tree.root())
    game.kernel.advance(*batch, np.array([LOOK]), 1, False, False)
    known = game.action_names(int(batch.states[0]["num_players"]))
    first = np.flatnonzero(batch.masks[0])
    names = [known[action] for action in first.tolist()]
    for _ in range(LONGEST):
        rows, actions = np.nonzero(batch.masks)
        roots = np.arange(len(first)) if roots is None else roots[rows]
        counts = np.bincount(roots, minlength=len(first)).tolist()
        if not len(rows):
            return
        yield dict(zip(names, counts, strict=True))
        played += len(rows)
        if played > MOST_NODES:
            return
        batch = game.new_batch(batch.states[rows])
        # Another memory layout would be compiled anew.
        game.kernel.advance(*batch, np.ascontiguousarray(actions), 1, False, False)


def recorded() -> dict[str, dict[str, list[Divide]]]:
    """Return the divides stored in the file, by game and tree; entry d − 1 is for length d."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def expected_of(tree: Tree) -> list[Divide]:
    """Return the divides stored of one tree; AssertionError if there are none."""
    stored = recorded().get(tree.game.name, {}).get(tree.name)
    assert stored, "nothing is recorded for this tree: run `python -m tests.games.perft`"
    return stored


def diagnosis(expected: list[Divide], found: list[Divide]) -> str:
    """Return where two lists of divides first differ, in words; an empty text if they are equal."""
    if expected == found:
        return ""
    for length, (was, now) in enumerate(zip(expected, found, strict=False), start=1):
        if was != now:
            lines = [f"{sum(now.values())} sequences of {length} actions, not {sum(was.values())}:"]
            for name in dict.fromkeys(chain(was, now)):
                if was.get(name) != now.get(name):
                    lines.append(f"  {name}: expected {was.get(name, 0)}, found {now.get(name, 0)}")
            return "\n".join(lines)
    return f"the tree is {len(found)} actions deep, not {len(expected)}"


def write() -> None:
    """Write the file anew, one line for each divide."""
    games: dict[str, list[str]] = {}
    for tree in TREES:
        lines = ",\n".join("   " + json.dumps(each) for each in divides(tree))
        games.setdefault(tree.game.name, []).append(f"  {json.dumps(tree.name)}: [\n{lines}\n  ]")
    parts = [f' "{name}": {{\n' + ",\n".join(rows) + "\n }" for name, rows in games.items()]
    FILE.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
