"""Winnow: its rule by hand, its bound, and how it stands irrelevant columns."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from learnt import Perceptron, Table, Winnow
from learnt.errors import ConvergenceWarning, ParameterError


def quietly(model, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*args)


def by_hand(x, y, variant, alpha, threshold, epochs):
    """Littlestone's rules, literally."""
    w, promotions, demotions = np.ones(x.shape[1]), 0, 0
    for _ in range(epochs):
        before = promotions + demotions
        for row, truth in zip(x, y, strict=True):
            said = w[row].sum() > threshold
            if truth and not said:
                w[row] *= alpha
                promotions += 1
            elif said and not truth:
                w[row] = 0 if variant == "winnow1" else w[row] / alpha
                demotions += 1
        if promotions + demotions == before:
            break
    return w, promotions, demotions


def disjunction(seed, n_rows, n, k, share=0.3):
    rng = np.random.default_rng(seed)
    x = rng.random((n_rows, n)) < share
    return x, x[:, :k].any(axis=1)


@pytest.mark.parametrize("variant", ["winnow1", "winnow2"])
@pytest.mark.parametrize(("alpha", "threshold"), [(2.0, None), (1.5, 4.0)])
def test_weights_and_counts_are_those_by_hand(variant, alpha, threshold):
    x, y = disjunction(0, 80, 12, 2)
    x[5:9] = ~x[5:9]  # some noise, so that demotions happen to relevant columns too
    expected, promotions, demotions = by_hand(x, y, variant, alpha, threshold or 6.0, 20)
    for rows in (x.astype(float), csr_matrix(x.astype(float)), Table({f"c{j}": x[:, j] for j in range(12)})):
        model = quietly(Winnow(variant=variant, alpha=alpha, threshold=threshold, max_epochs=20), rows, y)
        np.testing.assert_allclose(model.coef_[0], expected, rtol=1e-12)
        assert (model.n_promotions_, model.n_demotions_) == (promotions, demotions)
        assert model.threshold_ == (threshold or 6.0)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(3, 120),
    k=st.integers(1, 3),
    variant=st.sampled_from(["winnow1", "winnow2"]),
    alpha=st.sampled_from([1.3, 2.0, 4.0]),
)
def test_mistakes_never_exceed_the_bound_for_a_disjunction(seed, n, k, variant, alpha):
    x, y = disjunction(seed, 150, n, k)
    if len(set(y.tolist())) < 2 or not (x.any(axis=0) & ~x.all(axis=0)).all():
        return
    model = quietly(Winnow(variant=variant, alpha=alpha), x.astype(float), y)
    assert model.n_mistakes_ <= model.mistake_bound(k)
    assert model.n_promotions_ <= k * (np.log(model.threshold_) / np.log(alpha) + 1)


def test_mistakes_grow_with_the_logarithm_of_irrelevant_columns_and_those_of_the_perceptron_with_their_number():
    """An "or" of 3 among n columns, rows of n/10 true cells, shown once: 16 times the columns."""
    found = {}
    for n in (50, 800):
        x, y = disjunction(1, 6000, n, 3, share=0.1)
        rows = csr_matrix(x.astype(float))
        found[n] = [quietly(m, rows, y).n_mistakes_ for m in (Winnow(max_epochs=1), Perceptron(max_epochs=1))]
    winnow, perceptron = (found[800][i] / found[50][i] for i in (0, 1))
    assert winnow < np.log(800) / np.log(50) * 1.6
    assert perceptron > 5
    assert found[800][0] * 5 < found[800][1]


def test_balanced_weights_speak_against_a_class_too():
    rng = np.random.default_rng(0)
    x = rng.random((400, 6)) < 0.5
    y = x[:, 0] & ~x[:, 1]
    plain = quietly(Winnow(), x.astype(float), y)
    balanced = quietly(Winnow(variant="balanced", max_epochs=200), x.astype(float), y)
    assert balanced.score(x.astype(float), y) == 1.0 > plain.score(x.astype(float), y)
    assert balanced.coef_[0, 0] > 0 > balanced.coef_[0, 1]
    with pytest.raises(ParameterError, match="balanced"):
        balanced.mistake_bound(2)


def test_every_kind_of_column_makes_statements():
    table = {
        "owned": [True, False, None, True],
        "town": ["Bern", "Basel", "Bern", None],
        "age": [20.0, 40.0, 60.0, np.nan],
        "change": [-1.0, 0.0, 2.0, 3.0],
    }
    model = quietly(Winnow(), table, [1, 0, 1, 0])
    assert model.coefficient_names_ == ("owned=True", "town=Basel", "town=Bern", "age>40", "change>0")
    encoded = model._design.encode(Table(table)).toarray()
    assert encoded.tolist() == [[1, 0, 1, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 1, 1], [1, 0, 0, 0, 1]]


def test_negative_columns_of_a_sparse_matrix_are_those_of_a_dense_one():
    x = np.array([[-3.0, 0, 1], [-1, 2, 0], [-2, 0, 0], [-5, 1, 4]])
    y = [0, 1, 1, 0]
    dense, sparse = quietly(Winnow(), x, y), quietly(Winnow(), csr_matrix(x), y)
    np.testing.assert_array_equal(dense.coef_, sparse.coef_)
    np.testing.assert_array_equal(sparse.predict(csr_matrix(x)), dense.predict(x))


def test_bounds_for_more_statements_than_there_are_are_refused():
    x, y = disjunction(0, 50, 5, 1)
    model = quietly(Winnow(), x.astype(float), y)
    for k in (0, 6, 1.5, "two"):
        with pytest.raises(ParameterError, match="k="):
            model.mistake_bound(k)


def test_rows_without_a_true_cell_do_not_hang_even_with_enormous_weights():
    x = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    model = quietly(Winnow(max_epochs=2), x, [1, 0, 1], [1e15, 1.0, 1e15])
    assert np.isfinite(model.coef_).all()


def test_weights_stay_finite_on_noise():
    rng = np.random.default_rng(3)
    x = (rng.random((500, 5)) < 0.5).astype(float)
    for variant in ("winnow1", "winnow2", "balanced"):
        model = quietly(Winnow(variant=variant, max_epochs=500), x, rng.integers(2, size=500))
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.predict_proba(x)).all()
