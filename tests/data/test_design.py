"""The design matrix against indicators written out by hand."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from learnt import Table
from learnt.data.design import WIDE, Design
from learnt.engine.survey import survey

NA = np.nan


def table(**cells) -> Table:
    return Table(cells, ordinal={"size": ["S", "M", "L"]} if "size" in cells else None)


MIXED = table(
    x=[1.0, NA, 3.0, 5.0],
    size=["S", "L", None, "L"],
    town=["b", "a", None, "b"],
    own=[True, None, False, True],
)


def matrix(design: Design, rows: Table) -> np.ndarray:
    x = design.encode(rows)
    return np.asarray(x if isinstance(x, np.ndarray) else x.todense())


def test_all_levels_by_default() -> None:
    design = Design.of(survey(MIXED), drop_reference=False)
    assert design.names == ("x", "size", "town=a", "town=b", "own=False", "own=True")
    mean_rank = (0 + 2 + 2) / 3
    expected = [[1, 0, 0, 1, 0, 1], [3, 2, 1, 0, 0, 1], [3, mean_rank, 0, 1, 1, 0], [5, 2, 0, 1, 0, 1]]
    np.testing.assert_allclose(matrix(design, MIXED), expected)


def test_the_most_frequent_level_is_the_reference() -> None:
    design = Design.of(survey(MIXED), drop_reference=True)
    assert design.names == ("x", "size", "town=a", "own=True")
    np.testing.assert_allclose(matrix(design, MIXED)[:, 2:], [[0, 1], [1, 1], [0, 0], [0, 1]])


def test_numbers_and_ranks_are_scaled_indicators_are_not() -> None:
    design = Design.of(survey(MIXED), drop_reference=False, standardize=True, center=True)
    x = matrix(design, MIXED)
    there = np.array([1.0, 3.0, 5.0])
    np.testing.assert_allclose(x[[0, 2, 3], 0], (there - 3) / there.std())
    assert x[1, 0] == 0
    assert set(np.unique(x[:, 2:])) == {0.0, 1.0}


def test_a_level_never_seen_is_filled_like_a_gap() -> None:
    design = Design.of(survey(MIXED), drop_reference=False)
    odd = table(x=[1.0], size=[None], town=["zzz"], own=[None]).matched(MIXED.schema)
    np.testing.assert_allclose(matrix(design, odd), [[1, 4 / 3, 0, 1, 0, 1]])


@pytest.mark.parametrize("weights", [None, np.array([1.0, 0.0, 2.0, 3.0])])
@pytest.mark.parametrize("drop", [True, False])
@pytest.mark.parametrize("scale", [True, False])
def test_moments_are_those_of_the_matrix(weights, drop, scale) -> None:
    found = survey(MIXED, weights)
    design = Design.of(found, drop_reference=drop, standardize=scale)
    mean, variance = design.moments(found)
    x, w = matrix(design, MIXED), np.ones(4) if weights is None else weights
    np.testing.assert_allclose(mean, np.average(x, axis=0, weights=w), atol=1e-12)
    np.testing.assert_allclose(variance, np.average((x - mean) ** 2, axis=0, weights=w), atol=1e-12)


def wide(n_rows: int = 500) -> Table:
    rng = np.random.default_rng(0)
    ids = [None if i % 50 == 3 else f"c{i % (2 * WIDE)}" for i in range(n_rows)]
    return table(
        id=ids, x=np.where(rng.random(n_rows) < 0.1, NA, rng.normal(size=n_rows)), own=list(rng.random(n_rows) < 0.5)
    )


@pytest.mark.parametrize("drop", [True, False])
def test_wide_designs_are_sparse_and_equal_to_dense_ones(drop) -> None:
    design = Design.of(survey(wide()), drop_reference=drop)
    assert design.sparse
    spread = Design(design.schema, design.fill, design.center, design.scale, design.reference, sparse=False)
    sparse = design.encode(wide())
    assert sparse.nnz <= 3 * 500
    assert sparse.has_sorted_indices
    np.testing.assert_array_equal(sparse.toarray(), matrix(spread, wide()))


def test_a_plain_matrix_is_not_copied() -> None:
    for dtype in (np.float64, np.float32):
        x = np.random.default_rng(0).normal(size=(20, 3)).astype(dtype)
        assert Design.of(survey(Table(x)), drop_reference=True).encode(Table(x)) is x


def test_gaps_in_a_matrix_are_filled_in_a_copy_of_its_precision() -> None:
    for dtype in (np.float64, np.float32):
        x = np.array([[1, 2], [3, NA], [5, 6]], dtype)
        out = Design.of(survey(Table(x)), drop_reference=True).encode(Table(x))
        assert out.dtype == dtype
        assert np.isnan(x[1, 1])
        np.testing.assert_array_equal(out, [[1, 2], [3, 4], [5, 6]])


def test_gaps_in_a_sparse_matrix_are_filled_in_a_copy() -> None:
    from scipy.sparse import csr_matrix

    x = csr_matrix(np.array([[0, 2.0], [3, NA], [0, 4]]))
    design = Design.of(survey(Table(x)), drop_reference=True, standardize=True)
    out = design.encode(Table(x)).toarray()
    filled = np.array([[0, 2.0], [3, 3], [0, 4]])
    spread = np.array([np.std([0, 3, 0]), np.std([2, 4])])
    np.testing.assert_allclose(out, filled / spread)
    assert np.isnan(x.data).sum() == 1


def test_contributions_fold_back_to_the_users_columns() -> None:
    design = Design.of(survey(MIXED), drop_reference=False)
    folded = design.fold(np.arange(12.0).reshape(2, 6))
    np.testing.assert_array_equal(folded, [[0, 1, 2 + 3, 4 + 5], [6, 7, 8 + 9, 10 + 11]])


def test_columns_with_nothing_in_them_take_no_harm() -> None:
    import pandas as pd

    empty = table(x=[NA, NA], town=pd.Series([None, None], dtype="category"), own=pd.array([None, None], "boolean"))
    for drop in (True, False):
        design = Design.of(survey(empty), drop_reference=drop, standardize=True)
        x = matrix(design, empty)
        assert x.shape == (2, design.n_columns)
        assert not x.any()


def test_no_rows_give_no_rows() -> None:
    for source in (MIXED, wide()):
        design = Design.of(survey(source), drop_reference=True)
        assert design.encode(source.rows(0, 0)).shape == (0, design.n_columns)


def test_contradictory_designs_are_refused() -> None:
    design = Design.of(survey(MIXED), drop_reference=True)
    with pytest.raises(ValueError, match="one fill"):
        Design(design.schema, design.fill[:2], design.center, design.scale, design.reference, sparse=False)
    with pytest.raises(ValueError, match="out of range"):
        Design(design.schema, design.fill, design.center, design.scale, design.reference + 5, sparse=False)
    with pytest.raises(ValueError, match="fill"):
        Design(design.schema, design.fill + 100, design.center, design.scale, design.reference, sparse=False)


def test_a_design_pickles() -> None:
    design = Design.of(survey(MIXED), drop_reference=True)
    twin = pickle.loads(pickle.dumps(design))
    assert twin.names == design.names
    np.testing.assert_array_equal(matrix(twin, MIXED), matrix(design, MIXED))
