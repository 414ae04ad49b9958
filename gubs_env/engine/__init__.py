"""What all games share and no game owns: compilation, RNG, fields, seats, kernel, slices, views."""
