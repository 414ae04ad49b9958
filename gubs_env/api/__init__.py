"""The interfaces, written once for all games: this package knows no cards."""
