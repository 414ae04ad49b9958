"""Bad, Bad, Turtle: its rules as compiled functions on rows of a structured array."""
