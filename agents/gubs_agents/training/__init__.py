"""Self-play training: the parts of `train.py` (docs/training.md)."""
