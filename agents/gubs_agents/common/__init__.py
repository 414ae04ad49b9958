"""The base of the agents of all games."""
