"""A module of an agent that cannot be imported."""

raise ZeroDivisionError("on purpose")
