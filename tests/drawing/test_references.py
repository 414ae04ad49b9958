"""Pictures kept as files, so that no change of the look goes unnoticed.

`python -m tests.drawing.test_references` writes them again after an intended change; look at them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0

ROOT = Path(__file__).parents[2]
OPENING = ROOT / "docs" / "images" / "table.svg"
"""The picture with which the documentation opens."""
SCENES = {
    "gubs": (gubs_v0, 6, {}, 0, 110),
    "fubnub": (fubnub_v0, 4, {"mode": "full"}, 1, 60),
    "bad_bad_turtle": (bad_bad_turtle_v0, 8, {}, 0, 40),
}
"""(module, number of players, rules, seed, number of decisions before the picture)."""


def picture(name: str) -> str:
    """Return a scene of a random game, as the acting agent sees it."""
    module, num_players, rules, seed, decisions = SCENES[name]
    environment = module.raw_env(num_players, rules)
    environment.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(decisions):
        mask = environment.observe(environment.agent_selection)["action_mask"]
        environment.step(int(rng.choice(np.flatnonzero(mask))))
    return environment.draw()


def opening() -> str:
    """Return a table on which much is to be seen, as the player sees it who may answer a Lure."""
    state = gubs_v0.position(
        hands=[
            "Spear, Feather, Scout, Haki Flute",
            "Feather, Lure, Mushroom",
            "Lure, Super Lure, Toad Rider",
            "Retreat, Gub",
        ],
        colonies=[
            "Gub; Gub + Mushroom; Gub + Toad Rider",
            "Gub; Esteemed Elder; Gub + Sud Spout",
            "Gub + Velvet Moth; Gub; Gub + Double Ring; Gub + Double Ring",
            "Gub; Gub + Mushroom ×2",
        ],
        discard="Lure ×2, Mushroom, Cyclone, Lightning, Flop Boat, Sud Spout, Flash Flood",
        letters="U",
        turn=2,
        seed=1,
    )
    environment = gubs_v0.raw_env(4)
    environment.set_state(state)
    for name in ("CARD[Lure]", "PLACE[2, 0]"):
        environment.step(environment.action_index(name))
    return environment.draw("player_0")


PICTURES = {ROOT / "tests" / "drawing" / "pictures" / f"{name}.svg": name for name in SCENES}


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_a_picture_looks_as_it_did(path):
    kept = path.read_text(encoding="utf-8")
    assert picture(PICTURES[path]).splitlines() == kept.splitlines()


def test_the_picture_of_the_documentation_is_drawn_as_games_are_now():
    assert opening().splitlines() == OPENING.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    for path, name in PICTURES.items():
        path.write_text(picture(name) + "\n", encoding="utf-8")
    OPENING.write_text(opening() + "\n", encoding="utf-8")
