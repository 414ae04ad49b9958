"""Self-play training: what `train.py` is made of (docs/training.md)."""
