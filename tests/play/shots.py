"""Screenshots of the browser game: forty states of it, at seven sizes, light and dark.

`./run shots FOLDER` writes them, named after state, size and scheme; look at them one by one.
`test_shots.py` checks the same tables by their structure.
"""

from __future__ import annotations

import argparse
import re
import threading
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0
from gubs_env.play.opponents import make_player
from gubs_env.play.session import Session
from gubs_env.play.web.browser import BrowserGame
from gubs_env.play.web.pace import Controls
from gubs_env.play.web.table import WebTable
from tests.browsing import CHROMIUM
from tests.drawing import crowded
from tests.drawing.scenes import (
    FubnubPhase,
    GubsPhase,
    Scene,
    TurtlePhase,
    always,
    cards_held,
    in_window,
    is_over,
)

SIZES = {
    "laptop": (1280, 800),
    "desk": (1920, 1080),
    "large": (2560, 1440),
    "tablet": (768, 1024),
    "phone": (390, 844),
    "lying": (844, 390),
    "little": (320, 568),
}
"""The windows."""
WITH_MICE = ("laptop", "desk", "large")
"""The others are touch screens, on which the page says nothing of keys."""
SCHEMES = ("light", "dark")
Table = Callable[[], Any]
"""() → an environment at a table."""


def scene(module: Any, players: int, fits: Any = always, decisions: int = 0, **rules: Any) -> Table:
    """Return a table of random games: the first that fits, after a number of decisions."""
    return Scene(module, players, rules, fits, decisions).found


def full(maker: Any, number: int, *table: Any) -> Table:
    """Return a table of `crowded`, by the number of it."""
    return lambda: next(islice(maker(*table), number, None))


gubs, fubnub = partial(scene, gubs_v0), partial(scene, fubnub_v0)
turtle = partial(scene, bad_bad_turtle_v0)
STATES: dict[str, tuple[Table, int]] = {
    "gubs-2-start": (gubs(2), 0),
    "gubs-2-choosing": (gubs(2, always, 80), 1),
    "gubs-2-window": (gubs(2, in_window, 40), 0),
    "gubs-2-hand-of-eleven": (gubs(2, lambda state: cards_held(state) >= 11), 0),
    "gubs-2-crowded": (full(crowded.gubs, 3, 2), 1),
    "gubs-2-end": (gubs(2, is_over), 0),
    "gubs-3-chosen": (gubs(3, always, 100), 2),
    "gubs-4-scout": (gubs(4, lambda state: state.phase == GubsPhase.ORDER), 0),
    "gubs-4-cricket-song": (gubs(4, lambda state: state.phase == GubsPhase.NAME), 0),
    "gubs-4-window": (gubs(4, in_window, 60), 0),
    "gubs-4-meant": (gubs(4, lambda state: state.phase == GubsPhase.MEANT, 40), 0),
    "gubs-5-late": (gubs(5, always, 140), 0),
    "gubs-6-window": (gubs(6, lambda state: in_window(state) and state.colony_size.max() > 5), 0),
    "gubs-6-end": (gubs(6, is_over), 0),
    "fubnub-1-ghosts": (fubnub(1, always, 30, mode="ghost"), 0),
    "fubnub-2-start": (fubnub(2, mode="royal"), 0),
    "fubnub-2-ghosts": (fubnub(2, always, 45, mode="ghost"), 1),
    "fubnub-2-late": (full(crowded.fubnub, 2, 2, {"mode": "royal"}), 0),
    "fubnub-3-royal": (fubnub(3, always, 60, mode="royal"), 0),
    "fubnub-3-end": (fubnub(3, is_over, mode="royal"), 0),
    "fubnub-4-start": (fubnub(4), 0),
    "fubnub-4-trick": (fubnub(4, lambda state: (state.trick_card >= 0).sum() > 2, 90), 1),
    "fubnub-4-play": (fubnub(4, lambda state: state.phase == FubnubPhase.PLAY, 90), 0),
    "fubnub-4-action": (
        fubnub(4, lambda state: state.phase == FubnubPhase.SOCIAL, 90, mode="full"), 0,
    ),
    "fubnub-4-steal": (
        fubnub(
            4,
            lambda state: state.phase == FubnubPhase.STEAL and state.owned.sum() > 6,
            mode="full",
        ), 0,
    ),
    "fubnub-4-late": (full(crowded.fubnub, 2, 4, {"mode": "full"}), 0),
    "fubnub-4-royal-late": (full(crowded.fubnub, 2, 4, {"mode": "royal"}), 0),
    "fubnub-4-end": (fubnub(4, is_over), 0),
    "turtle-2-start": (turtle(2), 0),
    "turtle-2-window": (
        turtle(2, lambda state: state.phase == TurtlePhase.REACT and state.depth > 0), 0,
    ),
    "turtle-2-end": (turtle(2, is_over), 0),
    "turtle-3-early": (turtle(3, always, 15), 0),
    "turtle-4-peek": (turtle(4, lambda state: state.peeking[state.actor]), 0),
    "turtle-4-pick": (turtle(4, lambda state: state.phase == TurtlePhase.PICK), 1),
    "turtle-4-crowded": (full(crowded.turtle, 0, 4), 0),
    "turtle-5-late": (turtle(5, always, 40), 0),
    "turtle-6-window": (turtle(6, lambda state: state.phase == TurtlePhase.REACT, 20), 0),
    "turtle-7-early": (turtle(7, always, 20), 0),
    "turtle-8-late": (turtle(8, always, 40), 0),
    "turtle-8-crowded": (full(crowded.turtle, 0, 8), 0),
    "turtle-8-end": (turtle(8, is_over), 0),
}  # fmt: skip
"""Tables, and how many choices are made there: (table, number of clicks on an answer)."""


