"""Statistics whose fields add one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.statistics.cuts import CUTS, N, added

from learnt.data.table import Array
from learnt.statistics.counts import ClassWeights
from learnt.statistics.sums import ArraySums, Sums

X = np.random.default_rng(0).normal(size=(N, 3))


@dataclass(frozen=True)
class _Named(Sums):
    """A field of each kind that adds."""

    weight: float
    totals: Array
    several: tuple[Array, ...]
    inner: ClassWeights
    wanted: Array | None = None


def _named(rows: slice) -> _Named:
    x = X[rows]
    signs = (x[:, 0] > 0).astype(np.int32)
    return _Named(len(x), 2.0 * len(x), x.sum(axis=0), (x[:, 0] @ x, x.T @ x), ClassWeights.of(signs, 2))


@pytest.mark.parametrize("from_right", [False, True])
@pytest.mark.parametrize("cuts", CUTS)
def test_fields_of_all_kinds_add_to_the_sums_of_all_rows(cuts, from_right):
    found = added(_named, cuts, from_right=from_right)
    assert (found.rows, found.weight, found.wanted) == (N, 2.0 * N, None)
    assert_allclose(found.totals, X.sum(axis=0), rtol=1e-12, atol=1e-12)
    assert_allclose(found.several[0], X[:, 0] @ X, rtol=1e-12, atol=1e-12)
    assert_allclose(found.several[1], X.T @ X, rtol=1e-12, atol=1e-12)
    assert found.inner.weight.tolist() == [np.sum(X[:, 0] <= 0), np.sum(X[:, 0] > 0)]


def test_a_field_that_was_not_asked_for_stays_none_and_only_on_both_sides():
    one, two = (_Named(1, 1.0, np.ones(1), (), ClassWeights(1, np.ones(1)), w) for w in (np.ones(2), None))
    assert (two + two).wanted is None
    assert (one + one).wanted.tolist() == [2, 2]
    with pytest.raises(ValueError, match="shapes"):
        one + two


@pytest.mark.parametrize("other", [(np.ones(3),), (np.ones((2, 1)),), (np.ones(2), np.ones(2))])
def test_arrays_of_other_shapes_do_not_add(other):
    with pytest.raises(ValueError, match="shapes"):
        ArraySums(1, (np.ones(2),)) + ArraySums(1, other)
