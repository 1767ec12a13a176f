import numpy as np
import pytest

from learnt.neural.losses import both_sigmoids, row_losses, score_deltas, sigmoid

SCORES = {
    "squared_error": 1,
    "absolute_error": 1,
    "huber": 1,
    "poisson": 1,
    "logistic": 1,
    "softmax": 4,
    "sigmoid_squared": 3,
}


@pytest.mark.parametrize(("loss", "k"), SCORES.items())
def test_deltas_are_derivatives_of_losses(loss, k):
    rng = np.random.default_rng(0)
    f, y = rng.normal(size=(20, k)), rng.integers(0, max(k, 2), 20).astype(float)
    for c in range(k):
        ahead, behind = f.copy(), f.copy()
        ahead[:, c] += 1e-6
        behind[:, c] -= 1e-6
        slope = (row_losses(loss, ahead, y) - row_losses(loss, behind, y)) / 2e-6
        np.testing.assert_allclose(score_deltas(loss, f, y)[:, c], slope, rtol=1e-6, atol=1e-8)


def test_both_sides_of_a_score_are_exact_however_near_to_0():
    f = np.array([-700.0, -1.5, 0.0, 0.3, 40.0, 700.0, np.inf])
    np.testing.assert_array_equal(both_sigmoids(f), np.column_stack([sigmoid(-f), sigmoid(f)]))
    assert both_sigmoids(f)[5, 0] == pytest.approx(np.exp(-700.0), rel=1e-15)


def test_the_sigmoid_does_not_overflow():
    assert sigmoid(np.array([-1000.0, 0.0, 1000.0])).tolist() == [0.0, 0.5, 1.0]
