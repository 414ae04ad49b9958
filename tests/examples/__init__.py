"""The games of `examples/`: their rules, and all that is supplied for a game of one's own."""
