"""The recorded games of Gubs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gubs_env import gubs_v0
from gubs_env.engine.text import player_name
from gubs_env.games.gubs.actions import PASS
from gubs_env.games.gubs.cards import Card
from gubs_env.games.gubs.state import Phase
from gubs_env.games.gubs.words import counted
from tests.games.recordings import Recordings, any_legal_action

GAMES = {
    "two_players": {"num_players": 2, "seed": 2},
    "three_players_everyone_asked": {
        "num_players": 3, "seed": 14, "rules": {"ask_everyone": True}},
    "four_players_hoarding": {"num_players": 4, "seed": 11, "hoard": 0.7},
    "five_players_flood_to_the_deck": {
        "num_players": 5, "seed": 3,
        "rules": {"flood_to": "deck", "plague_redraw": False, "letters": "anywhere"}},
    "six_players_single_barricades": {
        "num_players": 6, "seed": 6, "rules": {"stacked_barricades": False, "reward": "margin"}},
}  # fmt: skip


def choose(environment, rng, game):
    """Return a random action; with a given probability end the play, so that hands grow large."""
    if environment.state()["phase"] == Phase.PLAY and rng.random() < game.get("hoard", 0):
        return PASS
    return any_legal_action(environment, rng, game)


def state_words(state: Any) -> str:
    """Return a whole state in words, secrets included, for recorded games."""
    lines = [
        f"  deck {state.deck_size}, top: "
        + ", ".join(Card(k).title for k in state.deck[: state.deck_size][::-1][:4])
    ]
    for seat in range(state.num_players):
        places = [counted(state.colony[seat, slot]) for slot in range(state.colony_size[seat])]
        lines.append(
            f"  {player_name(seat)} [{'; '.join(places)}] holds {counted(state.hand[seat])}"
        )
    lines.append(f"  discarded {counted(state.discard_pile)}")
    if state.phase != Phase.OVER:
        lines.append(f"  {player_name(state.actor)} to {Phase(state.phase).name}")
    return "\n".join(lines)


RECORDINGS = Recordings(
    gubs_v0,
    Path(__file__).parent / "playthroughs",
    GAMES,
    state_words,
    begins_section=lambda state, section: state.phase == Phase.DRAW,
    choose=choose,
)
