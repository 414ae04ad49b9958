"""The rules of FUBNUB on structured states: `state` lists the fields, `turn` runs a game."""