def seat_of(env: Any) -> str:
    """Return the seat that decides, or the first one at the end."""
    acting = env.agent_selection
    return str(env.possible_agents[0] if env.is_done(acting) else acting)


def serve(env: Any) -> str:
    """Serve a game in a thread, the agents paused; return the link of who decides."""
    seat, table = seat_of(env), env.table
    others = [each for each in env.possible_agents if each != seat]
    agents = {each: make_player("random", table, 1) for each in others}
    game = BrowserGame(WebTable(Session(env, agents, seed=1), Controls(True, 0.0)), 0)
    threading.Thread(target=game.run, args=(False,), daemon=True).start()
    return next(iter(game.links.values()))


def write(folder: Path, only: str = "") -> None:
    """Write the screenshots whose names a regular expression matches; say what went wrong."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        mouse, touch = (browser.new_page(has_touch=each) for each in (False, True))
        for tab in (mouse, touch):
            tab.on("pageerror", lambda error: print(f"error: {error}"))
        for name, (table, clicks) in STATES.items():
            wanted = [
                (size, scheme)
                for size in SIZES
                for scheme in SCHEMES
                if re.search(only, f"{name}-{size}-{scheme}")
            ]
            link = serve(table()) if wanted else ""
            for size, scheme in wanted:
                tab = mouse if size in WITH_MICE else touch
                wide, high = SIZES[size]
                tab.set_viewport_size({"width": wide, "height": high})
                tab.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                tab.goto(link)
                tab.wait_for_selector("#table svg", timeout=60_000)
                for _ in range(clicks):
                    if (answers := tab.locator("#moves button:not(.yes)")).count():
                        answers.last.dispatch_event("click")  # a card may stand for it
                tab.wait_for_timeout(200)
                tab.screenshot(path=folder / f"{name}-{size}-{scheme}.png")
                if trouble := tab.inner_text("#trouble span"):
                    print(f"{name}, {size}: {trouble}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the PNG files are written")
    parser.add_argument("--only", default="", metavar="REGEX", help="those with such a name")
    given = parser.parse_args()
    write(given.folder, given.only)


if __name__ == "__main__":
    main()
