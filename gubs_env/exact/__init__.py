"""Exact algorithms: the tree of a game, and the outcomes of draws."""
