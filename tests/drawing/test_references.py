"""Pictures kept as files, so that no change of the look goes unnoticed.

`python -m tests.drawing.test_references` writes them again after an intended change; look at them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0

FOLDER = Path(__file__).parent / "pictures"
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


@pytest.mark.parametrize("name", SCENES)
def test_a_picture_looks_as_it_did(name):
    kept = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert picture(name).splitlines() == kept.splitlines()


if __name__ == "__main__":
    for name in SCENES:
        (FOLDER / f"{name}.svg").write_text(picture(name) + "\n", encoding="utf-8")
