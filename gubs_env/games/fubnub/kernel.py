"""The rules as they are offered to all that plays by them, and the functions that Python calls."""

from __future__ import annotations

from gubs_env.games.fubnub.determinization import determinize_row
from gubs_env.games.fubnub.legal import write_mask
from gubs_env.games.fubnub.observation import write_observation
from gubs_env.games.fubnub.score import is_truncated, num_sides, side_of, write_leads, write_payoffs
from gubs_env.games.fubnub.state import Phase
from gubs_env.games.fubnub.turn import set_up, step
from gubs_env.games.fubnub.view import veil_row
from gubs_env.games.kernel import make_kernel
from gubs_env.games.mechanics import Mechanics

MECHANICS = Mechanics(
    Phase=Phase,
    turn_phase=Phase.PLAY,
    set_up=set_up,
    step=step,
    write_mask=write_mask,
    write_observation=write_observation,
    write_payoffs=write_payoffs,
    write_leads=write_leads,
    veil_row=veil_row,
    determinize_row=determinize_row,
    is_truncated=is_truncated,
    side_of=side_of,
    num_sides=num_sides,
)
advance, deal, observe, determinize, veil = make_kernel("fubnub", MECHANICS)
