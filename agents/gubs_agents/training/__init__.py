"""Self-play training: the parts of `train.py` (docs/training.md)."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
