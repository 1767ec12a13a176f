"""Moments of a column, of many at once and by class, against NumPy on repeated rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.statistics.cuts import CUTS, N, added

from learnt.statistics.moments import Moments, column_moments, joined_moments, moments_by_class

RNG = np.random.default_rng(4)
X = RNG.gamma(2.0, size=N) + 1000
X[5], X[6], X[7] = np.nan, np.inf, -np.inf
TIMES = RNG.integers(0, 4, N)


@pytest.mark.parametrize("from_right", [False, True])
@pytest.mark.parametrize("cuts", CUTS)
def test_moments_of_parts_add_to_those_of_the_repeated_numbers(cuts, from_right):
    w = TIMES.astype(float)
    found = added(lambda rows: Moments.of(X[rows], w[rows]), cuts, from_right=from_right)
    z = np.repeat(X, TIMES)
    z = z[np.isfinite(z)]
    away = z - z.mean()
    assert_allclose([found.weight, found.mean], [len(z), z.mean()], rtol=1e-13)
    assert_allclose([found.second, found.third], [(away**2).sum(), (away**3).sum()], rtol=1e-8)
    assert_allclose(found.variance, z.var(ddof=1), rtol=1e-9)
    assert (found.minimum, found.maximum) == (z.min(), z.max())
    assert (found.missing, found.infinite) == (TIMES[5], TIMES[6] + TIMES[7])


@pytest.mark.parametrize("cut", [0, 1, 30, N])
def test_moments_of_columns_join_to_those_of_all_rows(cut):
    x, w = RNG.normal(size=(N, 3)), TIMES.astype(float)
    x[::9, 1] = np.nan
    parts = (column_moments(x[rows], w[rows]) for rows in (slice(0, cut), slice(cut, N)))
    weight, mean, deviation = joined_moments(*((p.weight, np.nan_to_num(p.mean), p.deviation) for p in parts))
    for j in range(3):
        z = np.repeat(x[:, j], TIMES)
        z = z[~np.isnan(z)]
        assert weight[j] == len(z)
        assert_allclose([mean[j], deviation[j]], [z.mean(), ((z - z.mean()) ** 2).sum()], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("cut", [0, 1, 30, N])
def test_moments_by_class_join_to_those_of_all_rows(cut):
    x, codes, w = RNG.normal(size=(N, 2)), RNG.integers(0, 3, N).astype(np.int32), TIMES.astype(float)
    parts = (moments_by_class(x[rows], codes[rows], w[rows], 4) for rows in (slice(0, cut), slice(cut, N)))
    weight, mean, deviation = joined_moments(*parts)
    for c in range(3):
        z = np.repeat(x[codes == c], TIMES[codes == c], axis=0)
        assert_allclose(weight[c], len(z))
        assert_allclose(mean[c], z.mean(axis=0), rtol=1e-9, atol=1e-12)
        assert_allclose(deviation[c], ((z - z.mean(axis=0)) ** 2).sum(axis=0), rtol=1e-9, atol=1e-12)
    assert_array_equal(weight[3], [0, 0])  # a class without rows
