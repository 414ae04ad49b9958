"""Actions drawn from probabilities: as often as they say, and whatever the batch."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_env import sample_actions
from gubs_env.engine.rng import spawn_rngs


def rngs(count, seed=0):
    return spawn_rngs(np.random.default_rng(seed), count)


def test_actions_are_drawn_as_often_as_their_probabilities_say():
    count, shares = 20_000, np.array([0.5, 0, 0.3, 0.2])
    drawn = np.bincount(sample_actions(np.tile(shares, (count, 1)), rngs(count)), minlength=4)
    assert drawn[1] == 0
    assert np.abs(drawn / count - shares).max() < 4 * np.sqrt(0.25 / count)


def test_a_draw_does_not_depend_on_the_rest_of_the_batch():
    weights = np.random.default_rng(1).random((50, 6)).astype(np.float32)
    together, alone = rngs(50), rngs(50)
    actions = sample_actions(weights, together)
    one_by_one = [sample_actions(weights[row, None], alone[row, None])[0] for row in range(50)]
    assert actions.tolist() == one_by_one
    assert (together == alone).all()
    assert (sample_actions(weights, together) != actions).any()


def test_tensors_are_read():
    torch = pytest.importorskip("torch", reason="the train extra is not installed")
    logits = torch.tensor([[0.0, -torch.inf], [-torch.inf, 0.0]])
    assert sample_actions(logits.softmax(1), rngs(2)).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ([0.5, 0.5], r"probabilities of shape \(2,\)"),
        ([[0.5, -0.5]], "probabilities holds a number that is not allowed"),
        ([[np.nan, 1.0]], "probabilities holds a number that is not allowed"),
        ([[0.0, 0.0]], "row 0 of probabilities is 0 throughout"),
        ([[0.5, 0.5]] * 2, "rngs must be int64 of the shape"),
    ],
)
def test_what_is_no_distribution_is_refused(probabilities, message):
    with pytest.raises(ValueError, match=message):
        sample_actions(probabilities, rngs(1))


def test_read_only_rngs_are_refused():
    fixed = rngs(1)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="rngs are read-only"):
        sample_actions([[1.0]], fixed)
