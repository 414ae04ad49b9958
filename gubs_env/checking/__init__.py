"""Random games with all invariants checked."""
