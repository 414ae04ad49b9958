"""The machinery of all games: compilation, RNG, fields, seats, kernel, slices, views."""
