"""The course of a game: what was played again is what the environment showed."""

from __future__ import annotations

import numpy as np
import pytest

import gubs_env
from gubs_env.engine.course import Course
from gubs_env.records.record import Record
from tests.games.cases import every_case
from tests.poker import low_card


def played(module, num_players=None, seed=3):
    """Return an environment after a random game of whole moves, and these moves."""
    env, rng, moves = module.raw_env(num_players), np.random.default_rng(seed), []
    env.reset(seed=seed)
    while legal := env.legal_moves():
        moves.append((env.agent_selection, legal, legal[rng.integers(len(legal))]))
        env.play(moves[-1][2])
    return env, moves


@every_case
def test_it_has_the_whole_moves_and_the_lines_of_a_game(case):
    env, moves = played(case.module)
    course = env.saved().course()
    again = list(course.moves())
    seats = [env.possible_agents.index(agent) for agent, _, _ in moves]
    assert [each.view.seat for each in again] == seats
    assert [(each.legal, each.move) for each in again] == [each[1:] for each in moves]
    assert all(each.legal[each.index] == each.move for each in again)
    assert course.batch.states[-1].tobytes() == env.state().tobytes()
    assert course.choices() == env.saved().decisions
    for viewer, agent in enumerate((None, *env.possible_agents), start=-1):
        lines = course.lines(viewer)
        assert [line for each in lines for line in each] == env.log(agent)


def test_actions_that_are_not_legal_are_refused():
    env, _ = played(gubs_env.gubs_v0, 2)
    game, actions = env.game, env.actions
    start = next(env.transitions())[0].reshape(1)
    with pytest.raises(ValueError, match=r"^action 63, number 1 of the game, is not legal; the "):
        Course.of(game, start, [actions[0], 63])
    with pytest.raises(ValueError, match=r"^action -1, number 0 of the game, is not legal"):
        Course.of(game, start, [-1])
    with pytest.raises(ValueError, match=r"^the actions go on after the end of the game$"):
        Course.of(game, start, [*actions, 0])


def test_a_game_of_this_program_alone_is_replayed():
    """Such a game has no public module that a name leads to."""
    env, moves = played(low_card)
    record = Record.of(env, ["a", "b"])
    assert record.env().state().tobytes() == env.state().tobytes()
    assert record.env("ansi").render() == env.describe(env.agent_selection)
    assert [action for _, action in record.replay()] == env.actions
    assert len(moves) == 2
    assert gubs_env.replay(record).title == f"{env.game.title}: Ada, a · Bo, b"
