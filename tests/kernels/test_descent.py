"""descend_dense, descend_csc and descend_gram against conditions written in NumPy."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse
from tests.kernels.layouts import same_for_any_threads

from learnt import _core


def problem(n, p, seed=0, weighted=False):
    rng = np.random.default_rng(seed)
    x = np.asfortranarray(rng.standard_normal((n, p)) * (rng.random((n, p)) < 0.6) + 0.5)
    y = x @ np.where(np.arange(p) < 4, 2.0, 0.0) + rng.standard_normal(n)
    share = rng.dirichlet(np.ones(n)) if weighted else np.full(n, 1 / n)
    return x, y, share


def descended(kind, x, y, share, weighted, starts, l1, l2, positive=False, gap=1e-12, rounds=5000):
    """Coefficients, what the kernel returned, and the residual it left."""
    n, p = x.shape
    mean, target = share @ x.astype(float), y - share @ y
    centred = x - mean
    square = share @ centred**2
    raw = share @ x.astype(float) ** 2
    step = np.array([square[a] if b - a == 1 else raw[a:b].sum() for a, b in pairwise(starts)])
    coef = np.zeros(p)
    common = (starts, step, l1, l2, positive, gap * (share @ target**2), 0.5, rounds, coef)
    if kind == "gram":
        gram, products = centred.T @ (share[:, None] * centred), centred.T @ (share * target)
        correlation = products.copy()
        told = _core.descend_gram(gram, products, float(share @ target**2), *common, correlation)
        np.testing.assert_allclose(correlation, products - gram @ coef, atol=1e-12)
        return coef, told
    q = np.append(share * target, 0.0)
    state = (q, np.zeros(n + 1), np.zeros(p))
    given = share if weighted else None
    if kind == "dense":
        told = _core.descend_dense(x, mean, given, *common, *state)
    else:
        c = scipy.sparse.csc_matrix(x)
        told = _core.descend_csc(c.data, c.indices, c.indptr, n, mean, given, *common, *state)
    left = target - centred @ coef
    np.testing.assert_allclose(q[:-1] + share * q[-1], share * left, atol=1e-12)
    return coef, told


def assert_optimal(x, y, share, starts, l1, l2, coef, positive=False):
    centred = x - share @ x
    pull = centred.T @ (share * (y - share @ y - centred @ coef))
    for g, (a, b) in enumerate(pairwise(starts)):
        mine, size = coef[a:b], np.linalg.norm(coef[a:b])
        left = pull[a:b] - l2[g] * mine
        if size:
            np.testing.assert_allclose(left, l1[g] * mine / size, atol=1e-5)
        else:
            held = np.linalg.norm(np.maximum(left, 0) if positive else left)
            assert held <= l1[g] * (1 + 1e-6)


@pytest.mark.parametrize("kind", ["dense", "csc", "gram"])
@pytest.mark.parametrize("shape", [(1, 3), (7, 2), (40, 13), (20, 60), (33, 1)])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("positive", [True, False])
def test_descent_ends_at_the_minimum(kind, shape, weighted, positive, level):
    x, y, share = problem(*shape, weighted=weighted)
    p = shape[1]
    starts, l1, l2 = np.arange(p + 1), np.full(p, 0.07), np.full(p, 0.02)
    coef, (gap, value, _) = descended(kind, x, y, share, weighted, starts, l1, l2, positive)
    assert_optimal(x, y, share, starts, l1, l2, coef, positive)
    left = y - share @ y - (x - share @ x) @ coef
    assert value == pytest.approx(share @ left**2 / 2 + 0.07 * np.abs(coef).sum() + 0.01 * coef @ coef)
    assert 0 <= gap <= 1e-12 * (share @ (y - share @ y) ** 2) + 1e-16


@pytest.mark.parametrize("kind", ["dense", "csc", "gram"])
def test_groups_enter_together_and_an_infinite_penalty_keeps_them_out(kind):
    x, y, share = problem(50, 12)
    starts = np.array([0, 3, 4, 9, 12])
    l1, l2 = np.array([0.1, 0.02, 0.3, np.inf]), np.zeros(4)
    coef, _ = descended(kind, x, y, share, False, starts, l1, l2)
    assert_optimal(x[:, :9], y, share, starts[:-1], l1, l2, coef[:9])
    assert not coef[9:].any()
    assert coef[:3].all()


def test_single_precision_columns_are_read_as_they_are(level):
    x, y, share = problem(40, 90)
    single = np.asfortranarray(x.astype(np.float32))
    starts, l1, l2 = np.arange(91), np.full(90, 0.05), np.zeros(90)
    one, _ = descended("dense", single, y, share, False, starts, l1, l2)
    two, _ = descended("dense", single.astype(np.float64, order="F"), y, share, False, starts, l1, l2)
    np.testing.assert_allclose(one, two, atol=1e-9)


def test_threads_change_no_bit():
    x, y, share = problem(300, 700)
    starts, l1, l2 = np.arange(701), np.full(700, 0.05), np.zeros(700)
    for kind in ("dense", "csc"):
        same_for_any_threads(lambda kind=kind: descended(kind, x, y, share, False, starts, l1, l2)[0])


def test_rounds_are_limited_and_the_gap_told():
    x, y, share = problem(40, 30)
    starts, l1, l2 = np.arange(31), np.full(30, 0.001), np.zeros(30)
    coef, (gap, _, rounds) = descended("dense", x, y, share, False, starts, l1, l2, rounds=0)
    assert rounds == 0
    assert not coef.any()
    assert gap > 0


def test_what_does_not_fit_is_refused():
    x, ones, singles = problem(20, 5)[0], np.ones(5), np.arange(6)

    def given(x=x, starts=singles, l1=ones):
        common = (starts, ones, l1, ones, False, 0.0, 1.0, 1, np.zeros(5))
        return _core.descend_dense(x, np.zeros(5), None, *common, np.zeros(21), np.zeros(21), np.zeros(5))

    given()
    for starts in (np.arange(5), np.arange(1, 7), np.array([0, 3, 2, 4, 4, 5]), np.zeros(0, np.int64)):
        with pytest.raises(ValueError, match="starts"):
            given(starts=starts)
    with pytest.raises(ValueError, match="Fortran"):
        given(x=np.ascontiguousarray(x))
    with pytest.raises(ValueError, match="l1"):
        given(l1=np.ones(4))
    cells = (np.ones(1), np.array([99], np.int32), np.array([0, 1], np.int32), 20, np.zeros(1), None)
    one = (np.arange(2), np.ones(1), np.ones(1), np.ones(1), False, 0.0, 1.0, 1, np.zeros(1))
    with pytest.raises(ValueError, match="outside"):
        _core.descend_csc(*cells, *one, np.zeros(21), np.zeros(21), np.zeros(1))
