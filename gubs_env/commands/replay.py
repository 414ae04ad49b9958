"""The command `replay`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import tyro

from gubs_env.commands.common import ONE_GROUP, shown
from gubs_env.records.record import read_record
from gubs_env.replays.gif import GifOptions, save_gif
from gubs_env.replays.page import replay as make_replay
from gubs_env.support.checks import check_number
from gubs_env.support.output import progress_bars


def replay(
    records: Annotated[tyro.conf.Positional[Path], shown("FILE")],
    game: int = 0,
    html: Annotated[Path, shown("FILE.html")] = Path("replay.html"),
    eyes: Annotated[str, shown("AGENT", "everybody, one at a time, and all hands open")] = "",
    judge: Annotated[str, shown("AGENT", "nobody")] = "",
    gif: Annotated[Path | None, shown("FILE.gif", "no moving picture")] = None,
    *,
    moving: Annotated[GifOptions, ONE_GROUP],
) -> None:
    """Write a page that replays a recorded game, or a moving picture.

    $ gubs replay games.jsonl --game 12 --judge policy --html game12.html

    The page is one file of HTML that needs nothing else. With --gif, write a moving picture
    instead.

    Args:
        records: a file of records, or the games.jsonl of an arena.
        game: number of the game in the file, from 0.
        html: the page to write; a file of this name is replaced.
        eyes: the player who looks, as player_0; the page then holds nothing that is hidden from
            them.
        judge: a network whose probabilities of the moves, and expected payoff, stand beside each
            decision.
        gif: the moving picture to write in place of the page.
        moving: the moving picture.
    """
    record = read_record(records, check_number("--game", game, 0))
    if gif is not None:
        with progress_bars("steps") as tell:
            path = save_gif(record, gif, eyes or None, tell, **vars(moving))
        print(path)
        return
    with progress_bars("actions") as tell:
        source, progress = f"{records}#{game}", partial(tell, "drawing")
        progress(0, len(record.actions))  # networks and compiled rules are loaded first
        page = make_replay(record, eyes or None, judge or None, progress, source)
    page.save(html)
    print(f"{html}: {page.title}")
