"""Triangles of rows, against the products of the repeated rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.statistics.cuts import CUTS, N, added

from learnt.statistics.triangle import RowTriangle, shrink_rows

RNG = np.random.default_rng(5)
X = RNG.normal(size=(N, 4))
TIMES = RNG.integers(0, 4, N)


def _triangle(rows: slice) -> RowTriangle:
    x = X[rows] * np.sqrt(TIMES[rows])[:, None]
    return RowTriangle(len(x), shrink_rows(x))


@pytest.mark.parametrize("from_right", [False, True])
@pytest.mark.parametrize("cuts", CUTS)
def test_triangles_of_parts_have_the_products_of_the_repeated_rows(cuts, from_right):
    found = added(_triangle, cuts, from_right=from_right)
    z = np.repeat(X, TIMES, axis=0)
    assert found.rows == N
    assert found.r.shape == (4, 4)
    assert_allclose(found.r.T @ found.r, z.T @ z, rtol=1e-12, atol=1e-12)
    assert_allclose(np.tril(found.r, -1), 0, atol=1e-15)


def test_few_rows_are_kept_as_they_are():
    np.testing.assert_array_equal(shrink_rows(X[:3]), X[:3])
