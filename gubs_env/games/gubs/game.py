"""Gubs as one record: its rules, compiled, and what else the interfaces need of it."""

from __future__ import annotations

from gubs_env.engine.game import Game
from gubs_env.engine.kernel import make_kernel
from gubs_env.engine.mechanics import Mechanics
from gubs_env.games.gubs import words
from gubs_env.games.gubs.actions import action_index, action_name, num_actions
from gubs_env.games.gubs.determinization import determinize_row
from gubs_env.games.gubs.legal import write_mask
from gubs_env.games.gubs.observation import lead, observation_slices, write_observation
from gubs_env.games.gubs.rules import Rules, check_players
from gubs_env.games.gubs.score import outcome, write_leads, write_payoffs
from gubs_env.games.gubs.state import Phase, new_states
from gubs_env.games.gubs.turn import set_up, step
from gubs_env.games.gubs.view import hide_private

MECHANICS = Mechanics(
    Phase=Phase,
    turn_phase=Phase.DRAW,
    set_up=set_up,
    step=step,
    write_mask=write_mask,
    write_observation=write_observation,
    write_payoffs=write_payoffs,
    write_leads=write_leads,
    hide_private=hide_private,
    determinize_row=determinize_row,
)
GAME = Game(
    name="gubs_v0",
    title="Gubs",
    players=2,
    rules=Rules,
    check_players=check_players,
    new_states=new_states,
    mechanics=MECHANICS,
    kernel=make_kernel("gubs", MECHANICS),
    outcome=outcome,
    num_actions=num_actions,
    action_name=action_name,
    action_index=action_index,
    observation_slices=observation_slices,
    lead=lead,
    describe=words.describe,
    narrate=words.narrate,
)
