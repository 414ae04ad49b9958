"""The interfaces, written once for all games: nothing here knows a card."""
