"""Triangles of rows: R'R is X'X however rows are cut, with digits that X'X itself has lost."""

import numpy as np
import pytest

from learnt.statistics.triangle import RowTriangle, orthogonal_triangle, shrink_rows


def triangle(rows):
    return RowTriangle(rows=len(rows), r=shrink_rows(rows))


@pytest.mark.parametrize("cuts", [[], [0], [1, 2, 3], [50], [3, 97], [100]])
def test_cuts_of_the_rows_change_no_product(cuts):
    x = np.random.default_rng(0).normal(size=(100, 4))
    first, *rest = [triangle(part) for part in np.split(x, cuts)]
    whole = sum(rest, first)
    assert whole.rows == 100
    np.testing.assert_allclose(whole.r.T @ whole.r, x.T @ x, rtol=1e-12, atol=1e-12)


def test_few_rows_stay_as_they_are_and_many_shrink_to_a_triangle():
    x = np.random.default_rng(1).normal(size=(9, 3))
    assert shrink_rows(x[:3]) is not None
    np.testing.assert_array_equal(shrink_rows(x[:3]), x[:3])
    r = orthogonal_triangle(x)
    assert r.shape == (3, 3)
    np.testing.assert_array_equal(r, np.triu(r))


def test_digits_are_kept_that_cross_products_lose():
    """Läuchli's matrix: ε² is lost beside 1, ε is not."""
    epsilon = 1e-9
    x = np.array([[1.0, 1.0], [epsilon, 0.0], [0.0, epsilon]])
    assert np.linalg.matrix_rank(x.T @ x) == 1
    smallest = np.linalg.svd((triangle(x[:1]) + triangle(x[1:])).r, compute_uv=False)[-1]
    assert smallest == pytest.approx(epsilon, rel=1e-6)
