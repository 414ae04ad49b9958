"""Self-play training: the parts of `train.py` (docs/training.md)."""

from gubs_env.support.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__)
