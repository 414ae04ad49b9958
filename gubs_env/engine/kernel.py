"""The functions that Python calls, written once for all games; each takes an array of states."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from typing import NamedTuple

import numpy as np

from gubs_env.engine.choosing import CHOOSE, LOOK, WAIT, choose, count_legal, nth_legal
from gubs_env.engine.compiling import Compiled, Entry, Templates, borrowed, interpreted, prefetch
from gubs_env.engine.faults import NOTHING_LEGAL, OUT_OF_RANGE, SOUND
from gubs_env.engine.mechanics import (
    Mechanics,
    Phase,
    determinize_row,
    field_out_of_range,
    find_fault,
    hide_private,
    is_truncated,
    set_up,
    step,
    write_mask,
    write_observation,
    write_payoffs,
)
from gubs_env.engine.seats import ANY_PLAYER, NOBODY

STATES_AHEAD = 2
"""Number of states ahead of the current one that are loaded into the caches."""
templates = Templates()
template, entry_template = templates.template, templates.entry_template


class Batch(NamedTuple):
    """The states of many games, and the arrays that `advance` writes for each."""

    states: np.ndarray
    """STATE[count]: the states."""
    observations: np.ndarray
    """int8[count, observation_size]: what the player to decide sees; at the end of a game, what the
    player in the field `actor` sees."""
    masks: np.ndarray
    """int8[count, num_actions]: the legal actions; all zero for a game that is over."""
    rewards: np.ndarray
    """float32[count, num_players]: the payoffs of games that ended, else zeros."""
    dones: np.ndarray
    """bool[count]: whether the game ended."""
    truncations: np.ndarray
    """bool[count]: whether the game was cut off."""
    actors: np.ndarray
    """int64[count]: the player to decide; NOBODY for a game that is over."""
    rngs: np.ndarray
    """int64[count, 4]: the RNGs that CHOOSE draws from, instead of the RNGs of the games."""


@template
def play_forced(state, mask):
    """Play on while the player to decide has a single legal action."""
    while state.phase != Phase.OVER and count_legal(mask) == 1:
        step(state, nth_legal(mask, 0), mask)


@template
def conclude(state, mask, payoffs, dones, truncations, index, autoreset):
    """Report a game that has just ended; with autoreset, deal a new one in its place."""
    write_payoffs(state, payoffs)
    dones[index] = True
    truncations[index] = is_truncated(state)
    if autoreset:
        set_up(state, ANY_PLAYER)
        write_mask(state, mask)


@entry_template
def advance(
    states, observations, masks, rewards, dones, truncations, actors, rngs,
    actions, rounds, autoreset, skip_forced,
):  # fmt: skip
    """Play decisions in every game, and write the observation and mask of the next player.

    Call it as `advance(*batch, actions, rounds, autoreset, skip_forced)` with a `Batch`. Passing
    the record itself would cost 7,000 instructions a call, an eighth of a step of `env()`.

    Args:
        states, observations, masks, rewards, dones, truncations, actors, rngs: the fields of a
            `Batch`, written.
        actions: int64[count], each a legal action, LOOK, CHOOSE or WAIT.
        rounds: number of decisions to play in each game; must be 1 except with CHOOSE.
        autoreset: when a game ends, deal a new one in its place, from its own RNG.
        skip_forced: play decisions with a single legal action without asking.
    """
    for index in range(len(states)):
        prefetch(states, index + STATES_AHEAD)
        prefetch(observations, index + STATES_AHEAD)
        prefetch(masks, index + STATES_AHEAD)
        state, mask = states[index], borrowed(masks[index])
        observation = borrowed(observations[index])
        rng, payoffs = borrowed(rngs[index]), borrowed(rewards[index])
        if actions[index] == WAIT:
            continue
        payoffs[:] = 0
        dones[index] = False
        truncations[index] = False
        for _ in range(rounds):
            was_over = state.phase == Phase.OVER
            if actions[index] == LOOK:
                write_mask(state, mask)
            elif not was_over:
                chosen = actions[index]
                step(state, choose(rng, mask) if chosen == CHOOSE else chosen, mask)
            if skip_forced:
                play_forced(state, mask)
            if state.phase == Phase.OVER and not was_over:
                conclude(state, mask, payoffs, dones, truncations, index, autoreset)
            write_observation(state, state.actor, observation)
        actors[index] = NOBODY if state.phase == Phase.OVER else state.actor


@entry_template
def deal(states, index, starting_player):
    """Set up a new game in states[index], from its current RNG (see `Mechanics.set_up`)."""
    set_up(states[index], starting_player)


@entry_template
def observe(states, index, player, observation):
    """Write the observation of any player of one game, int8[observation_size]."""
    write_observation(states[index], player, observation)


@entry_template
def determinize(states, index, rng):
    """Complete a view of the player to decide at random, from an RNG, int64[4]."""
    determinize_row(states[index], rng)


@entry_template
def hide(states, index, player):
    """Erase from states[index] everything that a player may not know."""
    hide_private(states[index], player)


@entry_template
def check(states, viewers, mask, faults):
    """Write the first fault of every state (`faults`).

    Args:
        states: STATE[count].
        viewers: int64[count], the player whose view each is; NOBODY for a complete state.
        mask: int8[num_actions], overwritten.
        faults: int64[count, 2], written: the number of the fault, SOUND if there is none, and where
            it is.
    """
    for index in range(len(states)):
        state = states[index]
        field = field_out_of_range(state)
        if field >= 0:
            faults[index] = OUT_OF_RANGE, field
            continue
        faults[index] = find_fault(state, viewers[index])
        if faults[index, 0] == SOUND and state.phase != Phase.OVER:
            write_mask(state, mask)
            if count_legal(mask) == 0:
                faults[index] = NOTHING_LEGAL, 0


@dataclass(eq=False)
class Kernel:
    """The entry templates above, specialised for one game; machine code once it is at hand."""

    advance: Compiled
    deal: Compiled
    observe: Compiled
    determinize: Compiled
    hide: Compiled
    check: Compiled

    @property
    def interpreted(self) -> Kernel:
        """The plain functions, which are never compiled."""
        return Kernel(*(interpreted(getattr(self, field.name)) for field in fields(self)))

    def wait(self) -> None:
        """Let the next call of each function wait for its machine code."""
        for field in fields(self):
            getattr(self, field.name).is_alone = True


def make_kernel(name: str, mechanics: Mechanics) -> Kernel:
    """Compile the kernel of a game; `name` keeps its machine code apart in the cache."""
    offered = mechanics._asdict()
    bound = templates.specialise(name, {slot: offered[slot] for slot in templates.placeholders})
    names = [field.name for field in fields(Kernel)]
    kernel = Kernel(*(bound[function] for function in names))
    for function in names:
        if isinstance(bound[function], Entry):
            bound[function].on_ready = partial(setattr, kernel, function)
    return kernel
