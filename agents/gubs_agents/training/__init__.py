"""Self-play training: the parts of `train.py` (docs/training.md)."""

from lazy_loader import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    submod_attrs={
        "launch": ["train"],
        "learner": ["Learner", "PlayingLearner", "RememberingLearner"],
        "options": ["Options"],
        "run": ["Run"],
    },
)
