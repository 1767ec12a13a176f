"""The minimum covariance determinant against scikit-learn's, and that steps never raise it."""

import numpy as np
import pytest
from sklearn.covariance import MinCovDet

from learnt.novelty.robust_covariance import _step, plain_spread, robust_spread, squared_distances


def contaminated(n, p, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
    x[: n // 5] += 30
    return x


@pytest.mark.parametrize(("n", "p", "seed"), [(100, 2, 0), (200, 3, 1), (300, 5, 2)])
def test_the_spread_is_that_of_scikit_learn(n, p, seed):
    x = contaminated(n, p, seed)
    ours, taken = robust_spread(x, np.ones(n), seed=0)
    theirs = MinCovDet(random_state=0).fit(x)
    half = taken > 0
    least, found = (np.linalg.slogdet(np.cov(x[s].T, bias=True))[1] for s in (half, theirs.raw_support_))
    assert least <= found + 1e-9
    if np.array_equal(half, theirs.raw_support_):
        np.testing.assert_allclose(ours.location, theirs.location_, rtol=1e-8)
        np.testing.assert_allclose(ours.covariance, theirs.covariance_, rtol=1e-6)
    np.testing.assert_allclose(ours.location, theirs.location_, atol=0.3)


def test_steps_never_raise_the_determinant():
    x = contaminated(150, 3, 3)
    spread = plain_spread(x, np.ones(150))
    last = np.inf
    for _ in range(10):
        spread, taken = _step(x, np.ones(150), 77, spread)
        assert spread.log_determinant <= last + 1e-12
        assert taken.sum() == pytest.approx(77)
        last = spread.log_determinant


def test_weights_are_copies():
    x = contaminated(80, 2, 4)
    copies = np.random.default_rng(5).integers(1, 4, 80)
    one = robust_spread(x, copies.astype(float), seed=0)[0]
    two = robust_spread(np.repeat(x, copies, axis=0), np.ones(copies.sum()), seed=0)[0]
    np.testing.assert_allclose(one.covariance, two.covariance, rtol=1e-8)


def test_rows_in_a_plane_have_a_spread_within_it():
    x = np.random.default_rng(6).normal(size=(60, 2))
    x = np.column_stack([x, x.sum(axis=1)])
    spread, _ = robust_spread(x, np.ones(60), seed=0)
    assert np.isfinite(spread.covariance).all()
    assert np.isfinite(squared_distances(x, spread)).all()


def test_a_column_most_of_whose_cells_are_equal_is_measured_by_all_rows():
    rng = np.random.default_rng(7)
    x = np.column_stack([rng.normal(size=(400, 2)), np.where(rng.random(400) < 0.6, 0.0, rng.exponential(size=400))])
    spread, _ = robust_spread(x, np.ones(400), seed=0)
    np.testing.assert_allclose(spread.covariance[2, 2], x[:, 2].var(), rtol=0.3)
    assert np.quantile(squared_distances(x, spread), 0.9) < 12
    odd = squared_distances(np.array([[0.0, 0.0, 30.0], [9.0, 0.0, 0.0]]), spread)
    assert (odd > 60).all()
