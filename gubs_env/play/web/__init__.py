"""A game in the browser: `table` decides what each seat is told, `server` speaks HTTP."""
