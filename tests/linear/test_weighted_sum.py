"""Scores of linear models: the same from dense and sparse rows, alone and among others."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix

from learnt import Lasso, LinearRegression, LogisticRegression
from learnt.errors import InputError
from learnt.linear.weighted_sum import logistic_shares, softmax


def rows():
    rng = np.random.default_rng(4)
    x = rng.normal(2, 1, (200, 6)) * (rng.random((200, 6)) < 0.4)
    score = x @ [1.0, -1, 0.5, 0, 0, 2] + 3 + rng.logistic(size=200)
    return x, score


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("wide", [np.int32, np.int64])
def test_sparse_rows_are_predicted_as_dense_ones(kind, wide):
    x, score = rows()
    sparse = csr_matrix(x.astype(kind))
    sparse.indices, sparse.indptr = sparse.indices.astype(wide), sparse.indptr.astype(wide)
    dense = sparse.toarray()
    for learner in (LinearRegression(), Lasso(alpha=0.1)):
        model = learner.fit(dense, score)
        expected = dense.astype(float) @ model.coef_ + model.intercept_
        assert_allclose(model.predict(sparse), expected, rtol=1e-12)
        assert_allclose(model.predict(dense), expected, rtol=1e-12)
    for k in (2, 3):
        y = np.digitize(score, np.quantile(score, np.arange(1, k) / k))
        model = LogisticRegression().fit(dense, y)
        expected = dense.astype(float) @ model.coef_.T + model.intercept_
        assert_allclose(model.decision_function(sparse), expected[:, 0] if k == 2 else expected, rtol=1e-12)
        assert_allclose(model.predict_proba(sparse), model.predict_proba(dense), rtol=1e-12)
        assert_array_equal(model.predict(sparse), model.predict(dense))


def test_a_sparse_row_alone_scores_the_same_bits():
    x, score = rows()
    sparse = csr_matrix(x)
    model = LinearRegression().fit(sparse, score)
    assert_array_equal(model.predict(sparse), np.concatenate([model.predict(sparse[i]) for i in range(200)]))


def test_missing_cells_of_sparse_rows_count_as_the_mean_and_infinite_ones_are_refused():
    x, score = rows()
    model = LinearRegression().fit(csr_matrix(x), score)
    row = csr_matrix(np.array([[1.0, np.nan, 0, 0, 0, 2.0]]))
    filled = np.array([[1.0, x[:, 1].mean(), 0, 0, 0, 2.0]])
    assert_allclose(model.predict(row), model.predict(filled), rtol=1e-9)
    with pytest.raises(InputError, match="infinite"):
        model.predict(csr_matrix(np.array([[np.inf, 0, 0, 0, 0, 0]])))


def test_shares_of_two_classes_are_the_bits_of_a_softmax():
    score = np.concatenate([np.random.default_rng(0).normal(0, 30, 1000), [0.0, -0.0, 745.0, -745.0, 1e300, -1e300]])
    assert_array_equal(logistic_shares(score), softmax(np.column_stack([np.zeros_like(score), score])))


def test_terms_beyond_all_numbers_on_both_sides_are_weighed_against_each_other():
    x = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    model = LinearRegression().fit(x, [1e150, 3e150, 2e150, 2e150])  # 2e150 + 1e150 a − 1e150 b
    asked = np.array([[1e300, 1e299], [1e299, 1e300], [1e300, 1e300], [1e-5, 0.0]])
    for rows in (asked, csr_matrix(asked), {"x0": asked[:, 0], "x1": asked[:, 1]}):
        matched = LinearRegression().fit({"x0": x[:, 0], "x1": x[:, 1]}, x @ [1e150, -1e150] + 2e150)
        found = (matched if isinstance(rows, dict) else model).predict(rows)
        assert found[:2].tolist() == [np.inf, -np.inf]
        assert not np.isnan(found[2])  # rounding of the coefficients decides
        assert_allclose(found[3], 2e150 + 1e145, rtol=1e-12)
