"""The recorded games of Gubs."""

from __future__ import annotations

from pathlib import Path

from gubs_env import gubs_v0
from gubs_env.games.gubs.actions import PASS
from gubs_env.games.gubs.state import Phase
from gubs_env.games.gubs.words import state_words
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


RECORDINGS = Recordings(
    gubs_v0,
    Path(__file__).parent / "playthroughs",
    GAMES,
    state_words,
    begins_section=lambda state, section: state.phase == Phase.DRAW,
    choose=choose,
)
