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


def triangle(rows):
    return RowTriangle(rows=len(rows), r=shrink_rows(rows))


def test_digits_are_kept_that_cross_products_lose():
    """Läuchli's matrix: ε² is lost beside 1, ε is not."""
    epsilon = 1e-9
    x = np.array([[1.0, 1.0], [epsilon, 0.0], [0.0, epsilon]])
    assert np.linalg.matrix_rank(x.T @ x) == 1
    smallest = np.linalg.svd((triangle(x[:1]) + triangle(x[1:])).r, compute_uv=False)[-1]
    assert smallest == pytest.approx(epsilon, rel=1e-6)
