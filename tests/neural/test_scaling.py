"""Centres and scales of columns, dense and sparse."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from learnt import MLPClassifier, MLPRegressor, Table
from learnt.neural.scaling import (
    columns_at_rest,
    columns_with_gaps,
    moment_scale,
    one_over,
    quartile_scale,
    sparse_ends,
    sparse_scale,
)


def test_ends_of_sparse_columns_count_the_zeros():
    x = np.array([[0.0, 2.0, np.nan, 0.0], [3.0, 5.0, np.nan, -1.0]])
    low, high = sparse_ends(csr_matrix(x))
    np.testing.assert_array_equal(low, [0, 2, np.nan, -1])
    np.testing.assert_array_equal(high, [3, 5, np.nan, 0])


def test_gaps_and_rest_are_those_of_the_dense_table():
    x = np.array([[0.0, 2.0, np.nan, 0.0, np.nan], [0.0, 2.0, np.nan, -1.0, 1.0]])
    for table in (Table(x), Table(csr_matrix(x))):
        assert columns_with_gaps(table).tolist() == [False, False, True, False, True]
        assert columns_at_rest(table).tolist() == [True, True, True, False, False]


def test_quartiles_of_weighted_sparse_columns_are_those_of_all_cells():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 6)) * (rng.random((200, 6)) < [0.05, 0.1, 0.3, 0.6, 0.9, 1.0])
    w = rng.integers(1, 4, 200).astype(float)
    for weights in (None, w):
        found = sparse_scale(Table(csr_matrix(x)), weights, "robust")
        expected = quartile_scale(Table(x), list(range(6)), weights)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_one_over_what_has_no_inverse_is_0():
    assert [one_over(size) for size in (0.0, 4.0, 1e-320, np.inf)] == [0.0, 0.25, 0.0, 0.0]


def test_quartiles_and_moments_are_those_of_numpy_where_cells_are_there():
    rng = np.random.default_rng(0)
    x = np.where(rng.random((101, 2)) < 0.1, np.nan, rng.normal(5, 3, (101, 2)))
    center, scale = quartile_scale(Table(x), [0, 1], None)
    low, middle, high = np.nanquantile(x, [0.25, 0.5, 0.75], axis=0)
    np.testing.assert_allclose(center, middle)
    np.testing.assert_allclose(scale, 1 / (high - low))
    center, scale = moment_scale(Table(x), [0, 1], None)
    np.testing.assert_allclose(center, np.nanmean(x, axis=0))
    np.testing.assert_allclose(scale, 1 / np.nanstd(x, axis=0))


@pytest.mark.parametrize("find", [quartile_scale, moment_scale])
def test_a_weight_of_two_is_a_row_twice(find):
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=(60, 1)), rng.integers(0, 3, 60)
    weighted, repeated = (
        find(Table(x[w > 0]), [0], w[w > 0].astype(float)),
        find(Table(np.repeat(x, w, axis=0)), [0], None),
    )
    np.testing.assert_allclose(weighted, repeated)


@pytest.mark.parametrize("find", [quartile_scale, moment_scale])
def test_what_does_not_vary_or_is_not_there_has_no_scale(find):
    center, scale = find(Table(np.array([[4.0, np.nan], [4.0, np.nan]])), [0, 1], None)
    assert (center.tolist(), scale.tolist()) == ([4.0, 0.0], [0.0, 0.0])


@pytest.mark.parametrize("activation", ["relu", "gelu", "tanh", "sigmoid"])
@pytest.mark.parametrize("standardize", [True, False])
def test_rows_however_far_away_have_an_answer(activation, standardize):
    """A number beyond single precision was infinite to the net, and the sums of its second layer were none."""
    x, y = np.array([[0.0, 1.0], [1.0, 0.0], [0.2, 0.9], [0.9, 0.3]]), ["a", "b", "a", "b"]
    settings = {"standardize": standardize, "activation": activation, "max_iter": 5, "random_state": 0}
    classifier = MLPClassifier(**settings).fit(x, y)
    regressor = MLPRegressor(**settings).fit(x, x[:, 0])
    rows = np.array([[cell, other] for cell in (1e39, -1e39, 1e300, -1e300) for other in (0.0, 1e39, -1e300)])
    for far in (rows, csr_matrix(rows)):
        assert np.isfinite(classifier.predict_proba(far)).all()
        assert np.isfinite(regressor.predict(far)).all()
        assert np.isfinite(classifier.hidden_activations(far)).all()
