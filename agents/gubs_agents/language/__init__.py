"""Language models as agents."""
