"""`env()` behaves like PettingZoo's three standard wrappers around `raw_env()`."""

from __future__ import annotations

import numpy as np
import pytest
from pettingzoo.utils import wrappers

from gubs_env import gubs_v0
from tests.api.tables import TABLES, at, random_action


def wrapped(module, **options):
    inside = wrappers.TerminateIllegalWrapper(module.raw_env(**options), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(inside))


def both(module=gubs_v0, **options):
    return module.env(**options), wrapped(module, **options)


def outcome_of(call, caplog):
    """Return the result, the exception and the log of a call."""
    caplog.clear()
    try:
        result = call()
    except Exception as error:
        return type(error), str(error), caplog.messages
    return result, caplog.messages


def standing(environment):
    """Return everything that PettingZoo's interface shows of a game."""
    seen = {
        agent: [part.tobytes() for part in environment.observe(agent).values()]
        for agent in environment.possible_agents
    }
    fields = ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos")
    shown = [getattr(environment, name) for name in fields]
    return seen, shown, environment.num_agents, environment.max_num_agents


def assert_alike(ours, theirs):
    assert standing(ours) == standing(theirs)
    if ours.agents:
        assert ours.last(observe=False) == theirs.last(observe=False)


@at({name: TABLES[name] for name in TABLES if "cut off" in name or name.startswith("gubs")})
def test_legal_games_are_alike(module, num_players, options, caplog):
    """Finished and cut-off games are alike until the last agent has left."""
    ours, theirs = both(module, num_players=num_players, rules=module.Rules(**options))
    rng = np.random.default_rng(num_players)
    for environment in (ours, theirs):
        environment.reset(seed=11)
    while ours.agents:
        assert_alike(ours, theirs)
        action = random_action(ours, rng)
        ours.step(action)
        theirs.step(action)
    assert_alike(ours, theirs)
    assert outcome_of(lambda: ours.step(None), caplog) == outcome_of(
        lambda: theirs.step(None), caplog
    )


@pytest.mark.parametrize("decisions", [0, 1, 17, 60])
@pytest.mark.parametrize("num_players", [2, 4])
def test_illegal_actions_end_the_game_alike(num_players, decisions, caplog):
    ours, theirs = both(num_players=num_players)
    for environment in (ours, theirs):
        environment.reset(seed=5)
        rng = np.random.default_rng(1)
        for _ in range(decisions):
            mask = environment.observe(environment.agent_selection)["action_mask"]
            environment.step(int(rng.choice(np.flatnonzero(mask))))
    illegal = int(ours.observe(ours.agent_selection)["action_mask"].argmin())
    assert outcome_of(lambda: ours.step(illegal), caplog) == outcome_of(
        lambda: theirs.step(illegal), caplog
    )
    assert min(ours.rewards.values()) == -1
    while ours.agents:
        assert_alike(ours, theirs)
        ours.step(None)
        theirs.step(None)
    assert_alike(ours, theirs)


@pytest.mark.parametrize(
    ("is_dead", "action"),
    [(False, action) for action in (-1, 64, 10**6, 1.0, "1", None, np.float32(1), [1])]
    + [(True, action) for action in (0, 99, 1.0)],
)
def test_actions_out_of_the_space_or_of_dead_agents_are_refused_alike(is_dead, action, caplog):
    ours, theirs = both()
    for environment in (ours, theirs):
        environment.reset(seed=5)
        if is_dead:
            environment.step(40)
    refusal = outcome_of(lambda: ours.step(action), caplog)
    assert refusal == outcome_of(lambda: theirs.step(action), caplog)
    assert refusal[0] is AssertionError or (is_dead and refusal[0] is ValueError)
    if not is_dead:
        assert_alike(ours, theirs)


@pytest.mark.parametrize("call", ["step", "observe", "render", "state", "agent_iter", "last"])
def test_calls_before_reset_are_errors(call, caplog):
    ours, theirs = both(render_mode="ansi")
    arguments = {"step": [0], "observe": ["player_0"]}.get(call, [])
    errors = [
        outcome_of(lambda e=e: getattr(e, call)(*arguments), caplog)[0] for e in (ours, theirs)
    ]
    assert all(issubclass(error, Exception) for error in errors)
    if call != "last":  # PettingZoo raises AttributeError here, as there is no `agent_selection`
        assert errors[0] is errors[1] is AssertionError


@pytest.mark.parametrize(
    "name", ["rewards", "terminations", "truncations", "infos", "agent_selection", "num_agents",
             "agents"],
)  # fmt: skip
def test_what_only_a_game_has_is_an_error_before_reset(name):
    for environment in both():
        with pytest.raises(AttributeError, match=f"{name} cannot be accessed before reset"):
            getattr(environment, name)


def test_a_loop_that_does_not_step_is_an_error():
    for environment in both():
        environment.reset(seed=0)
        with pytest.raises(AssertionError, match="need to call step"):
            for _ in environment.agent_iter():
                pass


def test_agent_iter_can_be_bounded():
    for environment in both():
        environment.reset(seed=0)
        assert len([environment.step(1) or 1 for _ in environment.agent_iter(1)]) == 1
