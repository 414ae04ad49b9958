"""Supervised learning from the games of an agent: imitation, compared actions, beliefs."""
