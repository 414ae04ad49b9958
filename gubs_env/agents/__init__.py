"""The protocols of agents, the registry that finds them, how they are asked, and games as text."""
