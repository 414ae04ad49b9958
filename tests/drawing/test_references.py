"""Pictures kept as files, so that no change of the look goes unnoticed.

`python -m tests.drawing.test_references` writes them again after an intended change. With
`--sheet FOLDER` it also writes them as PNG, light and dark, on wide and on narrow pages: look at
them.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import pytest

from gubs_env import gubs_v0
from tests.drawing.scenes import SCENES

ROOT = Path(__file__).parents[2]
OPENING = ROOT / "docs" / "images" / "table.svg"
"""The picture with which the documentation opens."""
PICTURES = {ROOT / "tests" / "drawing" / "pictures" / f"{name}.svg": name for name in SCENES}
MOST_BYTES = 522_000
GROUNDS = {"light": "#ffffff", "dark": "#111111"}
"""The colour of a page by its colour scheme."""
WIDTHS = (1280, 420)


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


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_a_picture_looks_as_it_did(path):
    kept = path.read_text(encoding="utf-8")
    assert SCENES[PICTURES[path]].drawn().splitlines() == kept.splitlines()


def test_the_pictures_are_few_and_small():
    kept = sorted(path.name for path in (ROOT / "tests" / "drawing" / "pictures").iterdir())
    assert kept == sorted(path.name for path in PICTURES)
    assert sum(path.stat().st_size for path in PICTURES) < MOST_BYTES


def test_the_picture_of_the_documentation_is_drawn_as_games_are_now():
    assert opening().splitlines() == OPENING.read_text(encoding="utf-8").splitlines()


def write_sheet(folder: Path) -> None:
    """Write every picture as PNG, as a browser shows it."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as running:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme, ground in GROUNDS.items():
            for width in WIDTHS:
                page = browser.new_page(
                    viewport={"width": width, "height": 300},
                    color_scheme=scheme,
                    device_scale_factor=2 if width < 1000 else 1,
                )
                for path in [*PICTURES, OPENING]:
                    svg = path.read_text(encoding="utf-8")
                    page.set_content(f'<body style="margin:8px;background:{ground}">{svg}</body>')
                    name = f"{path.stem}_{scheme}_{width}.png"
                    page.screenshot(path=folder / name, full_page=True)


def main() -> None:
    """Write the pictures again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sheet", type=Path, metavar="FOLDER", help="write PNG files here too")
    given = parser.parse_args()
    for path, name in PICTURES.items():
        path.write_text(SCENES[name].drawn() + "\n", encoding="utf-8")
    OPENING.write_text(opening() + "\n", encoding="utf-8")
    if given.sheet:
        write_sheet(given.sheet)


if __name__ == "__main__":
    main()
