"""Reinforcement-learning environments for Gubs and the games of its family.

>>> from gubs_env import gubs_v0
>>> env = gubs_v0.env(num_players=4)
"""

__version__ = "0.1.0"
