"""The rules of Bad, Bad, Turtle: `state` lists the fields of a state, `turn` runs a game."""
