"""The protocols of agents, the registry that finds them, and games as text."""
