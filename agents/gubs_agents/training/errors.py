"""The error of a run."""


class TrainingError(RuntimeError):
    """Training cannot continue; the last good checkpoint is kept."""
