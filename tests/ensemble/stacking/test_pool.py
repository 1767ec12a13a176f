"""The pool of probabilities, against scipy's optimiser, logistic regression on log-odds, and by hand."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

import learnt
from learnt.engine.passes import Batch
from learnt.ensemble.stacking.pool import LogarithmicPool, pooled_weights

RNG = np.random.default_rng(3)


def answers(n, m, k, skill):
    """Members' probabilities of rows whose classes are drawn, the first members knowing most of them."""
    rng = np.random.default_rng(3)  # a new one each time: the same rows whichever tests run before
    y = rng.integers(0, k, n).astype(np.int32)
    scores = rng.normal(size=(n, m, k)) + np.eye(k)[y][:, None] * np.linspace(skill, 0, m)[None, :, None]
    return np.exp(log_softmax(scores, axis=2)), y


@pytest.mark.parametrize(("m", "k"), [(1, 2), (4, 2), (3, 5)])
def test_no_point_is_better_than_the_one_found(m, k):
    p, y = answers(60, m, k, 2.0)
    v = RNG.integers(1, 4, 60).astype(float)
    logs = np.log(p + 0.01)

    def objective(theta):
        w, b = theta[:m], theta[m:]
        s = log_softmax(np.einsum("m,imc->ic", w, logs) + b, axis=1)
        return -v @ s[np.arange(60), y] + ((w - 1 / m) ** 2).sum() / 2 + (b**2).sum() / 2

    w, b = pooled_weights(logs, y, v)
    bounds = [(0, None)] * m + [(None, None)] * k
    peer = minimize(objective, np.append(np.full(m, 1 / m), np.zeros(k)), bounds=bounds, method="L-BFGS-B", tol=1e-13)
    assert objective(np.append(w, b)) <= peer.fun + 1e-9
    np.testing.assert_allclose(np.append(w, b), peer.x, atol=2e-3)
    assert (w >= 0).all()


def test_a_member_that_says_the_opposite_is_left_out():
    p, y = answers(200, 2, 2, 3.0)
    p[:, 1] = p[:, 0, ::-1]
    w, _ = pooled_weights(np.log(p), y, np.ones(200))
    assert w[0] > 0.3
    assert w[1] == 0


def test_few_rows_leave_the_members_alike_and_many_decide():
    logs, y = (lambda p, y: (np.log(p), y))(*answers(400, 3, 3, 2.0))
    many = pooled_weights(logs, y, np.ones(400))[0]
    few = [pooled_weights(logs[i : i + 2], y[i : i + 2], np.ones(2))[0] for i in range(0, 40, 2)]
    assert np.mean(np.ptp(few, axis=1)) < np.ptp(many) / 2
    nothing, _ = pooled_weights(logs[:2], y[:2], np.full(2, 1e-150))
    np.testing.assert_allclose(nothing, 1 / 3)


def fitted(p, y, weights=None):
    n, m, k = p.shape
    table = learnt.Table.of_matrix(
        np.ascontiguousarray(p[:, :, 1:].reshape(n, -1)), [f"c{j}" for j in range(m * (k - 1))]
    )
    names = tuple(f"member {i}" for i in range(m))
    return LogarithmicPool.fitted_to(Batch(table, 0, y, weights), names, np.array(list("abcdefg"[:k]))), table


def test_probabilities_are_the_product_of_powers():
    p, y = answers(90, 3, 4, 2.0)
    pool, table = fitted(p, y)
    product = np.exp(pool.intercept_) * np.prod((p + pool.softening_) ** pool.weights_[:, None], axis=1)
    np.testing.assert_allclose(pool.predict_proba(table), product / product.sum(axis=1, keepdims=True), rtol=1e-9)
    assert pool.softening_ == pytest.approx(1 / 94)
    assert "member 0" in str(pool)


def test_a_weight_of_two_is_the_row_twice_and_none_is_no_row():
    p, y = answers(50, 2, 3, 2.0)
    times = RNG.integers(1, 3, 50)
    rows = np.repeat(np.arange(50), times)
    weighed, copied = fitted(p, y, times.astype(float))[0], fitted(p[rows], y[rows])[0]
    np.testing.assert_allclose(weighed.weights_, copied.weights_, rtol=1e-6)
    np.testing.assert_allclose(weighed.intercept_, copied.intercept_, rtol=1e-6, atol=1e-9)


def test_certain_members_and_one_row_have_finite_powers():
    y = np.array([0, 1] * 10, dtype=np.int32)
    sure = np.eye(2)[y][:, None, :].repeat(2, axis=1)
    pool, table = fitted(sure, y)
    assert np.isfinite(pool.weights_).all()
    np.testing.assert_array_equal(pool.predict(table), np.array(["a", "b"] * 10))
    alone, _ = fitted(sure[:1], y[:1])
    assert np.isfinite(alone.weights_).all()


def test_the_way_of_a_logarithm_is_shared_by_what_columns_add():
    p, y = answers(30, 1, 2, 2.0)
    pool, _ = fitted(p, y)
    base, said = np.array([0.5, 0.5]), np.array([0.9, 0.1])
    rise = np.log(said + pool.softening_) - np.log(base + pool.softening_)
    np.testing.assert_allclose(pool.gradients(base, said) * (said - base), rise)
    np.testing.assert_allclose(pool.gradients(said, said), 1 / (said + pool.softening_))
