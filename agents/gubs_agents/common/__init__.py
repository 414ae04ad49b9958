"""What the agents of all games are built on."""
