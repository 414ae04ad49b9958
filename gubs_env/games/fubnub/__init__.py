"""The rules of FUBNUB on a structured row. `state` says what a row holds, `turn` how a game runs."""
