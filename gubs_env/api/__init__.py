"""The faces of a game, written once for all of them. Nothing here knows a card."""
