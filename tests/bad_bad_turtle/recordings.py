"""The recorded games of Bad, Bad, Turtle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gubs_env import bad_bad_turtle_v0
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.text import player_name
from gubs_env.games.bad_bad_turtle.cards import REACTIONS, Card
from gubs_env.games.bad_bad_turtle.state import Phase
from tests.games.recordings import Recordings

GAMES = {
    "two_players": {"num_players": 2, "seed": 7},
    "four_players": {"num_players": 4, "seed": 14},
    "five_players_cut_off": {"num_players": 5, "seed": 12, "rules": {"max_cycles": 40}},
    "six_players_without_restart": {
        "num_players": 6, "seed": 2, "rules": {"removed": ["Restart Game"]}},
    "eight_players_younger": {"num_players": 8, "seed": 6, "rules": {"younger": True}},
}  # fmt: skip


def counted(kinds: Iterable[int]) -> str:
    """Return cards in words, in order of arrival, equal ones counted: `Skip, number card ×2`."""
    counts = Counter(Card(kind).title for kind in kinds).items()
    return ", ".join(title + (f" ×{n}" if n > 1 else "") for title, n in counts) or "nothing"


def state_words(state: Any) -> str:
    """Return a whole state in words, secrets included, for recorded games."""
    lines = []
    for seat in range(state.num_players):
        stack = state.stack[seat, : state.stack_size[seat]][::-1]
        discards = state.discard_pile[seat, : state.discard_size[seat]][::-1]
        revealed = state.reveal_pile[seat, : state.reveal_size[seat]]
        lines.append(
            f"  {player_name(seat)} stack {len(stack)}, top: {counted(stack[:4])}; "
            f"discarded {len(discards)}, top: {counted(discards[:4])}; "
            f"revealed {counted(revealed)}"
        )
        if not state.living[seat]:
            lines[-1] += "; eliminated"
    for card, holder in zip(REACTIONS, state.aside, strict=True):
        if holder != NOBODY:
            lines.append(f"  {player_name(holder)} has set aside {card.title}")
    if state.phase != Phase.OVER:
        lines.append(f"  {player_name(state.actor)} to {Phase(state.phase).name}")
    return "\n".join(lines)


RECORDINGS = Recordings(
    bad_bad_turtle_v0,
    Path(__file__).parent / "playthroughs",
    GAMES,
    state_words,
    begins_section=lambda state, section: state.phase == Phase.TURN,
)
