"""The record of Bad, Bad, Turtle: its parts as one `Game`."""

from __future__ import annotations

from gubs_env.engine.game import Game
from gubs_env.engine.mechanics import Mechanics
from gubs_env.games.bad_bad_turtle import (
    actions,
    determinization,
    faults,
    history,
    legal,
    moves,
    observation,
    rules,
    rules_text,
    score,
    state,
    turn,
    view,
    words,
)

MECHANICS = Mechanics(
    Phase=state.Phase,
    turn_phase=state.Phase.TURN,
    set_up=turn.set_up,
    step=turn.step,
    write_mask=legal.write_mask,
    write_observation=observation.write_observation,
    write_payoffs=score.write_payoffs,
    hide_private=view.hide_private,
    determinize_row=determinization.determinize_row,
    field_out_of_range=state.field_out_of_range,
    find_fault=faults.find_fault,
    is_truncated=score.is_truncated,
)
GAME = Game(
    module=__name__,
    name="bad_bad_turtle_v0",
    title="Bad, Bad, Turtle",
    players=4,
    player_counts=rules.player_counts,
    rules=rules.Rules,
    state_fields=state.state_fields,
    option_fields=state.option_fields,
    deck_field="composition",
    new_states=state.new_states,
    action_names=actions.action_names,
    observation_slices=observation.observation_slices,
    max_decisions=rules.max_decisions,
    vary_rules=rules.vary_rules,
    varied_options=rules.varied_options,
    sample_table=rules.sample_table,
    outcome=score.outcome,
    table_words=words.table_words,
    question_words=words.question_words,
    pick_text=moves.pick_text,
    moves_text=rules_text.moves_text,
    rules_text=rules_text.rules_text,
    card_words=rules_text.card_words,
    narrate=words.narrate,
    history=history.history,
    fault_words=faults.fault_words,
    means_nothing=faults.means_nothing,
    drawing=f"{__package__}.drawing",
    chance=f"{__package__}.chance",
    mechanics=MECHANICS,
)
