"""The rules of Gubs on structured states: `state` lists the fields, `turn` runs a game."""
