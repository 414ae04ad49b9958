"""Games in words and pictures. Everything here reads a view, never somebody else's secrets."""
