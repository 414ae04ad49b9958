"""Reinforcement-learning environments for Gubs and the games of its family.

>>> from gubs_env import gubs_v0
>>> env = gubs_v0.env(num_players=4)
"""

import gymnasium

gymnasium.register("gubs_env/Gubs-v0", entry_point="gubs_env.gubs_v0:single_agent_env")
gymnasium.register(
    "gubs_env/BadBadTurtle-v0", entry_point="gubs_env.bad_bad_turtle_v0:single_agent_env"
)
gymnasium.register("gubs_env/Fubnub-v0", entry_point="gubs_env.fubnub_v0:single_agent_env")

__version__ = "0.1.0"
