"""The rules of Gubs on a structured row. `state` says what a row holds, `turn` how a game runs."""
