"""The common base of the agents of all games."""
