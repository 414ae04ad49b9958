"""The rules as they are offered to all that plays by them, and the functions that Python calls."""

from __future__ import annotations

from gubs_env.games.gubs.determinization import determinize_row
from gubs_env.games.gubs.legal import write_mask
from gubs_env.games.gubs.observation import write_observation
from gubs_env.games.gubs.score import write_leads, write_payoffs
from gubs_env.games.gubs.state import Phase
from gubs_env.games.gubs.turn import set_up, step
from gubs_env.games.gubs.view import veil_row
from gubs_env.games.kernel import make_kernel
from gubs_env.games.mechanics import Mechanics

MECHANICS = Mechanics(
    Phase=Phase,
    turn_phase=Phase.DRAW,
    set_up=set_up,
    step=step,
    write_mask=write_mask,
    write_observation=write_observation,
    write_payoffs=write_payoffs,
    write_leads=write_leads,
    veil_row=veil_row,
    determinize_row=determinize_row,
)
advance, deal, observe, determinize, veil = make_kernel("gubs", MECHANICS)
