"""Moments of local fits against their definition in NumPy, and what the kernel refuses."""

import numpy as np
import pytest

from learnt import _core

KERNELS = {
    "uniform": np.ones_like,
    "tricube": lambda u: (1 - u**3) ** 3,
    "epanechnikov": lambda u: 1 - u**2,
    "gaussian": lambda u: np.exp(-2 * u**2),
    "distance": lambda u: 1 / u,
    "distance2": lambda u: 1 / u**2,
}


def plainly(rows, y, w, point, kernel, degree, reach, robust):
    away = np.sqrt(((rows - point) ** 2).sum(axis=1))
    order = np.argsort(away, kind="stable")
    share = np.zeros(len(rows))
    share[order] = np.clip(reach - (np.cumsum(w[order]) - w[order]), 0, w[order])
    h = away[share > 0].max()
    counted = np.where(share > 0, share * KERNELS[kernel](np.minimum(away / h, 1)), 0) * robust
    counted /= counted.sum()
    f = (rows - point) / h
    first, second = np.triu_indices(rows.shape[1])
    f = (np.zeros((len(rows), 0)), f, np.hstack([f, f[:, first] * f[:, second]]))[degree]
    mean, center = counted @ y, counted @ f
    return mean, center, (counted * (y - mean)) @ (f - center), ((f - center).T * counted) @ (f - center)


def moments(rows, y, w, points, kernel, degree, reach, robust, reaches=None):
    p = rows.shape[1]
    t = (0, p, p + p * (p + 1) // 2)[degree]
    out = np.empty(len(points)), np.empty((len(points), t)), np.empty((len(points), t)), np.empty((len(points), t * t))
    reaches = np.full((len(points), 2), -1.0) if reaches is None else reaches
    _core.LocalRows(rows, y, w, np.arange(p)).moments(points, kernel, degree, reach, robust, reaches, *out)
    return out


@pytest.mark.parametrize("level", ["baseline", "avx2", "avx512"])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("p", [1, 3])
def test_moments_are_those_of_their_definition(p, kernel, level):
    before = _core.simd_level()
    try:
        _core.set_simd_level(level)
    except ValueError:
        pytest.skip(f"this processor has no {level}")
    rng = np.random.default_rng(p)
    try:
        for n in (5, 40, 131):
            rows, y, robust, points = (
                rng.normal(size=(n, p)),
                rng.normal(size=n),
                rng.random(n),
                rng.normal(size=(6, p)),
            )
            weights = rng.integers(1, 4, n).astype(float)
            for w in (None, weights, rng.random(n)):
                own = np.ones(n) if w is None else w
                reach = 0.7 * own.sum() if w is not None else float(int(0.7 * n))
                for degree in (0, 1, 2):
                    found = moments(rows, y, w, points, kernel, degree, reach, robust)
                    for i, point in enumerate(points):
                        expected = plainly(rows, y, own, point, kernel, degree, reach, robust)
                        for ours, theirs in zip(found, expected, strict=True):
                            np.testing.assert_allclose(
                                ours[i], np.ravel(theirs) if np.ndim(theirs) else theirs, atol=1e-12
                            )
    finally:
        _core.set_simd_level(before)


@pytest.mark.parametrize("p", [1, 2])
def test_of_equally_far_rows_the_first_are_taken(p):
    """Two rows on either side at the same distance, and room for one of them."""
    rows = np.zeros((5, p))
    rows[:, 0] = [3, -1, 1, 0.5, -1]  # from 0: row 3, then 1, 2 and 4 equally far
    y = np.array([0.0, 10, 100, 1, 1000])
    mean = moments(rows, y, None, np.zeros((1, p)), "uniform", 0, 3.0, np.ones(5))[0]
    assert mean[0] == pytest.approx((1 + 10 + 100) / 3)
    w = np.array([1.0, 2, 2, 1, 1])
    mean = moments(rows, y, w, np.zeros((1, p)), "uniform", 0, 4.0, np.ones(5))[0]
    assert mean[0] == pytest.approx((1 + 2 * 10 + 1 * 100) / 4)  # the last one counts by what is left


def test_reaches_are_remembered():
    rng = np.random.default_rng(0)
    rows, y, robust = rng.normal(size=(50, 3)), rng.normal(size=50), np.ones(50)
    reaches = np.full((4, 2), -1.0)
    first = moments(rows, y, None, rows[:4], "tricube", 1, 20.0, robust, reaches)
    away = np.sort(((rows[:, None] - rows[None, :4]) ** 2).sum(axis=2), axis=0)
    np.testing.assert_allclose(reaches[:, 0], away[19], rtol=1e-12)
    np.testing.assert_array_equal(reaches[:, 1], 1.0)
    second = moments(rows, y, None, rows[:4], "tricube", 1, 20.0, robust, reaches)
    for one, two in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1e150, 1e300, 1.7e308])
def test_one_column_of_any_size(size):
    x, y = np.linspace(-1, 1, 20)[:, None], np.arange(20.0)
    expected = moments(x, y, None, x, "tricube", 2, 12.0, np.ones(20))
    found = moments(x * size, y, None, x * size, "tricube", 2, 12.0, np.ones(20))
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12)


def test_far_points_do_not_overflow():
    rng = np.random.default_rng(1)
    found = moments(
        rng.normal(size=(20, 2)), rng.normal(size=20), None, np.array([[1e300, -1e300]]), "tricube", 2, 9.0, np.ones(20)
    )
    assert all(np.isfinite(part).all() for part in found)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"points": np.zeros((2, 3))}, "'points' is 2 × 3"),
        ({"robust": np.ones(3)}, "'robust' has the length 3"),
        ({"kernel": "round"}, "'kernel' is 'round'"),
        ({"degree": 3}, "'degree' is 3"),
        ({"reach": 0.0}, "'reach' is not above 0"),
        ({"mean": np.empty(1)}, "'mean' has the length 1"),
        ({"center": np.empty((2, 3))}, "'center' is 2 × 3"),
        ({"square": np.empty((2, 2))}, "'square' is 2 × 2"),
        ({"reaches": np.empty((2, 1))}, "'reaches' is 2 × 1"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(changed, said):
    rows = _core.LocalRows(np.zeros((4, 2)), np.zeros(4), None, np.arange(2))
    given = {"points": np.zeros((2, 2)), "kernel": "tricube", "degree": 1, "reach": 2.0, "robust": np.ones(4)}
    out = {"reaches": np.full((2, 2), -1.0), "mean": np.empty(2), "center": np.empty((2, 2)), "right": np.empty((2, 2))}
    with pytest.raises(ValueError, match=said):
        rows.moments(**(given | out | {"square": np.empty((2, 4))} | changed))


def test_rows_that_do_not_fit_are_refused():
    for arguments, said in (
        ((np.zeros((0, 1)), np.zeros(0), None, np.arange(1)), "at least one"),
        ((np.zeros((2, 1)), np.zeros(3), None, np.arange(1)), "'y' has the length 3"),
        ((np.zeros((2, 1)), np.zeros(2), np.zeros(1), np.arange(1)), "'weights' has the length 1"),
        ((np.zeros((2, 1)), np.zeros(2), None, np.array([1])), "'slopes' names a column"),
    ):
        with pytest.raises(ValueError, match=said):
            _core.LocalRows(*arguments)
