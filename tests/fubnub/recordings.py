"""The recorded games of FUBNUB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gubs_env import fubnub_v0
from gubs_env.games.fubnub import words
from gubs_env.games.fubnub.state import Phase, pile_of
from gubs_env.games.fubnub.words import numbers, point_titles, seat_name
from tests.games.recordings import Recordings

GAMES = {
    "team": {"num_players": 4, "seed": 1, "rules": {"num_points": 3}},
    "ghosts": {"num_players": 2, "seed": 2, "rules": {"mode": "ghost", "num_points": 3}},
    "royal": {"num_players": 3, "seed": 3, "rules": {"mode": "royal", "num_points": 3}},
    "royal_with_ghosts": {
        "num_players": 1, "seed": 4, "rules": {"mode": "ghost_royal", "num_points": 3}},
    "full": {"num_players": 4, "seed": 3, "rules": {"mode": "full"}},
    "full_with_moving_points": {
        "num_players": 4, "seed": 40, "rules": {"mode": "full", "move_points": True}},
    "full_with_shared_win": {
        "num_players": 4, "seed": 6, "rules": {"mode": "full", "final_tie": "share"}},
}  # fmt: skip


def state_words(state: Any) -> str:
    """Return a whole state in words, secrets included, for recorded games."""
    dealer = seat_name(state, state.dealer)
    lines = [f"  hand {state.hands}, {words._point_card_words(state)}, {dealer} deals"]
    for seat in range(state.num_seats):
        pile = point_titles(state.owned[pile_of(state, seat)])
        held = numbers(state.hand[seat])
        lines.append(f"  {seat_name(state, seat)} [{pile}] {state.tricks_won[seat]} holds {held}")
    lines.append(f"  undealt {numbers(state.undealt)}; beneath {numbers(state.under)}")
    if state.phase != Phase.OVER:
        lines.append(f"  player_{state.actor} to {Phase(state.phase).name}")
    return "\n".join(lines)


RECORDINGS = Recordings(
    fubnub_v0,
    Path(__file__).parent / "playthroughs",
    GAMES,
    state_words,
    begins_section=lambda state, section: state.hands > (0 if section is None else section.hands),
    log_at_the_end=True,
)
