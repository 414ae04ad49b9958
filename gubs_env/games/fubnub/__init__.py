"""The rules of FUBNUB on a structured row: `state` says what it holds, `turn` how a game runs."""
