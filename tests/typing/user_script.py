"""What a user's program knows of our types: `./run check` checks it strictly, a test runs it.

An expected error is marked `type: ignore`. If a type turned into `Any`, the mark would be unused,
which is an error too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from typing_extensions import assert_type

import gubs_agents
from gubs_env import Agent, Game, SearchAgent, find_game, find_table, gubs_v0


def play_one_game() -> gubs_v0.Outcome:
    env = gubs_v0.env(num_players=3, rules=gubs_v0.Rules(ask_everyone=True))
    agent = gubs_agents.make("random", find_table("gubs", 3), seed=0)
    assert_type(agent, Agent)
    env.reset(seed=42)
    for _ in env.agent_iter():
        observation, reward, terminated, truncated, _info = env.last()
        assert_type(reward, float)
        if terminated or truncated or observation is None:
            env.step(None)
            continue
        seen, mask = observation["observation"][None], observation["action_mask"][None]
        actions = agent.act(seen, mask)
        assert_type(actions, np.ndarray)
        env.step(actions[0])
    assert_type(env.rules, gubs_v0.Rules)
    assert_type(env.view("player_0"), gubs_v0.View)
    assert_type(env.log(), list[str])
    outcome = env.outcome()
    assert_type(outcome.winners, tuple[int, ...])
    assert_type(outcome.scores, tuple[int, ...])
    return outcome


def step_many_games() -> np.ndarray:
    games = gubs_v0.vector_env(8, num_players=2, seed=0, skip_forced=True)
    search = gubs_agents.make("montecarlo", playouts=1)
    assert_type(search, SearchAgent)
    assert_type(search.search(games.views(np.arange(8))), np.ndarray)
    step = games.step(games.masks.argmax(1))
    assert_type(step.dones, np.ndarray)
    return step.rewards


if TYPE_CHECKING:
    assert_type(find_game("gubs"), Game)
    print(gubs_v0.env().outcome().winner)  # type: ignore[attr-defined]
    gubs_v0.env(players=3)  # type: ignore[call-arg]
    gubs_v0.vector_env(8, skip=True)  # type: ignore[call-arg]
    print(gubs_agents.make("heuristic").search)  # type: ignore[attr-defined]
    print(gubs_agents.make("ismcts").act)  # type: ignore[attr-defined]

if __name__ == "__main__":
    print(play_one_game())
    print(step_many_games().shape)
