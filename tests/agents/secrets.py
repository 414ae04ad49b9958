"""The actions of an agent while all private information is drawn anew."""

from __future__ import annotations

import numpy as np

from gubs_env.engine.rng import seed_rng, spawn_rngs


def answers_as_secrets_change(env, agent, draws=3):
    """Return the agent's actions in all games of a VectorEnv, with the same RNGs each time.

    The first time the states are unchanged; after that, everything that the player to decide does
    not know is drawn anew.
    """
    rows = np.arange(env.num_envs)
    chance = spawn_rngs(np.random.default_rng(0), env.num_envs)
    answers = []
    for draw in range(draws):
        if draw:
            env._states[:] = env.views(rows)
            for index in rows:
                env.game.kernel.determinize(env._states, index, seed_rng([draw, int(index)]))
            env.look()
        answers.append(env.ask(agent, rows, chance.copy()).tolist())
    return answers
