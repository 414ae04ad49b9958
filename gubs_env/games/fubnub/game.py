"""FUBNUB as one record: its rules, compiled, and what else the interfaces need of it."""

from __future__ import annotations

from gubs_env.engine.game import Game
from gubs_env.engine.kernel import make_kernel
from gubs_env.engine.mechanics import Mechanics
from gubs_env.games.fubnub import words
from gubs_env.games.fubnub.actions import action_index, action_name, num_actions
from gubs_env.games.fubnub.determinization import determinize_row
from gubs_env.games.fubnub.legal import write_mask
from gubs_env.games.fubnub.observation import lead, observation_slices, write_observation
from gubs_env.games.fubnub.rules import Rules, check_players, sides
from gubs_env.games.fubnub.score import (
    is_truncated,
    num_sides,
    outcome,
    side_of,
    write_leads,
    write_payoffs,
)
from gubs_env.games.fubnub.state import Phase, new_states
from gubs_env.games.fubnub.turn import set_up, step
from gubs_env.games.fubnub.view import hide_private

MECHANICS = Mechanics(
    Phase=Phase,
    turn_phase=Phase.PLAY,
    set_up=set_up,
    step=step,
    write_mask=write_mask,
    write_observation=write_observation,
    write_payoffs=write_payoffs,
    write_leads=write_leads,
    hide_private=hide_private,
    determinize_row=determinize_row,
    is_truncated=is_truncated,
    side_of=side_of,
    num_sides=num_sides,
)
GAME = Game(
    name="fubnub_v0",
    title="FUBNUB",
    players=4,
    rules=Rules,
    check_players=check_players,
    new_states=new_states,
    mechanics=MECHANICS,
    kernel=make_kernel("fubnub", MECHANICS),
    outcome=outcome,
    num_actions=num_actions,
    action_name=action_name,
    action_index=action_index,
    observation_slices=observation_slices,
    lead=lead,
    describe=words.describe,
    narrate=words.narrate,
    sides=sides,
)
