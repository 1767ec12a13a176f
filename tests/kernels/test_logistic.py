"""The passes of logistic regression against their definitions in NumPy."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from tests.kernels.layouts import layouts, normal, same_for_any_threads

from learnt import _core

SHAPES = [(1, 1), (3, 2), (9, 8), (65, 5), (300, 17), (2100, 3)]


def expected(x, codes, w, coef, base):
    """Loss, gradient by coefficients and by intercepts, shares."""
    scores = x @ coef.T + base
    if len(coef) == 1:
        scores = np.column_stack([np.zeros(len(x)), scores])
    logs = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    shares, rows = np.exp(logs), np.arange(len(x))
    off = shares.copy()
    off[rows, codes] -= 1
    off *= w[:, None]
    first = 1 if len(coef) == 1 else 0
    return -(w @ logs[rows, codes]), off[:, first:].T @ x, off[:, first:].sum(axis=0), shares[:, first:].T


def case(shape, k, dtype=np.float64):
    rng = np.random.default_rng(shape[0] + k)
    x = normal(shape, dtype)
    codes = rng.integers(max(k, 2), size=shape[0]).astype(np.int32)
    return x, codes, rng.random(shape[0]), rng.normal(size=(k, shape[1])), rng.normal(size=k)


def gradient(x, codes, w, coef, base):
    shares, g, g0 = np.empty((len(coef), x.shape[0])), np.zeros_like(coef), np.zeros(len(coef))
    if isinstance(x, np.ndarray):
        return _core.logistic_gradient(x, codes, w, coef, base, shares, g, g0), g, g0, shares
    turned = np.zeros_like(g.T, order="C")
    cells = (x.data, x.indices, x.indptr, x.shape[1])
    loss = _core.logistic_gradient_csr(*cells, codes, w, np.ascontiguousarray(coef.T), base, shares, turned, g0)
    return loss, turned.T, g0, shares


def curvature(x, w, shares, along, along0):
    out, out0 = np.zeros_like(along), np.zeros(len(along))
    if isinstance(x, np.ndarray):
        _core.logistic_curvature(x, w, shares, along, along0, out, out0)
        return out, out0
    turned = np.zeros_like(along.T, order="C")
    cells = (x.data, x.indices, x.indptr, x.shape[1])
    _core.logistic_curvature_csr(*cells, w, shares, np.ascontiguousarray(along.T), along0, turned, out0)
    return turned.T, out0


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("k", [1, 2, 5])
def test_loss_gradient_and_shares_are_those_of_the_definition(shape, k, dtype, level):
    x, codes, w, coef, base = case(shape, k, dtype)
    for rows in [*layouts(x).values(), csr_matrix(x)]:
        full = np.asarray(rows.todense() if not isinstance(rows, np.ndarray) else rows, dtype=np.float64)
        for found, wanted in zip(
            gradient(rows, codes, w, coef, base), expected(full, codes, w, coef, base), strict=True
        ):
            np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("k", [1, 4])
def test_the_curvature_is_the_difference_of_gradients(k, level):
    x, codes, w, coef, base = case((200, 6), k)
    along, along0 = normal((k, 6), seed=3), normal(k, seed=4)
    for rows in (x, csr_matrix(x)):
        shares = gradient(rows, codes, w, coef, base)[3]
        step = 1e-5
        ahead, behind = (gradient(rows, codes, w, coef + t * along, base + t * along0) for t in (step, -step))
        for found, one, other in zip(curvature(rows, w, shares, along, along0), ahead[1:3], behind[1:3], strict=True):
            np.testing.assert_allclose(found, (one - other) / (2 * step), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("shape", SHAPES)
def test_one_pass_brings_loss_gradient_and_curvature_together(shape, dtype, level):
    x, codes, w, coef, base = case(shape, 1, dtype)
    shift, p = normal(shape[1], seed=5), shape[1]
    for rows in layouts(x).values():
        gram = np.zeros((p + 2, p + 2))
        loss = _core.add_logistic_gram(rows, codes, w, coef[0], float(base[0]), shift, gram)
        wanted, _, _, shares = expected(rows.astype(np.float64), codes, w, coef, base)
        z = np.column_stack([np.ones(len(rows)), rows.astype(np.float64) - shift])
        np.testing.assert_allclose(loss, wanted, rtol=1e-12)
        np.testing.assert_allclose(gram[:-1, :-1], (z.T * (w * shares[0] * (1 - shares[0]))) @ z, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(gram[:-1, -1], z.T @ (w * (codes - shares[0])), rtol=1e-9, atol=1e-11)


def test_scores_beyond_all_exponents_stay_finite(level):
    x, codes = np.array([[-1e5], [-800.0], [-40.0], [40.0], [800.0], [1e5]]), np.array([1, 0, 1, 0, 1, 0], np.int32)
    gram = np.zeros((3, 3))
    loss = _core.add_logistic_gram(x, codes, None, np.ones(1), 0.0, np.zeros(1), gram)
    wanted = np.logaddexp(0, np.where(codes == 1, -1, 1) * x[:, 0]).sum()
    np.testing.assert_allclose(loss, wanted, rtol=1e-14)
    np.testing.assert_allclose(gram[0, -1], (codes - (x[:, 0] > 0)).sum(), atol=1e-12)
    assert np.isfinite(gram[:-1]).all()
    for k in (1, 2):
        found = gradient(x, codes, None, np.arange(2.0)[-k:, None], np.zeros(k))
        np.testing.assert_allclose(found[0], wanted, rtol=1e-14)
        assert all(np.isfinite(a).all() for a in found[1:])


def test_rows_without_weight_count_nothing(level):
    x, codes, w, coef, base = case((50, 4), 3)
    w[::2] = 0
    some, few = gradient(x, codes, w, coef, base), gradient(x[1::2], codes[1::2].copy(), w[1::2].copy(), coef, base)
    for one, other in zip(some[:3], few[:3], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_bits_do_not_depend_on_threads():
    x, codes, w, coef, base = case((30_000, 7), 3)
    for rows in (x, csr_matrix(x)):
        shares = gradient(rows, codes, w, coef, base)[3]
        same_for_any_threads(
            lambda rows=rows: np.concatenate([np.ravel(a) for a in gradient(rows, codes, w, coef, base)])
        )
        same_for_any_threads(lambda rows=rows, s=shares: np.ravel(curvature(rows, w, s, coef, base)[0]))

    def one_pass():
        gram = np.zeros((9, 9))
        _core.add_logistic_gram(x, codes % 2, w, coef[0], 0.0, np.zeros(7), gram)
        return gram

    same_for_any_threads(one_pass)


def test_codes_that_are_no_class_are_refused():
    with pytest.raises(ValueError, match="no class"):
        gradient(np.ones((2, 1)), np.array([0, 2], np.int32), None, np.ones((1, 1)), np.zeros(1))
    with pytest.raises(ValueError, match="no class"):
        gradient(np.ones((2, 1)), np.array([0, -1], np.int32), None, np.ones((3, 1)), np.zeros(3))


def test_coordinate_descent_ends_where_the_subgradient_vanishes():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(40, 12))
    h, g, start = a.T @ a, rng.normal(size=12) * 20, rng.normal(size=12)
    penalty = np.where(np.arange(12) == 0, 0.0, 15.0)
    point, left = start.copy(), g.copy()
    sweeps = _core.descend_quadratic(h, penalty, 0.0, 10_000, point, left)
    assert sweeps < 10_000
    np.testing.assert_allclose(left, g + h @ (point - start), atol=1e-9)
    zero = point == 0
    assert 0 < zero.sum() < 11
    assert (np.abs(left[zero]) <= penalty[zero]).all()
    np.testing.assert_allclose(left[~zero], -penalty[~zero] * np.sign(point[~zero]), atol=1e-9)
