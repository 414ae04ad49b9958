"""Adapters for frameworks of language-model agents, each loaded on demand.

A module imports its framework when it is imported, and says what to install if that is missing.
All text comes from `gubs_env.agents.text_game`, for the seat that it is meant for.
"""
