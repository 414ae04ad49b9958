"""Positions in which much lies on the table, for every number of players."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0
from gubs_env.engine.view import View

FOURTEEN = [
    "Gub + Velvet Moth",
    "Esteemed Elder",
    "Gub + Mushroom ×2 + Toad Rider + Velvet Moth",
    "Gub + Sud Spout",
    "Gub + Double Ring",
    "Gub + Double Ring",
    "Gub + Mushroom",
    *7 * ["Gub"],
]
TWENTY = (
    "Mushroom ×2, Toad Rider, Sud Spout, Single Ring, Lure, Super Lure, Cyclone, Lightning, "
    "Smahl Thief, Omen Beetle, Spear, Scout, Retreat, Haki Flute, Age-Old Cure, Feather, "
    "Blindfold, Flop Boat, Triple Ring"
)
MODES = {
    "team": (4, {}),
    "alone with ghosts": (1, {"mode": "ghost"}),
    "two and ghosts": (2, {"mode": "ghost"}),
    "three and a ghost": (3, {"mode": "ghost"}),
    "royal for two": (2, {"mode": "royal"}),
    "royal for three": (3, {"mode": "royal"}),
    "royal for four": (4, {"mode": "royal"}),
    "royal with a ghost": (3, {"mode": "ghost_royal"}),
    "full": (4, {"mode": "full"}),
}
"""The tables of FUBNUB: (num_players, options)."""
REVEALED = [
    "Sing Something, Rhyme, No Reveal, Skip, blank ×3, Peek, Do Over, Dance",
    "Talk Funny, Rapid Fire, Clean Up, Slow Down, blank, Refund",
    "Tell a Joke, Double Dip, blank ×2, Partial Play, Shuffle",
    "Tell a Story, No Trash, blank, Recycle Bonus",
]
"""The piles of the first seats of Bad, Bad, Turtle."""


def gubs(players: int) -> Iterator[Any]:
    """Yield the table as dealt, and those at which one holds 20 cards and one has 14 Gubs, at rest
    and in a window.
    """
    env = gubs_v0.raw_env(players)
    env.reset(seed=9)
    yield env
    hands = [TWENTY, "Lure ×5, Mushroom ×2, Super Lure, Sud Spout ×2", "Haki Flute", *["Spear"] * 3]
    for owner in range(2):
        colonies = ["; ".join(FOURTEEN) if seat == owner else "" for seat in range(players)]
        discard = "Cricket Song, Gargok Plague, Traveling Merchant, Rumor of Wasps, Lure"
        state = gubs_v0.position(
            hands[:players], colonies, discard=discard, letters="GU", turn=1 - owner, seed=1
        )
        env.set_state(state)
        yield env
        env.step(env.action_index("CARD[Lure]"))
        yield env


def fubnub(players: int, options: dict[str, Any]) -> Iterator[Any]:
    """Yield the table as dealt, and late in a hand of a random game, with most point cards won."""
    env = fubnub_v0.raw_env(players, options)
    env.reset(seed=5)
    yield env
    yield from walked(
        env, lambda state: 4 * state.limbo.sum() + state.owned.sum() + state.played.sum()
    )


def turtle(players: int) -> Iterator[Any]:
    """Yield a table with long piles, a card on the turn, and answers to a card revealed."""
    env = bad_bad_turtle_v0.raw_env(players)
    aside = {"No Way": 0, "Never Happened": 0, "Shield": players - 1}
    state = bad_bad_turtle_v0.position(
        [""] * players,
        revealed=[*REVEALED, *[""] * players][:players],
        set_aside=aside,
        peeking=[0],
        turn=1,
        modifier="Dance",
        seed=3,
    )
    env.set_state(state)
    yield env
    yield from walked(env, lambda state: 20 * int(state.depth) + int(state.reveal_size.sum()))


def walked(env: Any, fullness: Callable[[Any], int]) -> Iterator[Any]:
    """Play at random; yield the last table, and the fullest that was met."""
    rng, fullest = np.random.default_rng(1), env.state()
    for _ in range(400):
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))
        if env.is_done(env.agent_selection):
            break
        if fullness(env.state()) > fullness(fullest):
            fullest = env.state()
    yield env
    env.set_state(fullest)
    yield env


TABLES = {
    **{f"gubs, {players}": (gubs, players) for players in range(2, 7)},
    **{f"fubnub, {name}": (fubnub, *table) for name, table in MODES.items()},
    **{f"bad_bad_turtle, {players}": (turtle, players) for players in range(2, 9)},
}
"""(maker of positions, its arguments), by the name of a table."""


def views(table: str) -> Iterator[tuple[View, bool]]:
    """Yield what the seats of a crowded table see, and a watcher who sees all.

    Yields:
        A view, and whether all hands are open.
    """
    maker, *arguments = TABLES[table]
    for env in maker(*arguments):
        for agent in dict.fromkeys((env.agent_selection, env.possible_agents[0])):
            yield env.view(agent), False
        yield View(0, env.state(), env.game), True
